/* fault.h - injects failures: makes the k-th allocation or the k-th file operation fail.
 * It is always compiled in, so that the shipped library is the tested library. Before the first
 * ken_fault_arm() of a process nothing is counted, and a check is one load of a cache line that is
 * never written. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum ken_fault { KEN_FAULT_MEMORY, KEN_FAULT_IO, KEN_FAULT_KINDS };

/* Makes the nth call from now fail (1 = the next one), and with `forever` all calls after it too.
 * 0 = no failures. Counting starts again at every call of this function. */
void ken_fault_arm(enum ken_fault kind, uint64_t nth, bool forever);

/* The number of calls of this kind since the last ken_fault_arm(); 0 before the first one. */
uint64_t ken_fault_calls(enum ken_fault kind);

/* For memory.c and io_call.c only: counts one call and says whether it has to fail. */
bool ken_fault_due(enum ken_fault kind);

#endif
