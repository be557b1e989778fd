Documents of training text: what was seen before is removed, and every other byte stays.

$ printf '{"id":1, "text":"alpha beta gamma delta epsilon\\n\\nfirst of the two"}\n{"text":"new words come first here\\n\\nalpha beta gamma delta epsilon","n":1.0}\n{"text":"alpha beta gamma delta epsilon"}\n' > a.jsonl; bloomery dedup -q --documents --unit paragraph a.jsonl
{"id":1, "text":"alpha beta gamma delta epsilon\n\nfirst of the two"}
{"text":"new words come first here","n":1.0}

$ bloomery dedup -q --documents --unit paragraph --annotate a.jsonl | tail -2
{"text":"new words come first here\n\nalpha beta gamma delta epsilon","n":1.0,"duplicates":{"spans":[[27,57,1.0]],"share":0.5263157894736842,"dropped":false}}
{"text":"alpha beta gamma delta epsilon","duplicates":{"spans":[[0,30,1.0]],"share":1.0,"dropped":true}}

A document is not compared with itself.

$ printf '{"text":"the same line of text\\nthe same line of text\\n"}\n' | bloomery dedup -q --documents --unit line
{"text":"the same line of text\nthe same line of text\n"}

The filter of an evaluation set is only queried, and only with the units that it was made with.

$ printf '{"q":"alpha beta gamma delta"}\n' | bloomery dedup -q --documents --text /q --unit ngram --ngram 3 --save eval.bloom > /dev/null; bloomery dedup -q --documents --unit ngram --ngram 3 --threshold 0.5 --against eval.bloom a.jsonl
{"id":1, "text":"first of the two"}
{"text":"new words come first here","n":1.0}

$ bloomery dedup -q --documents --unit ngram --ngram 4 --against eval.bloom a.jsonl
bloomery: eval.bloom: it does not hold units of --unit ngram --ngram 4; build it with bloomery dedup --documents --save and the same options
[2]

$ bloomery dedup -q --documents --unit line --save eval.bloom a.jsonl
bloomery: eval.bloom: it does not hold units of --unit line; build it with bloomery dedup --documents --save and the same options
[2]

What is wrong is named with its record and byte, after the documents before it.

$ printf '{"text":"a"}\n{"txt":"b"}\n' > m.jsonl; bloomery dedup -q --documents m.jsonl
{"text":"a"}
bloomery: m.jsonl: record 2 (byte 1 of the record): it has no string at /text; --missing skip prints such records as they are
[2]

$ bloomery dedup -q --documents --missing skip --annotate m.jsonl
{"text":"a","duplicates":{"spans":[],"share":0.0,"dropped":false}}
{"txt":"b","duplicates":null}

$ printf '{"text":"a"}\n{"text":"b}\n' | bloomery dedup -q --documents -
{"text":"a"}
bloomery: standard input: record 2 (byte 12 of the record): it is not JSON: it ends within a string
[2]

$ printf '{"text":"a","text":"b"}\n' | bloomery dedup -q --documents
bloomery: standard input: record 1 (byte 13 of the record): the member text occurs twice, and readers disagree on which counts
[2]

$ printf '{"text":"x\\ud800"}\n' > bad.jsonl; bloomery dedup -q --documents bad.jsonl
bloomery: bad.jsonl: record 1 (byte 11 of the record): its text is not UTF-8; --invalid replace compares such text, and skip prints the document as it is
[2]

$ bloomery dedup -q --documents --invalid replace bad.jsonl bad.jsonl; bloomery dedup -q -c --documents --invalid skip bad.jsonl bad.jsonl
{"text":"x\ud800"}
2

$ bloomery dedup -q --documents --annotate --attribute text m.jsonl
bloomery: m.jsonl: record 1 (byte 1 of the record): it has a member text already; --attribute gives another name
[2]

The empty pointer is the whole record.

$ printf '"some text"\n"some text"\n{"text":"a"}\n' | bloomery dedup -q --documents --text ''; bloomery dedup -q --documents --annotate --attribute '' a.jsonl 2>&1 | head -1
"some text"
bloomery: standard input: record 3 (byte 1 of the record): the record is not a string, and --text '' takes the whole record for the text; --missing skip prints such records as they are
bloomery: --attribute: the name is empty

Options without effect are refused.

$ bloomery dedup -q --documents --exact a.jsonl
bloomery: --exact has no effect with --documents; leave the option out
[2]

$ bloomery dedup -q --documents --threshold 0.5 a.jsonl
bloomery: --threshold has no effect without --unit ngram; leave the option out
[2]

$ bloomery dedup -q --documents --missing empty a.jsonl
bloomery: --missing empty has no effect with --documents; use error or skip
[2]

The memory limit holds.

$ bloomery dedup -q --documents -n 100M -m 1Mi a.jsonl 2> /dev/null
[4]
