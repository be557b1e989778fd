$ seq 1000 > all.txt; seq 600 | bloomery build -q -n 1000 -o a.bloom; seq 401 1000 | bloomery build -q -n 1000 -o b.bloom

The union is the filter of all keys.

$ bloomery merge -o or.bloom a.bloom b.bloom
bloomery: or.bloom: merged 2 filters, about 1,017 keys, fill 53.1 %, false positives 0.724 %

$ bloomery query -c or.bloom all.txt; bloomery build -q -n 1000 -o whole.bloom all.txt; bloomery compare or.bloom whole.bloom | grep relation
1000
  relation        equal

$ bloomery merge -q --op and -o and.bloom a.bloom b.bloom; seq 401 600 | bloomery query -c and.bloom; bloomery compare and.bloom a.bloom | grep relation
200
  relation        every key of A is in B

Nothing is overwritten unless forced, not even an input.

$ bloomery merge -o a.bloom a.bloom b.bloom
bloomery: a.bloom: the file exists; --force replaces it
[2]

$ bloomery merge -q -F -o or.bloom a.bloom b.bloom a.bloom && bloomery compare or.bloom whole.bloom | grep relation
  relation        equal

--max-fpr refuses a union whose false-positive rate is too high, and writes nothing.

$ bloomery merge -q --max-fpr 0.1% -o strict.bloom a.bloom b.bloom; echo $?; test -e strict.bloom
bloomery: strict.bloom: not written: the false-positive rate would be .* %; --max-fpr allows 0.1 % (re)
4
[1]

$ bloomery merge -q --max-fpr 2% -o lenient.bloom a.bloom b.bloom

$ bloomery merge --json -F -o or.bloom a.bloom b.bloom | python3 -c 'import json, sys; d = json.load(sys.stdin); print(" ".join(d)); print(d["files"], d["op"], d["bytes"])'
files op bytes estimated_keys fill estimated_fpr
2 or 1344

Filters that do not fit together.

$ seq 10 | bloomery build -q -n 10 -o other.bloom; bloomery merge -o x.bloom a.bloom other.bloom; echo $?; test -e x.bloom
bloomery: a.bloom and other.bloom: the filters differ in shape: .* (re)
3
[1]

$ bloomery merge --op xor -o x.bloom a.bloom b.bloom 2>&1 | head -1
bloomery: --op: .*xor.* (re)
