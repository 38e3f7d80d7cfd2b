#!/bin/sh
# tasks.sh - the commands train, eval, run, info and check as a user types them, for every kind of
# output, on data that the script makes.
set -u
. "$(dirname "$0")/tap.inc"
runs=$scratch/runs

# signals NAME KEY... - trains the signals recipe with changes, then evaluates 200 test examples
signals() {
    name=$1
    shift
    "$ken" train recipes/signals.recipe data.train=1500 train.epochs=6 "$@" -o "$runs/$name" \
        --quiet >"$out" 2>"$err"
    check "signals, $name: training succeeds" [ $? -eq 0 ]
    check "signals, $name: says where the model is" grep -qx "$runs/$name/model.ken" "$out"
    "$ken" eval "$runs/$name/model.ken" 200 --json >"$out" 2>"$err"
}

signals each-class
check "each, class: accuracy $(value accuracy) is 0.75 or more" at_least "$(value accuracy)" 0.75
signals each-number output.value=number
check "each, number: rmse $(value rmse) is 0.25 or less" at_most "$(value rmse)" 0.25
signals whole-class output.kind=whole model.pooling=max data.train=3000 train.epochs=10
check "whole, class: accuracy $(value accuracy) is 0.7 or more" at_least "$(value accuracy)" 0.7
signals whole-number output.kind=whole output.value=number data.train=3000 train.epochs=8
check "whole, number: rmse $(value rmse) is 0.12 or less" at_most "$(value rmse)" 0.12
signals stacked output.kind=whole input.stack=4 model.pooling=max data.train=3000 train.epochs=10
check "whole, four rows as one: accuracy $(value accuracy) is 0.7 or more" at_least "$(value accuracy)" 0.7
"$ken" train recipes/signals.recipe input.stack=4 -o "$runs/no" >"$out" 2>"$err"
check "rows that become one have no label each" grep -q 'input.stack=4.*no label for each' "$err"

# vectors from a file, and back as answers
awk 'BEGIN { srand(3); for (s = 0; s < 300; s++) for (t = 0; t < 5; t++) {
    x = rand() - 0.5; y = rand() - 0.5
    printf "s%d\t%.3f\t%.3f\t%s\n", s, x, y, (x > y ? "more" : "less") } }' >"$scratch/v.tsv"
cat >"$scratch/v.recipe" <<R
[data]
format = vectors
train = $scratch/v.tsv
sequence = 1
target = 4
[model]
width = 16
hidden = 16
encoder_blocks = 1
dropout = 0
[train]
epochs = 30
batch = 256
rate = 0.01
R
"$ken" train "$scratch/v.recipe" -o "$runs/v" --quiet >/dev/null 2>"$err"
"$ken" eval "$runs/v/model.ken" "$scratch/v.tsv" --json >"$out"
check "vectors from a file: accuracy $(value accuracy)" at_least "$(value accuracy)" 0.95
head -n 5 "$scratch/v.tsv" >"$scratch/five.tsv"
"$ken" run "$runs/v/model.ken" "$scratch/five.tsv" >"$out" 2>"$err"
check "run answers rows of a file" grep -qE '^((more|less) ?){5}$' "$out"
awk '{ $4 = int(NR / 5 - 0.1) % 2 ? "odd" : "even"; print }' OFS='\t' "$scratch/v.tsv" >"$scratch/w.tsv"
"$ken" train "$scratch/v.recipe" data.train="$scratch/w.tsv" output.kind=whole input.stack=2 train.epochs=1 \
    -o "$runs/w" --quiet >/dev/null 2>"$err"
"$ken" look "$runs/w/model.ken" "$scratch/five.tsv" --json --layer 1 --head 1 >"$out" 2>"$err"
check "look: five rows are three of the encoder" grep -q '"shape":\[3,3\]' "$out"

# words with labels
printf '%s\n' 'they can fish	P A V' 'we can swim	P A V' 'the can fell	D N V' 'a can fell	D N V' \
    'they fish	P V' 'the fish swim	D N V' 'we swim	P V' >"$scratch/tag.tsv"
cat >"$scratch/tag.recipe" <<R
[data]
format = tsv
train = $scratch/tag.tsv
dev = $scratch/tag.tsv
[input]
least = 1
letters = yes
[output]
kind = each
[model]
width = 32
hidden = 32
dropout = 0
[train]
epochs = 60
batch = 64
warm_up = 10
rate = 0.003
R
"$ken" train "$scratch/tag.recipe" -o "$runs/tag" --quiet >/dev/null 2>"$err"
check "a tagger learns a handful of sentences" [ $? -eq 0 ]
echo "the can fell" | "$ken" run "$runs/tag/model.ken" >"$out"
check "and answers standard input, a line each" grep -qx "D N V" "$out"
echo "they can fish" | "$ken" run "$runs/tag/model.ken" --json >"$out"
check "JSON has the words" grep -qF '"tokens":["they","can","fish"],"answers":["P","A","V"]' "$out"
"$ken" check "$scratch/tag.recipe" >"$out" 2>"$err"
check "check counts" grep -q "^train  7 examples, 19 rows" "$out"
check "check lists labels" grep -q "^labels 4: A, D, N, P, V\|^labels 5" "$out"
"$ken" info "$runs/tag/model.ken" >"$out"
check "info tells the checksum" grep -q "checksum ok" "$out"
KEN_ISA=generic "$ken" info "$runs/tag/model.ken" >"$err"
check "the checksum is the same without special instructions" cmp -s "$out" "$err"
check "info has the recipe" grep -q "^letters = yes" "$out"
"$ken" info "$runs/tag/model.ken" --json | grep -q '"labels":\["A","D","N","P","V"\]'
check "info as JSON" [ $? -eq 0 ]
check "the saved recipe trains again, unchanged" "$ken" train "$runs/tag/recipe" -o "$runs/tag2" --quiet
check "to the same model" cmp -s "$runs/tag/model.ken" "$runs/tag2/model.ken"

# sets of labels
awk 'BEGIN { for (i = 0; i < 400; i++) { a = i % 2; b = int(i / 2) % 2; c = int(i / 4) % 2
    t = "x"; l = ""
    if (a) { t = t " red"; l = l ",red" } if (b) { t = t " big"; l = l ",big" }
    if (c) { t = t " old"; l = l ",old" }
    print t " thing\t" substr(l, 2) } }' >"$scratch/set.tsv"
sed -e 's/tag\.tsv/set.tsv/' -e 's/kind = each/kind = whole\nvalue = set/' -e 's/epochs = 60/epochs = 20/' \
    -e 's/batch = 64/batch = 256/' "$scratch/tag.recipe" >"$scratch/set.recipe"
"$ken" train "$scratch/set.recipe" -o "$runs/set" --quiet >/dev/null 2>"$err"
printf 'an old red thing\nx thing\n' | "$ken" run "$runs/set/model.ken" >"$out" 2>"$err"
check "sets of labels, also empty ones" [ "$(tr '\n' '|' <"$out")" = "old,red||" ]

# text to text
"$ken" train recipes/dates.recipe data.train=20000 train.epochs=2 -o "$runs/dates" --quiet >/dev/null 2>"$err"
check "dates: training succeeds" [ $? -eq 0 ]
"$ken" eval "$runs/dates/model.ken" 100 --json >"$out"
check "dates: unit errors $(value unit_errors) are few" at_most "$(value unit_errors)" 0.2
echo "3 March 2021" | "$ken" run "$runs/dates/model.ken" --best 3 generate.beam=4 >"$out" 2>"$err"
check "three results, with rank and score" [ "$(cut -f 1 "$out" | tr '\n' ' ')" = "1 2 3 " ]
echo "3 March 2021" | "$ken" run "$runs/dates/model.ken" generate.beam=1 >"$out"
echo "3 March 2021" | "$ken" run "$runs/dates/model.ken" >"$err"
check "a beam of one is greedy" cmp -s "$out" "$err"

# a language model continues a text
cat "$scratch"/*.recipe README.md >"$scratch/text"
cat >"$scratch/lm.recipe" <<R
[data]
format = plain
train = $scratch/text
dev = $scratch/text
context = 64
[output]
kind = generate
unit = bytes
[model]
encoder_blocks = 0
decoder_blocks = 1
width = 32
hidden = 64
position = rotary
[train]
epochs = 2
batch = 1024
R
"$ken" train "$scratch/lm.recipe" -o "$runs/lm" --quiet >/dev/null 2>"$err"
check "a language model trains on a text" [ $? -eq 0 ]
"$ken" eval "$runs/lm/model.ken" "$scratch/text" --json >"$out"
check "bits per byte $(value bits_per_byte) are below 8" at_most "$(value bits_per_byte)" 7.9
echo "the " | "$ken" run "$runs/lm/model.ken" generate.longest=5 generate.temperature=1 >"$out"
check "it writes on" [ -s "$out" ]

# rows of numbers from the user's own file: the last column is the target, even if it is not read; and
# a pipe gives the same as the file, however its lines arrive
awk -v f="$scratch/rows.tsv" 'BEGIN { srand(3); print "a\tb\tsign" >f
    for (i = 0; i < 200; i++) { a = rand() - 0.5; b = rand() - 0.5
        print a "\t" b "\t" (a + b > 0 ? "plus" : "minus") >f } }'
sed 1d "$scratch/rows.tsv" >"$scratch/bare.tsv"
cat >"$scratch/rows.recipe" <<R
[data]
format = vectors
train = $scratch/bare.tsv
[output]
kind = whole
[model]
width = 8
hidden = 16
heads = 2
encoder_blocks = 1
[train]
steps = 150
rate = 0.01
R
"$ken" train "$scratch/rows.recipe" -o "$runs/rows" --quiet >/dev/null 2>"$err"
"$ken" run "$runs/rows/model.ken" "$scratch/bare.tsv" >"$out" 2>"$err"
check "rows: a column behind the numbers is the target" \
    at_least "$(cut -f3 "$scratch/bare.tsv" | paste - "$out" | awk '$1 == $2' | wc -l)" 180
cut -f1,2 "$scratch/bare.tsv" | "$ken" run "$runs/rows/model.ken" | cmp -s - "$out"
check "rows: a file without it gives the same" [ $? -eq 0 ]
cut -f1 "$scratch/bare.tsv" | "$ken" run "$runs/rows/model.ken" 2>"$err" >/dev/null
check "rows: too few numbers are told" grep -q "rows of 1 number, but the model reads 2" "$err"
"$ken" train "$scratch/rows.recipe" data.train="$scratch/rows.tsv" data.header=yes output.kind=each \
    -o "$runs/named" --quiet >/dev/null 2>"$err"
"$ken" run "$runs/named/model.ken" "$scratch/rows.tsv" >"$out" 2>"$err"
check "rows: named columns, all one sequence" [ "$(wc -w <"$out")" -eq 200 ]
(head -n 50 "$scratch/rows.tsv" && sleep 0.2 && tail -n +51 "$scratch/rows.tsv") |
    "$ken" run "$runs/named/model.ken" | cmp -s - "$out"
check "rows: and through a pipe, in two pieces" [ $? -eq 0 ]

if python3 -c 'import safetensors' 2>/dev/null; then
    check "Python's safetensors opens the model" python3 -c "
import sys
from safetensors import safe_open
with safe_open('$runs/tag/model.ken', 'np') as f: assert f.metadata()['ken.format'] == '1' and len(list(f.keys())) > 5"
else
    echo "# skip safetensors of Python: not installed"
fi
exit $failed
