/* SPDX-License-Identifier: Apache-2.0 */
/* The instance types that a launch could have had: which ones its requirements allow, what they cost, what they lack.
 */
#pragma once

#include <base/strbuf.h>
#include <model/prepare.h>

/* A bound in a launch's requirements: its number need not be a text of the snapshot. */
typedef struct bound {
    uint32_t key;
    int64_t least, most;
} bound;

enum { MOST_BOUNDS = 16 };

/* What the types of a NodePool offer to a launch. */
typedef struct market {
    algebra algebra;
    uint32_t set; /* the launch's requirements */
    bound bounds[MOST_BOUNDS];
    uint32_t bound_count;
    const type_table *table;
    resource_list requests;
} market;

/* Prepares the market of a launch, whose requirement on the label `without`, if any, does not count. false = it has no
 * type, or memory ran out (`refused`). Free the algebra after true. Scratch memory is in `a`. */
bool market_of(karp_context *context, arena *a, const karp_snapshot *s, const karp_launch *l, karp_str without,
               market *m, bool *refused);

/* The price of the type's cheapest offering that the launch allows; HUGE_VAL = there is none. */
double market_price(market *m, uint32_t type);

/* Whether the type has too little of some resource. */
bool market_lacking(const market *m, uint32_t type);
/* The number of the launch's type; the number of types = it is not there. */
uint32_t market_launched(const karp_snapshot *s, const market *m, const karp_launch *l);

/* "the cheapest of 3 types that fit, of 6 that the requirements allow; the next cheaper, m6i.large, lacks cpu (…)".
 * Whether some type is cheaper. */
bool market_show_type(const karp_snapshot *s, market *m, const karp_launch *l, strbuf *b);

/* The amount of that name in a list, 0 = there is none. *text: as it stands there. */
double amount_named(const karp_resource *list, size_t count, karp_str name, karp_str *text);

/* The resource of which the launch uses the largest part of its type's. false = nothing is requested. */
typedef struct launch_use {
    karp_str resource, requested, allocatable;
    double part;
} launch_use;
bool launch_fullest(const karp_launch *l, launch_use *out);

/* size_causes.c: whether a DaemonSet has a pod on nodes of the NodePool that are of the type; "kube-system/agent (cpu
 * 100m)" */
bool daemon_runs_on(const karp_snapshot *s, market *m, const node_pool *p, const struct daemon *d, uint32_t type);
void show_daemon(const karp_snapshot *s, const struct daemon *d, strbuf *b);
/* size_causes.c: what DaemonSets request on such a node */
amount daemons_on(const karp_snapshot *s, market *m, const node_pool *p, uint32_t type, uint32_t resource);

/* size_causes.c: ": m5.8xlarge has 131072Mi, less 9830Mi for the virtual machine itself, …" */
void show_room_of(strbuf *b, const karp_snapshot *s, market *m, uint32_t resource, uint32_t type);

/* Whether amounts of the resource are bytes, which are written as Gi and Mi however the input writes them. */
bool is_bytes(const karp_snapshot *s, uint32_t resource);
void add_quantity(strbuf *b, amount value, bool binary);
void show_amount(strbuf *b, amount value, bool bytes); /* bytes in whole Mi, since nobody reads the rest */
/* Two amounts of a resource in the same unit: "3000m of 3920m". */
void add_quantities(strbuf *b, amount value, const char *between, amount other, bool binary);

/* Why the launch's type: "m6i.large is the cheapest of 3 types that fit, …". *lacks: some type is cheaper, and what it
 * lacks is said. Scratch memory is in `a`. false = out of memory. */
bool show_launch_type(karp_context *context, arena *a, const karp_snapshot *s, const karp_launch *l, strbuf *b,
                      bool *lacks);
