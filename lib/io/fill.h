/* SPDX-License-Identifier: Apache-2.0 */
/* What the API server and the controllers would have added to plain objects. Nothing that the input states is changed.
 * Failures leave their error in reader->error. */
#ifndef IO_FILL_H
#define IO_FILL_H

#include <io/reader.h>

/* A PodDisruptionBudget whose status is worked out from the pods. */
typedef struct io_open_budget {
    const io_waiting *waiting;
    uint64_t expected, healthy;
} io_open_budget;

typedef struct io_filler {
    karp_reader *reader;
    bool fill; /* false = strict: only conversions and expansions */
    int64_t start; /* 24 h before now */
    uint64_t pods; /* numbered so far */
    uint64_t uids; /* given so far */
    uint64_t silent; /* pods that are left as they are, though nothing says that they are pending */
    karp_str first_silent;

    trees *t; /* where nodes are made: reader->trees, or one of the two below */
    trees work; /* for the waiting object that is being filled in */
    trees made; /* for a pod */
    io_table pools; /* name -> index in pool_copies */
    tree **pool_copies;
    size_t pool_count, pool_capacity;
    io_table priorities; /* name of a PriorityClass -> index in waiting */
    const tree *global_class; /* the PriorityClass of pods that name none; NULL = no class is the default */
    karp_str default_class; /* of volumes; "" = none */
    io_table claim_providers; /* providerIDs that NodeClaims have -> index in waiting */
    io_table claim_nodes; /* names of nodes that NodeClaims name, or have -> index in waiting */
    io_table spaces; /* namespaces that objects are in */
    io_open_budget *budgets;
    size_t budget_count, budget_capacity;
    io_table *types; /* one for each catalogue: type name -> index; made when first needed */
    size_t type_table_count;
} io_filler;

karp_status io_filler_begin(io_filler *filler, karp_reader *reader);
void io_filler_free(io_filler *filler);
/* Fills one waiting object in and adds it, and what comes of it. */
karp_status io_fill(io_filler *filler, const io_waiting *w);
/* Adds what can only be told at the end. */
karp_status io_filler_end(io_filler *filler);

io_place io_waiting_place(const io_waiting *w);
/* Adds a finished object and keeps it for the dump; first tells of memory that was refused to its making. */
karp_status io_add_filled(io_filler *filler, const io_kind_info *info, const tree *root, const io_place *place);

/* ---- parts: they fail in f->t ---------------------------------------------------------------------------------------- */

/* UID, creation time, namespace. */
void io_identify(io_filler *filler, const io_kind_info *info, tree *root);
void io_set_time(trees *t, tree *object, const char *name, int64_t instant); /* nothing when it is KARP_NO_TIME */
int64_t io_creation(const tree *root);
void io_add_condition(trees *t, tree *list, const char *type, const char *status, const char *reason, int64_t when);
/* The status of the condition of that type; "" = there is none. */
karp_str io_condition_status(const tree *list, const char *type);
/* A new object with kind, namespace ("" = none) and name. */
tree *io_new_object(trees *t, const char *api_version, const char *kind, karp_str namespace_, karp_str name);

void io_fill_pod_spec(io_filler *filler, tree *spec);
karp_status io_fill_and_add_pod(io_filler *filler, tree *root, const io_place *place);
void io_fill_pool(trees *t, tree *root);
void io_fill_claim_volume(io_filler *filler, tree *root); /* PersistentVolumeClaim */
karp_status io_fill_and_add_node(io_filler *filler, tree *root, const io_place *place);
karp_status io_fill_and_add_node_claim(io_filler *filler, tree *root, const io_place *place);
void io_count_pod(io_filler *filler, const tree *pod);
karp_status io_settle_budgets(io_filler *filler);
karp_status io_expand(io_filler *filler, const io_waiting *w, tree *root, const io_place *place);

#endif
