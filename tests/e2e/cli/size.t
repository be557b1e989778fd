Whatever is missing is solved for.

$ bloomery size -n 1000 -p 1% | head -6 | tr -s ' '
layout dialect keys false positives bits memory probes bits/key
classic bloomery-classic 1,000 0.997 % 9,600 1.2 KiB 7 9.6
block bloomery-block 1,000 0.735 % 10,752 1.3 KiB 8 10.75
seeded bloomery-block 1,000 0.819 % 9,880 1.2 KiB 6 9.88
counting bloomery-classic 1,000 0.997 % 38,400 4.7 KiB 7 38.4
scalable bloomery-classic 1,000 0.491 % 11,072 1.4 KiB 8 11.07

$ bloomery size -n 1000 -p 1% | grep 'go-bloom' | tr -s ' '
classic go-bloom 1,000 .* % \* 9,584 1.2 KiB 6 9.584 (re)

$ bloomery size --bits 8388608 -p 1% --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d[0]["layout"], d[0]["bits"], d[0]["probes"], 874000 < d[0]["keys"] < 875000)'
classic 8388608 7 True

$ bloomery size -n 1M --bits 10M --probes 5 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(round(d[0]["fpr"], 5), d[0]["bits_per_key"])'
0.00943 10.0

$ bloomery size -n 10M --json | python3 -c 'import json, sys; rows = json.load(sys.stdin); names = "layout dialect keys fpr bits bytes probes bits_per_key"; print(all(" ".join(row) == names for row in rows), {"classic", "block", "seeded", "counting", "scalable"} <= {row["layout"] for row in rows})'
True True

A plan of terabytes costs nothing.

$ bloomery size -n 1e12 -p 1/1000 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["bytes"] > 1e12)'
True

What contradicts itself or is too little.

$ bloomery size --probes 3
bloomery: size: nothing sizes the filter: give two of keys, rate and bits
[2]

$ bloomery size -n 1000 --bits 1000 -p 1%
bloomery: size: 1000 keys in 1000 bits with 1 probes have a false-positive rate of .*, which contradicts the 0.01 asked for (re)
[2]

The curve.

$ bloomery size -n 10M -p 1% --plot curve.svg > /dev/null
curve.svg: false-positive rate against keys

$ python3 -c 'import xml.etree.ElementTree as xml; root = xml.parse("curve.svg").getroot(); print(root.tag, [e.get("id") for e in root.iter() if e.get("id") == "goal"])'
{http://www.w3.org/2000/svg}svg ['goal']

$ bloomery size -n 10M -p 1% -q --plot /no/such/folder/curve.svg > /dev/null
bloomery: /no/such/folder/curve.svg: .* (re)
[2]

A picture that is there is replaced only with --force, as a filter is.

$ echo precious > there.svg; bloomery size -n 10M -p 1% --plot there.svg; cat there.svg; bloomery size -q -n 10M -p 1% --force --plot there.svg > /dev/null; head -c 5 there.svg; echo
bloomery: there.svg: the file exists; --force replaces it
precious
<?xml

$ bloomery size -n 10M -p 1% --force
bloomery: --force needs --plot
Try 'bloomery size --help'.
[2]
