/* social.c - generates the data "social": a network of people, some of whom will buy something.
 *
 * Half of the people are buyers by nature, the others are not. Each person chooses five friends:
 * with probability `homophily` people of the same kind, otherwise of the other kind; friendship is
 * mutual. Each person has eight visible numbers, drawn with mean +0.35 for buyers and -0.35 for
 * others, and with standard deviation 1. A share `noise` of all people acts against their kind.
 *
 * So no accuracy above 1 - noise is possible. A person's own numbers reveal the kind of 84 in 100
 * people, because the means of the two kinds are 2 * 0.35 sqrt(8) = 2 * 0.99 standard deviations
 * apart. A model that also sees the friends gets closer to the limit. */
#include "base/random.h"
#include "format/corpus_parse.h"
#include "made/made.h"

#include <math.h>
#include <string.h>

enum { FRIENDS = 5, WIDTH = 8, ATTEMPTS = 64 };
static const float shift = 0.35f;

enum draw { KIND, FRIEND, SAME, NUMBER, OPPOSITE, PART };

static uint64_t key_of(uint64_t family, enum draw what, size_t person)
{
    return ken_random_key(ken_random_key(family, what), person);
}

static bool is_buyer(uint64_t family, size_t person)
{
    return ken_random_below(key_of(family, KIND, person), 0, 2) == 1;
}

/* Draws a friend of the wanted kind (buyer or not) for `person`. If no such person is found after
 * some attempts, the friend may be of any kind. */
static size_t draw_friend(uint64_t family, size_t person, size_t nth, size_t count, bool buyer)
{
    uint64_t key = ken_random_key(key_of(family, FRIEND, person), nth);
    size_t other = person;
    for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        other = (size_t)ken_random_below(key, attempt, count);
        if (other != person && is_buyer(family, other) == buyer) break;
    }
    return other;
}

static void add_friends(ken_corpus *corpus, uint64_t family, size_t person,
                        const struct ken_make *how)
{
    bool buyer = is_buyer(family, person);
    for (size_t i = 0; i < FRIENDS; i++) {
        bool same = (double)ken_random_uniform(key_of(family, SAME, person), i) < how->homophily;
        size_t other = draw_friend(family, person, i, how->count, buyer == same);
        if (other != person) ken_corpus_link(corpus, (int32_t)person, (int32_t)other, NULL, false);
    }
}

/* Returns the part of the data to which the label of a person belongs: training for half of the
 * people, dev and test for a quarter each. */
static enum ken_made_part part_of(uint64_t family, size_t person)
{
    size_t quarter = (size_t)ken_random_below(key_of(family, PART, person), 0, 4);
    return quarter < 2 ? KEN_MADE_TRAIN : quarter == 2 ? KEN_MADE_DEV : KEN_MADE_TEST;
}

ken_status ken_social_make(ken_corpus *corpus, const struct ken_make *how, uint64_t first)
{
    /* "social" in ASCII makes these random numbers differ from those of other formats. */
    uint64_t family = ken_random_key(how->seed, UINT64_C(0x736f6369616c));
    (void)first; /* unused: all parts share one network */
    if (how->target_kind != KEN_TARGET_LABEL)
        return ken_fail(KEN_ERR_ARGUMENT, "social: targets must be labels");
    if (how->count < 2 || how->count > 10000000)
        return ken_fail(KEN_ERR_ARGUMENT, "social: found %zu people, expected 2 to 10 million",
                        how->count);
    corpus->width = WIDTH;
    corpus->linked = true;
    for (size_t person = 0; person < how->count; person++) {
        bool buyer = is_buyer(family, person);
        uint64_t seen = key_of(family, NUMBER, person);
        for (size_t i = 0; i < WIDTH; i++) {
            float number = ken_random_normal(seen, i) + (buyer ? shift : -shift);
            ken_buffer_append(&corpus->vectors, &number, sizeof number);
        }
        bool turned = (double)ken_random_uniform(key_of(family, OPPOSITE, person), 0) < how->noise;
        const char *label = buyer != turned ? "buys" : "passes";
        /* An empty label is unknown: labels of other parts of the data must not be visible. */
        if (part_of(family, person) != how->part) label = "";
        ken_strings_add(&corpus->target, label, strlen(label));
        add_friends(corpus, family, person, how);
    }
    KEN_TRY(ken_corpus_sort_links(corpus));
    return ken_corpus_end(corpus, 1);
}
