#!/usr/bin/env python3
"""Holds the CSV reader against Python's csv module on generated files: 10,000, or 100,000 with BLOOMERY_FULL set.

usage: csv_beside_python.py DRIVER
"""
import csv
import io
import os
import random
import struct
import subprocess
import sys

MARK = "\xef\xbb\xbf"  # as Latin-1: one character for each byte
QUOTE_INSIDE, TEXT_AFTER_QUOTE, UNCLOSED, GOOD = 0, 1, 2, 255
BATCH = 5000


def field(source, separator):
    kind = source.random()
    if kind < 0.4:
        return "".join(source.choice("abcx1 ") for _ in range(source.randrange(12)))
    if kind < 0.5:
        return "y" * source.randrange(150)
    letters = "ab" + separator + '"\n\r\xe9'
    return "".join(source.choice(letters) for _ in range(source.randrange(8)))


def written(value, separator, source):
    if any(c in value for c in separator + '"\r\n') or source.random() < 0.2:
        return '"' + value.replace('"', '""') + '"'
    return value


def good_file(source, separator):
    end = source.choice(["\n", "\r\n"])
    rows = [[written(field(source, separator), separator, source) for _ in range(source.randrange(1, 6))]
            for _ in range(source.randrange(8))]
    text = end.join(separator.join(row) for row in rows)
    return text + (end if source.random() < 0.7 else "")


def soup(source, separator):
    """Mostly malformed. A CR stands before a LF only: Python takes a lone one for the end of a row."""
    tokens = [separator, separator, '"', '"', '""', "\n", "\r\n", "a", "bc", "long " * 9]
    return "".join(source.choice(tokens) for _ in range(source.randrange(40)))


def broken(source, separator):
    """A good file with one quote, separator or newline more or less."""
    text = good_file(source, separator).replace("\r", "")
    place = source.randrange(len(text) + 1)
    if source.random() < 0.3:
        return text[:place] + text[place + 1:]
    return text[:place] + source.choice(['"', separator, "\n", "z"]) + text[place:]


def make_file(source):
    separator = source.choice(",,,;\t|")
    text = source.choice([good_file, good_file, soup, broken])(source, separator)
    if source.random() < 0.1:
        text = MARK + text
    return text, separator


def lines_of(text):
    return io.StringIO(text, newline="\n")


def python_rows(text, separator):
    """All rows, and the index of the first that the strict reader refuses, or None."""
    rows = list(csv.reader(lines_of(text), delimiter=separator))
    strict = csv.reader(lines_of(text), delimiter=separator, strict=True)
    count = 0
    try:
        for _ in strict:
            count += 1
    except csv.Error:
        return rows, count
    return rows, None


class Answers:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def number(self):
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def row(self):
        fault = self.data[self.at]
        self.at += 1
        values = []
        for _ in range(self.number()):
            size = self.number()
            values.append(self.data[self.at:self.at + size].decode("latin-1"))
            self.at += size
        return fault, values

    def file(self):
        return [self.row() for _ in range(self.number())]


def compare(text, separator, ours, seen):
    rows, refused = python_rows(text.removeprefix(MARK), separator)
    if text == MARK:  # a mark alone is a row without a byte
        rows = [[]]
    assert len(ours) == len(rows), f"{text!r}: {len(ours)} rows, Python has {len(rows)}"
    first_bad = None
    for number, ((fault, values), expected) in enumerate(zip(ours, rows)):
        seen[fault] = seen.get(fault, 0) + 1
        if fault == GOOD:
            assert values == (expected or [""]), f"{text!r}: row {number}: {values}, Python has {expected}"
        elif fault == QUOTE_INSIDE:
            assert any('"' in value for value in expected), f"{text!r}: row {number} has no such quote"
        elif first_bad is None:
            first_bad = number
        if refused == number and fault == QUOTE_INSIDE:
            first_bad = number if first_bad is None else first_bad
    assert first_bad == refused, f"{text!r}: row {first_bad} is refused, Python refuses {refused}"


def run_batch(driver, source, count, seen):
    files = [make_file(source) for _ in range(count)]
    request = b"".join(struct.pack("<IBB", len(text), source.choice([1, 3, 16, 64, 255]), ord(separator)) +
                       text.encode("latin-1") for text, separator in files)
    answers = Answers(subprocess.run([driver], input=request, stdout=subprocess.PIPE, check=True).stdout)
    for text, separator in files:
        compare(text, separator, answers.file(), seen)
    assert answers.at == len(answers.data)


def main():
    driver, = sys.argv[1:]
    files = 100_000 if os.environ.get("BLOOMERY_FULL") else 10_000
    source = random.Random(4180)
    seen = {}
    for _ in range(files // BATCH):
        run_batch(driver, source, BATCH, seen)
    for kind in (QUOTE_INSIDE, TEXT_AFTER_QUOTE, UNCLOSED, GOOD):
        assert seen.get(kind, 0) > files // 50, f"too few rows of kind {kind}: {seen}"
    print(f"{files} files: {seen[GOOD]} good rows and {sum(seen.values()) - seen[GOOD]} malformed ones agree")


main()
