/* test_made.c - generated text (made data) is as made/made.h and ambiguous.c describe: every label
 * follows from its whole sentence by the rules, and does not follow from less; training, dev and
 * test never share a text. */
#include "made/made.h"

#include "base/fault.h"
#include "base/size.h"
#include "ken.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 3000, MOST_WORDS = 400 };

static struct ken_make order(size_t count, size_t distance, bool exact, bool each)
{
    return (struct ken_make){ .seed = 3,
                              .count = count,
                              .distance = distance,
                              .exact = exact,
                              .each = each,
                              .target_kind = KEN_TARGET_LABEL };
}

static void make(ken_corpus *corpus, const char *format, struct ken_make how)
{
    *corpus = (ken_corpus){ 0 };
    const struct ken_maker *maker = ken_maker_named(format);
    assert_non_null(maker);
    if (ken_make(corpus, maker, &how)) fail_msg("%s: %s", format, ken_last_error());
    assert_int_equal(corpus->count, how.count);
    assert_string_equal(corpus->path, format);
}

/* A sentence and its tags. */
struct sentence {
    const char *words[MOST_WORDS], *tags[MOST_WORDS];
    size_t count;
};

static struct sentence sentence_at(const ken_corpus *corpus, size_t i)
{
    struct sentence s = { 0 };
    size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
    assert_int_equal(from, ken_corpus_target_start(corpus, i));
    for (size_t j = from; j < to; j++, s.count++) {
        assert_true(s.count < MOST_WORDS);
        s.words[s.count] = ken_strings_at(&corpus->input, j, NULL);
        s.tags[s.count] = ken_strings_at(&corpus->target, j, NULL);
    }
    return s;
}

static bool among(const char *word, const char *list)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

/* ---- ambiguous words ------------------------------------------------------------------------- */

static const char *const dets = "a the my your every some no one";
static const char *const hers = "her this that these those";
static const char *const plain_adjectives = "big small old new red green blue round heavy sharp "
                                            "dark empty quiet strange cheap proud young tall "
                                            "broken clean";
static const char *const fasts = "fast hard early late long deep high low near far";
static const char *const thens = "then so still now yet once";
static const char *const ifs = "if when whenever unless because";
static const char *const others = "I you he she we they it me him us them Anna Ben Clara David "
                                  "Emma Frank Grace Hugo Ida Jonas Karl Lena slowly often never "
                                  "always again soon gladly loudly seldom twice there today in on "
                                  "with by under behind for at if when whenever unless because "
                                  "first initially originally yesterday formerly and .";

static bool is_both(const char *word)
{
    return !among(word, dets) && !among(word, hers) && !among(word, plain_adjectives) &&
           !among(word, fasts) && !among(word, thens) && !among(word, others);
}

/* The tag of a word with two possible tags, from its sentence; NULL for a word with one tag. */
static const char *tag_of(const struct sentence *s, size_t t)
{
    const char *word = s->words[t], *next = t + 1 < s->count ? s->words[t + 1] : "";
    size_t before = t;
    if (among(word, thens)) return among(s->words[0], ifs) ? "CONJ" : "ADV";
    if (among(word, hers))
        return among(next, plain_adjectives) || among(next, fasts) || is_both(next) ? "DET"
                                                                                    : "PRON";
    bool fast = among(word, fasts);
    if (!fast && !is_both(word)) return NULL;
    while (before > 0 &&
           (among(s->words[before - 1], plain_adjectives) || among(s->words[before - 1], fasts)))
        before--;
    const char *opens = before > 0 ? s->words[before - 1] : "";
    bool inside = among(opens, dets) || among(opens, hers);
    return fast ? inside ? "ADJ" : "ADV" : inside ? "NOUN" : "VERB";
}

static void tags_follow_from_the_sentence(void **state)
{
    (void)state;
    ken_corpus corpus;
    size_t words = 0, two = 0, seen[6] = { 0 };
    static const char *const tags[6] = { "NOUN", "VERB", "ADJ", "ADV", "DET", "PRON" };
    make(&corpus, "ambiguous", order(EXAMPLES, 0, false, true));
    assert_true(corpus.words);
    for (size_t i = 0; i < EXAMPLES; i++) {
        struct sentence s = sentence_at(&corpus, i);
        assert_string_equal(s.words[s.count - 1], ".");
        for (size_t t = 0; t < s.count; t++, words++) {
            const char *tag = tag_of(&s, t);
            if (!tag) continue;
            two++;
            if (strcmp(tag, s.tags[t]) != 0)
                fail_msg("example %zu, word %zu: %s is %s, not %s", i, t, s.words[t], s.tags[t],
                         tag);
            for (size_t k = 0; k < 6; k++) seen[k] += strcmp(tag, tags[k]) == 0;
        }
    }
    assert_true(two * 10 > words * 4 && two * 10 < words * 7); /* about half */
    for (size_t k = 0; k < 6; k++) assert_true(seen[k] > 200);
    ken_corpus_release(&corpus);
}

/* Both tags of a word are so frequent that the word by itself says little; no word has a third
 * tag. */
static void words_alone_do_not_tell(void **state)
{
    (void)state;
    static const char *const some[] = { "saw", "can", "fast", "her", "then", "Anna", "slowly" };
    static const size_t kinds[] = { 2, 2, 2, 2, 2, 1, 1 };
    ken_corpus corpus;
    make(&corpus, "ambiguous", order(EXAMPLES, 0, false, true));
    for (size_t k = 0; k < KEN_COUNT(some); k++) {
        const char *tags[2] = { NULL };
        size_t counts[2] = { 0 };
        for (size_t j = 0; j < corpus.input.count; j++) {
            if (strcmp(ken_strings_at(&corpus.input, j, NULL), some[k]) != 0) continue;
            const char *tag = ken_strings_at(&corpus.target, j, NULL);
            size_t which = tags[0] && strcmp(tags[0], tag) != 0;
            if (!tags[which]) tags[which] = tag;
            assert_string_equal(tags[which], tag);
            counts[which]++;
        }
        assert_int_equal(tags[1] != NULL, kinds[k] == 2);
        size_t most = counts[0] > counts[1] ? counts[0] : counts[1];
        if (kinds[k] == 2) assert_true(most * 10 < (counts[0] + counts[1]) * 8);
    }
    ken_corpus_release(&corpus);
}

static void agreement_at_a_distance(void **state)
{
    (void)state;
    static const size_t far[] = { 1, 2, 5, 12, 100 };
    ken_corpus corpus;
    for (size_t k = 0; k < KEN_COUNT(far); k++) {
        size_t conditions = 0;
        make(&corpus, "ambiguous", order(300, far[k], true, true));
        for (size_t i = 0; i < 300; i++) {
            struct sentence s = sentence_at(&corpus, i);
            assert_true(among(s.words[far[k]], thens));
            conditions += among(s.words[0], ifs);
        }
        assert_true(conditions > 110 && conditions < 190);
        ken_corpus_release(&corpus);
    }
    size_t with = 0, ranges[4] = { 0 }; /* 1, 2-3, 4-7, 8-12 */
    make(&corpus, "ambiguous", order(EXAMPLES, 12, false, true));
    for (size_t i = 0; i < EXAMPLES; i++) {
        struct sentence s = sentence_at(&corpus, i);
        size_t at = 0;
        while (at < s.count && !among(s.words[at], thens)) at++;
        if (at == s.count) continue;
        with++;
        assert_true(at >= 1 && at <= 12);
        ranges[at < 2 ? 0 : at < 4 ? 1 : at < 8 ? 2 : 3]++;
    }
    assert_true(with > EXAMPLES * 2 / 5 && with < EXAMPLES * 3 / 5);
    for (size_t r = 0; r < 4; r++) assert_true(ranges[r] > with / 6 && ranges[r] < with / 3);
    ken_corpus_release(&corpus);
}

/* ---- recall and the future ------------------------------------------------------------------- */

static void recall(void **state)
{
    (void)state;
    static const size_t far[] = { 1, 2, 64, 512, 0 }; /* 0 = up to 64 */
    for (size_t k = 0; k < KEN_COUNT(far); k++) {
        ken_corpus corpus;
        size_t joint[16][16] = { { 0 } }, ranges[8] = { 0 }, labels[16] = { 0 }, distractors = 0;
        size_t count = far[k] == 512 ? 300 : EXAMPLES;
        make(&corpus, "recall", order(count, far[k], far[k] > 0, false));
        for (size_t i = 0; i < count; i++) {
            char text[4096], *rest = text, *word;
            size_t set = SIZE_MAX, t = 0, value = 0;
            snprintf(text, sizeof text, "%s", ken_strings_at(&corpus.input, i, NULL));
            char key = text[strlen(text) - 2]; /* of "c?", the last word */
            for (; (word = strtok_r(rest, " ", &rest)); t++) {
                assert_true(word[0] >= 'a' && word[0] <= 'p' && (word[1] == '=' || !rest[0]));
                if (word[0] != key) distractors++;
                if (word[0] != key || word[1] != '=') continue;
                assert_true(set == SIZE_MAX); /* the key is set only once */
                set = t;
                value = (size_t)atoi(word + 2);
            }
            size_t distance = t - 1 - set,
                   label = (size_t)atoi(ken_strings_at(&corpus.target, i, NULL));
            assert_true(set <= 15 && distance >= 1 && label == value);
            if (far[k] > 0) assert_int_equal(distance, far[k]);
            else assert_true(distance <= 64);
            joint[key - 'a'][label]++;
            labels[label]++;
            for (size_t power = distance, r = 0;; power /= 2, r++)
                if (power < 2) {
                    ranges[r > 7 ? 7 : r]++;
                    break;
                }
        }
        assert_true(distractors > count); /* even if the distance is 1 */
        if (count == EXAMPLES)
            for (size_t n = 0; n < 16; n++) { /* the question alone says nothing about the label */
                assert_true(labels[n] > EXAMPLES / 32 && labels[n] < EXAMPLES / 8);
                for (size_t l = 0; l < 16; l++) assert_true(joint[n][l] < EXAMPLES / 64);
            }
        for (size_t r = 0; far[k] == 0 && r < 7; r++) assert_true(ranges[r] > EXAMPLES / 14);
        ken_corpus_release(&corpus);
    }
}

static void future(void **state)
{
    (void)state;
    for (size_t far = 1; far < 40; far += 13) {
        ken_corpus corpus;
        make(&corpus, "future", order(500, far, true, true));
        for (size_t i = 0; i < 500; i++) {
            struct sentence s = sentence_at(&corpus, i);
            assert_true(s.count >= 12 + far && s.count <= 28 + far);
            for (size_t t = 0; t < s.count; t++)
                assert_string_equal(s.tags[t], t + far < s.count ? s.words[t + far] : "none");
        }
        ken_corpus_release(&corpus);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static const char *const formats[] = { "ambiguous", "recall", "future" };

static bool same_example(const ken_corpus *a, size_t i, const ken_corpus *b, size_t j)
{
    size_t from = ken_corpus_input_start(a, i), other = ken_corpus_input_start(b, j);
    size_t count = ken_corpus_input_start(a, i + 1) - from;
    if (ken_corpus_input_start(b, j + 1) - other != count) return false;
    for (size_t t = 0; t < count; t++)
        if (strcmp(ken_strings_at(&a->input, from + t, NULL),
                   ken_strings_at(&b->input, other + t, NULL)) != 0)
            return false;
    return true;
}

static void only_seed_and_index_decide(void **state)
{
    (void)state;
    for (size_t k = 0; k < KEN_COUNT(formats); k++) {
        bool each = k != 1;
        ken_corpus many, few, other;
        struct ken_make how = order(100, 0, false, each), less = order(7, 0, false, each);
        make(&many, formats[k], how);
        make(&few, formats[k], less);
        how.seed = 4;
        make(&other, formats[k], how);
        size_t alike = 0;
        for (size_t i = 0; i < 100; i++) {
            if (i < 7) assert_true(same_example(&many, i, &few, i));
            alike += same_example(&many, i, &other, i);
        }
        assert_true(alike < 5);
        ken_corpus_release(&many);
        ken_corpus_release(&few);
        ken_corpus_release(&other);
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the texts of all three parts: texts of different parts are never equal, although at short
 * distances there are so few texts that many occur repeatedly. */
static void parts_never_overlap(void **state)
{
    (void)state;
    enum { EACH = 2000 };
    static char *texts[3 * EACH];
    for (size_t k = 0; k < KEN_COUNT(formats); k++) {
        size_t again = 0;
        for (size_t part = 0; part < 3; part++) {
            ken_corpus corpus;
            struct ken_make how = order(EACH, 1, true, k != 1);
            how.part = (enum ken_made_part)part;
            make(&corpus, formats[k], how);
            for (size_t i = 0; i < EACH; i++) {
                ken_buffer text = { 0 };
                for (size_t j = ken_corpus_input_start(&corpus, i);
                     j < ken_corpus_input_start(&corpus, i + 1); j++)
                    ken_buffer_format(&text, "%s ", ken_strings_at(&corpus.input, j, NULL));
                ken_buffer_format(&text, "|%zu", part);
                texts[part * EACH + i] = strdup(ken_buffer_string(&text));
                ken_buffer_release(&text);
            }
            ken_corpus_release(&corpus);
        }
        qsort(texts, 3 * EACH, sizeof *texts, compare);
        for (size_t i = 0; i + 1 < 3 * EACH; i++) {
            size_t length = (size_t)(strchr(texts[i], '|') - texts[i]);
            if (strncmp(texts[i], texts[i + 1], length + 1) != 0) continue;
            assert_string_equal(texts[i] + length, texts[i + 1] + length);
            again++;
        }
        if (k == 1) assert_true(again > EACH / 20);
        for (size_t i = 0; i < 3 * EACH; i++) free(texts[i]);
    }
}

static void dates_are_those_of_the_interface(void **state)
{
    (void)state;
    for (size_t part = 0; part < 3; part++) {
        ken_corpus corpus;
        struct ken_make how = { .seed = 5,
                                .part = part,
                                .count = 20,
                                .target_kind = KEN_TARGET_TEXT };
        make(&corpus, "dates", how);
        for (size_t i = 0; i < 20; i++) {
            char written[KEN_DATE_WRITTEN], iso[KEN_DATE_ISO];
            ken_date_example(written, iso, 5, ((uint64_t)part << 30) + i, part > 0);
            assert_string_equal(ken_strings_at(&corpus.input, i, NULL), written);
            assert_string_equal(ken_strings_at(&corpus.target, i, NULL), iso);
        }
        ken_corpus_release(&corpus);
    }
}

static void refused(void **state)
{
    (void)state;
    ken_corpus corpus = { 0 };
    assert_null(ken_maker_named("conllu"));
    assert_null(ken_maker_named(""));
    struct ken_make how = order(1, KEN_DISTANCE_MOST, true, false);
    assert_int_equal(ken_make(&corpus, ken_maker_named("recall"), &how), KEN_OK);
    how.distance++;
    assert_int_equal(ken_make(&corpus, ken_maker_named("recall"), &how), KEN_ERR_ARGUMENT);
    assert_string_equal(ken_last_error(), "recall: the distance is 4097, expected at most 4096");
    how = order(1, 0, false, true);
    how.target_kind = KEN_TARGET_NUMBER;
    assert_int_equal(ken_make(&corpus, ken_maker_named("future"), &how), KEN_ERR_ARGUMENT);
    ken_corpus_release(&corpus);
}

static void faults(void **state)
{
    (void)state;
    for (size_t k = 0; k < KEN_COUNT(formats); k++) {
        size_t failures = 0;
        for (uint64_t nth = 1;; nth++) {
            ken_corpus corpus = { 0 };
            struct ken_make how = order(50, 0, false, k != 1);
            ken_fault_arm(KEN_FAULT_MEMORY, nth, nth % 2);
            ken_status status = ken_make(&corpus, ken_maker_named(formats[k]), &how);
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            ken_corpus_release(&corpus);
            if (!status) break;
            assert_int_equal(status, KEN_ERR_MEMORY);
            failures++;
        }
        assert_true(failures > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_follow_from_the_sentence),
        cmocka_unit_test(words_alone_do_not_tell),
        cmocka_unit_test(agreement_at_a_distance),
        cmocka_unit_test(recall),
        cmocka_unit_test(future),
        cmocka_unit_test(only_seed_and_index_decide),
        cmocka_unit_test(parts_never_overlap),
        cmocka_unit_test(dates_are_those_of_the_interface),
        cmocka_unit_test(refused),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
