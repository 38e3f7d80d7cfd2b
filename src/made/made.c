/* made.c - the table of makers (generators of synthetic data), and the code that makers of text
 * share. */
#include "made/made.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "format/corpus_parse.h"
#include "made/signals.h"
#include "ken.h"

#include <string.h>

static ken_status make_dates(ken_corpus *corpus, const struct ken_make *how, uint64_t first)
{
    for (size_t i = 0; i < how->count; i++) {
        char written[KEN_DATE_WRITTEN], iso[KEN_DATE_ISO];
        ken_date_example(written, iso, how->seed, first + i, how->part != KEN_MADE_TRAIN);
        ken_strings_add(&corpus->input, written, strlen(written));
        ken_strings_add(&corpus->target, iso, strlen(iso));
        KEN_TRY(ken_corpus_end(corpus, corpus->count + 1));
    }
    return KEN_OK;
}

static ken_status make_signals(ken_corpus *corpus, const struct ken_make *how, uint64_t first)
{
    return ken_signals_make(corpus, how->seed, first, how->count, how->each, how->target_kind);
}

#define LABELS KEN_TARGET_BIT(LABEL)

static const struct ken_maker makers[] = {
    { { "signals", "each whole generate", "", KEN_CARRIES_NUMBERS,
        .targets = LABELS | KEN_TARGET_BIT(NUMBER) | KEN_TARGET_BIT(TEXT) },
      .make = make_signals },
    { { "dates", "generate", "", KEN_CARRIES_TEXT, .targets = KEN_TARGET_BIT(TEXT) },
      .make = make_dates },
    { { "ambiguous", "each", "", KEN_CARRIES_WORDS, .targets = LABELS },
      .draft = ken_ambiguous_draft,
      .distance = 12 },
    { { "recall", "whole", "", KEN_CARRIES_WORDS, .targets = LABELS },
      .draft = ken_recall_draft,
      .distance = 64 },
    { { "future", "each", "", KEN_CARRIES_WORDS, .targets = LABELS },
      .draft = ken_future_draft,
      .distance = 2 },
    { { "social", "each", "", KEN_CARRIES_NUMBERS, .targets = LABELS, .linked = true },
      .make = ken_social_make },
    { { "beads", "generate", "", KEN_CARRIES_WORDS, .targets = KEN_TARGET_BIT(TEXT),
        .linked = true },
      .make = ken_beads_make },
};

const struct ken_maker *ken_maker_at(size_t i)
{
    return i < KEN_COUNT(makers) ? &makers[i] : NULL;
}

const struct ken_maker *ken_maker_named(const char *format)
{
    for (size_t i = 0; i < KEN_COUNT(makers); i++)
        if (strcmp(makers[i].info.name, format) == 0) return &makers[i];
    return NULL;
}

const struct ken_format_info *ken_format_of(const char *name)
{
    enum ken_format format = ken_format_named(name);
    const struct ken_maker *maker = ken_maker_named(name);
    if (maker) return &maker->info;
    return format < KEN_FORMAT_COUNT ? ken_format_info(format) : NULL;
}

/* ---- drafts ---------------------------------------------------------------------------------- */

size_t ken_draft_below(struct ken_draft *draft, size_t bound)
{
    return (size_t)ken_random_below(draft->key, draft->choices++, bound);
}

size_t ken_draft_distance(struct ken_draft *draft, size_t most)
{
    size_t powers = 1;
    while (most >> powers) powers++;
    size_t from = (size_t)1 << ken_draft_below(draft, powers);
    return from + ken_draft_below(draft, ken_size_min(from, most - from + 1));
}

void ken_draft_add(struct ken_draft *draft, const char *word, const char *label)
{
    draft->words[draft->count] = word;
    draft->labels[draft->count++] = label;
}

/* Returns the part of the data that a text belongs to. A hash of the text decides: 8 of 10 texts
 * are for training, 1 for dev and 1 for test. */
static enum ken_made_part part_of(const struct ken_draft *draft)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < draft->count; i++) {
        for (const char *c = draft->words[i]; *c; c++) hash = ken_random_key(hash, (uint64_t)*c);
        hash = ken_random_key(hash, 0);
    }
    uint64_t tenth = hash % 10;
    return tenth == 0 ? KEN_MADE_TEST : tenth == 1 ? KEN_MADE_DEV : KEN_MADE_TRAIN;
}

/* Adds a draft to the corpus. If `each`, every word is a row with its own label; otherwise the
 * words are one text with one label. */
static void add_draft(ken_corpus *corpus, const struct ken_draft *draft, bool each,
                      ken_buffer *text)
{
    ken_buffer_clear(text);
    for (size_t i = 0; i < draft->count; i++) {
        const char *word = draft->words[i], *label = draft->labels[i];
        if (each) ken_strings_add(&corpus->input, word, strlen(word));
        else ken_buffer_format(text, "%s%s", i > 0 ? " " : "", word);
        if (each || i == 0) ken_strings_add(&corpus->target, label, strlen(label));
    }
    if (!each) ken_strings_add(&corpus->input, text->data, text->size);
}

static ken_status make_drafts(ken_corpus *corpus, const struct ken_maker *maker,
                              const struct ken_make *how, uint64_t first)
{
    size_t distance = how->distance > 0 ? how->distance : maker->distance;
    uint64_t family = how->seed;
    for (const char *c = maker->info.name; *c; c++) family = ken_random_key(family, (uint64_t)*c);
    struct ken_draft *draft = ken_memory_new(1, sizeof *draft);
    ken_buffer text = { 0 };
    ken_status status = draft ? KEN_OK : ken_fail(KEN_ERR_MEMORY, "no memory for a draft");
    corpus->words = how->each;
    for (size_t i = 0; i < how->count && !status; i++) {
        uint64_t key = ken_random_key(family, first + i), attempt = 0;
        /* Makes drafts until one belongs to the wanted part of the data. This ends soon, because
         * each part has at least a tenth of all texts. */
        do {
            draft->count = 0;
            draft->choices = 0;
            draft->key = ken_random_key(key, attempt++);
            maker->draft(draft, distance, how->exact);
        } while (part_of(draft) != how->part);
        add_draft(corpus, draft, how->each, &text);
        status = ken_buffer_status(&text);
        if (!status) status = ken_corpus_end(corpus, corpus->count + 1);
    }
    ken_buffer_release(&text);
    ken_memory_free(draft);
    return status;
}

ken_status ken_make(ken_corpus *corpus, const struct ken_maker *maker, const struct ken_make *how)
{
    /* `first` is the index of the first example of a part; the parts have separate ranges of
     * indices, so they use different random numbers. */
    uint64_t first = (uint64_t)how->part << 30;
    size_t size = strlen(maker->info.name) + 1;
    if (!corpus->path) {
        corpus->path = ken_memory_new(size, 1);
        if (!corpus->path)
            return ken_fail(KEN_ERR_MEMORY, "no memory to make %s", maker->info.name);
        memcpy(corpus->path, maker->info.name, size);
    }
    if (!maker->draft) return maker->make(corpus, how, first);
    if (how->target_kind != KEN_TARGET_LABEL)
        return ken_fail(KEN_ERR_ARGUMENT, "%s: targets must be labels", maker->info.name);
    if (how->distance > KEN_DISTANCE_MOST)
        return ken_fail(KEN_ERR_ARGUMENT, "%s: the distance is %zu, expected at most %d",
                        maker->info.name, how->distance, KEN_DISTANCE_MOST);
    return make_drafts(corpus, maker, how, first);
}
