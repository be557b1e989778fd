"""Random sequences of commands: the module's replies and dumps are the library's. 10,000 of them; the model program is
the second argument."""
import os
import random
import subprocess
import sys

from harness import Refused, Server, main, wrong

SEQUENCES = 10_000
SEED = int(os.environ.get("BLOOMERY_SEED", "20261115"))
KEYS = ["a", "b", "c"]
RATES = ["0.01", "0.1", "0.001", "0.25", "0.5", "1e-05"]


def data(item):
    return "-" + item.hex()


def items(source):
    count = source.choice([1, 1, 1, 2, 3, 10, 30])
    return [source.choice([b"", b"x" * source.randrange(40), str(source.randrange(60)).encode(),
                           source.randbytes(source.randrange(1, 12))]) for _ in range(count)]


def insertion(source, key):
    """The same insertion in the words of one of three commands, and in the model's."""
    asked = items(source)
    style = source.randrange(3)
    rate, keys, expansion = "0.01", "100", "2"
    if style == 0:
        asked = asked[:1]
        command = ["BF.ADD", key, *asked]
    elif style == 1:
        command = ["BF.MADD", key, *asked]
    else:
        rate, keys, expansion = source.choice(RATES), str(source.randrange(1, 40)), source.choice(["0", "1", "2", "5"])
        growing = ["NONSCALING"] if expansion == "0" else ["EXPANSION", expansion]
        options = [["CAPACITY", keys], ["ERROR", rate], growing]
        source.shuffle(options)
        command = ["BF.INSERT", key, *sum(options, []), "ITEMS", *asked]
    return command, ["INSERT", key, rate, keys, expansion, *map(data, asked)]


def step(source):
    key, kind = source.choice(KEYS), source.randrange(10)
    if kind < 5:
        return insertion(source, key)
    if kind == 5:
        rate, keys, expansion = source.choice(RATES), str(source.randrange(1, 60)), source.choice(["0", "1", "2", "4"])
        growing = ["NONSCALING"] if expansion == "0" else ["EXPANSION", expansion]
        return ["BF.RESERVE", key, rate, keys, *growing], ["RESERVE", key, rate, keys, expansion]
    if kind == 6:
        return ["BF.CARD", key], ["CARD", key]
    asked = items(source)
    return ["BF.MEXISTS", key, *asked], ["MEXISTS", key, *map(data, asked)]


def spelled(reply):
    if isinstance(reply, list):
        return "".join(spelled(part) + " " for part in reply)
    return str(reply)


def dump_of(r, key):
    header = r("BF.SCANDUMP", key, 0)
    if isinstance(header, Refused):
        return "none"
    whole, iterator = header[1], 1
    while iterator:
        iterator, piece = r("BF.SCANDUMP", key, iterator)
        whole += piece
    return whole.hex()


def test(module):
    print(f"seed {SEED}, {SEQUENCES} sequences")
    source = random.Random(SEED)
    asked, answered = [], []

    def note(command, model, reply):
        single = command[0] == "BF.ADD"
        asked.append(" ".join(model))
        answered.append((command, reply + " " if single else reply))
    with Server(module) as server:
        r = server.client()
        for _ in range(SEQUENCES):
            steps = [step(source) for _ in range(source.randrange(2, 12))]
            for (command, model), reply in zip(steps, r.all([command for command, _ in steps])):
                note(command, model, spelled(reply))
            for key in KEYS:
                note(["dump of", key], ["DUMP", key], dump_of(r, key))
                payload = r("DUMP", key)
                if payload is not None:
                    note(["payload of", key], ["EQUAL", key, data(payload)], "equal")
            note(["FLUSHALL"], ["FLUSH"], spelled(r("FLUSHALL", "SYNC")))
    run = subprocess.run([sys.argv[2]], input="\n".join(asked) + "\n", capture_output=True, text=True, check=True)
    expected = run.stdout.split("\n")
    for (command, reply), other in zip(answered, expected):
        if reply != other:
            wrong.append(f"{command}\n  the server: {reply[:300]}\n  the library: {other[:300]}")
    if len(expected) != len(answered) + 1:
        wrong.append(f"{len(answered)} commands and {len(expected)} replies")
    print(f"{len(answered)} replies compared")


main(test)
