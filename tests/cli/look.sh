#!/bin/sh
# look.sh - ken look as a user types it: every kind of model, every kind of output, and what can be
# wrong with it.
set -u
. "$(dirname "$0")/tap.inc"
unset NO_COLOR COLUMNS KEN_DATA
export KEN_THREADS=1 # the models are tiny
case $ken in /*) ;; *) ken=$PWD/$ken ;; esac
repository=$PWD
cd "$scratch" || exit 1

small='[model]
width = 12
hidden = 16
heads = 3
[train]
steps = 4
[generate]
longest = 8'
# make NAME LINES DATA-SECTION... - trains a model for a few steps
make() {
    name=$1
    printf '%b' "$2" >"$name.data"
    { printf '%b\n%s\n' "$3" "$small"; } >"$name.recipe"
    "$ken" train "$name.recipe" -o "$name" --quiet >"$out" 2>"$err" || {
        echo "not ok - a model for the tests: $name: $(cat "$err")"
        failed=1
    }
}
make tag 'the cat sat\tD N V\na dog ran\tD N V\n' \
    '[data]\nformat = tsv\ntrain = tag.data\n[input]\nleast = 1\n[output]\nkind = each'
make mood 'good film\tpos\nbad film\tneg\n' \
    '[data]\nformat = tsv\ntrain = mood.data\n[input]\nleast = 1\n[output]\nkind = whole\n[model]\nposition = learned\nlongest = 7'
make turn 'abc\tcba\nbca\tacb\n' \
    '[data]\nformat = tsv\ntrain = turn.data\n[input]\nunit = characters\nleast = 1\n[output]\nkind = generate\nunit = characters\nleast = 1'
make story 'a b c\nb c a\n' \
    '[data]\nformat = plain\ntrain = story.data\n[output]\nkind = generate\nunit = bytes\n[model]\nencoder_blocks = 0\nposition = rotary'
make rows '1\t0.5\t2\tx\n1\t1\t3\ty\n2\t0\t1\tx\n2\t3\t1\ty\n2\t2\t2\ty\n' \
    '[data]\nformat = vectors\ntrain = rows.data\nsequence = 1\ntarget = 4\n[output]\nkind = each'
for kind in fc fc-window conv rnn lstm gru; do
    make "tag-$kind" 'the cat sat\tD N V\na dog ran\tD N V\n' \
        "[data]\\nformat = tsv\\ntrain = tag-$kind.data\\n[input]\\nleast = 1\\n[output]\\nkind = each\\n[blocks]\\nkind = $kind"
done
make turn-gru 'abc\tcba\nbca\tacb\n' \
    '[data]\nformat = tsv\ntrain = turn-gru.data\n[input]\nunit = characters\nleast = 1\n[output]\nkind = generate\nunit = characters\nleast = 1\n[blocks]\nkind = gru'
"$ken" train "$repository/recipes/dates.recipe" data.train=300 data.dev=20 train.steps=3 -o dates \
    --quiet >"$out" 2>"$err"
check "a model of dates for the tests" [ $? -eq 0 ]

# shows WHAT TEXT ARGUMENT... - ken look succeeds, prints the text, and nothing on standard error
shows() {
    what=$1 text=$2
    shift 2
    "$ken" look "$@" >"$out" 2>"$err" </dev/null
    if [ $? -eq 0 ] && [ ! -s "$err" ] && grep -qF -- "$text" "$out"; then echo "ok - $what"; else
        echo "not ok - $what"
        echo "# wanted \"$text\", got: $(cat "$err" "$out")"
        failed=1
    fi
}

# refuses CODE TEXT ARGUMENT... - exits with the code and prints one line that contains the text
refuses() {
    code=$1 text=$2
    shift 2
    "$ken" look "$@" >"$out" 2>"$err" </dev/null
    got=$?
    if [ $got -eq "$code" ] && grep -qF -- "$text" "$err" && [ "$(wc -l <"$err")" -eq 1 ] && [ ! -s "$out" ]; then
        echo "ok - look $* ($code: $text)"
    else
        echo "not ok - look $*"
        echo "# expected $code and \"$text\"; got $got and: $(cat "$err")"
        failed=1
    fi
}

# ---- in the terminal
shows "a tagger: answer" "the/" tag/model.ken "the cat sat"
check "without a choice the last layer's mean" grep -qx "encoder: layer 2, mean of 3 heads" "$out"
check "columns are named upright" [ "$(sed -n 6,8p "$out" | tr '\n' '|')" = "    t c s|    h a a|    e t t|" ]
check "a row for each token" [ "$(grep -cE '^(the|cat|sat) [] .:=+*#%@-]+$' "$out")" -eq 3 ]
check "no colours where nobody sees them" sh -c "! grep -q '$(printf '\033')' '$out'"
shows "one head" "encoder: layer 1, head 2" tag/model.ken "the cat sat" --layer 1 --head 2
shows "every head of a layer" "layer 1, head 3" tag/model.ken "the cat sat" --layer 1
shows "a head in every layer" "layer 2, head 3" tag/model.ken "the cat sat" --head 3
shows "the mean in every layer" "layer 1, mean of 3 heads" tag/model.ken "the cat sat" --mean
shows "rollout" "encoder: rollout up to layer 2" tag/model.ken "the cat sat" --rollout
shows "rollout, not all the way" "rollout up to layer 1" tag/model.ken "the cat" --rollout --layer 1
shows "a classifier, with its probability" "encoder: layer 2" mood/model.ken "good film"
check "and its label" grep -qE '^(pos|neg) \(0\.[0-9]*\)$' "$out"
shows "a generator: from what is written to the input" "cross: layer 2" turn/model.ken "abc"
shows "with a given target" "<end> " turn/model.ken "abc" --target "cb" --which decoder
check "columns begin with begin" grep -qx "      n" "$out"
shows "a language model" "decoder: layer 2" story/model.ken "a b" generate.longest=2
shows "a language model reads without writing" "decoder: layer 2" story/model.ken "a b" --target ""
check "blanks can be seen" grep -q "^    ␣ " "$out"
shows "a language model from nothing" "decoder: layer 2" story/model.ken "" --target "b"
shows "rows of numbers from a file" "encoder: layer 2" rows/model.ken rows.data
check "are numbered" grep -q "^1 " "$out"
check "as many as the first sequence has" sh -c "! grep -q '^2 ' '$out'"
shows "the second sequence" "2 " rows/model.ken rows.data --example 2
shows "dates" "cross: layer 1, mean of 4 heads" dates/model.ken "3 March 2021"
check "letters of the date above" grep -q "3 ␣ M a r c h ␣ 2 0 2 1$" "$out"
printf 'the dog\nthe cat sat\n' >lines
shows "a file" "dog" tag/model.ken --file lines
shows "its second line" "sat" tag/model.ken --file lines --example 2
echo "a dog" | "$ken" look tag/model.ken - >"$out" 2>"$err"
check "standard input" grep -q "^dog " "$out"
"$ken" look tag/model.ken -- "-- the --" >"$out" 2>"$err"
check "a text that looks like a flag" grep -q "^ --\|^-- " "$out"
COLUMNS=9 "$ken" look tag/model.ken "the cat sat" >"$out" 2>"$err"
check "what does not fit is told" grep -qx "left out: columns 3 to 3 of 3, for want of room" "$out"
check "and nothing is wider" [ "$(sed -n '6,11p' "$out" | awk '{ if (length > m) m = length } END { print m }')" -le 9 ]

if script --version >/dev/null 2>&1; then
    terminal() { script -qec "env $1 '$ken' look tag/model.ken 'the cat'" /dev/null </dev/null >"$out"; }
    terminal TERM=xterm-256color
    check "256 colours on a terminal" grep -q "$(printf '\033\\[48;5;')" "$out"
    terminal "COLORTERM=truecolor TERM=xterm"
    check "all colours on one that has them" grep -q "$(printf '\033\\[48;2;')" "$out"
    terminal "NO_COLOR=1 TERM=xterm"
    check "none with NO_COLOR" sh -c "! grep -q '$(printf '\033')' '$out'"
    terminal TERM=dumb
    check "none on a terminal without" sh -c "! grep -q '$(printf '\033')' '$out'"
else
    echo "# skip colours on a terminal: no script(1)"
fi

# ---- relative to uniform attention
shows "relative to uniform attention, and the legend says so" \
    "times uniform attention (1 = uniform), logarithmic scale" tag/model.ken "the cat sat" --relative
shows "as numbers, which are not called weights" '"relative":true' \
    tag/model.ken "the cat" --relative --json --layer 1 --head 1
check "of which each row has the mean 1" sh -c "sed 's/.*\"ratios\"://' '$out' | tr -d '[]}' | awk -F, '
    { exit !(\$1 + \$2 > 1.9998 && \$1 + \$2 < 2.0002 && \$3 + \$4 > 1.9998 && \$3 + \$4 < 2.0002) }'"
check "there are no weights then" sh -c "! grep -q '\"weights\"' '$out'"
shows "what a token may not attend to is null" '"ratios":[[1,null],[' \
    story/model.ken "a" --relative --target "" --json --layer 1 --head 1
shows "and blank in the terminal" "blank: may not attend" story/model.ken "a" --relative --target ""
shows "without it weights" '"relative":false' tag/model.ken "the cat" --json

# ---- legends
shows "the legend names its scale" "] square-root scale" tag/model.ken "the cat sat"
check "and has ticks" sh -c "tail -2 '$out' | head -1 | grep -qE '^ 0 +0\.[0-9.]+ '"

shows "a generator of recurrent blocks looks across" "cross: layer 2, mean of 3 heads" turn-gru/model.ken "abc" --target cb

# ---- as numbers
shows "an object" '"which":"encoder","layers":2,"heads":3,"layer":null,"head":null' tag/model.ken "the cat" --json
check "with its shape" grep -qF '"shape":[2,3,2,2]' "$out"
check "with tokens" grep -qF '"tokens":["the","cat"]' "$out"
check "on one line" [ "$(wc -l <"$out")" -eq 1 ]
shows "of one head" '"layer":2,"head":1,"mean":false,"rollout":false' tag/model.ken "the cat" --json --layer 2 --head 1
check "a matrix" grep -qE '"weights":\[\[[0-9.]+,[0-9.]+\],\[[0-9.]+,[0-9.]+\]\]' "$out"
check "whose rows add up to 1" sh -c "sed 's/.*\"weights\"://' '$out' | tr -d '[]}' | awk -F, '
    { exit !(\$1 + \$2 > 0.9999 && \$1 + \$2 < 1.0001 && \$3 + \$4 > 0.9999 && \$3 + \$4 < 1.0001) }'"
shows "of a generator" '"written":["c","b"]' turn/model.ken "abc" --target cb --json
"$ken" look tag/model.ken "the cat" --npy w.npy >"$out" 2>"$err"
check "an array, and nothing printed" [ $? -eq 0 -a ! -s "$out" ]
check "of the right size" [ "$(wc -c <w.npy)" -eq $((128 + 2 * 3 * 2 * 2 * 4)) ]
check "and shape" grep -qaF "'shape': (2, 3, 2, 2)" w.npy
if python3 -c 'import numpy' 2>/dev/null; then
    check "NumPy reads it" python3 -c "
import numpy; a = numpy.load('w.npy'); assert a.shape == (2, 3, 2, 2) and abs(a.sum(3) - 1).max() < 1e-5"
else
    echo "# skip NumPy: not installed"
fi

# ---- as pictures
"$ken" look tag/model.ken "the <b> & \"sat\"" --svg all.svg --html all.html >"$out" 2>"$err"
check "a picture and a page" [ $? -eq 0 -a ! -s "$out" ]
check "the page has lines, a map, all heads and a theme" sh -c "
    grep -q 'id=\"view-lines\"' all.html && grep -q 'id=\"view-map\"' all.html &&
    grep -q 'id=\"view-all\"' all.html && grep -q 'id=\"theme\"' all.html"
check "the page without its data is small" [ "$(sed '/id="data"/d' all.html | wc -c)" -lt 40000 ]
"$ken" look tag/model.ken "</script><b> sat" --html bold.html >"$out" 2>"$err"
check "a token cannot end the script" sh -c "
    [ \"\$(grep -o '</script>' bold.html | wc -l)\" -eq 2 ] && ! grep -q '<b> ' bold.html"
"$ken" look tag/model.ken "the cat" --relative --mean --layer 1 --svg relative.svg >"$out" 2>"$err"
check "a relative picture says so" grep -q ">times uniform attention (1 = uniform), logarithmic scale<" relative.svg
"$ken" look tag/model.ken "the extraordinarily long word sat" --mean --layer 1 --svg turned.svg >"$out" 2>"$err"
check "names of columns are all turned or none" [ "$(grep -c 'transform="rotate' turned.svg)" -eq 5 ]
check "six maps in the picture" [ "$(grep -o '>layer [12], head [123]<' all.svg | wc -l)" -eq 6 ]
"$ken" look tag/model.ken "the cat" --svg - >"$out" 2>"$err"
check "on standard output" grep -q "^<svg " "$out"
check "nothing in the page comes from elsewhere" sh -c "! grep -qE '(src|href)=|://' all.html"
if python3 -c 'import xml.dom' 2>/dev/null; then
    check "the picture is XML" python3 -c "
from xml.dom import minidom
rects = minidom.parse('all.svg').getElementsByTagName('rect'); assert len(rects) > 6 * 16"
    check "the page is HTML" python3 -c "
from html.parser import HTMLParser
import json
class P(HTMLParser):
    stack, data = [], ''
    def handle_starttag(self, tag, attrs):
        if tag not in ('meta', 'br', 'option', 'p'): self.stack.append(tag)
        self.inside = dict(attrs).get('id')
    def handle_endtag(self, tag):
        if tag not in ('option', 'p'): assert self.stack.pop() == tag, tag
    def handle_data(self, data):
        if self.stack and self.stack[-1] == 'script' and self.inside == 'data': self.data += data
p = P(); p.feed(open('all.html').read()); assert not p.stack
d = json.loads(p.data); assert d['tokens'] == ['the', '<b>', '&', '\"sat\"'] and len(d['parts'][0]['weights']) == 96"
else
    echo "# skip XML and HTML readers of Python: not installed"
fi
shows "positions" "positions, learned" mood/model.ken --positions
check "as many as there are" [ "$(grep -c '^[0-6] [ +-][0-9]' "$out")" -eq 7 ]
shows "positions of a decoder" "positions, sinusoid" turn/model.ken --positions --which decoder --rows 3
shows "positions as numbers" '"shape":[3,12]' tag/model.ken --positions --rows 3 --json
"$ken" look tag/model.ken --positions --svg p.svg --npy p.npy >"$out" 2>"$err"
check "positions as a picture and an array" [ $? -eq 0 -a -s p.svg -a "$(wc -c <p.npy)" -eq $((128 + 64 * 12 * 4)) ]

# ---- what is wrong
refuses 2 'look needs a model' --layer 1
refuses 2 'look needs one input' tag/model.ken
refuses 2 'look needs one input' tag/model.ken x --file lines
refuses 2 'unexpected argument "y"' tag/model.ken x y
refuses 2 'did you mean "--layer"' tag/model.ken x --layre 1
refuses 2 '--layer needs a number from 1, not "0"' tag/model.ken x --layer 0
refuses 2 '--layer 3: this model'\''s encoder attention has layers 1 to 2' tag/model.ken x --layer 3
refuses 2 '--head 4: this model has heads 1 to 3' tag/model.ken x --head 4
refuses 2 '--which must be encoder, decoder or cross, not "both"' tag/model.ken x --which both
refuses 2 'no decoder attention' tag/model.ken x --which decoder
refuses 2 'no cross attention' story/model.ken x --which cross
for kind in fc fc-window conv rnn lstm gru; do
    refuses 2 "no encoder attention to show: its blocks are of kind $kind" "tag-$kind/model.ken" x
done
refuses 2 'of kind gru' tag-gru/model.ken x --json
refuses 2 'of kind gru' tag-gru/model.ken x --rollout
refuses 2 'of kind gru' tag-gru/model.ken x --layer 1 --head 1 --svg no.svg
check "and leaves no picture" [ ! -e no.svg ]
refuses 2 'no decoder attention to show: its blocks are of kind gru' turn-gru/model.ken x --which decoder
refuses 2 'encoder blocks of kind gru have none' turn-gru/model.ken x --rollout
refuses 2 '--rollout covers all heads' tag/model.ken x --rollout --head 1
refuses 2 '--relative is for the weights of layers; leave out --rollout' tag/model.ken x --relative --rollout
refuses 2 '--relative is for the weights of layers; leave out --positions' tag/model.ken --relative --positions
refuses 2 '--mean and --head exclude each other' tag/model.ken x --mean --head 1
refuses 2 '--svg needs a value' tag/model.ken x --svg
refuses 2 'takes no target' tag/model.ken x --target y
refuses 2 'has 2 examples, so there is no example 3' tag/model.ken --file lines --example 3
refuses 2 'unknown format' tag/model.ken --file lines --format xyz
refuses 2 'unknown key' turn/model.ken x generate.width=3
refuses 2 'positions of kind rotary cannot be drawn' story/model.ken --positions
refuses 2 'no decoder with positions' tag/model.ken --positions --which decoder
refuses 2 'cannot draw 8 positions: this model has learned 7 positions' mood/model.ken --positions --rows 8
refuses 2 'have no page' tag/model.ken --positions --html x.html
refuses 3 'input:1: the input is empty' tag/model.ken ""
refuses 3 'input:1: the input is empty' tag/model.ken "   "
refuses 3 'found no example' tag/model.ken -
refuses 3 'gone.txt' tag/model.ken --file gone.txt
refuses 3 'gone.ken' gone.ken x
refuses 3 'gone.tsv' rows/model.ken gone.tsv
refuses 3 'input:1' tag/model.ken "$(printf 'the \377')"
refuses 3 'no/where.svg' tag/model.ken x --svg no/where.svg
refuses 3 'no/where.npy' tag/model.ken x --npy no/where.npy
# ---- sizes: 5000 words have 2 x 3 x 5000 x 5000 weights, 600 MB, which are refused in 400 MB of memory
yes the | head -5000 | tr '\n' ' ' >long
memory=$(ulimit -v)
ulimit -S -v 400000 2>/dev/null
refuses 2 '150000000 attention weights (layers: 2, heads: 3, matrices of 5000 x 5000) are too many, at most 67108864' \
    tag/model.ken --file long --npy long.npy
check "with the flags that make them fewer" grep -qF -- '--layer, --head, --mean' "$err"
refuses 2 '175000000 weights are too many for a page in a browser, at most 4000000' \
    tag/model.ken --file long --html long.html
check "with the flags that make them fewer" grep -qF -- '--layer, --head or --mean with --svg or --npy' "$err"
refuses 2 'at most 16777216 are allowed here' tag/model.ken --file long --json
export COLUMNS=80
shows "one head of many, in little memory" "encoder: layer 1, head 2" \
    tag/model.ken --file long --layer 1 --head 2
refuses 2 'a picture of 25000000 values is too large, at most 4000000' \
    tag/model.ken --file long --layer 1 --head 2 --svg long.svg
ulimit -S -v "$memory" 2>/dev/null
unset COLUMNS
check "too large pictures leave no file" [ -z "$(find . -name 'long.*')" ]
check "what was refused left nothing behind" [ ! -e x.html ]
exit $failed
