// Writes Parquet files with three writers, in every encoding and codec they offer, and expected.json:
// for each file and column the values that were written, nulls left out, as base64.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import zlib from 'node:zlib'
import { createRequire } from 'node:module'
import { parquetWriteBuffer } from 'hyparquet-writer'
import * as arrow from 'apache-arrow'
import wasm from 'parquet-wasm/node'

const parquetjs = createRequire(import.meta.url)('@dsnp/parquetjs')
const folder = process.argv[2]
const expected = []

const text = value => Buffer.from(String(value))
function expect(file, column, values, how) {
  const present = values.flat(Infinity).filter(value => value !== null && value !== undefined)
  const bytes = present.map(value => Buffer.from(value instanceof Uint8Array ? value : text(value)).toString('base64'))
  expected.push({ file, column, how, nulls: values.length - present.length, values: bytes })
}

// A generator of fixed numbers, so that a failure can be repeated.
let state = 12345n
function random() {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn
  return state >> 11n
}
const ROWS = 3001
const rows = make => Array.from({ length: ROWS }, (_, i) => make(i))
const withNulls = values => values.map((value, i) => i % 7 === 3 || (i > 900 && i < 1300) ? null : value)
const int64 = rows(i => i === 5 ? -(2n ** 63n) : i === 6 ? 2n ** 63n - 1n : BigInt.asIntN(64, random() * random()))
const steps = rows(i => 1_700_000_000_000n + BigInt(i) * 250n + (random() & 15n))
const int32 = rows(i => i === 2 ? -2147483648 : i === 3 ? 2147483647 : Number(BigInt.asIntN(32, random())))
const uint32 = rows(i => i === 2 ? 4294967295 : Number(BigInt.asUintN(32, random())))
const uint64 = rows(i => i === 2 ? 18446744073709551615n : BigInt.asUintN(64, random() * random()))
const few = rows(i => ['', 'Wien', 'Zürich', 'Łódź', '東京'][Number(random() % 5n)])
const urls = rows(i => `https://example.org/path/${Math.floor(i / 10)}/item-${i}` + (i === 40 ? 'x'.repeat(70_000) : ''))
const flags = rows(i => random() % 3n === 0n)
const doubles = rows(i => i === 1 ? -0 : i === 2 ? 1e300 : Number(random() % 100000n) / 8)
const floats = Float32Array.from(rows(i => Number(random() % 4096n) / 4))
const blobs = rows(i => new Uint8Array(Buffer.from([i & 255, 10, 0, i >> 8, 255])))
// The shortest text that reads back, as the command writes it: exponents have two digits.
const decimal = value => Object.is(value, -0) ? '-0' : String(value).replace(/e\+?(-?)(\d)$/, 'e$1' + '0$2').replace(/e(\d)/, 'e+$1')

function save(name, bytes) {
  writeFileSync(join(folder, name), Buffer.from(bytes))
  return name
}

// ---- hyparquet-writer: data pages V2 ----
const compressors = {
  GZIP: bytes => zlib.gzipSync(bytes),
  BROTLI: bytes => zlib.brotliCompressSync(bytes),
}
for (const codec of ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI']) {
  const columns = [
    ['id', int64, 'INT64', ['PLAIN', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT', 'RLE_DICTIONARY']],
    ['at', steps, 'INT64', ['DELTA_BINARY_PACKED']],
    ['small', int32, 'INT32', ['PLAIN', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT']],
    ['city', few, 'STRING', ['RLE_DICTIONARY', 'PLAIN', 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY']],
    ['url', urls, 'STRING', ['PLAIN', 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY']],
    ['flag', flags, 'BOOLEAN', ['PLAIN', 'RLE']],
    ['blob', blobs, 'BYTE_ARRAY', ['PLAIN', 'DELTA_BYTE_ARRAY']],
  ]
  for (const [name, data, type, encodings] of columns) {
    for (const encoding of encodings) {
      for (const nullable of [false, true]) {
        const written = nullable ? withNulls(data) : data
        const how = `hyparquet-writer ${codec} ${encoding} ${type}${nullable ? ' with nulls' : ''}`
        const file = `hw-${codec}-${name}-${encoding}-${nullable}.parquet`
        save(file, parquetWriteBuffer({ columnData: [{ name, data: written, type, encoding, nullable }], codec, compressors,
          pageSize: 4096, rowGroupSize: 1000 }))
        expect(file, name, written, how)
      }
    }
  }
}
{
  const columnData = [{ name: 'u', data: uint32 }, { name: 'd', data: doubles, encoding: 'BYTE_STREAM_SPLIT' }]
  const schema = [{ name: 'root', num_children: 2 },
    { name: 'u', type: 'INT32', converted_type: 'UINT_32', repetition_type: 'REQUIRED' },
    { name: 'd', type: 'DOUBLE', repetition_type: 'REQUIRED' }]
  const file = save('hw-numbers.parquet', parquetWriteBuffer({ columnData, schema }))
  expect(file, 'u', uint32, 'hyparquet-writer UINT_32')
  expect(file, 'd', doubles.map(decimal), 'hyparquet-writer DOUBLE')
  for (const encoding of ['PLAIN', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT']) {
    const bytes = parquetWriteBuffer({ columnData: [{ name: 'key', data: blobs, encoding }], schema: [
      { name: 'root', num_children: 1 },
      { name: 'key', type: 'FIXED_LEN_BYTE_ARRAY', type_length: 5, repetition_type: 'REQUIRED' }] })
    expect(save(`hw-fixed-${encoding}.parquet`, bytes), 'key', blobs, `hyparquet-writer FIXED_LEN_BYTE_ARRAY ${encoding}`)
  }
}
{
  const tags = rows(i => i % 5 === 0 ? [] : i % 11 === 0 ? null : [`tag${i % 9}`, i % 3 === 0 ? null : 'x', `${i}`])
  const schema = [
    { name: 'root', num_children: 1 },
    { name: 'tags', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  ]
  const file = save('hw-lists.parquet', parquetWriteBuffer({ columnData: [{ name: 'tags', data: tags }], schema, pageSize: 2000 }))
  for (const column of ['tags', 'tags.list.element']) expect(file, column, tags, 'hyparquet-writer list')
}

// ---- parquet-wasm (Rust's parquet): data pages V1 and V2, with statistics ----
const vector = (values, type) => arrow.vectorFromArray(values, type)
const table = new arrow.Table({
  id: vector(withNulls(int64), new arrow.Int64()),
  at: vector(steps, new arrow.Int64()),
  small: vector(int32, new arrow.Int32()),
  u32: vector(uint32, new arrow.Uint32()),
  u64: vector(uint64, new arrow.Uint64()),
  city: vector(withNulls(few), new arrow.Utf8()),
  url: vector(urls, new arrow.Utf8()),
  flag: vector(flags, new arrow.Bool()),
  f32: vector(floats, new arrow.Float32()),
  f64: vector(withNulls(doubles), new arrow.Float64()),
})
const byColumn = { id: withNulls(int64), at: steps, small: int32, u32: uint32, u64: uint64, city: withNulls(few), url: urls,
  flag: flags, f32: Array.from(floats, decimal), f64: withNulls(doubles).map(value => value === null ? null : decimal(value)) }
const INTEGERS = ['id', 'at', 'small', 'u32', 'u64']
const STRINGS = ['city', 'url']
const encodings = {
  PLAIN: Object.keys(byColumn), RLE_DICTIONARY: [...INTEGERS, ...STRINGS, 'f32', 'f64'], DELTA_BINARY_PACKED: INTEGERS,
  DELTA_LENGTH_BYTE_ARRAY: STRINGS, DELTA_BYTE_ARRAY: STRINGS, RLE: ['flag'],
}
const codecs = Object.keys(wasm.Compression).filter(name => isNaN(Number(name)) && name !== 'LZO')
const ipc = arrow.tableToIPC(table, 'stream')
for (const version of ['V1', 'V2']) {
  for (const codec of codecs) {
    for (const [encoding, columns] of Object.entries(encodings)) {
      let builder = new wasm.WriterPropertiesBuilder().setWriterVersion(wasm.WriterVersion[version])
        .setCompression(wasm.Compression[codec]).setMaxRowGroupSize(1100).setDataPageSizeLimit(4096)
        .setDictionaryEnabled(encoding === 'RLE_DICTIONARY')
      if (encoding !== 'RLE_DICTIONARY')
        for (const column of columns) builder = builder.setColumnEncoding(column, wasm.Encoding[encoding])
      let bytes
      try {
        bytes = wasm.writeParquet(wasm.Table.fromIPCStream(ipc), builder.build())
      } catch (error) {
        console.log(`not written by parquet-wasm: ${version} ${codec} ${encoding}: ${error}`)
        continue
      }
      const file = save(`pw-${version}-${codec}-${encoding}.parquet`, bytes)
      for (const column of columns) expect(file, column, byColumn[column], `parquet-wasm ${version} ${codec} ${encoding} ${column}`)
    }
  }
}

// ---- parquetjs: data pages V1 and V2, plain ----
for (const compression of ['UNCOMPRESSED', 'GZIP', 'SNAPPY', 'BROTLI']) {
  for (const useDataPageV2 of [false, true]) {
    const schema = new parquetjs.ParquetSchema({
      id: { type: 'INT64', compression, optional: true },
      small: { type: 'INT32', compression },
      url: { type: 'UTF8', compression },
      city: { type: 'UTF8', compression, optional: true },
      blob: { type: 'BYTE_ARRAY', compression },
      flag: { type: 'BOOLEAN', compression },
      price: { type: 'DOUBLE', compression },
      stock: { repeated: true, fields: { colour: { type: 'UTF8', repeated: true, compression }, count: { type: 'INT64', compression } } },
    })
    const file = `pj-${compression}-${useDataPageV2 ? 'V2' : 'V1'}.parquet`
    const writer = await parquetjs.ParquetWriter.openFile(schema, join(folder, file), { useDataPageV2, rowGroupSize: 700 })
    const colours = []
    const counts = []
    const ids = withNulls(int64)
    const cities = withNulls(few)
    for (let i = 0; i < ROWS; ++i) {
      const stock = Array.from({ length: i % 3 }, (_, k) => ({ colour: k === 0 ? ['red', `c${i}`] : [], count: i * 2 + k }))
      for (const one of stock) {
        colours.push(...one.colour)
        counts.push(one.count)
      }
      const row = { small: int32[i], url: urls[i], blob: Buffer.from(blobs[i]), flag: flags[i], price: doubles[i], stock }
      if (ids[i] !== null) row.id = ids[i]
      if (cities[i] !== null) row.city = cities[i]
      await writer.appendRow(row)
    }
    await writer.close()
    const how = `parquetjs ${compression} ${useDataPageV2 ? 'V2' : 'V1'}`
    for (const [column, values] of Object.entries({ id: ids, small: int32, url: urls, city: cities, blob: blobs, flag: flags,
      price: doubles.map(decimal), 'stock.colour': colours, 'stock.count': counts })) expect(file, column, values, how)
  }
}
writeFileSync(join(folder, 'expected.json'), JSON.stringify(expected))
console.log(`${expected.length} columns`)
