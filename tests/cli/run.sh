#!/bin/sh
# run.sh - ken run: what it reads, in which formats, and that an answer does not depend on how the
# question arrived.
set -u
. "$(dirname "$0")/tap.inc"
case $ken in /*) ;; *) ken=$PWD/$ken ;; esac
cd "$scratch" || exit 1

# small KIND... - prints the recipe of a model that is trained in a moment
small() {
    cat <<R
[output]
kind = $1
[model]
width = 16
hidden = 32
heads = 2
encoder_blocks = $2
decoder_blocks = $3
dropout = 0
[train]
rate = 0.01
steps = $4
R
}

# ---- a tagger of words: x is always X, y is Y
awk 'BEGIN { srand(2); for (i = 0; i < 60; i++) { w = t = ""
    for (k = 0; k < 5; k++) { c = rand() < 0.5 ? "x" : "y"; w = w " " c; t = t " " toupper(c) }
    print substr(w, 2) "\t" substr(t, 2) } }' >tags.tsv
{ printf '[data]\nformat = tsv\ntrain = tags.tsv\n'; small each 1 1 60; } >tags.recipe
"$ken" train tags.recipe -o tags --quiet >/dev/null 2>"$err"
printf 'x y\tX Y\ny\tY\n' >two.tsv
"$ken" run tags/model.ken two.tsv >"$out"
check "a file that is called as the recipe's format is read so" [ "$(cat "$out")" = "$(printf 'X Y\nY')" ]
gzip -c two.tsv >two.tsv.gz
"$ken" run tags/model.ken two.tsv.gz | cmp -s - "$out"
check "packed too" [ $? -eq 0 ]
cut -f1 two.tsv >two.txt
"$ken" run tags/model.ken two.txt | cmp -s - "$out"
check "another is lines" [ $? -eq 0 ]
"$ken" run tags/model.ken - <two.txt | cmp -s - "$out"
check "- is standard input" [ $? -eq 0 ]
"$ken" run tags/model.ken --json two.txt - <two.txt | grep -o '"index":[0-9]*' | tr '\n' ' ' >"$scratch/numbers"
check "examples are numbered through all files" grep -qx '"index":0 "index":1 "index":2 "index":3 ' numbers
(head -n 1 two.txt && sleep 0.2 && tail -n 1 two.txt) | "$ken" run tags/model.ken --json |
    grep -o '"index":[0-9]*' | tr '\n' ' ' >numbers
check "and through all that comes by a pipe" grep -qx '"index":0 "index":1 ' numbers

"$ken" run tags/model.ken --json two.txt | sed 's/[0-9.]*\([],]\)/\1/g' >"$out" # without the numbers
check "--json has index, tokens, answers and scores" [ "$(cat "$out")" = "$(printf '%s\n' \
    '{"index":,"tokens":["x","y"],"answers":["X","Y"],"scores":[,]}' \
    '{"index":,"tokens":["y"],"answers":["Y"],"scores":[]}')" ]

# ---- nobody reads the answers any more: an endless input must not be read on
for json in "" --json; do
    (
        yes "x y" | timeout 60 "$ken" run tags/model.ken $json 2>"$err"
        echo $? >code
    ) | head -n 1 >"$out"
    check "a closed pipe ends it${json:+ ($json)}" [ "$(cat code)" -eq 1 ]
    check "after an answer, without a message" [ -s "$out" -a ! -s "$err" ]
done
yes "x y" | timeout 60 "$ken" run tags/model.ken >/dev/full 2>"$err"
check "a full disk ends it, too" [ $? -eq 5 ]
check "and is reported" grep -q "cannot write to standard output: No space left" "$err"

sed '1s/\t/\t  /' tags.tsv >shifted.tsv
"$ken" train tags.recipe data.train=shifted.tsv train.steps=2 -o shifted --quiet >/dev/null 2>"$err"
check "blanks before the labels of a line are nothing" [ $? -eq 0 ]

# ---- a number for each word
sed 's/X/1/g; s/Y/-1/g' tags.tsv >numbers.tsv
"$ken" train tags.recipe data.train=numbers.tsv output.value=number -o numbers.run --quiet >/dev/null 2>"$err"
check "a number for each word is learned" [ $? -eq 0 ]
echo "x y x" | "$ken" run numbers.run/model.ken >"$out"
check "and given: $(cat "$out")" awk '{ exit !(NF == 3 && $1 > 0.5 && $2 < -0.5 && $3 > 0.5) }' "$out"

# ---- a generator
awk 'BEGIN { for (i = 0; i < 40; i++) print i % 2 ? "ab\tba" : "cd\tdc" }' >pairs.tsv
{ printf '[data]\nformat = tsv\ntrain = pairs.tsv\n[input]\nunit = characters\n'; small generate 1 1 30; } |
    sed 's/kind = generate/&\nunit = characters/' >pairs.recipe
"$ken" train pairs.recipe -o pairs --quiet >/dev/null 2>"$err"
echo ab >question
"$ken" run pairs/model.ken generate.beam=5 question --best 2 >"$out" 2>"$err"
check "flags may follow keys" [ "$(wc -l <"$out")" -eq 2 ]
"$ken" run pairs/model.ken question --best 3 >"$out" 2>"$err"
check "--best makes the beam as wide as it needs" [ "$(wc -l <"$out")" -eq 3 ]

# ---- sampling depends on the number of the example, however it arrives
awk 'BEGIN { for (i = 0; i < 300; i++) print "abcdefgh" }' >text
{ printf '[data]\nformat = plain\ntrain = text\ncontext = 16\n'; small generate 0 1 2; } |
    sed 's/kind = generate/&\nunit = bytes/' >lm.recipe
"$ken" train lm.recipe -o lm --quiet >/dev/null 2>"$err"
set -- generate.temperature=1 generate.longest=8
awk 'BEGIN { for (i = 0; i < 600; i++) print "ab" }' >asked
"$ken" run lm/model.ken asked "$@" --json | sed 's/.*answers/answers/' >"$out"
check "600 draws for the same text are not the same" [ "$(sort -u "$out" | wc -l)" -gt 550 ]
(head -n 7 asked && sleep 0.2 && tail -n +8 asked) | "$ken" run lm/model.ken "$@" --json |
    sed 's/.*answers/answers/' | cmp -s - "$out"
check "and are the same by a pipe, in two pieces" [ $? -eq 0 ]

# ---- arrays: a pipe gives the same as a file; a model of generated signals reads files of rows
"$ken" train "$OLDPWD/recipes/signals.recipe" data.train=40 data.dev=10 train.steps=5 -o made --quiet \
    >/dev/null 2>"$err"
printf '0\t1\t2\n1\t1\t0\n2\t1\t5\n' >rows.tsv
"$ken" run made/model.ken rows.tsv >"$out" 2>"$err"
check "made signals: a file of rows is answered" [ "$(wc -w <"$out")" -eq 3 ]
{
    printf '\223NUMPY\001\000\166\000%-117s\n' \
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4000, 3), }"
    awk 'BEGIN { for (i = 0; i < 12000; i++) printf "ABC@" }' # 12.14 in four bytes
} >rows.npy
"$ken" run made/model.ken rows.npy --format npy >"$out" 2>"$err"
check "an array is answered" [ "$(wc -w <"$out")" -eq 4000 ]
(head -c 1000 rows.npy && sleep 0.2 && tail -c +1001 rows.npy) |
    "$ken" run made/model.ken --format npy | cmp -s - "$out"
check "and by a pipe, in two pieces" [ $? -eq 0 ]
exit $failed
