The values of a column of a Parquet file are records: numbers as decimal text, strings as they are, nulls left out.

$ cp $GOLDEN/parquet/users.parquet .; bloomery build -q -o ids.bloom --column user_id users.parquet; printf '17\n-4\n9007199254740993\n5\n6\n' | bloomery query -q ids.bloom
17
-4
9007199254740993
5

$ printf '17\n-4\n6\n' > ids.txt; bloomery build -q -o lines.bloom ids.txt; bloomery query -q --column user_id lines.bloom users.parquet
17
-4
17

$ bloomery query -q -c --column user_id lines.bloom users.parquet users.parquet; bloomery query -q -c -j 2 --column user_id lines.bloom users.parquet
6
3

$ bloomery query -q --line-number -v --column name lines.bloom users.parquet
1:ann
3:ann
4:Bjørn
6:cy

The plan counts the values by the footer, without the nulls that its statistics count, and the summary names the nulls.

$ bloomery build -F -o names.bloom --column name users.parquet 2>&1 | grep -o 'plan: 4 keys (counted)\|: 4 records added\|; 2 records without.*skipped'
plan: 4 keys (counted)
: 4 records added
; 2 records without a key were skipped

$ bloomery build -q --json -F -o names.bloom --column name users.parquet | grep -o '"records":[0-9]*\|"skipped":[0-9]*' | sort
"records":6
"skipped":2

Unsigned columns, columns inside others and lists.

$ bloomery dedup -q --column port users.parquet; bloomery dedup -q --column address.city users.parquet
80
443
4294967295
Wien
Linz
Graz

$ bloomery dedup -q --column tags users.parquet; bloomery dedup -q -c --column tags.list.element users.parquet
a
b
c
3

$ bloomery dedup -q --column address users.parquet
bloomery: users.parquet: 'address' is a group of several columns; choose one of: address.city, address.zip
[2]

Floating-point numbers are the shortest text that reads back.

$ bloomery dedup -q --column price users.parquet
1.5
0.1
1e+100
-2
3

A value may hold the delimiter. It is one record all the same; --exact splits a copy and says so.

$ bloomery dedup -q -c --column note users.parquet; bloomery dedup -q -z --column note users.parquet | tr '\0' '|'; echo
4
one|two
lines||three|

$ bloomery dedup -q --exact --column note users.parquet
bloomery: users.parquet: a value of the column contains the delimiter, by which a copy is split that is read again; choose another (-z, or -D)
[2]

$ bloomery dedup -q -z --exact --column note users.parquet | tr '\0' '|'; echo
one|two
lines||three|

$ bloomery dedup -q --exact --column user_id users.parquet users.parquet; bloomery dedup -q -d --column user_id users.parquet
17
-4
9007199254740993
5
17
5

$ bloomery dedup -q --mark --column user_id users.parquet; bloomery dedup -q --save seen.bloom --column user_id users.parquet > /dev/null; echo 5 | bloomery dedup -q -c --save seen.bloom
new	17
new	-4
repeat	17
new	9007199254740993
new	5
repeat	5
0

add and remove read columns too. A funnel makes typed keys of the numbers.

$ bloomery build -q -o c.bloom --layout counting -n 100 ids.txt; bloomery add -q --column user_id c.bloom users.parquet; echo 5 | bloomery query -q -c c.bloom; bloomery remove -q --column user_id c.bloom users.parquet; echo 5 | bloomery query -q -c c.bloom
1
0
[1]

$ bloomery build -q -o typed.bloom --funnel i64 --column user_id users.parquet; printf '17\n18\n' | bloomery query -q typed.bloom; bloomery query -q -c --column user_id typed.bloom users.parquet
17
6

$ bloomery build -q -o x.bloom --funnel i64 --column name users.parquet
bloomery: users.parquet: record 1 (byte 1 of the record): "ann" is not a key of the funnel i64: it is not a decimal number
[2]

A pipe is copied first, a compressed file is decompressed, and a redirected file is read as it is.

$ cat users.parquet | bloomery query -q -c --column user_id ids.bloom; gzip -k users.parquet; bloomery query -q -c --column user_id ids.bloom users.parquet.gz; bloomery query -q -c --column user_id ids.bloom < users.parquet
6
6
6

Errors name what is wrong, and where.

$ bloomery dedup --column user_ids users.parquet
bloomery: users.parquet: it has no column 'user_ids'; its columns are: user_id, name, port, tags.list.element, address.city, address.zip, price, note; did you mean `user_id`?
[2]

$ bloomery query --column user_id ids.bloom ids.txt
bloomery: ids.txt: --column reads Parquet files, and this is none: a Parquet file begins and ends with PAR1
[2]

$ bloomery query --column '' ids.bloom users.parquet
bloomery: --column: the name of a column is not empty
Try 'bloomery query --help'.
[2]

$ bloomery dedup users.parquet
bloomery: users.parquet: it is a Parquet file, not records; --column NAME reads a column of it; -Z none reads its bytes as they are
[2]

$ head -c 1000 users.parquet > cut.parquet; bloomery build -o x.bloom --column user_id cut.parquet
bloomery: cut.parquet: the Parquet file is incomplete: it begins with PAR1, but does not end with it
[3]

$ (printf PARE; head -c 100 /dev/zero; printf '\144\0\0\0PARE') > secret.parquet; bloomery build -o x.bloom --column user_id secret.parquet
bloomery: secret.parquet: the footer of the Parquet file is encrypted
[2]

$ python3 -c 'b = bytearray(open("users.parquet", "rb").read()); b[60] ^= 255; open("bad.parquet", "wb").write(b)'; bloomery dedup -q -c --column user_id bad.parquet
bloomery: bad.parquet: column user_id: row group 0, page 0: its snappy data are broken: the file is damaged
[3]

$ bloomery dedup --documents --column user_id users.parquet
bloomery: --column has no effect with --documents; leave the option out
[2]

$ ls x.bloom
ls: cannot access 'x.bloom': No such file or directory
[2]

inspect lists the columns.

$ bloomery inspect users.parquet | sed -n '/  column /,/^  note/p'
  column             type                 values
  user_id            int64                     6
  name               byte_array (string)       4
  port               int32 (uint32)            6
  tags.list.element  byte_array (string)       5
  address.city       byte_array (string)       4
  address.zip        int32                     4
  price              double                    6
  note               byte_array (string)       6

$ bloomery inspect --json users.parquet | grep -o '"columns":.*'
"columns":[{"name":"user_id","type":"int64","values":6},{"name":"name","type":"byte_array (string)","values":4},{"name":"port","type":"int32 (uint32)","values":6},{"name":"tags.list.element","type":"byte_array (string)","values":5},{"name":"address.city","type":"byte_array (string)","values":4},{"name":"address.zip","type":"int32","values":4},{"name":"price","type":"double","values":6},{"name":"note","type":"byte_array (string)","values":6}]}

A footer that a wrong byte ends early is damage, not an empty table.

$ cp users.parquet cut.parquet; printf '\011' | dd of=cut.parquet bs=1 seek=820 conv=notrunc 2> /dev/null; bloomery dedup -q -c --column user_id cut.parquet
bloomery: cut.parquet: the footer of the Parquet file has no list of row groups
[3]

A value that holds the delimiter would be printed as two records.

$ bloomery dedup -q --column note users.parquet
bloomery: users.parquet: a value of the column contains the delimiter, and would be printed as two records; choose another (-z, or -D)
[2]
