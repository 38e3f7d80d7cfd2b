/* fault.h - makes the k-th allocation or the k-th file operation fail, on purpose.
 * Always compiled in: the shipped library is the tested library. Until the first ken_fault_arm() of
 * a process nothing is counted: a check is one load of a line that nobody writes to. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum ken_fault { KEN_FAULT_MEMORY, KEN_FAULT_IO, KEN_FAULT_KINDS };

/* The nth call from now fails (1 = the next one), and with `forever` all after it. 0 disarms.
 * Counting starts again at every call of this function. */
void ken_fault_arm(enum ken_fault kind, uint64_t nth, bool forever);

/* How many calls of this kind were made since the last ken_fault_arm(); 0 before the first. */
uint64_t ken_fault_calls(enum ken_fault kind);

/* For memory.c and io_call.c only: counts one call and tells whether it has to fail. */
bool ken_fault_due(enum ken_fault kind);

#endif
