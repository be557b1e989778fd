Below a rate of about 0.03 % the default layout is lines: two to four cache lines per key.

$ seq 20000 > keys.txt; seq 20001 40000 > other.txt; bloomery build -p 1e-4 -o l.bloom keys.txt 2>&1 | head -1
bloomery: plan: 20,000 keys \(counted\) at 0\.01 %: lines, 40\d,\d{3} bits, 16 probes, 49\.\d KiB of memory \(limit .*\) (re)

$ bloomery query -c l.bloom keys.txt; test $(bloomery query -c l.bloom other.txt) -lt 12
20000

$ for rate in 1e-6 1e-9 1e-12 1e-13; do bloomery build -q -F -p $rate -o r.bloom keys.txt; bloomery inspect --json r.bloom | grep -o -e '"layout":"[a-z]*"' -e '"dialect":"[a-z-]*"' -e '"probes":[0-9]*' | tr '\n' ' '; echo; done
"layout":"lines" "dialect":"bloomery-lines" "probes":16 
"layout":"lines" "dialect":"bloomery-lines" "probes":24 
"layout":"lines" "dialect":"bloomery-lines" "probes":32 
"layout":"classic" "dialect":"bloomery-classic" "probes":43 

$ bloomery inspect l.bloom | grep -e layout -e probes -e 'cache lines' | tr -s ' '
 layout lines
 probes 16
 Note: each key uses 2 cache lines, with eight probes in each.

It takes 16, 24 or 32 probes, and sizes as blocks do.

$ bloomery build -q -F --layout lines --blocks 600 -o r.bloom keys.txt && bloomery inspect --json r.bloom | grep -o '"bits":[0-9]*,"probes":[0-9]*'
"bits":307200,"probes":16

$ bloomery build -q -F --layout lines --bits-per-key 45 -o r.bloom keys.txt && bloomery inspect --json r.bloom | grep -o '"bits":[0-9]*,"probes":[0-9]*'
"bits":900096,"probes":32

$ bloomery build -F --layout lines --probes 8 -o r.bloom keys.txt
bloomery: a filter of several lines per key has 16, 24 or 32 probes and no seeds, and 8 probes were asked for
[2]

$ bloomery build -F --layout block --probes 16 -o r.bloom keys.txt
bloomery: a block filter has 4 to 8 probes, and 16 were asked for
[2]

$ bloomery build -F --layout lines --seeded -o r.bloom keys.txt
bloomery: only a block filter can be seeded, and this is another layout
[2]

$ bloomery size -n 1M -p 1e-6 | grep -e '^classic *bloomery' -e ^block -e ^lines | tr -s ' '
classic bloomery-classic 1,000,000 1e-06 28,758,016 3.4 MiB 20 28.76
block bloomery-block 1,000,000 9.9e-07 52,002,816 6.2 MiB 8 52
lines bloomery-lines 1,000,000 9.9e-07 31,490,048 3.8 MiB 16 31.49

It is folded, merged, compared, added to and verified like any other.

$ bloomery build -q -n 160k -p 1e-6 -o big.bloom keys.txt && bloomery fold -p 1e-4 -o small.bloom big.bloom 2>&1 | cut -d, -f 1; bloomery query -c small.bloom keys.txt; bloomery inspect --json small.bloom | grep -o '"layout":"[a-z]*"'
bloomery: small.bloom: folded by \d+ (re)
20000
"layout":"lines"

$ head -5000 keys.txt | bloomery build -q -n 20k -p 1e-4 -o half.bloom; bloomery compare half.bloom l.bloom | grep relation; tail -n +5001 keys.txt | bloomery add -q half.bloom; bloomery compare half.bloom l.bloom | grep relation
  relation        every key of A is in B
  relation        equal

$ bloomery merge -q -o m.bloom half.bloom l.bloom && cmp <(tail -c +129 m.bloom) <(tail -c +129 l.bloom); bloomery verify m.bloom
m.bloom: ok (bloomery, checksum and structure)

$ bloomery convert --to guava -o x.guava l.bloom 2>&1 | cut -d: -f 1-3
bloomery: l.bloom: a lines filter of bloomery (dialect bloomery-lines) cannot be written as guava

Without the number of keys, --auto folds a large one at the end.

$ bloomery build --auto -p 1e-6 -o a.bloom keys.txt 2>&1 | cut -d, -f 1-3 | head -2
bloomery: plan: any number of keys at 0.0001 %: lines, as large as the keys need \(limit .*\) (re)
bloomery: sized for 20,000 keys at 0.0001 %: lines, 6\d\d (re)
