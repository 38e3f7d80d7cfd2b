#!/usr/bin/env python3
"""golden_metrics.py [FILE] - writes tests/golden/metrics.json with sacreBLEU.

Run it with any Python that has sacreBLEU 2.0 or newer, from the root of the tree:

    python tools/golden_metrics.py

The file is committed; this script is needed only to add a case. tests/measure/test_metrics.c reads it and
checks that ken cuts lines into the same tokens and comes to the same scores.

A corpus has a name, its lines and their scores, 0 to 100:

    lines        [answer, its 13a tokens, reference, its 13a tokens] each
    bleu         as corpus_bleu gives it
    bleu_lower   the same with all in lower case
    chrf         as corpus_chrf gives it

All sentences were made for this file. Those of `nasty` are there for the tokeniser, and mean
nothing; the others are for the scores.
"""
import json
import random
import sys

from sacrebleu.metrics import BLEU, CHRF

PLAIN = [
    ("The ferry leaves at nine from the pier.", "The ferry leaves at nine from the old harbour."),
    ("Nobody knew why the lamp was still burning.", "No one knew why the lamp was still on."),
    ("She paid 1,250.50 for it, not 1.300!", "She paid 1,250.50 for it, not 1,300!"),
    ("it rained all day", "It rained for the whole day."),
    ("Der Zug nach Köln fährt um 8.30 Uhr.", "Der Zug nach Köln geht um 8:30 Uhr."),
    ("He said: \"Wait here\", and he left.", "He said \"wait here\" and left."),
    ("a a a a a", "a a b"),
]

NASTY = [
    "", " ", "   two  blanks \t and\ttabs  ", "1,000.50", "1.000,50.", "U.S.",
    "the U.S., e.g. N.Y.C.", "it's John's and the dogs'", "'single' \"double\" `back` ``both''",
    "(round) [square] {curly}",
    "3-4", "3 - 4", "a-b", "10-year-old", "-5", "--", "5--6", "x--y", "2021-03-04", "1-", "-",
    ".", "..", "...", "....", "a...b", "1...2", "1..2", "1.,.5", "1,.2", ".5", "5.", ",5,", "a.5",
    "5.a", "5,a", "a,5", ",,", ".,.,1.,.,", "3.14.15,9", "No.7,No.8", "$9.99/kg", "50%", "50.%",
    "&quot;Q&A&quot; &lt;b&gt; &amp;", "&amp;lt; &amp;quot; &amp;amp;", "&apos; &QUOT; &lt &;",
    "<skipped>", "a<skipped>b", "<ski<skipped>pped>", "<SKIPPED>", "join-\ned", "two\nlines",
    "end-\n", "end- \n", "\n-\n-", "http://a.b/c?d=e&f=1,2#g_h", "me@you.org",
    "C++ a*b=c^2 ~x|y\\z", "under_score",
    "\u201ecurly\u201c \u2018quotes\u2019 \u00abguillemets\u00bb",
    "dash\u2013en dash\u2014em 3\u20134", "wait\u2026 what\u2026.", "\u00bfqu\u00e9? \u00a1no!",
    "5\u20ac 5,\u20ac \u20ac.5", "\u6211\u5011\u4eca\u5929\u53bb\u3002\u4f60\u5462\uff1f",
    "\u6f22\u5b57.\u304b\u306a,\u30ab\u30ca", "\u4e001.2\u4e8c,3", "\uff11\uff0c\uff12\uff0e\uff13",
    "\u0663.\u0664", "hi \U0001f600.\U0001f44d\U0001f3fd, ok",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467!",
    "e\u0301.e\u0301", "\u00e9.\u00e9", "no\u00a0break 1\u00a0000,5 thin\u2009space",
    "ideographic\u3000space", "line\u2028para\u2029end", "zero\u200bwidth", "next\u0085line",
    "fs\x1cgs\x1drs\x1eus\x1f.", "vt\x0bff\x0c.", "cr\r\n", "\ufeffbom.", "\x01\x7f,",
    "\u00c4RGER STRASSE \u00dcBER \u00c9T\u00c9", "\u0130I\u0131i",
    "\u039f\u0394\u039f\u03a3 \u03a3\u03a3.",
    "\u0415\u0416\u0418\u041a, 5.", "STRA\u1e9eE \u01c5 \u2126",
]

ALPHABET = list("aaBb  ..,,-'\"0019&;<>\n\u00a0\u00e9\u0394\u6f22\U0001f600")


def random_line(draw):
    return "".join(draw.choices(ALPHABET, k=draw.randrange(24)))


def corpora():
    draw = random.Random(20020707)
    yield "plain", PLAIN
    yield "equal", [(reference, reference) for _, reference in PLAIN]
    yield "turned", [(reference, answer) for answer, reference in PLAIN]
    yield "nasty", [(line, line.title()) for line in NASTY]
    yield "random", [(random_line(draw), random_line(draw)) for _ in range(40)]
    # what the smoothing, the penalty and emptiness do
    yield "one gram", [("a b c d e", "e x c y a")]
    yield "no match", [("a b c d e", "v w x y z")]
    yield "too short", [("a b c", "a b c")]
    yield "brief", [("the very first words", "the very first words of a book"), ("of", "of all")]
    yield "no answer", [("", "something was expected here")]
    yield "no reference", [("something was said here", ""), ("and here", "and here")]
    yield "nothing", [("", "")]


def golden(name, pairs):
    answers, references = [answer for answer, _ in pairs], [[right for _, right in pairs]]
    bleu = BLEU()
    return {
        "name": name,
        "lines": [[answer, bleu._preprocess_segment(answer), right, bleu._preprocess_segment(right)]
                  for answer, right in pairs],
        "bleu": bleu.corpus_score(answers, references).score,
        "bleu_lower": BLEU(lowercase=True).corpus_score(answers, references).score,
        "chrf": CHRF().corpus_score(answers, references).score,
    }


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/golden/metrics.json"
    with open(path, "w", encoding="ascii") as file:
        json.dump({"corpora": [golden(*corpus) for corpus in corpora()]}, file, indent=0)
        file.write("\n")


if __name__ == "__main__":
    main()
