#!/bin/sh
# run_output.sh - ken run: what it prints. Labels with probabilities, a word per line, several samples,
# text while it is written, escapes, and the flags of generators.
set -u
. "$(dirname "$0")/tap.inc"
case $ken in /*) ;; *) ken=$PWD/$ken ;; esac
cd "$scratch" || exit 1

# train NAME KIND ENCODER DECODER STEPS [LINE...] - trains a small model; LINEs follow "kind = KIND" in
# [output]. The recipe's section [data] is standard input.
train() {
    name=$1
    {
        cat
        printf '[output]\nkind = %s\n' "$2"
        for line in "$@"; do case $line in *=*) echo "$line" ;; esac; done
        printf '[input]\nleast = 1\n'
        [ "$name" = pairs ] && echo "unit = characters"
        printf '[model]\nwidth = 16\nhidden = 32\nheads = 2\nencoder_blocks = %s\n' "$3"
        printf 'decoder_blocks = %s\ndropout = 0\n[train]\nrate = 0.01\nsteps = %s\n' "$4" "$5"
    } >"$name.recipe"
    "$ken" train "$name.recipe" -o "$name" --quiet >/dev/null 2>"$err" || cat "$err"
}

# run ARGUMENT... - runs ken run into $out and $err, and keeps the exit code
run() {
    "$ken" run "$@" >"$out" 2>"$err" </dev/null
    code=$?
}
# prints TEXT - what the last run printed is this text, with \n and \t as in printf
prints() { printf "$1" | cmp -s - "$out"; }
# same FILE FILE - the files are equal and not empty
same() { [ -s "$1" ] && cmp -s "$1" "$2"; }
# refused WORDS - the last run was a usage error that says this, and printed nothing
refused() { [ $code -eq 2 ] && [ ! -s "$out" ] && grep -qF -- "$1" "$err"; }

# ---- labels: a tagger, a classifier, sets, numbers
awk 'BEGIN { srand(2); for (i = 0; i < 60; i++) { w = t = ""
    for (k = 0; k < 5; k++) { c = substr("xyz", int(rand() * 3) + 1, 1); w = w " " c; t = t " " toupper(c) }
    print substr(w, 2) "\t" substr(t, 2) } }' >tags.tsv
printf '[data]\nformat = tsv\ntrain = tags.tsv\n' | train tags each 1 1 60
printf 'x y\nz\n' >two.txt
run tags/model.ken two.txt --columns
check "--columns: a word and its label per line, an empty line after each example" \
    prints 'x\tX\ny\tY\n\nz\tZ\n\n'
run tags/model.ken two.txt --columns --scores
check "--columns --scores: the probability is the third column" awk -F '\t' \
    'NF && !(NF == 3 && $3 > 0.5 && $3 <= 1) { bad = 1 } END { exit bad || NR != 5 }' "$out"
"$ken" run tags/model.ken two.txt --columns | "$ken" run tags/model.ken --format columns - >"$out" 2>"$err"
check "--columns can be read as format columns" prints 'X Y\nZ\n'
run tags/model.ken two.txt --best 2
check "--best of labels for each word: word, label, probability, label, probability" awk -F '\t' \
    'NF && !(NF == 5 && $2 == toupper($1) && $3 > $5 && $5 > 0) { bad = 1 } END { exit bad || NR != 5 }' "$out"
run tags/model.ken two.txt --best 9
check "--best above the number of labels gives all of them, and they sum to 1" awk -F '\t' \
    'NF && !(NF == 7 && $3 + $5 + $7 > 0.999 && $3 + $5 + $7 < 1.001) { bad = 1 } END { exit bad || NR != 5 }' "$out"
run tags/model.ken two.txt --json --best 2
check "--json --best: the most likely labels of each word" grep -qE \
    '^\{"index":0,"tokens":\["x","y"\],"answers":\["X","Y"\],"scores":\[[^]]*\],"probabilities":\[\{"X":[^,]*,"[YZ]":[^,]*\},\{"Y":[^,]*,"[XZ]":[^,}]*\}\]\}$' "$out"
run tags/model.ken two.txt --json
check "without --best, --json has no distribution for each word" [ "$(grep -c probabilities "$out")" -eq 0 ]
run tags/model.ken two.txt --columns --json
check "--columns with --json is refused" refused "leave out --columns or --json"

printf 'good\tpos\nbad\tneg\nso so\tso\\so\n' >moods.tsv
printf '[data]\nformat = tsv\ntrain = moods.tsv\n' | train moods whole 1 1 60
run moods/model.ken --prompt good
check "--prompt: the text is the example" prints 'pos\n'
run moods/model.ken --prompt good --best 3
check "--best of a label: rank, probability, label" awk -F '\t' '$1 != NR || (NR > 1 && $2 > last) { bad = 1 }
    NR == 1 && $3 != "pos" { bad = 1 } { last = $2; sum += $2 } END { exit bad || NR != 3 || sum < 0.999 }' "$out"
check "a backslash in a label stays" grep -qF "$(printf '\tso\\so')" "$out"
run moods/model.ken --prompt good --json
check "--json has the whole distribution, the most likely label first" grep -qE \
    '^\{"index":0,"answers":\["pos"\],"scores":\[[^]]*\],"probabilities":\[\{"pos":0\.[0-9]*,"[^"]*":[^,]*,"[^"]*":[^,]*\}\]\}$' "$out"
run moods/model.ken --prompt good --json --best 1
check "--json --best 1 has one label of it" grep -qE '"probabilities":\[\{"pos":0\.[0-9]*\}\]\}$' "$out"
run moods/model.ken --prompt good --columns
check "--columns needs a label for each word" refused "--columns needs a model with a label for each word"
run moods/model.ken --prompt good --samples 2
check "--samples needs a generator" refused "several samples: this model gives labels"
run moods/model.ken --prompt good --stream
check "--stream needs a generator" refused "streaming: this model gives labels"
run moods/model.ken --prompt good --raw
check "--raw needs a generator" refused "--raw is for models that write text"
run moods/model.ken moods.tsv --prompt good
check "--prompt excludes files" refused "--prompt is the whole input"
run moods/model.ken --prompt "$(printf 'a\nb')"
check "--prompt is one line" refused "--prompt takes one line"

printf 'red wine\tred,drink\nblue sea\tblue\nred sea\tred\n' >sets.tsv
printf '[data]\nformat = tsv\ntrain = sets.tsv\n' | train sets whole 1 1 60 'value = set'
run sets/model.ken --prompt "red wine" --best 3
check "--best of a set: the most likely labels, whether or not they are in the set" awk -F '\t' \
    '$1 != NR || (NR > 1 && $2 > last) { bad = 1 } { last = $2 } END { exit bad || NR != 3 }' "$out"
run sets/model.ken --prompt "blue sea" --json
check "--json of a set has the probability of every label" grep -qE '"probabilities":\[\{"blue":.*"red":.*\}\]' "$out"

printf 'one\t1\ntwo\t2\nthree\t3\n' >numbers.tsv
printf '[data]\nformat = tsv\ntrain = numbers.tsv\n' | train numbers whole 1 1 10 'value = number'
run numbers/model.ken --prompt one --best 2
check "--best of a number is refused" refused "this model gives numbers"
run numbers/model.ken --prompt one --best 1
check "but not --best 1" [ $code -eq 0 ]

# ---- a language model of bytes
awk 'BEGIN { for (i = 0; i < 300; i++) print "abc\tdefgh" }' >text
printf '[data]\nformat = plain\ntrain = text\ncontext = 16\n' | train lm generate 0 1 40 'unit = bytes'
run lm/model.ken --prompt abc --samples 3 --temperature 0.8 --longest-output 20
check "three samples are three lines" [ $code -eq 0 -a "$(wc -l <"$out")" -eq 3 ]
cp "$out" three
check "and differ" [ "$(sort -u three | wc -l)" -eq 3 ]
check "without control characters" sh -c "[ -s three ] && ! LC_ALL=C grep -q '[[:cntrl:]]' three"
run lm/model.ken --prompt abc --samples 7 --temperature 0.8 --longest-output 20 --threads 1
head -n 3 "$out" >first
check "more samples begin with the same ones, on one thread too" same first three
run lm/model.ken --prompt abc --temperature 0.8 --longest-output 20
head -n 1 three >first
check "one sample is what is drawn without --samples" same first "$out"
run lm/model.ken --prompt abc --samples 3 --temperature 0.8 --longest-output 20 --seed 5
check "another seed gives others" [ "$(cat three "$out" | sort -u | wc -l)" -eq 6 ]
run lm/model.ken --prompt abc --samples 3 --temperature 0.8 --longest-output 20 --scores
cut -f1 "$out" | cmp -s - three
check "--scores adds the log probability" [ $? -eq 0 -a "$(cut -f2 "$out" | grep -c '^-[0-9.]*$')" -eq 3 ]
"$ken" run lm/model.ken --prompt abc --samples 3 --temperature 0.8 --longest-output 20 --json >json
check "--json has the samples as answers" [ "$(grep -o '"answers":\[.*\],"scores":\[-[^,]*,-[^,]*,-[^,]*\]' json | wc -l)" -eq 1 ]
printf 'abc\nabc\nb\n' >three.txt
run lm/model.ken three.txt --samples 3 --temperature 0.8 --longest-output 20
head -n 3 "$out" | cmp -s - three
check "several examples: the samples of each one after another" [ $? -eq 0 -a "$(wc -l <"$out")" -eq 9 ]
for samples in 1 3; do
    for raw in "" --raw; do
        set -- lm/model.ken three.txt --samples $samples --temperature 0.8 --longest-output 20 --scores $raw
        "$ken" run "$@" >plain
        "$ken" run "$@" --stream >"$out"
        check "--stream prints the same bytes: --samples $samples $raw" same plain "$out"
    done
done
run lm/model.ken --prompt abc --samples 3
check "samples need a temperature" refused "at generate.temperature=0 all samples are equal"
run lm/model.ken --prompt abc --samples 3 --best 2
check "samples are not beam search" refused "use one of them"
run lm/model.ken --prompt abc --best 2 --temperature 0.8
check "and --best does not draw" refused "add --temperature 0, or use --samples"
run lm/model.ken --prompt abc --stream --beam 2
check "beam search cannot be streamed" refused "it needs generate.beam=1"
run lm/model.ken --prompt abc --stream --json
check "nor JSON" refused "leave out --stream or --json"

run lm/model.ken --prompt abc --longest-output 9
check "a tab is escaped" grep -qF '\tdefgh' "$out"
run lm/model.ken --prompt abc --longest-output 9 --raw
check "and as it is with --raw" grep -q "$(printf '^\tdefgh')" "$out"
run lm/model.ken --prompt abc --samples 40 --temperature 30
check "any bytes are text on one line" [ "$(wc -l <"$out")" -eq 40 ]
check "that is UTF-8 without control characters" sh -c "iconv -f UTF-8 -t UTF-8 '$out' >/dev/null && ! LC_ALL=C grep -q '[[:cntrl:]]' '$out'"
"$ken" run lm/model.ken --prompt abc --samples 40 --temperature 30 --raw --stream >raw
check "--raw has them as they are" sh -c "LC_ALL=C grep -aq '[[:cntrl:]]' raw"

# ---- text is printed while it is written, not at the end
# with this position and so few steps, the model repeats what it has learned for ever
"$ken" train lm.recipe model.position=rotary -o endless --quiet >/dev/null 2>"$err"
mkfifo pipe
timeout 60 "$ken" run endless/model.ken --prompt abc --longest-output 1000000 --stream >pipe 2>"$err" &
pid=$!
head -c 20 pipe >"$out" # the reader closes the pipe after 20 bytes
wait $pid
code=$?
check "a stream prints before the text ends, and a closed pipe ends it" [ $code -eq 1 -a "$(wc -c <"$out")" -eq 20 ]
if command -v script >/dev/null 2>&1; then
    # on a terminal: the pieces arrive as they are written, so they do without --stream
    script -qefc "timeout 60 '$ken' run lm/model.ken --prompt abc --longest-output 12" /dev/null </dev/null 2>/dev/null | tr -d '\r' >"$out"
    "$ken" run lm/model.ken --prompt abc --longest-output 12 >plain
    check "on a terminal the text is the same" same plain "$out"
else
    echo "ok - on a terminal the text is the same # skip script: not installed"
fi

# ---- no input
run lm/model.ken
check "an empty input is no error, but it says what was expected" \
    [ $code -eq 0 -a "$(grep -c 'expected texts to continue, one per line (or --prompt TEXT)' "$err")" -eq 1 ]
run lm/model.ken --quiet
check "except with --quiet" [ $code -eq 0 -a ! -s "$err" ]

# ---- a generator with an encoder; the flags of generators
awk 'BEGIN { for (i = 0; i < 40; i++) print i % 2 ? "ab\tba" : "cd\tdc" }' >pairs.tsv
printf '[data]\nformat = tsv\ntrain = pairs.tsv\n' | train pairs generate 1 1 60 'unit = characters'
run pairs/model.ken --prompt ab --best 2
check "--best of a generator: rank, log probability, text" grep -q "$(printf '^1\t-[0-9.]*\tba$')" "$out"
for flag in --top-k=1 --top_k=1 "--top-k 1"; do
    # shellcheck disable=SC2086  # a flag and its value are two words
    run pairs/model.ken --prompt ab $flag --temperature 9
    check "flags of generators: $flag" prints 'ba\n'
done
run pairs/model.ken --prompt ab --beam 3 --length-penalty 0 --longest-output 1 --no-repeat 1
check "beam, length penalty, longest and no-repeat" prints 'b\n'
run pairs/model.ken --prompt ab --temperature 0.9 --beam 3 --temperature 0
check "flags are checked together, whatever their order" prints 'ba\n'
run pairs/model.ken --prompt ab --temperature=hot
check "a bad value names the key" grep -q 'generate.temperature' "$err"
run pairs/model.ken --prompt ab --temprature 1
check "a misspelt flag is suggested" refused 'did you mean "--temperature"'
"$ken" eval pairs/model.ken pairs.tsv --longest-output 1 --json >"$out" 2>"$err"
check "eval has them" [ "$(value exact)" = 0 ]
"$ken" look pairs/model.ken ab --longest-output 1 --json >"$out" 2>"$err"
check "look has them" grep -q '"answers":\["b"\]' "$out"
for command in run eval look; do
    "$ken" help $command >"$out"
    check "help $command lists them" [ "$(grep -cE '^  --(temperature|top-k|top-p|beam|length-penalty|longest-output|no-repeat) ' "$out")" -eq 7 ]
done
"$ken" help run --man >"$out"
check "and so does the manual" grep -qF 'top\-p' "$out"
exit $failed
