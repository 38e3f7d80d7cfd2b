#!/bin/sh
# kills.sh - a training run is killed (kill -9) at random moments and resumed, again and again. After
# every fifth kill the last checkpoint is damaged too. Each run must end with the model file and the
# log lines of a run that was left alone. The settings come from the environment:
#   KEN_KILLS=200      number of kills; default 30
#   KEN_KILLS_SEED=7   seed of the moments and of the damage; default 1
set -u
. "$(dirname "$0")/tap.inc"
wanted=${KEN_KILLS:-30} seed=${KEN_KILLS_SEED:-1}
recipe=recipes/signals.recipe
# a checkpoint after each step, so that many kills come while a checkpoint is written
set -- data.train=100 data.dev=20 model.width=32 model.hidden=64 train.epochs=3 train.batch=256 \
    train.evaluate=5 train.checkpoint=1 train.average=0.9 model.dropout=0.1 --quiet --threads 2

# draw N - sets $drawn to the next pseudo-random number, from 0 to N - 1
random=$((seed % 2147483646 + 1))
draw() {
    random=$((random * 48271 % 2147483647))
    drawn=$((random % $1))
}

# damage FILE - damages a file in one of four ways; sets $how
damage() {
    size=$(wc -c <"$1")
    draw 4
    case $drawn in
        0)
            draw "$size"
            how="cut to $drawn bytes"
            truncate -s "$drawn" "$1"
            ;;
        1)
            draw "$size"
            at=$drawn
            draw 8
            byte=$(od -An -tu1 -j "$at" -N 1 "$1")
            how="bit $drawn of byte $at flipped"
            # shellcheck disable=SC2059  # the format is the octal number of the byte
            printf "\\$(printf %03o $((byte ^ (1 << drawn))))" |
                dd of="$1" bs=1 seek="$at" conv=notrunc status=none
            ;;
        2)
            how="set to zeros"
            head -c "$size" /dev/zero >"$1"
            ;;
        3)
            how="emptied"
            : >"$1"
            ;;
    esac
}

model() { sha256sum <"$1/model.ken"; }
steps() { cat "$1/log.txt" "$1/metrics.jsonl" | grep -o 'step[^,/]*'; }

# finish - compares the completed run $run with the undisturbed one
finish() {
    ended=$((ended + 1))
    [ "$(model "$run")" = "$model" ] || wrong="$wrong model.ken of run $ended;"
    [ "$(steps "$run")" = "$steps" ] || wrong="$wrong logs of run $ended;"
    rm -rf "$run"
}

began=$(date +%s%N)
"$ken" train $recipe "$@" -o "$scratch/whole" >/dev/null 2>"$err"
check "a run that is left alone" [ $? -eq 0 ]
# The kills come within $within milliseconds, at first the time of a whole run. The time is adjusted to
# the load of the machine, so that there are about three kills for each run that completes.
within=$((($(date +%s%N) - began) / 1000000))
model=$(model "$scratch/whole") steps=$(steps "$scratch/whole")

run=$scratch/run
kills=0 damaged=0 recovered=0 writing=0 ended=0 tries=0 wrong=
while [ $kills -lt "$wanted" ] && [ $tries -lt $((4 * wanted)) ] && [ -z "$wrong" ]; do
    tries=$((tries + 1))
    draw "$within"
    # --foreground makes timeout wait until the process is gone and its lock is free;
    # --preserve-status gives the status of a run that completes at this very moment
    moment=$(printf '%d.%03d' $(((drawn + 1) / 1000)) $(((drawn + 1) % 1000)))
    if [ -e "$run/recipe" ]; then
        timeout --foreground --preserve-status -s KILL "$moment" \
            "$ken" train --resume "$run" --quiet --threads 2 >"$out" 2>"$err"
    else
        rm -rf "$run"
        timeout --foreground --preserve-status -s KILL "$moment" \
            "$ken" train $recipe "$@" -o "$run" >"$out" 2>"$err"
    fi
    status=$?
    grep -q 'resumed from .*/previous.ckpt' "$err" && recovered=$((recovered + 1))
    case $status in
        0)
            finish
            within=$((within * 9 / 10 + 10))
            ;;
        137)
            kills=$((kills + 1))
            within=$((within * 31 / 30 + 1))
            [ -n "$(ls "$run" 2>/dev/null | grep 'ken-tmp$\|next.ckpt')" ] && writing=$((writing + 1))
            if [ $((damaged * 5)) -lt $kills ] && [ -e "$run/last.ckpt" ] && [ -e "$run/previous.ckpt" ]
            then
                damage "$run/last.ckpt"
                damaged=$((damaged + 1))
                echo "# kill $kills: last.ckpt $how"
            fi
            ;;
        *) wrong="exit status $status after kill $kills: $(cat "$err")" ;;
    esac
done
if [ -z "$wrong" ] && [ -e "$run/recipe" ]; then
    "$ken" train --resume "$run" --quiet >"$out" 2>"$err" && finish || wrong="$(cat "$err")"
fi
echo "# seed $seed: $kills kills, $writing of them while a file was written, $damaged checkpoints" \
    "damaged, $recovered runs resumed from previous.ckpt, $ended runs completed${wrong:+; wrong: $wrong}"
check "killed $wanted times" [ $kills -ge "$wanted" ]
check "a fifth of the kills with a damaged checkpoint" [ $((damaged * 5)) -ge $((wanted - 5)) ]
check "killed runs end with the model and the logs of a run that was left alone" [ -z "$wrong" ]
exit $failed
