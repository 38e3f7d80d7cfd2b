/* run_format.c - chooses the format in which a request is read: the format that the request names,
 * the format that the file's name or first lines show, or the usual format of the model. */
#include "base/number.h"
#include "base/text.h"
#include "format/recognise.h"
#include "task/task.h"

#include <string.h>

static ken_status unknown_format(const char *name)
{
    ken_buffer names = { 0 };
    for (size_t f = 0; ken_format_word(f); f++)
        ken_buffer_format(&names, " %s", ken_format_word(f));
    ken_status status = ken_buffer_status(&names);
    if (!status)
        status = ken_fail(KEN_ERR_ARGUMENT, "unknown format \"%s\", expected one of:%s", name,
                          names.data);
    ken_buffer_release(&names);
    return status;
}

/* Returns whether the task reads its examples as graphs. Molecules do not count, because they are
 * read as text and become graphs later. */
static bool reads_graphs(const ken_task *task)
{
    return ken_task_linked(task) && !(task->input.kind && task->input.kind->linked);
}

/* Returns the format to read if the request does not name one. A model of graphs reads graphs. A
 * model whose examples can be typed by hand reads lines of text. Any other model reads the format
 * of its training data, or vectors if that data was generated. */
static enum ken_format usual_format(const ken_task *task, enum ken_format trained, bool links)
{
    if (reads_graphs(task)) return links ? KEN_FORMAT_NODES : KEN_FORMAT_GRAPHS;
    if (ken_task_reads_text(task)) return KEN_FORMAT_LINES;
    return trained == KEN_FORMAT_COUNT ? KEN_FORMAT_VECTORS : trained;
}

int ken_task_reads_text(const ken_task *task)
{
    if (KEN_GIVEN(task)) return 0;
    return !ken_task_reads(task) || task->input.kind->typed;
}

const char *ken_task_format(const ken_task *task, const char *file)
{
    if (KEN_GIVEN(task) || KEN_GIVEN(file)) return NULL;
    const struct ken_format_info *format = ken_settings_format(task->recipe);
    return ken_format_claims(format, file) ? format->name : NULL;
}

const char *ken_format_word(size_t i)
{
    return i < KEN_FORMAT_COUNT ? ken_format_info((enum ken_format)i)->name : NULL;
}

/* Returns whether each line of input can be answered as soon as it arrives. This is possible for
 * rows of numbers only if every row is a sequence of its own, the first line is not a header, and
 * sequences are not cut into windows. */
int ken_task_line_by_line(const ken_task *task, const char *format)
{
    if (KEN_GIVEN(task)) return 0;
    struct ken_layout layout = ken_settings_layout(task->recipe);
    enum ken_format read = format ? ken_format_named(format)
                                  : usual_format(task, layout.format, false);
    if (read == KEN_FORMAT_COUNT) return false;
    if (read != KEN_FORMAT_VECTORS) return ken_format_info(read)->streams;
    return !layout.each && !layout.sequence && !layout.header && layout.window == 0;
}

/* Returns whether the task can read `format`. A language model always reads text. */
static bool readable(const ken_task *task, const struct ken_format_info *format)
{
    unsigned accepts = ken_task_reads(task) ? task->input.kind->accepts
                                            : KEN_CARRIES_TEXT | KEN_CARRIES_WORDS;
    return reads_graphs(task) == format->linked && accepts & format->carries;
}

static ken_status check_readable(const ken_task *task, const struct ken_format_info *format)
{
    if (readable(task, format)) return KEN_OK;
    return ken_fail(KEN_ERR_ARGUMENT, "this model reads %s, not format %s",
                    reads_graphs(task)     ? "graphs (JSON, one per line; or nodes and links)"
                    : ken_task_reads(task) ? task->input.kind->reads
                                           : "text",
                    format->name);
}

/* Returns the layout of the files that the model was trained on, including the number of columns of
 * its input. */
static struct ken_layout trained_layout(const ken_task *task)
{
    struct ken_layout layout = ken_settings_layout(task->recipe);
    if (ken_task_reads(task) && task->input.kind->lay_out)
        task->input.kind->lay_out(&task->input, &layout);
    layout.link_width = &task->input.link_width;
    return layout;
}

ken_status ken_run_layout(struct ken_layout *layout, const ken_task *task,
                          const ken_request *request)
{
    *layout = trained_layout(task);
    layout->target_kind = KEN_TARGET_NONE;
    layout->first_line = request->first_line;
    layout->format = request->format ? ken_format_named(request->format)
                                     : usual_format(task, layout->format, request->links != NULL);
    if (layout->format == KEN_FORMAT_COUNT) return unknown_format(request->format);
    return check_readable(task, ken_format_info(layout->format));
}

/* ---- recognising ----------------------------------------------------------------------------- */

static bool known_word(const ken_task *task, const char *word, size_t length)
{
    double number;
    if (task->value == KEN_VALUE_NUMBER) return ken_number_read(&number, word, length);
    return ken_vocabulary_find(&task->labels, word, length) != KEN_NO_ID;
}

/* Returns whether a text can be a target of the model. For a generator this is any text; otherwise
 * the text must be one or more words that are labels or numbers. A label may itself contain
 * spaces. */
static bool known_target(const void *user, const char *text, size_t length)
{
    const ken_task *task = user;
    if (task->output == KEN_GENERATE || known_word(task, text, length)) return true;
    if (task->output == KEN_WHOLE || length == 0 || text[0] == ' ') return false;
    for (size_t at = 0, word; at < length; at += word + 1) {
        const char *blank = memchr(text + at, ' ', length - at);
        word = blank ? (size_t)(blank - text) - at : length - at;
        if (!known_word(task, text + at, word)) return false;
    }
    return true;
}

/* Returns the format to which the ending of a file's name belongs. The recipe's format `own` is
 * preferred to other formats that the model can read. KEN_FORMAT_COUNT = no such format. */
static enum ken_format format_by_name(const ken_task *task, enum ken_format own, const char *file)
{
    size_t f = 0;
    if (!file) return KEN_FORMAT_COUNT;
    if (own != KEN_FORMAT_COUNT && ken_format_claims(ken_format_info(own), file)) return own;
    for (; f < KEN_FORMAT_COUNT; f++) {
        const struct ken_format_info *info = ken_format_info((enum ken_format)f);
        if (readable(task, info) && ken_format_claims(info, file)) break;
    }
    return (enum ken_format)f;
}

static ken_status ambiguous(const ken_task *task, const char *name, const char *what,
                            enum ken_format seen, enum ken_format usual)
{
    const char *format = ken_format_info(seen)->name;
    return ken_fail(KEN_ERR_FORMAT,
                    "%s: %s format %s (the model was trained on %s): choose the format (--format), "
                    "%s or %s",
                    name, what, format, ken_settings_format(task->recipe)->name, format,
                    ken_format_info(usual)->name);
}

/* Recognises the format of a text by its content, if the file's name does not show it. */
static ken_status by_content(const ken_task *task, enum ken_format *format, const char *name,
                             const struct ken_sample *sample, enum ken_format usual)
{
    enum ken_format own = sample->layout->format;
    enum ken_likeness like = own == KEN_FORMAT_COUNT || own == usual
                                 ? KEN_UNLIKE
                                 : ken_format_likeness(own, sample);
    if (like == KEN_MAYBE) return ambiguous(task, name, "the first line looks like", own, usual);
    *format = like == KEN_LIKE ? own : usual;
    for (size_t f = 0; f < KEN_FORMAT_COUNT && like == KEN_UNLIKE; f++) {
        enum ken_format other = (enum ken_format)f;
        if (other == own || other == usual || !readable(task, ken_format_info(other))) continue;
        if (ken_format_likeness(other, sample) == KEN_LIKE)
            return ambiguous(task, name, "the text looks like", other, usual);
    }
    return KEN_OK;
}

ken_status ken_task_recognise(const ken_task *task, const char **format, const char *file,
                              const char *text, size_t size)
{
    KEN_TRY(KEN_GIVEN(task));
    KEN_TRY(KEN_GIVEN(format));
    if (size > 0) KEN_TRY(KEN_GIVEN(text));
    struct ken_layout layout = trained_layout(task);
    struct ken_sample sample = { .text = text,
                                 .size = size,
                                 .layout = &layout,
                                 .known = known_target,
                                 .user = task,
                                 .telling = task->output != KEN_GENERATE &&
                                            task->value == KEN_VALUE_CLASS };
    enum ken_format usual = usual_format(task, layout.format, false);
    enum ken_format chosen = format_by_name(task, layout.format, file);
    const char *name = file ? file : "standard input";
    *format = NULL;
    if (chosen == KEN_FORMAT_COUNT) {
        KEN_TRY(by_content(task, &chosen, name, &sample, usual));
    } else if (chosen != layout.format && chosen != usual &&
               ken_format_likeness(chosen, &sample) != KEN_LIKE) {
        return ambiguous(task, name, "the name is that of", chosen, usual);
    }
    if (chosen != usual) *format = ken_format_info(chosen)->name;
    return KEN_OK;
}
