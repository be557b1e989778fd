"""COMMAND DOCS of every command of the module: a summary, a complexity, a release, and arguments that agree with the
arity, so that redis-cli's hints and clients made from them are right."""
from harness import Server, check, main


def fields(row):
    return dict(zip(row[::2], row[1::2]))


def words(arguments):
    """(least, most) words that these arguments take; most is None where nothing bounds them."""
    least = most = 0
    for row in arguments:
        one = fields(row)
        flags = {str(flag) for flag in one.get(b"flags", [])}
        if one[b"type"] == b"pure-token":
            low = high = 1
        elif one[b"type"] == b"block":
            low, high = words(one[b"arguments"])
        elif one[b"type"] == b"oneof":
            choices = [words([choice]) for choice in one[b"arguments"]]
            low = min(choice[0] for choice in choices)
            high = None if None in [choice[1] for choice in choices] else max(choice[1] for choice in choices)
        else:
            low = high = 1
        if one[b"type"] != b"pure-token" and b"token" in one:
            low, high = low + 1, None if high is None else high + 1
        if "optional" in flags:
            low = 0
        if "multiple" in flags:
            high = None
        least += low
        most = None if None in (most, high) else most + high
    return least, most


def test(module):
    with Server(module) as server:
        r = server.client()
        names = r("COMMAND", "LIST", "FILTERBY", "MODULE", "bf")
        if not isinstance(names, list):
            print("note: this server has no COMMAND DOCS")
            return
        names = sorted(name.decode() for name in names)
        check(len(names) >= 27, True, names)
        for name in names:
            docs = fields(r("COMMAND", "DOCS", name)[1])
            check(len(docs.get(b"summary", b"")) > 20, True, f"{name}: a summary")
            check(docs.get(b"complexity", b"").startswith(b"O("), True, f"{name}: a complexity")
            check(docs.get(b"since", b"").count(b"."), 2, f"{name}: since")
            check([docs.get(b"group"), docs.get(b"module")], [b"module", b"bf"], name)
            arguments = docs.get(b"arguments", [])
            check(fields(arguments[0]).get(b"type"), b"key", f"{name} begins with a key")
            for argument in arguments:
                check(len(fields(argument)[b"name"]) > 0, True, name)
            if name in ("bf.insert", "cf.insert", "cf.insertnx"):
                tokens = {fields(one)[b"name"]: (fields(one)[b"type"], fields(one).get(b"token")) for one in arguments}
                check(tokens[b"items"], (b"pure-token", b"ITEMS"), f"{name}: the word ITEMS")
                check(tokens[b"item"], (b"string", None), name)
            arity = r("COMMAND", "INFO", name)[0][1]
            least, most = words(arguments)
            if name == "cf.compact":  # the peer registers it without a bound and counts inside
                check([arity, least, most], [-1, 1, 1])
                continue
            check(least + 1, abs(arity), f"{name}: the least words that its arguments take")
            check(most == least, arity > 0, f"{name}: as many words each time, or not")


main(test)
