/* edge.h - memory that ends at a page which may not be touched: reading or writing beyond a struct
 * there ends the program. And the cases in TAP, as the programs of this folder print them. */
#ifndef TESTS_ABI_EDGE_H
#define TESTS_ABI_EDGE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static inline void *at_the_edge(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || size > page || mprotect(memory + page, page, PROT_NONE)) exit(2);
    return memory + page - size;
}

static int failed;

static inline void check(const char *what, int good)
{
    printf("%sok - %s\n", good ? "" : "not ", what);
    failed |= !good;
}

#endif
