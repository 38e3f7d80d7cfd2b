/* cmd_look.c - ken look: draws the attention weights of a model on one example in the terminal, or
 * saves them. */
#include "cli/command.h"
#include "cli/draw.h"

#include "base/buffer.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* maximum bytes of an input file, after decompression if it is gzipped */
enum { INPUT_MOST = 1 << 30 };

/* The values of the command line of ken look. */
struct asked {
    const char *input, *file, *format, *target, *which;
    const char *svg, *html, *npy;
    /* --layer, --head, --example, --rows: counted from 1; 0 = not given */
    uint64_t layer, head, example, rows;
    bool mean, rollout, relative, positions;
    struct cli_line line;
};

/* ---- command line ---------------------------------------------------------------------------- */

static const struct cli_flag flags[] = {
    { "--file", "F", "read the input from a file: its first example, or the one of --example",
      CLI_WORD(struct asked, file) },
    { "--example", "N", "the number of the example in the file; default 1",
      CLI_NUMBER(struct asked, example, 1, UINT64_MAX) },
    { "--format", "F", "the format of that file, as with run; default: one example per line",
      CLI_WORD(struct asked, format) },
    { "--target", "TEXT", "make a generator write this instead of its own answer",
      CLI_WORD(struct asked, target) },
    { "--which", "W", "encoder, decoder or cross (from what is written to the input)",
      CLI_WORD(struct asked, which) },
    { "--layer", "L", "one layer, from 1; default: all of them, in the terminal the last one",
      CLI_NUMBER(struct asked, layer, 1, UINT64_MAX) },
    { "--head", "H", "one head, from 1; default: all of them, in the terminal their mean",
      CLI_NUMBER(struct asked, head, 1, UINT64_MAX) },
    { "--mean", NULL, "the mean of all heads", CLI_ON(struct asked, mean) },
    { "--rollout", NULL,
      "attention followed through all layers, or up to the one of --layer, down to the input",
      CLI_ON(struct asked, rollout) },
    { "--relative", NULL,
      "each weight times the number of tokens that its row may attend to: 1 is uniform attention",
      CLI_ON(struct asked, relative) },
    { "--svg", "F", "write a picture of at most 4,000,000 weights; F may be - for standard output",
      CLI_WORD(struct asked, svg) },
    { "--html", "F",
      "write a page with all layers and heads, at most 4,000,000 weights; F may be - for standard "
      "output",
      CLI_WORD(struct asked, html) },
    { "--npy", "F", "write an array of at most 67,108,864 weights", CLI_WORD(struct asked, npy) },
    { "--positions", NULL, "draw the positions that are added at the input, instead of attention",
      CLI_ON(struct asked, positions) },
    { "--rows", "N", "the number of positions to draw",
      CLI_NUMBER(struct asked, rows, 1, UINT64_MAX) },
    CLI_READING_FLAGS,
};

static int read_arguments(struct asked *asked, int argc, char **argv)
{
    struct cli_line *line = &asked->line;
    int code = cli_read(line, &cli_look, asked, argc, argv);
    if (!code) code = cli_at_most(line, &cli_look, 2);
    if (code) return code;
    if (line->count == 0) return cli_usage("look needs a model; see ken help look");
    asked->input = line->count > 1 ? line->words[1] : NULL;
    if (!asked->positions && !asked->input == !asked->file)
        return cli_usage("look needs one input: a text (a file if the model reads numbers), or "
                         "--file F; see ken help look");
    if (asked->rollout && (asked->head || asked->mean))
        return cli_usage("--rollout covers all heads; leave out %s",
                         asked->head ? "--head" : "--mean");
    if (asked->relative && (asked->rollout || asked->positions))
        return cli_usage("--relative is for the weights of layers; leave out %s",
                         asked->rollout ? "--rollout" : "--positions");
    if (asked->mean && asked->head) return cli_usage("--mean and --head exclude each other");
    return CLI_OK;
}

/* ---- input ----------------------------------------------------------------------------------- */

static ken_status read_input(ken_buffer *text)
{
    ken_reader *reader;
    size_t got = 1;
    KEN_TRY(ken_reader_attach(&reader, STDIN_FILENO, "standard input"));
    ken_status status = KEN_OK;
    while (got > 0 && !status) {
        char piece[1 << 12];
        status = ken_reader_read(reader, piece, &got, sizeof piece);
        if (!status) ken_buffer_append(text, piece, got);
        if (!status) status = ken_buffer_status(text);
    }
    ken_reader_close(reader);
    return status;
}

static ken_status read_file(ken_buffer *text, const char *path)
{
    char *data;
    size_t size;
    KEN_TRY(ken_file_read(&data, &size, path, INPUT_MOST));
    ken_buffer_append(text, data, size);
    ken_memory_free(data);
    return ken_buffer_status(text);
}

static ken_status make_view(ken_view **view, ken_task *task, const struct asked *asked)
{
    ken_buffer text = { 0 };
    const char *file = asked->file;
    if (!file && !ken_task_reads_text(task)) file = asked->input;
    bool piped = strcmp(file ? file : asked->input, "-") == 0;
    ken_request request = { .name = piped  ? "standard input"
                                    : file ? file
                                           : "input",
                            .format = asked->format };
    ken_status status = KEN_OK;
    if (piped) status = read_input(&text);
    else if (file) status = read_file(&text, file);
    else {
        /* the line end makes even an empty text one line, that is one example */
        ken_buffer_format(&text, "%s\n", asked->input);
        status = ken_buffer_status(&text);
    }
    request.text = ken_buffer_string(&text);
    request.size = text.size;
    if (!status)
        status = ken_view_new(view, task, &request, asked->example ? asked->example - 1 : 0,
                              asked->target);
    ken_buffer_release(&text);
    return status;
}

/* ---- what to look at ------------------------------------------------------------------------- */

/* Returns the kind of attention that --which names; `usual` if --which is not given; -1 if there is
 * no such kind. */
static int which_of(const struct asked *asked, ken_look usual)
{
    if (!asked->which) return (int)usual;
    return ken_word_value(KEN_CHOICE_LOOK, asked->which);
}

static int unknown_which(const struct asked *asked)
{
    return cli_usage("--which must be encoder, decoder or cross, not \"%s\"", asked->which);
}

/* Returns whether the weights are drawn in the terminal, because nothing else was asked for. */
static bool is_drawn(const struct asked *asked)
{
    return !asked->svg && !asked->html && !asked->npy && !cli_flags.json;
}

/* Chooses the layers and heads, which the command line counts from 1. Without a choice, all heads
 * of all layers are saved, but only the mean over the heads of the last layer is drawn in the
 * terminal. */
static int choose(ken_glance *glance, const struct asked *asked, const ken_view *view,
                  const ken_task *task)
{
    int which = which_of(asked, ken_task_usual_look(task));
    if (which < 0) return unknown_which(asked);
    size_t layers = ken_view_layers(view, which), heads = ken_view_heads(view, which);
    bool summary = is_drawn(asked) && !asked->layer && !asked->head && !asked->mean;
    *glance = (ken_glance){ .which = which, .layer = KEN_EVERY, .head = KEN_EVERY };
    /* ken_view_show() will report that the model has no such attention */
    if (layers == 0) return CLI_OK;
    if (asked->layer > layers)
        return cli_usage("--layer %llu: this model's %s attention has layers 1 to %zu",
                         (unsigned long long)asked->layer, ken_word(KEN_CHOICE_LOOK, which),
                         layers);
    if (asked->head > heads)
        return cli_usage("--head %llu: this model has heads 1 to %zu",
                         (unsigned long long)asked->head, heads);
    *glance = (ken_glance){
        .which = which,
        .layer = asked->layer                 ? asked->layer - 1
                 : summary && !asked->rollout ? layers - 1
                                              : KEN_EVERY,
        .head = asked->head              ? asked->head - 1
                : asked->mean || summary ? KEN_ALL_HEADS
                                         : KEN_EVERY,
        .rollout = asked->rollout,
        .relative = asked->relative,
    };
    return CLI_OK;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void collect(void *user, const char *text, size_t length)
{
    ken_buffer_append(user, text, length);
}

/* Writes the text to a file, or to standard output if the path is "-". */
static ken_status save(const ken_buffer *text, const char *path)
{
    KEN_TRY(ken_buffer_status(text));
    if (strcmp(path, "-") != 0) return ken_file_replace(path, text->data, text->size);
    cli_print(NULL, text->data, text->size);
    return KEN_OK;
}

static ken_status save_picture(const ken_picture *picture, const struct asked *asked)
{
    ken_buffer svg = { 0 };
    ken_status status = KEN_OK;
    if (asked->svg) status = ken_picture_svg(picture, collect, &svg);
    if (!status && asked->svg) status = save(&svg, asked->svg);
    if (!status && asked->npy) status = ken_picture_npy(picture, asked->npy);
    ken_buffer_release(&svg);
    return status;
}

static void print_answer(const ken_view *view)
{
    const ken_answer *answer = ken_view_answer(view);
    for (size_t i = 0; i < answer->count; i++) {
        if (i > 0) printf(answer->tokens ? " " : ", ");
        if (answer->tokens) cli_put(stdout, answer->tokens[i]);
        if (answer->tokens) printf("/");
        if (answer->labels) cli_put(stdout, answer->labels[i]);
        else printf("%.4g", answer->scores[i]);
        if (!answer->tokens && answer->labels && answer->scores[i] > 0)
            printf(" (%.3f)", answer->scores[i]);
    }
    printf("\n\n");
}

static ken_status show(ken_view *view, const ken_glance *glance, const struct asked *asked)
{
    ken_picture picture;
    ken_buffer page = { 0 };
    ken_status status = KEN_OK;
    bool drawn = is_drawn(asked);
    if (drawn || asked->svg || asked->npy) KEN_TRY(ken_view_show(view, &picture, glance));
    if (asked->svg || asked->npy) KEN_TRY(save_picture(&picture, asked));
    if (asked->html) status = ken_view_html(view, glance, collect, &page);
    if (!status && asked->html) status = save(&page, asked->html);
    ken_buffer_release(&page);
    if (!status && cli_flags.json) status = ken_view_json(view, glance, cli_print, NULL);
    if (status || !drawn) return status;
    print_answer(view);
    KEN_TRY(cli_draw(&picture));
    size_t layers = ken_view_layers(view, glance->which);
    size_t heads = ken_view_heads(view, glance->which);
    printf("this model has %zu layer%s with %zu head%s%s\n", layers, ken_plural(layers), heads,
           ken_plural(heads), layers == 1 ? "" : " each");
    return KEN_OK;
}

static int look_at_example(ken_task *task, const struct asked *asked)
{
    ken_view *view = NULL;
    ken_glance glance;
    ken_status status = make_view(&view, task, asked);
    if (status) return cli_fail(status);
    int code = choose(&glance, asked, view, task);
    if (!code && (status = show(view, &glance, asked))) code = cli_fail(status);
    ken_view_free(view);
    return code;
}

static int look_at_positions(ken_task *task, const struct asked *asked)
{
    ken_picture picture;
    ken_view *view = NULL;
    ken_look usual = ken_task_usual_look(task);
    int which = which_of(asked, usual == KEN_LOOK_CROSS ? KEN_LOOK_ENCODER : usual);
    if (which < 0) return unknown_which(asked);
    if (asked->html) return cli_usage("positions have no page; use --svg, --npy or --json");
    ken_status status = ken_view_places(&view, &picture, task, which, asked->rows);
    if (!status) status = save_picture(&picture, asked);
    if (!status && cli_flags.json) status = ken_picture_json(&picture, cli_print, NULL);
    else if (!status && !asked->svg && !asked->npy) status = cli_draw(&picture);
    ken_view_free(view);
    return status ? cli_fail(status) : CLI_OK;
}

static int run(int argc, char **argv)
{
    struct asked asked = { 0 };
    ken_task *task = NULL;
    int code = read_arguments(&asked, argc, argv);
    if (code) return code;
    ken_status status = cli_open_task(&task, asked.line.words[0], &asked.line.keys);
    if (status) code = cli_fail(status);
    else code = asked.positions ? look_at_positions(task, &asked) : look_at_example(task, &asked);
    ken_task_free(task);
    return code;
}

const struct cli_command cli_look = {
    .name = "look",
    .run = run,
    .arguments = "MODEL INPUT [--layer L] [--head H] [generate.key=value...]",
    .about = "draw the attention weights of a model on one example",
    .details = "INPUT is a text, or a file if the model reads numbers; - is standard input.",
    .flags = flags,
    .flag_count = KEN_COUNT(flags),
    .generates = true,
    .keys = "generate.",
    .lists_formats = true,
};
