Events of tokens in twelve blocks, decoded.

$ bloomery eth --help > /dev/null || exit 77; bloomery eth status --db chain 2>&1 | grep -q 'built without' && { echo 'built without the log search'; exit 77; }; true

$ cp $GOLDEN/ethereum/erc20_abi.json erc20.json; bloomery eth import --db tokens $GOLDEN/ethereum/token_blocks.jsonl
bloomery: 12 blocks stored with 15 logs

By the declaration of an event; what is none of it is printed as it is, with the reason.

$ bloomery eth logs -q --db tokens --event 'Transfer(address indexed from, address indexed to, uint256 value)' | sed 's/.*"blockNumber":\("[^"]*"\).*"removed":false,/\1 /'
"0x1" "eventName":"Transfer","eventSignature":"Transfer(address,address,uint256)","args":{"from":"0x0000000000000000000000000000000000000000","to":"0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","value":"1000000000000000000000000"}}
"0x2" "eventName":"Transfer","eventSignature":"Transfer(address,address,uint256)","args":{"from":"0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","to":"0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0","value":"1500"}}
"0x2" "eventName":"Transfer","eventSignature":"Transfer(address,address,uint256)","args":{"from":"0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","to":"0xcacacacacacacacacacacacacacacacacacacaca","value":"9007199254740992"}}
"0x3" "error":"it is no Transfer(address,address,uint256): it has 4 topics instead of 3"}
"0x6" "eventName":"Transfer","eventSignature":"Transfer(address,address,uint256)","args":{"from":"0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0","to":"0xcacacacacacacacacacacacacacacacacacacaca","value":"250"}}
"0x6" "error":"it is no Transfer(address,address,uint256): it has 4 topics instead of 3"}
"0x7" "error":"it is no Transfer(address,address,uint256): value: the data end at byte 2, before the word at byte 0"}
"0x8" "eventName":"Transfer","eventSignature":"Transfer(address,address,uint256)","args":{"from":"0xcacacacacacacacacacacacacacacacacacacaca","to":"0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0","value":"1"}}
"0xb" "eventName":"Transfer","eventSignature":"Transfer(address,address,uint256)","args":{"from":"0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0","to":"0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","value":"999"}}
"0xb" "eventName":"Transfer","eventSignature":"Transfer(address,address,uint256)","args":{"from":"0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0","to":"0x0000000000000000000000000000000000000000","value":"1"}}

$ bloomery eth logs --db tokens --event 'event Transfer(address indexed from, address indexed to, uint256 value);' --on-error skip | wc -l
bloomery: warning: 3 logs could not be decoded and were left out; the first: block 3, log 0 of 0xa27aa27aa27aa27aa27aa27aa27aa27aa27aa27a: it is no Transfer(address,address,uint256): it has 4 topics instead of 3
7

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --on-error stop | wc -l; bloomery eth logs --db tokens --abi erc20.json --event Transfer --on-error stop > /dev/null
bloomery: block 3, log 0 of 0xa27aa27aa27aa27aa27aa27aa27aa27aa27aa27a: it is no Transfer(address,address,uint256): it has 4 topics instead of 3; --on-error skip leaves such logs out, keep prints them as they are
3
bloomery: block 3, log 0 of 0xa27aa27aa27aa27aa27aa27aa27aa27aa27aa27a: it is no Transfer(address,address,uint256): it has 4 topics instead of 3; --on-error skip leaves such logs out, keep prints them as they are
[3]

$ bloomery eth logs -q --db tokens --event 'Transfer(address indexed from, address indexed to, uint256 indexed tokenId)' --event 'Transfer(address indexed from, address indexed to, uint256 value)' --format csv --on-error skip | tr -d '\r' | cut -d, -f1,8-
block_number,event,from,to,tokenId,value
1,"Transfer(address,address,uint256)",0x0000000000000000000000000000000000000000,0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1,,1000000000000000000000000
2,"Transfer(address,address,uint256)",0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1,0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0,,1500
2,"Transfer(address,address,uint256)",0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1,0xcacacacacacacacacacacacacacacacacacacaca,,9007199254740992
3,"Transfer(address,address,uint256)",0x0000000000000000000000000000000000000000,0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0,7,
6,"Transfer(address,address,uint256)",0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0,0xcacacacacacacacacacacacacacacacacacacaca,,250
6,"Transfer(address,address,uint256)",0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0,0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1,7,
8,"Transfer(address,address,uint256)",0xcacacacacacacacacacacacacacacacacacacaca,0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0,,1
11,"Transfer(address,address,uint256)",0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0,0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1,,999
11,"Transfer(address,address,uint256)",0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0,0x0000000000000000000000000000000000000000,,1

A declaration without indexed decodes nothing, and the reason says why.

$ bloomery eth logs -q --db tokens --event 'Transfer(address,address,uint256)' --limit 1 | grep -o '"error.*'
"error":"it is no Transfer(address,address,uint256): it has 3 topics instead of 1; the declaration marks no argument as indexed"}

$ bloomery eth status --db tokens | grep cheaper
    cheaper           nothing to do: no section is complete yet (4,096 blocks each, and 256 after them)

Values of indexed arguments; the same name means or, another one and.

$ bloomery eth logs -q --db tokens --abi erc20.json --event Transfer --arg from=0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0 --arg to=0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1 --arg to=0xcacacacacacacacacacacacacacacacacacacaca --address 0xc011c011c011c011c011c011c011c011c011c011 | grep -o '"args.*'
"args":{"from":"0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0","to":"0xcacacacacacacacacacacacacacacacacacacaca","value":"250"}}
"args":{"from":"0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0","to":"0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","value":"999"}}

$ bloomery eth logs --db tokens --event 'Sale(string indexed shop, string note, (uint32 id, bytes data)[] items, int64 change, bool paid)' --arg shop=Wien | grep -o '"eventName.*'
"eventName":"Sale","eventSignature":"Sale(string,string,(uint32,bytes)[],int64,bool)","args":{"shop":{"hash":"0x54a9c11e615fdd7213dbb19836fa10a99baca4e9464d46afe35dcbc44bf5c035"},"note":"two, please","items":[{"id":1,"data":"0x0102"},{"id":2,"data":"0x"}],"change":"-5","paid":true}}

$ bloomery eth logs --db tokens --event 'Sale(string indexed shop, string note, (uint32 id, bytes data)[] items, int64 change, bool paid)' --arg shop=Linz
[1]

An anonymous event is what has as many topics.

$ bloomery eth logs -q --db tokens --address 0x0dd00dd00dd00dd00dd00dd00dd00dd00dd00dd0 --event 'Seen(bytes32 indexed what, string text) anonymous' | grep -o '"args.*'
"args":{"what":"0xde4812e29dc3687f221cebe31464a4718ffcf13d3c223968df773d0d2ec39306","text":"\"quoted\"\u000aline"}}

An ABI: all its events, those of a name, or of a signature.

$ bloomery eth logs -q --db tokens --abi erc20.json --format csv --on-error skip | tr -d '\r' | cut -d, -f1,8- | sed 's/0x\(....\)[0-9a-f]*/\1/g'
block_number,event,from,to,value,owner,spender
1,Transfer,0000,a1a1,1000000000000000000000000,,
2,Transfer,a1a1,b0b0,1500,,
2,Transfer,a1a1,caca,9007199254740992,,
2,Approval,,,115792089237316195423570985008687907853269984665640564039457584007913129639935,b0b0,caca
6,Transfer,b0b0,caca,250,,
8,Transfer,caca,b0b0,1,,
10,Approval,,,0,a1a1,b0b0
11,Transfer,b0b0,a1a1,999,,
11,Transfer,b0b0,0000,1,,

$ bloomery eth logs -q --db tokens --abi erc20.json --event 'Approval(address,address,uint256)' | wc -l
2

$ echo '{"abi":[{"type":"event","name":"E","inputs":[{"type":"uint7","name":"a"}]}]}' > bad.json; bloomery eth logs --db tokens --abi bad.json
bloomery: bad.json: entry 0, the event 'E': the argument 'a': unknown type 'uint7'
[3]

$ bloomery eth logs --db tokens --abi erc20.json --event Mint
bloomery: --event 'Mint': no file of --abi has an event of this name; they have Transfer, Approval
[2]

$ bloomery eth logs --db tokens --event Mint
bloomery: --event 'Mint': the arguments are missing; give them in parentheses, such as 'Mint(address indexed from, uint256 value)', or a file with --abi
[2]

$ bloomery eth logs --db tokens --event 'Transfer(adress indexed from)'
bloomery: --event 'Transfer(adress indexed from)': unknown type 'adress'
[2]

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --arg value=1
bloomery: --arg: the argument 'value' of Transfer(address indexed from, address indexed to, uint256 value) is not indexed, and only indexed ones can be searched for; these are: from, to
[2]

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --arg from=alice
bloomery: --arg: from: 'alice' is no address; give 0x and 40 hexadecimal digits
[2]

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --topic 0x00000000000000000000000000000000000000000000000000000000000000ff
bloomery: --event: topic 0 of Transfer(address,address,uint256) is 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef, which --topic excludes; give '*' for the first --topic, or leave it out
[2]

$ bloomery eth logs --db tokens --abi erc20.json --event Transfer --topic '*' --topic '*' --limit 1 -q | wc -l
1

$ bloomery eth logs --db tokens --arg from=0x00
bloomery: --arg needs an event: give it with --event or --abi
[2]

$ bloomery eth logs --db tokens --event 'A(address x)' --event 'B(uint256 x)' --format csv
bloomery: the column 'x' would hold address and, of B(uint256), uint256; write a file for each event (--event)
[2]

Tables without an event.

$ bloomery eth logs --db tokens --from 7 --to 7 --format csv | tr -d '\r' | sed 's/0x\(....\)[0-9a-f]*/\1/g'
block_number,block_hash,block_timestamp,transaction_hash,transaction_index,log_index,address,topic0,topic1,topic2,topic3,data
7,83a9,1700000084,70c9,0,0,0dd0,ddf2,0000,0000,,00ff
7,83a9,1700000084,70c9,0,1,0dd0,de48,,,,0000

Files are complete or absent, and not replaced by accident.

$ bloomery eth logs -q --db tokens --abi erc20.json --format parquet -o all.parquet; bloomery eth logs -q --db tokens --abi erc20.json --format parquet -o all.parquet
bloomery: all.parquet: the file exists; --force replaces it
[2]

$ bloomery eth logs -q --db tokens --abi erc20.json --on-error stop --format csv -o stopped.csv; ls stopped.csv 2>&1 | grep -c 'No such file'
bloomery: block 3, log 0 of 0xa27aa27aa27aa27aa27aa27aa27aa27aa27aa27a: it is no Transfer(address,address,uint256): it has 4 topics instead of 3; --on-error skip leaves such logs out, keep prints them as they are
1

$ bloomery build -q --column value -n 100 -o values.bloom all.parquet; printf '1500\n1501\n' | bloomery query -q values.bloom
1500

$ bloomery build -q --column address -n 100 -o contracts.bloom all.parquet; printf 'c011c011c011c011c011c011c011c011c011c011\n1111111111111111111111111111111111111111\n' | bloomery query -q --hex contracts.bloom
c011c011c011c011c011c011c011c011c011c011

$ bloomery eth logs --db tokens --format parquet
bloomery: --format parquet needs a file: give it with --output
[2]

$ bloomery eth logs --db tokens --format parquet -o x.parquet --follow
bloomery: --format parquet cannot be combined with --follow or --checkpoint, because a Parquet file cannot be appended to; use jsonl or csv
[2]

Without --format the name of the file says which it is; a format that is given wins.

$ bloomery eth logs -q --db tokens -o named.csv; bloomery eth logs -q --db tokens -o named.parquet; bloomery eth logs -q --db tokens -o named.csv.gz; bloomery eth logs -q --db tokens --format csv -o other.parquet; for name in named.csv named.parquet named.csv.gz other.parquet; do head -c 4 $name; echo; done
bloc
PAR1
{"ad
bloc

With a checkpoint each run goes on where the last one ended.

$ head -n 6 $GOLDEN/ethereum/token_blocks.jsonl > first.jsonl; bloomery eth import -q --db grows first.jsonl; bloomery eth logs -q --db grows --abi erc20.json --checkpoint state --format csv -o coin.csv; wc -l < coin.csv
6

$ bloomery eth import -q --db grows $GOLDEN/ethereum/token_blocks.jsonl; bloomery eth logs -q --db grows --abi erc20.json --checkpoint state --format csv -o coin.csv; wc -l < coin.csv
13

$ bloomery eth logs -q --db grows --abi erc20.json --checkpoint state --format csv -o coin.csv; wc -l < coin.csv
13

$ bloomery eth logs --db grows --checkpoint state -o coin.csv
bloomery: state: the checkpoint belongs to another search: --from earliest --to latest --event 'Transfer(address indexed from, address indexed to, uint256 value)' --event 'Approval(address indexed owner, address indexed spender, uint256 value)' --format csv --on-error keep; give these options, or another file
[2]

$ bloomery eth logs --db grows --follow --to 5
bloomery: --follow does not end, so that it cannot be combined with --to
[2]

$ bloomery eth logs --db grows --limit 5 --follow
bloomery: --limit, --newest-first, --block-hash and --explain cannot be combined with --follow, --checkpoint or --from-rpc, which search step by step
[2]

$ bloomery eth logs --db grows --from-rpc http://127.0.0.1:1
bloomery: --db and --from-rpc cannot be combined; give one of them
[2]

$ bloomery eth logs
bloomery: give the folder of a chain (--db) or the address of a node (--from-rpc)
[2]

