/* SPDX-License-Identifier: Apache-2.0 */
/* What the API server and the controllers would have added to plain objects. Nothing that the input states is changed.
 * Failures leave their error in reader->error. */
#ifndef IO_FILL_H
#define IO_FILL_H

#include <io/reader.h>

/* A PodDisruptionBudget whose status is worked out from the pods. */
typedef struct io_open_budget {
    const io_waiting *waiting;
    json_t *tree;
    uint64_t expected, healthy;
} io_open_budget;

typedef struct io_filler {
    karp_reader *reader;
    bool fill; /* false = strict: only conversions and expansions */
    int64_t start; /* 24 h before now */
    uint64_t pods; /* numbered so far */
    uint64_t uids; /* given so far */
    uint64_t silent; /* pods that are left as they are, though nothing says that they wait for a node */
    karp_str first_silent;

    io_arena arena;
    json_t *pools; /* name -> filled NodePool */
    json_t *priorities; /* name -> value */
    json_t *global_priority; /* borrowed from priorities; NULL = no class is the default */
    karp_str default_class; /* of volumes */
    json_t *default_class_tree;
    io_table claim_providers; /* providerIDs that NodeClaims have -> index in waiting */
    io_table claim_nodes; /* names of nodes that NodeClaims name, or have -> index in waiting */
    io_table spaces; /* namespaces that objects are in */
    karp_str *space_list;
    size_t space_count, space_capacity;
    io_open_budget *budgets;
    size_t budget_count, budget_capacity;
    io_table *types; /* one for each catalogue: type name -> index; made when first needed */
    size_t type_table_count;
} io_filler;

karp_status io_filler_begin(io_filler *filler, karp_reader *reader);
void io_filler_free(io_filler *filler);
/* Fills one waiting object in and adds it, and what comes of it. */
karp_status io_fill(io_filler *filler, const io_waiting *w, json_t *tree, const io_place *place);
/* Adds what can only be told at the end. */
karp_status io_filler_end(io_filler *filler);

/* The tree of a waiting object; NULL = failed, status in reader->error. */
json_t *io_waiting_tree(karp_reader *reader, const io_waiting *w);
io_place io_waiting_place(const io_waiting *w);
/* Adds a finished object and keeps it for the dump. */
karp_status io_add_filled(karp_reader *reader, const io_kind_info *info, const json_t *tree, const io_place *place);

/* ---- parts ------------------------------------------------------------------------------------------------------------ */

/* UID, creation time, namespace. false = no memory. */
bool io_identify(io_filler *filler, const io_kind_info *info, json_t *tree);
/* Sets members that are absent. false = no memory. */
bool io_default(json_t *object, const char *name, json_t *value);
bool io_default_text(json_t *object, const char *name, const char *text);
bool io_default_str(json_t *object, const char *name, karp_str text);
json_t *io_time_value(int64_t instant);
int64_t io_creation(const json_t *tree);
/* A condition for a list of them. NULL = no memory. */
json_t *io_condition(const char *type, const char *status, const char *reason, int64_t when);
bool io_add_condition(json_t *list, const char *type, const char *status, const char *reason, int64_t when);
/* The status of the condition of that type; "" = there is none. */
karp_str io_condition_status(const json_t *list, const char *type);
/* A new object with kind, namespace ("" = none) and name. NULL = no memory. */
json_t *io_new_object(const char *api_version, const char *kind, karp_str namespace_, karp_str name);

bool io_fill_pod_spec(io_filler *filler, json_t *spec);
karp_status io_fill_and_add_pod(io_filler *filler, json_t *tree, const io_place *place);
bool io_fill_pool(json_t *tree);
bool io_fill_claim_volume(io_filler *filler, json_t *tree); /* PersistentVolumeClaim */
karp_status io_fill_and_add_node(io_filler *filler, json_t *tree, const io_place *place);
karp_status io_fill_and_add_node_claim(io_filler *filler, json_t *tree, const io_place *place);
/* From the catalogue of the pool (or any): what a node of that type has. `labels` and `status` are filled in. */
karp_status io_fill_from_type(io_filler *filler, karp_str pool, json_t *labels, json_t *status);
bool io_count_pod(io_filler *filler, const json_t *pod);
karp_status io_settle_budgets(io_filler *filler);
/* A ReplicaSet of the input: pods of it are its Deployment's. false = no memory. */
bool io_note_replica_set(io_filler *filler, const io_waiting *w, const json_t *tree);
karp_status io_expand(io_filler *filler, const io_waiting *w, json_t *tree, const io_place *place);

#endif
