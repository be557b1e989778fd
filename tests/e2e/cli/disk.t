A full disk: the message names the file, the old file stays, nothing is left behind.

$ [ $(id -u) = 0 ] || { echo 'only root can mount a small disk'; exit 77; }

$ mkdir disk && mount -t tmpfs -o size=1m tmpfs disk 2> /dev/null || { echo 'no tmpfs can be mounted here'; exit 77; }

$ seq 10 > a.txt && bloomery build -q -o disk/f.bloom a.txt && cp disk/f.bloom before.bloom; bloomery build -q -F -o disk/f.bloom -n 10M a.txt
bloomery: disk/f.bloom: cannot write: No space left on device
[2]

$ cmp before.bloom disk/f.bloom && ls -A disk
f.bloom

$ umount disk
