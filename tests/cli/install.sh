#!/bin/sh
# install.sh BUILD - make install: the program, the library, manual pages, completions, recipes and
# documents are in place, and C and C++ programs build against them.
set -u
. "$(dirname "$0")/tap.inc"
build=${1:-build}
there=$scratch/there
# make install may link the program again, and that needs the flags that built it
if nm "$ken" | grep -q __asan_init; then
    echo "# skip make install: the program is built with sanitizers"
    exit 0
fi
${MAKE:-make} -s install BUILD="$build" prefix="$there" >"$out" 2>"$err"
check "make install succeeds" [ $? -eq 0 ]
check "it says how programs find the library" grep -qF -- "-Wl,-rpath,$there/lib" "$out"
for recipe in recipes/*; do check "$recipe is installed" cmp -s "$recipe" "$there/share/ken/$recipe"; done
for page in README.md docs/START.md docs/RECIPES.md; do
    check "$page is installed" cmp -s "$page" "$there/share/doc/ken/$page"
done
check "get-data is installed as ken-get-data" sh -c "'$there/bin/ken-get-data' | grep -q ' pos '"
for command in $("$ken" help | awk '/^  [a-z]/ { print $1 }'); do
    page=$there/share/man/man1/ken-$command.1
    check "a manual page of $command" grep -q "^ken\\\\-$command \\\\- " "$page"
    "$ken" help "$command" | grep -o '^  --*[a-z-]*' | sed 's/-/\\-/g; s/^  //' |
        while read -r flag; do grep -qF "$flag" "$page" || echo "$flag"; done >"$scratch/missing"
    check "with all its flags" [ ! -s "$scratch/missing" ]
    if command -v groff >/dev/null; then
        groff -man -ww -z "$page" 2>"$err"
        check "that troff reads without a warning" [ ! -s "$err" ]
    fi
done

# completed WORD... - prints the candidates of bash for the last word
completed() {
    PATH=$(dirname "$(realpath "$ken")"):$PATH bash -c '
        . "$0"
        compopt() { :; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _ken
        echo "${COMPREPLY[@]}"' "$there/share/bash-completion/completions/ken" "$@"
}
check "bash completes a command" [ "$(completed ken tra)" = train ]
check "bash completes a flag" [ "$(completed ken run --form)" = --format ]
check "bash completes a key" [ "$(completed ken train model.wid)" = model.width= ]
check "bash offers run only the keys that it takes" [ -z "$(completed ken run model.wid)" ]
for shell in zsh fish; do
    case $shell in
        zsh) script=$there/share/zsh/site-functions/_ken ;;
        *) script=$there/share/fish/vendor_completions.d/ken.fish ;;
    esac
    if command -v $shell >/dev/null; then
        check "$shell reads its completion script" $shell -n "$script"
    else
        echo "# skip $shell: not installed"
    fi
done
"$ken" help --completion tcsh >"$out" 2>"$err"
check "another shell is a usage error" [ $? -eq 2 ]

# builds COMPILER FILE - the file of this folder becomes a program that finds its library and runs
builds() {
    # shellcheck disable=SC2046  # one word per flag is meant
    "$1" "$2" -Wall -Wextra -Werror -I"$there/include" -L"$there/lib" -lken \
        -Wl,-rpath,"$there/lib" -o "$scratch/program" 2>"$err" &&
        [ "$("$scratch/program")" = "$(sed -n 's/.*define KEN_VERSION "\(.*\)".*/\1/p' \
            "$there/include/ken.h")" ]
}
cat >"$scratch/program.c" <<'END'
#include <ken.h>
#include <stdio.h>

int main(void)
{
    ken_config config = ken_config_default(KEN_EACH);
    ken_model *model;
    config.input_size = 8;
    config.output_size = 2;
    if (ken_model_new(&model, &config)) return 1;
    printf("%s\n", ken_version());
    ken_model_free(model);
    return 0;
}
END
cp "$scratch/program.c" "$scratch/program.cc"
check "a C program builds against it and runs" builds gcc "$scratch/program.c"
if command -v g++ >/dev/null; then
    check "a C++ program builds against it and runs" builds g++ "$scratch/program.cc"
else
    echo "# skip a C++ program: g++ is not installed"
fi
exit $failed
