#!/bin/sh
# resume.sh - a training run that is interrupted or out of disk space loses nothing: resumed, it ends
# with exactly the model file of a run that was never disturbed. Kills are in kills.sh, damaged
# checkpoints and signals other than Ctrl-C in recovery.sh.
set -u
. "$(dirname "$0")/tap.inc"
recipe=recipes/signals.recipe
set -- data.train=150 data.dev=20 train.epochs=4 train.batch=512 train.evaluate=10 \
    train.checkpoint=3 train.average=0.9 train.accumulate=2 model.dropout=0.1 --quiet --threads 2

model() { sha256sum <"$1/model.ken"; }

"$ken" train $recipe "$@" -o "$scratch/whole" >/dev/null 2>"$err"
check "a run that is left alone" [ $? -eq 0 ]
want=$(model "$scratch/whole")
"$ken" train $recipe "$@" -o "$scratch/again" >/dev/null 2>"$err"
check "the same run again gives the same file" [ "$(model "$scratch/again")" = "$want" ]
"$ken" train $recipe "$@" --threads 1 -o "$scratch/one" >/dev/null 2>"$err"
check "and with one thread" [ "$(model "$scratch/one")" = "$want" ]

# Ctrl-C, twice
heeding "$ken" train $recipe "$@" -o "$scratch/stopped" >"$out" 2>"$err" &
process=$!
while [ ! -e "$scratch/stopped/last.ckpt" ]; do sleep 0.01; done
kill -INT $process
wait $process
check "Ctrl-C exits with 130" [ $? -eq 130 ]
check "and says how to go on" grep -qF "ken train --resume $scratch/stopped" "$err"
"$ken" train --resume "$scratch/stopped" --quiet >"$out" 2>"$err"
check "after Ctrl-C it goes on to the end" [ $? -eq 0 ]
check "with the same file" [ "$(model "$scratch/stopped")" = "$want" ]
"$ken" train --resume "$scratch/stopped" --quiet >"$out" 2>"$err"
check "resuming a run that is done changes nothing" [ "$(model "$scratch/stopped")" = "$want" ]

# Ctrl-C at a script; its background jobs ignore that
"$ken" train $recipe "$@" -o "$scratch/behind" >"$out" 2>"$err" &
process=$!
while [ ! -e "$scratch/behind/last.ckpt" ]; do sleep 0.01; done
kill -INT $process
wait $process
check "a run that ignores Ctrl-C is not stopped by it" [ $? -eq 0 ]
check "and gives the same file" [ "$(model "$scratch/behind")" = "$want" ]

# two runs at once in the same folder
mkdir -p "$scratch/busy"
heeding "$ken" train $recipe "$@" data.train=5000 -o "$scratch/busy" >"$out" 2>"$err" &
process=$!
while [ ! -e "$scratch/busy/last.ckpt" ]; do sleep 0.01; done
"$ken" train --resume "$scratch/busy" --quiet >/dev/null 2>"$err.two"
check "two processes cannot work in one folder" [ $? -eq 1 ]
check "and it is said who does" grep -q "$process" "$err.two"
kill -INT $process
wait $process 2>/dev/null

# resuming with data other than the run started with
sed 's/^train = .*/train = 151/' "$scratch/busy/recipe" >"$scratch/recipe" && cp "$scratch/recipe" "$scratch/busy/recipe"
"$ken" train --resume "$scratch/busy" --quiet >/dev/null 2>"$err"
check "other data is noticed" grep -q "not what this run began with" "$err"

# other dev data, for which the best value would differ
mkdir "$scratch/data"
printf 'x x\tX\ny y\tY\nx\tX\ny\tY\n' >"$scratch/data/train.tsv"
cp "$scratch/data/train.tsv" "$scratch/data/dev.tsv"
printf '[data]\ntrain = %s/data/train.tsv\ndev = %s/data/dev.tsv\n[output]\nkind = whole\n[model]\nwidth = 8\nheads = 2\nhidden = 8\nencoder_blocks = 1\n[train]\nsteps = 5\n' \
    "$scratch" "$scratch" >"$scratch/swap.recipe"
"$ken" train "$scratch/swap.recipe" -o "$scratch/swap" --quiet >/dev/null 2>"$err"
printf 'x x\tY\ny y\tX\n' >"$scratch/data/dev.tsv"
"$ken" train --resume "$scratch/swap" --quiet >/dev/null 2>"$err"
check "other dev data is noticed" grep -q "the dev data is not what this run began with" "$err"
check "examples that are left out are told" sh -c "'$ken' train '$scratch/swap.recipe' data.longest=1 \
    -o '$scratch/short' 2>&1 | grep -q 'left out: 2 more examples with more rows than data.longest'"

# a diverging run
"$ken" train $recipe "$@" train.rate=1e12 train.warm_up=0 train.clip=0 -o "$scratch/wild" >/dev/null 2>"$err"
check "a diverged run exits with 4" [ $? -eq 4 ]
check "and names step, rate and tensor" grep -q "diverged at step .* rate .* worst" "$err"
check "and the last good state is there" [ -s "$scratch/wild/last.ckpt" ]

# a full disk: a file system of 400 kB has room for the first checkpoints only
disk=$scratch/disk
mkdir "$disk"
if mount -t tmpfs -o size=20m ken-test "$disk" 2>/dev/null; then
    "$ken" train $recipe "$@" -o "$disk/run" >/dev/null 2>"$err"
    check "there is room for a run" [ $? -eq 0 ]
    rm -rf "$disk/run"
    "$ken" train $recipe "$@" train.epochs=400 -o "$disk/run" >/dev/null 2>"$err" &
    process=$!
    while [ ! -e "$disk/run/previous.ckpt" ]; do sleep 0.01; done
    head -c 20000000 /dev/zero >"$disk/fill" 2>/dev/null
    wait $process
    check "a full disk exits with 5" [ $? -eq 5 ]
    check "and says so" grep -qi "space" "$err"
    rm "$disk/fill"
    check "the last two checkpoints are left whole" sh -c "'$ken' info '$disk/run/last.ckpt' >/dev/null &&
        '$ken' info '$disk/run/previous.ckpt' >/dev/null"
    check "and it is said how to go on" grep -qF "ken train --resume $disk/run" "$err"
    "$ken" train $recipe "$@" train.epochs=400 -o "$disk/run" >/dev/null 2>&1
    umount "$disk"
else
    echo "# skip full disk: no right to mount a small file system"
fi
exit $failed
