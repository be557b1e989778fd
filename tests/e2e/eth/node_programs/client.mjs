// What a developer does with a node of their own, step by step: deploys a contract that solc compiled, calls it so that it
// emits events, and asks the node for its logs with ethers. usage: node client.mjs STEP URL [ARGUMENT...]
import fs from 'node:fs';
import { Contract, ContractFactory, EventFragment, Interface, JsonRpcProvider, hexlify, toUtf8Bytes } from 'ethers';

const [step, url, ...rest] = process.argv.slice(2);

async function compiled() {
  const { default: solc } = await import('solc');
  const input = {
    language: 'Solidity',
    sources: { 'Events.sol': { content: fs.readFileSync('Events.sol', 'utf8') } },
    // The oldest machine that both nodes run, so that one bytecode serves both.
    settings: { evmVersion: 'london', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((one) => one.severity === 'error');
  if (errors.length > 0) throw new Error(errors.map((one) => one.formattedMessage).join('\n'));
  const contract = output.contracts['Events.sol'].Events;
  return { abi: contract.abi, bytecode: contract.evm.bytecode.object };
}

function connected() {
  // Answers are not kept: a test asks again within the second that ethers would keep them.
  return new JsonRpcProvider(url, undefined, { staticNetwork: true, cacheTimeout: -1, pollingInterval: 50 });
}

async function deploy(provider) {
  const { abi, bytecode } = await compiled();
  fs.writeFileSync('Events.json', JSON.stringify(abi));
  const contract = await new ContractFactory(abi, bytecode, await provider.getSigner(0)).deploy();
  await contract.waitForDeployment();
  return contract.getAddress();
}

// Transactions of every type that the node's own accounts can send, one block each, or as the node makes them.
async function emit(provider, address, first, count) {
  const abi = JSON.parse(fs.readFileSync('Events.json', 'utf8'));
  const contract = new Contract(address, abi, await provider.getSigner(1));
  const hashes = [];
  const fees = await provider.getFeeData();
  const price = (fees.maxFeePerGas ?? fees.gasPrice) * 2n;
  for (let i = Number(first); i < Number(first) + Number(count); ++i) {
    const text = 'text '.repeat(i % 9);
    const kinds = [
      { type: 0, gasPrice: price },
      { type: 1, gasPrice: price, accessList: [{ address, storageKeys: ['0x' + '00'.repeat(31) + '07'] }] },
      { type: 2, maxFeePerGas: price, maxPriorityFeePerGas: 1n },
    ];
    const options = { ...kinds[i % 3], gasLimit: 1_000_000n };
    const sent = await contract.all(i * 7919, text, hexlify(toUtf8Bytes(text)), options);
    const second = await contract.transfer('0x' + (i + 1).toString(16).padStart(40, '0'), 10n ** BigInt(i % 30), options);
    await (await contract.none(options)).wait();
    // Estimated gas would be refused: the call fails, and its log must not be there.
    await (await contract.fail(options)).wait().catch(() => {});
    hashes.push(sent.hash, second.hash);
  }
  return hashes;
}

async function logs(provider) {
  const found = await provider.getLogs({ fromBlock: 0, toBlock: 'latest' });
  return found.map((log) => ({
    address: log.address.toLowerCase(), topics: log.topics, data: log.data, blockNumber: log.blockNumber,
    blockHash: log.blockHash, transactionHash: log.transactionHash, transactionIndex: log.transactionIndex,
    logIndex: log.index,
  }));
}

// As Solidity declares them: of a JSON ABI, ethers 6.17 forgets that an array is indexed.
const EVENTS = [
  'Transfer(address indexed from, address indexed to, uint256 value)',
  'Values(bool indexed flag, int8 indexed small, bytes4 indexed selector, address who, uint256 number, bytes32 word)',
  'Dynamic(string indexed name, bytes indexed blob, uint256[] indexed list, string text, bytes data, int256[] numbers)',
  'Nested((int64 x, uint32 y) point, (int64 x, uint32 y)[] points, string[2] texts, bytes1[] letters)',
  'Nothing()',
].map((text) => EventFragment.from('event ' + text));
const ANONYMOUS = [
  'Named(string indexed name, string text)',
  'Bare(uint256 a, bytes b)',
  'Four(uint256 indexed a, uint256 indexed b, uint256 indexed c, uint256 indexed d)',
].map((text) => EventFragment.from('event ' + text));

// A value as `eth logs` writes it.
function printed(type, value) {
  if (value?._isIndexed) return { hash: value.hash };
  if (type.isArray()) return Array.from(value, (item) => printed(type.arrayChildren, item));
  if (type.isTuple()) return Object.fromEntries(type.components.map((part, i) => [part.name, printed(part, value[i])]));
  const bits = /^u?int(\d+)$/.exec(type.type);
  if (bits) return Number(bits[1]) <= 48 ? Number(value) : String(value);
  return type.type === 'address' ? value.toLowerCase() : value;
}

// The events of a contract, decoded by ethers; an anonymous one is known by the number of its topics.
async function decoded(provider, address) {
  const found = await provider.getLogs({ address, fromBlock: 0, toBlock: 'latest' });
  return found.map(({ topics, data, blockNumber, index }) => {
    const named = EVENTS.find((event) => event.topicHash === topics[0]);
    const event = named ?? ANONYMOUS.find((one) => one.inputs.filter((input) => input.indexed).length === topics.length);
    const values = new Interface([event]).decodeEventLog(event, data, named ? topics : [event.topicHash, ...topics]);
    return { blockNumber, logIndex: index, eventName: event.name,
      args: Object.fromEntries(event.inputs.map((input, i) => [input.name, printed(input, values[i])])) };
  });
}

const steps = { deploy, emit, logs, decoded };
const provider = connected();
console.log(JSON.stringify(await steps[step](provider, ...rest)));
provider.destroy();
