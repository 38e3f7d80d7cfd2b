#!/bin/sh
# examples.sh BUILD - checks that the programs of examples/ do what their first lines promise.
set -u
. "$(dirname "$0")/tap.inc"
examples=${1:-build}/examples
unset KEN_THREADS

# run NAME ... - the example succeeds and prints nothing on standard error
run() {
    name=$1
    shift
    "$examples/$name" "$@" >"$out" 2>"$err"
    check "$name succeeds" [ $? -eq 0 ]
    check "$name does not complain" [ ! -s "$err" ]
}

# says NAME LINE - the example that was just run printed this line
says() {
    check "$1 prints \"$2\"" grep -qxF -- "$2" "$out"
}

for example in examples/*.c; do
    check "$example opens with what to expect" sh -c "head -n 12 '$example' | grep -q 'Expect '"
    next=$(sed -n '1,12s/.*Next: \([0-9a-z_]*\.c\).*/\1/p' "$example")
    check "$example leads on to a file" [ -f "examples/${next:-09_threads.c}" ]
done

{
    echo '#include "ken.h"'
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    sed -n '/int32_t ids\[\]/,/ken_model_free/s/^ \*//p' include/ken.h
    echo 'return 0; }'
} >"$scratch/header.c"
check "the example of ken.h has an end" grep -q ken_model_free "$scratch/header.c"
check "the example of ken.h compiles" \
    "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -fsyntax-only -Iinclude "$scratch/header.c"

run 01_attention
says 01_attention "  sat  0.02  0.96  0.02"
says 01_attention "  cat  0.88  0.12  0.00"
says 01_attention "  sat  0.00  0.87  0.30  0.01"

run 02_tagger
says 02_tagger "we/pronoun can/auxiliary can/verb the/article can/noun"
says 02_tagger "the/article can/noun can/auxiliary fish/verb"
says 02_tagger "they/pronoun fish/verb a/article fish/noun"
says 02_tagger "the/article run/noun can/verb the/article walk/noun"

run 03_sequences
right=$(sed -n 's/^\([0-9]*\) of 48 .*/\1/p' "$out")
check "03_sequences sorts ${right:-no} of 48" [ "${right:-0}" -ge 43 ]

run 04_language_model
says 04_language_model "two for the |carter who knocks at the door, three for the teach"

run 05_look
written=$(sed -n 's/^ \([a-z]\)   [01].*/\1/p' "$out" | tr -d '\n')
check "05_look writes \"$written\"" [ "$written" = stressed ]

run 06_vectors
error=$(sed -n 's/^error \([0-9]*\)\.[0-9] degrees.*/\1/p' "$out")
check "06_vectors is wrong by ${error:-many} degrees" [ "${error:-9}" -lt 3 ]

run 07_save "$scratch/model.ken"
right=$(sed -n 's/^after 600 steps: \([0-9]*\) % right/\1/p' "$out")
check "07_save gets ${right:-no} % right" [ "${right:-0}" -ge 90 ]
check "07_save gives the same answers" grep -q "gives the same answers" "$out"
check "07_save leaves a file" [ -s "$scratch/model.ken" ]

run 08_recipe "$scratch/run"
check "08_recipe gets the years right" [ "$(grep -cE -- '-> (2021|1999|2003)-' "$out")" -eq 3 ]

run 09_threads
says 09_threads "all have the same bits"
exit $failed
