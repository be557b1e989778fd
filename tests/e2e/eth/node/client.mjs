// What a program with ethers does with the server: asks for logs, polls filters, subscribes.
// Arguments: a part, the server's port, and what that part needs. A line "ready" on stdout asks for new blocks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Contract, JsonRpcProvider, WebSocketProvider, getAddress, keccak256, toUtf8Bytes } from "ethers";

const [part, port, ...more] = process.argv.slice(2);
const http = `http://127.0.0.1:${port}`;

// What ethers makes of a log of the wire.
const shown = (log) => ({
  address: getAddress(log.address), topics: log.topics, data: log.data, blockNumber: Number(log.blockNumber),
  transactionHash: log.transactionHash, transactionIndex: Number(log.transactionIndex), blockHash: log.blockHash,
  index: Number(log.logIndex), removed: log.removed,
});
const plain = ({ address, topics, data, blockNumber, transactionHash, transactionIndex, blockHash, index, removed }) =>
  ({ address, topics: [...topics], data, blockNumber, transactionHash, transactionIndex, blockHash, index, removed });
const once = (logs) => [...new Map(logs.map((log) => [`${log.blockHash} ${log.index}`, log])).values()];
const inOrder = (logs) => [...logs].sort((a, b) => a.blockNumber - b.blockNumber || a.index - b.index);

// The answers of go-ethereum itself, byte for byte, and through every layer of ethers.
async function golden(provider, path) {
  const { queries } = JSON.parse(readFileSync(path, "utf8"));
  for (const { params, n, first, result_keccak, result } of queries) {
    const logs = await provider.send("eth_getLogs", [params]);
    assert.equal(logs.length, n, JSON.stringify(params));
    assert.equal(keccak256(toUtf8Bytes(JSON.stringify(logs))), result_keccak, JSON.stringify(params));
    if (result) assert.deepEqual(logs, result);
    else if (first) assert.deepEqual(logs[0], first);
    const through = await provider.getLogs(params);
    assert.deepEqual(through.map(plain), logs.map(shown), JSON.stringify(params));
  }
  return queries.length;
}

const collected = (source, filter) => {
  const logs = [];
  source.on(filter, (log) => logs.push(plain(log)));
  return logs;
};

async function until(condition, what) {
  for (let i = 0; i < 600; ++i) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what} did not come`);
}

// New blocks arrive while three providers watch, each in its own way: a polled filter (eth_newFilter), polled
// eth_getLogs, and a subscription.
async function live(path, from, to, address, topic) {
  const filters = new JsonRpcProvider(http, undefined, { cacheTimeout: -1 });
  const polls = new JsonRpcProvider(http, undefined, { cacheTimeout: -1, polling: true });
  const socket = new WebSocketProvider(`ws://127.0.0.1:${port}`);
  filters.pollingInterval = polls.pollingInterval = 50;
  assert.equal(await filters.getBlockNumber(), Number(from) - 1);

  const byAddress = { address };
  const byTopic = { topics: [topic] };
  const seen = {
    filter: collected(filters, byAddress), poll: collected(polls, byAddress),
    everything: collected(socket, { topics: [] }), address: collected(socket, byAddress), topic: collected(socket, byTopic),
  };
  const heads = [];
  socket.on("block", (number) => heads.push(number));
  // Two of their own, so that it is known when they are there: ethers makes its own some time later.
  const filterId = await filters.send("eth_newFilter", [byAddress]);
  const blockFilterId = await filters.send("eth_newBlockFilter", []);
  assert.deepEqual(await filters.send("eth_getFilterChanges", [filterId]), []);
  await socket.send("eth_chainId", []);
  await new Promise((resolve) => setTimeout(resolve, 300));  // ethers has subscribed and polled once
  console.log("ready");

  await until(() => heads.at(-1) === Number(to), "the last head");
  const range = { fromBlock: Number(from), toBlock: Number(to) };
  const expected = async (filter) => (await filters.getLogs({ ...filter, ...range })).map(plain);
  const all = { everything: await expected({}), address: await expected(byAddress), topic: await expected(byTopic) };
  assert.ok(all.address.length > 0 && all.topic.length > 0 && all.everything.length > all.address.length);
  for (const name of ["everything", "address", "topic"]) {
    await until(() => seen[name].length >= all[name].length, `logs of the subscription to ${name}`);
    assert.deepEqual(seen[name], all[name], name);
  }
  await until(() => seen.filter.length >= all.address.length, "logs of the filter");
  assert.deepEqual(inOrder(seen.filter), all.address, "filter");
  // For blocks that come together ethers asks once each, from the same block on: it tells some logs twice.
  await until(() => inOrder(once(seen.poll)).length >= all.address.length, "logs of the poll");
  assert.deepEqual(inOrder(once(seen.poll)), all.address, "poll");
  assert.deepEqual(heads, Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i));

  const changes = await filters.send("eth_getFilterChanges", [filterId]);
  assert.deepEqual(changes.map(shown), all.address);
  assert.deepEqual(await filters.send("eth_getFilterChanges", [filterId]), []);
  const hashes = await filters.send("eth_getFilterChanges", [blockFilterId]);
  assert.equal(hashes.length, heads.length);
  assert.equal(await filters.send("eth_uninstallFilter", [filterId]), true);
  assert.equal(await filters.send("eth_uninstallFilter", [filterId]), false);
  await assert.rejects(filters.send("eth_getFilterChanges", [filterId]), /filter not found/);

  // The same answers over the WebSocket; and no more news once no client listens.
  await socket.removeAllListeners();
  assert.equal(await golden(socket, path), await golden(filters, path));
  await Promise.all([filters.destroy(), polls.destroy(), socket.destroy()]);
}

// Every query at once, joined into batches by ethers, on few connections.
async function batches(path) {
  const provider = new JsonRpcProvider(http, undefined, { batchMaxCount: 100, batchStallTime: 20, cacheTimeout: -1 });
  const { queries } = JSON.parse(readFileSync(path, "utf8"));
  const answers = await Promise.all(queries.map(({ params }) => provider.getLogs(params)));
  assert.deepEqual(answers.map((logs) => logs.length), queries.map(({ n }) => n));
  await assert.rejects(provider.send("eth_noSuchMethod", []), /does not exist\/is not available/);
  await assert.rejects(provider.getLogs({ fromBlock: 10, toBlock: 5 }), /invalid block range params/);
  provider.destroy();
}

// A real block of the main chain: its logs, decoded by an interface that everybody knows.
async function contract(block, address, transfers) {
  const provider = new JsonRpcProvider(http, undefined, { cacheTimeout: -1 });
  const token = new Contract(address, ["event Transfer(address indexed from, address indexed to, uint256 value)"], provider);
  const events = await token.queryFilter("Transfer", Number(block), Number(block));
  assert.equal(events.length, Number(transfers));
  const [{ args, eventName }] = events;
  assert.equal(eventName, "Transfer");
  assert.ok(args.value > 0n);
  const mine = await token.queryFilter(token.filters.Transfer(args.from), Number(block), Number(block));
  assert.ok(mine.length >= 1 && mine.every((event) => event.args.from === args.from));
  assert.equal(mine.length, events.filter((event) => event.args.from === args.from).length);
  provider.destroy();
}

await { live, batches, contract }[part](...more);
console.log(`${part}: ok`);
