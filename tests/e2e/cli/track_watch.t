The watcher says when it sees everything; commands reach it by themselves.

$ mkdir -p data/a data/b && touch ready && (bloomery track watch data --state s --backend inotify --webhook 127.0.0.1:0 > ready 2> notes < /dev/null & echo $! > pid); until [ $(wc -l < ready) = 2 ]; do sleep 0.01; done; sed -E 's/[0-9]*\/,/PORT,/; s/[0-9a-f]{64}/TOKEN/' ready
watching 1 root with inotify, webhook at http://127.0.0.1:PORT, state in s
webhook token, printed this once: TOKEN (kept in s/webhook.token; senders give it as Authorization: Bearer)

$ stat -c '%a %n' s/webhook.token s/watch.sock; grep -c $(cat s/webhook.token) ready
600 s/webhook.token
600 s/watch.sock
1

$ bloomery track query -q --state s data/a data/b
data/a
data/b

$ bloomery track cycle --state s --json | sed 's/2:[0-9a-f]*/2/'
{"cycle":"2","number":2,"oldest":2,"newest":1,"complete":false,"knows_from":2}

$ bloomery track query --state s --since 2 data
[1]

What changed before the question is in the answer, in new folders too.

$ mkdir -p data/a/new/deep && touch data/a/new/deep/file && bloomery track query --state s --since 2 data data/a data/a/new/deep/file data/b
data
data/a
data/a/new/deep/file

$ mv data/a/new data/b/moved && bloomery track mark --state s data/said && bloomery track query --state s --since 2 data/b/moved/deep data/said data/c
data/b/moved/deep
data/said

$ printf '\357\273\277data/list/1\r\ndata/list/2\r\n' | bloomery track mark -q --state s - && bloomery track query --state s --since 2 data/list/{1,2,3}
data/list/1
data/list/2

$ bloomery track status --state s --json | python3 -c 'import json, sys; s = json.load(sys.stdin); w = s["watch"]; print(w["backend"], w["watches"], w["overflows"], w["unseen"], s["knows_from"])'
inotify 5 0 [] 2

$ bloomery track status --state s | grep -c 'watcher  *process'
1

$ bloomery track watch data --state s 2>&1 | sed 's/process [0-9]*/process N/'
bloomery: s: another program (process N) owns this tracker; wait until it ends

$ bloomery track cycle --state s --rate 5%
bloomery: s: a watcher owns this tracker: its rate is set when the watcher starts
[2]

$ bloomery track query --state s /elsewhere
bloomery: /elsewhere: lies outside the watched tree; give a path below one of its roots
[2]

$ python3 -c 'import re, urllib.request; at = re.search("http[^,]*", open("ready").read())[0]; token = open("s/webhook.token").read().strip(); ask = urllib.request.Request(at, headers={"Authorization": "Bearer " + token}, data=b"{\"Records\":[{\"eventName\":\"s3:ObjectCreated:Put\",\"s3\":{\"bucket\":{\"name\":\"bucket\"},\"object\":{\"key\":\"an+object\"}}}]}"); print(urllib.request.urlopen(ask).read().decode(), end=""); print(*[line for line in urllib.request.urlopen(at + "metrics").read().decode().split("\n") if re.match("bloomery_track_(overflows|webhook_changes)", line)], sep="\n")' && bloomery track query --state s --since 2 'data/bucket/an object' data/bucket/an+object data/bucket/other
2 changes
bloomery_track_overflows_total 0
bloomery_track_webhook_changes_total 2
data/bucket/an object
data/bucket/an+object

Without the token nothing is taken, and the operator hears of it once.

$ python3 -c 'import re, urllib.request; urllib.request.urlopen(re.search("http[^,]*", open("ready").read())[0], data=b"{}")' 2>&1 | tail -1; grep -v 'nothing' notes
urllib.error.HTTPError: HTTP Error 401: Unauthorized
bloomery: warning: --webhook: a notification without the right token was refused; give the token to the sender, as auth_token, Authorization: Bearer, or ?token= (further ones are counted in /metrics)

After its end nothing is watched, and that is reported.

$ kill $(cat pid) && while kill -0 $(cat pid) 2> /dev/null; do sleep 0.01; done; ls s; bloomery track query -q --state s --since 2 data/c
heartbeat
lock
tracker.bloomery
tracker.seal
webhook.token
data/c

$ bloomery track cycle --state s --peek --json | sed 's/2:[0-9a-f]*/2/; s/since [-0-9]* [0-9:]* UTC/since T/'
{"cycle":"2","number":2,"oldest":3,"newest":1,"complete":false,"knows_from":3,"reason":"no watcher ran since T"}

$ bloomery track watch --state s 2>&1 | head -1
bloomery: ROOT or --webhook is required

$ bloomery track watch nowhere --state s
bloomery: ROOT nowhere: is not a folder that can be watched: No such file or directory
[2]

The second start keeps the token and does not print it.

$ rm ready; (bloomery track watch data --state s --backend inotify --webhook 127.0.0.1:0 > ready 2>&1 < /dev/null & echo $! > pid); until [ -s ready ]; do sleep 0.01; done; kill $(cat pid) && while kill -0 $(cat pid) 2> /dev/null; do sleep 0.01; done; grep -c $(cat s/webhook.token) ready
0
[1]

$ bloomery track watch data --state s --webhook 0.0.0.0:9 --webhook-no-token
bloomery: --webhook: 0.0.0.0:9: others than this machine could send events; give a token, or listen on 127.0.0.1
[2]

A watcher that does not begin leaves no state behind.

$ bloomery track watch nowhere --state none; bloomery track watch data --state none --webhook 0.0.0.0:9 --webhook-no-token; ls none
bloomery: ROOT nowhere: is not a folder that can be watched: No such file or directory
bloomery: --webhook: 0.0.0.0:9: others than this machine could send events; give a token, or listen on 127.0.0.1
ls: cannot access 'none': No such file or directory
[2]

A watcher whose state folder is removed says so and ends: no command could reach it any more. It makes no new one.

$ (bloomery track watch data --state gone --backend inotify > ready1 2> notes < /dev/null; echo $? > code) & until [ -s ready1 ]; do sleep 0.01; done; rm -rf gone; wait; cat notes code; ls gone
bloomery: gone: the state folder was removed or moved while it was in use, and nothing more is saved; start again, and everything counts as changed once
2
ls: cannot access 'gone': No such file or directory
[2]

So it does when another folder is in its place, and leaves that one alone.

$ (bloomery track watch data --state gone --backend inotify > ready2 2> notes < /dev/null; echo $? > code) & until [ -s ready2 ]; do sleep 0.01; done; mv gone aside; mkdir gone; wait; cat notes code; ls gone
bloomery: gone: the state folder was replaced by another while it was in use, and nothing more is saved; start again, and everything counts as changed once
2

A drive whose folder disappears is reported once.

$ (bloomery track watch data --state w --drive wd --backend inotify > ready3 2> notes < /dev/null & echo $! > pid); until [ -s ready3 ]; do sleep 0.01; done; rm -r wd; until [ -s notes ]; do sleep 0.01; done; sleep 1.2; kill $(cat pid) && while kill -0 $(cat pid) 2> /dev/null; do sleep 0.01; done; sed "s|$PWD|.|" notes; ls wd
bloomery: warning: ./wd: this folder of a --drive is missing: its copy of the state was lost, or the drive is not mounted. The next save creates it again
tracker.bloomery

A state in a watched folder is warned of.

$ (bloomery track watch data --state data/.s --backend inotify > ready4 2> notes < /dev/null & echo $! > pid); until [ -s ready4 ]; do sleep 0.01; done; kill $(cat pid) && while kill -0 $(cat pid) 2> /dev/null; do sleep 0.01; done; cat notes
bloomery: warning: data/.s: lies in the watched folder data: changes of its files are not recorded, but scans count them; choose a --state outside of it
