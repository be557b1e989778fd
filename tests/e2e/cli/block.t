The default layout is block; below about 0.03 % it is lines.

$ seq 20000 > keys.txt; seq 20001 40000 > other.txt; bloomery build -o b.bloom keys.txt 2>&1 | head -1
bloomery: plan: 20,000 keys \(counted\) at 1 %: block, 203,776 bits, 8 probes, 24\.9 KiB of memory \(limit .*\) (re)

$ bloomery query -c b.bloom keys.txt; test $(bloomery query -c b.bloom other.txt) -lt 260
20000

$ for rate in 1% 0.1% 1e-5; do bloomery build -q -F -p $rate -o r.bloom keys.txt; bloomery inspect --json r.bloom | grep -o '"layout":"[a-z]*"'; done
"layout":"block"
"layout":"block"
"layout":"lines"

$ bloomery build -q -F --layout classic -o r.bloom keys.txt && bloomery inspect --json r.bloom | grep -o '"dialect":"[a-z-]*"'
"dialect":"bloomery-classic"

Sizes in blocks, in bits and in bits per key.

$ bloomery build -q -F --blocks 600 -o r.bloom keys.txt && bloomery inspect --json r.bloom | grep -o '"bits":[0-9]*,"probes":[0-9]*'
"bits":307200,"probes":6

$ bloomery build -q -F --bits 300k --probes 8 -o r.bloom keys.txt && bloomery inspect --json r.bloom | grep -o '"bits":[0-9]*,"probes":[0-9]*'
"bits":300032,"probes":8

$ bloomery build -q -F --bits-per-key 12 -o r.bloom keys.txt && bloomery inspect --json r.bloom | grep -o '"bits":[0-9]*,"probes":[0-9]*'
"bits":240128,"probes":7

$ bloomery build -F --layout block --probes 3 -o r.bloom keys.txt
bloomery: a block filter has 4 to 8 probes, and 3 were asked for
[2]

$ bloomery build -F --format guava --blocks 3 -o r.bin keys.txt
bloomery: --blocks is an option of format bloomery or parquet; the format is guava
[2]

It is folded, merged, compared, added to and verified like any other.

$ bloomery build -q -n 100k -o big.bloom keys.txt && bloomery fold -p 1% -o small.bloom big.bloom && bloomery query -c small.bloom keys.txt
bloomery: small.bloom: folded by 4, from 124.0 KiB to 31.0 KiB; its false-positive rate is now 0.305 %
20000

$ head -5000 keys.txt | bloomery build -q -n 20k -o half.bloom; bloomery compare half.bloom b.bloom | grep relation; tail -n +5001 keys.txt | bloomery add -q half.bloom; bloomery compare half.bloom b.bloom | grep relation
  relation        every key of A is in B
  relation        equal

$ bloomery merge -q -o m.bloom half.bloom b.bloom && cmp <(tail -c +129 m.bloom) <(tail -c +129 b.bloom); bloomery verify m.bloom
m.bloom: ok (bloomery, checksum and structure)

$ bloomery convert --to guava -o x.guava b.bloom 2>&1 | cut -d: -f 1-3
bloomery: b.bloom: a block filter of bloomery (dialect bloomery-block) cannot be written as guava

A seeded filter is smaller. It is made in bulk, in any number of threads and little memory, and is always the same.

$ bloomery build --seeded -o s.bloom keys.txt
bloomery: plan: 20,000 keys \(counted\) at 1 %: block, seeded, 1[89]\d,\d{3} bits, 6 probes, 2\d\.\d KiB of memory \(limit .*\) (re)
bloomery: s.bloom: 20,000 records added in .* s \(.*/s\); 0 were already present or collided; fill 4\d(\.\d)? %, false positives (0\.9|1\.0)\d* % (re)

$ bloomery query -c s.bloom keys.txt; test $(bloomery query -c s.bloom other.txt) -lt 260; test $(stat -c %s s.bloom) -lt $(stat -c %s b.bloom)
20000

$ cat keys.txt keys.txt | bloomery build -q --seeded -j 2 -m 64Ki -n 20k -o again.bloom && cmp s.bloom again.bloom

$ bloomery inspect s.bloom | grep -c seeded; bloomery fold -p 5% -o x.bloom s.bloom
1
bloomery: s.bloom: a seeded filter cannot be folded: neighbouring blocks find their bits in different windows; build it anew with fewer bits
[3]

$ bloomery build -q --seeded -n 20k -o t.bloom other.txt; bloomery merge -o x.bloom s.bloom t.bloom 2>&1 | cut -c 1-75
bloomery: s.bloom and t.bloom: the filters chose different windows for thei

$ bloomery add -q s.bloom other.txt; bloomery query -c s.bloom keys.txt other.txt
bloomery: warning: s.bloom: the filter is over its design: about [\d,]+ keys in a filter for 20,000; its false-positive rate is .*, and it was built for 1 % (re)
40000

$ cat keys.txt | bloomery build --seeded -o x.bloom
bloomery: standard input: the number of keys in a pipe is unknown, and a seeded filter cannot grow; give --keys
[2]

$ bloomery build --seeded --layout classic -o x.bloom keys.txt
bloomery: only a block filter can be seeded, and this is another layout
[2]

$ bloomery build --seeded -m 8Ki -o x.bloom keys.txt
bloomery: the filter would need 2\d\.\d KiB; --memory allows 8\.0 KiB (re)
bloomery: x.bloom: not saved
[4]

With --auto the number of keys is not given. Few get exactly their size, as if they had been counted.

$ cat keys.txt keys.txt | bloomery build --auto -o auto.bloom
bloomery: plan: any number of keys at 1 %: block, as large as the keys need \(limit .*\) (re)
bloomery: sized for 20,000 keys at 1 %: block, 203,776 bits, 8 probes, 24.9 KiB
bloomery: auto\.bloom: 40,000 records added in .* s \(.*/s\); 20,000 were already present or collided; fill 54\.5 %, false positives 0\.944 % (re)

$ bloomery compare auto.bloom b.bloom | grep relation
  relation        equal

Many start from the memory, and are folded.

$ cat keys.txt | bloomery build -q --auto -m 256Ki -o folded.bloom; bloomery query -c folded.bloom keys.txt; bloomery inspect --strict folded.bloom > /dev/null; bloomery inspect --json folded.bloom | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["bits"], d["estimated_fpr"] <= 0.01)'
20000
262144 True

$ cat keys.txt | bloomery build --auto --strict -m 16Ki -o over.bloom 2>&1 | tail -1; test -e over.bloom
bloomery: over.bloom: not saved: the filter would be over its design, which --strict forbids
[1]

$ bloomery build --auto -n 5 -o x.bloom keys.txt
bloomery: --auto finds the size itself: it accepts --fpr and --probes, but no other size
[2]

$ bloomery build --auto --layout counting -o x.bloom keys.txt
bloomery: --auto builds a block filter and folds it: it cannot be combined with another --layout or with --seeded
[2]

A file that a program was writing to in place, and did not close, says so.

$ python3 -c 'import ctypes, struct; x = ctypes.CDLL("libxxhash.so.0"); x.XXH3_64bits.restype = ctypes.c_uint64; d = bytearray(open("b.bloom", "rb").read()); d[12] |= 4; d[200] = 255; d[120:128] = struct.pack("<Q", x.XXH3_64bits(bytes(d[:120]), ctypes.c_size_t(120))); open("open.bloom", "wb").write(d)'; bloomery verify open.bloom
bloomery: warning: open.bloom: a program that was writing the file did not close it: its bits have no valid checksum, and its keys are estimated from them
open.bloom: ok (bloomery, structure; it was left open for writing)

$ echo 20001 | bloomery add -q open.bloom; bloomery verify open.bloom
open.bloom: ok (bloomery, checksum and structure)
