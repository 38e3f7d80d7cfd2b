#!/bin/sh
# readme.sh BUILD - runs the first commands of README.md as they are written there, in a folder that has
# what a fresh clone has, and compares what they print with what README.md shows.
set -u
. "$(dirname "$0")/tap.inc"
build=$(cd "${1:-build}" && pwd)
unset KEN_DATA KEN_THREADS

# The first block of README.md: a line with "$ " is a command, the lines after it are its output.
awk '/^```/ { if (inside) exit; inside = 1; next } inside' README.md >"$scratch/block"
check "README.md opens with make" [ "$(head -n 1 "$scratch/block")" = '$ make' ]
check "and shows several commands" [ "$(grep -c '^\$ build/ken ' "$scratch/block")" -ge 3 ]

# `make` itself was run for this test: what counts is that its target builds the programs shown.
make -nB BUILD="$build" build-all >"$scratch/plan" 2>/dev/null
for program in $(grep -o 'build/[a-z0-9_/]*' README.md | sort -u); do
    case $program in build/examples) continue ;; build/libken) program=build/libken.a ;; esac
    check "make builds $program" grep -qF -- "${program#build}" "$scratch/plan"
done

# A folder with what a clone has, without data and runs
mkdir "$scratch/clone"
cp -R recipes tools include docs README.md "$scratch/clone"
ln -s "$build" "$scratch/clone/build"
cd "$scratch/clone" || exit 1
sed -n 's/^\$ //p' ../block | sed 1d >../commands
count=0
while IFS= read -r command; do
    sh -c "$command" >"$out" 2>"$err" </dev/null
    check "\"$command\" succeeds" [ $? -eq 0 ]
    check "without a complaint" [ ! -s "$err" ]
    count=$((count + 1))
    awk -v nth=$((count + 1)) '/^\$ / { n++; next } n == nth' ../block >../shown
    check "and prints what README.md shows" cmp -s ../shown "$out"
done <../commands
check "the page of the last command is there" grep -q '<html' runs/saw.html

# The accuracies in the text, one digit after the point, within a point: instruction sets round differently
shown=$(tr '\n' ' ' <README.md | sed -n 's/.*new sentences: \([0-9.]*\) % of the tags are right, and \([0-9.]*\) %.*/\1 \2/p')
measured=
for run in first alone; do
    build/ken eval runs/$run/model.ken 1000 --json >"$out" 2>"$err"
    measured="$measured $(value accuracy)"
done
check "README.md gives the accuracies ($shown;$measured)" sh -c "echo $shown $measured | awk '
    function far(a, b) { return a - b > 1 || b - a > 1 }
    { exit NF != 4 || far(\$1, 100 * \$3) || far(\$2, 100 * \$4) }'"

# The first program: the same words as shown; numbers may differ in their last digits
awk '/^\$ build\/examples\/02_tagger$/ { inside = 1; next } inside && /^```/ { exit } inside' README.md >../shown
build/examples/02_tagger >"$out"
check "02_tagger is shown" [ -s ../shown ]
for file in ../shown "$out"; do sed 's/[0-9][0-9.]*/N/g' "$file" >"$file.words"; done
check "and prints what README.md shows" cmp -s ../shown.words "$out.words"

# The program of docs/START.md
awk '/^```c$/ { inside = 1; next } inside && /^```/ { exit } inside' docs/START.md >../answer.c
check "docs/START.md has a program" grep -q 'int main' ../answer.c
check "which compiles" "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -fsyntax-only -Iinclude ../answer.c
exit $failed
