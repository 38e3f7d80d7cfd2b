#!/bin/sh
# messages.sh - what a user reads: control characters of data stay away from the terminal, one thing is
# not called "things", messages about a recipe name its keys, and a full disk is reported.
set -u
. "$(dirname "$0")/tap.inc"
unset NO_COLOR COLUMNS
export KEN_THREADS=1
case $ken in /*) ;; *) ken=$PWD/$ken ;; esac
cd "$scratch" || exit 1

# refuses CODE TEXT ARGUMENT... - exits with the code and prints one line that contains the text
refuses() {
    code=$1 text=$2
    shift 2
    "$ken" "$@" >"$out" 2>"$err" </dev/null
    got=$?
    if [ $got -eq "$code" ] && grep -qF -- "$text" "$err" && [ "$(wc -l <"$err")" -eq 1 ]; then
        echo "ok - $text"
    else
        echo "not ok - $text"
        echo "# expected $code; got $got and: $(cat -v "$err")"
        failed=1
    fi
}

small='[input]
least = 1
[model]
width = 8
hidden = 8
heads = 1
encoder_blocks = 1
[train]
steps = 1
warm_up = 0'

# ---- control characters: ESC, BEL, CSI as one character (U+009B), DEL; and a letter that stays
bad=$(printf '\033]0;x\007\302\233\177\303\274')
shown='\u001b]0;x\u0007\u009b\u007fü'
printf 'good %s\tA%s\nbad\tB\n' "$bad" "$bad" >data
printf '[data]\nformat = tsv\ntrain = data\ndev = data\n[output]\nkind = whole\n%s\n' "$small" >recipe

# is_plain FILE... - the files have no control character but line ends, and only UTF-8
is_plain() { cat "$@" | iconv -f UTF-8 -t UCS-4LE >ucs 2>/dev/null && [ -s ucs ] &&
    od -An -v -tu4 ucs | awk '{ for (i = 1; i <= NF; i++) if ($i != 10 && ($i < 32 || ($i > 126 && $i < 160))) exit 1 }'; }
# plain WHAT TEXT ARGUMENT... - the command succeeds, prints the text, and nothing but plain text
plain() {
    what=$1 text=$2
    shift 2
    "$ken" "$@" >"$out" 2>"$err" </dev/null
    if [ $? -eq 0 ] && is_plain "$out" "$err" && grep -qF -- "$text" "$out"; then echo "ok - $what"; else
        echo "not ok - $what"
        echo "# wanted \"$text\", got: $(cat -v "$out" "$err")"
        failed=1
    fi
}
plain "check: labels" "A$shown 1" check recipe
"$ken" train recipe -o run --quiet >"$out" 2>"$err"
plain "info: labels" "A" info run/model.ken
plain "eval: the table of labels" "A$shown" eval run/model.ken data
plain "look: the answer and the tokens" "$shown" look run/model.ken "good $bad"
plain "look --json" "tokens" look run/model.ken "good $bad" --json
plain "run --json" "answers" run run/model.ken data --json
mkdir "dir$bad"
cp run/model.ken "dir$bad/model.ken"
plain "info: the path" "dir$shown/model.ken: " info "dir$bad/model.ken"
printf '[model]\nwidth = %s\n' "$bad" >wrong
refuses 3 "wrong:2: model.width is \"$shown\"" check wrong
check "is plain" is_plain "$err"
refuses 2 "unknown command \"$shown\"" "$bad"
check "is plain" is_plain "$err"
refuses 3 "none$shown" info "none$bad"
check "is plain" is_plain "$err"
refuses 3 'none\xff\n' info "$(printf 'none\377\n.')"
printf '[data]\nformat = tsv\ntrain = data\ndev = data\n[output]\nkind = whole\n[model]\nwidth = 8\nheads = 1\n' >two
"$ken" compare two "data.train=data,none$(printf '\302\233')" "train.steps=1" input.least=1 -o compared >"$out" 2>"$err"
check "compare: the table and the progress" is_plain "$out" "$err"
check "with the name of the failed variant" grep -qF 'none\u009b' "$out"

# ---- one and many
printf 'word\t2\n' >one
plain "check: one example" "train  1 example, 1 row (shortest 1, median 1, longest 1), 0 duplicates" \
    check recipe data.train=one data.dev= output.value=number
"$ken" train recipe data.train=one data.dev= output.value=number -o single >"$out" 2>"$err"
check "train: one example, step and thread" grep -q '^1 example, [0-9]* parameters, 1 step, 1 thread$' "$err"
printf 'word\tA\nword A\n' >broken
refuses 3 '1 bad line, the first: broken:2: ' check recipe data.train=broken data.dev=
refuses 2 'one has 1 example, so there is no example 2' look run/model.ken --file one --example 2
plain "look: one layer and one head" "this model has 1 layer with 1 head" look run/model.ken word

# ---- keys of recipes
for value in 0 -1 x 1.5 ' 3' 99999999999999999999; do
    printf '[data]\nformat = tsv\ntrain = data\nsplit = hash %s\n' "$value" >split
    refuses 3 "split:4: data.split is \"hash $value\", expected hash and a whole number" check split
done
refuses 2 'data.split is "hash 0"' check recipe 'data.split=hash 0'
# shellcheck disable=SC2016  # $ is for ken
refuses 2 '$ must be followed by the name of an environment variable' check recipe 'data.train=$:/data'
refuses 2 'model.width=9: width must be a multiple of heads' check recipe model.heads=2 model.width=9
refuses 2 'model.window_left=3: model.window_left and model.window_right are for reach window' \
    check recipe model.reach=blocks model.window_left=3
refuses 2 'heads must be a multiple of model.kv_heads' check recipe model.kv_heads=3
refuses 2 'input.stack is for rows of numbers: data.format=vectors or npy' check recipe input.stack=2
refuses 2 'blocks.both_ways needs an even width' check recipe blocks.kind=lstm model.width=9
refuses 2 'recipe: [train]: decay is 90' train recipe train.schedule=stable-decay train.decay=90 -o no
refuses 2 'unknown command "foo"; see ken help' foo
refuses 2 'unknown flag "-x"; see ken help' train recipe -x
printf '{"nodes": ["a\\u0000"], "links": []}\n' >graph
printf '[data]\nformat = graphs\ntrain = graph\n[output]\nkind = whole\n%s\n' "$small" >graphs
refuses 3 'graph:1: expected a JSON object: a string contains a 0 byte (\u0000)' check graphs

# ---- a full disk
# full ARGUMENT... - standard output is a full disk
full() {
    "$ken" "$@" >/dev/full 2>"$err" </dev/null
    got=$?
    check "full disk: ken $1" [ "$got $(grep -c 'cannot write to standard output: No space left on device' "$err")" = "5 1" ]
}
yes word | head -3000 | tr '\n' ' ' >long
full version
full version --json
full help
full help recipe
full help look
full check recipe
full check recipe --json
full info run/model.ken
full info run/model.ken --json
full eval run/model.ken data
full look run/model.ken word
full look run/model.ken --file long
full look run/model.ken word --json
full look run/model.ken word --svg -
full look run/model.ken word --html -
full look run/model.ken --positions
full run run/model.ken data
full run run/model.ken data --json
full train recipe -o full --quiet
full train recipe -o full-json --quiet --json
full compare recipe model.width=8,4 -o full-compared --quiet
full bench --list
full demo
exit $failed
