"""Logs of random events, decoded as ethers decodes them, from npm in the pinned version; and malformed ones: what ethers refuses
is refused, and what is refused besides has one of the reasons that docs/ethlog_output.md names."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from harness import skip
from npm_packages import install  # noqa: E402

PACKAGE = pathlib.Path(__file__).resolve().parent / "node"
SIGNATURES = 10_000
SEED = int(os.environ.get("BLOOMERY_ABI_SEED", "1"))
# Solidity's own decoder refuses the first; the second is ethers' error too, but only where the value is read.
STRICTER = {
    "a word that does not fit its type": r": the word 0x[0-9a-f]{64} is no (u?int\d+|bool|address|bytes\d+)$",
    "data used again and again": r": its parts use the same data again and again$",
}


def value(text):
    """The value of a JSON text: members in their order, texts whatever their escapes."""
    return json.loads(text, object_pairs_hook=list)


def differing(case, expected, found):
    """Why the answers differ, or None; and the reason for a stricter one."""
    wanted = json.loads(expected)
    refused = found.startswith("error: ")
    if found.startswith("error: no event"):
        return f"{case}\n  {found}", None
    if wanted["args"] is None:
        return (None, None) if refused else (f"{case}\n  ethers refuses it, and bloomery decodes {found}", None)
    if not refused:
        return (None, None) if value(found) == value(wanted["args"]) else (f"{case}\n  ethers   {wanted['args']}\n  bloomery {found}", None)
    reason = next((name for name, pattern in STRICTER.items() if re.search(pattern, found)), None)
    if reason is None or wanted["how"] == "good":
        return f"{case}\n  ethers   {wanted['args']}\n  bloomery {found}", None
    return None, reason


def main():
    driver = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="bloomery-abi-") as folder:
        install(PACKAGE, folder, skip)
        shutil.copy(PACKAGE / "abi.mjs", folder)
        made = subprocess.run(["node", "abi.mjs", str(SEED), str(SIGNATURES)], cwd=folder, capture_output=True, text=True,
                              timeout=240)
        if made.returncode != 0:
            sys.exit(f"the generator failed:\n{made.stdout}{made.stderr}")
        run = subprocess.run([driver, "cases.jsonl"], cwd=folder, capture_output=True, text=True, timeout=240)
        if run.returncode != 0:
            sys.exit(f"the driver ended with {run.returncode}:\n{run.stderr}")
        read = lambda name: (pathlib.Path(folder) / name).read_text().split("\n")[:-1]  # noqa: E731
        cases, expected, found = read("cases.jsonl"), read("expected.jsonl"), run.stdout.split("\n")[:-1]
    assert len(cases) == len(expected) == len(found) > SIGNATURES, (len(cases), len(expected), len(found))
    good = sum(json.loads(line)["how"] == "good" and json.loads(line)["args"] is not None for line in expected)
    assert good == SIGNATURES, f"ethers refuses {SIGNATURES - good} logs that it encoded"
    results = [differing(*three) for three in zip(cases, expected, found)]
    wrong = [why for why, _ in results if why]
    reasons = collections.Counter(reason for _, reason in results if reason)
    refused = sum(line.startswith("error: ") for line in found)
    print(f"{SIGNATURES} signatures, {len(cases)} logs, seed {SEED}: {refused} refused, of which ethers decodes {dict(reasons)}")
    if wrong:
        sys.exit(f"{len(wrong)} differ:\n" + "\n".join(sentence[:4000] for sentence in wrong[:5]))


main()
