$ seq 100 > a.txt && bloomery build -q -o f.bloom -n 1000 a.txt && seq 101 200 | bloomery add f.bloom
bloomery: plan: f\.bloom: block, 10,752 bits, 8 probes, 1\.3 KiB of memory \(limit .*\) (re)
bloomery: f.bloom: 100 records added in .* s \(.*/s\); 0 were already present or collided \(about 0 collisions expected\); fill .* %, false positives .* (re)

$ seq 200 > b.txt && bloomery query -c f.bloom b.txt
200

Adding in two steps gives the bytes of building in one.

$ bloomery build -q -o g.bloom -n 1000 b.txt && cmp f.bloom g.bloom

The design is guarded with --strict: the file stays as it was.

$ seq 9000 > many.txt && bloomery add -q --strict f.bloom many.txt
bloomery: f.bloom: not saved: the filter would be over its design, which --strict forbids
[4]

$ cmp f.bloom g.bloom

$ bloomery add f.bloom many.txt 2>&1 | grep -c 'warning: f.bloom: the filter is .* its false-positive rate is'
1

A file that is missing ends the command before the filter changes.

$ cp g.bloom h.bloom; bloomery add -q h.bloom a.txt missing.txt
bloomery: missing.txt: cannot read: No such file or directory; keys are read from files or standard input: echo KEY | bloomery add FILTER
[2]

$ cmp g.bloom h.bloom

So does a record that is no key.

$ printf '61\nzz\n' | bloomery add -q --hex h.bloom
bloomery: standard input: record 2 (byte 1 of the record): it is not hexadecimal
[2]

$ cmp g.bloom h.bloom
