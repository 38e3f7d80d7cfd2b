/* manual.c - prints manual pages, in the troff of man(7), from the descriptions of the commands. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

/* Prints text of a manual page for troff. Backslashes and hyphens are escaped; hyphens must stay
 * ASCII, so that examples can be copied. A period or quote at the start of a line is protected,
 * because troff would take the line for a request. */
static void print_words(const char *text)
{
    bool fresh = true; /* whether the output is at the start of a line */
    for (; *text; text++) {
        if (fresh && (*text == '.' || *text == '\'')) printf("\\&");
        if (*text == '\\') printf("\\e");
        else if (*text == '-') printf("\\-");
        else if (*text == '\n') printf("\n.PP\n");
        else putchar(*text);
        fresh = *text == '\n';
    }
}

static void print_line(const char *text)
{
    print_words(text);
    printf("\n");
}

static void print_flags(const struct cli_flag *flags, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf(".TP\n.BI \"");
        print_words(flags[i].name);
        printf("%s%s\n", flags[i].value ? " \" " : "\"", flags[i].value ? flags[i].value : "");
        print_line(flags[i].help);
    }
}

static void print_title(const char *name, const char *about)
{
    printf(".TH %s 1 \"\" \"ken %s\" \"ken\"\n.SH NAME\n", name, ken_version());
    print_words(name);
    printf(" \\- ");
    print_line(about);
}

static void print_end(void)
{
    printf(".SH EXIT STATUS\n");
    print_line("0: success. 1: another failure. 2: the command line is wrong. 3: a file is wrong, "
               "missing or unreadable. 4: a loss or gradient is not finite. 5: no disk space or "
               "memory is left. 130: interrupted; the state was saved.");
    printf(".SH ENVIRONMENT\n.TP\n.B KEN_THREADS\nnumber of threads, unless \\-\\-threads is "
           "given\n.TP\n.B KEN_ISA\n");
    print_line("instruction set of the kernels (generic, avx2, avx512); default: the best that the "
               "processor has");
}

static void print_command(const struct cli_command *command)
{
    char name[64];
    snprintf(name, sizeof name, "ken-%s", command->name);
    print_title(name, command->about);
    printf(".SH SYNOPSIS\n.B ken %s\n", command->name);
    print_line(command->arguments);
    printf(".SH DESCRIPTION\n");
    print_line(command->details ? command->details : command->about);
    if (command->alias) printf(".PP\nken %s is the same command.\n", command->alias);
    if (command->lists_formats) {
        printf(".PP\nFormats:");
        for (size_t i = 0; ken_format_word(i); i++) printf(" %s", ken_format_word(i));
        printf("\n");
    }
    printf(".SH OPTIONS\n");
    print_flags(command->flags, command->flag_count);
    if (command->generates) {
        printf(".SS Generators\n");
        print_line("The default of each flag is that of the model's recipe.");
        print_flags(cli_generation_flags, cli_generation_flag_count);
        printf(".SS Every command\n");
    }
    print_flags(cli_common_flags, cli_common_flag_count);
    print_end();
    printf(".SH SEE ALSO\n.BR ken (1)\n");
}

static void print_overview(void)
{
    print_title("ken", "trains and runs attention models over sequences");
    printf(".SH SYNOPSIS\n.B ken\n.I COMMAND\n[ARGUMENT...]\n.SH DESCRIPTION\n");
    print_line("ken trains self-attention models (Transformers) from recipes and data files, runs "
               "them, measures them and shows their attention.");
    printf(".SH COMMANDS\n");
    for (size_t i = 0; cli_command_at(i); i++) {
        printf(".TP\n.BR ken\\-%s (1)\n", cli_command_at(i)->name);
        print_line(cli_command_at(i)->about);
    }
    printf(".SH OPTIONS\n");
    print_flags(cli_common_flags, cli_common_flag_count);
    print_end();
}

void cli_manual(const struct cli_command *command)
{
    if (command) print_command(command);
    else print_overview();
}
