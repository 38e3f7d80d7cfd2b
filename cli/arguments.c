/* arguments.c - reads the command line as the table of a command describes it. */
#include "cli/command.h"

#include "base/size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cli_flags cli_flags;

const struct cli_flag cli_common_flags[] = {
    { "--threads", "N", "number of threads; default 0 = one per processor, or KEN_THREADS",
      CLI_NUMBER(struct cli_flags, threads, 0, SIZE_MAX) },
    { "--seed", "N", "seed of the random numbers",
      CLI_NUMBER(struct cli_flags, seed, 0, UINT64_MAX) },
    { "--json", NULL, "print results as JSON objects, one per line",
      CLI_ON(struct cli_flags, json) },
    { "--quiet", NULL, "print no progress on standard error", CLI_ON(struct cli_flags, quiet) },
    { "--help", NULL, "explain the command; also -h", CLI_ON(struct cli_flags, help) },
};
const size_t cli_common_flag_count = KEN_COUNT(cli_common_flags);

bool cli_number(uint64_t *out, const char *text)
{
    uint64_t value = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        if (__builtin_mul_overflow(value, 10, &value)) return false;
        if (__builtin_add_overflow(value, (uint64_t)(*text - '0'), &value)) return false;
    }
    *out = value;
    return true;
}

/* Returns whether `word` is the flag: its name alone, or "NAME=VALUE" if the flag takes a value. An
 * underscore counts as a hyphen, so that --top_k, written like the recipe's key, works too. */
static bool is_flag(const struct cli_flag *flag, const char *word)
{
    size_t length = strlen(flag->name);
    for (size_t i = 0; i < length; i++)
        if (word[i] != flag->name[i] && !(i > 1 && word[i] == '_' && flag->name[i] == '-'))
            return false;
    return word[length] == '\0' || (word[length] == '=' && flag->value);
}

const struct cli_flag *cli_flag_at(const struct cli_command *command, size_t i)
{
    if (i < command->flag_count) return &command->flags[i];
    i -= command->flag_count;
    size_t generation = command->generates ? cli_generation_flag_count : 0;
    if (i < generation) return &cli_generation_flags[i];
    i -= generation;
    return i < cli_common_flag_count ? &cli_common_flags[i] : NULL;
}

static bool is_common(const struct cli_flag *flag)
{
    return flag >= cli_common_flags && flag < cli_common_flags + cli_common_flag_count;
}

static const struct cli_flag *find(const struct cli_command *command, const char *word)
{
    const struct cli_flag *flag;
    for (size_t i = 0; (flag = cli_flag_at(command, i)); i++)
        if (is_flag(flag, word)) return flag;
    return NULL;
}

static int add_key(struct cli_keys *keys, const char *assignment)
{
    if (keys->count == CLI_KEYS_MOST)
        return cli_usage("\"%s\": at most %d keys can be changed", assignment, CLI_KEYS_MOST);
    keys->list[keys->count++] = assignment;
    return CLI_OK;
}

/* Adds the assignment "key=value" for a flag that sets a key of the recipe. */
static int make_key(struct cli_keys *keys, const struct cli_flag *flag, const char *value)
{
    char *to = keys->made + keys->used;
    size_t room = sizeof keys->made - keys->used;
    size_t length = (size_t)snprintf(to, room, "%s=%s", flag->key, value);
    if (length >= room) return cli_usage("%s: the value is too long", flag->name);
    keys->used += length + 1;
    return add_key(keys, to);
}

static int set_number(const struct cli_flag *flag, uint64_t *out, const char *value)
{
    uint64_t number;
    if (cli_number(&number, value) && number >= flag->least && number <= flag->most) {
        *out = number;
        return CLI_OK;
    }
    if (flag->most == UINT64_MAX || flag->most == SIZE_MAX)
        return cli_usage("%s needs a number from %llu, not \"%s\"", flag->name,
                         (unsigned long long)flag->least, value);
    return cli_usage("%s needs a number from %llu to %llu, not \"%s\"", flag->name,
                     (unsigned long long)flag->least, (unsigned long long)flag->most, value);
}

/* Reads the flag argv[*i] and its value, which is the text after "=" or the next argument. */
static int take_flag(const struct cli_flag *flag, void *asked, struct cli_keys *keys, char **argv,
                     int argc, int *i)
{
    char *to = (char *)asked + flag->at;
    const char *value = strchr(argv[*i], '=');
    if (flag->value && value) value++;
    else if (flag->value) {
        if (*i + 1 >= argc) return cli_usage("%s needs a value: %s", flag->name, flag->value);
        value = argv[++*i];
    }
    switch (flag->kind) {
    case CLI_FLAG_ON: *(bool *)(void *)to = true; break;
    case CLI_FLAG_WORD: *(const char **)(void *)to = value; break;
    case CLI_FLAG_NUMBER: return set_number(flag, (uint64_t *)(void *)to, value);
    case CLI_FLAG_KEY: return make_key(keys, flag, value);
    }
    return CLI_OK;
}

static int take_common(const struct cli_flag *flag, char **argv, int argc, int *i)
{
    int code = take_flag(flag, &cli_flags, NULL, argv, argc, i);
    if (strcmp(flag->name, "--seed") == 0) cli_flags.seeded = true;
    return code;
}

static int unknown_flag(const struct cli_command *command, const char *word)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    for (; count < MOST && cli_flag_at(command, count); count++)
        names[count] = cli_flag_at(command, count)->name;
    return cli_unknown("flag", word, names, count);
}

/* Returns whether a word begins with one of the recipe sections whose keys the command accepts. */
static bool in_sections(const char *sections, const char *word)
{
    if (!*sections) return true;
    for (size_t length; *sections; sections += length + strspn(sections + length, " ")) {
        length = strcspn(sections, " ");
        if (strncmp(word, sections, length) == 0) return true;
    }
    return false;
}

/* Returns whether a word is an assignment "section.key=value" that the command accepts. */
static bool is_key(const struct cli_command *command, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    size_t section = strspn(word, letters), key = 0;
    if (!command->keys || !in_sections(command->keys, word)) return false;
    if (section > 0 && word[section] == '.') key = strspn(word + section + 1, letters);
    return key > 0 && word[section + 1 + key] == '=';
}

/* Sets the number of threads from --threads or the environment variable KEN_THREADS. If KEN_THREADS
 * is not a number, the library ignores it, but the command reports an error. */
static int set_threads(void)
{
    uint64_t number;
    const char *wish = getenv("KEN_THREADS");
    if (wish && *wish && !cli_number(&number, wish))
        return cli_usage("KEN_THREADS must be a number, not \"%s\"", wish);
    if (cli_flags.threads == 0) return CLI_OK;
    ken_status status = ken_threads_set((size_t)cli_flags.threads);
    return status ? cli_fail(status) : CLI_OK;
}

int cli_read(struct cli_line *line, const struct cli_command *command, void *asked, int argc,
             char **argv)
{
    int code = CLI_OK, i = 1;
    /* arguments that are neither flags nor keys are moved to the front of argv */
    line->words = argv;
    line->count = 0;
    line->keys.count = line->keys.used = 0;
    for (; i < argc && !code && strcmp(argv[i], "--") != 0; i++) {
        const struct cli_flag *flag = find(command, argv[i]);
        if (flag && is_common(flag)) code = take_common(flag, argv, argc, &i);
        else if (flag) code = take_flag(flag, asked, &line->keys, argv, argc, &i);
        else if (argv[i][0] == '-' && argv[i][1]) code = unknown_flag(command, argv[i]);
        else if (is_key(command, argv[i])) code = add_key(&line->keys, argv[i]);
        else line->words[line->count++] = argv[i];
    }
    if (code) return code;
    for (i++; i < argc; i++) line->words[line->count++] = argv[i];
    return set_threads();
}

int cli_read_common(int *taken, int argc, char **argv)
{
    /* a command without flags of its own, so that only the common flags are read */
    static const struct cli_command none;
    int code = CLI_OK, i = 0;
    for (; i < argc && !code; i++) {
        const struct cli_flag *flag = find(&none, argv[i]);
        if (!flag) break;
        code = take_common(flag, argv, argc, &i);
    }
    *taken = i;
    return code;
}

int cli_at_most(const struct cli_line *line, const struct cli_command *command, int most)
{
    if (line->count <= most) return CLI_OK;
    const char *word = line->words[most];
    if (command->keys && strchr(word, '='))
        return cli_usage("unexpected argument \"%s\": expected section.key=value", word);
    if (most == 0)
        return cli_usage("%s takes no arguments; unexpected argument \"%s\"", command->name, word);
    return cli_usage("unexpected argument \"%s\"; usage: ken %s %s", word, command->name,
                     command->arguments);
}
