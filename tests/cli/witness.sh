#!/bin/sh
# witness.sh - model files that older versions wrote, with the answers that they gave then (made with
# the generic kernels): today's library reads them and answers the same, bit for bit.
set -u
. "$(dirname "$0")/tap.inc"
ken=$(realpath "$ken")
export KEN_ISA=generic
bits=yes # other processors fuse products and sums in the generic kernels too
[ "$(uname -m)" = x86_64 ] || bits=no
# answers MODEL INPUT - prints the answers without the distribution, which version 0.1 did not print
answers() {
    "$ken" run "$1" "$2" --json --best 3 >"$out.all" 2>"$err"
    code=$?
    sed 's/,"probabilities":\[.*\]}$/}/' "$out.all"
    return $code
}
# same WHAT FILE1 FILE2
same() {
    if [ $bits = no ]; then
        sed 's/,"scores".*//' "$2" >"$2.words"
        sed 's/,"scores".*//' "$3" | cmp -s "$2.words" -
    else cmp -s "$2" "$3"; fi
    check "$1" [ $? -eq 0 ]
}
for version in tests/witness/*/; do
    version=${version%/}
    name=$(basename "$version")
    for model in "$version"/*.ken; do
        it=${model%.ken} kind=$(basename "$model")
        answers "$model" "$it.in" >"$out"
        check "$name/$kind is read" [ $? -eq 0 ]
        same "$name/$kind answers as it did" "$out" "$it.out"
        (cd "$version" && "$ken" info "$kind" --json) >"$out" 2>"$err"
        check "$name/$kind: info says what it did" cmp -s "$out" "$it.info"
    done
    # a run that was stopped at step 21 goes on, to the model that was never stopped
    cp -r "$version/stopped" "$scratch/$name"
    (cd "$scratch/$name" && "$ken" info last.ckpt --json) >"$out" 2>"$err"
    check "$name: info of a checkpoint" cmp -s "$out" "$version/stopped.info"
    (cd "$scratch/$name" && "$ken" train --resume . --quiet) >/dev/null 2>"$err"
    check "$name: a run is resumed" [ $? -eq 0 ]
    answers "$scratch/$name/model.ken" "$version/vectors.in" >"$out"
    same "$name: and ends with the model that was never stopped" "$out" "$version/vectors.out"
done
exit $failed
