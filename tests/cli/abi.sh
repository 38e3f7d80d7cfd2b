#!/bin/sh
# abi.sh - a program compiled against the old header runs with the new library (docs/ABI.md): with
# today's, and with one whose structs have grown. A program for a newer one is refused.
set -u
. "$(dirname "$0")/tap.inc"
build=${1:-build}
export LD_LIBRARY_PATH="$build"
for program in old_program old_program_grown newer_program; do
    "$build/abi/$program" >"$out" 2>"$err"
    status=$?
    sed "s/ - / - $program: /" "$out"
    check "$program ends well, not by a signal" [ $status -eq 0 ]
done
"$build/abi/layout_old" | sort >"$scratch/old"
"$build/abi/layout_new" | sort >"$scratch/new"
comm -23 "$scratch/old" "$scratch/new" >"$scratch/moved"
check "no constant and no field of 0.2 has moved: $(tr '\n' ' ' <"$scratch/moved")" \
    [ ! -s "$scratch/moved" ]
check "and they are many: $(wc -l <"$scratch/old")" [ "$(wc -l <"$scratch/old")" -gt 250 ]
soname=$(readelf -d "$build/libken.so" | sed -n 's/.*soname: \[\(.*\)\].*/\1/p')
check "the soname is libken.so.0.2: $soname" [ "$soname" = libken.so.0.2 ]
exit $failed
