#!/bin/sh
# get_data.sh - tools/get-data against a local server: good, changed, cut and missing files, no server,
# files brought by hand, conversions. The sets of the table are replaced by small ones with the names of
# real ones; with the real data at hand (KEN_DATA or ../shared/data) the real table is tried too.
set -u
. "$(dirname "$0")/tap.inc"
real=${KEN_DATA:-../shared/data}
unset KEN_DATA KEN_DATA_MIRROR
www=$scratch/www
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT

# ---- The table and the recipes name the same files
tools/get-data >"$out"
check "the list shows every set with its licence" [ "$(grep -c 'licence: .' "$out")" -eq 7 ]
files=$(sed -n 's/^out [^|]*|\([^|]*\)|.*/\1/p' tools/get-data | sort -u)
named=$(sed -n '/^\(train\|dev\|test\) = /p' recipes/*.recipe | grep -o '\$KEN_DATA/[^ ]*' |
    sed 's/.KEN_DATA.//' | sort -u)
check "get-data fetches the files that recipes name, and no others" [ "$files" = "$named" ]
for recipe in recipes/*.recipe; do
    if grep -q 'KEN_DATA/' "$recipe"; then
        set=$(sed -n 's/^# Data: .tools.get-data \([a-z0-9]*\). fetches.*/\1/p' "$recipe")
        check "$recipe names its set in its comment" grep -q "^set $set|" tools/get-data
        check "$recipe names its set as data.source" grep -q "^source = .*get-data $set\b" "$recipe"
    else
        check "$recipe says that its data is made" grep -q '^# Data: made by ken itself' "$recipe"
    fi
done
KEN_DATA=$scratch/none "$ken" check recipes/pos.recipe >"$out" 2>"$err"
check "a recipe without its data exits with 3" [ $? -eq 3 ]
check "and the message says how to get the data" grep -q "No such file.*; tools/get-data pos fetches it" "$err"

# ---- A server on a free port. Addresses with "half" get half of a file, those with "stall" wait two seconds.
if ! command -v curl >/dev/null; then
    echo "# skip downloads: curl is not installed"
    exit $failed
fi
cat >"$scratch/server" <<'PERL'
use IO::Socket::INET;
my ($root, $log) = @ARGV;
my $socket = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 5) or die;
$| = 1;
print $socket->sockport, "\n";
while (my $client = $socket->accept) {
    my $request = <$client> // "";
    while (my $line = <$client>) { last if $line =~ /^\r?\n$/ }
    my ($path) = $request =~ m{^GET (/\S*)};
    open my $notes, ">>", $log; print $notes "$path\n"; close $notes;
    sleep 2 if $path =~ /stall/;
    if (open my $file, "<:raw", "$root$path") {
        my $text = do { local $/; <$file> };
        print $client "HTTP/1.0 200 OK\r\nContent-Length: ", length $text, "\r\n\r\n";
        print $client $path =~ /half/ ? substr $text, 0, length($text) / 2 : $text;
    } else {
        print $client "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    }
    close $client;
}
PERL
perl "$scratch/server" "$www" "$scratch/log" >"$scratch/port" 2>"$err" &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -s "$scratch/port" ] && break
    sleep 0.2
done
address=http://127.0.0.1:$(cat "$scratch/port")
check "a server runs" [ -s "$scratch/port" ]

# ---- get-data with a table of small sets
at() { mkdir -p "$(dirname "$www/$1")" && cat >"$www/$1"; }
digest() { sha256sum | cut -d ' ' -f 1; }
alpha=$(echo alpha | digest) beta=$(echo beta | digest)
echo alpha | at o/r/c1/d/a.txt
echo beta | gzip | at o/r/c1/b.txt.gz
echo beta | gzip | at o/moved/HEAD/b.txt.gz
echo "no alpha" | at o/wrong/c1/a.txt
seq 10000 | at o/half/c1/a.txt
tab=$(printf '\t')
# octal NUMBER SIZE - prints a number as escapes of its bytes, the lowest first
octal() {
    left=$1 size=$2
    while [ "$size" -gt 0 ]; do
        printf '\\0%o' $((left % 256))
        left=$((left / 256)) size=$((size - 1))
    done
}
# items NUMBER... - prints 32-bit numbers as one string of a pickle
items() {
    printf 'T%s' "$(octal $(($# * 4)) 4)"
    for each in "$@"; do octal "$each" 4; done
}
# Three papers and two test papers (4 and 3) with the words and the labels of conversions below. An array
# of floats that nobody needs, the values of the words, stands between the two that are read.
pickle() { printf '%b' "\\0200\\0002cscipy.sparse.csr\\ncsr_matrix\\n)\\0201}(U\\0006_shape$1ub." | at "o/cora/c1/$2"; }
pickle "U\\0007indices$(items 30 2 700 1 9)U\\0004data$(items 1 1 1 1 1)U\\0006indptr$(items 0 2 4 5)" ind.cora.allx
pickle "U\\0007indices$(items 5 6 4)U\\0006indptr$(items 0 2 3)" ind.cora.tx
pickle "$(items 0 0 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 1)" ind.cora.ally
pickle "$(items 0 1 0 0 0 0 0 0 0 1 0 0 0 0)" ind.cora.ty
pickle "K\\0000](K\\0002K\\0001K\\0002eK\\0001]K\\0000aK\\0002](K\\0000K\\0002eK\\0003](M\\0004\\0000eK\\0004]K\\0003a" ind.cora.graph
printf '4\n3\n' | at o/cora/c1/ind.cora.test.index
printf '0\ttrain\t3\t2 30\n1\ttrain\t0\t1 700\n2\ttrain\t6\t9\n3\ttest\t2\t4\n4\ttest\t1\t5 6\n' >"$scratch/nodes"
printf '0\t1\n0\t2\n3\t4\n' >"$scratch/edges"
printf 'BE  B IY\nA  AH\nA  EY\n' | at o/g2p/c1/cmudict-0.7b.train-dev-20-21
printf 'CAT  K AE T\nBE  B EY\n' | at o/g2p/c1/cmudict-0.7b.train-dev-1-21
printf 'DOG  D AO G\n' | at o/g2p/c1/cmudict-0.7b.test
for part in train dev test; do printf '0 a  bad film\n1 %s\n' $part | at o/sst/c1/stsa.binary.$part; done
{
    for name in plain moved wrong half gone stall; do
        echo "set $name|a set|1 kB|none|a free licence|nobody"
    done
    echo "get plain|o/r|c1|d/a.txt"
    echo "get plain|o/r|c1|b.txt.gz"
    echo "out plain|plain/a.txt.gz|$alpha"
    echo "out plain|plain/b.txt.gz|$beta"
    echo "get moved|o/moved|c1|b.txt.gz"
    echo "out moved|moved/b.txt.gz|$beta"
    for name in wrong half gone stall; do
        echo "get $name|o/$name|c1|a.txt"
        echo "out $name|$name/a.txt|$alpha"
    done
    for name in sentiment g2p cora; do echo "set $name|a set|1 kB|$name|a free licence|nobody"; done
    for part in train dev test; do
        echo "get sentiment|o/sst|c1|stsa.binary.$part"
        echo "out sentiment|sst2.$part.tsv|$(printf 'a  bad film\t0\n%s\t1\n' $part | digest)"
    done
    for part in train-dev-20-21 train-dev-1-21 test; do echo "get g2p|o/g2p|c1|cmudict-0.7b.$part"; done
    echo "out g2p|cmudict07b-std.train.tsv.gz|$(printf 'A\tAH\nA\tEY\nBE\tB EY\nBE\tB IY\n' | digest)"
    echo "out g2p|cmudict07b-std.dev.tsv.gz|$(printf 'CAT\tK AE T\n' | digest)"
    echo "out g2p|cmudict07b-std.test.tsv.gz|$(printf 'DOG\tD AO G\n' | digest)"
    for part in allx ally tx ty graph test.index; do echo "get cora|o/cora|c1|ind.cora.$part"; done
    echo "out cora|cora.nodes|$(digest <"$scratch/nodes")"
    echo "out cora|cora.edges|$(digest <"$scratch/edges")"
} >"$scratch/table"
sed -e "/^    cat <<'TABLE'\$/r $scratch/table" -e '/^\(set\|get\|out\) [a-z0-9]*|/d' tools/get-data >"$scratch/get-data"
chmod +x "$scratch/get-data"
KEN_DATA=$scratch/data KEN_DATA_MIRROR=$address
export KEN_DATA KEN_DATA_MIRROR
# fetch SET... - runs get-data; $got is its exit code
fetch() {
    "$scratch/get-data" "$@" >"$out" 2>"$err" </dev/null
    got=$?
}
# left - prints what the data folder holds
left() { (cd "$KEN_DATA" 2>/dev/null && find . -type f | sort | tr '\n' ' '); }

fetch wrong
check "a wrong checksum exits with 1" [ $got -eq 1 ]
check "shows both sums" sh -c "grep -q $alpha '$err' && grep -q $(echo "no alpha" | digest) '$err'"
check "and leaves nothing" [ -z "$(left)" ]
fetch half
check "half a file exits with 1" [ $got -eq 1 ]
check "and leaves nothing" [ -z "$(left)" ]
fetch gone
check "a file that the server does not have exits with 1" [ $got -eq 1 ]
check "names the address" grep -qF "cannot get $address/o/gone/c1/a.txt: " "$err"
fetch nothing plain
check "an unknown set exits with 2" [ $got -eq 2 ]
check "lists the known ones" grep -q 'unknown set "nothing"; the sets are: plain moved' "$err"
check "and fetches no other" [ -z "$(left)" ]
fetch plain
check "a good download succeeds" [ $got -eq 0 ]
check "shows licence and source first" [ "$(grep -n 'licence: a free licence' "$out" | cut -d : -f 1)" -lt \
    "$(grep -n "$address" "$out" | head -n 1 | cut -d : -f 1)" ]
check "packs the file" [ "$(gzip -dc "$KEN_DATA/plain/a.txt.gz")" = alpha ]
check "keeps a packed file as it is" cmp -s "$www/o/r/c1/b.txt.gz" "$KEN_DATA/plain/b.txt.gz"
check "and leaves nothing else" [ "$(left)" = "./plain/a.txt.gz ./plain/b.txt.gz " ]
: >"$scratch/log"
fetch plain
check "a second time it succeeds" [ $got -eq 0 ]
check "without a download" [ ! -s "$scratch/log" ]
rm "$KEN_DATA/plain/a.txt.gz"
echo mine | gzip >"$KEN_DATA/plain/b.txt.gz"
fetch plain
check "another file with the name of a set's file is refused" [ $got -eq 1 ]
check "with both sums" sh -c "grep -q $beta '$err' && grep -q $(echo mine | digest) '$err'"
check "and is untouched" [ "$(gzip -dc "$KEN_DATA/plain/b.txt.gz")" = mine ]
check "alone" [ "$(left)" = "./plain/b.txt.gz " ]
rm "$KEN_DATA/plain/b.txt.gz"
fetch moved
check "the newest version serves if the pinned one is gone" [ "$(left)" = "./moved/b.txt.gz " ]
rm -r "$KEN_DATA"
fetch sentiment g2p cora
check "sentences, pronunciations and Cora's pickles are converted" [ $got -eq 0 ]
check "papers have part, label and sorted words" cmp -s "$scratch/nodes" "$KEN_DATA/cora.nodes"
check "links are there once, without loops" cmp -s "$scratch/edges" "$KEN_DATA/cora.edges"
check "an entry of a word in both parts moves to train" [ \
    "$(gzip -dc "$KEN_DATA/cmudict07b-std.train.tsv.gz" | sed -n 3p)" = "BE${tab}B EY" ]
rm -r "$KEN_DATA"
"$scratch/get-data" stall >"$out" 2>"$err" &
stalled=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    grep -q stall "$scratch/log" && break
    sleep 0.2
done
kill -TERM $stalled
wait $stalled
check "a stopped download is not a success" [ $? -ne 0 ]
check "and leaves nothing" [ -z "$(left)" ]

# ---- No server
kill "$server"
wait "$server" 2>/dev/null
server=
fetch plain
check "without a server it exits with 1" [ $got -eq 1 ]
check "leaves nothing" [ -z "$(left)" ]
check "says what to download" grep -qF "https://raw.githubusercontent.com/o/r/c1/d/a.txt" "$err"
check "where to put it" grep -qF -- "-> $KEN_DATA/incoming/plain/a.txt" "$err"
check "and what to do then" grep -qF "then run again: $scratch/get-data plain" "$err"
mkdir -p "$KEN_DATA/incoming/plain"
cp "$www/o/r/c1/d/a.txt" "$www/o/r/c1/b.txt.gz" "$KEN_DATA/incoming/plain"
fetch plain
check "files brought by hand are used" [ $got -eq 0 ]
check "and checked and packed" [ "$(gzip -dc "$KEN_DATA/plain/a.txt.gz")" = alpha ]
rm -r "$KEN_DATA"
KEN_DATA_MIRROR=$www fetch plain
check "a mirror may be a folder" [ "$(left)" = "./plain/a.txt.gz ./plain/b.txt.gz " ]
rm -r "$KEN_DATA"

# ---- The real table on the real files, back in their original form
if [ ! -f "$real/SHA256SUMS" ]; then
    echo "# skip real sets: no data in KEN_DATA or ../shared/data"
    exit $failed
fi
# place SET FILE - prints where a file of the real table lies on the mirror
place() { sed -n "s/^get $1|\([^|]*\)|\([^|]*\)|\(.*$2\)\$/\1\/\2\/\3/p" tools/get-data; }
for part in train dev test; do
    gzip -dc "$real/pos/en_ewt-ud-$part.conllu.gz" | at "$(place pos "ud-$part.conllu")"
    sed "s/\(.*\)$tab\(.\)\$/\2 \1/" "$real/sentiment/sst2.$part.tsv" | at "$(place sentiment "stsa.binary.$part")"
done
for file in "$real"/translate/*.gz; do at "$(place translate "raw.${file##*/}")" <"$file"; done
at "$(place tox21 tox21.csv.gz)" <"$real/molecules/tox21.csv.gz"
at "$(place esol delaney-processed.csv)" <"$real/molecules/delaney-processed.csv"
for pair in train:train-dev-20-21 dev:train-dev-1-21 test:test; do
    gzip -dc "$real/g2p/cmudict07b-std.${pair%%:*}.tsv.gz" | sed "s/$tab/  /" |
        at "$(place g2p "cmudict-0.7b.${pair#*:}")"
done
KEN_DATA_MIRROR=$www tools/get-data pos sentiment translate tox21 esol g2p >"$out" 2>"$err"
check "the real sets are accepted" [ $? -eq 0 ]
[ ! -s "$err" ] || sed 's/^/# /' "$err"
grep -E ' (pos/en_|sentiment|translate|molecules)' "$real/SHA256SUMS" | (cd "$KEN_DATA" && sha256sum -c --quiet >/dev/null)
check "and most are the same bytes, packed as well" [ $? -eq 0 ]
exit $failed
