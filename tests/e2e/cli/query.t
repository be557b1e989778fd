$ seq 10 > ten.txt && bloomery build -q -o f.bloom -n 10 -p 1e-9 ten.txt && seq 9 12 > some.txt

$ bloomery query f.bloom some.txt
9
10

$ bloomery query -v f.bloom some.txt
11
12

$ bloomery query -c f.bloom some.txt
2

$ bloomery query -c -v f.bloom some.txt ten.txt
2

$ bloomery query --line-number f.bloom some.txt ten.txt | head -3
1:9
2:10
1:1

$ bloomery query --label f.bloom some.txt
maybe	9
maybe	10
no	11
no	12

$ bloomery query --label --line-number f.bloom some.txt | tail -1
4:no	12

$ bloomery query --silent f.bloom some.txt

--quiet silences warnings, and leaves results as they are.

$ bloomery -q query f.bloom some.txt | wc -l; bloomery query -q -c f.bloom some.txt
2
2

$ echo 77 | bloomery query --silent f.bloom
[1]

$ echo 77 | bloomery query -c f.bloom
0
[1]

$ echo 77 | bloomery query --label f.bloom
no	77
[1]

Nothing to ask about selects nothing.

$ bloomery query f.bloom /dev/null
[1]

$ bloomery query -v f.bloom /dev/null
[1]

Standard input by name, among files.

$ echo 3 | bloomery query f.bloom some.txt - ten.txt | head -4
9
10
3
1

A file may be called like a command.

$ cp ten.txt build && bloomery query -c f.bloom build
10

Many threads give the same answers in the same order.

$ seq 200000 > many.txt && bloomery build -q -o m.bloom -n 100k -p 5% <(seq 100000) && bloomery query m.bloom many.txt > one.txt && bloomery query -j 4 m.bloom many.txt > four.txt && cmp one.txt four.txt && wc -l < one.txt
10[0-9]{4} (re)

$ bloomery query -j 0 -c m.bloom many.txt | diff - <(wc -l < one.txt)

$ bloomery query --label -v f.bloom some.txt
bloomery: --invert cannot be combined with --label
Try 'bloomery query --help'.
[2]

A filter over its design says so.

$ seq 5000 | bloomery build -q -o over.bloom -n 1000 && bloomery query -c over.bloom ten.txt 2>&1 >/dev/null | cut -c 1-57
bloomery: warning: over.bloom: the filter is saturated: a

What is printed never goes into what is read: it would be read again, for ever. The filter is not written to either.

$ cp ten.txt own.txt; cp f.bloom own.bloom; bloomery query f.bloom own.txt >> own.txt; bloomery query f.bloom < own.txt >> own.txt; bloomery query -v f.bloom own.txt 1<> own.txt; bloomery query own.bloom ten.txt >> own.bloom; echo $?; cmp ten.txt own.txt && cmp f.bloom own.bloom
bloomery: own.txt: input file is output file
bloomery: standard input: input file is output file
bloomery: own.txt: input file is output file
bloomery: own.bloom: input file is output file
2
