/* SPDX-License-Identifier: Apache-2.0 */
/* What the inputs of `karp bench` have in common: the pool, the catalogues, nodes in use, chance from a seed. */
#ifndef CLI_BENCH_TYPES_H
#define CLI_BENCH_TYPES_H

#include "cli.h"

typedef struct bench_maker {
    karp_context *context;
    karp_builder *builder;
    karp_error *error;
    karp_catalogue *catalogue;
    int64_t now;
    uint64_t random;
    uint32_t pods; /* so far */
    bool fleet; /* on-demand nodes that may be consolidated, under a pool of those */
} bench_maker;

typedef struct bench_node {
    char name[16];
    double cpu, memory; /* free: cores, bytes */
} bench_node;

karp_str bench_str(const char *text);
/* A number below `limit`, which is not 0. */
uint32_t bench_below(bench_maker *maker, uint32_t limit);

/* A NodePool without limits to speak of, and the namespace. */
karp_status bench_add_pool(bench_maker *maker);
/* Type i has i + 1 cores, twice as many GiB, and five offerings at one price, as in Karpenter's benchmark. */
karp_status bench_fake_types(bench_maker *maker, uint32_t count);
/* Every so many types of the built-in catalogue's c, m, r and t families. */
karp_status bench_aws_types(bench_maker *maker, uint32_t count);
/* A node in use, with its claim, of any type of the catalogue with so many allocatable cores. */
karp_status bench_add_node(bench_maker *maker, uint32_t number, double least_cores, double most_cores, bench_node *out);
void bench_maker_free(bench_maker *maker);

#endif
