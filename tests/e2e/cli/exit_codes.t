$ seq 10 > ten.txt && bloomery build -q -o f.bloom ten.txt

0: something selected; 1: nothing.

$ bloomery query --silent f.bloom ten.txt

$ echo no | bloomery query --silent f.bloom
[1]

2: usage, or a file that cannot be read.

$ bloomery query --nosuch f.bloom ten.txt
bloomery: unknown option --nosuch
Try 'bloomery query --help'.
[2]

$ bloomery
bloomery: no command is given
Try 'bloomery --help'.
[2]

$ bloomery build ten.txt
bloomery: --output is required
Try 'bloomery build --help'.
[2]

$ bloomery query missing.bloom ten.txt
bloomery: missing.bloom: cannot open: No such file or directory
[2]

$ bloomery build -o x.bloom missing.txt
bloomery: missing.txt: cannot read: No such file or directory; keys are read from files or standard input: echo KEY | bloomery build -o FILTER
[2]

$ bloomery query f.bloom bob
bloomery: bob: cannot read: No such file or directory; keys are read from files or standard input: echo KEY | bloomery query FILTER
[2]

$ bloomery build -o x.bloom -f 1 -d , ten.txt
bloomery: unknown option -d; did you mean -t, the separator of fields, or -D, the end of records?
Try 'bloomery build --help'.
[2]

$ bloomery build -o x.bloom -p 2 ten.txt
bloomery: --fpr: '2' is not between 0 and 1; did you mean 2%?
Try 'bloomery build --help'.
[2]

$ bloomery build -o x.bloom -n many ten.txt
bloomery: --keys: 'many' is not a number such as 250, 10M, 1e9 or 4Gi
Try 'bloomery build --help'.
[2]

$ bloomery --color sometimes query f.bloom ten.txt
bloomery: --color: 'sometimes' is not one of auto, always or never
Try 'bloomery query --help'.
[2]

A file without a mark is not guessed.

$ bloomery build -q -o bits.bin --format go-bloom ten.txt && bloomery query bits.bin ten.txt
bloomery: bits.bin: the format is not recognised by the first bytes; name it with --format .* (re)
[2]

$ bloomery query --silent --format go-bloom bits.bin ten.txt 2>&1 | cut -c 1-49
bloomery: bits.bin: a go-bloom bit array has no h

$ bloomery query -c --format go-bloom --keys 10 --fpr 1% bits.bin ten.txt
10

3: not a valid filter.

$ (head -c 100 f.bloom; echo rubbish) > cut.bloom; bloomery query --silent cut.bloom ten.txt 2> message; echo $?; cut -c 1-19 message
3
bloomery: cut.bloom

$ cp f.bloom bad.bloom && printf '\377\377' | dd of=bad.bloom bs=1 seek=130 conv=notrunc status=none; bloomery query --silent bad.bloom ten.txt 2> /dev/null
[3]

$ bloomery query --silent --format go-bloom --keys 99 --fpr 1% bits.bin ten.txt 2> /dev/null
[3]

4: refused.

$ bloomery build -o big.bloom -n 1e12 -m 1Mi ten.txt 2>&1 | grep -o 'the filter would need [0-9]* bytes, and the limit is 1048576'
the filter would need 1262491082752 bytes, and the limit is 1048576

$ bloomery build -q -o big.bloom -n 1e12 -m 1Mi ten.txt 2> /dev/null; echo $?; test -e big.bloom
4
[1]

$ bloomery query --silent -m 100 f.bloom ten.txt 2> /dev/null; echo $?; bloomery build -q -F -o g.bloom -n 1M ten.txt && bloomery query --silent -m 100Ki g.bloom ten.txt 2> /dev/null
4
[4]

A filter file whose first bytes are gone does not tell its format, which is exit 2; named, it is a damaged one. Damage behind them is exit 3 in any case.

$ seq 9 | bloomery build -q -n 100 -o whole.bloom; : > empty.bloom; (printf X; tail -c +2 whole.bloom) > start.bloom; (head -c 9 whole.bloom; printf X; tail -c +11 whole.bloom) > later.bloom; for file in empty start later; do bloomery verify $file.bloom 2>&1 | grep -o 'not recognised'; bloomery inspect $file.bloom 2>/dev/null; echo $?; bloomery inspect --format bloomery $file.bloom 2>/dev/null; echo $?; done
not recognised
2
3
not recognised
2
3
3
3
