// Makes users.parquet, beside it a file of each of two other writers with values.json, what they wrote, and small files in every
// encoding and codec for the fuzz target, with the packages of tests/e2e/parquet/node: `npm ci` there, then
// `node make.mjs users.parquet [CORPUS_FOLDER]` beside its node_modules.
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import * as arrow from 'apache-arrow'
import wasm from 'parquet-wasm/node'

const [, , users, corpus] = process.argv
const save = (path, bytes) => writeFileSync(path, Buffer.from(bytes))
save(users, parquetWriteBuffer({
  codec: 'SNAPPY',
  rowGroupSize: 4,
  schema: [
    { name: 'root', num_children: 7 },
    { name: 'user_id', type: 'INT64', repetition_type: 'REQUIRED' },
    { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'port', type: 'INT32', converted_type: 'UINT_32', repetition_type: 'REQUIRED' },
    { name: 'tags', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'address', repetition_type: 'OPTIONAL', num_children: 2 },
    { name: 'city', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'zip', type: 'INT32', repetition_type: 'OPTIONAL' },
    { name: 'price', type: 'DOUBLE', repetition_type: 'REQUIRED' },
    { name: 'note', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
  ],
  columnData: [
    { name: 'user_id', data: [17n, -4n, 17n, 9007199254740993n, 5n, 5n], encoding: 'DELTA_BINARY_PACKED' },
    { name: 'name', data: ['ann', null, 'ann', 'Bjørn', null, 'cy'] },
    { name: 'port', data: [80, 443, 4294967295, 80, 80, 80] },
    { name: 'tags', data: [['a', 'b'], [], null, ['a', null], ['c'], ['a']] },
    { name: 'address', data: [{ city: 'Wien', zip: 1010 }, null, { city: null, zip: 4020 }, { city: 'Linz', zip: 4020 },
      { city: 'Wien', zip: null }, { city: 'Graz', zip: 8010 }] },
    { name: 'price', data: [1.5, 0.1, 1.5, 1e100, -2, 3] },
    { name: 'note', data: ['one', 'two\nlines', 'one', '', 'three', ''] },
  ],
}))

{
  const ids = [17n, -4n, null, 9007199254740993n, 17n, -(2n ** 63n)]
  const cities = ['Wien', null, 'Zürich', 'Wien', '', 'two\nlines']
  const prices = [1.5, 0.1, 1.5, 1e100, -2, 3]
  const colours = [['red', 'blue'], [], ['red'], [], [], ['']]
  const values = []
  const expect = (file, column, written) => {
    const present = written.flat().filter(value => value !== null)
    values.push({ file, column, nulls: written.flat().length - present.length, values: present.map(value => String(value)) })
  }

  const table = new arrow.Table({ id: arrow.vectorFromArray(ids, new arrow.Int64()),
    city: arrow.vectorFromArray(cities, new arrow.Utf8()), price: arrow.vectorFromArray(prices, new arrow.Float64()) })
  const how = new wasm.WriterPropertiesBuilder().setWriterVersion(wasm.WriterVersion.V2).setCompression(wasm.Compression.SNAPPY)
    .setMaxRowGroupSize(4).build()
  save(join(dirname(users), 'parquet-wasm.parquet'), wasm.writeParquet(wasm.Table.fromIPCStream(arrow.tableToIPC(table, 'stream')), how))
  for (const [column, written] of Object.entries({ id: ids, city: cities, price: prices })) expect('parquet-wasm.parquet', column, written)

  const parquetjs = createRequire(import.meta.url)('@dsnp/parquetjs')
  const compression = 'GZIP'
  const schema = new parquetjs.ParquetSchema({
    id: { type: 'INT64', compression, optional: true }, city: { type: 'UTF8', compression, optional: true },
    price: { type: 'DOUBLE', compression }, colour: { type: 'UTF8', compression, repeated: true } })
  const writer = await parquetjs.ParquetWriter.openFile(schema, join(dirname(users), 'parquetjs.parquet'), { rowGroupSize: 4 })
  for (let i = 0; i < ids.length; ++i) {
    const row = { price: prices[i], colour: colours[i] }
    if (ids[i] !== null) row.id = ids[i]
    if (cities[i] !== null) row.city = cities[i]
    await writer.appendRow(row)
  }
  await writer.close()
  for (const [column, written] of Object.entries({ id: ids, city: cities, price: prices, colour: colours }))
    expect('parquetjs.parquet', column, written)
  save(join(dirname(users), 'values.json'), JSON.stringify({ made_by: 'parquet-wasm 0.8.0 and @dsnp/parquetjs 1.7.0, by make.mjs', columns: values }, null, 1) + '\n')
}

if (corpus) {
  const ids = Array.from({ length: 20 }, (_, i) => BigInt(i * i - 7))
  const words = Array.from({ length: 20 }, (_, i) => i % 6 === 2 ? null : `prefix-${i % 4}-${i}`)
  const encodings = { id: ['PLAIN', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT', 'RLE_DICTIONARY'],
    word: ['PLAIN', 'RLE_DICTIONARY', 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY'] }
  for (let i = 0; i < 4; ++i) {
    save(join(corpus, `hw-${encodings.id[i]}-${encodings.word[i]}`), parquetWriteBuffer({ codec: 'UNCOMPRESSED', rowGroupSize: 13,
      statistics: false, columnData: [{ name: 'id', data: ids, type: 'INT64', encoding: encodings.id[i], nullable: false },
        { name: 'word', data: words, type: 'STRING', encoding: encodings.word[i] },
        { name: 'flag', data: ids.map(id => id % 2n === 0n), type: 'BOOLEAN', encoding: i % 2 ? 'RLE' : 'PLAIN', nullable: false }] }))
  }
  const table = new arrow.Table({ id: arrow.vectorFromArray(ids, new arrow.Int64()), word: arrow.vectorFromArray(words, new arrow.Utf8()) })
  const ipc = arrow.tableToIPC(table, 'stream')
  for (const codec of ['SNAPPY', 'GZIP', 'BROTLI', 'LZ4', 'ZSTD', 'LZ4_RAW']) {
    const how = new wasm.WriterPropertiesBuilder().setCompression(wasm.Compression[codec]).setDictionaryEnabled(codec === 'SNAPPY')
      .setStatisticsEnabled(wasm.EnabledStatistics.None).build()
    save(join(corpus, `pw-V1-${codec}`), wasm.writeParquet(wasm.Table.fromIPCStream(ipc), how))
  }
}
