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

$ printf '{"id":"a"}\n{"no":1}\n' | bloomery query --json-key /id f.bloom
bloomery: standard input: record 2: it has no value at /id
[2]

$ printf '61\n0x62\n\n63\n' | bloomery query --hex f.bloom
61
0x62

$ printf '61\n6\n' > odd.txt; bloomery query --hex f.bloom odd.txt
bloomery: odd.txt: record 2: hexadecimal digits come in pairs, and there are 1
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

$ echo 4294967296 | bloomery query i32.bloom 2>&1 | cut -c 1-37
bloomery: standard input: record 1: A

$ echo 5 | bloomery query --funnel i64 i32.bloom
bloomery: --funnel: the keys of the filter were poured by i32, and not by i64
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
bloomery: --csharp-exact is an option of format eventhorizon, and the format is bloomery
[2]
