#!/bin/sh
# reading.sh - files as other programs write them: separators, decimal commas, byte order marks, UTF-16,
# paths with spaces, number series in csv, missing values, half-precision NumPy files.
set -u
. "$(dirname "$0")/tap.inc"
unset KEN_DATA
cd "$scratch" || exit 1
case $ken in /*) ;; *) ken=$OLDPWD/$ken ;; esac

# refuses WHAT TEXT ARGUMENT... - ken fails and its message contains the text
refuses() {
    what=$1 text=$2
    shift 2
    "$ken" "$@" >"$out" 2>"$err" </dev/null
    if [ $? -ne 0 ] && grep -qF -- "$text" "$err"; then echo "ok - $what"; else
        echo "not ok - $what"
        echo "# expected \"$text\", got: $(cat "$out" "$err" | head -3)"
        failed=1
    fi
}
# works WHAT ARGUMENT... - ken succeeds
works() {
    what=$1
    shift
    "$ken" "$@" >"$out" 2>"$err" </dev/null
    if [ $? -eq 0 ]; then echo "ok - $what"; else
        echo "not ok - $what"
        echo "# $(cat "$err")"
        failed=1
    fi
}
# says WHAT TEXT - the last output contains the text
says() { check "$1" grep -qF -- "$2" "$out"; }

# tiny FORMAT TRAIN KIND - prints a recipe of a model that is trained for two steps
tiny() {
    printf '[data]\nformat = %s\ntrain = %s\n[output]\nkind = %s\n' "$1" "$2" "$3"
    printf '[model]\nwidth = 8\nhidden = 8\nheads = 2\nencoder_blocks = 1\ndecoder_blocks = 1\n'
    printf '[train]\nsteps = 2\n'
}

# ---- paths with spaces
printf 'a b\nc d\n' >'my text.en'
printf 'x y\nz w\n' >'my text.de'
tiny parallel '"my text.en" "my text.de"' generate >pair.recipe
works "two paths in quotes" train pair.recipe -o pair --quiet
works "two paths in quotes on the command line" check pair.recipe 'data.train="./my text.en" "./my text.de"'
works "eval takes the paths as they are" eval pair/model.ken 'my text.en' 'my text.de'
works "the last path needs no quotes" check pair.recipe 'data.train="my text.en" my text.de'
refuses "without quotes the message says what is missing" 'a path with spaces must be in double quotes' \
    check pair.recipe 'data.train=my text.en my text.de'
refuses "a quote that is not closed" 'a quote is opened and not closed' check pair.recipe 'data.train="my text.en my text.de'
refuses "text after the last path" 'found "more" after the path' \
    check pair.recipe 'data.train="my text.en" "my text.de" more'
FOLDER=$scratch works "a variable within quotes" check pair.recipe 'data.train="$FOLDER/my text.en" "my text.de"'
printf 'good film\tpos\ta\nbad film\tneg\ta\ngood\tpos\tb\n' >'my parts.tsv'
tiny tsv '"my parts.tsv" @a' whole >parts.recipe
works "a part after a path in quotes" check parts.recipe data.split=3
says "a part after a path in quotes is the part" 'train  2 examples'
refuses "a part needs data.split" 'a part (@) needs data.split' check parts.recipe

# ---- byte order marks and UTF-16
{ printf '\357\273\277'; cat parts.recipe; } >mark.recipe
works "a recipe with a byte order mark" check mark.recipe data.split=3
iconv -f UTF-8 -t UTF-16 parts.recipe >wide.recipe
refuses "a recipe in UTF-16" 'wide.recipe is UTF-16, but a recipe is UTF-8; convert it with: iconv -f UTF-16' \
    check wide.recipe
iconv -f UTF-8 -t UTF-16LE 'my parts.tsv' >wide.tsv
refuses "data in UTF-16 without a mark" 'wide.tsv is UTF-16, but ken reads UTF-8; convert it with: iconv' \
    check parts.recipe data.train=wide.tsv

# ---- sequences whose rows are not together
printf 'a\t1\tx\nb\t2\ty\na\t3\tx\n' >apart.tsv
tiny vectors apart.tsv whole >apart.recipe
refuses "a sequence that returns" 'apart.tsv:3: sequence "a" began in line 1 and returns after sequence "b"' \
    check apart.recipe data.sequence=1
refuses "a sequence that returns stops training" 'apart.tsv:3: sequence "a" began in line 1' \
    train apart.recipe data.sequence=1 -o apart

# ---- separators, as spreadsheets write them: a byte order mark, semicolons, carriage returns
# csv SEPARATOR - prints a csv file of texts and labels
csv() {
    printf '\357\273\277text%slabel\r\n' "$1"
    for i in 1 2 3 4; do printf '"good, film; %s"%spos\r\nbad film %s%sneg\r\n' $i "$1" $i "$1"; done
}
csv ';' >semicolon.csv
csv , >comma.csv
csv "$(printf '\t')" >tab.csv
tiny csv semicolon.csv whole | sed '/^train =/a header = yes\ninput = text\ntarget = label' >csv.recipe
for separator in semicolon comma tab; do
    works "csv with $separator: check" check csv.recipe data.train=$separator.csv
    says "csv with $separator: all rows are read" 'train  8 examples'
    works "csv with $separator: train" train csv.recipe data.train=$separator.csv -o $separator --quiet
    works "csv with $separator: eval" eval $separator/model.ken $separator.csv
    works "csv with $separator: run" run $separator/model.ken $separator.csv
    check "csv with $separator: run answers each row" [ "$(wc -l <"$out")" -eq 8 ]
    cp "$out" $separator.answers
done
check "the separator changes no answer" cmp -s semicolon.answers comma.answers
works "the model remembers the separator" info semicolon/model.ken --json
refuses "a file with another separator than in training is refused" \
    'comma.csv: found one column with data.separator=semicolon, but 2 with data.separator=comma' \
    run semicolon/model.ken comma.csv
works "run --separator reads it" run semicolon/model.ken comma.csv --separator comma
check "run --separator gives the same answers" cmp -s "$out" semicolon.answers
works "eval --separator auto reads it" eval semicolon/model.ken comma.csv --separator auto
"$ken" run semicolon/model.ken <semicolon.csv >"$out" 2>"$err"
check "a table on standard input is recognised by the separator of training" cmp -s "$out" semicolon.answers
"$ken" run semicolon/model.ken <comma.csv >"$out" 2>"$err"
check "a table on standard input with another separator is refused" grep -q "found one column with data.separator=semicolon" "$err"
printf 'a;b,c;d\n' >unclear.csv
refuses "a separator that is not clear" 'unclear.csv: the separator may be a comma (2 columns) or a semicolon (3 columns)' \
    check csv.recipe data.header=no data.input= data.target= data.train=unclear.csv
works "the key decides" check csv.recipe data.train=comma.csv data.separator=comma
refuses "the wrong key is refused" 'found one column with data.separator=tab' check csv.recipe data.separator=tab

# ---- a number series in csv, with dates, decimal commas and missing values
# series ROWS SEPARATOR MARK - a wave; its next value follows from the last two
series() {
    awk -v n="$1" -v s="$2" -v m="$3" 'BEGIN { print "date" s "temp" s "load"; for (i = 0; i < n; i++) {
        a = sprintf("%.4f", 10 + 3 * sin(i / 2)); b = sprintf("%.4f", 5 + 2 * sin(i / 2 + 1))
        sub(/\./, m, a); sub(/\./, m, b)
        if (i % 17 == 5) a = "NA"; if (i % 23 == 7) a = ""
        printf "2020-01-%02d %02d:00%s%s%s%s\n", 1 + int(i / 24), i % 24, s, a, s, b } }'
}
series 600 ';' , >series.csv
series 600 , . >point.csv
cat >series.recipe <<'R'
[data]
format = vectors
train = series.csv @0-80
dev = series.csv @80-100
header = yes
input = temp load
target = load
window = 12
split = percent
[output]
kind = whole
value = number
[model]
width = 16
hidden = 32
heads = 2
encoder_blocks = 1
position = learned
longest = 12
dropout = 0
attention_dropout = 0
pooling = last
[train]
epochs = 20
batch = 512
rate = 0.003
warm_up = 20
R
works "a number series: check" check series.recipe
says "a number series: missing values are counted in the file" 'train  missing: temp 48 of 480 rows'
says "a number series: windows" 'train  468 examples, 5616 rows'
says "a number series: no window of dev is in train" 'dev    108 examples, 1296 rows (shortest 12, median 12, longest 12), 0 duplicates, 0 also in train'
says "a number series: a flag for the column with missing values" 'input  rows of 2 numbers, of which 1 may be missing'
works "a number series: check --json" check series.recipe --json
says "a number series: missing values in JSON" '"missing":{"temp":48},"unknown_targets":0'
works "a number series: train" train series.recipe -o series --quiet
works "a number series: eval of another file" eval series/model.ken series.csv --json
check "a number series: rmse $(value rmse) of the next value is 0.3 or less (its deviation is 1.4)" \
    at_most "$(value rmse)" 0.3
works "a number series: run" run series/model.ken series.csv
check "a number series: run answers each window, also the one after which the file ends" [ "$(wc -l <"$out")" -eq 589 ]
cp "$out" series.answers
refuses "decimal points in a file for a model that was trained on commas" \
    'point.csv:2: "10.0000" has a decimal point, but data.decimal is comma' run series/model.ken point.csv --separator comma
works "run --decimal reads them" run series/model.ken point.csv --separator comma --decimal point
check "the decimal mark changes no answer" cmp -s "$out" series.answers
tail -n 12 series.csv | { head -n 1 series.csv; cat; } | "$ken" run series/model.ken >"$out" 2>"$err"
check "a number series: the last rows on standard input give one answer" [ "$(wc -l <"$out")" -eq 1 ]
check "a number series: it is the last answer of the file" [ "$(cat "$out")" = "$(tail -n 1 series.answers)" ]
works "a number series: resuming a finished run" train --resume series --quiet
refuses "windows need output whole" 'data.window=12: is for output.kind=whole' check series.recipe output.kind=each data.window=12
refuses "windows need rows of numbers" 'is for data.format=vectors or npy' check csv.recipe data.window=2
refuses "windows have no other split" 'with data.window only percent is possible' check series.recipe data.split=1
refuses "a part that is no range of percent" 'part "a": expected percents such as 0-80' \
    check series.recipe 'data.dev=series.csv @a'
sed 's/^\(.*;\)\(.*\)$/\1x\2/; 1s/xload/load/' series.csv >broken.csv
refuses "a series with a bad row gets an error instead of answers" 'column load: "x6,6829" is not a number' \
    run series/model.ken broken.csv
sed 's/10,0000/1.010,0000/' series.csv >thousands.csv
refuses "marks between thousands" \
    'thousands.csv:2: column temp: "1.010,0000" has marks between thousands: it could be 1.01 (decimal point) or 1010 (decimal comma)' \
    check series.recipe data.train=thousands.csv data.dev=
sed 's/10,0000/inf/' series.csv >infinite.csv
refuses "infinity" 'infinite.csv:2: column temp: "inf" is not a number' check series.recipe data.train=infinite.csv data.dev=

# ---- half-precision NumPy files: (3, 2, 1) of 1, 2, 1.5, NaN, 0.5, 4 and labels 0 1 0
npy() { printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"; }
{ npy '<f2' '3, 2, 1' && printf '\000\074\000\100\000\076\000\176\000\070\000\104'; } >half.npy
{ npy '|b1' '3,' && printf '\000\001\000'; } >labels.npy
tiny npy 'half.npy labels.npy' whole >npy.recipe
works "npy: f2 with NaN, labels of type bool" check npy.recipe
says "npy: NaN is missing" 'train  missing: 1 1 of 6 rows'
works "npy: f2: train" train npy.recipe -o npy --quiet
works "npy: f2: run" run npy/model.ken half.npy
exit $failed
