"""Sentences in many scripts, for the encoder in the page."""

import itertools
import random

WORDS = {
    "Latin": "the bank of river tea coffee like better which Zürich café naïve İstanbul n'est-ce $5.00 (well) ?! x1",
    "Greek": "Ὀδυσσεύς ΟΔΟΣ και η θάλασσα Σίσυφος λόγος",
    "Cyrillic": "Привет как дела хорошо чай или кофе ёлка",
    "Arabic": "مرحبا شاي أو قهوة النهر البنك",
    "Devanagari": "नमस्ते चाय या कॉफ़ी दुनिया",
    "Hebrew": "שלום תה או קפה",
    "Chinese": "你 更喜欢 咖啡 还是 茶 𠀀𪚥",
    "Japanese": "お茶 コーヒー どちら 好き です",
    "Korean": "안녕하세요 커피 차 강",
    "Thai": "สวัสดี ชา กาแฟ",
    "signs": "🙂‍↔️ 👩‍👩‍👧 ½ ² … — « » ™ ∑ ∞",
}


def sentences():
    """100 of them, of 1 to 64 words: each script in turn, and all of them mixed."""
    chance = random.Random(5)
    scripts = [words.split() for words in WORDS.values()]
    scripts += [scripts[0], list(itertools.chain(*scripts))]
    for place in range(100):
        yield " ".join(chance.choices(scripts[place % len(scripts)], k=1 + place * 63 // 99)) + chance.choice(".?! ")
