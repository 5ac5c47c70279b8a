"""A G-code program as text: its lines, where each word of a line stands, and the lines as they go to the controller."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

PASSED_OVER = r"(?:\s|\)|\([^)]*\))"  # by controllers, even within a number
WORD = re.compile(
    rf"\([^)]*\)?|;.*|(?P<word>[A-Za-z](?:{PASSED_OVER}*[-+])?(?:{PASSED_OVER}*[\d.])*)|\S"
)


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
        """The words outside comments."""
        found = [match for match in WORD.finditer(self.text) if match["word"]]
        return [Word(match["word"][0].upper(), match.start() + 1, match.end()) for match in found]

    def sent(self) -> str:
        """The line as it is sent: with its number in the file as its N word, so that what happens can be told by line."""
        if self.command or self.empty:
            return self.text.strip()
        first = next(
            (match for match in WORD.finditer(self.text) if match[0][0] not in "();"), None
        )
        at = first.end() if first is not None and first[0] == "/" else 0  # a stroke stays first
        text = self.text
        for word in reversed(self.words()):
            if word.letter == "N":
                text = text[: word.column - 1] + text[word.end :]
        return f"{text[:at].lstrip()}N{self.number} {text[at:].strip()}"

    def column_of(self, letters: str) -> int:
        """Where the first word with one of these letters stands; else the first word; else 1."""
        words = self.words()
        for word in words:
            if word.letter in letters:
                return word.column
        return words[0].column if words else 1

    def with_less(self) -> Iterator[tuple[int, str]]:
        """The line with one word left out, for each of its words from the last to the first, and where that word stands."""
        for word in reversed(self.words()):
            yield word.column, self.text[: word.column - 1] + self.text[word.end :]


def read_program(text: str) -> list[ProgramLine]:
    return [ProgramLine(number, line) for number, line in enumerate(text.splitlines(), 1)]
