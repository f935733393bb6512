/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of the inputs of `karp bench`: the NodePool, the catalogues, existing nodes, pseudo-random numbers. */
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
    bool fleet; /* on-demand nodes that can be consolidated, in a NodePool of on-demand nodes */
} bench_maker;

typedef struct bench_node {
    char name[16];
    double cpu, memory; /* free: cores, bytes */
} bench_node;

/* A pseudo-random number below `limit`, which must not be 0. */
uint32_t bench_below(bench_maker *maker, uint32_t limit);

/* Adds the namespace and a NodePool whose limits are never reached. */
karp_status bench_add_pool(bench_maker *maker);
/* Type i has i + 1 cores, 2(i + 1) GiB, and five offerings at one price, as in Karpenter's benchmark. */
karp_status bench_fake_types(bench_maker *maker, uint32_t count);
/* Up to `count` types of the built-in catalogue's c, m, r and t families, at regular intervals. */
karp_status bench_aws_types(bench_maker *maker, uint32_t count);
/* Adds an existing node and its NodeClaim, of a random type with this many allocatable cores. */
karp_status bench_add_node(bench_maker *maker, uint32_t number, double least_cores, double most_cores, bench_node *out);
void bench_maker_free(bench_maker *maker);

#endif
