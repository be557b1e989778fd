Which part of a record is the key.

$ printf 'a,1\nb,2\n' > pairs.csv && bloomery build -q -o f.bloom -n 10 -p 1e-6 -f 1 -t , pairs.csv && printf 'b\nc\n' | bloomery query f.bloom
b

The whole record is printed, whatever the key was.

$ printf 'x:9:a\ny:9:c\n' | bloomery query -f 3 -t : f.bloom
x:9:a

$ printf 'x\ta\t1\nx\tb\t2\nx\tq\t3\n' | bloomery query -f 2 f.bloom
x	a	1
x	b	2

$ printf '{"user":{"id":"a"}}\n{"user":{"id":"z"}}\n' | bloomery query --json-key /user/id f.bloom
{"user":{"id":"a"}}

A record without its key ends the command, once the records before it are done.

$ printf '{"id":"a"}\n{"no":1}\n{"id":"b"}\n' > gap.jsonl; bloomery query --json-key /id f.bloom gap.jsonl
{"id":"a"}
bloomery: gap.jsonl: record 2: it has no value at /id; --missing skip leaves such records out
[2]

$ printf 'x\ta\ny\nx\tb\n' > gap.tsv; bloomery query -f 2 f.bloom gap.tsv
x	a
bloomery: gap.tsv: record 2 (byte 2 of the record): it has no field 2, only 1 (the separator is tab; -t sets another); --missing skip leaves such records out
[2]

$ bloomery dedup -q -f 2 gap.tsv
x	a
bloomery: gap.tsv: record 2 (byte 2 of the record): it has no field 2, only 1 (the separator is tab; -t sets another); --missing skip prints such records as they are
[2]

$ bloomery dedup -q -j 3 --json-key /id gap.jsonl
{"id":"a"}
bloomery: gap.jsonl: record 2: it has no value at /id; --missing skip prints such records as they are
[2]

A filter is not saved then: there is none, or the old one stays.

$ bloomery build -n 10 -o gap.bloom -f 2 gap.tsv 2>&1 | grep -v plan; ls gap.bloom
bloomery: gap.tsv: record 2 (byte 2 of the record): it has no field 2, only 1 (the separator is tab; -t sets another); --missing skip leaves such records out
bloomery: gap.bloom: not saved
ls: cannot access 'gap.bloom': No such file or directory
[2]

$ cp f.bloom kept.bloom; bloomery add -f 2 f.bloom gap.tsv 2>&1 | grep -v plan; cmp f.bloom kept.bloom
bloomery: gap.tsv: record 2 (byte 2 of the record): it has no field 2, only 1 (the separator is tab; -t sets another); --missing skip leaves such records out
bloomery: f.bloom: not saved; the old file is unchanged

With --missing skip it is left out and counted. Dedup prints it, for without a key it repeats nothing.

$ bloomery query --missing skip -f 2 --line-number f.bloom gap.tsv
1:x	a
3:x	b
bloomery: 1 record without a key was skipped

$ bloomery query --missing skip -f 2 --json f.bloom gap.tsv 2> /dev/null | grep -o '"records":3,"selected":2,"dropped":0\|"skipped":1'
"records":3,"selected":2,"dropped":0
"skipped":1

$ bloomery build -n 10 --missing skip -o gap.bloom --json-key /id gap.jsonl 2>&1 | grep -o '2 records added\|1 record without a key was skipped'
2 records added
1 record without a key was skipped

$ printf 'x\ta\ny\ny\nz\ta\n' > twice.tsv; bloomery dedup -f 2 --missing skip twice.tsv 2>&1 | grep -v plan
x	a
y
y
bloomery: 4 records in .*: 3 kept, 1 dropped as repeats \(about 0 wrongly\); 2 of the kept have no key; fill .* (re)

$ bloomery dedup -q -f 2 --missing skip --exact twice.tsv; bloomery dedup -q -d -f 2 --missing skip twice.tsv; bloomery dedup -q --json -f 2 --missing skip twice.tsv | grep -o '"records":4,"selected":3,"dropped":1\|"skipped":2'
x	a
y
y
z	a
"records":4,"selected":3,"dropped":1
"skipped":2

With --missing empty all such records share the empty key.

$ bloomery dedup -q -f 2 --missing empty twice.tsv
x	a
y

Quoted fields are not split: they are refused, unless quotes are ordinary characters.

$ printf 'x,"a,b",1\n' > quoted.csv; bloomery query -t , -f 2 f.bloom quoted.csv
bloomery: quoted.csv: record 1 (byte 3 of the record): field 2 begins with a double quote, and -f does not read quoted fields: --csv does, --quotes plain takes quotes as ordinary characters
[2]

$ bloomery dedup -q -t , -f 2 --quotes plain quoted.csv
x,"a,b",1

$ bloomery dedup -q --csv --no-header -t , -f 2 quoted.csv
x,"a,b",1

Several fields are one list.

$ bloomery dedup -q -t , -f 2 -f 3 quoted.csv
bloomery: --field is given twice; name all of its fields at once: -f a,b
Try 'bloomery dedup --help'.
[2]

Lines that end in CR LF: keys keep the CR, and the command says so; --crlf leaves it out.

$ printf 'a\r\nb\r\n' > dos.txt; bloomery query -c f.bloom dos.txt
bloomery: warning: dos.txt: its lines end in CR LF, and keys keep the CR; --crlf leaves it out
0
[1]

$ bloomery query --crlf f.bloom dos.txt | od -An -c
   a  \r  \n   b  \r  \n

A byte order mark is part of the first record, and the command says so.

$ printf '\357\273\277a\nb\n' > mark.txt; bloomery query -c f.bloom mark.txt
bloomery: warning: mark.txt: it begins with a UTF-8 byte order mark, which is part of the first record; remove it with sed '1s/^\xef\xbb\xbf//'
1

$ sed '1s/^\xef\xbb\xbf//' mark.txt | bloomery query -c f.bloom
2

$ bloomery dedup -q mark.txt | od -An -c
 357 273 277   a  \n   b  \n

JSON with a NUL or with bytes that are no UTF-8 is none.

$ printf '{"id":"a"}\0{"id":"z"}\n' | bloomery query --json-key /id f.bloom
bloomery: standard input: record 1 (byte 11 of the record): it is not JSON: more follows the end of the value
[2]

$ printf '{"id":"\377"}\n' | bloomery query --json-key /id f.bloom
bloomery: standard input: record 1 (byte 8 of the record): it is not JSON: a string is not valid UTF-8
[2]

$ printf '61\n0x62\n\n63\n' | bloomery query --hex f.bloom
61
0x62

$ printf '61\n6\n' > odd.txt; bloomery query --hex f.bloom odd.txt
61
bloomery: odd.txt: record 2 (byte 1 of the record): hexadecimal digits come in pairs, and there are 1
[2]

$ printf 'YQ==\nYg\nYw==\n' | bloomery query --base64 f.bloom
YQ==
Yg

Records may end in other bytes than newline; the output ends in the same.

$ printf 'a\0b\0c' | bloomery query -z f.bloom | od -An -c
   a  \0   b  \0

$ printf 'a;c;b' | bloomery query -D ';' f.bloom
a;b;

$ bloomery query -D ab f.bloom pairs.csv
bloomery: --delimiter: 'ab' is not one byte; write it as it is, or as \t, \n, \0 or \x1f
Try 'bloomery query --help'.
[2]

Typed keys: the filter's file records the funnel, so a query need not name it.

$ seq -5 5 | bloomery build -q -o i32.bloom -n 11 -p 1e-9 --funnel i32 && printf '0005\n-5\n6\n' | bloomery query i32.bloom
0005
-5

$ echo 4294967296 | bloomery query i32.bloom
bloomery: standard input: record 1 (byte 1 of the record): "4294967296" is not a key of the funnel i32: it is out of its range
[2]

$ echo 5 | bloomery query --funnel i64 i32.bloom
bloomery: --funnel: the filter was built with the funnel i32, not with i64
[2]

$ echo 18446744073709551615 | bloomery build -q -o u64.bloom -n 1 --profile mix --funnel u64 && echo 18446744073709551615 | bloomery query -c u64.bloom
1

$ echo word | bloomery build -q -o x.bloom -n 1 --profile mix 2>&1
bloomery: the profile mix hashes 64-bit integers only: it needs the funnel u64
[2]

Numbers are big-endian under eventhorizon; its own code loses a 16-bit value.

$ echo 258 | bloomery build -q -o eh.bin --format eventhorizon --bits 999 --probes 3 --funnel i16 && echo 0102 | bloomery query --hex --format eventhorizon --bits 999 --probes 3 eh.bin
0102

$ echo 258 | bloomery build -q -o ex.bin --format eventhorizon --bits 999 --probes 3 --funnel i16 --csharp-exact && echo 0000 | bloomery query --hex --format eventhorizon --bits 999 --probes 3 ex.bin
0000

$ echo 258 | bloomery build -q -o x.bin -n 1 --csharp-exact --funnel i16
bloomery: --csharp-exact is an option of format eventhorizon; the format is bloomery
[2]
