#!/bin/sh
# lengths.sh - an example with more rows than learned positions have places (model.longest) is reported
# by ken check and at the start of ken train and of ken train --resume, with its file and line and the
# keys that help, instead of stopping the run at the step that draws it.
set -u
. "$(dirname "$0")/tap.inc"
small="model.width=8 model.hidden=8 model.heads=2 model.encoder_blocks=1 model.decoder_blocks=1 \
model.position=learned model.longest=6 train.steps=4 train.batch=16 train.warm_up=0"

# words N - prints N words
words() { awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) printf("%s%s", (i > 1 ? " " : ""), (i % 2 ? "a" : "b")) }'; }

# refused KIND WORDS [KEY...] - ken check and ken train must exit with 3 and say WORDS, before a run is
# begun. KIND is the name of the recipe.
refused() {
    kind=$1 said=$2
    shift 2
    # shellcheck disable=SC2086  # $small is a list of words
    "$ken" check "$scratch/$kind.recipe" $small "$@" >"$out" 2>"$err"
    check "$kind $*: check exits with 3" [ $? -eq 3 ]
    check "and says where, how long and what the limit is" grep -qF "$said" "$err" "$out"
    rm -rf "$scratch/run"
    # shellcheck disable=SC2086
    "$ken" train "$scratch/$kind.recipe" $small "$@" -o "$scratch/run" >"$out" 2>"$err"
    check "and train exits with 3" [ $? -eq 3 ]
    check "and says the same" grep -qF "$said" "$err"
    check "and no internal name" sh -c "! grep -q 'add_position\|table' '$err'"
    check "and no run is begun" [ ! -e "$scratch/run" ]
}
# trains KIND [KEY...] - the recipe can be trained on and checked
trains() {
    kind=$1
    shift
    # shellcheck disable=SC2086
    "$ken" check "$scratch/$kind.recipe" $small "$@" >"$out" 2>"$err"
    check "$kind $*: check finds nothing" [ $? -eq 0 ]
    rm -rf "$scratch/run"
    # shellcheck disable=SC2086
    "$ken" train "$scratch/$kind.recipe" $small "$@" -o "$scratch/run" >"$out" 2>"$err"
    check "and it trains" [ $? -eq 0 ]
}

# ---- labels of whole texts: lines 2 and 4 have 7 and 9 words
printf '%s\tX\n%s\tY\n%s\tX\n%s\tY\n' "$(words 6)" "$(words 7)" "$(words 2)" "$(words 9)" >"$scratch/long.tsv"
printf '%s\tX\n%s\tY\n%s\tX\n' "$(words 6)" "$(words 5)" "$(words 1)" >"$scratch/short.tsv"
for part in train dev test; do
    for other in train dev test; do
        [ $other = $part ] && file=long || file=short
        printf '%s = %s/%s.tsv\n' $other "$scratch" $file
    done >"$scratch/parts"
    { echo '[data]' && cat "$scratch/parts" && printf '[output]\nkind = whole\n'; } >"$scratch/$part.recipe"
done
where="$scratch/long.tsv:2: the input has 7 rows, but model.position=learned has only model.longest=6 places"
refused train "$where"
check "train says how many there are and which keys help" grep -qF \
    "places; 2 examples are too long: model.longest must be 9 or more, or data.longest=6 leaves long training examples out" "$err"
refused dev "$where"
check "train says which key helps" grep -q "2 examples are too long: model.longest must be 9 or more$" "$err"
"$ken" check "$scratch/test.recipe" $small >"$out" 2>"$err"
check "check exits with 3 for test data" [ $? -eq 3 ]
check "and lists both lines" [ "$(grep -c "^bad    $scratch/long.tsv:[24]: the input has [79] rows" "$out")" -eq 2 ]
"$ken" check "$scratch/train.recipe" $small --json >"$out" 2>"$err"
check "check counts them in JSON" grep -q '"bad_lines":2,"train":{"examples":4,.*"bad":2,.*"dev":{' "$out"
trains train model.longest=9
trains train data.longest=6
trains train model.position=sinusoid
trains train model.position=relative

# ---- measuring a model on long examples
"$ken" train "$scratch/test.recipe" $small -o "$scratch/measured" --quiet >/dev/null 2>"$err"
check "training does not read test data" [ $? -eq 0 ]
"$ken" eval "$scratch/measured/model.ken" "$scratch/long.tsv" >"$out" 2>"$err"
check "eval exits with 3" [ $? -eq 3 ]
check "and says the same" grep -qF "$where" "$err"

# ---- a run that was begun before its data was checked cannot be resumed, and says so at once
cp -r "$scratch/measured" "$scratch/old"
sed "s|^train = .*|train = $scratch/long.tsv|" "$scratch/measured/recipe" >"$scratch/old/recipe"
"$ken" train --resume "$scratch/old" >"$out" 2>"$err"
check "resume exits with 3" [ $? -eq 3 ]
check "and says the same" grep -qF "$where" "$err"

# ---- generators: the begin symbol needs a place too
printf '[data]\nformat = tsv\ntrain = %s/pairs.tsv\n[input]\nleast = 1\n[output]\nkind = generate\nunit = words\nleast = 1\n' \
    "$scratch" >"$scratch/pairs.recipe"
printf '%s\t%s\n' "$(words 6)" "$(words 5)" >"$scratch/pairs.tsv"
trains pairs
printf '%s\t%s\n' "$(words 2)" "$(words 6)" >>"$scratch/pairs.tsv"
refused pairs "$scratch/pairs.tsv:2: the target has 7 rows with its begin symbol, but model.position=learned has only"
trains pairs model.longest=7
printf '%s\t%s\n%s\t%s\n' "$(words 7)" "$(words 2)" a b >"$scratch/pairs.tsv"
refused pairs "$scratch/pairs.tsv:1: the input has 7 rows, but"

# ---- language models: lines, and pieces of a stream
printf '[data]\nformat = plain\ntrain = %s/plain.txt\ndev = %s/plain.txt\n[output]\nkind = generate\nunit = words\nleast = 1\n[model]\nencoder_blocks = 0\n' \
    "$scratch" "$scratch" >"$scratch/plain.recipe"
{ words 5 && echo && words 6 && echo; } >"$scratch/plain.txt"
no_encoder=model.encoder_blocks=0
refused plain "$scratch/plain.txt:2: the target has 7 rows with its begin symbol" $no_encoder
trains plain $no_encoder data.context=5
refused plain "$scratch/plain.txt: pieces of data.context=6 ids have 7 rows with the begin symbol" \
    $no_encoder data.context=6
trains plain $no_encoder data.context=6 model.longest=7

# ---- rows of numbers: input.stack joins rows before they get their place
awk 'BEGIN { for (i = 0; i < 13; i++) print "s\t" i / 10 "\t" i % 3 "\tX"; print "t\t1\t1\tY" }' >"$scratch/rows.tsv"
printf '[data]\nformat = vectors\nsequence = 1\ninput = 2 3\ntarget = 4\ntrain = %s/rows.tsv\n[output]\nkind = whole\n' \
    "$scratch" >"$scratch/rows.recipe"
refused rows "$scratch/rows.tsv:1: the input has 13 rows, but"
refused rows "$scratch/rows.tsv:1: the input has 7 rows after input.stack, but" input.stack=2
trains rows input.stack=3
exit $failed
