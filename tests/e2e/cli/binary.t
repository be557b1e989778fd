A record may hold any byte and be as long as it likes.

$ head -c 10000000 /dev/zero | tr '\0' x > huge.txt && (cat huge.txt; echo; echo small) > both.txt && bloomery build -q -o f.bloom both.txt && bloomery query f.bloom both.txt | cmp - both.txt

$ (head -c 9999999 huge.txt; echo) | bloomery query -c f.bloom
0
[1]

$ printf 'a\377\200\001b\rc\n\0\n\n' > odd.bin && bloomery build -q -o odd.bloom -p 1e-9 odd.bin && bloomery query odd.bloom odd.bin | cmp - odd.bin

$ printf '\0\0\n' | bloomery query -c odd.bloom
0
[1]

$ printf '\n' | bloomery query -c odd.bloom
1

$ printf 'one\ntwo\0three' | bloomery build -q -z -o z.bloom -n 2 -p 1e-9 && printf 'three\0one\ntwo\0one\0' | bloomery query -z -c z.bloom
2

The last record needs no terminator, and gets one.

$ printf 'a\nb' | bloomery build -q -o t.bloom -n 2 && printf 'b' | bloomery query t.bloom | od -An -c
   b  \n
