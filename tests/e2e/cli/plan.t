A large file is sized from a sample of its records.

$ seq 1000000 3500000 > large.txt && bloomery build -o f.bloom large.txt 2>&1 | head -1
bloomery: plan: 2,[56]\d\d,\d{3} keys \(estimated from a sample\) at 1 %: block, .* (re)

$ bloomery inspect --json f.bloom | python3 -c 'import json, sys; print(json.load(sys.stdin)["health"])'
ok

$ zstd -q large.txt && bloomery build -F -o f.bloom large.txt.zst 2>&1 | head -1
bloomery: plan: 2,[5678]\d\d,\d{3} keys \(estimated from a sample\) at 1 %: block, .* (re)

The plan is refused before anything is allocated, wherever the size came from.

$ bloomery build -o g.bloom -m 1Mi large.txt 2> /dev/null
[4]

$ for format in go-bloom guava bits-and-blooms dcso leveldb redisbloom; do bloomery build -o g.bin -m 1Mi -n 1e9 --format $format large.txt > /dev/null 2>&1; echo $format $?; done
go-bloom 4
guava 4
bits-and-blooms 4
dcso 4
leveldb 4
redisbloom 4

$ bloomery build --progress always -F -o f.bloom large.txt 2>&1 | tr '\r' '\n' | grep -c 'records .*/s .*%'
[1-9]\d* (re)

$ bloomery build --progress never -q -F -o f.bloom large.txt
