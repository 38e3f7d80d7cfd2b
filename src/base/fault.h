/* fault.h - injects failures for tests: makes the n-th allocation or the n-th file operation fail.
 * This code is always compiled in, so that the shipped library is the tested library. Until the
 * first ken_fault_arm() of a process nothing is counted, and a check costs one load from a cache
 * line that is never written. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum ken_fault { KEN_FAULT_MEMORY, KEN_FAULT_IO, KEN_FAULT_KINDS };

/* Makes the n-th call of this kind from now on fail (1 = the next call); with `forever`, all calls
 * after the n-th fail too. nth = 0 means no failures. Each call of ken_fault_arm() restarts the
 * count at 0. */
void ken_fault_arm(enum ken_fault kind, uint64_t nth, bool forever);

/* Returns the number of calls of this kind since the last ken_fault_arm(); 0 if ken_fault_arm() was
 * never called. */
uint64_t ken_fault_calls(enum ken_fault kind);

/* Counts one call and returns whether that call must fail. Only memory.c and io_call.c use this
 * function. */
bool ken_fault_due(enum ken_fault kind);

#endif
