#!/bin/sh
# warm.sh - training that starts from another model (train.from). If the learning rate is next to 0,
# the new model must answer like the old one, whatever the new data does to the order of words and
# labels.
set -u
[ -w /dev/shm ] && export TMPDIR="${TMPDIR:-/dev/shm}" # about forty runs, faster in memory than on a disk
. "$(dirname "$0")/tap.inc"
runs=$scratch/runs
still="train.rate=1e-12 train.steps=2 train.warm_up=0"

# learn NAME KEY... - trains $scratch/$recipe.recipe with changes
learn() {
    run=$1
    shift
    "$ken" train "$scratch/$recipe.recipe" "$@" -o "$runs/$run" --threads 1 >"$out" 2>"$err"
}
# measure NAME METRIC FILE... - prints a metric of a model on files
measure() {
    run=$1 metric=$2
    shift 2
    "$ken" eval "$runs/$run/model.ken" "$@" --json >"$out" 2>>"$err"
    value "$metric"
}
# same A B - whether two numbers agree to 5 digits
same() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= 1e-5 * (a < 0 ? -a : a)) }'; }
# write_recipe NAME - writes a recipe: the lines of standard input, and a small model
write_recipe() {
    recipe=$1
    cat - >"$scratch/$recipe.recipe" <<R
[model]
width = 16
hidden = 24
heads = 2
encoder_blocks = 1
decoder_blocks = 1
dropout = 0
attention_dropout = 0
[train]
steps = 60
warm_up = 5
rate = 0.01
batch = 400
R
    cat >"$scratch/body"
    cat "$scratch/body" >>"$scratch/$recipe.recipe"
}

# ---- a classifier: words of three animals; then of four, and with other words frequent ----------

# sentences SEED COUNT LABELS MORE - each label has words of its own; one word in six is a random label's
sentences() {
    awk -v seed="$1" -v count="$2" -v labels="$3" -v more="$4" 'BEGIN {
        srand(seed); n = split(labels, label, " ")
        for (i = 0; i < count; i++) {
            l = int(rand() * n) + 1; text = ""
            for (t = 0; t < 6; t++) {
                k = rand() < 0.17 ? int(rand() * n) + 1 : l
                w = int(rand() * rand() * 8) # some words are rare, some frequent
                if (more) w = 7 - w
                text = text (t ? " " : "") label[k] w (more && w == 0 ? "new" : "")
            }
            print text "\t" label[rand() < 0.1 ? int(rand() * n) + 1 : l]
        } }'
}
sentences 1 300 "dog cat fox" 0 >"$scratch/train.tsv"
sentences 2 300 "dog cat fox" 0 >"$scratch/dev.tsv"
sentences 3 300 "fox dog cat" 1 >"$scratch/other.tsv"
sentences 4 300 "bee fox cat dog" 1 >"$scratch/more.tsv"
write_recipe class <<R
[data]
format = tsv
train = $scratch/train.tsv
[output]
kind = whole
R
learn class
old=$(measure class accuracy "$scratch/dev.tsv") loss=$(measure class loss "$scratch/dev.tsv")
check "class: the old model is right in $old" at_least "$old" 0.8
learn other data.train="$scratch/other.tsv" train.from="$runs/class/model.ken" $still
check "class: going on from it succeeds" [ $? -eq 0 ]
check "class: it is told what was taken" grep -q "^from $runs/class/model.ken: [0-9]* of [0-9]* tensors, 1 of them in part$" "$err"
check "class: also in the log" grep -qx "from .* tensors, 1 of them in part" "$runs/other/log.txt"
check "class: the loss is the old one" same "$(measure other loss "$scratch/dev.tsv")" "$loss"
learn cold data.train="$scratch/other.tsv" $still
check "class: that of a new model is not" at_least "$(measure cold loss "$scratch/dev.tsv")" 0.9
learn more data.train="$scratch/more.tsv" train.from="$runs/class/model.ken" $still
check "class: with one more label, words, weights and biases start in part" grep -q ", 3 of them in part$" "$err"
new=$(measure more accuracy "$scratch/dev.tsv")
check "class: with one more label it is right in $new, was in $old" same "$new" "$old"
"$ken" info "$runs/more/model.ken" --json >"$out"
check "class: labels are those of the data, in order" grep -q '"labels":\["bee","cat","dog","fox"\]' "$out"
"$ken" check "$scratch/class.recipe" data.train="$scratch/other.tsv" train.from="$runs/class/model.ken" >"$out" 2>"$err"
check "class: check counts the words of both" grep -q "^input  30 kinds" "$out"

# earlier learning helps: a few steps on new data do better than without it
learn few data.train="$scratch/other.tsv" train.from="$runs/class/model.ken" train.steps=8
warm=$(measure few loss "$scratch/other.tsv")
learn alone data.train="$scratch/other.tsv" train.steps=8
cold=$(measure alone loss "$scratch/other.tsv")
check "class: 8 steps come to $warm, without to $cold" at_most "$warm" "$cold"

learn wide data.train="$scratch/other.tsv" train.from="$runs/class/model.ken" model.width=20 $still
check "class: another width is told" grep -q "^from .*: [0-9]* of [0-9]* tensors; only .* % of all weights, the others start at random$" "$err"

# refused WORDS KEY... - a run with these keys is refused with these words
refused() {
    words=$1
    shift
    learn "refused" "$@"
    check "$1 is refused" [ $? -eq 2 ]
    check "and it is said why: $words" grep -qF "$words" "$err"
    check "before anything is written" [ ! -e "$runs/refused" ]
}
from=train.from=$runs/class/model.ken
refused "input.unit=characters: $runs/class/model.ken was trained with words and cannot continue with characters" \
    input.unit=characters "$from"
refused "input.lower=yes: $runs/class/model.ken was trained with no" input.lower=yes "$from"
refused "input.letters=yes: $runs/class/model.ken was trained with no" input.letters=yes "$from"
refused "data.format=signals: signals gives rows of numbers, but $runs/class/model.ken was trained on text, with tsv" \
    data.format=signals data.train=10 "$from"
learn gone train.from="$scratch/gone.ken"
check "a model that is not there is an error" [ $? -eq 3 ]
check "which names key and file" grep -q "train.from.*$scratch/gone.ken" "$err"

# ---- a tagger with words and letters ------------------------------------------------------------

# tagged SEED COUNT STEP - words whose last letter decides the tag, unless a small word comes before
tagged() {
    awk -v seed="$1" -v count="$2" -v step="$3" 'BEGIN {
        srand(seed); split("b d k l m", begin, " "); split("a e i", end, " "); split("A E I", tag, " ")
        for (i = 0; i < count; i++) {
            text = tags = ""
            for (t = 0; t < 5; t++) {
                b = (int(rand() * rand() * 5) * step + 5) % 5 + 1; e = int(rand() * 3) + 1
                to = rand() < 0.3
                text = text (t ? " " : "") (to ? "to " : "") begin[b] "o" begin[b % 5 + 1] end[e]
                tags = tags (t ? " " : "") (to ? "T V" : tag[e])
            }
            print text "\t" tags
        } }'
}
tagged 1 150 1 >"$scratch/tags.tsv"
tagged 2 150 -1 >"$scratch/tags2.tsv"
write_recipe tags <<R
[data]
format = tsv
train = $scratch/tags.tsv
[input]
letters = yes
letters_width = 8
[output]
kind = each
R
learn tags
loss=$(measure tags loss "$scratch/tags2.tsv")
learn tags2 data.train="$scratch/tags2.tsv" train.from="$runs/tags/model.ken" $still
check "tags: the loss $loss is the old one" same "$(measure tags2 loss "$scratch/tags2.tsv")" "$loss"
sed 's/bo/ßo/g' "$scratch/tags2.tsv" >"$scratch/tags3.tsv"
learn tags3 data.train="$scratch/tags3.tsv" train.from="$runs/tags/model.ken" $still
check "tags: with a new letter words and letters start in part" grep -q ", 2 of them in part$" "$err"
check "tags: and the others are as before" same "$(measure tags3 loss "$scratch/tags.tsv")" \
    "$(measure tags loss "$scratch/tags.tsv")"

# ---- generators ---------------------------------------------------------------------------------

# turned SEED COUNT LETTERS - a few letters, and the same in reverse order
turned() {
    awk -v seed="$1" -v count="$2" -v letters="$3" 'BEGIN {
        srand(seed); n = length(letters)
        for (i = 0; i < count; i++) {
            a = b = ""
            for (t = 0; t < 4; t++) { c = substr(letters, int(rand() * rand() * n) + 1, 1); a = a c; b = c b }
            print a "\t" b
        } }'
}
turned 1 200 abcdef >"$scratch/turn.tsv"
turned 2 200 fedcba >"$scratch/turn2.tsv"
turned 3 200 zfedcba >"$scratch/turn3.tsv"
write_recipe turn <<R
[data]
format = tsv
train = $scratch/turn.tsv
[input]
unit = characters
[output]
kind = generate
unit = characters
R
for kind in "shared=no tied=no" "shared=no tied=yes" "shared=yes tied=no" "shared=yes tied=yes"; do
    keys="output.${kind% *} model.${kind#* }" name=turn-$(echo "$kind" | tr -d ' =')
    learn "$name" $keys
    loss=$(measure "$name" loss "$scratch/turn2.tsv")
    learn "$name.2" $keys data.train="$scratch/turn2.tsv" train.from="$runs/$name/model.ken" $still
    check "generate, $kind: the loss $loss is the old one" \
        same "$(measure "$name.2" loss "$scratch/turn2.tsv")" "$loss"
    learn "$name.3" $keys data.train="$scratch/turn3.tsv" train.from="$runs/$name/model.ken" $still
    tables=$(case $kind in "shared=no tied=no") echo 4 ;; "shared=no tied=yes") echo 2 ;; "shared=yes tied=no") echo 3 ;; *) echo 1 ;; esac)
    check "generate, $kind: with a new character $tables tensors start in part" \
        grep -q ", $tables of them in part$" "$err"
    check "generate, $kind: and the new one is known" \
        sh -c "'$ken' info '$runs/$name.3/model.ken' | grep -q 'target *10 x 16\|input *10 x 16'"
done
refused "output.shared=yes: $runs/turn-sharednotiedno/model.ken was trained with no" \
    output.shared=yes train.from="$runs/turn-sharednotiedno/model.ken"
refused "output.unit=bytes: " output.unit=bytes train.from="$runs/turn-sharednotiedno/model.ken"

# subwords are taken over unchanged
sed 's/	.*//; s/./& /2' "$scratch/turn.tsv" >"$scratch/story.txt"
sed 's/	.*//; s/./& /3' "$scratch/turn3.tsv" >"$scratch/story3.txt"
write_recipe story <<R
[data]
format = plain
train = $scratch/story.txt
[output]
kind = generate
R
learn story model.encoder_blocks=0
loss=$(measure story loss "$scratch/story3.txt")
learn story3 model.encoder_blocks=0 data.train="$scratch/story3.txt" train.from="$runs/story/model.ken" $still
check "plain text of subwords: the loss $loss is the old one" same "$(measure story3 loss "$scratch/story3.txt")" "$loss"
check "plain text of subwords: all was taken" grep -qE "^from .*: ([0-9]+) of \1 tensors$" "$err"

# ---- rows of numbers ----------------------------------------------------------------------------

# rows SEED SCALE - two numbers, which of them is larger, and their sum
rows() {
    awk -v seed="$1" -v scale="$2" 'BEGIN { srand(seed); for (s = 0; s < 100; s++) for (t = 0; t < 4; t++) {
        x = scale * (rand() - 0.3); y = scale * (rand() - 0.6)
        printf "s%d\t%.3f\t%.3f\t%s\t%.3f\n", s, x, y, (x > y ? "more" : "less"), x + y } }'
}
rows 1 1 >"$scratch/rows.tsv"
rows 2 40 >"$scratch/rows2.tsv"
write_recipe rows <<R
[data]
format = vectors
train = $scratch/rows.tsv
sequence = 1
input = 2 3
target = 4
[output]
kind = each
R
learn rows
loss=$(measure rows loss "$scratch/rows.tsv")
learn rows2 data.train="$scratch/rows2.tsv" train.from="$runs/rows/model.ken" $still
check "vectors: the loss $loss is the old one" same "$(measure rows2 loss "$scratch/rows.tsv")" "$loss"
learn sums data.target=5 output.value=number
rmse=$(measure sums rmse "$scratch/rows.tsv")
learn sums2 data.target=5 output.value=number data.train="$scratch/rows2.tsv" train.from="$runs/sums/model.ken" $still
check "numbers: the error $rmse is the old one" same "$(measure sums2 rmse "$scratch/rows.tsv")" "$rmse"
learn wrong data.input=2 train.from="$runs/rows/model.ken"
check "vectors: rows of another width are refused" grep -q "data.train: rows of 1 number, but $runs/rows/model.ken was trained on rows of 2" "$err"

# ---- a run that is resumed no longer needs the old model ----------------------------------------

recipe=class
set -- data.train="$scratch/more.tsv" train.from="$scratch/from.ken" train.steps=2000 \
    train.checkpoint=25 train.average=0.9
cp "$runs/class/model.ken" "$scratch/from.ken"
learn whole "$@"
heeding "$ken" train "$scratch/class.recipe" "$@" -o "$runs/cut" --quiet --threads 1 >"$out" 2>"$err" &
process=$!
while [ ! -e "$runs/cut/previous.ckpt" ]; do sleep 0.01; done
kill -INT $process
wait $process
check "resume: interrupted" [ $? -eq 130 ]
cp "$runs/tags/model.ken" "$scratch/from.ken" # first another model, then none
cp -r "$runs/cut" "$runs/cut2"
"$ken" train --resume "$runs/cut" --threads 1 >"$out" 2>"$err"
check "resume: goes on though the model has changed" [ $? -eq 0 ]
check "resume: and says nothing of having taken anything" sh -c "! grep -q ^from '$err'"
check "resume: to the same file" cmp -s "$runs/whole/model.ken" "$runs/cut/model.ken"
check "resume: the log has its first line once" [ "$(grep -c '^from ' "$runs/cut/log.txt")" -eq 1 ]
check "resume: as the other log" [ "$(head -n 1 "$runs/cut/log.txt")" = "$(head -n 1 "$runs/whole/log.txt")" ]
rm "$scratch/from.ken"
"$ken" train --resume "$runs/cut2" --threads 1 >"$out" 2>"$err"
check "resume: also without the model" cmp -s "$runs/whole/model.ken" "$runs/cut2/model.ken"
rm "$runs/cut2"/*.ckpt
"$ken" train --resume "$runs/cut2" --threads 1 >"$out" 2>"$err"
check "resume: without a checkpoint there has to be the model" grep -q "train.from.*$scratch/from.ken" "$err"
exit $failed
