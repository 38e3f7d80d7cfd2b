#!/bin/sh
# bench.sh - ken bench finds its cases by name, and its JSON has every key.
set -u
. "$(dirname "$0")/tap.inc"
unset KEN_PEER_PYTHON KEN_THREADS

"$ken" bench --list >"$out" 2>"$err"
check "--list succeeds" [ $? -eq 0 ]
check "--list names the cases" grep -q '^    matmul/nt/2048x768x3072$' "$out"
check "--list says nothing else" [ ! -s "$err" ]

"$ken" bench matmull >"$out" 2>"$err"
check "an unknown name is a usage error" [ $? -eq 2 ]
check "the nearest name is suggested" grep -q 'did you mean "matmul"' "$err"
check "standard output stays empty" [ ! -s "$out" ]
"$ken" bench --quik >/dev/null 2>"$err"
check "an unknown flag is a usage error" [ $? -eq 2 ]
check "the nearest flag is suggested" grep -q 'did you mean "--quick"' "$err"
"$ken" bench matmul/n >/dev/null 2>&1
check "part of a word is no name" [ $? -eq 2 ]

number='-?[0-9][0-9.e+-]*'
maybe="(null|$number)"
object="^\{\"case\":\"[^\"]+\",\"ken\":$number,\"unit\":\"[^\"]+\",\"peer\":(null|\"[^\"]+\"),"
object="$object\"peer_value\":$maybe,\"ratio\":$maybe,\"peak_share\":$maybe\}$"

"$ken" bench peak --quick --json --quiet >"$out" 2>"$err"
check "peak succeeds" [ $? -eq 0 ]
check "peak gives two lines" [ "$(wc -l <"$out")" -eq 2 ]
check "each line has every key" [ "$(grep -cE "$object" "$out")" -eq 2 ]
check "--quiet leaves standard error empty" [ ! -s "$err" ]

# Installed peers must agree with ken's result; otherwise standard error names them. The leak checker
# of a sanitizer build crashes on the thread pools of the peers, so it is switched off here.
ASAN_OPTIONS=detect_leaks=0 "$ken" bench matmul/packed/16x256x1024 --quick --json --threads 2 >"$out" 2>"$err"
check "one case runs by its name" [ $? -eq 0 ]
check "its lines have every key" [ "$(grep -cE "$object" "$out")" -eq "$(wc -l <"$out")" ]
check "no peer's result differs" sh -c "! grep -q differs '$err'"

# Figures for single sequences: by one thread and by all, and after more and more ids.
"$ken" bench parallel/lstm-1/64 parallel/lstm-n/64 decode/linear --quick --quiet --threads 2 --svg "$scratch" \
    >"$out" 2>"$err"
check "parallel and decode run" [ $? -eq 0 ]
check "the state of linear attention does not grow" grep -q '^decode/linear: memory grows as size^0.00' "$out"
check "and is drawn" grep -q '>ids that were read before<' "$scratch/decode-memory.svg"
check "by both teams" [ "$(grep -c '^parallel/lstm-[1n]/64 ' "$out")" -eq 2 ]

# Answers beside ONNX Runtime: without a Python that has it, ken is measured alone and says why.
"$ken" bench answer/1-thread/1x1 answer/2-threads/1x1 --quick >"$out" 2>"$err"
check "answer runs without its peer" [ $? -eq 0 ]
check "and says that the peer is missing" grep -q '^ONNX Runtime left out: KEN_PEER_PYTHON is not set$' "$out"
check "it has figures of one thread and of two" [ "$(grep -cE '^answer/(1-thread|2-threads)/1x1 +[0-9.]+ runs/s +[0-9]+ %$' "$out")" -eq 2 ]
KEN_PEER_PYTHON=false "$ken" bench answer/1-thread/1x1 --quick --json >"$out" 2>"$err"
check "a python without torch is no failure" [ $? -eq 0 ]
check "its line has every key, and no peer" sh -c "grep -qE '$object' '$out' && grep -q '\"peer\":null' '$out'"
check "it is named" grep -q '^ONNX Runtime left out: false has no working torch$' "$err"

"$ken" bench --list >/dev/full 2>"$err"
check "a full disk is not a success" [ $? -eq 5 ]
{ "$ken" bench peak/fma --quick --quiet 2>"$err"; echo $? >"$scratch/code"; } | true
check "a reader that went away is a failure" [ "$(cat "$scratch/code")" -eq 1 ]
check "but nothing to complain about" [ ! -s "$err" ]
exit $failed
