#!/bin/sh
# vectors.sh - rows of numbers to a generated sequence: from made data, from lines of text, and from
# NumPy files with a line of text for each sequence.
set -u
. "$(dirname "$0")/tap.inc"
runs=$scratch/runs

"$ken" train recipes/waves.recipe data.train=3000 data.dev=200 -o "$runs/waves" --quiet \
    >"$out" 2>"$err"
check "waves: training succeeds" [ $? -eq 0 ]
"$ken" eval "$runs/waves/model.ken" 400 --json >"$out" 2>"$err"
check "waves: exact $(value exact) is 0.5 or more" at_least "$(value exact)" 0.5

# a row is one of four corners; the text names them in their order, repeats once
awk 'BEGIN { srand(7); split("north east south west", name); for (s = 0; s < 900; s++) {
    n = 1 + int(4 * rand()); text = ""; rows = ""; last = 0
    for (t = 0; t < n; t++) {
        do k = 1 + int(4 * rand()); while (k == last)
        last = k; text = text (t ? " " : "") name[k]
        for (r = int(2 * rand()); r >= 0; r--)
            rows = rows sprintf("s%d\t%.2f\t%.2f\tTEXT\n", s,
                (k == 2) - (k == 4) + 0.2 * rand(), (k == 1) - (k == 3) + 0.2 * rand())
    }
    gsub("TEXT", text, rows); printf "%s", rows } }' >"$scratch/all.tsv"
awk -F'\t' -v dir="$scratch" '{ s = substr($1, 2) + 0; print > (dir (s < 800 ? "/train" : "/test") ".tsv") }' \
    "$scratch/all.tsv"
cat >"$scratch/v.recipe" <<R
[data]
format = vectors
train = $scratch/train.tsv
sequence = 1
target = 4
[output]
kind = generate
unit = words
least = 1
[model]
encoder_blocks = 1
decoder_blocks = 1
width = 32
hidden = 64
position = relative
longest = 8
dropout = 0
attention_dropout = 0
[train]
epochs = 40
batch = 256
rate = 0.005
warm_up = 20
[generate]
longest = 6
R
"$ken" check "$scratch/v.recipe" >"$out" 2>"$err"
check "check: rows of numbers and words" grep -q "^input  rows of 2 numbers" "$out"
"$ken" train "$scratch/v.recipe" -o "$runs/v" --quiet >"$out" 2>"$err"
check "vectors: training succeeds" [ $? -eq 0 ]
"$ken" eval "$runs/v/model.ken" "$scratch/test.tsv" --json >"$out" 2>"$err"
check "vectors: exact $(value exact) is 0.8 or more" at_least "$(value exact)" 0.8
printf 'a\t0.1\t1.1\na\t0.1\t-0.9\nb\t1.1\t0.1\n' | "$ken" run "$runs/v/model.ken" >"$out" 2>"$err"
check "vectors: run answers a file without texts" [ "$(cat "$out")" = "north south
east" ]

# one file of numbers, little-endian floats of shape (3, 2, 2), and one of lines
header="{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 2), }"
{
    # the length of the header is 62 + 1 = 63 bytes, 0x3f 0x00
    printf '\223NUMPY\001\000\077\000%-62s\n' "$header"
    printf '\000\000\000\000\000\000\200\077\000\000\000\000\000\000\200\077' # north north
    printf '\000\000\200\077\000\000\000\000\000\000\200\077\000\000\000\000' # east east
    printf '\000\000\000\000\000\000\200\277\000\000\000\000\000\000\200\277' # south south
} >"$scratch/x.npy"
printf 'north\neast\nsouth\n' >"$scratch/x.txt"
sed "s|^format = .*|format = npy|; s|^train = .*|train = $scratch/x.npy $scratch/x.txt|; /^sequence/d; /^target/d" \
    "$scratch/v.recipe" >"$scratch/n.recipe"
"$ken" train "$scratch/n.recipe" train.epochs=150 -o "$runs/n" --quiet >"$out" 2>"$err"
check "npy: training succeeds" [ $? -eq 0 ]
"$ken" run "$runs/n/model.ken" "$scratch/x.npy" >"$out" 2>"$err"
check "npy: run reads the numbers alone" cmp -s "$out" "$scratch/x.txt"
printf 'north\neast\n' >"$scratch/short.txt"
"$ken" eval "$runs/n/model.ken" "$scratch/x.npy" "$scratch/short.txt" >"$out" 2>"$err"
check "npy: a text file that is too short is refused" grep -q "short.txt has 2 lines, .*x.npy has 3 sequences" "$err"
exit $failed
