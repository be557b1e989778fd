// What programs with viem, web3.js, ethers and ponder's utilities do with the server, by their own functions. The chain is that of
// chain.mjs, so each program knows what must come. Arguments: a part, the server's port, the blocks that are served and how many
// there will be. A line "ready" on stdout asks for the rest of the blocks.
import assert from "node:assert/strict";
import { JsonRpcProvider, Transaction, WebSocketProvider, getAddress } from "ethers";
import { createPublicClient, http, serializeTransaction, webSocket } from "viem";
import { Web3 } from "web3";
import { getLogsRetryHelper } from "@ponder/utils";
import { baseFee, chainId, golden, makeChain } from "./chain.mjs";

const [part, port, served, all] = process.argv.slice(2);
const urls = { http: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${port}` };
const chain = makeChain(Number(all));
const senders = new Map(golden(chain).map(({ hash, from, contract }) => [hash, { from, contract }]));

// Every transaction of the blocks from first on, with its place.
function* transactionsIn(first, past) {
  for (let number = first; number < past; ++number)
    for (let index = 0; index < chain[number].transactions.length; ++index)
      yield { number, index, signed: chain[number].transactions[index], receipt: chain[number].receipts[index], before: index ? chain[number].receipts[index - 1] : undefined };
}
const lower = (address) => address?.toLowerCase() ?? null;
const priceOf = ({ type, gasPrice, maxFeePerGas, maxPriorityFeePerGas }) =>
  type < 2 ? gasPrice : maxPriorityFeePerGas + baseFee < maxFeePerGas ? maxPriorityFeePerGas + baseFee : maxFeePerGas;
const gasOf = ({ receipt, before }) => BigInt(receipt.cumulativeGasUsed) - BigInt(before?.cumulativeGasUsed ?? 0);
const logsIn = (first, past) => chain.slice(first, past).flatMap(({ receipts }) => receipts.flatMap(({ logs }) => logs));
const bare = ({ address, topics, data }) => ({ address: lower(address), topics: [...topics], data });
const [early, late] = [0, -1].map((at) => [...transactionsIn(Number(served), Number(all))].at(at));

async function until(condition, what) {
  for (let i = 0; i < 600; ++i) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come`);
}

// What all libraries call alike.
function checkTransaction(found, { number, signed }) {
  assert.equal(found.hash, signed.hash);
  assert.equal(lower(found.from), senders.get(signed.hash).from);
  assert.equal(lower(found.to), lower(signed.to));
  assert.equal(Number(found.nonce), signed.nonce);
  assert.equal(BigInt(found.value), signed.value);
  assert.equal(Number(found.blockNumber), number);
  assert.equal(found.blockHash, chain[number].line.hash);
}
function checkReceipt(found, place) {
  const { from, contract } = senders.get(place.signed.hash);
  assert.equal(lower(found.from), from);
  assert.equal(lower(found.to), lower(place.signed.to));
  assert.equal(lower(found.contractAddress), contract);
  assert.equal(BigInt(found.gasUsed), gasOf(place));
  assert.equal(BigInt(found.cumulativeGasUsed), BigInt(place.receipt.cumulativeGasUsed));
  assert.deepEqual(found.logs.map(bare), place.receipt.logs.map(bare));
  assert.equal(Number(found.blockNumber), place.number);
}

// ---- viem

const viemLists = (list) => (list ?? []).map(({ address, storageKeys }) => [lower(address), [...storageKeys]]);
function checkOfViem(found, place) {
  const { signed, index } = place;
  checkTransaction(found, place);
  assert.equal(found.transactionIndex, index);
  assert.equal(found.type, ["legacy", "eip2930", "eip1559", "eip4844", "eip7702"][signed.type]);
  assert.equal(found.input, signed.data);
  assert.equal(found.gas, signed.gasLimit);
  assert.equal(found.gasPrice, signed.type < 2 ? signed.gasPrice : found.gasPrice);
  assert.equal(BigInt(found.r), BigInt(signed.signature.r));
  assert.equal(BigInt(found.s), BigInt(signed.signature.s));
  assert.equal(found.chainId ?? 0, Number(signed.chainId));
  assert.deepEqual(viemLists(found.accessList), viemLists(signed.accessList));
  if (signed.type >= 2) {
    assert.equal(found.maxFeePerGas, signed.maxFeePerGas);
    assert.equal(found.maxPriorityFeePerGas, signed.maxPriorityFeePerGas);
  }
  if (signed.type === 3) {
    assert.equal(found.maxFeePerBlobGas, signed.maxFeePerBlobGas);
    assert.deepEqual(found.blobVersionedHashes, signed.blobVersionedHashes);
  }
  if (signed.type === 4)
    assert.deepEqual(found.authorizationList.map(({ address, nonce, chainId: id, yParity, r }) => [lower(address), BigInt(nonce), BigInt(id), yParity, BigInt(r)]),
      signed.authorizationList.map(({ address, nonce, chainId: id, signature }) => [lower(address), nonce, id, signature.yParity, BigInt(signature.r)]));
}

async function viem() {
  for (const transport of [http(urls.http), http(urls.http, { batch: true }), webSocket(urls.ws)]) {
    const client = createPublicClient({ transport, pollingInterval: 50, cacheTime: 0 });
    assert.equal(await client.getChainId(), Number(chainId));
    const head = Number(await client.getBlockNumber());
    for (let number = 0; number <= head; ++number) {
      const block = await client.getBlock({ blockNumber: BigInt(number), includeTransactions: true });
      assert.equal(block.hash, chain[number].line.hash);
      assert.equal(block.transactions.length, chain[number].transactions.length);
      assert.equal(await client.getBlockTransactionCount({ blockNumber: BigInt(number) }), chain[number].transactions.length);
    }
    await Promise.all([...transactionsIn(0, head + 1)].map(async (place) => {
      const { signed: { hash }, number, index } = place;
      const found = await client.getTransaction({ hash });
      checkOfViem(found, place);
      assert.deepEqual(await client.getTransaction({ blockNumber: BigInt(number), index }), found);
      assert.deepEqual(await client.getTransaction({ blockHash: chain[number].line.hash, index }), found);
      const block = await client.getBlock({ blockHash: chain[number].line.hash, includeTransactions: true });
      assert.deepEqual(block.transactions[index], found);
      const receipt = await client.getTransactionReceipt({ hash });
      checkReceipt(receipt, place);
      assert.equal(receipt.effectiveGasPrice, priceOf(place.signed));
      assert.equal(receipt.status, Number(place.receipt.status) ? "success" : "reverted");
      assert.equal(await client.getTransactionConfirmations({ hash }), BigInt(head - number + 1));
    }));
    const logs = await client.getLogs({ fromBlock: 0n, toBlock: BigInt(head) });
    assert.deepEqual(logs.map(bare), logsIn(0, head + 1).map(bare));
    await assert.rejects(client.getTransaction({ hash: "0x" + "77".repeat(32) }), { name: "TransactionNotFoundError" });
    await assert.rejects(client.getTransactionReceipt({ hash: "0x" + "77".repeat(32) }), { name: "TransactionReceiptNotFoundError" });
    await assert.rejects(client.getBlock({ blockTag: "finalized" }));
  }
}

// The rest of the blocks comes while two clients watch, one polling and one subscribed.
async function viemLive() {
  const clients = [http(urls.http), webSocket(urls.ws)].map((transport) => createPublicClient({ transport, pollingInterval: 50, cacheTime: 0 }));
  const seen = clients.map(() => ({ logs: [], numbers: [] }));
  const ends = clients.flatMap((client, i) => [
    client.watchEvent({ onLogs: (logs) => seen[i].logs.push(...logs) }),
    client.watchBlockNumber({ onBlockNumber: (number) => seen[i].numbers.push(Number(number)), emitMissed: true }),
  ]);
  const filter = await clients[0].createEventFilter();
  const waited = clients.map((client) => client.waitForTransactionReceipt({ hash: late.signed.hash, timeout: 60_000 }));
  await new Promise((resolve) => setTimeout(resolve, 500));  // filters and subscriptions are there
  console.log("ready");
  for (const receipt of await Promise.all(waited)) checkReceipt(receipt, late);
  const expected = logsIn(Number(served), Number(all)).map(bare);
  for (const { logs, numbers } of seen) {
    await until(() => logs.length >= expected.length && numbers.at(-1) === Number(all) - 1, "what is watched");
    assert.deepEqual(logs.map(bare), expected);
  }
  assert.deepEqual((await clients[0].getFilterChanges({ filter })).map(bare), expected);
  ends.forEach((end) => end());
}

// The chain that go-ethereum made, and signed: what viem is given hashes, for ethers, to what the server says.
async function goldenChain() {
  const client = createPublicClient({ transport: http(urls.http, { batch: true }) });
  const head = Number(await client.getBlockNumber());
  assert.equal(head, 700);
  let transactions = 0;
  for (let number = 1; number <= head; number += 5) {
    const block = await client.getBlock({ blockNumber: BigInt(number), includeTransactions: true });
    const logs = await client.getLogs({ blockHash: block.hash });
    for (const one of block.transactions) {
      const { nonce, gasPrice, gas, to, value, input, r, s, v } = one;
      const serialized = serializeTransaction({ type: "legacy", nonce, gasPrice, gas, to, value, data: input }, { r, s, v });
      const parsed = Transaction.from(serialized);
      assert.equal(parsed.hash, one.hash);
      assert.equal(parsed.from, getAddress(one.from));
      const receipt = await client.getTransactionReceipt({ hash: one.hash });
      assert.deepEqual(receipt.logs.map(bare), logs.filter(({ transactionHash }) => transactionHash === one.hash).map(bare));
      assert.equal(lower(receipt.from), lower(one.from));
      ++transactions;
    }
  }
  assert.ok(transactions > 100, `${transactions} transactions`);
}

// ---- web3.js

async function web3() {
  for (const url of [urls.http, urls.ws]) {
    const web3 = new Web3(url);
    assert.equal(await web3.eth.getChainId(), chainId);
    const head = Number(await web3.eth.getBlockNumber());
    for (const place of transactionsIn(0, head + 1)) {
      const { signed: { hash }, number, index } = place;
      const found = await web3.eth.getTransaction(hash);
      checkTransaction(found, place);
      assert.equal(Number(found.type), place.signed.type);
      assert.deepEqual(await web3.eth.getTransactionFromBlock(number, index), found);
      const receipt = await web3.eth.getTransactionReceipt(hash);
      checkReceipt(receipt, place);
      assert.equal(receipt.effectiveGasPrice, priceOf(place.signed));
    }
    const block = await web3.eth.getBlock(head, true);
    assert.deepEqual(block.transactions.map(({ hash }) => hash), chain[head].transactions.map(({ hash }) => hash));
    assert.equal(await web3.eth.getBlockTransactionCount(head), BigInt(chain[head].transactions.length));
    const logs = await web3.eth.getPastLogs({ fromBlock: 0, toBlock: head });
    assert.deepEqual(logs.map(bare), logsIn(0, head + 1).map(bare));
    await assert.rejects(web3.eth.getTransaction("0x" + "77".repeat(32)), /not found/i);
    if (url === urls.ws) web3.provider.disconnect();
  }
}
async function web3Live() {
  const web3 = new Web3(urls.ws);
  const seen = [];
  const subscription = await web3.eth.subscribe("logs", {});
  subscription.on("data", (log) => seen.push(bare(log)));
  const heads = await web3.eth.subscribe("newHeads");
  const numbers = [];
  heads.on("data", ({ number }) => numbers.push(Number(number)));
  console.log("ready");
  await until(() => numbers.at(-1) === Number(all) - 1, "the last head");
  const expected = logsIn(Number(served), Number(all)).map(bare);
  await until(() => seen.length >= expected.length, "logs of the subscription");
  assert.deepEqual(seen, expected);
  checkReceipt(await web3.eth.getTransactionReceipt(late.signed.hash), late);
  await subscription.unsubscribe();
  web3.provider.disconnect();
}

// ---- ethers

async function ethers() {
  for (const provider of [new JsonRpcProvider(urls.http), new WebSocketProvider(urls.ws)]) {
    const head = await provider.getBlockNumber();
    for (const place of transactionsIn(0, head + 1)) {
      const { signed, number, index } = place;
      const found = await provider.getTransaction(signed.hash);
      checkTransaction(found, place);
      assert.equal(found.index, index);
      assert.equal(found.data, signed.data);
      assert.equal(found.signature.r, signed.signature.r);
      assert.equal(found.signature.yParity, signed.signature.yParity);
      checkReceipt(await provider.getTransactionReceipt(signed.hash), place);
      const block = await provider.getBlock(number, true);
      assert.equal(block.prefetchedTransactions[index].from, getAddress(senders.get(signed.hash).from));
    }
    assert.equal(await provider.getTransaction("0x" + "77".repeat(32)), null);
    await provider.destroy();
  }
}
async function ethersLive() {
  const provider = new JsonRpcProvider(urls.http, undefined, { cacheTimeout: -1 });
  provider.pollingInterval = 50;
  // Of blocks that come together it looks at the first only, so it waits for a transaction of that one.
  const waited = provider.waitForTransaction(early.signed.hash, 1, 60_000);
  await new Promise((resolve) => setTimeout(resolve, 500));  // it has polled once: it waits for blocks after that
  console.log("ready");
  checkReceipt(await waited, early);
  provider.destroy();
}

// ---- ponder: its loop of a request that is too large, by the errors of the server

async function ponder() {
  const client = createPublicClient({ transport: http(urls.http, { retryCount: 0 }) });
  const head = Number(all) - 1;
  const expected = logsIn(0, head + 1).map(bare);
  let refused = 0;
  const load = async (params) => {
    try {
      return await client.request({ method: "eth_getLogs", params });
    } catch (error) {
      const { shouldRetry, ranges } = getLogsRetryHelper({ params, error });
      assert.ok(shouldRetry, error.details ?? error.message);
      ++refused;
      return (await Promise.all(ranges.map((range) => load([{ ...params[0], ...range }])))).flat();
    }
  };
  const logs = await load([{ fromBlock: "0x0", toBlock: "0x" + head.toString(16) }]);
  assert.deepEqual(logs.map(bare), expected);
  assert.ok(refused >= 2, `only ${refused} requests were refused`);
}

await { viem, viemLive, goldenChain, web3, web3Live, ethers, ethersLive, ponder }[part]();
console.log(`${part}: ok`);
process.exit(0);
