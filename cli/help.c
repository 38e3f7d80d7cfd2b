/* help.c - prints the help: an overview of all commands, and a page for each command. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 98 }; /* maximum columns of a line of help */

/* Prints text, wrapped at WIDTH columns. The cursor is in column `column`; all lines after the
 * first are indented to `indent`. Line breaks of the text are kept. */
static void print_wrapped(FILE *out, const char *text, int column, int indent)
{
    bool fresh = true; /* whether the current line has no word yet */
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (!fresh && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            fresh = true;
        }
        fprintf(out, "%s%.*s", fresh ? "" : " ", length, text);
        column += length + (fresh ? 0 : 1);
        fresh = false;
        text += length;
        if (*text == '\n') {
            fprintf(out, "\n%*s", text[1] ? indent : 0, "");
            column = indent;
            fresh = true;
        }
        if (*text) text++;
    }
    fprintf(out, "\n");
}

static int name_width(const struct cli_flag *flag)
{
    return (int)strlen(flag->name) + (flag->value ? 1 + (int)strlen(flag->value) : 0);
}

static void print_flags(FILE *out, const struct cli_flag *flags, size_t count)
{
    int widest = 0;
    for (size_t i = 0; i < count; i++)
        if (name_width(&flags[i]) > widest) widest = name_width(&flags[i]);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  %s%s%s%*s  ", flags[i].name, flags[i].value ? " " : "",
                flags[i].value ? flags[i].value : "", widest - name_width(&flags[i]), "");
        print_wrapped(out, flags[i].help, widest + 4, widest + 4);
    }
}

static void print_common(FILE *out)
{
    fprintf(out, "\nFlags of every command:\n");
    print_flags(out, cli_common_flags, cli_common_flag_count);
}

void cli_help_overview(FILE *out)
{
    fprintf(out, "usage: ken COMMAND [ARGUMENT...]\n\n");
    for (size_t i = 0; cli_command_at(i); i++)
        fprintf(out, "  %-8s  %s\n", cli_command_at(i)->name, cli_command_at(i)->about);
    print_common(out);
}

void cli_help_command(const struct cli_command *command)
{
    FILE *out = stdout;
    fprintf(out, "usage: ken %s %s\n\n%s\n", command->name, command->arguments, command->about);
    if (command->details) {
        fprintf(out, "\n");
        print_wrapped(out, command->details, 0, 0);
    }
    if (command->flag_count > 0) fprintf(out, "\n");
    print_flags(out, command->flags, command->flag_count);
    if (command->generates) {
        fprintf(out, "\nFlags of generators; the default is that of the model's recipe:\n");
        print_flags(out, cli_generation_flags, cli_generation_flag_count);
    }
    if (command->lists_formats) {
        fprintf(out, "\nFormats:");
        for (size_t i = 0; ken_format_word(i); i++) fprintf(out, " %s", ken_format_word(i));
        fprintf(out, "\n");
    }
    print_common(out);
}
