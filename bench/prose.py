"""How hard a page is to read: Flesch's reading ease, and sentences that are too long.

    python -m bench prose README.md docs/guide/*.md

Only prose counts: no code, tables, headings or lists of links. Reading ease is 206.8 - 1.015 * words by sentences
- 84.6 * syllables by words; 60 is plain English, 30 is an article in a journal. Code in a sentence counts as one word
of one syllable.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path


def prose(page: str) -> str:
    """The sentences of a page."""
    page = re.sub(r"^---\n.*?^---\n", "", page, count=1, flags=re.MULTILINE | re.DOTALL)
    page = re.sub(r"^```.*?^```$", "\n", page, flags=re.MULTILINE | re.DOTALL)
    page = re.sub(r"<!--.*?-->|<[^>]+>", "", page, flags=re.DOTALL)
    page = re.sub(r"^(\||#|!\[|!!!).*$", "\n", page, flags=re.MULTILINE)
    page = re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "\n\n", page, flags=re.MULTILINE)
    page = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", page)
    page = re.sub(r"`[^`\n]+`", "code", page)
    page = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", page)
    return re.sub(r"[*_]{1,2}", "", page)


def sentences(page: str) -> Iterator[list[str]]:
    """Each as its words. A colon ends none, as in a list; a paragraph's end does."""
    for paragraph in re.split(r"\n\s*\n", prose(page)):
        for sentence in re.split(r"(?<=[.!?])[)\"']?\s+(?=[A-Z\"'(]|code)", " ".join(paragraph.split())):
            words = re.findall(r"[A-Za-z0-9][\w'.,-]*", sentence)
            if words:
                yield words


def syllables(word: str) -> int:
    word = re.sub(r"[^a-z]", "", word.lower())
    groups = len(re.findall(r"[aeiouy]+", word))
    if word.endswith("e") and not word.endswith(("le", "ee")) and groups > 1:
        groups -= 1
    if word.endswith("ed") and not word.endswith(("ted", "ded")) and groups > 1:
        groups -= 1
    return max(groups, 1)


def reading_ease(page: str) -> float:
    found = list(sentences(page))
    words = [word for sentence in found for word in sentence]
    if not words:
        return 100.0
    return 206.835 - 1.015 * len(words) / len(found) - 84.6 * sum(map(syllables, words)) / len(words)


def long_sentences(page: str, most: int) -> list[str]:
    return [" ".join(words) for words in sentences(page) if len(words) > most]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE")
    parser.add_argument("--longest", type=int, default=35, metavar="WORDS", help="of a sentence (default 35)")
    parser.add_argument("--ease", type=float, default=50.0, metavar="E", help="the least of a page (default 50)")


def main(options: argparse.Namespace) -> int:
    """1 if a page is too hard, or a sentence too long."""
    failed = False
    for page in options.pages:
        text = page.read_text("utf-8")
        ease, too_long = reading_ease(text), long_sentences(text, options.longest)
        print(f"{ease:5.1f}  {page}{'' if ease > options.ease else ': too hard'}")
        for sentence in too_long:
            print(f"       {sentence}")
        failed = failed or bool(too_long) or ease <= options.ease
    return int(failed)
