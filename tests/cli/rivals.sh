#!/bin/sh
# rivals.sh - trains every kind of block (token mixer) with the ken command: what each kind can learn,
# and what it cannot.
set -u
. "$(dirname "$0")/tap.inc"
runs=$scratch/runs

# between LOW VALUE HIGH
between() { awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { exit !(b != "" && a <= b && b <= c) }'; }

# learns NAME DATA LOW METRIC HIGH RECIPE KEY... - trains, measures on DATA and compares
learns() {
    name=$1 data=$2 low=$3 metric=$4 high=$5 recipe=$6
    shift 6
    "$ken" train "recipes/$recipe.recipe" "$@" -o "$runs/$name" --quiet >/dev/null 2>"$err"
    check "$name: training succeeds" [ $? -eq 0 ]
    "$ken" eval "$runs/$name/model.ken" "$data" --json >"$out" 2>"$err"
    check "$name: $metric $(value "$metric") is $low to $high" between "$low" "$(value "$metric")" "$high"
}

# The tag of a word does not follow from the word alone, mostly follows from its neighbours, and always
# from the whole sentence. Each kind uses the same recipe, with the positions of attention.
small="data.train=1500 data.dev=100 model.width=32 model.hidden=64 train.batch=512 train.rate=0.005
    model.dropout=0 train.warm_up=20"
for kind in fc fc-window conv rnn lstm gru conformer attention; do
    low=0.93 high=1 epochs=4
    case $kind in fc) low=0.7 high=0.87 ;; attention) epochs=8 ;; esac # it takes longer
    learns $kind 300 $low accuracy $high ambiguous $small train.epochs=$epochs blocks.kind=$kind
done
"$ken" eval "$runs/fc-window/model.ken" 300@10 --json >"$out" 2>"$err"
near=$(value accuracy)
"$ken" eval "$runs/conformer/model.ken" 300@10 --json >"$out" 2>"$err"
check "at a distance of 10 a window ($near) falls behind a conformer ($(value accuracy))" \
    between "$(echo "$near" | awk '{ print $1 + 0.01 }')" "$(value accuracy)" 1
check "info tells the kind" sh -c "'$ken' info '$runs/gru/model.ken' | grep -q '^kind = gru'"

# A network that runs forwards only cannot know later words.
quick="data.train=1000 data.dev=100 model.width=32 model.hidden=32 train.rate=0.01 train.batch=512"
learns both-ways 200 0.9 accuracy 1 future $quick blocks.kind=gru train.epochs=8
learns one-way 200 0 accuracy 0.25 future $quick blocks.kind=gru blocks.both_ways=no

# Recall: chance is 1 in 16. Attention finds a word that a recurrent network has not kept.
far="data.train=4000 data.dev=100 data.distance=8 train.batch=512 model.width=32 model.hidden=64
    train.rate=0.01 train.epochs=6"
learns recall 300@8 0.9 accuracy 1 recall $far
learns recall-gru 300@8 0 accuracy 0.3 recall $far blocks.kind=gru
"$ken" eval "$runs/recall-gru/model.ken" 300@1 --json >"$out" 2>"$err"
check "which knows the last of it: $(value accuracy)" between 0.3 "$(value accuracy)" 1
learns recall-fc 300@8 0 accuracy 0.2 recall $far blocks.kind=fc train.epochs=1

# Text to text, with a cache: an LSTM with attention to its encoder, and a conformer.
for kind in lstm conformer; do
    learns dates-$kind 50 0 unit_errors 0.6 dates data.train=4000 data.dev=20 train.epochs=2 \
        model.width=48 model.hidden=96 train.batch=1500 blocks.kind=$kind
done

# Choices that do not go together are refused, with the key, before any file is written.
refused() {
    words=$1
    shift
    "$ken" train "$@" -o "$runs/none" >/dev/null 2>"$err"
    check "refused: $words" grep -qF -- "$words" "$err"
}
refused "model.weigh=linear: position rotary needs scores" recipes/ambiguous.recipe \
    model.position=rotary model.weigh=linear data.train=nothing
refused "is for output.kind=whole" recipes/recall.recipe output.kind=each
refused "is for output.kind=each" recipes/future.recipe output.kind=whole
refused "data.format=future takes words" recipes/future.recipe input.unit=bytes
refused "needs an even width, not 33" recipes/future.recipe blocks.kind=gru model.width=33
refused "or number@distance, not \"20@\"" recipes/recall.recipe data.train=20@
refused "number of examples to make, not \"20@3\"" recipes/dates.recipe data.train=20@3
exit $failed
