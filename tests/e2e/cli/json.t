The members of --json are a contract, in this order.

$ seq 100 > a.txt && bloomery build --json -q -o f.bloom a.txt | python3 -c 'import json, sys; j = json.load(sys.stdin); print(*j); print(j["records"], j["selected"] + j["dropped"], j["bytes"])'
records selected dropped seconds records_per_second bytes fill estimated_fpr skipped
100 100 192

$ bloomery query --json f.bloom a.txt | python3 -c 'import json, sys; j = json.load(sys.stdin); print(*j); print(j["records"], j["selected"], j["dropped"])'
records selected dropped seconds records_per_second bytes fill estimated_fpr skipped
100 100 0

$ bloomery --json -q add f.bloom a.txt | python3 -c 'import json, sys; j = json.load(sys.stdin); print(*j); print(j["records"], j["selected"], j["dropped"])'
records selected dropped seconds records_per_second bytes fill estimated_fpr skipped
100 0 100

Nothing else is on stdout, and nothing selected is still exit 1.

$ echo no | bloomery query --json f.bloom | wc -l
1

$ echo no | bloomery query --json f.bloom > /dev/null
[1]
