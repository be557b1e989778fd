#!/usr/bin/env python3
"""Writes rpc_transactions.json: transactions of every type as a node writes them in JSON, with the hash of the encoding that
their specifications give. Shares no code with the program: its RLP and Keccak are those of tests/e2e/eth/rlp.py."""
import json
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "e2e" / "eth"))
from rlp import encode, keccak  # noqa: E402

choice = random.Random(20)


def word(size=32):
    return bytes(choice.randrange(256) for _ in range(size))


def number(bits=256):
    return choice.getrandbits(choice.randrange(bits + 1))


def as_json(value):
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return hex(value)
    return "0x" + value.hex() if isinstance(value, bytes) else value


def access_list(count):
    return [(word(20), [word() for _ in range(i % 3)]) for i in range(count)]


def with_access(entries):
    return [{"address": as_json(address), "storageKeys": [as_json(key) for key in keys]} for address, keys in entries]


def case(name, kind, members, fields):
    raw = encode(fields) if kind == 0 else bytes([kind]) + encode(fields)
    members = {"type": hex(kind), **{key: as_json(value) for key, value in members.items()}}
    return {"name": name, "transaction": {**members, "hash": "0x" + keccak(raw).hex()}, "rlp": "0x" + raw.hex()}


def signed(members):
    return {**members, "yParity": choice.randrange(2), "r": number(), "s": number(), "from": word(20)}


def cases():
    for name, v in (("legacy", 27), ("legacy with a chain id", 37 + 2 * 10 ** 6), ("legacy unsigned", 0)):
        for to in (word(20), None):
            m = {"nonce": number(64), "gasPrice": number(80), "gas": number(60), "to": to, "value": number(), "input": word(number(7)),
                 "v": v, "r": number() if v else 0, "s": number() if v else 0}
            yield case(name, 0, m, [m["nonce"], m["gasPrice"], m["gas"], to or b"", m["value"], m["input"], v, m["r"], m["s"]])
    for count in (0, 1, 4):
        entries = access_list(count)
        listed = [[address, keys] for address, keys in entries]
        m = signed({"chainId": number(40), "nonce": number(64), "gasPrice": number(80), "gas": number(60), "to": word(20) if count else None,
                    "value": number(), "input": word(count * 40)})
        common = lambda *price: [m["chainId"], m["nonce"], *price, m["gas"], m["to"] or b"", m["value"], m["input"], listed]
        end = [m["yParity"], m["r"], m["s"]]
        shown = {**m, "accessList": with_access(entries)}
        yield case("access list", 1, {**shown, "v": m["yParity"]}, common(m["gasPrice"]) + end)
        fees = {"maxPriorityFeePerGas": number(60), "maxFeePerGas": number(90)}
        shown.update(fees)
        yield case("dynamic fee", 2, shown, common(*fees.values()) + end)
        without = {key: value for key, value in shown.items() if key != "yParity"}
        yield case("dynamic fee, parity named v", 2, {**without, "v": m["yParity"]}, common(*fees.values()) + end)
        m["to"] = m["to"] or word(20)
        shown["to"] = m["to"]
        blobs = [b"\x01" + word(31) for _ in range(count)]
        yield case("blobs", 3, {**shown, "maxFeePerBlobGas": 7 * count, "blobVersionedHashes": [as_json(blob) for blob in blobs]},
                   common(*fees.values()) + [7 * count, blobs] + end)
        grants = [(number(20), word(20), number(64), i % 2, number(), number()) for i in range(count)]
        names = ("chainId", "address", "nonce", "yParity", "r", "s")
        yield case("authorizations", 4, {**shown, "authorizationList": [dict(zip(names, map(as_json, grant))) for grant in grants]},
                   common(*fees.values()) + [[list(grant) for grant in grants]] + end)
        currency = {"feeCurrency": word(20) if count else None}
        yield case("celo", 0x7b, {**shown, **currency}, common(*fees.values()) + [currency["feeCurrency"] or b""] + end)
        gateway = {"gatewayFeeRecipient": word(20) if count > 1 else None, "gatewayFee": number(50)}
        yield case("celo with a gateway", 0x7c, {**shown, **currency, **gateway},
                   [m["chainId"], m["nonce"], *fees.values(), m["gas"], currency["feeCurrency"] or b"", gateway["gatewayFeeRecipient"] or b"",
                    gateway["gatewayFee"], m["to"], m["value"], m["input"], listed] + end)
    for mint, system in ((number(), True), (None, None), (0, False)):
        m = {"sourceHash": word(), "from": word(20), "to": word(20) if system else None, "mint": mint, "value": number(), "gas": number(60),
             "isSystemTx": system, "input": word(90)}
        yield case("optimism deposit", 0x7e, m, [m["sourceHash"], m["from"], m["to"] or b"", mint or 0, m["value"], m["gas"],
                                                1 if system else 0, m["input"]])
    a = {"chainId": 42161, "requestId": word(), "from": word(20), "to": word(20), "nonce": number(64), "gasPrice": number(60),
         "gas": number(60), "value": number(), "input": word(70), "ticketId": word(), "refundTo": word(20), "maxRefund": number(),
         "submissionFeeRefund": number(), "l1BaseFee": number(90), "depositValue": number(), "retryTo": None, "retryValue": number(),
         "beneficiary": word(20), "maxSubmissionFee": number(), "retryData": word(33)}
    for name, kind, fields in (
            ("arbitrum deposit", 0x64, "chainId requestId from to value"),
            ("arbitrum unsigned", 0x65, "chainId from nonce gasPrice gas to value input"),
            ("arbitrum contract", 0x66, "chainId requestId from gasPrice gas to value input"),
            ("arbitrum retry", 0x68, "chainId nonce from gasPrice gas to value input ticketId refundTo maxRefund submissionFeeRefund"),
            ("arbitrum ticket", 0x69, "chainId requestId from l1BaseFee depositValue gasPrice gas retryTo retryValue beneficiary "
                                      "maxSubmissionFee refundTo retryData"),
            ("arbitrum internal", 0x6a, "chainId input")):
        yield case(name, kind, a, [a[field] if a[field] is not None else b"" for field in fields.split()])


(HERE / "rpc_transactions.json").write_text("[\n" + ",\n".join(json.dumps(one, separators=(",", ":")) for one in cases()) + "\n]\n")
