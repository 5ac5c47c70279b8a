"""A G-code program as text: lines, positions of words, and the lines as sent."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

IGNORED = r"(?:\s|\)|\([^)]*\))"  # by controllers, even within a number
WORD = re.compile(rf"\([^)]*\)?|;.*|(?P<word>[A-Za-z](?:{IGNORED}*[-+])?(?:{IGNORED}*[\d.])*)|\S")


@dataclass(frozen=True)
class Word:
    letter: str
    column: int
    end: int  # of its text in the line


@dataclass(frozen=True)
class ProgramLine:
    number: int
    text: str

    @property
    def empty(self) -> bool:
        return self.text.strip() in ("", "%")

    @property
    def command(self) -> bool:
        return self.text.lstrip().startswith("$")

    def words(self) -> list[Word]:
        """Return the words outside comments."""
        found = [match for match in WORD.finditer(self.text) if match["word"]]
        return [Word(match["word"][0].upper(), match.start() + 1, match.end()) for match in found]

    def sent(self) -> str:
        """Return the line as sent: its number in the file is the N word."""
        if self.command or self.empty:
            return self.text.strip()
        first = next(
            (match for match in WORD.finditer(self.text) if match[0][0] not in "();"), None
        )
        at = (
            first.end() if first is not None and first[0] == "/" else 0
        )  # a block delete stays first
        text = self.text
        for word in reversed(self.words()):
            if word.letter == "N":
                text = text[: word.column - 1] + text[word.end :]
        return f"{text[:at].lstrip()}N{self.number} {text[at:].strip()}"

    def column_of(self, letters: str) -> int:
        """Return the column of the first word with one of these letters.

        Without one, return that of the first word, or 1.
        """
        words = self.words()
        for word in words:
            if word.letter in letters:
                return word.column
        return words[0].column if words else 1

    def without_one_word(self) -> Iterator[tuple[int, str]]:
        """Yield the column of each word from last to first, and the line without it."""
        for word in reversed(self.words()):
            yield word.column, self.text[: word.column - 1] + self.text[word.end :]


def read_program(text: str) -> list[ProgramLine]:
    return [ProgramLine(number, line) for number, line in enumerate(text.splitlines(), 1)]
