"""Colours as they're seen: contrast (WCAG 2), distance (OKLab, Ottosson 2020), and what colour-blind eyes make of them."""

import numpy as np

FROM_LINEAR = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
BLIND = {  # Machado and others 2009, of linear light
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def rgb(colour):
    """The parts of "#1d2329", 0 to 255."""
    return np.array(list(bytes.fromhex(colour[1:])))


def mixed(share, colour, ground):
    """What is seen of a colour that's so opaque on a ground, both as parts."""
    return share * np.asarray(colour) + (1 - share) * np.asarray(ground)


def linear(parts):
    parts = np.asarray(parts) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """The contrast of two colours, of which the order doesn't matter."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(parts):
    return float(linear(parts) @ [0.2126, 0.7152, 0.0722])


def oklab(parts):  # -> [lightness, green to red, blue to yellow]
    return _oklab(linear(parts))


def distance(one, other):
    """How far two colours are apart: of two that lie side by side, 0.02 is about as little as one sees."""
    return float(np.linalg.norm(oklab(one) - oklab(other)))


def chroma(parts):
    return float(np.hypot(*oklab(parts)[1:]))


def seen_as(blindness, one, other):
    """The distance of two colours to a colour-blind eye."""
    first, second = (_oklab((BLIND[blindness] @ linear(parts)).clip(0, 1)) for parts in (one, other))
    return float(np.linalg.norm(first - second))


def _oklab(light):
    return TO_OKLAB @ np.cbrt(FROM_LINEAR @ light)
