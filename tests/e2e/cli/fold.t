A filter that turned out too large is folded to the smallest that keeps the rate.

$ seq 1000 > keys.txt; bloomery build -q -n 100k -p 1% -o big.bloom keys.txt && bloomery fold -p 1% -o small.bloom big.bloom
bloomery: small.bloom: folded by \d+, from 12\d.* KiB to [12].* KiB; its false-positive rate is now 0\.\d* % (re)

$ bloomery query -c small.bloom keys.txt; bloomery verify small.bloom; bloomery inspect --strict small.bloom > /dev/null
1000
small.bloom: ok (bloomery, checksum and structure)

$ bloomery fold --json -F -p 0.01% -o small.bloom big.bloom | python3 -c 'import json, sys; d = json.load(sys.stdin); print(" ".join(d)); print(d["bits_before"] == d["factor"] * d["bits"], d["estimated_fpr"] <= 0.0001)'
factor bits_before bits bytes_before bytes estimated_fpr
True True

A filter that keeps no more than the rate stays as it is; one that does not even keep it is refused.

$ seq 1000 | bloomery build -q -n 1000 -p 1% -o full.bloom; bloomery fold -p 2% -o same.bloom full.bloom; cmp <(tail -c +129 full.bloom) <(tail -c +129 same.bloom)
bloomery: same.bloom: copied: no smaller filter keeps 2 %; its false-positive rate is .* % (re)

$ bloomery fold -p 0.1% -o x.bloom full.bloom; echo $?; test -e x.bloom
bloomery: full.bloom: not folded: its false-positive rate is already .*, above the limit of 0.1 % \(--fpr\) (re)
4
[1]

Foreign filters fold too, where their sizes allow.

$ bloomery build -q --format guava -n 64k -o big.guava keys.txt && bloomery fold -q -p 1% -o small.guava big.guava && bloomery query -c small.guava keys.txt && test $(stat -c %s small.guava) -lt $(stat -c %s big.guava)
1000

$ bloomery build -q --layout counting -n 1000 -o c.bloom keys.txt; bloomery fold -p 1% -o x.bloom c.bloom
bloomery: c.bloom: this kind of filter cannot be folded
[3]

$ bloomery fold -o x.bloom big.bloom
bloomery: --fpr is required
Try 'bloomery fold --help'.
[2]
