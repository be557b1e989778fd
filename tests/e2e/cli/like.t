build --like makes a filter that merges with one that another version, another hash or another seed made.

$ seq 600 > a.txt; seq 401 1000 > b.txt; bloomery build -q -n 1000 --profile xxh3 --seed 7 -o old.bloom a.txt; bloomery build -q --like old.bloom -o new.bloom b.txt

$ bloomery merge -q -o both.bloom old.bloom new.bloom; sort -un a.txt b.txt | bloomery query -c both.bloom; bloomery inspect new.bloom | grep -e 'designed for' -e hashed
1000
  designed for     1,000 keys at 1 %
  Note: the keys are bytes, hashed with xxh3 (seed 7).

$ bloomery build -q -n 1000 --profile xxh3 --seed 7 -o same.bloom b.txt; cmp new.bloom same.bloom

The plan shows what was taken over. A file that exists is not replaced, and the old one is only read.

$ cp old.bloom before.bloom; bloomery build --like old.bloom -o again.bloom b.txt 2>&1 | head -1; cmp old.bloom before.bloom
bloomery: plan: block, .* of memory \(limit .*\) (re)

$ bloomery build -q --like old.bloom -o new.bloom b.txt
bloomery: new.bloom: the file exists; --force replaces it
[2]

Every layout but one, with its funnel.

$ for layout in classic block counting lines; do bloomery build -q -n 1000 --layout $layout --funnel i64 -o $layout.bloom a.txt; bloomery build -q --like $layout.bloom -o next.$layout b.txt; bloomery merge -q -o sum.$layout $layout.bloom next.$layout; sort -un a.txt b.txt | bloomery query -c sum.$layout; done
1000
1000
1000
1000

$ bloomery build -q --like block.bloom --funnel u64 -o x.bloom b.txt
bloomery: block.bloom: .*funnel.* (re)
[2]

$ bloomery build -q -n 1000 --seeded -o seeded.bloom a.txt; bloomery build -q --like seeded.bloom -o seeded2.bloom b.txt; bloomery merge -q -o seeded3.bloom seeded.bloom seeded2.bloom; sort -un a.txt b.txt | bloomery query -c seeded3.bloom
1000

$ bloomery build -q --layout scalable -n 10 -o grows.bloom a.txt; bloomery build --like grows.bloom -o x.bloom b.txt
bloomery: grows.bloom: --like cannot copy a scalable filter, because its layers depend on its keys; build filters that are to be merged with the same --keys
[2]

A keyed filter needs its secret.

$ echo hush > secret; bloomery build -q -n 1000 --profile siphash --secret-file secret -o keyed.bloom a.txt; bloomery build --like keyed.bloom -o x.bloom b.txt
bloomery: keyed.bloom: this filter is keyed: it cannot be opened without its secret
[2]

$ bloomery build -q --like keyed.bloom --secret-file secret -o keyed2.bloom b.txt; bloomery merge -q --secret-file secret -o keyed3.bloom keyed.bloom keyed2.bloom; sort -un a.txt b.txt | bloomery query -c --secret-file secret keyed3.bloom
1000

Other systems' filters are copied by their sizes.

$ bloomery build -q --format guava -n 1000 -o a.guava a.txt; bloomery build --like a.guava -o x.guava b.txt
bloomery: a.guava: --like needs a file of format bloomery, and this one has format guava; use --format guava with the same sizes instead
[2]

What the file decides cannot be given.

$ for option in '-n 5' '-p 1%' '--bits 64' '--probes 3' '--profile aes' '--seed 1' '--layout block' '--format guava' --auto --seeded; do bloomery build --like old.bloom $option -o x.bloom b.txt; done 2>&1 | grep combined | cut -d' ' -f 2-
--keys cannot be combined with --like
--fpr cannot be combined with --like
--bits cannot be combined with --like
--probes cannot be combined with --like
--profile cannot be combined with --like
--seed cannot be combined with --like
--layout cannot be combined with --like
--format cannot be combined with --like
--auto cannot be combined with --like
--seeded cannot be combined with --like

$ bloomery build --like absent.bloom -o x.bloom b.txt
bloomery: absent.bloom: .* (re)
[2]

$ test -e x.bloom
[1]

Filters of different hashes do not merge; the error names both and the way out.

$ bloomery build -q -n 1000 -o today.bloom b.txt; bloomery merge -o x.bloom old.bloom today.bloom
bloomery: old.bloom and today.bloom: the filters hash differently: xxh3 against xxh3-64; build --like old.bloom makes one that merges with it
[3]

$ bloomery build -q --layout classic -n 1000 -o today.classic b.txt; bloomery build -q --layout classic --profile xxh3 -n 1000 -o old.classic a.txt; bloomery compare old.classic today.classic
bloomery: old.classic and today.classic: the filters hash differently: xxh3 against xxh3-64
[3]

$ bloomery build -q --layout scalable --profile xxh3 -n 10 -o old.grows a.txt; bloomery merge -o x.bloom old.grows grows.bloom
bloomery: old.grows and grows.bloom: the filters hash differently: xxh3 against xxh3-64; build both with the same --profile
[3]

A hash of 64 bits is refused where it is too short for the rate. Without --profile, one of 128 is
taken there.

$ bloomery build -n 100M -p 1e-10 --profile xxh3-64 -o x.bloom b.txt
bloomery: the hash xxh3-64 is too short for a rate of 1e-10 with 100000000 keys; use xxh3 (--profile xxh3), which has 128 bits
[2]

$ bloomery build -q -n 20k -p 1e-13 -o short.bloom b.txt; bloomery inspect short.bloom | grep -o 'hashed with .*'
hashed with xxh3 (seed 0).
