/* signals.h - generates the data "signals": noisy waves, whose kind, value or pitch a model has to
 * find. Example i depends only on (seed, i).
 *
 * A sequence has 24 to 64 rows of 3 numbers each. Column 1 is a wave (sine, square, saw or
 * triangle) with its own pitch, amplitude and phase, plus noise. Column 2 is the same wave a
 * quarter period later, with other noise. Column 3 is pure noise. In the middle third of the rows
 * the wave may turn into another kind. The target depends on output.kind and on the kind of value:
 *   each, class     the kind of wave that the row belongs to
 *   each, number    the value of column 1 without noise, at amplitude 1
 *   whole, class    the kind of the wave at the beginning
 *   whole, number   the pitch of the wave, in periods per 16 rows
 *   generate        the kinds in their order as text: "sine", or "sine saw" if the wave turns */
#ifndef MADE_SIGNALS_H
#define MADE_SIGNALS_H

#include "format/corpus.h"

/* Adds `count` examples to the corpus, beginning with example number `first`. target_kind is
 * KEN_TARGET_LABEL ("sine", "square", "saw" or "triangle"), KEN_TARGET_NUMBER or, if `each` is
 * false, KEN_TARGET_TEXT. */
ken_status ken_signals_make(ken_corpus *corpus, uint64_t seed, uint64_t first, size_t count,
                            bool each, enum ken_target_kind target_kind);

#endif
