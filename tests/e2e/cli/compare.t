Two filters of 1000 keys that share 500.

$ seq 1000 | bloomery build -q -n 2000 -o a.bloom; seq 501 1500 | bloomery build -q -n 2000 -o b.bloom; seq 200 | bloomery build -q -n 2000 -o small.bloom

$ bloomery compare a.bloom b.bloom
  A               a.bloom
  B               b.bloom
  relation        neither contains the other
  keys in A       about (9\d\d|1,0\d\d) (re)
  keys in B       about (9\d\d|1,0\d\d) (re)
  keys in either  about 1,[45]\d\d (re)
  keys in both    about [45]\d\d (re)
  similarity      0\.3\d* \(Jaccard: both / either\) (re)

$ bloomery compare a.bloom a.bloom | grep relation
  relation        equal

$ bloomery compare small.bloom a.bloom | grep relation
  relation        every key of A is in B

$ bloomery compare a.bloom small.bloom | grep relation
  relation        every key of B is in A

$ bloomery compare --json small.bloom a.bloom | python3 -c 'import json, sys; d = json.load(sys.stdin); print(" ".join(d)); print(d["equal"], d["a_subset_of_b"], d["b_subset_of_a"], 190 < d["estimated_intersection"] < 210)'
equal a_subset_of_b b_subset_of_a estimated_keys_a estimated_keys_b estimated_union estimated_intersection jaccard
False True False True

What cannot be compared is refused with the reason.

$ seq 10 | bloomery build -q -n 10 -o other.bloom; bloomery compare a.bloom other.bloom
bloomery: a.bloom and other.bloom: the filters differ in shape: 41 blocks and 8 probes against 1 and 6; make both for the same number of keys and the same rate
[3]

$ seq 10 | bloomery build -q -n 2000 --format guava -o a.guava; bloomery compare a.bloom a.guava
bloomery: a.bloom and a.guava: the filters are of different kinds: their bits mean different things
[3]

Filters whose keys became bytes in different ways have nothing in common, though their shape is the same: as merge says.

$ for layout in block classic; do seq 9 | bloomery build -q -F -n 2000 --layout $layout -o bytes.bloom; seq 9 | bloomery build -q -F -n 2000 --layout $layout --funnel i32 -o i32.bloom; bloomery compare bytes.bloom i32.bloom; echo $?; bloomery merge -o both.bloom bytes.bloom i32.bloom; echo $?; done
bloomery: bytes.bloom and i32.bloom: the filters were made with different funnels: bytes and i32
3
bloomery: bytes.bloom and i32.bloom: the filters were made with different funnels: bytes and i32
3
bloomery: bytes.bloom and i32.bloom: the filters were made with different funnels: bytes and i32
3
bloomery: bytes.bloom and i32.bloom: the filters were made with different funnels: bytes and i32
3

$ seq 1 0 | bloomery build -q -F -n 2000 -o bytes.bloom; seq 1 0 | bloomery build -q -F -n 2000 --funnel i32 -o i32.bloom; bloomery compare bytes.bloom i32.bloom
bloomery: bytes.bloom and i32.bloom: the filters were made with different funnels: bytes and i32
[3]
