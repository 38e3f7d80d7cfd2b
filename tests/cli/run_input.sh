#!/bin/sh
# run_input.sh - the input of ken run: which format it is read in, bad examples among good ones, and
# the limits of length. Models are trained for a few steps, because only the number and the places of
# the answers count.
set -u
. "$(dirname "$0")/tap.inc"
case $ken in /*) ;; *) ken=$PWD/$ken ;; esac
cd "$scratch" || exit 1

# model NAME KIND DATA... - trains NAME/model.ken on lines of [data] and of other sections
model() {
    name=$1 kind=$2
    shift 2
    {
        printf '[data]\n'
        printf '%s\n' "$@"
        printf '[output]\nkind = %s\n[model]\nheads = 2\nencoder_blocks = 1\n' "$kind"
        printf '%s\n' "${model_keys:-$(printf 'width = 8\nhidden = 8')}"
        printf '[train]\nsteps = 2\n'
    } >"$name.recipe"
    "$ken" train "$name.recipe" -o "$name" --quiet >/dev/null 2>"$err" || {
        echo "not ok - a model for the tests: $name"
        cat "$err"
    }
}

# run NAME ARGUMENT... - the answers go to $out, messages to $err, the exit code to $code
run() {
    name=$1
    shift
    "$ken" run "$name/model.ken" "$@" >"$out" 2>"$err"
    code=$?
}

lines() { [ "$(wc -l <"$out")" -eq "$1" ]; }
said() { grep -qF -- "$1" "$err"; }
# errors LINE... - these lines of the answers, and no others, are errors
errors() { [ "$(grep -nx '#error' "$out" | cut -d: -f1 | tr '\n' ' ')" = "${*:+$* }" ]; }

printf 'text,label\ngood film,pos\n"bad, bad",neg\ngood good,pos\nbad film,neg\n' >train.csv
model csv whole 'format = csv' 'train = train.csv' 'header = yes' 'input = text' 'target = label'
tail -n +2 train.csv >bare.data
model bare whole 'format = csv' 'train = bare.data'
printf 'the cat sat\tD N V\na dog ran\tD N V\nthe dog sat\tD N V\n' >train.tsv
model tsv each 'format = tsv' 'train = train.tsv'
for s in "the cat" "a dog"; do
    # shellcheck disable=SC2086  # one word per argument is meant
    printf '# text = %s\n1\t%s\t_\tDET\t_\t_\t0\t_\t_\t_\n2\t%s\t_\tNOUN\t_\t_\t0\t_\t_\t_\n\n' "$s" $s
done >train.conllu
model conllu each 'format = conllu' 'train = train.conllu'
printf 'the DT\ncat NN\n\na DT\ndog NN\n' >train.data
model columns each 'format = columns' 'train = train.data'
printf '__label__pos good film\n__label__neg bad film\n' >train.ft
model fasttext whole 'format = fasttext' 'train = train.ft'

# ---- (1) the format of a file or pipe
cp train.csv X.CSV
run csv X.CSV
check "X.CSV is csv: four answers, no header" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 4 ]
check "and nothing needs to be said" [ ! -s "$err" ]
gzip -c train.csv >X.CSV.GZ
run csv X.CSV.GZ
check "X.CSV.GZ, too" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 4 ]
run csv <train.csv
check "a csv with the recipe's column names, by a pipe" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 4 ]
check "is named as such" said "standard input: read as csv"
cp train.csv sheet.txt
run csv sheet.txt --quiet
check "and called sheet.txt; --quiet does not say it" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 4 -a ! -s "$err" ]
run csv sheet.txt --format lines
check "--format lines reads the header as a line" lines 5
printf 'film,text\nx,good film\n' | "$ken" run csv/model.ken >"$out" 2>"$err"
check "in any order, without the labels" lines 1
run bare <bare.data
check "a csv without names, by its labels" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 4 ]
check "is named as such" said "read as csv"
printf 'good film,pos\n' | "$ken" run bare/model.ken >"$out" 2>"$err"
check "one such line alone is refused" [ $? -eq 3 -a ! -s "$out" ]
check "and both choices are named" said "choose the format (--format), csv or lines"
cp train.conllu dev.txt
run conllu dev.txt
check "CoNLL-U called dev.txt" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 2 ]
check "is named as such" said "dev.txt: read as conllu"
run conllu train.conllu
mv "$out" plain
run conllu <train.conllu
check "by a pipe it gives the answers of the file" cmp -s plain "$out"
run columns <train.data
check "a file of words and tags, by a pipe" [ "$(awk '{ print NF }' "$out" | tr '\n' ' ')" = "2 2 " ]
run tsv train.tsv
mv "$out" plain
run tsv <train.tsv
check "tsv by a pipe" cmp -s plain "$out"
run fasttext <train.ft
check "fastText by a pipe" lines 2
run tsv dev.txt
check "a format that is not the recipe's is refused" [ $code -eq 3 -a ! -s "$out" ]
check "and both choices are named" said "dev.txt: the text looks like format conllu (the model was trained on tsv): choose the format (--format), conllu or lines"
run tsv X.CSV
check "a name of a format that is not the recipe's, too" [ $code -eq 3 -a ! -s "$out" ]
check "and both choices are named" said "X.CSV: the name is that of format csv"
run csv train.tsv X.CSV
check "the other files are answered" [ $code -eq 3 -a "$(wc -l <"$out")" -eq 4 ]

# sentences stay sentences for every model, one answer for each, and answered as they arrive
cat >sentences.txt <<'S'
I saw a saw .
Yes, I saw it, too.
text, label and film
bad, bad, bad
In 2021, 3,000 of 4,000 came
#1 in the charts
1 of them
S
for m in csv bare tsv conllu columns fasttext; do
    run $m sentences.txt
    check "$m: sentences are lines" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 7 -a ! -s "$err" ]
    run $m <sentences.txt
    check "$m: by a pipe as well" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 7 -a ! -s "$err" ]
done
mkfifo questions answers
timeout 20 "$ken" run tsv/model.ken <questions >answers 2>"$err" &
server=$!
exec 3>questions 4<answers
for s in "the cat" "a dog ran"; do
    echo "$s" >&3
    answer=
    read -r answer <&4
    check "a line is answered as it arrives: $s" [ -n "$answer" ]
done
exec 3>&- 4<&-
wait $server
timeout 20 "$ken" run tsv/model.ken --format lines <questions >answers 2>"$err" &
server=$!
exec 3>questions 4<answers
echo "the cat" >&3
answer=
read -r answer <&4
check "--format lines, too" [ -n "$answer" ]
exec 3>&- 4<&-
wait $server

# ---- (2) bad examples among good ones
printf 'good film\nbad \377 film\ngood\0good\nbad film\n' >broken.txt
run tsv broken.txt
check "bytes that are not text: exit 3" [ $code -eq 3 ]
check "all others are answered, in their places" [ "$(wc -l <"$out")" -eq 4 ] && check "lines 2 and 3" errors 2 3
check "the message has file and line" said "ken: broken.txt:2: byte 5 is not UTF-8 (0xff)"
check "for each" said "ken: broken.txt:3: byte 5 is 0"
run tsv broken.txt --json
check "--json: an object with index and error" grep -qx '{"index":1,"error":"broken.txt:2: byte 5 is not UTF-8 (0xff)"}' "$out"
check "and four objects in all" [ $code -eq 3 -a "$(grep -c '^{"index":' "$out")" -eq 4 ]
run tsv - <broken.txt
check "by a pipe" [ $code -eq 3 ] && check "lines 2 and 3" errors 2 3
grep -av 'x' broken.txt | sed -n '1p;4p' >good.txt
run tsv good.txt
mv "$out" plain
run tsv broken.txt
grep -vx '#error' "$out" | cmp -s - plain
check "good lines have the answers they have without the bad ones" [ $? -eq 0 ]

printf 'text,label\ngood,pos\na,b,c\n"open, never closed\nbad film,neg\n' >rows.csv
run csv rows.csv
check "csv: a wrong number of columns, an open quote" [ $code -eq 3 ] && check "lines 2 and 3" errors 2 3
check "named" said "rows.csv:3: found 3 columns, expected 2"
check "both" said "rows.csv:4: a quote is opened and not closed"
printf 'text,label\ngood,pos\n"one\nbad \377\nrecord",pos\nbad film,neg\n' >quoted.csv
run csv quoted.csv
check "csv: a bad line spoils its record, not more" lines 3 && check "record 2" errors 2
printf 'label,word\npos,good\n' >other.csv
run csv other.csv rows.csv
check "a header without the input's column fails its file" said "other.csv:1: found no column \"text\""
check "and only that" [ $code -eq 3 -a "$(wc -l <"$out")" -eq 3 ]

{
    cat train.conllu
    printf '1\tthe\n2\tcat\t_\tNOUN\t_\t_\t0\t_\t_\t_\n\n'
    cat train.conllu
} >bad.conllu
run conllu bad.conllu
check "conllu: a bad sentence is left out" lines 5 && check "sentence 3" errors 3
check "with one message" [ $code -eq 3 -a "$(wc -l <"$err")" -eq 1 ]

printf '%s\t%s\t%s\t%s\n' a 1 2 x a 2 1 x b 5 5 y b 6 5 y c 1 2 x d 7 7 y >train.rows
model vectors whole 'format = vectors' 'train = train.rows' 'sequence = 1'
printf '%s\t%s\t%s\n' a 1 2 a 2 1 b 5 five b 6 5 c 1 2 >rows.data
run vectors rows.data
check "vectors: a bad number" [ $code -eq 3 ] && check "sequence b" errors 2
check "three sequences" lines 3
check "named" said 'rows.data:3: column 3: "five" is not a number'
printf 'a\t1\t2\nb\t5\nb\t6\t5\nc\t1\t2\n' >lost.data
run vectors lost.data
check "vectors: a row of unknown sequence spoils both neighbours" errors 1 2
check "and not more" [ $code -eq 3 -a "$(wc -l <"$out")" -eq 3 ]
model alone whole 'format = vectors' 'train = train.rows' 'input = 2 3'
printf '1\n0\t1\t2\tx\n2\t3\n3\n0\t5\t5\ty\n' >alone.data
run alone alone.data
check "vectors: every row is an example" errors 1 3 4
check "and the rows after a bad first one are right" [ "$(wc -l <"$out")" -eq 5 ]

printf 'smiles,y\nCCO,1\nCCC,2\nCCN,3\n' >train.smi.csv
model atoms whole 'format = csv' 'train = train.smi.csv' 'header = yes' 'input = smiles' 'target = y' \
    '[input]' 'unit = atoms' '[output]' 'value = number'
printf 'CCO\nC((\nCCN\n' | "$ken" run atoms/model.ken >"$out" 2>"$err"
check "a bad molecule" [ $? -eq 3 ] && check "is line 2" errors 2
{
    printf '{"nodes":["C","O"],"links":[[0,1]],"target":"a"}\n{"nodes":["C","N"],"links":[[0,1]],"target":"b"}\n'
} >train.graphs
model graphs whole 'format = graphs' 'train = train.graphs'
printf '%s\n' '{"nodes":["C"],"links":[[0,0,5]]}' '{"nodes":["C","O"],"links":[[0,1]]}' '{"nodes":' \
    '{"nodes":["C"],"links":[[0,7]]}' '{"nodes":["O"]}' | "$ken" run graphs/model.ken >"$out" 2>"$err"
check "bad graphs" [ $? -eq 3 ] && check "are lines 1, 3 and 4" errors 1 3 4
check "and the others are answered" lines 5

printf 'junk' >junk.npy
run vectors junk.npy rows.data --format npy
check "a broken array fails as a whole" [ $code -eq 3 ] && check "without an answer" [ ! -s "$out" ]
run tsv gone.txt good.txt . good.txt
check "files that cannot be read" [ $code -eq 3 -a "$(wc -l <"$out")" -eq 4 ]
check "are named" said "gone.txt" && check "each" said "is a directory"

# ---- (3) limits of length
model_keys=$(printf 'width = 8\nhidden = 8\nposition = learned\nlongest = 3') model learned each 'format = tsv' 'train = train.tsv'
printf 'the cat\nthe cat sat there\na dog ran\n' >long.txt
run learned long.txt
check "more words than learned positions" [ $code -eq 3 ] && check "is line 2" errors 2
check "named" said "long.txt:2: the example needs 4 positions, and the model has learned 3 (model.longest)"
run tsv long.txt --longest-input 3
check "--longest-input" [ $code -eq 3 ] && check "line 2" errors 2
check "names length and limit" said "long.txt:2: the example has 4 rows, and run.longest is 3"
run tsv long.txt run.longest=3
check "run.longest=" errors 2
run tsv long.txt --longest-input 0
check "0 = no limit" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 3 ]
awk 'BEGIN { for (i = 0; i < 100001; i++) printf "x "; print ""; print "the cat" }' >longer.txt
run tsv longer.txt
check "100000 rows are the default" [ $code -eq 3 ] && check "line 1" errors 1
check "so many were there" said "longer.txt:1: the example has 100001 rows, and run.longest is 100000"
# little KB COMMAND... - runs a command with so much memory; its exit code goes to the file code
little() {
    (
        ulimit -v "$1"
        shift
        "$@" >"$out" 2>"$err"
        echo $? >code
    )
}
little 200000 "$ken" version
if [ "$(cat code)" -ne 0 ]; then
    echo "# skip examples with little memory: this build cannot run in 200 MB"
    exit $failed
fi
{
    head -c 300000000 /dev/zero | tr '\0' a
    printf '\nthe cat\n'
} | little 200000 "$ken" run tsv/model.ken --threads 1
check "a line of 300 MB by a pipe, with 200 MB of memory" [ "$(cat code)" -eq 3 ] && check "line 1" errors 1
check "is too long" said "standard input:1: the line is longer than 1048576 bytes"
check "the next is answered" lines 2
model_keys=$(printf 'width = 64\nhidden = 256\n[blocks]\nkind = fc') model wide each 'format = tsv' 'train = train.tsv'
awk 'BEGIN { print "the cat"; for (i = 0; i < 500000; i++) printf "x "; print "\na dog ran" }' >huge.txt
little 200000 "$ken" run wide/model.ken huge.txt --longest-input 0 --threads 1
check "an example that needs more memory than there is" [ "$(cat code)" -eq 3 ] && check "line 2" errors 2
check "is named" said "huge.txt:2: no memory for" && check "the others are answered" lines 3
exit $failed
