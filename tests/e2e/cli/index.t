$ for i in 1 2 3; do seq $i $i 60 | bloomery build -q --layout block --bits 4096 --probes 8 -o f$i.bloom; done; seq 500 599 | bloomery build -q --layout block --bits 4096 --probes 8 -o f4.bloom

$ bloomery index build -o all.bloomindex f1.bloom f2.bloom f3.bloom
bloomery: all.bloomindex: 3 filters, 8.2 KiB

Every key with every filter that may hold it; the answers are those of each filter.

$ bloomery index query all.bloomindex 6 7 8 9000
6	f1.bloom
6	f2.bloom
6	f3.bloom
7	f1.bloom
8	f1.bloom
8	f2.bloom

$ seq 2000 > keys; for f in f1 f2 f3; do bloomery query -q $f.bloom keys | sed "s/$/\t$f.bloom/"; done | sort > each; bloomery index query --keys-from keys all.bloomindex | sort > index; cmp each index

$ bloomery index query -j 4 all.bloomindex < keys | sort | cmp - each

$ bloomery index query all.bloomindex 9000
[1]

$ bloomery index query -c all.bloomindex 6 7 9000
6	3
7	1
9000	0

A file that is named as a key.

$ bloomery index query all.bloomindex keys 7; bloomery index query -q all.bloomindex keys
bloomery: warning: keys is taken as a key; --keys-from keys reads the file
7	f1.bloom
[1]

An index is no filter, and the other commands name those that read it.

$ for command in query inspect verify; do bloomery $command all.bloomindex < keys; echo $?; done
bloomery: all.bloomindex: this is an index of filters, not a filter; use bloomery index query, inspect or verify
2
bloomery: all.bloomindex: this is an index of filters, not a filter; use bloomery index query, inspect or verify
2
bloomery: all.bloomindex: this is an index of filters, not a filter; use bloomery index query, inspect or verify
2

Several keys.

$ bloomery index query --all all.bloomindex 2 4 8
f1.bloom	3
f2.bloom	3

$ bloomery index query --any all.bloomindex 9 7
f1.bloom	2
f3.bloom	1

$ bloomery index query --min 0.5 all.bloomindex 9 7; bloomery index query --min 51% all.bloomindex 9 7
f1.bloom	2
f3.bloom	1
f1.bloom	2

$ bloomery index query --all -c all.bloomindex 2 4 8
2

$ bloomery index query --all --any all.bloomindex 2
bloomery: --any cannot be combined with --all
Try .* (re)
[2]

JSON.

$ bloomery index query --json all.bloomindex 6 7 | python3 -c 'import json, sys; d = json.load(sys.stdin); del d["seconds"]; print(d)'
{'results': [{'key': '6', 'filters': ['f1.bloom', 'f2.bloom', 'f3.bloom']}, {'key': '7', 'filters': ['f1.bloom']}], 'keys': 2, 'filters': 3, 'hits': 4, 'skipped': 0}

$ bloomery index query --json --all all.bloomindex 6 8 | python3 -c 'import json, sys; print(json.load(sys.stdin)["results"])'
[{'name': 'f1.bloom', 'held': 2}, {'name': 'f2.bloom', 'held': 2}]

$ bloomery index query --json -c all.bloomindex < /dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["results"], d["keys"])'
[] 0

Records and their keys, as query reads them.

$ printf 'id,n\na,6\nb,7\n' > rows.csv; bloomery index query -c --csv -f n --keys-from rows.csv all.bloomindex
a,6	3
b,7	1

$ bloomery index query --csv -f n all.bloomindex 6
bloomery: a key on the command line is whole: options that choose a part of records need --keys-from FILE
[2]

$ bloomery index query --hex -c all.bloomindex 36 zz
bloomery: the key zz: it is not hexadecimal (byte 1)
[2]

Append, delete, compact.

$ bloomery index append all.bloomindex f4.bloom
bloomery: all.bloomindex: 4 filters, .* added 1.* (re)

$ bloomery index query all.bloomindex 555
555	f4.bloom

$ bloomery index append all.bloomindex f4.bloom
bloomery: all.bloomindex: f4.bloom: the index has a filter called f4.bloom; give this one another name (--name), or replace that (--replace)
[2]

$ bloomery index append -q --replace --name f4.bloom all.bloomindex f1.bloom; bloomery index query all.bloomindex 7
7	f1.bloom
7	f4.bloom

$ bloomery index delete -q all.bloomindex f1.bloom nothing
bloomery: all.bloomindex: it has no filter called nothing; nothing was deleted
[2]

$ bloomery index delete -q all.bloomindex f1.bloom f3.bloom; bloomery index list all.bloomindex; bloomery index query all.bloomindex 6
f2.bloom
f4.bloom
6	f2.bloom
6	f4.bloom

$ bloomery index compact --json all.bloomindex
{"index":"all.bloomindex","filters":2,"added":0,"deleted":0,"bytes":.*,"dead_bytes":0,"rewritten":true} (re)

$ bloomery index verify all.bloomindex
all.bloomindex: ok (2 filters, checksums and structure)

$ bloomery index list --long all.bloomindex
filter      fill  false positives  keys
f2.bloom .* (re)
f4.bloom .* (re)

$ bloomery index inspect --json all.bloomindex | python3 -c 'import json, sys; d = json.load(sys.stdin); print(" ".join(d)); print(d["filters"], d["deleted"], d["layout"], d["bits"], d["probes"], d["funnel"])'
index filters deleted segments changes bytes dead_bytes layout bits probes profile funnel fill highest_fpr expected_false_hits
2 0 block 4096 8 bytes

Filters that do not fit, and files that are none.

$ seq 10 | bloomery build -q --layout block --bits 8192 --probes 8 -o other.bloom; bloomery index build -o x.bloomindex f1.bloom other.bloom; echo $?; test -e x.bloomindex
bloomery: x.bloomindex: other.bloom: its number of bits is 8192, and that of the others is 4096; an index holds filters of one shape
3
[1]

$ bloomery index build -o all.bloomindex f1.bloom
bloomery: all.bloomindex: the file exists; --force replaces it
[2]

$ bloomery index query f1.bloom 6
bloomery: f1.bloom: an index of filters starts with the bytes BLOOMIDX, and this file does not
[3]

$ printf '\001' | dd of=all.bloomindex bs=1 seek=5000 conv=notrunc 2> /dev/null; bloomery index verify all.bloomindex
bloomery: all.bloomindex: segment 0: the bytes 4096 to 8191 do not match their checksum: rows were damaged; build the index again from its filters
[3]

$ truncate -s 6000 all.bloomindex; bloomery index query all.bloomindex 6
bloomery: all.bloomindex: the index has .* bytes, and the file has 6000 (re)
[3]

$ mkfifo pipe; bloomery index query pipe 6; bloomery index list .
bloomery: pipe: an index of filters is a regular file
bloomery: .: an index of filters is a regular file
[2]

$ bloomery index query none.bloomindex 6
bloomery: none.bloomindex: cannot open: No such file or directory
[2]

Keys have the type of the filters' funnel, and keyed filters need their secret.

$ printf 'a secret' > s; for i in 1 2; do seq $i $i 50 | bloomery build -q --layout block --funnel u64 --profile siphash --secret-file s -n 100 -p 1e-6 -o k$i.bloom 2> log || cat log; done; bloomery index build -q -o k.bloomindex k1.bloom k2.bloom; bloomery index query k.bloomindex 6
bloomery: k.bloomindex: this filter is keyed: it cannot be opened without its secret
[3]

$ bloomery index query --secret-file s k.bloomindex 6 49; bloomery index query --secret-file s k.bloomindex six
6	k1.bloom
6	k2.bloom
49	k1.bloom
bloomery: the key six: "six" is not a key of the funnel u64: it is not a decimal number (byte 1)
[2]

$ bloomery index append none.bloomindex f1.bloom
bloomery: none.bloomindex: there is no such index, or another process replaced it meanwhile
[2]

One file has one name, and a name stays on its line.

$ bloomery index build -q -o twice.bloomindex ./f1.bloom; bloomery index append twice.bloomindex f1.bloom
bloomery: twice.bloomindex: .*f1.bloom.* (re)
[2]

$ bloomery index append --name "$(printf 'a\tb')" twice.bloomindex f1.bloom
bloomery: the name of the filter 1 holds a tab or the end of a line, by which answers are divided; choose another with --name
[2]
