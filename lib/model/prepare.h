/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of karp_builder_finish(), in the order in which they run. Each computes a part of the snapshot. A
 * continue_ function computes the same part from the snapshot that this one continues.
 */
#pragma once

#include <model/snapshot.h>

/* facts.c: interns the words that decisions use in addition to the objects' strings, then ranks and classifies all
 * strings. */
karp_status prepare_words(karp_snapshot *s, karp_error *error);
karp_status continue_words(karp_snapshot *s, karp_error *error); /* of new strings in changed objects */
karp_status prepare_facts(karp_snapshot *s, karp_error *error);
karp_status continue_facts(karp_snapshot *s, karp_error *error); /* from the facts of the snapshot before */
/* queue.c: the order of pods by name */
karp_status prepare_names(karp_snapshot *s, karp_error *error);
/* overlays.c: the catalogues that each NodePool uses, with NodeOverlays applied. */
karp_status prepare_catalogues(karp_snapshot *s, karp_error *error);
void forget_catalogues(karp_snapshot *s);
/* buffers.c: appends the virtual pods of capacity buffers to the store's pods. The first step. */
karp_status prepare_buffers(karp_snapshot *s, karp_error *error);
/* pool_templates.c */
karp_status prepare_pool_templates(karp_snapshot *s, karp_error *error);
/* The requirements of a NodePool's launches: its requirements and labels. `to` is scratch memory. false = out of
 * memory. */
bool demand_of_pool(algebra *a, const karp_snapshot *s, uint32_t pool, arena *to, demand *out);
/* tables.c: translates the catalogues' types. Their vectors follow when the units are known. */
karp_status prepare_tables(karp_snapshot *s, karp_error *error);
karp_status prepare_table_vectors(karp_snapshot *s, karp_error *error);
/* scale.c: determines a unit for each resource in which every amount of the input is an integer. */
karp_status prepare_units(karp_snapshot *s, karp_error *error);
/* classes.c, volume_terms.c */
karp_status prepare_classes(karp_snapshot *s, karp_error *error);
/* reuse_classes.c: the classes of the snapshot before, updated for changed pods. *fits false: not possible without
 * classifying all pods. false = out of memory. */
bool continue_classes(karp_snapshot *s, bool *fits);
/* classes.c: copies the classes; false = out of memory */
/* Sorts the queue of a view whose classes have other requests, in the arena. false = out of memory. */
bool queue_of_view(karp_snapshot *view, arena *a);
bool keep_classes(karp_snapshot *s, const pod_class *classes, size_t count);
/* queue.c */
karp_status prepare_queue(karp_snapshot *s, karp_error *error);
/* groups.c */
karp_status prepare_groups(karp_snapshot *s, karp_error *error);
karp_status prepare_pdbs(karp_snapshot *s, karp_error *error); /* pdbs.h */
/* daemons.c */
karp_status prepare_daemons(karp_snapshot *s, karp_error *error);
karp_status continue_daemons(karp_snapshot *s, karp_error *error); /* for a snapshot that has taken over a frame */
/* state_nodes.c */
karp_status prepare_bound(karp_snapshot *s, karp_error *error);
karp_status prepare_nodes(karp_snapshot *s, karp_error *error);
/* reuse_nodes.c: both steps of state_nodes.c, for a snapshot that has taken over a frame */
karp_status continue_nodes(karp_snapshot *s, karp_error *error);

/* facts.c: whether new shapes and objects read no label keys beyond those that were read before. false = out of
 * memory. */
bool interest_holds(const karp_snapshot *s, bool *holds);

/* volume_terms.c: the alternatives of a pod's claims as interned requirement sets, in the arena. *found:
 * every object exists. *contradictory: every combination of the claims' requirements is contradictory. Errors: NOMEM,
 * LIMIT. */
karp_status volume_alternatives(karp_snapshot *s, uint32_t name_space, const uint32_t *claims, size_t count,
                                const demand **out, uint32_t *out_count, bool *found, bool *contradictory);
/* Whether a claim alone excludes nodes with this value of a label, by its volume or by the allowed topologies of its
 * storage class. */
bool claim_excludes(const karp_snapshot *s, uint32_t name_space, uint32_t claim_name, uint32_t key, uint32_t value);
/* The CSI driver whose limit a claim counts against, NO_TEXT = none. *found becomes false when the volume of
 * a bound claim is missing. */
uint32_t volume_driver(const store *raw, uint32_t name_space, uint32_t claim, bool *found);

/* The requirement set of labels, without the host name. Only keys marked in `interest` are used; NULL = all. */
uint32_t set_of_labels(algebra *a, label_list labels, const uint8_t *interest);
/* The same, if all of it is interned already, else NO_ID. Nothing is added to the algebra. */
uint32_t known_set_of_labels(const algebra *a, label_list labels, const uint8_t *interest);
/* Adds to `into` a requirement In for every label, or every expression. false = out of memory. */
bool demand_of_labels(algebra *a, label_list list, demand *into);
bool demand_of_expressions(algebra *a, expression_list list, demand *into);

/* ---- state_nodes.c: the steps in which a state node is made; reuse_nodes.c uses some of them --------------------- */

typedef LIST_OF(state_node) state_node_list;

/* The key by which a Node is joined to its NodeClaim: its provider id, else its name; a names id. */
static inline uint32_t node_provider(const node *n) { return n->provider_id != 0 ? n->provider_id : n->meta.name; }

/* Lists the pairs of Nodes and NodeClaims in the scheduler's cluster state, sorted by name, with their identity.
 * `only` has bits of provider ids; NULL = all. The caller frees the list in any case. false = out of memory. */
bool state_nodes_choose(const karp_snapshot *s, const uint64_t *only, state_node_list *out);
/* Sets what follows from the two members of a pair. false = it is not in the cluster state. */
bool state_node_identify(const karp_snapshot *s, state_node *n);
/* Their sort order. Equal names are in input order. */
int state_nodes_by_name(const karp_snapshot *s, const state_node *a, const state_node *b);
/* Sets the taints and amounts, in memory of the arena. false = out of memory. */
bool state_node_fill(const karp_snapshot *s, state_node *n, arena *to);
/* Sets the pods, which are those of its Node in s->bound, the amounts that they leave available, and the instance
 * type from the NodePool's table. false = out of memory. */
bool state_node_load(const karp_snapshot *s, state_node *n, arena *to);

/* ---- scale.c: units in which every amount of an input is a 64-bit integer ---------------------------------------- */

/* For each resource the unit is the largest that divides all of its amounts. */
/* Includes the amounts of a list. Both arrays are by resource and initially zero. */
void units_take(amount *units, amount *largest, resource_list list);

/* Whether every amount of the list is an integer number of units within the range of units_check(), and its resources
 * have columns in the vectors of s. */
bool units_count_requests(const karp_snapshot *s, resource_list list);
bool units_count_provided(const karp_snapshot *s, resource_list list); /* for amounts of a node or NodeClaim */
/* Sets the units of resources without amounts. RANGE: the amounts of one resource differ too much; the error names
 * it. */
karp_status units_check(amount *units, const amount *largest, const strings *names, karp_error *error);
