/* signals.c - generates waves from formulas, with noise from counter-based random numbers. */
#include "made/signals.h"

#include "base/random.h"
#include "format/corpus_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = 4, WIDTH = 3, SHORTEST = 24, LONGEST = 64 };

static const char *const kind_names[KINDS] = { "sine", "square", "saw", "triangle" };
/* Standard deviation of the noise; the amplitudes of waves are 0.5 to 2. */
static const double noise = 0.1;

/* The index with which each random quantity of an example is drawn from the example's key. NOISE is
 * the index of a further key, because noise needs many random numbers. */
enum draw { LENGTH, KIND, PITCH, AMPLITUDE, PHASE, TURNS, TURN, KIND_AFTER, NOISE };

struct wave {
    size_t rows;
    size_t kind, kind_after; /* kind of wave before the turn, and after it; always different */
    size_t turn;  /* first row after the turn; equal to the number of rows if there is no turn */
    double pitch; /* frequency in periods per 16 rows, 1/2 to 2                                */
    double amplitude, phase; /* the phase is measured in periods */
};

/* Returns the value of a wave of amplitude 1 at `time`, measured in periods. */
static double value_of(size_t kind, double time)
{
    double part = time - floor(time);
    switch (kind) {
    case 0: return sin(2 * 3.141592653589793 * part);
    case 1: return part < 0.5 ? 1 : -1;
    case 2: return 2 * part - 1;
    default: return 4 * fabs(part - 0.5) - 1;
    }
}

/* Draws all parameters of an example except its noise. If the wave turns into another kind, it does
 * so in the middle third of the rows. */
static struct wave wave_of(uint64_t key)
{
    struct wave wave = {
        .rows = SHORTEST + (size_t)ken_random_below(key, LENGTH, LONGEST - SHORTEST + 1),
        .kind = (size_t)ken_random_below(key, KIND, KINDS),
        .pitch = 0.5 + 1.5 * (double)ken_random_uniform(key, PITCH),
        .amplitude = 0.5 + 1.5 * (double)ken_random_uniform(key, AMPLITUDE),
        .phase = (double)ken_random_uniform(key, PHASE),
    };
    size_t third = wave.rows / 3;
    bool turns = ken_random_below(key, TURNS, 2) == 1;
    wave.turn = turns ? third + (size_t)ken_random_below(key, TURN, third) : wave.rows;
    wave.kind_after = (wave.kind + 1 + (size_t)ken_random_below(key, KIND_AFTER, KINDS - 1)) %
                      KINDS;
    return wave;
}

/* Adds the target text, the kinds of the wave in their order: "sine", or "sine saw" if the wave
 * turns into another kind. */
static void add_text(ken_corpus *corpus, const struct wave *wave)
{
    char text[32];
    bool turns = wave->turn < wave->rows;
    int length = snprintf(text, sizeof text, "%s%s%s", kind_names[wave->kind], turns ? " " : "",
                          turns ? kind_names[wave->kind_after] : "");
    ken_strings_add(&corpus->target, text, (size_t)length);
}

static void add_target(ken_corpus *corpus, enum ken_target_kind target_kind, size_t kind,
                       double number)
{
    float value = (float)number;
    if (target_kind == KEN_TARGET_NUMBER) ken_buffer_append(&corpus->numbers, &value, sizeof value);
    else ken_strings_add(&corpus->target, kind_names[kind], strlen(kind_names[kind]));
}

/* Adds the rows of a wave. Time does not restart at a turn, so the new kind of wave begins at the
 * phase that the old kind had reached. */
static void add_rows(ken_corpus *corpus, const struct wave *wave, uint64_t key, bool each,
                     enum ken_target_kind target_kind)
{
    uint64_t noise_key = ken_random_key(key, NOISE);
    for (size_t t = 0; t < wave->rows; t++) {
        size_t kind = t < wave->turn ? wave->kind : wave->kind_after;
        double time = wave->phase + (double)t * wave->pitch / 16, clean = value_of(kind, time);
        double row[WIDTH] = { wave->amplitude * clean,
                              wave->amplitude * value_of(kind, time + 0.25), 0 };
        for (size_t i = 0; i < WIDTH; i++) {
            float seen = (float)(row[i] + noise * ken_random_normal(noise_key, t * WIDTH + i));
            ken_buffer_append(&corpus->vectors, &seen, sizeof seen);
        }
        if (each) add_target(corpus, target_kind, kind, clean);
    }
}

ken_status ken_signals_make(ken_corpus *corpus, uint64_t seed, uint64_t first, size_t count,
                            bool each, enum ken_target_kind target_kind)
{
    bool text = target_kind == KEN_TARGET_TEXT && !each;
    if (target_kind != KEN_TARGET_LABEL && target_kind != KEN_TARGET_NUMBER && !text)
        return ken_fail(KEN_ERR_ARGUMENT, "signals: targets must be labels, numbers or text");
    if (corpus->count > 0 && corpus->width != WIDTH)
        return ken_fail(KEN_ERR_ARGUMENT, "signals: rows have %d numbers, but those of %s have %zu",
                        WIDTH, corpus->path ? corpus->path : "the corpus", corpus->width);
    corpus->width = WIDTH;
    /* "waves" in ASCII makes these random numbers differ from those of other formats. */
    uint64_t family = ken_random_key(seed, UINT64_C(0x7761766573));
    for (size_t i = 0; i < count; i++) {
        uint64_t key = ken_random_key(family, first + i);
        struct wave wave = wave_of(key);
        add_rows(corpus, &wave, key, each, target_kind);
        if (text) add_text(corpus, &wave);
        else if (!each) add_target(corpus, target_kind, wave.kind, wave.pitch);
        KEN_TRY(ken_corpus_end(corpus, corpus->count + 1));
    }
    return KEN_OK;
}
