A filter from a file: the plan first, the summary at the end.

$ seq 1000 > thousand.txt && bloomery build -o a.bloom thousand.txt
bloomery: plan: 1,000 keys \(counted\) at 1 %: block, 10,752 bits, 8 probes, 1\.3 KiB of memory \(limit .*\) (re)
bloomery: a\.bloom: 1,000 records added in .* s \(.*/s\); 0 were already present or collided \(about 1\.1 collisions expected on average\); fill 53\.1 %, false positives 0\.724 % (re)

$ bloomery query -c a.bloom thousand.txt
1000

It is not overwritten unless forced.

$ bloomery build -o a.bloom thousand.txt
bloomery: a.bloom: the file exists; --force replaces it
[2]

$ seq 5 | bloomery build -q -F -o a.bloom -n 5 -p 1e-9 && bloomery query -c a.bloom thousand.txt
5

Sizes are what was asked for.

$ bloomery build -q -o b.bloom --bits 4096 --probes 3 thousand.txt && bloomery inspect --json b.bloom | grep -o '"bits":4096,"probes":3'
"bits":4096,"probes":3

$ bloomery build -q -o c.bloom -n 1e6 -p 1/1000 thousand.txt && stat -c %s c.bloom
1970304

Empty input makes an empty filter.

$ : | bloomery build -q -o empty.bloom -n 10 && echo | bloomery query empty.bloom
[1]

$ : > nothing.txt && bloomery build -q -o nothing.bloom nothing.txt && bloomery query -c nothing.bloom thousand.txt
0
[1]

More keys than it was made for: a warning that names the real rate, and with --strict nothing is saved.

$ seq 5000 | bloomery build -o over.bloom -n 1000 2>&1 | grep warning
bloomery: warning: over.bloom: the filter is saturated: about [\d,]+ keys in a filter for 1,000; its false-positive rate is .*, and it was built for 1 % (re)

$ seq 5000 | bloomery build -q -o strict.bloom -n 1000 --strict; echo $?; test -e strict.bloom
bloomery: strict.bloom: not saved: the filter would be over its design, which --strict forbids
4
[1]

Options that do not belong to the format are refused, and so is a filter to stdout.

$ bloomery build -o x --format guava --layout counting -n 5 thousand.txt
bloomery: --layout is an option of format bloomery; the format is guava
[2]

$ python3 -c 'import os, pty; os._exit(os.waitstatus_to_exitcode(pty.spawn(["bloomery", "build", "--color", "never", "-o", "-", "thousand.txt"])))' < /dev/null | tr -d '\r'; exit ${PIPESTATUS[0]}
bloomery: -: a filter is not written to a terminal; redirect stdout, or give a file
[2]

$ bloomery build -o x --format nosuch thousand.txt 2>&1 | cut -d';' -f1
bloomery: --format: unknown format 'nosuch'

A keyed filter needs its secret, and the right one.

$ echo hush > secret && bloomery build -q -o keyed.bloom --profile siphash --secret-file secret thousand.txt && bloomery query -c --secret-file secret keyed.bloom thousand.txt
1000

$ echo wrong > other && bloomery query -c --secret-file other keyed.bloom thousand.txt 2>&1 | cut -c 1-22
bloomery: keyed.bloom:

$ bloomery query --silent --secret-file other keyed.bloom thousand.txt 2> /dev/null
[3]

$ bloomery query --silent keyed.bloom thousand.txt 2> /dev/null
[2]

$ bloomery build -o x --profile siphash thousand.txt
bloomery: --profile siphash needs a --secret-file
[2]
