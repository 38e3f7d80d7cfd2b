#!/bin/sh
# command.sh - the ken command itself: help, flags of every command, exit codes.
set -u
. "$(dirname "$0")/tap.inc"
unset KEN_THREADS

# exits CODE ARGUMENT... - ken with these arguments exits with this code
exits() {
    expected=$1
    shift
    "$ken" "$@" >/dev/null 2>&1
    [ $? -eq "$expected" ]
}

# says TEXT ARGUMENT... - ken with these arguments prints the text somewhere in its output
says() {
    text=$1
    shift
    "$ken" "$@" 2>&1 | grep -qF -- "$text"
}

# exits_not_with_flag COMMAND - "--bogus" after "--" is a word, not an unknown flag
exits_not_with_flag() {
    ! says 'unknown flag' "$1" -- --bogus
}

check "no command is a usage error" exits 2
check "help succeeds" exits 0 help
check "--help is help" says "usage: ken COMMAND" --help
check "help explains a command" says "usage: ken bench" help bench
check "COMMAND --help does too" says "usage: ken bench" bench --help
check "help of nothing known is a usage error" exits 2 help nothing
check "version has a number" says "ken 0." version
check "--json before the command" says '{"version":"0.' --json version
check "--json after the command" says '{"version":"0.' version --json
check "-V is version" says "ken 0." -V
check "predict is another name of run" says "usage: ken run MODEL" predict --help
check "a flag without its value is a usage error" says "--format needs a value: F" run x --format
check "a flag before the command" exits 0 --threads 1 version
for command in bench check compare eval info look run train; do
    check "$command: after -- nothing is a flag" exits_not_with_flag $command
done
check "an unknown command is a usage error" exits 2 bnech
check "the nearest command is suggested" says 'did you mean "bench"' bnech
check "no suggestion when nothing is near" says 'unknown command "xyzzyxyzzy"; see ken help' xyzzyxyzzy
check "--threads needs a number" exits 2 version --threads two
check "--threads needs a value" exits 2 version --threads
check "--threads takes no sign" exits 2 version --threads -1
check "--threads has a limit" exits 2 version --threads 100000
check "--threads=N" exits 0 version --threads=2
check "--seed refuses what overflows" exits 2 version --seed 18446744073709551616
check "--seed takes 64 bits" exits 0 version --seed 18446744073709551615
check "a misspelt KEN_THREADS is a usage error" env KEN_THREADS=many sh -c \
    "'$ken' version >/dev/null 2>&1; [ \$? -eq 2 ]"
"$ken" version >/dev/full 2>/dev/null
check "a full disk is not a success" [ $? -eq 5 ]
printf 'good\tx\nbad\ty\n' >"$scratch/data"
printf '[data]\nformat = tsv\ntrain = %s\n[input]\nleast = 1\n[output]\nkind = whole\n[model]\nwidth = 8
heads = 2\nhidden = 8\n[train]\nsteps = 2\n' "$scratch/data" >"$scratch/recipe"
folder="$scratch/a\"b\\c"
"$ken" train "$scratch/recipe" -o "$folder" --quiet --json >"$out" 2>"$err"
check "--json of a folder with a quote in its name is JSON" [ \
    "$(cat "$out")" = "{\"model\":\"$scratch/a\\\"b\\\\c/model.ken\"}" ]
"$ken" help recipe >"$out"
sed '1,/^# All keys$/d' docs/RECIPES.md | sed 1d | cmp -s - "$out"
check "docs/RECIPES.md lists the keys as they are" [ $? -eq 0 ]
exit $failed
