// A chain whose transactions ethers signs: every type from 0 to 4, in blocks that keep all rules of the encoding. Nothing in
// it comes from the program under test. As a program: chain.mjs BLOCKS FILE writes JSON lines for `bloomery eth import`.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Transaction, Wallet, concat, encodeRlp, getBytes, getCreateAddress, hexlify, keccak256, toBeArray, toBeHex } from "ethers";

// The same values in every run.
let drawn = 0;
const drawHash = () => keccak256(toBeHex(++drawn, 32));
const draw = (below) => Number(BigInt(drawHash()) % BigInt(below));
const drawBytes = (count) => hexlify(getBytes(concat(Array.from({ length: Math.ceil(count / 32) }, drawHash))).slice(0, count));
const drawAddress = () => drawBytes(20);

const quantity = (value) => (BigInt(value) === 0n ? "0x" : hexlify(toBeArray(BigInt(value))));
export const baseFee = 7_000_000_000n;
export const chainId = 1337n;

// ---- the tree whose root commits a list

const nibbles = (hex) => [...hex.slice(2)].map((digit) => parseInt(digit, 16));
function compact(path, isLeaf) {
  const flag = (isLeaf ? 2 : 0) + (path.length % 2);
  const digits = path.length % 2 ? [flag, ...path] : [flag, 0, ...path];
  return "0x" + digits.map((digit) => digit.toString(16)).join("");
}
const reference = (node) => (getBytes(encodeRlp(node)).length < 32 ? node : keccak256(encodeRlp(node)));
function tree(entries) {
  if (entries.length === 1) return [compact(entries[0].path, true), entries[0].value];
  let shared = 0;
  while (entries.every(({ path }) => path[shared] === entries[0].path[shared])) ++shared;
  if (shared > 0) {
    const below = tree(entries.map(({ path, value }) => ({ path: path.slice(shared), value })));
    return [compact(entries[0].path.slice(0, shared), false), reference(below)];
  }
  const branches = Array.from({ length: 16 }, (_, digit) => {
    const below = entries.filter(({ path }) => path[0] === digit);
    return below.length ? reference(tree(below.map(({ path, value }) => ({ path: path.slice(1), value })))) : "0x";
  });
  return [...branches, "0x"];
}
function rootOf(values) {
  if (values.length === 0) return keccak256("0x80");
  return keccak256(encodeRlp(tree(values.map((value, i) => ({ path: nibbles(encodeRlp(quantity(i))), value })))));
}

// ---- blooms

function bloomOf(logs) {
  const bloom = new Uint8Array(256);
  for (const { address, topics } of logs)
    for (const value of [address, ...topics]) {
      const hash = getBytes(keccak256(value));
      for (const i of [0, 2, 4]) {
        const bit = ((hash[i] << 8) | hash[i + 1]) & 2047;
        bloom[255 - (bit >> 3)] |= 1 << (bit & 7);
      }
    }
  return hexlify(bloom);
}

// ---- transactions

function fieldsOf(kind, wallet) {
  const common = {
    nonce: draw(1_000_000), gasLimit: 21_000 + draw(1_000_000), value: BigInt(drawHash()) >> BigInt(100 + draw(156)),
    data: drawBytes(draw(100)), to: draw(4) === 0 ? null : drawAddress(),
  };
  const accessList = () => Array.from({ length: draw(3) }, () => ({ address: drawAddress(), storageKeys: Array.from({ length: draw(3) }, drawHash) }));
  const fees = () => {
    const tip = BigInt(draw(3_000_000_000));
    return { maxPriorityFeePerGas: tip, maxFeePerGas: tip + BigInt(draw(9_000_000_000)) };
  };
  const priced = { gasPrice: BigInt(draw(30_000_000_000)) };
  switch (kind) {
    case "before EIP-155": return { ...common, ...priced, type: 0 };
    case 0: return { ...common, ...priced, type: 0, chainId };
    case 1: return { ...common, ...priced, type: 1, chainId, accessList: accessList() };
    case 2: return { ...common, ...fees(), type: 2, chainId, accessList: accessList() };
    case 3: return { ...common, ...fees(), type: 3, chainId, to: drawAddress(), accessList: accessList(), maxFeePerBlobGas: BigInt(1 + draw(1000)),
                     blobVersionedHashes: Array.from({ length: 1 + draw(3) }, () => "0x01" + drawHash().slice(4)) };
    default: return { ...common, ...fees(), type: 4, chainId, to: drawAddress(), accessList: accessList(),
                      authorizationList: Array.from({ length: 1 + draw(2) }, () => wallet.authorizeSync({ address: drawAddress(), nonce: draw(1000), chainId: draw(2) ? chainId : 0n })) };
  }
}
function signed(kind) {
  const wallet = new Wallet(drawHash());
  const transaction = Transaction.from(fieldsOf(kind, wallet));
  transaction.signature = wallet.signingKey.sign(transaction.unsignedHash);
  return transaction;
}

// ---- blocks

function drawLogs() {
  return Array.from({ length: draw(3) }, () => ({
    address: "0x" + (1 + draw(3)).toString(16).repeat(40), topics: Array.from({ length: draw(5) }, (_, i) => toBeHex(100 * i + draw(4), 32)), data: drawBytes(draw(70)),
  }));
}
const ofType = (type, list) => (type === 0 ? list : concat([toBeHex(type), list]));
const inBody = (type, encoding) => (type === 0 ? encoding : encodeRlp(encoding));
const listOf = (encodings) => {  // of items that are encoded already
  const payload = concat(["0x", ...encodings]);
  const size = getBytes(payload).length;
  if (size <= 55) return concat([toBeHex(0xc0 + size), payload]);
  const digits = toBeArray(size);
  return concat([toBeHex(0xf7 + digits.length), digits, payload]);
};

function makeBlock(number, parentHash, kinds) {
  const transactions = kinds.map(signed);
  let gas = 0;
  const receipts = transactions.map(({ type, to, gasLimit }) => {
    gas += 21_000 + draw(Number(gasLimit) - 20_999);
    const logs = drawLogs();
    const status = to === null || draw(5) ? 1 : 0;
    return { type: "0x" + type.toString(16), status: "0x" + status, cumulativeGasUsed: "0x" + gas.toString(16), logs, logsBloom: bloomOf(logs) };
  });
  const encoded = transactions.map(({ serialized }) => serialized);
  const outcomes = receipts.map((receipt) => ofType(Number(receipt.type), encodeRlp([
    quantity(receipt.status), quantity(receipt.cumulativeGasUsed), receipt.logsBloom, receipt.logs.map(({ address, topics, data }) => [address, topics, data])])));
  const bloom = bloomOf(receipts.flatMap(({ logs }) => logs));
  const header = encodeRlp([
    parentHash, keccak256("0xc0"), drawAddress(), drawHash(), rootOf(encoded), rootOf(outcomes), bloom, "0x", quantity(number), quantity(30_000_000),
    quantity(gas), quantity(1_700_000_000 + 12 * number), "0x", drawHash(), "0x0000000000000000", quantity(baseFee), rootOf([]), "0x", "0x", drawHash()]);
  const body = listOf([listOf(transactions.map(({ type, serialized }) => inBody(type, serialized))), "0xc0", "0xc0"]);
  return { transactions, receipts, line: { hash: keccak256(header), headerRlp: header, bodyRlp: body, receipts } };
}

const kinds = ["before EIP-155", 0, 1, 2, 3, 4];
export function makeChain(blocks) {
  drawn = 0;
  const chain = [];
  let parent = "0x" + "00".repeat(32);
  for (let number = 0; number < blocks; ++number) {
    const list = number === 0 ? [] : Array.from({ length: number % 7 }, (_, i) => kinds[(number + i) % kinds.length]);
    chain.push(makeBlock(number, parent, list));
    parent = chain.at(-1).line.hash;
  }
  return chain;
}
// Of every transaction what its hash, its sender and its encoding are.
export const golden = (chain) => chain.flatMap(({ transactions }) => transactions.map((one) => ({
  type: one.type, encoding: one.serialized, hash: one.hash, from: one.from.toLowerCase(), nonce: one.nonce,
  contract: one.to === null ? getCreateAddress(one).toLowerCase() : null,
})));

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [blocks, file, goldenFile] = process.argv.slice(2);
  const chain = makeChain(Number(blocks));
  writeFileSync(file, chain.map(({ line }) => JSON.stringify(line) + "\n").join(""));
  if (goldenFile) writeFileSync(goldenFile, JSON.stringify({ made_by: "ethers 6.17.0", transactions: golden(chain) }) + "\n");
}
