/* stream.c - gives the text of a generator to the caller in pieces, as soon as each id is chosen.
 * Invariant: the pieces of a text, one after another, are the bytes of the whole text. A piece ends
 * only where a character ends, so each piece is valid UTF-8 if the whole text is. */
#include "task/stream.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

struct stream {
    const ken_tokeniser *writer;
    ken_fragment_fn *write;
    void *user;
    ken_fragment fragment;
    ken_buffer text; /* decoded bytes that have not been passed to the caller yet */
    bool begun;      /* whether an id of the text has been decoded */
    bool stopped;    /* whether the caller's function has asked to stop */
};

/* Passes the first `length` bytes of the stream's text to the caller. */
static void pass_on(struct stream *s, size_t length)
{
    s->fragment.text = ken_buffer_string(&s->text);
    s->fragment.length = length;
    s->stopped = s->write(s->user, &s->fragment) != 0;
    if (length > 0) memmove(s->text.data, s->text.data + length, s->text.size - length);
    s->text.size -= length;
}

/* Decodes one more id, and passes the complete characters to the caller. It is a ken_id_fn, called
 * for each generated id. A failure to allocate stays in the buffer and is reported at the end. */
static int take_id(void *user, size_t sequence, size_t sample, int32_t id)
{
    struct stream *s = user;
    (void)sequence, (void)sample;
    ken_status status = ken_tokeniser_decode_next(s->writer, id, &s->begun, &s->text);
    size_t ready = status ? 0 : ken_text_complete(ken_buffer_string(&s->text), s->text.size);
    if (ready > 0) pass_on(s, ready);
    return status || s->stopped;
}

static ken_status write_sample(struct stream *s, ken_task *task, ken_strings *texts,
                               ken_buffer *scores, const ken_dataset *dataset, size_t i,
                               const ken_generation *how)
{
    s->fragment.last = 0;
    s->fragment.score = NAN;
    s->begun = false;
    ken_status status = ken_writing_generate(task, texts, scores, dataset, i, i + 1, how);
    KEN_TRY(ken_buffer_status(&s->text));
    if (!status) {
        memcpy(&s->fragment.score, scores->data + scores->size - sizeof(double), sizeof(double));
        s->fragment.last = 1;
        pass_on(s, s->text.size);
    }
    if (!s->stopped) return status;
    return ken_fail(KEN_ERR_STOPPED, "the caller stopped the run at example %zu",
                    s->fragment.index + 1);
}

ken_status ken_stream_example(ken_task *task, ken_strings *texts, ken_buffer *scores,
                              const ken_dataset *dataset, size_t i, const ken_generation *how,
                              ken_fragment_fn *write, void *user)
{
    struct stream s = { .writer = ken_task_writer(task),
                        .write = write,
                        .user = user,
                        .fragment.index = (size_t)how->first + i };
    ken_generation one = *how;
    ken_status status = KEN_OK;
    one.samples = 1;
    one.on_id = take_id;
    one.on_id_user = &s;
    for (size_t k = 0; k < how->samples && !status; k++) {
        s.fragment.sample = k;
        one.first_sample = how->first_sample + k;
        status = write_sample(&s, task, texts, scores, dataset, i, &one);
    }
    ken_buffer_release(&s.text);
    return status;
}
