Each record the first time it is seen, in input order, as it stands.

$ printf 'b\na\nb\n\nc\na\n\n' > a.txt && bloomery dedup -q a.txt | sed 's/^$/(empty)/'
b
a
(empty)
c

$ bloomery dedup -q a.txt a.txt - < a.txt | wc -l
4

$ seq 3 | bloomery dedup -q - a.txt | head -4
1
2
3
b

The last record gets the terminator it lacks; any byte may be in a record, and it may be long.

$ printf 'x\0\nx\0\nx' | bloomery dedup -q | od -An -c
   x  \\0  \\n   x  \\n (re)

$ printf 'x\0y\0x\0\n\0x' | bloomery dedup -q -z | od -An -c
   x  \\0   y  \\0  \\n  \\0 (re)

$ printf 'a;b;a;' | bloomery dedup -q -D ';'; echo
a;b;

$ python3 -c 'print("x" * 100_000_000); print("y"); print("x" * 100_000_000)' > long.txt; bloomery dedup -q long.txt | wc; bloomery dedup -q --exact long.txt | wc -c; bloomery dedup -q -j 2 long.txt | cmp - <(head -2 long.txt); rm long.txt
      2       2 100000003
100000003

$ bloomery dedup /dev/null 2>/dev/null

$ bloomery dedup -q --exact /dev/null

$ : > empty.txt; bloomery dedup empty.txt 2>&1 | tail -1
bloomery: 0 records in .*: 0 kept, 0 dropped as repeats \(about 0 wrongly\); fill 0, false positives 0 (re)

The key may be a part of the record; the whole record is printed.

$ printf '1 x\n2 x\n3 y\n' | bloomery dedup -q -f 2 -t ' '
1 x
3 y

$ printf '{"id":1,"n":"a"}\n{"n":"b","id":1}\n{"id":2}\n' | bloomery dedup -q --json-key /id
{"id":1,"n":"a"}
{"id":2}

$ printf '0xAB\nab\nAC\n' | bloomery dedup -q --hex
0xAB
AC

$ printf 'YQ==\nYQ\nYg==\n' | bloomery dedup -q --base64 2>&1 | tail -1
Yg==

$ printf '7\n007\n8\n' | bloomery dedup -q --funnel i32
7
8

$ printf '7\n007\n8\nx\n' > n.txt; bloomery dedup -q --exact --funnel i32 n.txt
bloomery: n.txt: record 4 \(byte 1 of the record\): .* (re)
[2]

$ printf 'ab\nxyz\n' | bloomery dedup -q --hex
ab
bloomery: standard input: record 2 \(byte 1 of the record\): .* (re)
[2]

Compressed input, recognised by its bytes.

$ gzip -c a.txt > a.gz; zstd -q -f a.txt -o a.zst; bloomery dedup -q a.gz a.zst | wc -l; bloomery dedup -q --exact a.gz a.txt a.zst | cmp - <(bloomery dedup -q a.txt)
4

Only the repeats, only a number, only JSON.

$ bloomery dedup -q -d a.txt a.txt | head -5 | sed 's/^$/(empty)/'
b
a
(empty)
b
a

$ bloomery dedup -q -c a.txt; bloomery dedup -q -c -d a.txt; bloomery dedup -q -c --exact a.txt
4
3
4

$ bloomery dedup -q --json a.txt | python3 -c 'import json, sys; j = json.load(sys.stdin); print(*j); print(j["records"], j["selected"], j["dropped"])'
records selected dropped seconds records_per_second bytes fill estimated_fpr skipped expected_wrong_drops suspects repeated_keys
7 4 3

$ bloomery dedup -q --json -c -d --exact a.txt | cut -c 1-40
{"records":7,"selected":3,"dropped":4,"s

The plan, and the sum at the end.

$ seq 1000 | cat - <(seq 500) > k.txt; bloomery dedup k.txt 2>&1 > /dev/null
bloomery: plan: 1,500 keys \(counted\) at 0.01 %: .* of memory \(limit .*\) (re)
bloomery: 1,500 records in .* s \(.*/s\): 1,000 kept, 500 dropped as repeats \(about 0 wrongly\); fill .*, false positives .* (re)

$ bloomery dedup --exact k.txt 2>&1 > /dev/null
bloomery: plan: 1,500 keys \(counted\) at 1 %: .* (re)
bloomery: 1,500 records in .* s \(.*/s\): 1,000 kept, 500 dropped as repeats \(none wrongly: 50\d suspects, 500 confirmed\); fill .*, false positives .* (re)

$ cat k.txt | bloomery dedup 2>&1 > /dev/null | head -1
bloomery: plan: 1,000,000 keys \(a first layer, for a pipe\) at 0.01 %: scalable, .* (re)

$ cat k.txt | bloomery dedup --exact 2>&1 > /dev/null | head -1
bloomery: plan: 1,500 keys \(counted\) at 1 %: .* (re)

$ bloomery dedup -n 2k -p 1/1000 k.txt 2>&1 > /dev/null | head -1
bloomery: plan: 2,000 keys \(as given\) at 0.1 %: .* (re)

A filter that is too small says what it did. With --exact it costs time only.

$ seq 100000 > many.txt; bloomery dedup -n 100 many.txt 2>&1 > /dev/null | tail -2
bloomery: 100,000 records in .* dropped as repeats \(many perhaps wrongly, because the filter is saturated\); fill .*, false positives .* (re)
bloomery: warning: the filter is saturated: about [\d,]+ keys in a filter for 100; its false-positive rate is 100 %, and it was built for 0.01 % (re)

$ bloomery dedup -q -n 100 --exact many.txt | cmp - many.txt

$ bloomery dedup -q -n 100 --strict --save strict.bloom many.txt > /dev/null; echo $?; ls strict.bloom 2> /dev/null
bloomery: strict.bloom: not saved: the filter is over its design, and --strict forbids it
4
[2]

$ bloomery dedup -m 1Ki many.txt
bloomery: .*, and the limit is 1024 (re)
[4]

$ seq 3000000 | bloomery dedup -q -m 4Mi > /dev/null
bloomery: the filter has grown to .* MiB; --memory allows 4.0 MiB (re)
[4]

$ cat many.txt many.txt > twice.txt; bloomery dedup -q --exact -m 1Mi twice.txt > /dev/null
bloomery: to confirm \d+ suspected repeats takes .* MiB; --memory allows 1.0 MiB (re)
[4]

What another filter knows is dropped, and that filter is not written.

$ seq 10 > ten.txt; bloomery build -q -o ten.bloom -n 10 -p 1e-9 ten.txt; bloomery build -q -o ten.guava --format guava -n 10 -p 1e-9 <(seq 11 12); chmod a-w ten.bloom; sha256sum ten.bloom > sum; seq 9 15 | bloomery dedup -q --against ten.bloom --against ten.guava; sha256sum -c sum
13
14
15
ten.bloom: OK

$ seq 9 12 | bloomery dedup -q -d --against ten.bloom -
9
10

$ bloomery build -q -o bits.bin --format go-bloom -n 10 -p 1e-6 ten.txt; seq 9 12 | bloomery dedup -q --against bits.bin --against-format go-bloom -n 10 -p 1e-6
11
12

$ bloomery dedup -q --against bits.bin ten.txt
bloomery: bits.bin: the format is not recognised by the first bytes; name it with --against-format .* (re)
[2]

$ bloomery dedup -q --against missing.bloom ten.txt
bloomery: missing.bloom: cannot open: No such file or directory
[2]

$ bloomery build -q -o num.bloom --funnel i32 ten.txt; printf '007\n8\n11\n' | bloomery dedup -q --against num.bloom
11

$ seq 3 | bloomery dedup -q --funnel bytes --against num.bloom
bloomery: num.bloom: --funnel: the filter was built with the funnel i32, not with bytes
[2]

State between runs.

$ bloomery dedup -q --save seen.bloom ten.txt | wc -l; seq 8 12 | bloomery dedup -q --save seen.bloom; seq 12 13 | bloomery dedup --save seen.bloom 2>&1 | sed 's/ in .*:/:/'
10
11
12
bloomery: plan: seen.bloom: scalable, .* of memory \(limit .*\) (re)
13
bloomery: 2 records: 1 kept, 1 dropped as repeats \(about 0 wrongly\); fill .* (re)

It grows, unless the number of keys is given.

$ bloomery dedup -q --save seen.bloom many.txt | wc -l; bloomery inspect --json seen.bloom | python3 -c 'import json, sys; j = json.load(sys.stdin); print(j["layout"], j["health"])'
99987
scalable ok

$ bloomery dedup -q --save fixed.bloom -n 1000 ten.txt | wc -l; bloomery inspect --json fixed.bloom | python3 -c 'import json, sys; print(json.load(sys.stdin)["layout"] != "scalable")'; seq 11 | bloomery dedup -q --save fixed.bloom -n 1000
10
True
11

In another format, and keyed.

$ bloomery dedup -q --save g.guava --format guava -n 100 ten.txt | wc -l; bloomery query -c --format guava g.guava ten.txt; seq 11 | bloomery dedup -q --save g.guava
10
10
11

$ echo secret > secret; bloomery dedup -q --save key.bloom --profile siphash --secret-file secret ten.txt | wc -l; seq 11 | bloomery dedup -q --save key.bloom --secret-file secret; seq 11 12 | bloomery dedup -q --save key.bloom
10
11
bloomery: key.bloom: .*secret.* (re)
[2]

$ seq 5 12 | bloomery dedup -q --against key.bloom --secret-file secret
12

What cannot be: nothing is read, nothing is written.

$ bloomery dedup --exact --against ten.bloom ten.txt
bloomery: --exact cannot be combined with --against, because a filter does not store its keys
[2]

$ bloomery dedup --exact --save seen.bloom ten.txt
bloomery: --exact cannot confirm what seen.bloom drops, because a filter does not store its keys; give --save a new file
[2]

$ bloomery dedup -q --exact --save exact.bloom k.txt | cmp - <(seq 1000) && bloomery query -c exact.bloom k.txt
1500

$ bloomery dedup --save ten.bloom --against ten.bloom ten.txt
bloomery: ten.bloom: it is given both to --against, which only reads, and to --save; use another file for one of them
[2]

$ bloomery dedup --save a.txt ten.txt
bloomery: a.txt: the format is not recognised by the first bytes; .* (re)
[2]

$ head -c 100 seen.bloom > cut.bloom; bloomery dedup --save cut.bloom ten.txt
bloomery: cut.bloom: .* (re)
[3]

$ bloomery dedup --save nowhere/s.bloom ten.txt
bloomery: nowhere/s.bloom: cannot write: there is no folder nowhere
[2]

$ bloomery dedup a.txt missing.txt
bloomery: missing.txt: cannot read: No such file or directory
[2]

$ bloomery dedup -q a.txt -o out.txt; bloomery dedup -q a.txt | cmp - out.txt

$ bloomery dedup -f 1 -d , a.txt; bloomery dedup -f 1 -d / a.txt
bloomery: ,: cannot read: No such file or directory; did you mean -t? -d prints repeats, -t sets the separator
bloomery: /: it is a folder; -r reads the files in it; did you mean -t? -d prints repeats, -t sets the separator
[2]

$ cp a.txt own.txt; bloomery dedup own.txt >> own.txt; cmp a.txt own.txt
bloomery: own.txt: input file is output file

$ bloomery dedup < own.txt >> own.txt; cmp a.txt own.txt
bloomery: standard input: input file is output file

Nothing is marked as seen that was not printed: a full disk, a broken pipe and a signal leave the old state.

$ cp seen.bloom before.bloom; seq 200000 300000 > new.txt; bloomery dedup --save seen.bloom new.txt 2>&1 > /dev/full | tail -2; cmp before.bloom seen.bloom
bloomery: standard output: cannot write: No space left on device
bloomery: seen.bloom: not saved; the old file is unchanged

$ bloomery dedup -q -c --save seen.bloom new.txt > /dev/full; echo $?; cmp before.bloom seen.bloom
bloomery: standard output: cannot write: No space left on device
2

$ bloomery dedup --save seen.bloom new.txt 2> message | head -1; tail -1 message; cmp before.bloom seen.bloom
200000
bloomery: seen.bloom: not saved; the old file is unchanged

$ bloomery dedup -q new.txt 2> message | head -1; cat message
200000

$ printf 'a\nzz\n' | bloomery dedup -q --hex --save seen.bloom; cmp before.bloom seen.bloom
bloomery: standard input: record 1 \(byte 1 of the record\): .* (re)

$ set -m; mkfifo in out; for signal in INT TERM; do bloomery dedup --save seen.bloom < in > out 2> message & pid=$!; exec 3> in 4< out; echo fresh >&3; read -t 20 answer <&4; kill -$signal $pid; { wait $pid; } 2> /dev/null; echo $answer $?; exec 3>&- 4<&-; tail -1 message; done; cmp before.bloom seen.bloom
fresh 130
bloomery: seen.bloom: not saved; the old file is unchanged
fresh 143
bloomery: seen.bloom: not saved; the old file is unchanged

Records arrive as soon as they are there, with threads too.

$ mkfifo in2 out2; bloomery dedup -q -j 3 < in2 > out2 & exec 3> in2 4< out2; echo 7 >&3; read -t 20 answer <&4; echo "got $answer"; exec 3>&-; wait
got 7

Any number of threads prints the same.

$ seq 300000 | awk '{ print $1 % 200003 * 7919 % 100003 }' > mixed.txt; for how in '-p 1%' --exact; do for j in 1 2 3 0; do bloomery dedup -q $how -j $j mixed.txt | md5sum; done | sort -u | wc -l; done
1
1

A filter that another process makes meanwhile is not replaced: what was printed is not in it then, and the exit code says so.

$ mkfifo late; (bloomery dedup -q --save made.bloom late; echo $?) & exec 3> late; echo a >&3; seq 3 | bloomery dedup -q --save made.bloom > /dev/null; echo b >&3; exec 3>&-; wait; printf 'a\nb\n3\n' | bloomery query made.bloom
a
b
bloomery: made.bloom: not written: another process created the file meanwhile
2
3

Repeats in a file of their own, every record with a mark, and the summary on a descriptor.

$ printf 'a\nb\na\na\nc\n' > five.txt; bloomery dedup -q --dupes again.txt five.txt; echo --; cat again.txt
a
b
c
--
a
a

$ bloomery dedup -q -j 2 --exact --dupes again.txt -c five.txt; cat again.txt
3
a
a

$ bloomery dedup -q --mark five.txt
new	a
new	b
repeat	a
repeat	a
new	c

$ bloomery dedup -q -c --stats-fd 3 five.txt 3> stats.json; python3 -c 'import json; j = json.load(open("stats.json")); print(j["records"], j["selected"], j["dropped"], j["expected_wrong_drops"] < 0.001)'
3
5 3 2 True

$ bloomery dedup -q --stats-fd 9 five.txt
bloomery: --stats-fd: descriptor 9 is not open; open it in the shell: 9>FILE
[2]

$ bloomery dedup -q --stats-fd 1 five.txt
bloomery: --stats-fd: descriptors 0 and 1 are the input and the records; use 2 or more
[2]

$ bloomery dedup -q --dupes five.txt five.txt
bloomery: five.txt: input file is output file
[2]

$ bloomery dedup -q --dupes /dev/full five.txt
a
b
c
bloomery: /dev/full: cannot write: No space left on device
[2]

$ bloomery dedup -q --dupes again.txt -d five.txt
bloomery: --dupes takes the repeats out of the output, but --repeated prints them; leave one of them out
[2]

$ bloomery dedup -q --mark -c five.txt
bloomery: --mark prints every record, but --count prints none; leave one of them out
[2]
