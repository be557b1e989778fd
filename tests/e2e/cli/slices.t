A filter in parts: built apart, joined, queried by its manifest.

$ seq 1000 > keys.txt; for i in 0 1 2; do bloomery build -q --part $i/3 -n 1000 -o s.$i-of-3.bloom keys.txt; done; ls

$ bloomery join --manifest -o s.bloomset s.*-of-3.bloom && bloomery query -c s.bloomset keys.txt && bloomery verify s.bloomset

$ bloomery build -q -n 1000 -o whole.bloom keys.txt && bloomery join -o joined.bloom s.bloomset && cmp whole.bloom joined.bloom

$ bloomery build --part 1/3 -n 1000 -o again.bloom keys.txt 2>&1 | sed 's/in [0-9.]* s/in N s/'

$ bloomery build --part 1/3 -n 1000 --json -q -o json.bloom keys.txt | python3 -c 'import json, sys; print(" ".join(json.load(sys.stdin)))'

What cannot be: no size, another layout, a part that does not exist, a part as a filter.

$ bloomery build --part 1/3 -o x.bloom keys.txt; echo $?

$ bloomery build --part 1/3 -n 1000 --layout classic -o x.bloom keys.txt; echo $?

$ bloomery build --part 3/3 -n 1000 -o x.bloom keys.txt; echo $?

$ bloomery build --part 1/3 --auto -o x.bloom keys.txt; echo $?

$ bloomery build --part 1/3 -n 1000 -o - keys.txt; echo $?

$ bloomery query -c s.1-of-3.bloom keys.txt; echo $?

$ bloomery add s.bloomset keys.txt; echo $?

Parts that do not belong together, or not all of them.

$ bloomery join -o x.bloom s.0-of-3.bloom s.2-of-3.bloom; echo $?

$ bloomery build -q --part 1/3 -n 2000 -o other.bloom keys.txt; bloomery join -o x.bloom s.0-of-3.bloom other.bloom s.2-of-3.bloom; echo $?

$ rm s.1-of-3.bloom; bloomery verify s.bloomset; echo $?

$ test -e x.bloom; echo $?

Records are routed, or a filter is cut.

$ bloomery split --parts 4 -n 1000 -o routed keys.txt 2>&1 | sed 's/in [0-9.]* s/in N s/'; ls routed; cat routed/* | sort -n | cmp - keys.txt

$ bloomery split --parts 4 -n 1000 -o routed keys.txt; echo $?

$ bloomery split --parts 2 --filter whole.bloom -o cut && ls cut && bloomery join -q -o again2.bloom cut/whole.bloomset && cmp again2.bloom whole.bloom

$ bloomery split --parts 2 -o x keys.txt; echo $?

Each part of dedup prints records of its own keys.

$ for i in 0 1 2; do cat keys.txt keys.txt | bloomery dedup -q --part $i/3 -n 1000; done | sort -n | cmp - keys.txt

$ cat keys.txt keys.txt | bloomery dedup --part 0/3 -n 1000 -c

$ bloomery dedup --part 0/3 -n 1000 --exact keys.txt; echo $?

$ bloomery dedup --part 0/3 keys.txt; echo $?

$ bloomery dedup --part 0/3 -n 1000 --layout lines keys.txt; echo $?
