/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commitments: which savings plans and reserved instances would have been best for what ran on demand in a replay.
 * commit_use.c counts the hours of the nodes, commit.c finds the set, write_commit.c writes it.
 */
#pragma once

#include <io/write_json.h>
#include <replay/result.h>

/* What ran of an instance type on demand, or in capacity reservations, which no offer covers. */
typedef struct commit_use {
    karp_str instance_type, family, family_label; /* family "" = unknown */
    double price; /* per hour, the list's */
    double *hours; /* node-hours in each hour of the replay */
    uint32_t least, most; /* nodes that ran throughout each hour, and in one */
    bool reserved;
    int64_t offered; /* reserved: free instances at the beginning */
} commit_use;

/* What could be bought: a row of the table. */
typedef struct commit_offer {
    karp_str name, term;
    karp_str family, instance_type; /* both "" = of any type; instance_type: whole instances */
    double factor; /* what is paid of the list price */
} commit_offer;

/* One of the best set. */
typedef struct commit_plan {
    const commit_offer *offer;
    double amount; /* $/h, or instances */
    double paid; /* $ in the replay */
    double used; /* the part of it that covers something */
    double fully; /* the part of the hours in which all of it does */
} commit_plan;

typedef struct commit_set {
    karp_str term;
    commit_plan *plans; /* amounts above 0 */
    size_t count;
    double dollars; /* what on-demand nodes cost with them */
} commit_set;

struct commit_result {
    commit_use *uses;
    size_t use_count, use_room, hour_count;
    double dollars; /* at list prices */
    commit_set *sets; /* by term, in the order of the table */
    size_t set_count;
};

struct replay;
struct engine;
/* Reads the table of offers, if the options have one. */
karp_status commit_read_offers(struct replay *r);
/* write_commit.c: a member of an open object; a section of text; NodeOverlays. Nothing without a table. */
void commit_as_json(json_out *j, const replay_result *p);
void commit_as_text(write_buffer *out, const replay_result *p);
void commit_as_yaml(const replay_result *p, write_buffer *out);
/* Counts the hours of the nodes, and finds the sets. In the trace's memory. */
void commit_find(struct engine *e);

/* Finds the best set of offers for each term from the hours of r->uses. false = out of memory. */
bool commit_best(struct commit_result *r, const commit_offer *offers, size_t count, arena *memory);
