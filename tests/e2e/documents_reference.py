#!/usr/bin/env python3
"""dedup --documents beside an exact reference: generated corpora with planted repeats, every unit, several seeds, -j 1, 2
and 4, plain and compressed. At a false-positive rate of 1e-9 both must print the same bytes; at the default rate they differ
by no more than the announced false positives, and the memory is that of the plan.

documents_reference.py PROGRAM
"""
import gzip
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unicodedata

SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
WORDS = "the Quick brown føx ÉCLAIR e\u0301clair naïve 東京 データ मन्त्र İstanbul Σίσυφος \U0001f600 don't x_y 42 ½ a1b2".split()


def lower(text):
    return "".join(c.lower() if len(c.lower()) == 1 else "i" for c in text)


def normalized(text, forms):
    if "nfc" in forms:
        text = unicodedata.normalize("NFC", text)
    if "lower" in forms:
        text = lower(text)
    return unicodedata.normalize("NFC", text) if "nfc" in forms else text


def parts(text, kind):
    """(start, end, next) of each part."""
    if kind == "document":
        return [(0, len(text), len(text))] if text else []
    lines, at = [], 0
    for line in text.split("\n"):
        if at < len(text):
            lines.append((at, at + len(line), min(at + len(line) + 1, len(text))))
        at += len(line) + 1
    if kind == "line":
        return lines
    found = []
    blank_before = False
    for start, end, after in lines:
        blank = not text[start:end].strip(SPACE)
        if found and not (blank_before and not blank):
            first, last, _ = found[-1]
            found[-1] = (first, last if blank else end, after)
        else:
            found.append((start, end, after))
            blank_before = False
        blank_before = blank_before or blank
    return found


def words(text):
    found, before = [], ""
    for c in text:
        category = unicodedata.category(c)
        kind = "" if category[0] not in "LMN" else "mark" if category[0] == "M" else \
            "wide" if category == "Lo" and unicodedata.east_asian_width(c) in "WF" else "part"
        if before and (kind == "mark" or kind == before == "part"):
            found[-1] += c
            continue
        if kind:
            found.append(c)
        before = "part" if kind == "mark" else kind
    return found


def keys(text, unit, n, least, forms):
    text = text.strip(SPACE)
    if not text or len(text) < least:
        return []
    text = normalized(text, forms)
    if unit != "ngram":
        return [text]
    found = words(text)
    size = min(n, len(found))
    return [" ".join(found[i:i + size]) for i in range(len(found) - size + 1)] if size else []


def reference(documents, unit, within, n, threshold, least, forms, seen):
    """The texts that stay (None: dropped) and the spans."""
    for text in documents:
        kind = within if unit == "ngram" else unit
        kept, spans, removed, own, last_goes, last_end = [], [], False, set(), False, None
        pieces = parts(text, kind)
        for start, end, after in pieces:
            found = keys(text[start:end], unit, n, least, forms)
            share = sum(key in seen for key in found) / len(found) if found else 0
            own.update(found)
            last_goes = share > 0 and share >= (threshold if unit == "ngram" else 1)
            if share:
                spans.append([start, end, share])
            if last_goes:
                removed = True
            else:
                kept.append((start, end, after))
        seen |= own
        result = "".join(text[start:after] for start, _, after in kept)
        if last_goes and kept and pieces[-1][1] == pieces[-1][2]:
            result = result[:len(result) - (kept[-1][2] - kept[-1][1])]
        nothing = all(not text[start:end].strip(SPACE) for start, end, _ in kept)
        yield None if removed and nothing else result, spans


def corpus(rng):
    pool = [" ".join(rng.choices(WORDS, k=rng.randint(1, 40))) for _ in range(60)]
    documents = []
    for _ in range(400):
        pieces = []
        for _ in range(rng.randint(0, 6)):
            choice = rng.random()
            piece = rng.choice(pool)
            if choice < 0.3:
                piece = " ".join(f"w{rng.randrange(10**9)}" for _ in range(rng.randint(1, 30)))
            elif choice < 0.6:  # most of it is a repeat
                piece = piece + " " + " ".join(f"w{rng.randrange(10**9)}" for _ in range(rng.randint(0, 5)))
            elif choice < 0.7:
                piece = unicodedata.normalize("NFD", piece.upper())
            pieces.append(piece)
        text = "".join(piece + rng.choice(["\n", "\n\n", "\r\n", "\n \n\t\n", "\n\n"]) for piece in pieces)
        documents.append(text if rng.random() < 0.5 else text.rstrip("\n"))
    return documents + rng.sample(documents, 40)


def record(rng, number, text):
    ascii_only = rng.random() < 0.5
    escaped = json.dumps(text, ensure_ascii=ascii_only)
    if not ascii_only and rng.random() < 0.3:
        escaped = escaped.replace("/", "\\/").replace("e", "\\u0065")
    return f'{{"id": {number},"n":1.0e2, "text" :{escaped},"meta":{{"text":"other","a":[1, 2]}} }}'


# Starts a program from a small process, because a program inherits the peak of the one that starts it.
MEASURE = """import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, state, usage = os.wait4(pid, 0)
print("peak", usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(state))"""
PROCESS_BYTES = 8 << 20  # of the program itself, with its libraries


def large_corpus(rng, documents):
    """Ten lines each, of which a tenth were in an earlier document."""
    lines = []
    for _ in range(documents):
        own = [f"line {rng.getrandbits(60):x} of a document" for _ in range(9)]
        own.append(rng.choice(lines) if lines and rng.random() < 0.9 else f"another {rng.getrandbits(60):x} line")
        rng.shuffle(own)
        lines.append(rng.choice(own))
        yield "\n".join(own)


def at_the_default_rate(program, folder):
    """Wrong repeats and memory beside what the plan and the summary announce."""
    path = folder / "large.jsonl"
    rng = random.Random(17)
    seen, repeats, differences, keys = set(), 0, 0, 0
    with path.open("w") as out:
        texts = list(large_corpus(rng, 240_000))
        out.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    done = subprocess.run([program, "dedup", "--documents", "--unit", "line", path], capture_output=True, check=True)
    printed = iter(json.loads(line)["text"] for line in done.stdout.decode().splitlines())
    for text in texts:
        own = text.split("\n")
        keys += len(own)
        kept = [line for line in own if line not in seen]
        repeats += len(own) - len(kept)
        seen.update(own)
        got = next(printed).split("\n") if kept else []
        assert set(got) <= set(kept), f"a repeat was printed: {got}, not {kept}"
        differences += len(kept) - len(got)
    assert next(printed, None) is None, "documents are printed that are none"
    said = done.stderr.decode()
    announced = float(re.search(r"seen before \(about ([\d.,]+) wrongly", said)[1].replace(",", ""))
    planned = float(re.search(r"about ([\d.,]+) keys taken for repeats wrongly", said)[1].replace(",", ""))
    assert announced > 5, f"the corpus is too small for a statement: {said}"
    assert announced <= planned * 1.1, f"{announced} wrong repeats, and {planned} were planned"
    most = announced + 4 * math.sqrt(announced)
    assert differences <= most, f"{differences} of {keys} lines are wrongly gone, and about {announced} were announced"
    print(f"{differences} of {keys} lines differ from the exact set ({repeats} repeats); about {announced} were announced")
    if b"__asan_init" in pathlib.Path(program).read_bytes() or b"__tsan_init" in pathlib.Path(program).read_bytes():
        return
    for count in (2_400_000, 40_000_000):  # of keys, which fill the filter in part
        command = [sys.executable, "-c", MEASURE, program, "dedup", "--documents", "--unit", "line", "-n", str(count), "-c", path]
        said = subprocess.run(command, capture_output=True, check=True, text=True).stderr
        plan = float(re.search(r"about ([\d.]+) MiB in all", said)[1]) * 2**20
        peak = int(re.search(r"peak (\d+)", said)[1]) * 1024
        print(f"{count} keys: {peak / 2**20:.1f} MiB of memory, {plan / 2**20:.1f} MiB planned")
        assert 0.9 * plan <= peak + PROCESS_BYTES and peak <= 1.1 * plan + PROCESS_BYTES, f"{peak} bytes, {plan} planned: {said}"


def main():
    program = sys.argv[1]
    cases = [("document", None, "", 1), ("paragraph", None, "", 20), ("paragraph", None, "nfc,lower", 5), ("line", None, "lower", 20),
             ("line", None, "nfc", 1), ("ngram", "paragraph", "nfc,lower", 20), ("ngram", "document", "", 20), ("ngram", "line", "lower", 1)]
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for seed in range(3):
            rng = random.Random(seed)
            documents = corpus(rng)
            records = [record(rng, i, text) for i, text in enumerate(documents)]
            (folder / "a.jsonl").write_text("\n".join(records) + "\n", encoding="utf-8", newline="")
            (folder / "a.gz").write_bytes(gzip.compress((folder / "a.jsonl").read_bytes()))
            for unit, within, forms, least in cases:
                n, threshold = rng.choice([2, 3, 13]), rng.choice([0.3, 0.5, 0.8, 1])
                expected = list(reference(documents, unit, within, n, threshold, least, forms, set()))
                options = ["--unit", unit, "--min-length", str(least)]
                options += ["--normalize", forms] if forms else []
                options += ["--within", within, "--ngram", str(n), "--threshold", str(threshold)] if within else []
                command = [program, "dedup", "-q", "-p", "1e-9", "--documents", *options]
                outputs = {subprocess.run([*command, "-j", str(threads), folder / name], capture_output=True, check=True).stdout
                           for threads in (1, 2, 4) for name in ("a.jsonl", "a.gz")}
                assert len(outputs) == 1, f"seed {seed}, {options}: threads or compression change the output"
                lines = [line for line in outputs.pop().decode().split("\n") if line]
                wanted = [(i, text) for i, (text, _) in enumerate(expected) if text is not None]
                assert len(lines) == len(wanted), f"seed {seed}, {options}: {len(lines)} documents, not {len(wanted)}"
                for line, (i, text) in zip(lines, wanted):
                    got = json.loads(line)
                    assert got["text"] == text, f"seed {seed}, {options}, document {i}: {got['text']!r}, not {text!r}"
                    got["text"] = documents[i]
                    assert got == json.loads(records[i]), f"document {i}: another member changed"
                    if text == documents[i]:
                        assert line == records[i], f"document {i} was kept, and its bytes changed"
                annotated = subprocess.run([*command, "--annotate", folder / "a.jsonl"], capture_output=True, check=True).stdout
                annotated = [json.loads(line) for line in annotated.decode().split("\n") if line]
                assert len(annotated) == len(documents), "a document was not annotated"
                for got, (text, spans) in zip(annotated, expected):
                    spans_got = [(a, b, round(c, 9)) for a, b, c in got["duplicates"]["spans"]]
                    assert spans_got == [(a, b, round(c, 9)) for a, b, c in spans], f"{options}: {spans_got}, not {spans}"
                    assert got["duplicates"]["dropped"] == (text is None)
                compared += len(documents)
        at_the_default_rate(program, folder)
    print(f"{compared} documents as the exact reference has them")


main()
