The same bits in another container.

$ seq 1000 > keys.txt; seq 100000 > many.txt; bloomery build -q --format bits-and-blooms -n 1000 -o a.bin keys.txt && bloomery convert --to bits-and-blooms:json -o a.json a.bin
bloomery: a.json: bits-and-blooms written as bits-and-blooms:json, .* KiB; same keys, same answers (re)

$ bloomery query a.bin many.txt > one; bloomery query a.json many.txt > two; cmp one two; head -c 10 a.json
{"m":9586,

$ bloomery convert -q --to bits-and-blooms -o b.bin a.json && cmp a.bin b.bin

$ bloomery build -q --format leveldb -n 1000 --bits-per-key 10 -o l.bin keys.txt && bloomery convert -q --format leveldb --to leveldb:block -o block.bin l.bin && bloomery convert -q --format leveldb:block --to leveldb -o back.bin block.bin && cmp l.bin back.bin

$ bloomery query --format leveldb l.bin many.txt > one; bloomery query --format leveldb:block block.bin many.txt > two; cmp one two

Counters become bits.

$ bloomery build -q --layout counting -n 1000 -o counting.bloom keys.txt && bloomery convert -q --to bloomery -o bits.bloom counting.bloom && bloomery inspect bits.bloom | grep layout; bloomery query -c bits.bloom keys.txt
  layout           classic
1000

Where the hash differs nothing can be done, and the reason is reported.

$ bloomery convert --to guava -o x a.bin; echo $?; test -e x
bloomery: a.bin: a classic filter of bits-and-blooms (dialect bits-and-blooms) cannot be written as guava: that format finds the bits of a key in another way, and a filter does not keep its keys; build it from them with `bloomery build --format guava`
3
[1]

Where the filter records its size, the command is whole.

$ bloomery build -q -n 3000 -p 1/3000 -o sized.bloom keys.txt; for to in guava leveldb eventhorizon; do bloomery convert --to $to -o x sized.bloom 2>&1 | grep -o 'bloomery build.*'; done; bloomery build -q --format guava -n 3000 -p 0.000333333333333333 -o sized.guava keys.txt && bloomery query -c sized.guava keys.txt
bloomery build --format guava -n 3000 -p 0.000333333333333333 -o FILTER FILE`
bloomery build --format leveldb -n 3000 -p 0.000333333333333333 -o FILTER FILE`
bloomery build --format eventhorizon`
1000

$ bloomery convert --to nosuch -o x a.bin 2>&1 | cut -d';' -f1
bloomery: --to: unknown format 'nosuch'

$ bloomery convert --to nosuch -o x a.bin 2> /dev/null
[2]

$ bloomery convert --to bits-and-blooms -o b.bin a.json
bloomery: b.bin: the file exists; --force replaces it
[2]

$ bloomery convert --json -F --to bits-and-blooms -o b.bin a.json
{"from":"bits-and-blooms:json","to":"bits-and-blooms","bytes":\d+} (re)
