#!/bin/sh
# bad_input.sh - mistakes of users: each gives one line that says where and what is wrong, and the
# documented exit code; no files are left over.
set -u
. "$(dirname "$0")/tap.inc"
unset KEN_DATA
cd "$scratch" || exit 1
case $ken in /*) ;; *) ken=$OLDPWD/$ken ;; esac

# A tagger, a classifier and a generator, each trained for a few steps on a few lines.
printf 'the cat sat\tD N V\na dog ran\tD N V\nthe dog sat\tD N V\n' >each.tsv
printf 'good film\tpos\nbad film\tneg\ngood good\tpos\nbad bad\tneg\n' >whole.tsv
cat >each.recipe <<'R'
[data]
format = tsv
train = each.tsv
[output]
kind = each
[model]
width = 8
hidden = 8
heads = 2
encoder_blocks = 1
[train]
steps = 2
R
sed 's/each/whole/' each.recipe >whole.recipe
"$ken" train each.recipe -o each --quiet >/dev/null || echo "not ok - a tagger for the tests"
"$ken" train whole.recipe -o whole --quiet >/dev/null || echo "not ok - a classifier for the tests"

# refuses CODE TEXT ARGUMENT... - ken exits with the code, prints no result, and prints one line (some
# commands add a hint) that contains the text
refuses() {
    code=$1 text=$2
    shift 2
    "$ken" "$@" >"$out" 2>"$err" </dev/null
    got=$?
    if [ $got -eq "$code" ] && grep -qF -- "$text" "$err" && [ "$(wc -l <"$err")" -le 2 ]; then
        echo "ok - ken $* ($code: $text)"
    else
        echo "not ok - ken $*"
        echo "# expected $code and \"$text\"; got $got and: $(cat "$err")"
        failed=1
    fi
}

# recipe TEXT - writes bad.recipe: these lines added to a recipe that works
recipe() {
    printf '%b' "$1" >bad.recipe
}

# ---- standard input that cannot be read
"$ken" run whole/model.ken >"$out" 2>"$err" <.
check "a folder as standard input" [ $? -eq 3 ]
check "is told" grep -q "cannot read standard input: Is a directory" "$err"

# ---- command line
refuses 2 'train needs a recipe' train
refuses 2 'needs -o FOLDER' train each.recipe
refuses 2 'did you mean "--resume"' train each.recipe --resum each
refuses 2 'unexpected argument "each.recipe"; usage: ken train RECIPE' train each.recipe each.recipe -o x
refuses 2 'nothing else' train --resume each -o x
refuses 2 'run needs a model' run
refuses 2 'eval needs a model and data' eval each/model.ken
refuses 2 'at most two files' eval each/model.ken a b c
refuses 2 '--best needs a number' run each/model.ken --best many
refuses 2 'info needs one file' info

# ---- recipe
refuses 3 'missing.recipe' train missing.recipe -o x
refuses 3 'is a directory' train . -o x
recipe '[data]\nformat = tvs\n'
refuses 3 'bad.recipe:2: data.format is "tvs"' train bad.recipe -o x
refuses 3 'did you mean "tsv"' train bad.recipe -o x
recipe '[dta]\n'
refuses 3 'bad.recipe:1: unknown section "dta"; did you mean "data"' train bad.recipe -o x
recipe '[data]\ntrian = x\n'
refuses 3 'bad.recipe:2: unknown key "trian" in section data; did you mean "train"' train bad.recipe -o x
recipe 'train = x\n'
refuses 3 'bad.recipe:1: a [section] must come' train bad.recipe -o x
recipe '[data]\ntrain\n'
refuses 3 'bad.recipe:2: expected key = value' train bad.recipe -o x
recipe '[data\n'
refuses 3 'bad.recipe:1: expected [section]' train bad.recipe -o x
recipe '[data]\ntrain = a\ntrain = b\n'
refuses 3 'bad.recipe:3: data.train is already set in line 2' train bad.recipe -o x
recipe '[data]\ntrain = \377\n'
refuses 3 'bad.recipe:1: not UTF-8' train bad.recipe -o x
recipe '[data]\ntrain = a\0b\n'
refuses 3 'bad.recipe:1: not a text' train bad.recipe -o x
# choices that do not go together are refused before any data is read; the data does not even exist
recipe '[data]\ntrain = nowhere\n[output]\nkind = each\n[model]\nposition = rotary\nscore = additive\n'
refuses 3 'bad.recipe:7: model.score: rotary positions need the dot score' train bad.recipe -o x
refuses 3 'bad.recipe:7: model.score: rotary positions need the dot score' check bad.recipe
recipe '[data]\ntrain = nowhere\n[output]\nkind = each\n[model]\nweigh = linear\nposition = shaw\n'
refuses 3 'bad.recipe:7: model.position: position shaw needs scores' check bad.recipe
refuses 2 'model.window_left=4: weigh linear and performer sum over all rows' \
    train bad.recipe model.position=none model.window_left=4 -o x
refuses 2 'model.heads=3: width must be a multiple of heads' train each.recipe model.heads=3 -o x
refuses 2 'model.width is "0"' train each.recipe model.width=0 -o x
refuses 2 'model.width is "-8"' train each.recipe model.width=-8 -o x
refuses 2 'train.rate is "fast"' train each.recipe train.rate=fast -o x
refuses 2 'train.rate is "nan"' train each.recipe train.rate=nan -o x
refuses 2 'model.dropout is "1"' train each.recipe model.dropout=1 -o x
refuses 2 'expected yes or no' train each.recipe model.tied=maybe -o x
refuses 2 'did you mean "width"' train each.recipe model.widht=8 -o x
refuses 2 'expected section.key=value' train each.recipe width=8 -o x
refuses 2 'this format is for output.kind=each' train whole.recipe data.format=conllu -o x
refuses 2 'letters need input.unit=words' train each.recipe input.unit=bytes input.letters=yes -o x
refuses 2 'begins a comment' train each.recipe 'data.train=my #1.tsv' -o x
refuses 2 'not UTF-8' train each.recipe "data.train=$(printf 'm\351l.tsv')" -o x
refuses 2 'one line' train each.recipe "data.train=$(printf 'a\nb.tsv')" -o x
refuses 2 'no training data' train each.recipe 'data.target= ' 'data.train= ' -o x
refuses 2 'sets of labels are for output.kind=whole' train each.recipe output.value=set -o x
refuses 2 'train.metric=bleu: the metrics of this kind of output are loss accuracy macro_f1' train each.recipe train.metric=bleu -o x
refuses 2 'train.choose=rmse: the metrics of this kind of output are loss macro_f1' train whole.recipe output.value=set train.choose=rmse -o x
refuses 2 'needs a generator' train each.recipe output.shared=yes -o x
refuses 2 'either beam search or sampling' train each.recipe generate.beam=4 generate.temperature=1 -o x
refuses 2 'heads' train each.recipe model.heads=3 -o x

# ---- data
refuses 3 'nowhere.tsv' train each.recipe data.train=nowhere.tsv -o x
refuses 2 'KEN_NOWHERE is not set' train each.recipe 'data.train=$KEN_NOWHERE/x' -o x
refuses 3 'cannot open data/x: No such file or directory' train each.recipe 'data.train=$KEN_DATA/x' -o x
refuses 3 'No such file or directory; ask Ida for it' \
    train each.recipe 'data.train=$KEN_DATA/x' 'data.source=ask Ida for it' -o x
refuses 3 'is a directory' train each.recipe data.train=. -o x
: >empty.tsv
refuses 3 'empty.tsv' train each.recipe data.train=empty.tsv -o x
printf 'the cat\tD N\nthe dog\n' >short.tsv
refuses 3 'short.tsv:2' train each.recipe data.train=short.tsv -o x
printf 'the cat\tD N\nthe dog sat\tD N\n' >uneven.tsv
refuses 3 'uneven.tsv:2: found 2 targets for 3 rows' train each.recipe data.train=uneven.tsv -o x
printf 'the cat\tD N\nthe \377\tD N\n' >broken.tsv
refuses 3 'broken.tsv:2' train each.recipe data.train=broken.tsv -o x
printf 'the cat\tD X\n' >label.tsv
refuses 3 'label.tsv:1: label "X" does not occur' eval each/model.ken label.tsv
refuses 3 'label.tsv:1: label "X" does not occur' train each.recipe data.dev=label.tsv -o x
printf 'good\tpos\nfine\tpos\n' >one.tsv
refuses 3 'same label "pos"' train whole.recipe data.train=one.tsv -o x
refuses 3 'column' train each.recipe data.target=7 -o x
printf '1\tthe\tD\n' >bad.conllu
refuses 3 'bad.conllu:1' train each.recipe data.format=conllu data.train=bad.conllu -o x
refuses 2 'takes two files' train each.recipe data.format=parallel output.kind=generate data.train=each.tsv -o x
printf 'one\n' >a.txt
printf 'one\ntwo\n' >b.txt
refuses 3 'b.txt has 2' train each.recipe data.format=parallel output.kind=generate 'data.train=a.txt b.txt' -o x
printf 'no label\n' >bad.fasttext
refuses 3 'bad.fasttext:1' train whole.recipe data.format=fasttext data.train=bad.fasttext -o x
printf '1\t2\tx\n1\ttwo\ty\n' >bad.vectors
refuses 3 'bad.vectors:2' train whole.recipe data.format=vectors data.train=bad.vectors -o x
refuses 3 'short.tsv:2' check each.recipe data.train=short.tsv
refuses 2 'number of examples' train whole.recipe data.format=signals data.train=many -o x

# ---- model files
refuses 3 'none.ken' run none.ken
refuses 3 'is a directory' info .
: >empty.ken
refuses 3 'empty.ken' info empty.ken
head -c 1000 each/model.ken >cut.ken
refuses 3 'cut.ken' run cut.ken
printf '\200\002}q\001.' >pickle.ken
refuses 3 'pickle' run pickle.ken
sed 's/"ken.format":"1"/"ken.format":"7"/' each/model.ken >newer.ken
refuses 3 'newer' run newer.ken
refuses 3 'has no recipe' run each/last.ckpt
refuses 2 'unknown key "width" in section generate' run each/model.ken generate.beam=3 x.tsv generate.width=3
refuses 2 'reads text' run each/model.ken --format npy each.tsv
refuses 2 'unknown format' run each/model.ken --format xyz each.tsv
refuses 3 'gone.txt' run each/model.ken gone.txt

# ---- runs
refuses 1 'not empty: resume the run in it, or choose another folder' train each.recipe -o each
refuses 2 'each.recipe exists and is not a directory' train each.recipe -o each.recipe
refuses 3 'nothing' train --resume nothing
check "no run was begun by what was refused" [ ! -e x/last.ckpt ]
exit $failed
