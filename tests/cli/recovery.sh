#!/bin/sh
# recovery.sh - a run is resumed from previous.ckpt if last.ckpt is damaged or missing, and a run that
# gets SIGHUP or meets the limit of file sizes (SIGXFSZ) keeps its state. Resumed, it ends with the
# model file and the log lines of a run that was never disturbed.
set -u
. "$(dirname "$0")/tap.inc"
recipe=recipes/signals.recipe
set -- data.train=60 data.dev=10 model.width=16 model.hidden=16 train.steps=60 train.batch=256 \
    train.evaluate=20 train.checkpoint=6 train.average=0.9 model.dropout=0.1 --quiet --threads 1

model() { sha256sum <"$1/model.ken"; }
steps() { cat "$1/log.txt" "$1/metrics.jsonl" | grep -o 'step[^,/]*'; }
# is_whole FOLDER - whether a run ended like the undisturbed one
is_whole() { [ "$(model "$1")" = "$model" ] && [ "$(steps "$1")" = "$steps" ]; }
# are_whole FOLDER - whether the checkpoints of a run are not damaged
are_whole() { "$ken" info "$1/last.ckpt" >/dev/null && "$ken" info "$1/previous.ckpt" >/dev/null; }

"$ken" train $recipe "$@" -o "$scratch/whole" >/dev/null 2>"$err"
check "a run that is left alone" [ $? -eq 0 ]
check "and is best at its end" sh -c "tail -n 1 '$scratch/whole/log.txt' | grep -q ' \* '"
model=$(model "$scratch/whole") steps=$(steps "$scratch/whole")
size=$(wc -c <"$scratch/whole/last.ckpt")

# ---- a damaged last.ckpt: of a run with checkpoints of steps 54 and 60, and evaluations at 40 and 60

# damage HOW FILE
damage() {
    case $1 in
        missing) rm "$2" ;;
        empty) : >"$2" ;;
        truncated) truncate -s $((size / 2)) "$2" ;;
        "one byte short") truncate -s $((size - 1)) "$2" ;;
        "all zeros") head -c "$size" /dev/zero >"$2" ;;
        "one bit flipped") # in the last byte, a part of a number
            byte=$(tail -c 1 "$2" | od -An -tu1)
            # shellcheck disable=SC2059  # the format is the octal number of the byte
            printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$2" bs=1 seek=$((size - 1)) conv=notrunc status=none
            ;;
        "checksum removed") # the name of the note that has the checksum is not the right one any more
            at=$(grep -abo 'ken.sha256' "$2" | head -n 1 | cut -d : -f 1)
            printf x | dd of="$2" bs=1 seek="$at" conv=notrunc status=none
            ;;
    esac
}

run=$scratch/run
for how in missing empty truncated "one byte short" "all zeros" "one bit flipped" "checksum removed"; do
    rm -rf "$run" && cp -r "$scratch/whole" "$run" && rm "$run/model.ken"
    damage "$how" "$run/last.ckpt"
    "$ken" train --resume "$run" --quiet >"$out" 2>"$err"
    check "last.ckpt $how: the run is resumed" [ $? -eq 0 ]
    check "and one line says from where and why" [ "$(grep -c \
        "^ken: resumed from $run/previous.ckpt, step 54, because $run/last.ckpt" "$err")-$(wc -l <"$err")" = 1-1 ]
    check "and it ends with the same model and logs" is_whole "$run"
    check "and both checkpoints are whole again" are_whole "$run"
    "$ken" train --resume "$run" --quiet >"$out" 2>"$err"
    check "and resumed once more there is nothing to say" [ ! -s "$err" ]
done

# damaged, resumed, and killed before the first save: previous.ckpt must not be lost
rm -rf "$run" && cp -r "$scratch/whole" "$run" && rm "$run/model.ken"
damage truncated "$run/last.ckpt"
before=$(sha256sum <"$run/previous.ckpt")
(ulimit -f 4 && exec "$ken" train --resume "$run" --quiet) >"$out" 2>"$err"
check "a resumed run that cannot save keeps the checkpoint that it came from" \
    [ "$(sha256sum <"$run/previous.ckpt")" = "$before" ]
"$ken" train --resume "$run" --quiet >"$out" 2>"$err"
check "and can be resumed again, with the same model and logs" is_whole "$run"

# both checkpoints damaged
rm -rf "$run" && cp -r "$scratch/whole" "$run"
damage empty "$run/last.ckpt"
damage "one bit flipped" "$run/previous.ckpt"
"$ken" train --resume "$run" --quiet >"$out" 2>"$err"
check "two damaged checkpoints exit with 3" [ $? -eq 3 ]
check "and the message has the reason for each" grep -q \
    "there is no checkpoint to resume from: $run/last.ckpt: byte 0: .*; $run/previous.ckpt is damaged: its checksum" "$err"
rm "$run/previous.ckpt"
"$ken" train --resume "$run" --quiet >"$out" 2>"$err"
check "a damaged checkpoint and none before it exit with 3" [ $? -eq 3 ]
check "and the message says so" grep -q "$run/last.ckpt: byte 0: .*; $run/previous.ckpt is missing" "$err"
rm "$run/last.ckpt"
"$ken" train --resume "$run" --quiet >"$out" 2>"$err"
check "without any checkpoint the run starts anew, with the same model and logs" is_whole "$run"

# a comparison resumes its runs in the same way
"$ken" compare $recipe "$@" --seeds 2 -o "$scratch/both" >"$scratch/table" 2>"$err"
damage empty "$scratch/both/runs/01/seed-1/last.ckpt"
rm "$scratch/both/runs/01/seed-1/result.json"
"$ken" compare --resume "$scratch/both" --quiet >"$out" 2>"$err"
check "a comparison says that a run was resumed from previous.ckpt" \
    grep -q "^ken: resumed from $scratch/both/runs/01/seed-1/previous.ckpt" "$err"
check "and has the same model" [ "$(model "$scratch/both/runs/01/seed-1")" = "$model" ]

# ---- SIGHUP: the terminal was closed

# begun FOLDER - waits until the run of $process has its first checkpoint
begun() { while [ ! -e "$1/last.ckpt" ] && kill -0 $process 2>/dev/null; do sleep 0.01; done; }

run=$scratch/hung
env --default-signal=HUP "$ken" train $recipe "$@" -o "$run" >"$out" 2>"$err" &
process=$!
begun "$run"
kill -HUP $process && kill -HUP $process # the shell and the kernel may each send one
wait $process
check "SIGHUP exits with 130" [ $? -eq 130 ]
check "and the state is saved" grep -q "the state is saved" "$err"
check "and it is said how to go on" grep -qF "ken train --resume $run" "$err"
cp -r "$run" "$scratch/limited"
"$ken" train --resume "$run" --quiet >"$out" 2>"$err"
check "and the run goes on from there, with the same model and logs" is_whole "$run"

run=$scratch/nohup
nohup "$ken" train $recipe "$@" -o "$run" >"$out" 2>"$err" &
process=$!
begun "$run"
kill -HUP $process
wait $process
check "under nohup SIGHUP does not stop a run" [ $? -eq 0 ]
check "which gives the same model and logs" is_whole "$run"

# ---- SIGXFSZ: a file would grow beyond the limit of file sizes (ulimit -f, in blocks of 512 bytes)
run=$scratch/limited
before=$(cat "$run/last.ckpt" "$run/previous.ckpt" 2>/dev/null | sha256sum)
(ulimit -f 16 && exec "$ken" train --resume "$run" --quiet) >"$out" 2>"$err"
check "a write beyond the limit of file sizes exits with 5" [ $? -eq 5 ]
check "and names the file and the limit" grep -q "cannot write $run/.*: File too large; ulimit -f" "$err"
check "and it is said how to go on" grep -qF "ken train --resume $run" "$err"
check "and the checkpoints are as before" \
    [ "$(cat "$run/last.ckpt" "$run/previous.ckpt" 2>/dev/null | sha256sum)" = "$before" ]
"$ken" train --resume "$run" --quiet >"$out" 2>"$err"
check "without the limit the run goes on, with the same model and logs" is_whole "$run"
exit $failed
