// Random events and logs of them, decoded by ethers. Writes cases.jsonl (an event and a log a line) and expected.jsonl
// (its arguments as bloomery writes them, or an error). Usage: abi.mjs SEED SIGNATURES
import { writeFileSync } from 'node:fs'
import { AbiCoder, EventFragment, Interface } from 'ethers'

const [seed, signatures] = process.argv.slice(2).map(Number)
let state = BigInt(seed) * 2862933555777941757n + 3037000493n
function random() {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn
  return Number(state >> 33n)
}
const below = most => random() % most
const chance = percent => below(100) < percent
const pick = list => list[below(list.length)]
const hex = bytes => '0x' + Array.from({ length: bytes }, () => below(256).toString(16).padStart(2, '0')).join('')
const coder = AbiCoder.defaultAbiCoder()

// ---- types: { text, kind, bits | size, item, length, members }
const NAMES = ['', 'from', 'to', 'value', 'id', 'owner', 'x', 'y', 'data', '_a', '$b', 'tokenURI', 'arg0', 'value']
function elementary() {
  switch (below(8)) {
    case 0: return { text: 'address', kind: 'address' }
    case 1: return { text: 'bool', kind: 'bool' }
    case 2: return { text: 'string', kind: 'string' }
    case 3: return { text: 'bytes', kind: 'bytes' }
    case 4: { const size = 1 + below(32); return { text: `bytes${size}`, kind: 'fixed', size } }
    case 5: { const bits = 8 * (1 + below(32)); return { text: `int${bits}`, kind: 'int', bits } }
    case 6: return pick([{ text: 'uint', kind: 'uint', bits: 256 }, { text: 'int', kind: 'int', bits: 256 }])
    default: { const bits = 8 * (1 + below(32)); return { text: `uint${bits}`, kind: 'uint', bits } }
  }
}
function type(depth) {
  if (depth > 0 && chance(18)) {
    const item = type(depth - 1)
    const length = chance(40) ? 1 + below(3) : null
    return { text: `${item.text}[${length ?? ''}]`, kind: 'array', item, length }
  }
  if (depth > 0 && chance(16)) {
    const members = parameters(1 + below(4), depth - 1)
    return { text: `${chance(50) ? 'tuple' : ''}(${members.map(({ type, name }) => `${type.text} ${name}`.trim()).join(pick([', ', ',']))})`,
      kind: 'tuple', members }
  }
  return elementary()
}
const parameters = (count, depth) => Array.from({ length: count }, () => ({ type: type(depth), name: pick(NAMES) }))
function jsonInput({ type, name }) {
  let base = type
  while (base.kind === 'array') base = base.item
  if (base.kind !== 'tuple') return { name, type: type.text }
  let suffix = ''
  for (let outer = type; outer.kind === 'array'; outer = outer.item) suffix = `[${outer.length ?? ''}]` + suffix
  return { name, type: 'tuple' + suffix, components: base.members.map(jsonInput) }
}
const isDynamic = type => ['string', 'bytes', 'array', 'tuple'].includes(type.kind)

// ---- values, as ethers takes them
function integer({ kind, bits }) {
  const size = BigInt(bits)
  const most = kind === 'uint' ? (1n << size) - 1n : (1n << (size - 1n)) - 1n
  const least = kind === 'uint' ? 0n : -(1n << (size - 1n))
  const any = BigInt(hex(32)) >> BigInt(below(256))
  switch (below(6)) {
    case 0: return most
    case 1: return least
    case 2: return 0n
    default: return kind === 'uint' ? BigInt.asUintN(bits, any) : BigInt.asIntN(bits, any)
  }
}
const TEXTS = ['', 'a', 'Wien', 'Łódź 東京', '🌸'.repeat(9), 'quote " and \\ and \n', 'x'.repeat(64), '\u0000\u001f', 'null']
function value(type) {
  switch (type.kind) {
    case 'address': return hex(20)
    case 'bool': return chance(50)
    case 'string': return pick(TEXTS)
    case 'bytes': return hex(pick([0, 1, 31, 32, 33, 100]))
    case 'fixed': return hex(type.size)
    case 'uint': case 'int': return integer(type)
    case 'array': return Array.from({ length: type.length ?? below(4) }, () => value(type.item))
    default: return type.members.map(member => value(member.type))
  }
}

// ---- what bloomery prints
function writtenNames(list) {
  const names = []
  for (const { name } of list) {
    let written = name === '' ? `arg${names.length}` : name
    while (names.includes(written)) written += '_'
    names.push(written)
  }
  return names
}
function printed(type, decoded) {
  switch (type.kind) {
    case 'address': return decoded.toLowerCase()
    case 'uint': case 'int': return type.bits <= 48 ? Number(decoded) : String(decoded)
    case 'array': return Array.from({ length: decoded.length }, (_, i) => printed(type.item, decoded[i]))
    case 'tuple': return printedObject(type.members, i => decoded[i])
    default: return decoded
  }
}
function printedObject(list, at, indexed = []) {
  return '{' + writtenNames(list).map((name, i) => JSON.stringify(name) + ':' + (indexed[i] && isDynamic(list[i].type)
    ? JSON.stringify({ hash: at(i).hash }) : text(printed(list[i].type, at(i))))).join(',') + '}'
}
// A tuple is a text already: an object would put members with digits as names first.
const text = value => Array.isArray(value) ? `[${value.map(text).join(',')}]`
  : typeof value === 'string' && value.startsWith('{"') ? value : JSON.stringify(value)

// ---- data that are not as they should be
const word = () => pick([0n, 1n, 32n, 31n, 64n, 1n << 255n, (1n << 256n) - 1n, 1n << 64n, (1n << 53n), 0x1000000n, BigInt(below(400))])
  .toString(16).padStart(64, '0')
function mutated(data) {
  const bytes = data.slice(2)
  const at = 64 * below(Math.max(1, bytes.length / 64))
  switch (below(6)) {
    case 0: return '0x' + bytes.slice(0, 2 * below(bytes.length / 2 + 1))
    case 1: return '0x' + bytes + hex(below(70)).slice(2)
    case 2: case 3: return '0x' + bytes.slice(0, at) + word() + bytes.slice(at + 64)
    case 4: return '0x' + bytes.slice(0, at) + bytes.slice(at + 64)
    default: {
      const place = 2 * below(Math.max(1, bytes.length / 2))
      return '0x' + bytes.slice(0, place) + hex(1).slice(2) + bytes.slice(place + 2)
    }
  }
}

const cases = []
const expected = []
function add(list, indexed, anonymous, fragment, declaration, topics, data, how) {
  let args
  try {
    const decoded = new Interface([fragment]).decodeEventLog(fragment, data, topics)
    args = printedObject(list, i => decoded[i], indexed)
  } catch (error) {
    args = null
  }
  const own = anonymous ? topics.slice(1) : topics
  cases.push(JSON.stringify({ [declaration.startsWith('{') ? 'abi' : 'event']: declaration, topics: own, data }))
  expected.push(JSON.stringify({ args, how, topic: fragment.topicHash }))
}

for (let i = 0; i < signatures; ++i) {
  const list = parameters(below(7), 3)
  const anonymous = chance(10)
  let left = anonymous ? 4 : 3
  const indexed = list.map(() => left > 0 && chance(35) && left-- > 0)
  const name = pick(['Transfer', 'E', '_x', '$y9', 'Approval'])
  const source = `${name}(${list.map(({ type, name }, at) =>
    `${type.text}${indexed[at] ? ' indexed' : ''} ${name}`.trim()).join(', ')})`
  // ethers 6.17 reads no "anonymous" and forgets in JSON that an array is indexed: it gets the event with its hash.
  const fragment = EventFragment.from('event ' + source)
  const values = list.map(({ type }) => value(type))
  const plain = list.map((_, at) => at).filter(at => !indexed[at])
  const data = coder.encode(plain.map(at => fragment.inputs[at]), plain.map(at => values[at]))
  const topics = [fragment.topicHash]
  list.forEach(({ type }, at) => {
    if (indexed[at]) topics.push(isDynamic(type) ? hex(32) : coder.encode([fragment.inputs[at]], [values[at]]))
  })
  const declaration = chance(50) ? `${chance(50) ? 'event ' : ''}${source}${anonymous ? ' anonymous' : ''}${chance(20) ? ';' : ''}`
    : JSON.stringify({ type: 'event', name, anonymous, inputs: list.map((one, at) => ({ ...jsonInput(one), indexed: indexed[at] })) })
  add(list, indexed, anonymous, fragment, declaration, topics, data, 'good')
  if (i % 3 === 0 && data.length > 2)
    for (let k = 0; k < 3; ++k) add(list, indexed, anonymous, fragment, declaration, topics, mutated(data), 'mutated')
  const own = topics.findIndex((topic, at) => at > 0)
  if (i % 9 === 0 && own > 0)
    add(list, indexed, anonymous, fragment, declaration, topics.with?.(own, hex(32)) ?? topics.map((t, at) => at === own ? hex(32) : t), data, 'topic')
}
writeFileSync('cases.jsonl', cases.join('\n') + '\n')
writeFileSync('expected.jsonl', expected.join('\n') + '\n')
console.log(`${signatures} signatures, ${cases.length} logs`)
