// npm's @redis/bloom against the module, in the protocol given: node client.mjs PORT 2|3
import assert from 'node:assert/strict';
import bloomModules from '@redis/bloom';
import { createClient, RESP_TYPES } from '@redis/client';

const { bf, cf } = bloomModules.default ?? bloomModules;
const protocol = Number(process.argv[3]);
const client = createClient({
  url: `redis://127.0.0.1:${process.argv[2]}`,
  RESP: protocol,
  modules: { bf, cf },
  socket: { reconnectStrategy: false },
});
client.on('error', (error) => { throw error; });
await client.connect();
const bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });

// Chunks are binary: read and written as buffers.
async function copied(family, from, to) {
  for (let iterator = 0; ;) {
    const chunk = await bytes[family].scanDump(from, iterator);
    iterator = chunk.iterator;
    if (iterator === 0) break;
    assert.equal(await bytes[family].loadChunk(to, iterator, chunk.chunk), 'OK');
  }
  const [copy, original] = [await bytes.dump(to), await bytes.dump(from)];
  assert.ok(Buffer.compare(copy, original) === 0, `${family}: the copy has the same bytes`);
}

async function bloom(name) {
  assert.equal(await client.bf.reserve(name, 0.01, 1000), 'OK');
  assert.equal(await client.bf.reserve(`${name}:e`, 0.01, 1000, { EXPANSION: 4 }), 'OK');
  assert.equal(await client.bf.reserve(`${name}:n`, 0.01, 1000, { NONSCALING: true }), 'OK');
  assert.equal(await client.bf.add(name, 'foo'), true);
  assert.equal(await client.bf.add(name, 'foo'), false);
  assert.deepEqual(await client.bf.mAdd(name, ['foo', 'bar', 'quux']), [false, true, true]);
  assert.deepEqual(
    await client.bf.insert(`${name}:i`, ['foo', 'bar'], { CAPACITY: 10, ERROR: 0.1, EXPANSION: 2 }), [true, true]);
  await assert.rejects(client.bf.insert(`${name}:none`, 'foo', { NOCREATE: true }), /not found/);
  assert.equal(await client.bf.exists(name, 'foo'), true);
  assert.equal(await client.bf.exists(name, 'none'), false);
  assert.deepEqual(await client.bf.mExists(name, ['foo', 'none']), [true, false]);
  assert.equal(await client.bf.card(name), 3);
  const info = await client.bf.info(name);
  assert.deepEqual({ ...info }, {
    'Capacity': 1000, 'Size': 96 + 1384, 'Number of filters': 1, 'Number of items inserted': 3, 'Expansion rate': 2 });
  assert.equal((await client.bf.info(`${name}:n`))['Expansion rate'], null);
  await assert.rejects(client.bf.reserve(name, 0.01, 10), /item exists/);
  await copied('bf', name, `${name}:copy`);
}

async function cuckoo(name) {
  assert.equal(await client.cf.reserve(name, 1000), 'OK');
  assert.equal(await client.cf.reserve(`${name}:o`, 1000, { BUCKETSIZE: 4, MAXITERATIONS: 10, EXPANSION: 2 }), 'OK');
  assert.equal(await client.cf.add(name, 'foo'), true);
  assert.equal(await client.cf.addNX(name, 'foo'), false);
  assert.equal(await client.cf.addNX(name, 'bar'), true);
  assert.deepEqual(await client.cf.insert(`${name}:i`, ['foo', 'bar'], { CAPACITY: 100 }), [true, true]);
  assert.deepEqual((await client.cf.insertNX(`${name}:i`, ['foo', 'new'], { CAPACITY: 100 })).map(Number), [0, 1]);
  assert.equal(await client.cf.exists(name, 'foo'), true);
  assert.equal(await client.cf.exists(name, 'none'), false);
  assert.equal(await client.cf.count(name, 'foo'), 1);
  assert.equal(await client.cf.del(name, 'foo'), true);
  assert.equal(await client.cf.del(name, 'foo'), false);
  const info = await client.cf.info(name);
  assert.equal(info['Size'], 1080);
  assert.equal(info['Number of items inserted'], 1);
  assert.equal(info['Number of items deleted'], 1);
  assert.equal(info['Max iterations'], 20);
  await copied('cf', name, `${name}:copy`);
}

await bloom(`node:${protocol}`);
await cuckoo(`node:cf:${protocol}`);
await client.close();
console.log(`protocol ${protocol}: ok`);
