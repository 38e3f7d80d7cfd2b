/* fault.c - counts calls and injects failures; safe to call from any thread. */
#include "base/fault.h"

#include <stdalign.h>
#include <stdatomic.h>

/* True once ken_fault_arm() has been called in this process. The flag lies in a separate cache
 * line, so that the changing counters do not slow down reading it. */
static alignas(64) atomic_bool counting;
static struct {
    alignas(64) atomic_uint_fast64_t calls;
    atomic_uint_fast64_t nth; /* number of the call that fails; 0 = no failures */
    atomic_bool forever;
} faults[KEN_FAULT_KINDS];

void ken_fault_arm(enum ken_fault kind, uint64_t nth, bool forever)
{
    atomic_store(&faults[kind].calls, 0);
    atomic_store(&faults[kind].forever, forever);
    /* `nth` is stored last, because a non-zero `nth` makes calls fail: the call count and `forever`
     * must be set before */
    atomic_store(&faults[kind].nth, nth);
    atomic_store(&counting, true);
}

uint64_t ken_fault_calls(enum ken_fault kind)
{
    return atomic_load(&faults[kind].calls);
}

bool ken_fault_due(enum ken_fault kind)
{
    if (!atomic_load_explicit(&counting, memory_order_relaxed)) return false;
    uint64_t call = atomic_fetch_add(&faults[kind].calls, 1) + 1;
    uint64_t nth = atomic_load(&faults[kind].nth);
    return nth != 0 && (call == nth || (call > nth && atomic_load(&faults[kind].forever)));
}
