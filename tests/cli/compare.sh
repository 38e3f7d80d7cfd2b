#!/bin/sh
# compare.sh - ken compare: the table has the values that ken eval gives for each run, a variant that
# fails does not stop the others, and a comparison that was killed or stopped can be resumed to the
# same results.
set -u
[ -w /dev/shm ] && export TMPDIR=/dev/shm # hundreds of saves
. "$(dirname "$0")/tap.inc"
recipe=recipes/signals.recipe
set -- data.train=60 data.dev=10 data.test=20 model.hidden=16 model.encoder_blocks=1 \
    train.steps=24 train.batch=256 train.evaluate=8 train.checkpoint=4 --threads 1

# results FOLDER - prints the seeds and values of compare.json, without times
results() {
    grep -o '"seed":[0-9]*,"failed":[^,]*,"value":[^,]*\|"mean":[^,]*,"deviation":[^,]*' "$1/compare.json"
}

# ---- two keys with two values each, two seeds
all=$scratch/all
"$ken" compare $recipe model.width=8,16 model.position=none,relative "$@" --seeds 2 -o "$all" \
    >"$out" 2>"$err"
check "a comparison succeeds" [ $? -eq 0 ]
check "the table has a head, four variants and a line about it" [ "$(wc -l <"$out")" -eq 6 ]
check "variants in order" [ "$(sed -n '2,5s/   *.*//p' "$out" | tr '\n' ';')" = \
    "8, none;8, relative;16, none;16, relative;" ]
check "a line on standard error for each run" [ "$(grep -c 'accuracy 0\.' "$err")" -eq 8 ]
check "eight runs" [ "$(ls -d "$all"/runs/*/seed-[12] | wc -l)" -eq 8 ]
for run in "$all"/runs/*/seed-*; do # each value is the one that ken eval gives for that run
    "$ken" eval "$run/model.ken" 20 --json >"$scratch/eval"
    said=$(sed 's/.*"accuracy":\([^,}]*\).*/\1/' "$scratch/eval")
    check "ken eval agrees about ${run#"$all/runs/"}" grep -q "\"value\":$said," "$run/result.json"
    grep -o '"value":[^,]*' "$run/result.json" | cut -d: -f2
done >"$scratch/values"
grep '^ok\|^not ok' "$scratch/values"
grep -q '^not ok' "$scratch/values" && failed=1
# mean and sample deviation of each pair of seeds, computed by awk, against the table
grep -v 'ok' "$scratch/values" | awk '{ a = $1; getline; b = $1
    m = (a + b) / 2; d = sqrt((a - m) ^ 2 + (b - m) ^ 2); printf "%.4f ± %.4f\n", m, d }' >"$scratch/means"
sed -n '2,5p' "$out" | grep -o '[0-9.]* ± [0-9.]*' | cmp -s - "$scratch/means"
check "mean and deviation are those of the runs" [ $? -eq 0 ]
"$ken" info "$all/runs/01-8-none/seed-1/model.ken" --json | grep -o '"numbers":[0-9]*' | cut -d: -f2 >"$scratch/size"
check "parameters are those of the model" grep -q "^8, none .* $(cat "$scratch/size") " "$out"
check "compare.md has the command" grep -qF "ken compare $recipe model.width=8,16" "$all/compare.md"
check "compare.md has the table" [ "$(grep -c '^| ' "$all/compare.md")" -eq 5 ]
check "the picture is there" grep -q '</svg>' "$all/compare.svg"

# ---- again
cp "$all/compare.json" "$scratch/before.json"
"$ken" compare --resume "$all" --quiet >"$scratch/again" 2>"$err"
check "resuming one that is done" [ $? -eq 0 ]
check "prints the same table" cmp -s "$out" "$scratch/again"
check "and writes the same file" cmp -s "$all/compare.json" "$scratch/before.json"
check "silently" [ ! -s "$err" ]
"$ken" compare --resume "$all" --quiet --json >"$scratch/json"
check "--json prints what compare.json has" cmp -s "$all/compare.json" "$scratch/json"
printf '{"failed":null' >"$all/runs/01-8-none/seed-2/result.json"
"$ken" compare --resume "$all" --quiet >/dev/null 2>"$err"
mkdir "$scratch/before" && cp "$scratch/before.json" "$scratch/before/compare.json"
check "a broken result is measured again" [ "$(results "$all")" = "$(results "$scratch/before")" ]
"$ken" compare $recipe model.width=8,16 "$@" -o "$all" >/dev/null 2>"$err"
check "a folder in use is refused" [ $? -eq 1 ]
check "with both choices" grep -q "not empty: resume the comparison in it, or choose another folder" "$err"

# reached FOLDER COUNT - whether the runs of a comparison have at least that many files
reached() {
    count=$2
    set -- "$1"/runs/*/seed-*/*
    [ $# -ge "$count" ]
}

# ---- killed again and again, when a certain number of files exist; not by time, because all of it
# takes a tenth of a second on one machine and seconds on another
run=$scratch/killed kills=0
for files in 2 7 13 18 24 29 35; do # there are about fifty in the end
    if [ -e "$run/plan.json" ]; then
        "$ken" compare --resume "$run" --quiet >"$out" 2>"$err" &
    else
        rm -rf "$run"
        "$ken" compare $recipe model.width=8,16 model.position=none,relative "$@" --seeds 2 --quiet \
            -o "$run" >"$out" 2>"$err" &
    fi
    process=$!
    until reached "$run" $files || ! kill -0 $process 2>/dev/null; do :; done
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
    [ $? -eq 137 ] && kills=$((kills + 1))
done
"$ken" compare --resume "$run" --quiet >"$out" 2>"$err"
check "killed $kills times, it ends well" [ $? -eq 0 ]
check "it was killed" [ $kills -ge 2 ]
check "and the results are the same" [ "$(results "$run")" = "$(results "$all")" ]
check "the models too" [ "$(cat "$run"/runs/*/*/model.ken | sha256sum)" = "$(cat "$all"/runs/*/*/model.ken | sha256sum)" ]
check "no lock is left" [ ! -e "$run/lock" ]

# ---- Ctrl-C
stopped=$scratch/stopped
heeding "$ken" compare $recipe model.width=8 "$@" train.steps=3000 train.evaluate=1000 -o "$stopped" >"$out" 2>"$err" &
process=$!
until [ -e "$stopped/runs/01/seed-1/previous.ckpt" ]; do sleep 0.02; done
"$ken" compare --resume "$stopped" --quiet >/dev/null 2>"$scratch/two"
check "two processes cannot work at one comparison" [ $? -eq 1 ]
check "and it is said who does" grep -q "$process" "$scratch/two"
kill -INT $process
wait $process
check "Ctrl-C exits with 130" [ $? -eq 130 ]
check "and says how to go on" grep -qF "ken compare --resume $stopped" "$err"
sed -i 's/"seconds":[^,]*/"seconds":1000/' "$stopped/runs/01/seed-1/cost.json"
"$ken" compare --resume "$stopped" >"$out" 2>"$err"
check "it goes on" [ $? -eq 0 ]
check "and the time before counts" grep -q '"seconds":10[0-9][0-9]\.' "$stopped/runs/01/seed-1/result.json"

# ---- variants that fail: a refused model, a bad value, divergence
"$ken" compare $recipe model.heads=4,3 train.rate=0.003,fast,1e12 model.width=8 "$@" train.warm_up=0 \
    train.clip=0 --seeds 2 -o "$scratch/bad" >"$out" 2>"$err"
check "a comparison with failures exits with 1" [ $? -eq 1 ]
check "the good variant has its result" grep -q '^4, 0.003  *0\.[0-9]* ± ' "$out"
check "a refused model has the reason in its row" grep -q '^3, 0.003  *failed: .*multiple of heads' "$out"
check "a bad value too" grep -q '^4, fast  *failed: .*train.rate is "fast"' "$out"
check "and divergence" grep -q '^4, 1e12  *failed: .*diverged' "$out"
check "how many failed is said" grep -q '10 of 12 runs failed' "$err"
check "the picture is there" grep -q '>failed<' "$scratch/bad/compare.svg"
"$ken" compare --resume "$scratch/bad" --quiet >"$scratch/again" 2>"$err"
check "resumed, it still exits with 1" [ $? -eq 1 ]
check "with the same table" cmp -s "$out" "$scratch/again"
"$ken" compare $recipe train.rate=1e12,1e13 model.width=8 "$@" train.warm_up=0 train.clip=0 \
    -o "$scratch/none" >"$out" 2>"$err"
check "when all fail, too" [ $? -eq 1 ]
check "and it is said" grep -q 'nothing to compare: 2 of 2 runs failed' "$err"

# ---- one key that is a number: lines
"$ken" compare $recipe model.width=16,4,8 "$@" --quiet -o "$scratch/line" >"$out" 2>"$err"
check "a key of numbers" [ $? -eq 0 ]
check "becomes a line" grep -q '<polyline' "$scratch/line/compare.svg"

# ---- several tests, one for each distance: the values of ken eval for each, and lines over them
far=$scratch/far
"$ken" compare recipes/recall.recipe blocks.kind=rnn,fc data.train=100 data.dev=10 data.test=10 \
    data.distance=4 model.width=8 train.steps=8 --threads 1 --tests 30@1,30@2,30@8 -o "$far" >"$out" 2>"$err"
check "a comparison with tests" [ $? -eq 0 ]
for d in 1 2 8; do
    "$ken" eval "$far/runs/01-rnn/seed-1/model.ken" 30@$d --json >"$scratch/eval"
    said=$(sed 's/.*"accuracy":\([^,}]*\).*/\1/' "$scratch/eval")
    check "ken eval agrees at $d" grep -q "\"30@$d\":$said[,}]" "$far/runs/01-rnn/seed-1/result.json"
    check "the table has it" grep -q "^30@$d  *$(printf %.4f "$said")  " "$out"
done
check "lines over distances" grep -q '>distance<' "$far/compare.svg"
check "one for each variant" [ "$(grep -o '>rnn<\|>fc<' "$far/compare.svg" | sort -u | wc -l)" -eq 2 ]
"$ken" compare --resume "$far" --quiet >"$scratch/again" 2>"$err"
check "resumed, the same table" cmp -s "$out" "$scratch/again"

# ---- what is refused before anything starts
# refuses CODE TEXT ARGUMENT...
refuses() {
    code=$1 text=$2
    shift 2
    "$ken" compare "$@" >"$out" 2>"$err"
    got=$?
    if [ $got -eq "$code" ] && grep -qF -- "$text" "$err" && [ ! -s "$out" ]; then
        echo "ok - ken compare $* ($code: $text)"
    else
        echo "not ok - ken compare $*"
        echo "# expected $code and \"$text\"; got $got and: $(cat "$err")"
        failed=1
    fi
}
new=$scratch/new
refuses 2 'needs a recipe'
refuses 2 'none of the 2 variants can be trained; the first:' $recipe model.heads=3,5 model.width=8 -o "$new"
refuses 2 'the test "5" is listed twice' $recipe model.width=8,16 --tests 5,5 -o "$new"
refuses 2 'several values' $recipe -o "$new"
refuses 2 'needs -o FOLDER' $recipe model.width=8,16
refuses 2 'unexpected argument' $recipe $recipe -o "$new"
refuses 2 'did you mean "--seeds"' $recipe model.width=8,16 --seed5 2 -o "$new"
refuses 2 '--seeds needs a number' $recipe model.width=8,16 --seeds 0 -o "$new"
refuses 2 'did you mean "width"' $recipe model.widht=8,16 -o "$new"
refuses 2 'did you mean "model"' $recipe modle.width=8,16 -o "$new"
refuses 2 'listed twice' $recipe model.width=8,8 -o "$new"
refuses 2 '--seeds' $recipe train.seed=1,2 -o "$new"
refuses 2 'none of the 2 variants can be trained; the first: model.width=0: ' $recipe model.width=0,-1 -o "$new"
refuses 2 'no file to measure on' $recipe data.test= data.dev= model.width=8,16 -o "$new"
refuses 2 'nothing else' --resume "$all" $recipe
refuses 2 '--resume needs a value: FOLDER' --resume
refuses 3 'no comparison was begun here' --resume "$stopped/runs"
refuses 3 'missing.recipe' missing.recipe model.width=8,16 -o "$new"
check "nothing was begun by what was refused" [ ! -e "$new" ]
exit $failed
