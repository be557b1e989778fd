Each different record once, with how often it occurs, in the order of first occurrence.

$ printf 'b\na\nb\n\nc\na\n\nb\n' > a.txt; bloomery dedup -q --count-each a.txt
3	b
2	a
2	
1	c

$ bloomery dedup -q --count-each -d a.txt | cut -f 1; cat a.txt | bloomery dedup -q --count-each | cmp - <(bloomery dedup -q --count-each a.txt)
3
2
2

$ printf '1 x\n2 x\n3 y\n' | bloomery dedup -q --count-each -f 2 -t ' '
2	1 x
1	3 y

$ seq 300000 | awk '{print $1 % 70000}' > many.txt; bloomery dedup -q -j2 --count-each many.txt > counted; sort many.txt | uniq -c | awk '{print $1 "\t" $2}' | sort | cmp - <(sort counted); cut -f 2 counted | cmp - <(awk '!x[$0]++' many.txt)

A filter that is far too small costs time, not truth.

$ bloomery dedup -q --count-each -n 10 many.txt 2> /dev/null | cmp - counted

$ bloomery dedup --count-each many.txt 2>&1 > /dev/null | tail -1
bloomery: 300,000 records in .*: 70,000 kept, 230,000 dropped as repeats \(about 0 counted wrongly: 70,\d{3} repeated keys in a table of fingerprints\); fill .*, false positives .* (re)

The last of equal records, in input order.

$ bloomery dedup -q --keep last a.txt | sed 's/^$/(empty)/'
c
a
(empty)
b

$ printf '1\ta\n2\tb\n1\tc\n' | bloomery dedup -q --keep last -f 1
2	b
1	c

$ tac many.txt | awk '!x[$0]++' | tac > last; for j in 1 2 3; do bloomery dedup -q -j $j --keep last many.txt | cmp - last; done; gzip -c many.txt | bloomery dedup -q --keep last | cmp - last

$ bloomery dedup -q --keep last --dupes gone many.txt | sort | cmp - <(sort last); cat gone last | sort | cmp - <(sort many.txt)

$ bloomery dedup -q --keep last -c many.txt; bloomery dedup -q --keep first a.txt | head -1
70000
b

$ bloomery dedup -q --keep last --json a.txt | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["selected"], j["repeated_keys"], j["expected_wrong_drops"] < 1e-9, j["suspects"])'
4 3 True None

$ bloomery dedup -q --exact --json a.txt | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["selected"], j["repeated_keys"], j["expected_wrong_drops"], j["suspects"])'
4 None 0.0 4

$ bloomery dedup -q --keep last -n 10 -m 256Ki many.txt > /dev/null
bloomery: the table of [\d,]+ repeated keys takes .*; --memory allows 256.0 KiB (re)
[4]

What cannot go together is refused in a sentence.

$ bloomery dedup --exact --keep last a.txt
bloomery: --exact cannot be combined with --keep last, which compares fingerprints of 64 bits; the summary says how many wrong records to expect
[2]

$ bloomery dedup --exact --count-each a.txt
bloomery: --exact cannot be combined with --count-each, which compares fingerprints of 64 bits; the summary says how many wrong records to expect
[2]

$ bloomery dedup --keep last --count-each a.txt
bloomery: --count-each prints the first of equal records; leave --keep last out
[2]

$ bloomery dedup --count-each --json a.txt
bloomery: --count-each prints records, but --json prints none; leave one of them out
[2]

$ bloomery dedup -q --save old.bloom a.txt > /dev/null; bloomery dedup --keep last --save old.bloom a.txt
bloomery: --keep last cannot confirm what old.bloom drops, because a filter does not store its keys; give --save a new file
[2]

$ bloomery dedup --count-each --against old.bloom a.txt
bloomery: --count-each cannot be combined with --against, because a filter does not store its keys
[2]

$ bloomery dedup --documents --count-each a.txt
bloomery: --count-each has no effect with --documents; leave the option out
[2]

A mark as a member of JSON records.

$ printf '{"id":1}\n{"id":2,"n":{}}\n {"id":1} \n' > j.jsonl; bloomery dedup -q --json-key /id --mark-name seen j.jsonl
{"id":1,"seen":"new"}
{"id":2,"n":{},"seen":"new"}
 {"id":1,"seen":"repeat"} 

$ printf '{}\n[]\n' | bloomery dedup -q --json-key /id --missing skip --mark-name 'a"b'
{"a\"b":"new"}
bloomery: standard input: record 2: it is no JSON object, so it cannot get a member; use --mark
[2]

$ printf '{"id":1,"s\\u0065en":2}\n' | bloomery dedup -q --json-key /id --mark-name seen
bloomery: standard input: record 1: it has a member seen already; --mark-name gives another name
[2]

$ bloomery dedup --mark-name seen a.txt
bloomery: --mark-name names a member of JSON records or a column, and neither --json-key, --csv nor --tsv is given; --mark marks records of any kind
[2]

Or the name of the column that CSV gets.

$ printf 'id,n\n1,a\n1,b\n' > m.csv; bloomery dedup -q --csv -f id --mark-name seen m.csv; bloomery dedup -q --csv -f id --mark-name 'a,"b' m.csv | head -1
seen,id,n
new,1,a
repeat,1,b
"a,""b",id,n

$ tr , '\t' < m.csv | bloomery dedup -q --tsv -f id --mark-name 'was it' | head -1; bloomery dedup -q --csv --mark-name n m.csv
was it	id	n
bloomery: the header has a column 'n' already, and another one of this name would be put before it; rename it
[2]

$ bloomery dedup -q --csv --no-header --mark-name seen m.csv
bloomery: --mark-name names a column, and with --no-header columns have no names; use --mark
[2]

$ bloomery dedup -q --tsv --mark-name $'a\tb' m.csv
bloomery: --mark-name: a tab or a newline cannot be in the name of a column of TSV
[2]

Records into a file: it is complete or the old one.

$ echo old > out.txt; bloomery dedup -q -o out.txt a.txt; cat out.txt
bloomery: out.txt: the file exists; --force replaces it
old

$ bloomery dedup -q --force -o out.txt a.txt; bloomery dedup -q a.txt | cmp - out.txt; ls out.txt*
out.txt

$ echo old > out.txt; printf 'ab\nxyz\n' | bloomery dedup -q --hex --force -o out.txt; cat out.txt; ls out.txt*
bloomery: standard input: record 2 \(byte 1 of the record\): .* (re)
old
out.txt

No file that is read is written, nor under the name that the output has until it is complete.

$ cp a.txt x.partial; bloomery dedup -q -o x x.partial; cmp a.txt x.partial; ls x*
bloomery: x.partial: input file is output file
x.partial

$ bloomery build -q -n 10 -o against.bloom a.txt; bloomery dedup -q --against against.bloom --force -o against.bloom a.txt; bloomery inspect -q against.bloom | grep -c health
bloomery: against.bloom: input file is output file
1

$ bloomery dedup -q -o - a.txt | cmp - out2.txt 2>/dev/null; ls ./- 2>&1 | grep -c 'No such'
1

$ bloomery dedup -q -o z.xz a.txt
bloomery: z.xz: xz is read, but not written; name it .zst or .gz, or give --compress
[2]

$ bloomery dedup -q -o a.txt a.txt
bloomery: a.txt: .* (re)
[2]

$ bloomery dedup -q -o no/out.txt a.txt
bloomery: no/out.txt.partial: cannot write: No such file or directory
[2]

$ bloomery dedup -q -o /dev/full a.txt
bloomery: /dev/full: cannot write: No space left on device
[2]

$ bloomery dedup -q -o x.txt -c a.txt
bloomery: --output takes the records, but --count prints none; leave one of them out
[2]

$ ln -s real.txt link.txt; bloomery dedup -q -o link.txt a.txt; readlink link.txt; wc -l < link.txt
real.txt
4

An empty name is a variable that a script did not set: nothing is left out for it.

$ for option in --dupes --save --against --records-file --secret-file -o --mark-name; do bloomery dedup -q $option '' a.txt; echo "exit $?"; done 2>&1 | grep -v '^Try'
bloomery: --dupes: the name is empty
exit 2
bloomery: --save: the name is empty
exit 2
bloomery: --against: the name is empty
exit 2
bloomery: --records-file: the name is empty
exit 2
bloomery: --secret-file: the name is empty
exit 2
bloomery: --output: the name is empty
exit 2
bloomery: --mark-name: the name is empty
exit 2

$ bloomery dedup -q -r --glob '' . 2>&1 | head -1; bloomery dedup -q '' 2>&1 | head -1; bloomery build -q -o '' a.txt 2>&1 | head -1; bloomery query -q '' a.txt 2>&1 | head -1
bloomery: --glob: the name is empty
bloomery: FILE: the name is empty
bloomery: --output: the name is empty
bloomery: FILTER: the name is empty

Compressed output, by the name or as given.

$ for name in o.zst o.gz; do bloomery dedup -q -j2 -o $name many.txt; done; zstd -dc o.zst | cmp - <(awk '!x[$0]++' many.txt); gzip -dc o.gz | cmp - <(awk '!x[$0]++' many.txt); bloomery dedup -q -c o.gz o.zst
70000

$ bloomery dedup -q --compress zstd a.txt | zstd -dc | wc -l; bloomery dedup -q -d --compress gzip <(seq 3) | gzip -dc | wc -c; bloomery dedup -q --compress none -o plain.gz a.txt; wc -l < plain.gz
4
0
4

The repeats likewise.

$ bloomery dedup -q --dupes d.gz -o once.zst many.txt; zstd -dc once.zst | cmp - <(awk '!x[$0]++' many.txt); gzip -dc d.gz | cmp - <(awk 'x[$0]++' many.txt); bloomery dedup -q --dupes d.zst many.txt > /dev/null; zstd -dc d.zst | cmp - <(gzip -dc d.gz)

$ bloomery dedup -q --compress gzip --dupes d.txt many.txt | gzip -dc | cmp - <(zstd -dc once.zst); gzip -dc < d.txt | cmp - <(gzip -dc d.gz); bloomery dedup -q -c --compress none --dupes d.gz a.txt; wc -l < d.gz
4
4

$ bloomery dedup -q --dupes d.xz a.txt
bloomery: d.xz: xz is read, but not written; name it .zst or .gz, or give --compress
[2]

$ bloomery dedup -q --save cd.bloom --checkpoint 50k --dupes cd.gz -o cd.txt many.txt; gzip -dc cd.gz | cmp - <(awk 'x[$0]++' many.txt)

$ bloomery dedup -c --compress gzip a.txt
bloomery: --compress takes the records, but --count prints none; leave one of them out
[2]

What a run would cost. Nothing is written.

$ seq 200000 > n.txt; bloomery dedup -q --explain --save new.bloom -n 200k -o never.txt n.txt; ls new.bloom never.txt never.txt.partial 2> /dev/null
records              200,000 (counted); at most as many different keys
memory               580.0 KiB for the filter \(block\); --memory allows .* (re)
wrong drops          about 2.6 if all keys differ
time                 about .* with 1 thread \(.*/s on a sample of 1.2 MiB\) (re)
to halve the memory  -p 0.0046: 290.0 KiB, about 138 dropped wrongly
to halve wrong drops -p 5e-05: 653.1 KiB, about 1.3 dropped wrongly
to halve the time    .* (re)
[2]

$ bloomery dedup -q --explain --json n.txt | python3 -c 'import json, sys; j = json.load(sys.stdin); print(*j); print(j["records"], j["bytes"], round(j["expected_wrong_drops"], 1), j["halve_memory"]["option"], j["halve_wrong_drops"]["option"], j["seconds"] > 0)'
records records_are_counted bytes table_bytes readings memory_limit layout expected_wrong_drops threads seconds records_per_second sample_bytes halve_memory halve_wrong_drops halve_time
200000 593920 2.6 -p 0.0046 -p 5e-05 True

$ bloomery dedup -q --explain --exact n.txt | grep -c 'no record is dropped wrongly'
1

An input with more keys than planned: no figure is larger than the input, and the advice is to plan for more.

$ bloomery dedup -q --explain -n 1000 n.txt | grep -e drops -e 'halve the memory'
wrong drops          about 180,610 if all keys differ
to halve the memory  -p 0.0046: 1.5 KiB, about 189,699 dropped wrongly
to halve wrong drops -n 200000: 577.6 KiB, about 2.7 dropped wrongly

A filter that grows, of this run or an earlier one: as many wrong drops as its run expects then.

$ bloomery dedup -q --explain --save grows.bloom n.txt | grep drops; bloomery dedup --save grows.bloom n.txt 2>&1 > /dev/null | grep -o 'about .* wrongly'
wrong drops          about 0 if all keys differ
to halve wrong drops hardly any record is dropped wrongly
about 0 wrongly

$ bloomery dedup -q -n 50000 --layout scalable -p 1% --save layers.bloom n.txt > /dev/null; seq 200001 400000 > more.txt; bloomery dedup -q --explain --save layers.bloom more.txt | grep ^wrong; bloomery dedup --save layers.bloom more.txt 2>&1 > /dev/null | grep -o 'about .* wrongly'
wrong drops          about 1,594 if all keys differ
about 1,580 wrongly

What a run keeps of the repeats besides the filter, and how often it reads.

$ seq 200000 | awk '{print $1 % 60000}' > again.txt; for o in '--keep last' --count-each --exact; do bloomery dedup -q --explain $o again.txt | grep -e ^memory -e ^time; done
memory               248.0 KiB for the filter \(block\) and up to .* MiB for the repeated keys; --memory allows .* (re)
time                 about .* with 1 thread in 2 readings \(.*/s on a sample of 1.1 MiB\) (re)
memory               248.0 KiB for the filter \(block\) and up to .* MiB for the repeated keys; --memory allows .* (re)
time                 about .* with 1 thread in 2 readings \(.*/s on a sample of 1.1 MiB\) (re)
memory               248.0 KiB for the filter \(block\) and up to .* MiB for the repeated keys; --memory allows .* (re)
time                 about .* with 1 thread in 3 readings \(.*/s on a sample of 1.1 MiB\) (re)

A column of a Parquet file is read in pages, and the time is that of them.

$ cp $GOLDEN/parquet/users.parquet .; bloomery dedup -q --explain --json --column user_id users.parquet | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["records"], j["seconds"] < 60, j["sample_bytes"] > 1)'
6 True True

$ cat n.txt | bloomery dedup -q --explain
bloomery: --explain reads a sample and leaves the input as it is, so it needs files by name; a pipe would be used up
[2]

A run with checkpoints; dedup_resume.py kills it.

$ bloomery dedup -q --save c.bloom --checkpoint 50k -o c.txt many.txt; cmp c.txt <(awk '!x[$0]++' many.txt); ls c.txt* c.bloom
c.bloom
c.txt

$ bloomery dedup -q --checkpoint 50k many.txt
bloomery: --checkpoint needs --save FILTER and -o FILE: a run goes on from the files that an earlier one left
[2]

$ cat many.txt | bloomery dedup -q --save p.bloom --checkpoint 50k -o p.txt
bloomery: standard input: --checkpoint needs regular files, because a pipe cannot be read again; write it to a file first
[2]

$ bloomery dedup -q --save p.bloom --checkpoint often -o p.txt many.txt
bloomery: --checkpoint: 'often' is not a number such as 250, 10M, 1e9 or 4Gi
Try 'bloomery dedup --help'.
[2]

$ bloomery dedup -q --exact --save p.bloom --checkpoint 1k -o p.txt many.txt
bloomery: --checkpoint cannot be combined with --exact, which reads the input more than once
[2]

Documents: the same output options.

$ printf '{"text":"one paragraph of some length"}\n{"text":"one paragraph of some length"}\n' > d.jsonl; bloomery dedup -q --documents -o d.jsonl.zst d.jsonl; zstd -dc d.jsonl.zst; bloomery dedup -q --documents --compress gzip d.jsonl | gzip -dc | wc -l
{"text":"one paragraph of some length"}
1

$ mkdir dir; cp d.jsonl dir/a.jsonl; cp d.jsonl dir/b.json; ls dir/* > list; bloomery dedup -q -c --documents -r --glob '*.jsonl' dir; bloomery dedup -q -c --documents -r dir; bloomery dedup -q --documents --records-file list
1
1
{"text":"one paragraph of some length"}

$ bloomery dedup -q --documents --stats-fd 3 d.jsonl 3>&1 > /dev/null | grep -o '"documents":[0-9]*\|"dropped":[0-9]*'; bloomery dedup -q --documents --stats-fd 9 d.jsonl
"documents":2
"dropped":1
bloomery: --stats-fd: descriptor 9 is not open; open it in the shell: 9>FILE
[2]

$ echo old > d.out; bloomery dedup -q --documents -o d.out d.jsonl; bloomery dedup -q --documents --force -o d.out d.jsonl; cat d.out; rm d.out
bloomery: d.out: the file exists; --force replaces it
{"text":"one paragraph of some length"}

$ bloomery dedup -q --documents --explain --save dp.bloom -n 1000 -o dp.out d.jsonl; bloomery dedup -q --documents --explain --json d.jsonl | tr , '\n' | grep -e keys -e wrong; ls dp.* 2> /dev/null
keys           2 (counted); at most as many different ones
memory         3.1 KiB for the filter \(block\), about 16.0 MiB in all with buffers; --memory allows .* (re)
wrong repeats  about 0 keys taken for repeats if all differ
{"keys":2
"keys_are_counted":true
"expected_wrong":.*} (re)
[2]

$ bloomery dedup -q --documents --explain < d.jsonl
bloomery: --explain reads a sample and leaves the input as it is, so it needs files by name; a pipe would be used up
[2]

$ bloomery dedup -q --documents -c -o d.out d.jsonl
bloomery: --output takes the documents, but --count prints none; leave one of them out
[2]

$ printf 'no json\n' | bloomery dedup -q --documents -o d.out; ls d.out d.out.partial 2> /dev/null
bloomery: standard input: record 1 \(byte 1 of the record\): .* (re)
[2]
