/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of karp_builder_finish(), in the order they run. Each fills its part of the snapshot. */
#ifndef MODEL_PREPARE_H
#define MODEL_PREPARE_H

#include <model/snapshot.h>

/* facts.c: interns what decisions name beside the objects' own strings, then ranks and classifies all strings. */
karp_status prepare_words(karp_snapshot *s, karp_error *error);
karp_status continue_words(karp_snapshot *s, karp_error *error); /* those that changed objects add */
karp_status prepare_facts(karp_snapshot *s, karp_error *error);
karp_status continue_facts(karp_snapshot *s, karp_error *error); /* of those of the snapshot before */
/* pod_names.c */
karp_status prepare_names(karp_snapshot *s, karp_error *error);
/* overlays.c: which catalogues each pool uses, with node overlays applied (§30). */
karp_status prepare_catalogues(karp_snapshot *s, karp_error *error);
void forget_catalogues(karp_snapshot *s);
/* buffers.c: the virtual pods of capacity buffers (§28), behind the store's own; the first step. */
karp_status prepare_buffers(karp_snapshot *s, karp_error *error);
/* pool_templates.c */
karp_status prepare_pool_templates(karp_snapshot *s, karp_error *error);
/* What a launch of the pool is asked to be: its requirements and labels. `to` has room for what that is made from. false = out of
 * memory. */
bool demand_of_pool(algebra *a, const karp_snapshot *w, uint32_t pool, arena *to, demand *out);
/* tables.c: translates the catalogues' types; vectors come after the units are known. */
karp_status prepare_tables(karp_snapshot *s, karp_error *error);
karp_status prepare_table_vectors(karp_snapshot *s, karp_error *error);
/* scale.c: one unit per resource, in which every amount of the input is an integer. */
karp_status prepare_units(karp_snapshot *s, karp_error *error);
/* classes.c, volume_terms.c */
karp_status prepare_classes(karp_snapshot *s, karp_error *error);
/* reuse_classes.c: the classes of the snapshot before, with those of its pods that changed. *fits false: that cannot be had without
 * looking at more. false = out of memory. */
bool continue_classes(karp_snapshot *s, bool *fits);
bool keep_classes(karp_snapshot *s, const pod_class *classes,
                  size_t count); /* classes.c: copies them; false = out of memory */
/* queue.c */
karp_status prepare_queue(karp_snapshot *s, karp_error *error);
/* daemons.c */
karp_status prepare_daemons(karp_snapshot *s, karp_error *error);
karp_status continue_daemons(karp_snapshot *s, karp_error *error); /* of a snapshot that has taken over a frame */
/* state_nodes.c */
karp_status prepare_bound(karp_snapshot *s, karp_error *error);
karp_status prepare_nodes(karp_snapshot *s, karp_error *error);
karp_status continue_nodes(karp_snapshot *s,
                           karp_error *error); /* reuse_nodes.c: both, of one that has taken over a frame */

/* interest.c: marks the label keys that some pod, volume or daemon reads on nodes, and those that selectors read on pods.
 * Arrays by text id. */
void interesting_keys(const karp_snapshot *s, uint8_t *of_nodes, uint8_t *of_pods);
/* Whether shapes and objects that are new since the snapshot before read no more than was read. false = out of memory. */
bool interest_holds(const karp_snapshot *s, bool *holds);

/* volume_terms.c: the alternatives of a pod's claims (§13.2), interned requirement sets in the arena. found = every object exists;
 * contradictory = no combination of what the claims demand is free of contradictions.
 * Errors: NOMEM, LIMIT. */
karp_status volume_alternatives(karp_snapshot *s, uint32_t name_space, const uint32_t *claims, size_t count,
                                const demand **out, uint32_t *out_count, bool *found, bool *contradictory);
/* The CSI driver a claim counts against (§13.4), NO_TEXT = none; *found is false when a bound claim's volume is missing. */
uint32_t volume_driver(const store *raw, uint32_t name_space, uint32_t claim, bool *found);

/* labels → requirement set (the host name left out); only keys marked in `interest`, NULL = all. */
uint32_t set_of_labels(algebra *a, label_list labels, const uint8_t *interest);
/* The same, if all of it is in the algebra already; else NO_ID. Nothing is added. */
uint32_t known_set_of_labels(const algebra *a, label_list labels, const uint8_t *interest);
/* ∧ every label (each In its value), ∧ every expression. false = out of memory. */
bool demand_of_labels(algebra *a, label_list list, demand *into);
bool demand_of_expressions(algebra *a, expression_list list, demand *into);

#endif
