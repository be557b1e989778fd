Where records come from: lists of files, folders, several files at once; and case and space in keys.

$ mkdir -p d/sub && seq 1 3 > d/b.txt && seq 4 5 > d/a.log && seq 6 7 | gzip > d/sub/c.txt.gz && bloomery dedup -q -r d
4
5
1
2
3
6
7

$ bloomery dedup -q -r --glob '*.txt' --glob '*.gz' d | tr '\n' ' '
1 2 3 6 7 

$ bloomery dedup -q d
bloomery: d: it is a folder; -r reads the files in it
[2]

$ bloomery dedup -q -r --glob '*.md' d
bloomery: d: no file in the folder matches --glob
[2]

$ ln -s .. d/sub/up; bloomery dedup -q -r d
bloomery: d/sub/up: the link leads back into a folder above it
[2]

$ rm d/sub/up; printf 'd/sub/c.txt.gz\n-\n' > list; echo last | bloomery dedup -q --records-file list d/b.txt | tr '\n' ' '
1 2 3 6 7 last 

$ find d -type f -print0 | sort -z | bloomery dedup -z -q --records-file - | od -An -c | head -1
   4  \n   5  \n  \0   1  \n   2  \n   3  \n  \0   6  \n   7  \n

$ printf 'd/b.txt\nnone\n' | bloomery dedup -q --records-file -
bloomery: none: cannot read: No such file or directory
[2]

$ echo x | bloomery dedup -q --records-file list --records-file -
bloomery: standard input: it is given twice, but can be read only once
[2]

Several files at once give the filter that one after the other gives, and answers in their order.

$ for i in 1 2 3 4 5 6; do seq ${i}00001 ${i}20000 | gzip > part$i.gz; done; for layout in block classic scalable; do bloomery build -qF --layout $layout -n 120000 -o one.bloom part*.gz && bloomery build -qF -j 4 --layout $layout -n 120000 -o four.bloom part*.gz && cmp one.bloom four.bloom; done; bloomery query -j 4 one.bloom part*.gz > four.txt; bloomery query one.bloom part*.gz | cmp - four.txt; bloomery query -c -j 4 one.bloom part*.gz
120000

$ head -c 20000 part2.gz > cut.gz; bloomery query -c -j 4 one.bloom part1.gz cut.gz part3.gz 2>&1 | sed 's/record [0-9]*/record N/'; bloomery query -c one.bloom part1.gz cut.gz > one.txt 2>&1; bloomery query -c -j 4 one.bloom part1.gz cut.gz 2>&1 | cmp - one.txt
bloomery: cut.gz: record N: the gzip data end early; the file is incomplete (after byte 20000 of the compressed data)

$ seq 200000 | xz -T2 --block-size=100000 > blocks.xz; seq 200000 > plain.txt; bloomery build -qF -n 200000 -o one.bloom plain.txt && bloomery build -q -j 2 -n 200000 -o two.bloom blocks.xz && cmp one.bloom two.bloom

A filter to standard output.

$ seq 100 | bloomery build -q -n 100 -o - > out.bloom; seq 100 | bloomery build -q -n 100 -o f.bloom && cmp f.bloom out.bloom; bloomery merge -q -o merged.bloom f.bloom out.bloom; bloomery merge -q -o - f.bloom out.bloom | cmp - merged.bloom; bloomery convert -q --to bloomery -o - f.bloom | cmp - f.bloom

$ seq 100 | bloomery build -q --json -n 100 -o -
bloomery: -: --json prints to stdout, and so does -o -; give a file for the filter
[2]

$ seq 100 | bloomery build -q -n 100 -o - > /dev/full
bloomery: .*No space left on device (re)
[2]

$ seq 3 | bloomery dedup -q --save -
bloomery: -: a filter cannot be written to stdout; give a file
[2]

Case and space.

$ printf 'Ann\nBOB\n' | bloomery build -q -i -n 10 -p 1e-6 -o names.bloom; printf 'aNN\n bob \ncid\n' | bloomery query -i --trim names.bloom
aNN
 bob 

$ printf 'Stra\303\237e\nSTRASSE\n\303\234b\n\303\274B\n x\nx \n' > words.txt; bloomery dedup -q -i --trim words.txt; echo --; bloomery dedup -q --exact -i --trim words.txt
Straße
Üb
 x
--
Straße
Üb
 x

$ printf 'a\r\na\nb\n' | bloomery dedup -q --crlf | od -An -c
   a  \r  \n   b  \n
