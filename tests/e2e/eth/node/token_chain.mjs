// Writes tests/golden/ethereum/token_blocks.jsonl: twelve blocks with events of tokens, each in one transaction, as a node
// gives them. Hashes, roots and blooms are made here, by ethers' functions, and not by bloomery.
// token_chain.mjs PARTS…: the same blocks again and again, in parts FIRST-LAST:SALT, each on the block before its first one in
// the parts before it: 0-20:0 15-30:1 is a chain of which a reorganisation replaces the blocks from 15 on.
import { Interface, Transaction, Wallet, encodeRlp, getBytes, hexlify, id, keccak256, toBeHex, AbiCoder } from 'ethers'

const COIN = '0xc011c011c011c011c011c011c011c011c011c011'
const ART = '0xa27aa27aa27aa27aa27aa27aa27aa27aa27aa27a'
const SHOP = '0x5409540954095409540954095409540954095409'
const ODD = '0x0dd00dd00dd00dd00dd00dd00dd00dd00dd00dd0'
const [ALICE, BOB, CAROL] = ['a1', 'b0', 'ca'].map(pair => '0x' + pair.repeat(20))
const NOBODY = '0x' + '00'.repeat(20)

const coin = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)'])
const art = new Interface(['event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)'])
const sale = 'event Sale(string indexed shop, string note, (uint32 id, bytes data)[] items, int64 change, bool paid)'
const shop = new Interface([sale])
const log = (address, from, name, values) => ({ address, ...from.encodeEventLog(name, values) })
const transfer = (from, to, value) => log(COIN, coin, 'Transfer', [from, to, value])
const words = text => AbiCoder.defaultAbiCoder().encode(['string'], [text])

const BLOCKS = [
  [],
  [transfer(NOBODY, ALICE, 10n ** 24n)],
  [transfer(ALICE, BOB, 1500n), transfer(ALICE, CAROL, 2n ** 53n), log(COIN, coin, 'Approval', [BOB, CAROL, 2n ** 256n - 1n])],
  [log(ART, art, 'Transfer', [NOBODY, BOB, 7])],
  [],
  [log(SHOP, shop, 'Sale', ['Wien', 'two, please', [[1, '0x0102'], [2, '0x']], -5, true])],
  [transfer(BOB, CAROL, 250n), log(ART, art, 'Transfer', [BOB, ALICE, 7])],
  // The event of a coin whose data are cut off, and an anonymous one.
  [{ ...transfer(CAROL, ALICE, 1n), address: ODD, data: '0x00ff' }, { address: ODD, topics: [id('seen')], data: words('"quoted"\nline') }],
  [transfer(CAROL, BOB, 1n)],
  [log(SHOP, shop, 'Sale', ['Graz', '', [], 2n ** 63n - 1n, false])],
  [log(COIN, coin, 'Approval', [ALICE, BOB, 0])],
  [transfer(BOB, ALICE, 999n), transfer(BOB, NOBODY, 1n)],
]

const number = value => value === 0n || value === 0 ? '0x' : toBeHex(value)
const leafRoot = value => keccak256(encodeRlp(['0x2080', value]))
const EMPTY_ROOT = keccak256('0x80')
const NO_UNCLES = keccak256(encodeRlp([]))

function bloomOf(logs) {
  const bloom = new Uint8Array(256)
  for (const { address, topics } of logs)
    for (const key of [address, ...topics]) {
      const hash = getBytes(keccak256(key))
      for (const at of [0, 2, 4]) {
        const bit = ((hash[at] << 8) | hash[at + 1]) & 2047
        bloom[255 - (bit >> 3)] |= 1 << (bit & 7)
      }
    }
  return hexlify(bloom)
}

const quantity = value => '0x' + BigInt(value).toString(16)
const wallet = new Wallet('0x' + '11'.repeat(32))
const hashes = new Map([[-1, '0x' + '00'.repeat(32)]])
function write(height, salt) {
  // With a salt, some blocks have other logs, and all have other hashes.
  const logs = BLOCKS[(height + 5 * salt) % BLOCKS.length]
  const parentHash = hashes.get(height - 1)
  let raw = null
  if (logs.length > 0) {
    const transaction = Transaction.from({ type: 0, chainId: 1, nonce: height, gasPrice: 10, gasLimit: 100000, to: COIN, value: 0, data: '0x' })
    transaction.signature = wallet.signingKey.sign(transaction.unsignedHash)
    raw = transaction.serialized
  }
  const bloom = bloomOf(logs)
  const receipt = raw && encodeRlp(['0x01', number(60000), bloom, logs.map(({ address, topics, data }) => [address, topics, data])])
  const block = {
    parentHash, sha3Uncles: NO_UNCLES, miner: ALICE, stateRoot: keccak256('0x00'), transactionsRoot: raw ? leafRoot(raw) : EMPTY_ROOT,
    receiptsRoot: raw ? leafRoot(receipt) : EMPTY_ROOT, logsBloom: bloom, difficulty: '0x1', number: quantity(height), gasLimit: quantity(30000000),
    gasUsed: quantity(raw ? 60000 : 0), timestamp: quantity(1700000000 + 12 * height), extraData: salt === 0 ? '0x' : toBeHex(salt),
    mixHash: '0x' + '00'.repeat(32), nonce: '0x' + '00'.repeat(8),
  }
  const QUANTITIES = ['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp']
  const header = encodeRlp(Object.entries(block).map(([name, value]) => QUANTITIES.includes(name) ? number(BigInt(value)) : value))
  const hash = keccak256(header)
  const transactionHash = raw && keccak256(raw)
  const place = { blockHash: hash, blockNumber: block.number, transactionHash, transactionIndex: '0x0' }
  const receipts = raw ? [{ type: '0x0', status: '0x1', cumulativeGasUsed: quantity(60000), gasUsed: quantity(60000), logsBloom: bloom, ...place,
    logs: logs.map((one, at) => ({ ...one, ...place, logIndex: quantity(at), removed: false })) }] : []
  const body = encodeRlp([raw ? [decoded(raw)] : [], []])
  console.log(JSON.stringify({ block: { hash, ...block, transactions: raw ? [transactionHash] : [] , bodyRlp: body }, receipts }))
  hashes.set(height, hash)
}
function decoded(raw) {
  const { nonce, gasPrice, gasLimit, to, signature } = Transaction.from(raw)
  const trimmed = hex => '0x' + (BigInt(hex) === 0n ? '' : toBeHex(BigInt(hex)).slice(2))
  return [number(nonce), number(gasPrice), number(gasLimit), to.toLowerCase(), '0x', '0x', number(BigInt(signature.yParity) + 37n), trimmed(signature.r),
    trimmed(signature.s)]
}

const parts = process.argv.length > 2 ? process.argv.slice(2) : ['0-11:0']
for (const part of parts) {
  const [first, last, salt] = part.split(/[-:]/).map(Number)
  for (let height = first; height <= last; ++height) write(height, salt)
}
