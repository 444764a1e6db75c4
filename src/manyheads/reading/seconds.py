"""The seconds of a sound that a model looks at, by what its feature extractor says of a frame."""

from dataclasses import replace

OF_SOUND = ("encoder", "cross", "audio")  # parts whose keys are of the sound, where a model reads one


def frame_of(processor):  # -> seconds, how many numbers a frame has; or None
    """How long a frame of features lasts, by a processor or its feature extractor; None where it doesn't say.

    >>> from transformers import WhisperFeatureExtractor
    >>> frame_of(WhisperFeatureExtractor())
    (0.01, 80)
    """
    extractor = getattr(processor, "feature_extractor", processor)
    facts = [getattr(extractor, name, None) for name in ("hop_length", "sampling_rate", "feature_size")]
    hop, rate, size = facts
    return (hop / rate, size) if all(isinstance(one, int) and one > 0 for one in facts) else None


def name_seconds(request, part, count, text):  # Text -> Text
    """What's known of the tokens of a part that looks at so many places of a sound: these by the second they begin at.

    How many frames are one place is told from how many the model read. Without its feature extractor, or where they
    don't divide, places stay counted.
    """
    features = request.named.get("input_features")
    if (
        request.frame is None
        or text.tokens is not None
        or part.role not in OF_SOUND
        or getattr(features, "ndim", 0) != 3
    ):
        return text
    seconds, size = request.frame
    frames = features.shape[2] if features.shape[1] == size else features.shape[1]
    if size not in features.shape[1:] or frames % count:
        return text
    step = seconds * frames / count
    digits = 2 if round(1000 * step) % 10 == 0 else 3
    return replace(text, tokens=[f"{place * step:.{digits}f} s" for place in range(count)])
