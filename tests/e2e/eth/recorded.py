"""The recorded request/response pairs of ethereum/execution-apis, made by go-ethereum. Of its chain there are no blocks to
import, so these are the pairs that are the same on any chain with as many: what is refused, and what is not there."""
import json

from harness import REAL, Served, check, main, skip

METHODS = ["eth_getLogs", "eth_getBlockReceipts"]  # of those recorded, the ones that are served


def is_of_any_chain(pair):
    response = pair["response"]
    if pair["request"]["method"] not in METHODS:
        return False
    return "error" in response or response["result"] in (None, [])


def test(command):
    path = REAL / "rpc_execution_apis.json"
    if not path.exists():
        skip(f"there is no {path}")
    recorded = json.loads(path.read_text())
    pairs = [pair for pair in recorded["tests"] if is_of_any_chain(pair)]
    check(len(pairs), 7)
    head = recorded["chain_headers"][-1]["number"]
    with Served(command, blocks=head + 1) as served:
        for pair in pairs:
            check(served.post(pair["request"]), pair["response"], pair["file"])
    print(f"{len(pairs)} of {len(recorded['tests'])} pairs")


main(test)
