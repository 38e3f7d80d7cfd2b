/* ambiguous.c - generates the data "ambiguous", such as "I saw a saw .": sentences of a small
 * grammar in which half of the words can be two parts of speech. The label of every word is its
 * part of speech (tag). The grammar (det = determiner such as "a", adj = adjective):
 *
 *   sentence    clause [and clause] .   |   opener middle then clause .
 *   clause      subject verb [object] {slowly | place}
 *   subject     I | Anna | det {adj} noun
 *   object      it | her | det {adj} noun | her {adj} noun
 *   place       in Anna | in det {adj} noun
 *
 * The context decides the tag of each ambiguous word:
 *   saw    noun after a det or "her", with only adjectives between them; otherwise verb
 *   fast   adjective between a det or "her" and its noun; otherwise adverb
 *   her    det if an adjective or noun follows; otherwise pronoun
 *   then   conjunction after "if", adverb after "first", which is `distance` words before "then"
 * Three words on each side are enough to decide every tag, except that of "then". Every sentence
 * has exactly one right sequence of tags. */
#include "made/made.h"

#include "base/size.h"

static const char *const both[] = {
    "saw",   "can",   "fish",  "watch", "play",  "walk",  "run",   "drink", "cook",   "book",
    "park",  "ship",  "train", "plant", "water", "paint", "cut",   "call",  "stop",   "start",
    "show",  "talk",  "look",  "push",  "pull",  "throw", "catch", "kick",  "hit",    "test",
    "guess", "hope",  "dream", "dance", "smile", "laugh", "cry",   "fight", "help",   "work",
    "rest",  "sleep", "love",  "fear",  "need",  "trade", "land",  "fly",   "sail",   "ride",
    "turn",  "roll",  "shake", "knock", "break", "fix",   "patch", "nail",  "hammer", "duck",
};
static const char *const subjects[] = { "I", "you", "he", "she", "we", "they" };
static const char *const names[] = { "Anna",  "Ben",  "Clara", "David", "Emma", "Frank",
                                     "Grace", "Hugo", "Ida",   "Jonas", "Karl", "Lena" };
static const char *const dets[] = { "a", "the", "my", "your", "every", "some", "no", "one" };
static const char *const hers[] = { "her", "this", "that", "these", "those" };
static const char *const objects[] = { "it", "me", "him", "us", "them" };
static const char *const adjectives[] = {
    "big",  "small", "old",   "new",     "red",   "green", "blue",  "round", "heavy",  "sharp",
    "dark", "empty", "quiet", "strange", "cheap", "proud", "young", "tall",  "broken", "clean",
};
static const char *const adverbs[] = { "slowly", "often",  "never",  "always", "again", "soon",
                                       "gladly", "loudly", "seldom", "twice",  "there", "today" };
static const char *const fasts[] = { "fast", "hard", "early", "late", "long",
                                     "deep", "high", "low",   "near", "far" };
static const char *const places[] = { "in", "on", "with", "by", "under", "behind", "for", "at" };
static const char *const ifs[] = { "if", "when", "whenever", "unless", "because" };
static const char *const firsts[] = { "first", "initially", "originally", "yesterday", "formerly" };
static const char *const thens[] = { "then", "so", "still", "now", "yet", "once" };

#define ANY(draft, list) list[ken_draft_below(draft, KEN_COUNT(list))]
#define ADD(draft, list, tag) ken_draft_add(draft, ANY(draft, list), tag)

static bool one_in(struct ken_draft *draft, size_t n)
{
    return ken_draft_below(draft, n) == 0;
}

/* Adds a noun phrase (determiner, adjectives, noun) of 2 to `most` words. */
static void add_noun(struct ken_draft *draft, size_t most)
{
    if (one_in(draft, 4)) ADD(draft, hers, "DET");
    else ADD(draft, dets, "DET");
    for (size_t used = 1; used + 1 < most && used < 3 && one_in(draft, 2); used++) {
        if (one_in(draft, 2)) ADD(draft, fasts, "ADJ");
        else ADD(draft, adjectives, "ADJ");
    }
    ADD(draft, both, "NOUN");
}

/* Adds an object, such as "it" or "a dog". Returns whether the object is the pronoun "her", which
 * could also be a determiner. */
static bool add_object(struct ken_draft *draft, size_t most)
{
    if (most > 1 && one_in(draft, 2)) {
        add_noun(draft, most);
        return false;
    }
    bool her = one_in(draft, 2);
    if (her) ADD(draft, hers, "PRON");
    else ADD(draft, objects, "PRON");
    return her;
}

static void add_place(struct ken_draft *draft, size_t most)
{
    ADD(draft, places, "PREP");
    if (most > 2 && one_in(draft, 2)) add_noun(draft, most - 1);
    else ADD(draft, names, "NAME");
}

/* Adds a clause of exactly `count` words. A clause of one word is an adverb. */
static void add_clause(struct ken_draft *draft, size_t count)
{
    size_t end = draft->count + count;
    bool her = false, object = !one_in(draft, 3);
    if (count >= 2) {
        if (count >= 3 && one_in(draft, 2)) add_noun(draft, count - 1);
        else if (one_in(draft, 2)) ADD(draft, names, "NAME");
        else ADD(draft, subjects, "PRON");
        ADD(draft, both, "VERB");
    }
    for (; draft->count < end; object = false) {
        size_t left = end - draft->count;
        bool place = left > 1 && !object && one_in(draft, 2), after_her = her;
        her = false;
        if (object && count >= 3) her = add_object(draft, left);
        else if (place) add_place(draft, left);
        /* "fast" must not follow the pronoun "her", because "fast" could be an adjective there. */
        else if (!after_her && one_in(draft, 3)) ADD(draft, fasts, "ADV");
        else ADD(draft, adverbs, "ADV");
    }
}

void ken_ambiguous_draft(struct ken_draft *draft, size_t distance, bool exact)
{
    enum { SHORTEST = 2, LONGEST = 9 };
    if (exact || one_in(draft, 2)) {
        size_t far = exact ? distance : ken_draft_distance(draft, distance);
        bool condition = one_in(draft, 2);
        if (condition) ADD(draft, ifs, "CONJ");
        else ADD(draft, firsts, "ADV");
        add_clause(draft, far - 1);
        ADD(draft, thens, condition ? "CONJ" : "ADV");
    }
    add_clause(draft, SHORTEST + ken_draft_below(draft, LONGEST - SHORTEST + 1));
    if (one_in(draft, 3)) {
        ken_draft_add(draft, "and", "CONJ");
        add_clause(draft, SHORTEST + ken_draft_below(draft, LONGEST - SHORTEST + 1));
    }
    ken_draft_add(draft, ".", "PUNCT");
}
