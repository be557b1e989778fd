LevelDB's tables and databases: what their filters are worth, and which tables may hold a key.

$ cp -r $GOLDEN/formats/leveldb/dec1000.cpp.db db && cp -r $GOLDEN/formats/leveldb/dec1000.go.db godb && cp $GOLDEN/formats/leveldb/t-default.cpp.ldb table.ldb && chmod -R u+w .

$ bloomery inspect table.ldb | grep -v -e 'filter [0-9]' -e '^$'
table.ldb
  format           leveldb, a table
  size             35.5 KiB, 9 data blocks of 33.9 KiB
  policy           leveldb.BuiltinBloomFilter2
  filters          9, one for each 2.0 KiB of the table that has keys
  bits             10,024
  probes           6
  filter block     1.3 KiB
  keys             1,000; 49 to 119 per filter
  bits per key     10
  fill             45.1 %
  false positives  0.845 %, from the bits; 0.881 % of 1,000,000 absent keys looked up
  denied keys      none: each was looked up
  checksums        metaindex ok, index ok, filters ok, 9 of 9 data blocks ok
  health           ok (no goal stored; give one with --fpr)
  layer       bits  probes  keys    fill  false positives

$ bloomery inspect db | grep -v '^$'
db
  format       leveldb, a database
  manifest     MANIFEST-000002, 3 edits
  comparator   leveldb.BytewiseComparator
  tables       1 live, 1 with filters, 11.8 KiB
  logs         log 4: no keys
  absent Get   reads 0.00835 data blocks in vain; some table answers "maybe" to 0.835 % of absent keys
  denied keys  0
  checksums    index, metaindex and filter blocks ok, 18 of 18 data blocks ok
  health       ok (no goal stored; give one with --fpr)
  level  tables      size   keys  filters  their size  bits per key  fill  false positives
  2           1  11.8 KiB  1,000        5     1.3 KiB            10  45 %          0.835 %
  all         1  11.8 KiB  1,000        5     1.3 KiB            10  45 %          0.835 %
  table       policy                       verdict  level      size   keys  filters    bits  probes  bits per key  fill  false positives
  000005.ldb  leveldb.BuiltinBloomFilter2  ok           2  11.8 KiB  1,000        5  10,008       6            10  45 %          0.835 %

--fpr is the goal that LevelDB does not store.

$ bloomery inspect --fpr 1% table.ldb | grep health; bloomery inspect --fpr 0.1% db | grep health; bloomery inspect --json --fpr 0.1% table.ldb | grep -o '"health":"[a-z-]*"' | head -1; bloomery inspect --strict --fpr 0.1% db > /dev/null
  health           ok
  health       over-design
"health":"over-design"
bloomery: db: the filters are over-design (false-positive rate 0.835 %); --strict demands healthy ones
[4]

$ bloomery inspect godb | grep -e manifest -e logs -e '^  0000'
  manifest     MANIFEST-000000, 4 edits
  logs         log 2: no keys
  000004.ldb  leveldb.BuiltinBloomFilter  ok           1  11.8 KiB  1,000        5  10,008       6            10  45 %          0.835 %

Without reading data blocks.

$ bloomery inspect --quick db | grep -e denied -e checksums -e '^  0000'
  denied keys  not asked
  checksums    index, metaindex and filter blocks ok, data blocks not read
  000005.ldb  leveldb.BuiltinBloomFilter2  ok           2  11.8 KiB   998        5  10,008       6            10  45 %          0.835 %

$ bloomery inspect --quick table.ldb | grep -e keys -e checksums
  filters          9, one for each 2.0 KiB of the table that has keys
  keys             about 1,002, by the filters
  false positives  0.845 %, from the bits; 0.881 % of 1,000,000 absent keys looked up
  denied keys      not asked
  checksums        metaindex ok, index ok, filters ok, data blocks not read
  layer       bits  probes  keys    fill  false positives

For scripts: the members of every filter, and a table's own.

$ bloomery inspect --json table.ldb | python3 -c 'import json, sys; d = json.load(sys.stdin); t = d["table"]; print(d["format"], d["bits"], d["keys_inserted"], d["checksum"]); print(t["policy"], t["filters"], t["probes"], t["keys_per_filter"], t["denied_keys"], t["verdict"]); print(*t["checksums"].values())'
leveldb 10024 1000 ok
leveldb.BuiltinBloomFilter2 9 {'6': 9} {'fewest': 49, 'most': 119} 0 ok
ok ok ok

$ bloomery inspect --json db | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["format"], d["layout"], d["comparator"], d["verdict"]); print([(l["level"], l["tables"], l["keys"]) for l in d["levels"]]); print([(t["file"], t["level"], t["bits_per_key"]) for t in d["tables"]]); print(0.005 < d["wasted_reads_per_absent_get"] < 0.012, d["logs"][0]["number"])'
leveldb database leveldb.BytewiseComparator ok
[(2, 1, 1000)]
[('000005.ldb', 2, 10.008)]
True 4

May a key be in this database, and in which table?

$ printf 'key-7\nkey-999\nkey-1000\nabsent\n' > keys.txt; bloomery query db keys.txt
key-7
key-999

$ bloomery query --label --tables db keys.txt
maybe	2/000005.ldb	key-7
maybe	2/000005.ldb	key-999
no	-	key-1000
no	-	absent

$ bloomery query -v -c godb keys.txt
2

$ bloomery query --tables --line-number db/000005.ldb keys.txt
1:000005.ldb	key-7
2:000005.ldb	key-999

$ bloomery query --tables --label --json db keys.txt | head -3
{"number":1,"record":"key-7","answer":"maybe","tables":[{"file":"000005.ldb","level":2,"number":5}],"logs":[]}
{"number":2,"record":"key-999","answer":"maybe","tables":[{"file":"000005.ldb","level":2,"number":5}],"logs":[]}
{"number":3,"record":"key-1000","answer":"no","tables":[],"logs":[]}

$ echo absent | bloomery query --silent db
[1]

$ bloomery build -q -o seen.bloom keys.txt; bloomery query --tables seen.bloom keys.txt
bloomery: seen.bloom: --tables needs a LevelDB table or database
[2]

A key that only the log holds: one batch of one record, "fresh" written.

$ printf '\xb4\x11\x79\xdf\x16\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x05fresh\x02ok' > db/000004.log; (echo fresh; cat keys.txt) | bloomery query --tables db
log 4	fresh
2/000005.ldb	key-7
2/000005.ldb	key-999

$ bloomery inspect db | grep logs
  logs         log 4: 1 key

A writer that died left half a batch, and half an edit: LevelDB goes without them.

$ printf '\1\2\3' >> db/000004.log; printf 'torn' >> db/MANIFEST-000002; bloomery inspect db | grep Note
  Note: the last 4 bytes of the manifest are an incomplete edit: its writer died, or is writing now; LevelDB ignores them.
  Note: the last 3 bytes of log 4 are an incomplete batch: its writer died, or is writing now.

A log that is damaged may have held any key.

$ printf 'x' | dd of=db/000004.log bs=1 seek=12 conv=notrunc 2> /dev/null; bloomery query -c db keys.txt
bloomery: warning: db: log 4 is damaged (the checksum of a record is wrong, at byte 0 of 32), and may have held any key
4

$ bloomery inspect db > /dev/null
bloomery: db: the database is damaged: log 4: 32 bytes do not verify: the checksum of a record is wrong, at byte 0 of 32
[3]

So may one that is gone, though LevelDB opens the database without a word.

$ rm db/000004.log; bloomery query -c db keys.txt
bloomery: warning: db: log 4 is missing, and may have held any key
4

$ bloomery inspect db > /dev/null
bloomery: db: the database is damaged: log 4 is missing: the manifest names it, and what was written last is lost
[3]

$ : > db/000004.log

Filters whose bits are gone: LevelDB does not verify them, and loses every key.

$ python3 -c 'import json, os; block = bytes.fromhex(json.load(open(os.environ["GOLDEN"] + "/formats/leveldb.json"))["databases"][0]["tables"][0]["filter_block_hex"]); f = bytearray(open("db/000005.ldb", "rb").read()); at, size = f.find(block), len(block); u32 = lambda i: int.from_bytes(f[i:i + 4], "little"); array = at + u32(at + size - 5); starts = [u32(i) for i in range(array, at + size - 1, 4)]; [f.__setitem__(slice(at + a, at + b - 1), bytes(b - 1 - a)) for a, b in zip(starts, starts[1:]) if b > a]; open("db/000005.ldb", "wb").write(f)'; bloomery inspect db 2>&1 | grep -e denied -e damaged -e health
  denied keys  1,000
  health       damaged: 2 problems
  000005.ldb  leveldb.BuiltinBloomFilter2  damaged      2  11.8 KiB  1,000        0     0       -             -     0            100 %
  Damage: 000005.ldb: 1,000 of 1,000 keys are denied by their own filter, so that LevelDB does not find them unless it verifies checksums; the first is "key-0" in the data block at byte 0.
bloomery: db: the database is damaged: 000005.ldb: 1,000 of 1,000 keys are denied by their own filter, so that LevelDB does not find them unless it verifies checksums; the first is "key-0" in the data block at byte 0 (and 1 more)

$ bloomery inspect --quick db > /dev/null
bloomery: db: the database is damaged: 000005.ldb: the checksum of the filter block is wrong
[3]

$ bloomery inspect db/000005.ldb > /dev/null
bloomery: db/000005.ldb: 1,000 of 1,000 keys are denied by their own filter, so that LevelDB does not find them unless it verifies checksums; the first is "key-0" in the data block at byte 0
[3]

A key of such a table is never answered "no".

$ bloomery query -c db keys.txt
bloomery: warning: db: 1 of 1 tables cannot be queried: every key in their range is "maybe"; 000005.ldb: the checksum of the filter block is wrong
3

$ bloomery query -c db/000005.ldb keys.txt
bloomery: warning: db/000005.ldb: every key is answered with "maybe": the checksum of the filter block is wrong
4

A leftover table, a table that is missing, and what is no database.

$ cp table.ldb godb/000099.ldb; bloomery inspect godb | grep live
  tables       1 live, 1 with filters, 11.8 KiB
  Note: 000099.ldb is not live: a leftover, or being written now.

$ rm godb/000004.ldb; bloomery inspect godb > /dev/null
bloomery: godb: the database is damaged: the manifest lists table 4 on level 1, and the folder does not have it; LevelDB would not open the database
[3]

$ bloomery query godb keys.txt
bloomery: godb: the manifest lists table 4 on level 1, and the folder does not have it; LevelDB would not open the database
[3]

$ head -c 60 godb/MANIFEST-000000 > m; printf 'garbage in the middle of a record' >> m; dd if=/dev/zero bs=1000 count=40 >> m 2> /dev/null; cp m godb/MANIFEST-000000; bloomery inspect godb
bloomery: godb/MANIFEST-000000: the manifest is damaged: the checksum of a record is wrong, at byte 54 of 40093; LevelDB would not open the database
[3]

$ rm godb/MANIFEST-000000; bloomery inspect godb
bloomery: godb/MANIFEST-000000: cannot open: No such file or directory
[2]

$ mkdir empty; bloomery inspect empty
bloomery: empty: there is no file CURRENT in the folder, so it is no LevelDB database
[2]

$ bloomery query empty keys.txt
bloomery: empty: there is no file CURRENT in the folder, so it is no LevelDB database
[2]

$ head -c 5000 table.ldb > cut.ldb; tail -c 8 table.ldb >> cut.ldb; bloomery inspect cut.ldb > /dev/null; bloomery query -c cut.ldb keys.txt
bloomery: cut.ldb: the checksum of the metaindex block is wrong: its filters are not found
bloomery: warning: cut.ldb: every key is answered with "maybe": the checksum of the metaindex block is wrong
4

A table without filters has no health: nothing in it is saturated. Its policy's name is taken away here, and the checksum made good.

$ python3 -c 'exec("f = bytearray(open(\"table.ldb\", \"rb\").read()); f[f.find(b\"filter.leveldb\")] = 70; at = len(f) - 48; values = []\nwhile len(values) < 2:\n    v = s = 0\n    while True:\n        b = f[at]; at += 1; v |= (b & 127) << s; s += 7\n        if b < 128: break\n    values.append(v)\nstart, size = values; c = 0xffffffff\nfor b in f[start:start + size + 1]:\n    c ^= b\n    for _ in range(8): c = c >> 1 ^ (0x82f63b78 if c & 1 else 0)\nc ^= 0xffffffff; c = ((c >> 15 | c << 17) + 0xa282ead8) & 0xffffffff; f[start + size + 1:start + size + 5] = c.to_bytes(4, \"little\"); open(\"bare.ldb\", \"wb\").write(f)")'; bloomery inspect bare.ldb | grep -e '  filters' -e health -e policy; bloomery inspect --json bare.ldb | grep -o '"health":null'; bloomery inspect --strict bare.ldb > /dev/null
  policy       none
  filters      none: the table was written without filters
  health       no filters
"health":null
bloomery: bare.ldb: there are no filters; --strict demands healthy ones
[4]
