A filter in parts: built apart, joined, queried by its manifest.

$ seq 1000 > keys.txt; for i in 0 1 2; do bloomery build -q --part $i/3 -n 1000 -o s.$i-of-3.bloom keys.txt; done; ls
keys.txt
s.0-of-3.bloom
s.1-of-3.bloom
s.2-of-3.bloom

$ bloomery join --manifest -o s.bloomset s.*-of-3.bloom && bloomery query -c s.bloomset keys.txt && bloomery verify s.bloomset
bloomery: s.bloomset: the manifest of 3 parts with 1.3 KiB
1000
s.bloomset: ok (bloomery-set, checksums of the manifest and of 3 parts)

$ bloomery build -q -n 1000 -o whole.bloom keys.txt && bloomery join -o joined.bloom s.bloomset && cmp whole.bloom joined.bloom
bloomery: joined.bloom: joined 3 parts with 1.3 KiB

$ bloomery build --part 1/3 -n 1000 -o again.bloom keys.txt 2>&1 | sed 's/in [0-9.]* s/in N s/'
bloomery: plan: part 1 of 3 of a filter of 1.3 KiB for 1,000 keys at 1 %: 448 bytes of memory (limit 11.8 GiB)
bloomery: again.bloom: 1,000 records read in N s; 328 of them new keys of this part; fill 52.4 %, false positives 0.714 %

$ bloomery build --part 1/3 -n 1000 --json -q -o json.bloom keys.txt | python3 -c 'import json, sys; print(" ".join(json.load(sys.stdin)))'
part parts records skipped keys_inserted seconds bytes fill estimated_fpr

$ bloomery verify s.1-of-3.bloom; bloomery inspect s.1-of-3.bloom | grep -E 'layout|checksum|blocks'
s.1-of-3.bloom: ok (bloomery, part 1 of 3 of a filter, checksum and structure)
  layout           block, part 1 of 3
  checksum         ok
  Note: it holds the blocks 7 to 13 of 21 of a filter that only all parts together are; the goal is that of the filter.

What cannot be: no size, another layout, a part that does not exist, a part as a filter.

$ bloomery build --part 1/3 -o x.bloom keys.txt; echo $?
bloomery: --part needs the size of the whole filter, the same for every part: --keys with the number of keys of all parts, or --bits
2

$ bloomery build --part 1/3 -n 1000 --layout classic -o x.bloom keys.txt; echo $?
bloomery: --part needs --layout block or lines: a key of another layout sets bits all over the filter, so that no range of it belongs to some of the keys only
2

$ bloomery build --part 3/3 -n 1000 -o x.bloom keys.txt; echo $?
bloomery: --part: there is no part 3 of 3: parts are counted from 0 to 2
Try 'bloomery build --help'.
2

$ bloomery build --part 1/3 --auto -o x.bloom keys.txt; echo $?
bloomery: --part cannot be combined with --auto, which finds the size from the keys of one process
2

$ bloomery build --part 1/3 -n 1000 -o - keys.txt; echo $?
bloomery: -: a part is written to a file
2

$ bloomery query -c s.1-of-3.bloom keys.txt; echo $?
bloomery: s.1-of-3.bloom: this is part 1 of 3 of a filter, which only all parts together answer for: use the manifest (.bloomset) of the parts, or make one file of them with bloomery join
3

$ bloomery add s.bloomset keys.txt; echo $?
bloomery: s.bloomset: this is a filter in parts, which are built apart (build --part); to change it here, make one file of it (bloomery join)
2

Parts that do not belong together, or not all of them.

$ bloomery join -o x.bloom s.0-of-3.bloom s.2-of-3.bloom; echo $?
bloomery: part 1 of 3 is missing; build it, or name its file
2

$ bloomery build -q --part 1/3 -n 2000 -o other.bloom keys.txt; bloomery join -o x.bloom s.0-of-3.bloom other.bloom s.2-of-3.bloom; echo $?
bloomery: other.bloom: it is a part of another filter than s.0-of-3.bloom: its size differs
2

$ rm s.1-of-3.bloom; bloomery verify s.bloomset; echo $?
bloomery: s.bloomset: part 1 of 3 (s.1-of-3.bloom): cannot open: No such file or directory; build it again, with the other options of the first time: bloomery build --part 1/3 -n 1000 -p 0.01 -o s.1-of-3.bloom FILE
2

$ cd ..; bloomery verify "$OLDPWD/s.bloomset" 2>&1 | grep -c "bloomery build --part 1/3 -n 1000 -p 0.01 -o $OLDPWD/s.1-of-3.bloom FILE"
1

$ bloomery build --part 1/3 -n 1000 -p 0.01 -o s.1-of-3.bloom keys.txt 2> /dev/null && bloomery verify s.bloomset
s.bloomset: ok (bloomery-set, checksums of the manifest and of 3 parts)

The size of one that was built by --bits is not recorded in keys.

$ for i in 0 1; do bloomery build -q --part $i/2 --bits 8192 --probes 8 -o bits.$i-of-2.bloom keys.txt; done; bloomery join -q --manifest -o bits.bloomset bits.*-of-2.bloom; rm bits.0-of-2.bloom; bloomery verify bits.bloomset
bloomery: bits.bloomset: part 0 of 2 (bits.0-of-2.bloom): cannot open: No such file or directory; build it again by build --part, with the options of the other parts
[2]

$ test -e x.bloom; echo $?
1

Records are routed, or a filter is cut.

$ bloomery split --parts 4 -n 1000 -o routed keys.txt 2>&1 | sed 's/in [0-9.]* s/in N s/'; ls routed; cat routed/* | sort -n | cmp - keys.txt
bloomery: 1,000 records in 4 parts, 222 to 276 each, in N s
records.0-of-4
records.1-of-4
records.2-of-4
records.3-of-4

$ bloomery split --parts 4 -n 1000 -o routed keys.txt; echo $?
bloomery: routed/records.0-of-4: the file exists; --force replaces it
2

$ bloomery split --parts 2 --filter whole.bloom -o cut && ls cut && bloomery join -q -o again2.bloom cut/whole.bloomset && cmp again2.bloom whole.bloom
bloomery: cut/whole.bloomset: 2 parts of at most 832 bytes
whole.0-of-2.bloom
whole.1-of-2.bloom
whole.bloomset

$ bloomery split --parts 2 -o x keys.txt; echo $?
bloomery: split needs the size of the whole filter, the same for every part: --keys with the number of keys of all parts, or --bits
2

Each part of dedup prints records of its own keys.

$ for i in 0 1 2; do cat keys.txt keys.txt | bloomery dedup -q --part $i/3 -n 1000; done | sort -n | cmp - keys.txt

$ cat keys.txt keys.txt | bloomery dedup --part 0/3 -n 1000 -c
340
bloomery: part 0 of 3: 2,000 records read, 680 of this part: 340 kept, 340 dropped as seen before; fill 28.1 %, false positives 0.0081 %

$ bloomery dedup --part 0/3 -n 1000 --exact keys.txt; echo $?
bloomery: --part cannot be combined with --exact
2

$ bloomery dedup --part 0/3 keys.txt; echo $?
bloomery: --part needs the size of the whole filter, the same for every part: --keys with the number of keys of all parts, or --bits
2

$ bloomery dedup --part 0/3 -n 1000 --layout lines keys.txt; echo $?
bloomery: --part needs --layout block: with several lines per key no part alone knows whether a key is new
2

A low rate chooses the layout lines: a record is then in each file that a builder needs it in.

$ bloomery split --parts 4 -n 1000 -p 1e-6 -o several keys.txt 2>&1 | sed 's/in [0-9.]* s/in N s/'; cat several/* | sort -nu | cmp - keys.txt
bloomery: 1,000 records in 4 parts, 419 to 451 each, in N s
bloomery: 743 records are in more than one file, because a key has several lines in a filter of the layout lines: right for build --part; to deduplicate file by file, split with --layout block

$ bloomery split -q --parts 4 -n 1000 -p 1e-6 --layout block -o single keys.txt; for i in 0 1 2 3; do bloomery dedup -q --seed 5 single/records.$i-of-4; done | sort -n | cmp - keys.txt

A part of dedup that is over its design says so, and is refused with --strict.

$ bloomery dedup --part 0/3 -n 100 -c keys.txt 2>&1 | tail -1
bloomery: warning: the part is over its design; its false-positive rate is 59.6 %

$ bloomery dedup -q --part 0/3 -n 100 --strict -o refused.txt keys.txt; echo $?
bloomery: the part is over its design (its false-positive rate is 59.6 %), and --strict forbids it
4

$ ls refused.txt* 2>/dev/null
[2]

An input is not overwritten, neither under the name of a routed file nor under that of its beginning.

$ mkdir own; cp keys.txt own/records.0-of-2.partial; bloomery split --parts 2 -n 1000 -o own own/records.0-of-2.partial; echo $?; cmp keys.txt own/records.0-of-2.partial
bloomery: own/records.0-of-2.partial: input file is output file
2
