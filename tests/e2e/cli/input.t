Compressed input is recognised by its first bytes, not by its name.

$ seq 1000 > c.txt; for how in xz bzip2 lz4; do command -v $how > /dev/null || continue; $how -c < c.txt > packed.$how; bloomery dedup -q packed.$how | cmp - c.txt; cat packed.$how packed.$how | bloomery dedup -q -Z $how | cmp - c.txt; head -c 100 packed.$how > cut.$how; bloomery dedup -q cut.$how 2>&1 > /dev/null | grep -c "^bloomery: cut.$how: record [0-9]*: the $how data end early"; done | uniq
1

$ seq 1000 > a.txt && gzip -k a.txt && zstd -q a.txt && mv a.txt.gz packed.one && mv a.txt.zst packed.two

$ bloomery build -q -o a.bloom -n 1000 a.txt && bloomery build -q -o b.bloom -n 1000 packed.one && bloomery build -q -o c.bloom -n 1000 < packed.two && cmp a.bloom b.bloom && cmp a.bloom c.bloom

$ bloomery query -c a.bloom packed.one packed.two a.txt
3000

$ cat packed.one packed.one | bloomery query -c a.bloom
2000

$ cat packed.two packed.two | bloomery query -c a.bloom
2000

The number of keys is judged from what is inside.

$ bloomery build -o d.bloom packed.one 2>&1 | head -1 | cut -c 1-40
bloomery: plan: 1,000 keys (counted) at 

Redirected, a file is a file and not a pipe.

$ bloomery build -o e.bloom < a.txt 2>&1 | head -1 | cut -c 1-53
bloomery: plan: 1,000 keys (counted) at 1 %: block, 1

$ bloomery build -o e2.bloom < packed.one 2>&1 | head -1 | cut -c 1-53
bloomery: plan: 1,000 keys (counted) at 1 %: block, 1

$ bloomery query -c e2.bloom a.txt
1000

Damage is noticed.

$ head -c 1000 packed.one > cut.gz; bloomery query -c a.bloom cut.gz
bloomery: cut.gz: record \d+: the gzip data end early; the file is incomplete \(after byte 1000 of the compressed data\) (re)
[2]

$ bloomery dedup -q cut.gz > some.txt; test $(wc -l < some.txt) -gt 100 && cmp -n $(stat -c %s some.txt) some.txt a.txt
bloomery: cut.gz: record \d+: the gzip data end early; the file is incomplete \(after byte 1000 of the compressed data\) (re)

$ for how in build add dedup remove query\ -c; do bloomery build -q -F -o counted.bloom --layout counting a.txt; case $how in build) arguments="-o cut.bloom";; dedup) arguments=;; *) arguments=counted.bloom;; esac; bloomery $how $arguments cut.gz > /dev/null 2> message; echo $? $(grep -c 'cut.gz: record [0-9]*: the gzip data end early' message); done | uniq; ls cut.bloom
2 1
ls: cannot access 'cut.bloom': No such file or directory
[2]

$ head -c 900 packed.two > cut.zst; bloomery dedup -q --exact cut.zst
bloomery: cut.zst: record 1: the zstd data end early; the file is incomplete (after byte 900 of the compressed data)
[2]

What is no text is refused, with the command to use; -Z none reads its bytes.

$ printf 'PAR1\025\004\025\220' > urls.parquet; for how in "build -o x.bloom" "add a.bloom" "query a.bloom" dedup; do bloomery $how urls.parquet; echo $?; done
bloomery: urls.parquet: it is a Parquet file, not records; --column NAME reads a column of it; -Z none reads its bytes as they are
2
bloomery: urls.parquet: it is a Parquet file, not records; --column NAME reads a column of it; -Z none reads its bytes as they are
2
bloomery: urls.parquet: it is a Parquet file, not records; --column NAME reads a column of it; -Z none reads its bytes as they are
2
bloomery: urls.parquet: it is a Parquet file, not records; --column NAME reads a column of it; -Z none reads its bytes as they are
2

$ bloomery dedup -q -Z none urls.parquet | cmp -n 8 - urls.parquet; cat urls.parquet | bloomery dedup -q
bloomery: standard input: it is a Parquet file, not records; --column NAME reads a column of it; -Z none reads its bytes as they are
[2]

$ tar -czf a.tar.gz a.txt; bloomery dedup -q a.tar.gz
bloomery: a.tar.gz: it is a tar archive, not records; take its members out first (tar -xOf a.tar.gz | bloomery dedup); -Z none reads its bytes as they are
[2]

$ bloomery query a.txt a.bloom 2>&1 | head -1; bloomery dedup a.bloom
bloomery: a.bloom: it is a filter file of bloomery, not records; name the filter first and the files of records after it (bloomery query FILTER FILE); -Z none reads its bytes as they are
bloomery: a.bloom: it is a filter file of bloomery, not records; name the filter first and the files of records after it (bloomery query FILTER FILE); -Z none reads its bytes as they are
[2]

$ bloomery split --parts 2 -n 10 -o parts a.bloom
bloomery: a.bloom: it is a filter file of bloomery, not records; --filter FILE cuts a filter into parts (bloomery split --parts N --filter FILE -o FOLDER); -Z none reads its bytes as they are
[2]

$ printf '\377\376a\000\n\000' > wide.txt; bloomery dedup wide.txt
bloomery: wide.txt: it is UTF-16 text; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8 wide.txt | bloomery dedup); -Z none reads its bytes as they are
[2]

Also where no magic says so: tar of 1979, lzma, UTF-16 without a mark, what is compressed twice, and what ends inside its magic.

$ tar --format=v7 -cf old.tar a.txt; xz --format=lzma -k -c a.txt > a.lzma; iconv -f UTF-8 -t UTF-16LE a.txt > wide.txt; gzip -c a.txt | gzip > twice.gz; for file in old.tar a.lzma wide.txt twice.gz; do bloomery dedup -q $file; echo $?; cat $file | bloomery dedup -q 2>/dev/null; echo $?; done
bloomery: old.tar: it is a tar archive, not records; take its members out first (tar -xOf old.tar | bloomery dedup); -Z none reads its bytes as they are
2
2
bloomery: a.lzma: lzma-compressed input is not supported; decompress it first (xz -dc a.lzma | bloomery dedup); -Z none reads its bytes as they are
2
2
bloomery: wide.txt: it is UTF-16 text; convert it to UTF-8 first (iconv -f UTF-16LE -t UTF-8 wide.txt | bloomery dedup); -Z none reads its bytes as they are
2
2
bloomery: twice.gz: it is compressed twice, gzip inside gzip; decompress it once first (gzip -dc twice.gz | bloomery dedup)
2
2

$ gzip -dc twice.gz | bloomery dedup -q | cmp - a.txt; bloomery dedup -q -Z none old.tar | cmp -n 500 - old.tar; bloomery dedup -q -z <(printf '1\0002\0003\0004\0005\0002\000') | tr '\000' ' '; echo
1 2 3 4 5 

$ gzip -c a.txt | head -c 2 > cut.gz; printf 'BZh91AY' > cut.bz2; printf 'BZh' > text; for file in cut.gz cut.bz2 text; do bloomery dedup -q $file; echo $?; done; bloomery dedup -q -Z none cut.gz | od -An -tx1
bloomery: cut.gz: the gzip data end early; the file is incomplete; -Z none reads its bytes as they are
2
bloomery: cut.bz2: the bzip2 data end early; the file is incomplete; -Z none reads its bytes as they are
2
BZh
0
 1f 8b 0a

Data that are not what -Z says, and damage, in our words.

$ for how in gzip zstd xz bzip2 lz4; do bloomery dedup -q -Z $how a.txt; done; cat a.txt | bloomery dedup -q -Z xz; printf 'ab' > two; bloomery dedup -q -Z lz4 two
bloomery: a.txt: it is not gzip data; -Z none reads its bytes as they are
bloomery: a.txt: it is not zstd data; -Z none reads its bytes as they are
bloomery: a.txt: it is not xz data; -Z none reads its bytes as they are
bloomery: a.txt: it is not bzip2 data; -Z none reads its bytes as they are
bloomery: a.txt: it is not lz4 data; -Z none reads its bytes as they are
bloomery: standard input: record 1: it is not xz data; -Z none reads its bytes as they are
bloomery: two: it is not lz4 data; -Z none reads its bytes as they are
[2]

$ for how in gzip zstd xz bzip2 lz4; do ($how -c a.txt; echo other bytes) | bloomery dedup -q; done 2>&1 | grep -v '^[0-9]'
bloomery: standard input: record 1001: the gzip data are broken: other bytes follow them \(after byte \d+ of the compressed data\) (re)
bloomery: standard input: record 1001: the zstd data are broken: other bytes follow them \(after byte \d+ of the compressed data\) (re)
bloomery: standard input: record 1001: the xz data are broken: other bytes follow them \(after byte \d+ of the compressed data\) (re)
bloomery: standard input: record 1001: the bzip2 data are broken: other bytes follow them \(after byte \d+ of the compressed data\) (re)
bloomery: standard input: record 1001: the lz4 data are broken: other bytes follow them \(after byte \d+ of the compressed data\) (re)

$ seq 100000 > big.txt; for how in gzip zstd xz bzip2 lz4; do $how -c big.txt > big.$how; python3 -c 'import sys; b = bytearray(open(sys.argv[1], "rb").read()); b[len(b) // 2] ^= 0x55; open(sys.argv[1], "wb").write(b)' big.$how; for command in 'dedup -c' 'dedup -c --keep last' 'query -c a.bloom'; do bloomery $command -q big.$how 2>&1 | sed 's/record [0-9]*: the .* data are broken: \(they are corrupt\|their checksum does not match\) (after byte [0-9]* of the compressed data)$/a record/'; done; done | sort | uniq -c
      3 bloomery: big.bzip2: a record
      3 bloomery: big.gzip: a record
      3 bloomery: big.lz4: a record
      3 bloomery: big.xz: a record
      3 bloomery: big.zstd: a record

Lines that end in CR alone are one record; that is said, and nothing of CR LF.

$ printf 'a\rb\rc\r' > mac.txt; bloomery dedup mac.txt 2>&1 > /dev/null | grep warning; bloomery query -c a.bloom mac.txt; printf 'a\r\nb\r\n' | bloomery dedup -c 2>&1 | grep warning; printf 'one record' > one.txt; bloomery dedup one.txt 2>&1 > /dev/null | tail -1
bloomery: warning: mac.txt: its first record holds CR characters, and records end in LF; where lines end in CR alone, convert them: tr '\r' '\n'
bloomery: warning: mac.txt: its first record holds CR characters, and records end in LF; where lines end in CR alone, convert them: tr '\r' '\n'
0
bloomery: warning: standard input: its lines end in CR LF, and keys keep the CR; --crlf leaves it out
bloomery: 1 record in .*: 1 kept, 0 dropped as repeats .* (re)

A pipe can be read once, and an input is never replaced.

$ echo a | bloomery dedup -q - -; echo a | bloomery dedup -q - /dev/stdin
bloomery: standard input: it is given twice, but can be read only once
bloomery: /dev/stdin: it is given twice, but can be read only once
[2]

$ cp a.txt same.txt; bloomery build -q -F -o same.txt same.txt; cmp a.txt same.txt
bloomery: same.txt: input file is output file

$ (cat packed.one; echo garbage) | bloomery query --silent -v a.bloom
bloomery: standard input: record 1001: the gzip data are broken: other bytes follow them \(after byte \d+ of the compressed data\) (re)
[2]

A folder is no file.

$ mkdir folder; bloomery query a.bloom folder
bloomery: folder: it is a folder; -r reads the files in it
[2]
