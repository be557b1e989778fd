"""Every error text, word for word: clients match on them."""
from harness import OK, WRONG_TYPE, Refused, Server, arity, check, main

RATE_RANGE = "ERR error rate must be in the range (0.000000, 1.000000)"
KEYS_RANGE = "ERR capacity must be in the range [1, 1073741824]"
EXPANSION_RANGE = "ERR expansion must be in the range [0, 32768]"
NO_LINK = "ERR invalid offset - no link found"
TOO_BIG = "ERR invalid chunk - Too big for current filter"
BAD_DATA = "ERR received bad data"

CASES = [
    ("BF.RESERVE k x 10", "ERR bad error rate"),
    ("BF.RESERVE k nan 10", "ERR bad error rate"),
    ("BF.RESERVE k x x", "ERR bad error rate"),
    ("BF.RESERVE k 0 10", RATE_RANGE),
    ("BF.RESERVE k 1 10", RATE_RANGE),
    ("BF.RESERVE k -0.1 10", RATE_RANGE),
    ("BF.RESERVE k inf 10", RATE_RANGE),
    ("BF.RESERVE k 0.01 x", "ERR bad capacity"),
    ("BF.RESERVE k 0.01 1.5", "ERR bad capacity"),
    ("BF.RESERVE k 0.01 99999999999999999999", "ERR bad capacity"),
    ("BF.RESERVE k 0.01 0", KEYS_RANGE),
    ("BF.RESERVE k 0.01 -1", KEYS_RANGE),
    ("BF.RESERVE k 0.01 1073741825", KEYS_RANGE),
    ("BF.RESERVE k 0.01 10 EXPANSION", "ERR no expansion"),
    ("BF.RESERVE k 0.01 10 NONSCALING EXPANSION", "ERR no expansion"),
    ("BF.RESERVE k 0.01 10 EXPANSION x", "ERR bad expansion"),
    ("BF.RESERVE k 0.01 10 EXPANSION -1", EXPANSION_RANGE),
    ("BF.RESERVE k 0.01 10 EXPANSION 32769", EXPANSION_RANGE),
    ("BF.RESERVE k 0.01 10 EXPANSION 2 NONSCALING", "Nonscaling filters cannot expand"),
    ("BF.RESERVE k 0.01 10 NONSCALING EXPANSION 2", "Nonscaling filters cannot expand"),
    ("BF.RESERVE k 0.01 10 NONSCALING EXPANSION 40000", "Nonscaling filters cannot expand"),
    ("BF.RESERVE bloom 0.01 10", "ERR item exists"),
    ("BF.RESERVE text 0.01 10", WRONG_TYPE),
    ("BF.RESERVE text x 10", "ERR bad error rate"),
    ("BF.ADD text x", WRONG_TYPE),
    ("BF.MADD text x", WRONG_TYPE),
    ("BF.INSERT text ITEMS x", WRONG_TYPE),
    ("BF.INSERT k ERROR x ITEMS a", "Bad error rate"),
    ("BF.INSERT k ERROR 1 ITEMS a", "Bad error rate"),
    ("BF.INSERT k ERROR 0 ITEMS a", "Bad error rate"),
    ("BF.INSERT k CAPACITY x ITEMS a", "Bad capacity"),
    ("BF.INSERT k CAPACITY 0 ITEMS a", "Bad capacity"),
    ("BF.INSERT k CAPACITY 1073741825 ITEMS a", "Bad capacity"),
    ("BF.INSERT k EXPANSION x ITEMS a", "Bad expansion"),
    ("BF.INSERT k EXPANSION -1 ITEMS a", "Bad expansion"),
    ("BF.INSERT k EXPANSION 32769 ITEMS a", "Bad expansion"),
    ("BF.INSERT k JUNK ITEMS a", "Unknown argument received"),
    ("BF.INSERT k NOCREATE ITEMS a", "ERR not found"),
    ("BF.INSERT k ITEMS", arity("bf.insert")),
    ("BF.INSERT k NOCREATE ITEMS", arity("bf.insert")),
    ("BF.INSERT k NOCREATE CAPACITY", arity("bf.insert")),
    ("BF.INSERT k NOCREATE NONSCALING", arity("bf.insert")),
    ("BF.INFO k", "ERR not found"),
    ("BF.INFO text", WRONG_TYPE),
    ("BF.INFO bloom JUNK", "Invalid information value"),
    ("BF.CARD text", WRONG_TYPE),
    ("BF.DEBUG k", "ERR not found"),
    ("BF.DEBUG text", WRONG_TYPE),
    ("BF.SCANDUMP bloom x", "Second argument must be numeric"),
    ("BF.SCANDUMP k x", "Second argument must be numeric"),
    ("BF.SCANDUMP k 0", "ERR not found"),
    ("BF.SCANDUMP text 0", WRONG_TYPE),
    ("BF.LOADCHUNK k x data", "ERR Second argument must be numeric"),
    ("BF.LOADCHUNK k 1 data", BAD_DATA),
    ("BF.LOADCHUNK k 2 data", "ERR not found"),
    ("BF.LOADCHUNK k 0 data", "ERR not found"),
    ("BF.LOADCHUNK text 1 data", WRONG_TYPE),
    ("BF.LOADCHUNK bloom 0 data", BAD_DATA),
    ("BF.LOADCHUNK bloom -5 data", BAD_DATA),
    ("BF.LOADCHUNK bloom 3 data", BAD_DATA),
    ("BF.LOADCHUNK bloom 4 data", NO_LINK),
    ("BF.LOADCHUNK bloom 149 data", NO_LINK),
    ("BF.LOADCHUNK bloom 9223372036854775807 data", NO_LINK),
    ("BF.LOADCHUNK bloom 148 data", TOO_BIG),
    ("BF.LOADCHUNK bloom 146 data", TOO_BIG),
]

ARITY = {"bf.reserve": [2, 3, 8], "bf.add": [1, 2, 4], "bf.madd": [1, 2], "bf.insert": [1, 2, 3], "bf.exists": [1, 2, 4],
         "bf.mexists": [1, 2], "bf.info": [1, 4], "bf.card": [1, 3], "bf.debug": [1, 3], "bf.scandump": [1, 2, 4],
         "bf.loadchunk": [1, 2, 3, 5]}


def test(module):
    for resp in (2, 3):
        with Server(module) as server:
            r = server.client(resp)
            r("SET", "text", "x")
            check(r("BF.RESERVE", "bloom", "0.01", "100"), OK)  # 144 bytes
            before = r("BF.DEBUG", "bloom")
            for command, expected in CASES:
                check(r(*command.split()), Refused(expected), command)
                check(r("EXISTS", "k"), 0, command + ": an error makes nothing")
            check(r("BF.INSERT", "k", "", "ITEMS", "a"), Refused("Unknown argument received"))
            header = r("BF.SCANDUMP", "bloom", 0)[1]
            check(r("BF.LOADCHUNK", "bloom", 1, header), Refused(NO_LINK), "a second header")
            check(r("BF.DEBUG", "bloom"), before)
            for command, counts in ARITY.items():
                for count in counts:
                    check(r(command, *["1"] * (count - 1)), arity(command), f"{command} with {count} words")


main(test)
