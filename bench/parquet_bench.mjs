// For parquet_bench.py, beside the packages of tests/e2e/parquet/node: `make FOLDER` writes ids.parquet and urls.parquet with
// parquet-wasm; `read FILE COLUMN` reads the column with hyparquet and prints the number of values.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetRead } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const IDS = 10_000_000
const URLS = 5_000_000

async function make(folder) {
  const arrow = await import('apache-arrow')
  const { default: wasm } = await import('parquet-wasm/node')
  const write = (name, batches, dictionary) => {
    const ipc = arrow.tableToIPC(new arrow.Table(batches), 'stream')
    const how = new wasm.WriterPropertiesBuilder().setCompression(wasm.Compression.SNAPPY).setDictionaryEnabled(dictionary).build()
    writeFileSync(join(folder, name), wasm.writeParquet(wasm.Table.fromIPCStream(ipc), how))
  }
  const ids = new BigInt64Array(IDS)
  let state = 1n
  for (let i = 0; i < IDS; ++i) {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n)
    ids[i] = BigInt.asIntN(64, state >> 20n)
  }
  write('ids.parquet', { id: arrow.makeVector(ids) }, false)
  const builder = arrow.makeBuilder({ type: new arrow.Utf8() })
  for (let i = 0; i < URLS; ++i) builder.append(`https://example.org/shop/${ids[i] % 100000n}/item-${ids[i] % 3000000n}`)
  write('urls.parquet', { url: builder.finish().toVector() }, false)
}

async function read(path, column) {
  const file = await asyncBufferFromFile(path)
  let values = 0
  await parquetRead({ file, columns: [column], compressors, onChunk: chunk => { values += chunk.rowEnd - chunk.rowStart } })
  console.log(values)
}

const [, , what, ...rest] = process.argv
await { make, read }[what](...rest)
