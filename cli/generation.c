/* generation.c - the flags of all commands that generate text. Each flag sets a key of section
 * [generate]. The key generate.seed has no flag here: the common flag --seed sets it. */
#include "cli/command.h"

#include "base/size.h"

const struct cli_flag cli_generation_flags[] = {
    { "--temperature", "T",
      "draw each id (sampling) at this temperature, 0 to 1000; 0 = always the most likely id",
      CLI_KEY("generate.temperature") },
    { "--top-k", "K", "draw only from the K most likely ids; 0 = from all",
      CLI_KEY("generate.top_k") },
    { "--top-p", "P",
      "nucleus sampling: draw from the smallest set of ids whose probabilities sum to P, above 0 "
      "to "
      "1; 1 = from all",
      CLI_KEY("generate.top_p") },
    { "--beam", "N", "hypotheses of beam search, 1 to 1024; 1 = no beam search",
      CLI_KEY("generate.beam") },
    { "--length-penalty", "X", "beam search ranks results by log p / length ^ X, 0 to 10",
      CLI_KEY("generate.length_penalty") },
    { "--longest-output", "N", "maximum number of ids of a text, 1 to 1000000",
      CLI_KEY("generate.longest") },
    { "--no-repeat", "N", "never repeat N ids in a row (n-gram); 0 = may repeat",
      CLI_KEY("generate.no_repeat") },
};
const size_t cli_generation_flag_count = KEN_COUNT(cli_generation_flags);
