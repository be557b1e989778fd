// Reads a Parquet file with two readers and prints its rows, each an object in a line: bytes as 0x and digits, integers as
// texts. Fails where the readers differ.
import { readFileSync } from 'node:fs'
import assert from 'node:assert'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import * as arrow from 'apache-arrow'
import wasm from 'parquet-wasm/node'

const buffer = readFileSync(process.argv[2])
const file = buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength)
const plain = value => value === undefined || value === null ? null
  : typeof value === 'bigint' || typeof value === 'number' ? String(value)
  : value instanceof Uint8Array ? '0x' + Buffer.from(value).toString('hex')
  : typeof value === 'object' ? JSON.stringify(value) : value
const row = object => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, plain(value)]))

const one = (await parquetReadObjects({ file, compressors, utf8: false })).map(row)
const table = arrow.tableFromIPC(wasm.readParquet(new Uint8Array(buffer)).intoIPCStream())
const other = Array.from({ length: table.numRows }, (_, i) => row(table.get(i).toJSON()))
// hyparquet parses columns of JSON; their text is the other reader's.
for (const element of parquetMetadata(file).schema)
  if (element.logical_type?.type === 'JSON')
    one.forEach((object, i) => { if (object[element.name] !== null) object[element.name] = JSON.stringify(JSON.parse(other[i][element.name])) })
assert.deepEqual(one.map(object => JSON.stringify(object)), other.map(object => JSON.stringify(object)))
for (const object of other) console.log(JSON.stringify(object))
