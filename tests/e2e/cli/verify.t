$ seq 100 > hundred.txt && bloomery build -q -o a.bloom hundred.txt && bloomery build -q --format guava -n 100 -o a.guava hundred.txt && bloomery verify a.bloom a.guava
a.bloom: ok (bloomery, checksum and structure)
a.guava: ok (guava, structure; this format has no checksum)

$ bloomery verify -q a.bloom
a.bloom: ok (bloomery, checksum and structure)

Every file is looked at, and the worst decides the exit code.

$ cp a.bloom bad.bloom && printf '\377\377\377' | dd of=bad.bloom bs=1 seek=140 conv=notrunc status=none; bloomery verify a.bloom bad.bloom a.guava 2> errors; echo $?; cat errors
a.bloom: ok (bloomery, checksum and structure)
a.guava: ok (guava, structure; this format has no checksum)
3
bloomery: bad.bloom: .*checksum.* (re)

$ for bytes in 0 1 64 127 128 150; do head -c $bytes a.bloom > cut; bloomery verify --format bloomery cut 2> /dev/null; echo $?; done | sort | uniq -c | tr -s ' '
 6 3

$ head -c -1 a.bloom > cut; bloomery verify cut; bloomery query -c cut hundred.txt
bloomery: cut: the body should have .* bytes, and the file ends after .*: it was cut short (re)
bloomery: cut: the body should have .* bytes, and the file ends after .*: it was cut short (re)
[3]

$ bloomery verify a.bloom missing 2> /dev/null > /dev/null
[2]

$ bloomery verify --json a.bloom bad.bloom 2> /dev/null
[{"file":"a.bloom","ok":true,"format":"bloomery","checksum":"ok"},{"file":"bad.bloom","ok":false,"format":null,"checksum":null}]
[3]
