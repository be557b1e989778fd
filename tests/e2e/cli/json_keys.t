Keys in JSON records: one value or several, with their types or as text.

$ printf '{"user":"ann","time":1}\n{"user":"bob","time":2}\n' > a.jsonl; bloomery build -q -n 100 -p 1e-6 -o user.bloom --json-key /user a.jsonl && printf 'bob\ncid\n' | bloomery query user.bloom
bob

Several values: the length of each, a colon and its bytes.

$ bloomery build -q -n 100 -p 1e-6 -o both.bloom --json-key /user,/time a.jsonl && printf '3:ann1:1\n3:ann1:2\n' | bloomery query both.bloom
3:ann1:1

$ printf '{"time":"2","user":"bob"}\n{"user":"bo","time":"b2"}\n' | bloomery query --json-key /user,/time both.bloom
{"time":"2","user":"bob"}

A comma in a name is ~2.

$ printf '{"a,b":"x","c":"y"}\n' | bloomery dedup -q --json-key '/a~2b,/c' -c
1

$ bloomery query --json-key /a,b user.bloom a.jsonl
bloomery: --json-key: 'b' is not a JSON Pointer such as /user/id; a comma in a name is written ~2
Try 'bloomery query --help'.
[2]

With --json-typed the types count, and how a value is written does not. The file records it.

$ printf '{"v":1}\n{"v":"x"}\n{"v":null}\n{"v":{"b":1,"a":[true]}}\n' > v.jsonl; bloomery build -q -n 100 -p 1e-6 -o typed.bloom --json-typed --json-key /v v.jsonl; printf '{"v":1.0}\n{"v":10e-1}\n{"v":"1"}\n{"v":true}\n{"v":{"a":[true],"b":1}}\n{"v":null}\n{"v":"null"}\n' | bloomery query --json-key /v typed.bloom
{"v":1.0}
{"v":10e-1}
{"v":{"a":[true],"b":1}}
{"v":null}

Without --json-key each record is the value.

$ printf '1e0\n"1"\n"x"\nnull\nx\n' | bloomery query typed.bloom
1e0
"x"
null
bloomery: standard input: record 5 (byte 1 of the record): it is not JSON: a value was expected
[2]

$ bloomery inspect typed.bloom | grep -o 'the keys are json'
the keys are json

$ echo 1 | bloomery query --funnel bytes typed.bloom
bloomery: --funnel: the filter was built with the funnel json, not with bytes
[2]

$ echo 1 | bloomery query --hex typed.bloom
bloomery: --hex decodes text, and keys of the funnel json keep their types
[2]

$ bloomery dedup -q --json-typed --json-key /v <<< $'{"v":1}\n{"v":1.0}\n{"v":"1"}\n{"v":[1,{"a":1,"b":2}]}\n{"v":[1e0,{"b":2,"a":1}]}'
{"v":1}
{"v":"1"}
{"v":[1,{"a":1,"b":2}]}

A reader that does not know the number refuses the file.

$ python3 -c 'import ctypes, struct; d = bytearray(open("typed.bloom", "rb").read()); d[20:22] = struct.pack("<H", 99); x = ctypes.CDLL("libxxhash.so.0").XXH3_64bits; x.restype = ctypes.c_uint64; d[120:128] = struct.pack("<Q", x(bytes(d[:120]), ctypes.c_size_t(120))); open("later.bloom", "wb").write(d)'; echo 1 | bloomery query later.bloom
bloomery: later.bloom: the funnel 99 is not known here
[3]

What is missing: null is a value with types, and missing without.

$ printf '{"a":1,"b":null}\n{"a":1}\n{"a":1}\n{"a":1,"b":null}\n' > gaps.jsonl; bloomery dedup -q --json-key /a,/b gaps.jsonl
bloomery: gaps.jsonl: record 1: it has no value at /b; --missing skip prints such records as they are
[2]

$ bloomery dedup -q --json-typed --json-key /a,/b gaps.jsonl
{"a":1,"b":null}
bloomery: gaps.jsonl: record 2: it has no value at /b; --missing skip prints such records as they are
[2]

$ bloomery dedup -q --json-key /a,/b --missing empty gaps.jsonl
{"a":1,"b":null}

$ bloomery dedup -q --json-typed --json-key /a,/b --missing empty gaps.jsonl
{"a":1,"b":null}
{"a":1}

$ bloomery dedup -q --json-typed --json-key /a,/b --missing skip gaps.jsonl
{"a":1,"b":null}
{"a":1}
{"a":1}

What is wrong with a record is named with its byte.

$ printf '{"id":1}\n{"id":2,"x":[1,}\n' | bloomery dedup -q --json-key /id
{"id":1}
bloomery: standard input: record 2 (byte 16 of the record): it is not JSON: a value was expected
[2]

$ printf '{"id":"\\ud800"}\n' | bloomery dedup -q --json-key /id
bloomery: standard input: record 1 (byte 8 of the record): it is not JSON: a string has half of a surrogate pair
[2]

$ printf '{"id":1,"id":2}\n' | bloomery dedup -q --json-key /id
bloomery: standard input: record 1 (byte 9 of the record): the member "id" occurs twice, and readers disagree on which of the two counts
[2]

$ printf '{"id":' | bloomery dedup -q --json-key /id
bloomery: standard input: record 1 (byte 7 of the record): it is not JSON: it ends before its value does
[2]

$ python3 -c 'print("[" * 600)' | bloomery dedup -q --json-key /0
bloomery: standard input: record 1 (byte 501 of the record): its JSON is nested deeper than 500 levels
[2]

$ echo '{"id":1e9999999999}' | bloomery dedup -q --json-typed --json-key /id
bloomery: standard input: record 1 (byte 7 of the record): a number has an exponent beyond 999999999
[2]

The keys do not depend on the number of threads.

$ seq 20000 | sed 's/.*/{"id":"&","n":[&,{"a":null}]}/' > many.jsonl; bloomery build -q -o one.bloom --json-typed --json-key /n,/id many.jsonl && bloomery build -q -j 3 -o three.bloom --json-typed --json-key /n,/id many.jsonl && cmp one.bloom three.bloom && bloomery query -j 3 --json-key /n,/id one.bloom many.jsonl | cmp - many.jsonl
