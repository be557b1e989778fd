Rows of CSV: fields by the names of the header, quotes and line ends as RFC 4180 has them.

$ printf 'id,email,note\n1,a@x,"hi, there"\n2,"a@x",two\n3,b@x,"two\nlines ""q"""\n4,b@x,z\n' > users.csv; bloomery dedup -q --csv -f email users.csv
id,email,note
1,a@x,"hi, there"
3,b@x,"two
lines ""q"""

$ bloomery dedup -q --csv -f email -d users.csv
id,email,note
2,"a@x",two
4,b@x,z

$ bloomery dedup -q --csv -f email -c users.csv
2

$ bloomery dedup -q --csv -f email --mark users.csv
mark,id,email,note
new,1,a@x,"hi, there"
repeat,2,"a@x",two
new,3,b@x,"two
lines ""q"""
repeat,4,b@x,z

$ bloomery dedup -q --csv -f email --dupes again.csv users.csv > once.csv; cat again.csv
id,email,note
2,"a@x",two
4,b@x,z

$ bloomery dedup -q --csv -f email --exact -j 3 users.csv | cmp - once.csv

$ bloomery dedup --csv -f email --json users.csv 2>/dev/null | grep -o '"malformed":[0-9]*'
"malformed":0

$ bloomery dedup --csv -f email users.csv 2>&1 >/dev/null | head -1
bloomery: plan: 4 keys \(counted\) at 0\.01 %: block, 512 bits, 8 probes, 64 bytes of memory \(.*\) (re)

Rows keep their bytes: CR LF, a byte order mark before the header, and the end that the last row lacks.

$ printf '\357\273\277a,b\r\n1,"x\r\ny"\r\n1,z\r\n2,"x' > dos.csv; bloomery dedup -q --csv -f a dos.csv | od -An -c
bloomery: dos.csv: row 4 (line 5, byte 26): the quote that opens here is not closed before the end of the input; --on-error skip leaves such rows out, and keep prints them as they are
 357 273 277   a   ,   b  \r  \n   1   ,   "   x  \r  \n   y   "
  \r  \n

$ printf 'a,b\r\n1,2\r\n3,4' | bloomery dedup -q --csv | od -An -c
   a   ,   b  \r  \n   1   ,   2  \r  \n   3   ,   4  \r  \n

$ printf '\357\273\277"a",b\n1,2\n' | bloomery dedup -q --csv --no-header -f 1 --mark | od -An -c
 357 273 277   n   e   w   ,   "   a   "   ,   b  \n   n   e   w
   ,   1   ,   2  \n

A name wins over a number, a number sign makes it a number, and a quoted item is a name.

$ printf 'a,3,c,"x,y"\n1,1,1,1\n2,1,2,1\n3,2,1,1\n' > names.csv; bloomery dedup -q --csv -f 3 names.csv
a,3,c,"x,y"
1,1,1,1
3,2,1,1

$ bloomery dedup -q --csv -f '#3' names.csv
a,3,c,"x,y"
1,1,1,1
2,1,2,1

$ bloomery dedup -q --csv -f '"x,y"' names.csv
a,3,c,"x,y"
1,1,1,1

$ bloomery dedup -q --csv -f '#2-3' -c names.csv; bloomery dedup -q --csv -f a,c -c names.csv; bloomery dedup -q --csv -c names.csv
3
3
3

$ bloomery dedup -q --csv -f email names.csv
bloomery: names.csv: its header has no column 'email'; its columns are: a, 3, c, "x,y"
[2]

$ bloomery dedup -q --csv -f emial users.csv; seq -s, 12 | sed 's/^/c/; s/,/,c/g' > many.csv; bloomery build -q --csv -f x -o x.bloom many.csv
bloomery: users.csv: its header has no column 'emial'; its columns are: id, email, note; did you mean `email`?
bloomery: many.csv: its header has no column 'x'; its columns are: c1, c2, c3, c4, c5, c6, c7, c8, c9, c10 and 2 more
[2]

$ printf 'id;email\n1;a\n' > semicolons.csv; printf 'id\temail\n1\ta\n' > tabs.csv; for file in semicolons.csv tabs.csv; do bloomery dedup -q --csv -f email $file 2>&1 | grep -o -e "-t ';'.*" -e '--tsv.*'; done
-t ';' reads columns between these characters
--tsv reads columns between tabs

$ bloomery dedup -q --csv -f 9 names.csv
bloomery: names.csv: it has no column 9, only 4, and none is called '9'
[2]

$ printf 'a,b,a\n1,2,3\n' | bloomery dedup -q --csv -f a
bloomery: standard input: two columns are called 'a'; choose one by its number: #1 or #3
[2]

$ bloomery dedup -q --csv --no-header -f email users.csv
bloomery: --field: 'email' is not a number such as 1 or 3-5, and with --no-header columns have no names
Try 'bloomery dedup --help'.
[2]

$ bloomery dedup -q --csv -f '#x' users.csv
bloomery: --field: '#x' is not a column such as #1 or #3-5; a name that begins with # is written in double quotes
Try 'bloomery dedup --help'.
[2]

$ printf '1;x\n2;"x"\n' | bloomery dedup -q --csv --no-header -t ';' -f 2
1;x

Columns are looked up in the header of each file. Rows are printed under one header, so files whose
rows are printed must have the same.

$ printf 'email,id\nb@x,9\nc@x,10\n' > more.csv; bloomery dedup -q --csv -f email users.csv more.csv
id,email,note
1,a@x,"hi, there"
3,b@x,"two
lines ""q"""
bloomery: more.csv: its header differs from that of users.csv, under which its rows would be printed; read such files one by one
[2]

$ bloomery dedup -q -c --csv -f email users.csv more.csv; bloomery dedup -q -c --exact --csv -f email,id users.csv more.csv more.csv
3
6

A column that is added has a name of its own.

$ printf 'count,k\n9,a\n9,a\n' > counts.csv; bloomery dedup -q --csv --count-each -f k counts.csv
bloomery: the header has a column 'count' already, and another one of this name would be put before it; rename it
[2]

$ bloomery dedup -q --csv users.csv more.csv
id,email,note
1,a@x,"hi, there"
2,"a@x",two
3,b@x,"two
lines ""q"""
4,b@x,z
bloomery: more.csv: its header differs from that of users.csv, and without -f all columns are the key; name the columns with -f
[2]

$ printf 'id,name\n' > other.csv; bloomery dedup -q --csv -f email users.csv other.csv | tail -1
bloomery: other.csv: its header has no column 'email'; its columns are: id, name
lines ""q"""

$ : > empty.csv; bloomery dedup -q --csv -f name empty.csv other.csv empty.csv
id,name

Values are compared without their quotes; several are joined so that different ones stay different.

$ printf 'a,b\n"x,y",z\nx,"y,z"\n"x,y","z"\n' | bloomery dedup -q --csv -f a,b
a,b
"x,y",z
x,"y,z"

$ bloomery build -q -o mail.bloom -n 100 -p 1e-9 --csv -f email users.csv; printf 'a@x\nb@x\n"a@x"\n' | bloomery query mail.bloom
a@x
b@x

$ printf 'x,y\np,q\n' > pairs.csv; bloomery build -q -o pairs.bloom -n 10 -p 1e-9 -f 1,2 -t , pairs.csv; bloomery query -q --csv --no-header -f 1,2 pairs.bloom pairs.csv
x,y
p,q

query prints the header once; --label and --line-number are columns.

$ bloomery query -q --csv -f email mail.bloom more.csv users.csv
email,id
b@x,9
bloomery: users.csv: its header differs from that of more.csv, under which its rows would be printed; read such files one by one
[2]

$ bloomery query -q -c --csv -f email mail.bloom more.csv users.csv
5

$ bloomery query -v --csv -f email mail.bloom more.csv
email,id
c@x,10

$ bloomery query --csv -f email --label --line-number mail.bloom more.csv
row,label,email,id
2,maybe,b@x,9
3,no,c@x,10

$ bloomery query --csv -f email -c mail.bloom users.csv
4

$ bloomery query --csv -f email --json mail.bloom users.csv | grep -o '"selected":[0-9]*\|"malformed":[0-9]*'
"selected":4
"malformed":0

$ bloomery query -v --csv -f id mail.bloom other.csv
id,name
[1]

The key instead of the record.

$ bloomery query --csv -f email --emit-field mail.bloom users.csv more.csv
email
a@x
"a@x"
b@x
b@x
b@x

$ bloomery query -v --csv -f note,email --emit-field mail.bloom users.csv
note,email
"hi, there",a@x
two,"a@x"
"two
lines ""q""",b@x
z,b@x

$ printf 'q\ta@x\nq\tno\n' | bloomery query -f 2 --emit-field mail.bloom
a@x

$ printf '{"e":"a@x"}\n{"e":"no"}\n' | bloomery query --json-key /e --emit-field --label mail.bloom
maybe	a@x
no	no

$ printf '{"e":"a\\nb"}\n' | bloomery query -v --json-key /e --emit-field mail.bloom
bloomery: standard input: record 1: its key holds the byte that ends records, and --emit-field would print it as two; leave --emit-field out
[2]

$ bloomery query --emit-field mail.bloom more.csv
bloomery: --emit-field needs --field, --json-key, --csv or --tsv
Try 'bloomery query --help'.
[2]

$ bloomery query --emit-field -c -f 1 mail.bloom more.csv
bloomery: --emit-field formats printed records, but --count prints only their number; leave one of them out
[2]

add and remove.

$ bloomery add -q --csv -f email mail.bloom more.csv; bloomery query --csv -f email -c mail.bloom more.csv
2

$ bloomery build -q -o live.bloom --layout counting -n 100 --csv -f email users.csv more.csv; bloomery remove --csv -f email live.bloom more.csv
bloomery: live\.bloom: 2 records in .* s: 2 removed, 0 were not members (re)

A malformed row is named by file, row, line and byte.

$ printf 'a,b\n1,"x\ny"\np"q,3\n"z"w,4\n5\n6,7\n"open,\n' > bad.csv; bloomery dedup -q --csv bad.csv
a,b
1,"x
y"
bloomery: bad.csv: row 3 (line 4, byte 14): a double quote stands inside a field that does not begin with one; --on-error skip leaves such rows out, and keep prints them as they are
[2]

$ bloomery build -o bad.bloom --csv bad.csv 2>&1 | tail -2; test -e bad.bloom
bloomery: bad.csv: row 3 (line 4, byte 14): a double quote stands inside a field that does not begin with one; --on-error skip leaves such rows out
bloomery: bad.bloom: not saved
[1]

$ bloomery dedup --csv --on-error skip bad.csv
bloomery: plan: 6 keys \(counted\) at 0\.01 %: block, 512 bits, 8 probes, 64 bytes of memory \(.*\) (re)
bloomery: warning: bad.csv: row 3 (line 4, byte 14): a double quote stands inside a field that does not begin with one
bloomery: warning: bad.csv: row 4 (line 5, byte 22): text follows the quote that closes a field; a quote within a field is doubled
bloomery: warning: bad.csv: row 5 (line 6, byte 26): the row has 1 column, but the header has 2
a,b
1,"x
y"
6,7
bloomery: warning: bad.csv: row 7 (line 8, byte 32): the quote that opens here is not closed before the end of the input
bloomery: 2 records in .* s \(.*/s\): 2 kept, 0 dropped as repeats \(about 0 wrongly\); 4 malformed rows were left out; fill 3\.12 %, false positives 9\.1e-13 (re)

$ bloomery dedup -q --csv --on-error keep bad.csv | sed 's/^$/(blank)/'
a,b
1,"x
y"
p"q,3
"z"w,4
5
6,7
"open,
(blank)

$ bloomery dedup -q --exact --csv --on-error skip bad.csv
a,b
1,"x
y"
6,7

$ bloomery query --csv -f a --on-error keep --label mail.bloom bad.csv 2>&1 | sed 's/^$/(blank)/'
label,a,b
bloomery: warning: bad.csv: row 3 (line 4, byte 14): a double quote stands inside a field that does not begin with one
bloomery: warning: bad.csv: row 4 (line 5, byte 22): text follows the quote that closes a field; a quote within a field is doubled
bloomery: warning: bad.csv: row 5 (line 6, byte 26): the row has 1 column, but the header has 2
no,1,"x
y"
malformed,p"q,3
malformed,"z"w,4
malformed,5
no,6,7
bloomery: warning: bad.csv: row 7 (line 8, byte 32): the quote that opens here is not closed before the end of the input
malformed,"open,
(blank)
bloomery: 4 malformed rows were printed as they are

$ bloomery build -o bad.bloom --csv -f a --on-error skip bad.csv 2>&1 | tail -1
bloomery: bad\.bloom: 2 records added in .* s \(.*/s\); 0 were already present or collided \(about 0 collisions expected\); 4 malformed rows were left out; fill 2\.34 %, false positives 1\.3e-10 (re)

$ bloomery add --csv --on-error keep mail.bloom bad.csv
bloomery: --on-error keep prints malformed rows, but add prints none; --on-error skip leaves them out
Try 'bloomery add --help'.
[2]

$ printf 'a,b"\n1,2\n' | bloomery dedup -q --csv
bloomery: standard input: row 1 (line 1, byte 4): the header is malformed: a double quote stands inside a field that does not begin with one
[2]

$ printf '1,2\n3\n' | bloomery dedup -q --csv --no-header
1,2
bloomery: standard input: row 2 (line 2, byte 5): the row has 1 column, but the first row has 2; --on-error skip leaves such rows out, and keep prints them as they are
[2]

$ python3 -c 'print("a,b"); [print(i) for i in range(30)]' | bloomery dedup --csv --on-error skip 2>&1 >/dev/null | sed -n '3,4p;12p'
bloomery: warning: standard input: row 3 (line 3, byte 7): the row has 1 column, but the header has 2
bloomery: warning: standard input: row 4 (line 4, byte 9): the row has 1 column, but the header has 2
bloomery: warning: further malformed rows are counted, not named

TSV has no quotes.

$ printf 'a\tb\n"1\tx\n"1\ty\r\n' | bloomery dedup -q --tsv -f a
a	b
"1	x

$ printf 'a\tb\n"1"\tx\n1\ty\n' | bloomery dedup -q --csv -t '\t' -f a
a	b
"1"	x

$ printf 'a\tb\n1\n' | bloomery dedup -q --tsv
a	b
bloomery: standard input: row 2 (line 2, byte 5): the row has 1 column, but the header has 2; --on-error skip leaves such rows out, and keep prints them as they are
[2]

Options that rows of CSV leave without effect are refused.

$ bloomery dedup --csv --crlf users.csv
bloomery: --crlf cannot be combined with --csv
Try 'bloomery dedup --help'.
[2]

$ bloomery dedup --csv --columns email users.csv 2>&1 | head -1; bloomery dedup --csv --column email users.csv
bloomery: unknown option --columns; did you mean `--column`?
bloomery: --column cannot be combined with --csv; columns of CSV are named by -f
Try 'bloomery dedup --help'.
[2]

$ bloomery dedup --csv --header users.csv; bloomery inspect --header a x.bloom 2>&1 | head -1
bloomery: --header: no http:// or https:// address is given; leave the option out; --csv expects a header by itself
Try 'bloomery dedup --help'.
bloomery: --header: no http:// or https:// address is given; leave the option out

$ bloomery dedup --csv --tsv users.csv
bloomery: --csv cannot be combined with --tsv
Try 'bloomery dedup --help'.
[2]

$ bloomery dedup --tsv -t , users.csv
bloomery: --separator cannot be combined with --tsv
Try 'bloomery dedup --help'.
[2]

$ bloomery dedup --csv -t '"' users.csv
bloomery: --separator: a double quote or the end of a line cannot separate fields of CSV
Try 'bloomery dedup --help'.
[2]

$ bloomery dedup --no-header users.csv
bloomery: --no-header needs --csv or --tsv
Try 'bloomery dedup --help'.
[2]

$ bloomery dedup -t , users.csv
bloomery: --separator needs --field or --csv
Try 'bloomery dedup --help'.
[2]

$ bloomery dedup --csv --on-error loudly users.csv
bloomery: --on-error: 'loudly' is not one of stop, skip or keep
Try 'bloomery dedup --help'.
[2]

Lines that end in CR alone are one row, which would be a header and nothing else.

$ printf 'id,n\r1,a\r1,b\r' > mac.csv; bloomery dedup -q --csv mac.csv; bloomery dedup -q --csv --no-header --on-error skip mac.csv; tr ',' '\t' < mac.csv | bloomery dedup -q --tsv; printf '"id"\r1\r' | bloomery dedup -q --csv
bloomery: mac.csv: row 1 (line 1, byte 5): a CR without LF follows, but rows end in LF or CR LF; where lines end in CR alone, convert them: tr '\r' '\n'
bloomery: mac.csv: row 1 (line 1, byte 5): a CR without LF follows, but rows end in LF or CR LF; where lines end in CR alone, convert them: tr '\r' '\n'
bloomery: standard input: row 1 (line 1, byte 5): a CR without LF follows, but rows end in LF or CR LF; where lines end in CR alone, convert them: tr '\r' '\n'
bloomery: standard input: row 1 (line 1, byte 5): a CR without LF follows, but rows end in LF or CR LF; where lines end in CR alone, convert them: tr '\r' '\n'
[2]

$ tr '\r' '\n' < mac.csv | bloomery dedup -q --csv -f id; printf '"i\rd"\r\n1\r\n' | bloomery dedup -q --csv | wc -c
id,n
1,a
10

A chunk of which all rows are malformed.

$ printf 'a,b\n1\n2\n' | bloomery dedup -q --csv --on-error skip 2> /dev/null
a,b
