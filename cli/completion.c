/* completion.c - prints scripts that let a shell complete the words of a command line. The scripts
 * are made from the descriptions of the commands (command.h). */
#include "cli/command.h"

#include "base/size.h"

#include <stdio.h>
#include <string.h>

/* Shell commands that print the keys of recipes as "section.key=", one per line. */
static const char list_keys[] =
    "    ken help recipe 2>/dev/null |\n"
    "        sed -n -e 's/^## \\[\\(.*\\)\\]$/\\1/p' -e 's/^| `\\([a-z_0-9]*\\)` .*/=\\1/p' |\n"
    "        awk '/^=/ { print section \".\" substr($0, 2) \"=\"; next } { section = $0 }'\n";

/* Calls `print` for every flag of a command, including the common flags. */
static void each_flag(const struct cli_command *command,
                      void (*print)(const struct cli_command *, const struct cli_flag *))
{
    for (size_t i = 0; cli_flag_at(command, i); i++) print(command, cli_flag_at(command, i));
}

static void print_names(void)
{
    for (size_t i = 0; cli_command_at(i); i++)
        printf("%s%s", i > 0 ? " " : "", cli_command_at(i)->name);
}

/* Prints a help text within single quotes of a shell script. The characters in `special` are
 * preceded by a backslash. */
static void print_quoted(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') printf("'\\''");
        else if (strchr(special, *text)) printf("\\%c", *text);
        else putchar(*text);
    }
}

/* Prints the recipe sections whose keys a command accepts, as a regular expression:
 * "generate.|run.", or "." for all sections. */
static void print_sections(const struct cli_command *command)
{
    for (const char *c = command->keys; *c; c++) putchar(*c == ' ' ? '|' : *c);
    if (!*command->keys) putchar('.');
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void print_bash_flag(const struct cli_command *command, const struct cli_flag *flag)
{
    (void)command;
    printf(" %s", flag->name);
}

static void print_bash(void)
{
    printf("# bash completion for ken\n"
           "_ken_keys() {\n%s}\n"
           "_ken() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} flags= keys=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"",
           list_keys);
    print_names();
    printf("\" -- \"$word\"))\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; cli_command_at(i); i++) {
        const struct cli_command *command = cli_command_at(i);
        printf("    %s%s%s) flags='", command->name, command->alias ? " | " : "",
               command->alias ? command->alias : "");
        each_flag(command, print_bash_flag);
        printf("' keys='");
        if (command->keys) print_sections(command);
        printf("' ;;\n");
    }
    printf("    esac\n"
           "    case $word in\n"
           "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
           "    [a-z]*.*)\n"
           "        [ -z \"$keys\" ] ||\n"
           "            COMPREPLY=($(compgen -W \"$(_ken_keys | grep -E \"^($keys)\")\" -- "
           "\"$word\"))\n"
           "        [ ${#COMPREPLY[@]} -eq 0 ] || compopt -o nospace ;;\n"
           "    esac\n"
           "}\n"
           "complete -o default -F _ken ken\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void print_zsh_flag(const struct cli_command *command, const struct cli_flag *flag)
{
    (void)command;
    printf(" \\\n            '%s[", flag->name);
    print_quoted(flag->help, "[]:");
    printf("]%s%s%s'", flag->value ? ":" : "", flag->value ? flag->value : "",
           flag->value ? ":_files" : "");
}

static void print_zsh(void)
{
    printf("#compdef ken\n"
           "_ken_keys() {\n%s}\n"
           "_ken_words() {\n"
           "    _files\n"
           "    [[ $PREFIX != *.* ]] || compadd -S '' -- $(_ken_keys | grep -E \"^($1)\")\n"
           "}\n"
           "_ken() {\n"
           "    local -a commands\n"
           "    commands=(\n",
           list_keys);
    for (size_t i = 0; cli_command_at(i); i++) {
        printf("        '%s:", cli_command_at(i)->name);
        print_quoted(cli_command_at(i)->about, ":");
        printf("'\n");
    }
    printf("    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe command commands\n"
           "        return\n"
           "    fi\n"
           "    case $words[2] in\n");
    for (size_t i = 0; cli_command_at(i); i++) {
        const struct cli_command *command = cli_command_at(i);
        printf("    %s%s%s)\n        _arguments", command->name, command->alias ? "|" : "",
               command->alias ? command->alias : "");
        each_flag(command, print_zsh_flag);
        printf(" \\\n            '%s", command->keys ? "*: :{_ken_words \"" : "*:file:_files");
        if (command->keys) print_sections(command);
        printf("%s'\n", command->keys ? "\"}" : "");
        printf("        ;;\n");
    }
    printf("    esac\n}\n_ken \"$@\"\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void print_fish_flag(const struct cli_command *command, const struct cli_flag *flag)
{
    bool single = flag->name[1] != '-';
    printf("complete -c ken -n '__fish_seen_subcommand_from %s%s%s' -%c %s%s -d '", command->name,
           command->alias ? " " : "", command->alias ? command->alias : "", single ? 's' : 'l',
           flag->name + (single ? 1 : 2), flag->value ? " -r" : "");
    for (const char *c = flag->help; *c; c++)
        if (*c == '\'' || *c == '\\') printf("\\%c", *c);
        else putchar(*c);
    printf("'\n");
}

static void print_fish(void)
{
    printf("# fish completion for ken\nfunction __ken_keys\n%send\n", list_keys);
    for (size_t i = 0; cli_command_at(i); i++) {
        const struct cli_command *command = cli_command_at(i);
        printf("complete -c ken -n __fish_use_subcommand -f -a %s -d '%s'\n", command->name,
               command->about);
        if (command->keys) {
            printf("complete -c ken -n '__fish_seen_subcommand_from %s' -a '(__ken_keys | "
                   "string match -re \"^(",
                   command->name);
            print_sections(command);
            printf(")\")'\n");
        }
        each_flag(command, print_fish_flag);
    }
}

int cli_completion(const char *shell)
{
    static const char *const shells[] = { "bash", "zsh", "fish" };
    static void (*const print[])(void) = { print_bash, print_zsh, print_fish };
    for (size_t i = 0; i < KEN_COUNT(shells); i++)
        if (strcmp(shell, shells[i]) == 0) {
            print[i]();
            return CLI_OK;
        }
    return cli_unknown("shell", shell, shells, KEN_COUNT(shells));
}
