/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for changes that would make a pod schedulable. */
#pragma once

#include <base/strbuf.h>
#include <karp/explain.h>
#include <model/snapshot.h>

struct karp_pod_explanation {
    karp_context *context;
    arena data;
    karp_decision *decision;
    uint32_t pod;
    LIST_OF(karp_remedy) remedies;
    LIST_OF(karp_alternative) alternatives;
    LIST_OF(karp_placement_cause) causes;
    karp_snapshot *evicted; /* for a pod that runs: the snapshot in which it is pending; else NULL */
    bool refused; /* an allocation for a cause failed */
    karp_str resize; /* see karp_pod_explanation_resize() */
    int32_t weight; /* weight of the NodePool that launches the pod's node */
    uint32_t tried;
    bool bounded;
};

/* A view of a snapshot in which the pods of one shape, or one NodePool, are changed. Everything else is borrowed. */
typedef struct overlay_view {
    const karp_snapshot *snapshot;
    karp_snapshot view;
    arena data;
    bool unlimited; /* without the limits of NodePools, which overlay_view_reset() does not bring back then */
} overlay_view;

/* false = out of memory. Call overlay_view_free() in any case. */
bool overlay_view_init(overlay_view *o, const karp_snapshot *snapshot);
void overlay_view_free(overlay_view *o);

/* Undoes all changes. */
void overlay_view_reset(overlay_view *o);

shape *overlay_shape(overlay_view *o, uint32_t number); /* can be modified */
/* A shape for the pods of one class alone; for one class at a time. */
shape *overlay_class_shape(overlay_view *o, uint32_t class_number);
node_pool *overlay_pool(overlay_view *o, uint32_t number);
/* Removes a label from a node, as far as topology reads it. */
bool overlay_remove_label(overlay_view *o, uint32_t state_node_number, uint32_t key); /* false = out of memory */
/* Sets the amount of a resource that every pod of the shape requests, in the snapshot's units. false = out of memory.
 */
bool overlay_request(overlay_view *o, uint32_t shape_number, uint32_t resource, int64_t units);

/* Counts resizes in place as Kubernetes does from 1.37 on. *any = some pod counts otherwise. false = out of memory. */
bool overlay_resizes(overlay_view *o, bool *any);

/* karp_provision() on the view. The decision refers to the snapshot. */
karp_status overlay_decide(const overlay_view *o, const karp_options *options, karp_decision **out, karp_error *error);

/* The search for one pod, with the number of rounds that are left. */
typedef struct search {
    karp_pod_explanation *out;
    const karp_snapshot *snapshot;
    const karp_options *options; /* checked, explain level none */
    overlay_view changed;
    uint32_t pod, shape;
    size_t waiting; /* number of unschedulable pods without any change */
    uint32_t rounds; /* left */
    karp_decision *last; /* the last decision of search_places() that placed the pod; NULL = none */
    karp_status status;
    karp_error *error;
} search;

/* Decides with the change in `changed`. Records a remedy if the pod becomes schedulable and no other pod becomes
 * unschedulable, then undoes the change. false = it does not help, or the search is over. */
bool search_try(search *s, uint32_t kind, uint32_t changes, const strbuf *text);
/* The same without recording or undoing. *where receives the result. */
bool search_places(search *s, karp_remedy *where);
/* Where the pod goes with the change; not counted as one that was tried. false = nowhere, or a failure. */
bool search_outcome(search *s, karp_remedy *where);
bool search_over(const search *s);
/* The decision about the changed view; NULL = the search is over. */
karp_decision *search_decide(search *s);

/* The row of the pod; NULL = it is schedulable. */
const karp_unschedulable *search_row(const search *s, const karp_decision *d);

/* Copies for the explanation. */
/* The memory; NULL = it was refused, which the search notes. */
void *search_memory(search *s, void *memory);
/* Memory of the changed view. NULL likewise. */
void *search_array(search *s, size_t count, size_t bytes);
void *search_copy(search *s, const void *from, size_t count, size_t bytes);
karp_str search_keep(search *s, karp_str text);
uint32_t search_text_id(const search *s, karp_str text); /* NO_ID = the snapshot does not have the text */
karp_choice search_keep_choice(search *s, const karp_choice *c);

/* The pod's shape without any change. */
static inline const shape *original_shape(const search *s) { return &s->snapshot->raw.shapes.items[s->shape]; }
static inline void add_word(const search *s, strbuf *b, uint32_t text) { strbuf_addstr(b, text_of(s->snapshot, text)); }

/* remedies_pod.c */
/* A list without one of its elements, in the arena of the changed view; NULL = out of memory. */
void *list_without(search *s, const void *items, uint32_t count, size_t bytes, uint32_t index);
/* Makes a shape of the changed view require the value of the label. false = out of memory. */
bool select_label(search *s, shape *h, uint32_t key, uint32_t value);
/* remedies_pool.c: replaces an expression in the requirements of a NodePool; NULL removes it, and an index at the end
 * adds one. */
void replace_expression(search *s, uint32_t pool_number, uint32_t index, const expression *with);

void add_count(strbuf *b, size_t count, const char *one, const char *several); /* "2 nodes" */

/* limit_causes.c: what the NodePool's nodes have of the limit's resource */
amount limit_used(const karp_snapshot *s, uint32_t pool, const resource_amount *limit);
/* limit_causes.c: ", in use cpu 4, memory 16Gi" of the NodePool's limits before this round; nothing if nothing is */
void show_use_of_limits(const karp_snapshot *s, uint32_t pool, strbuf *b);
/* placed_causes.c: records the text as a cause, and frees it */
void record_cause(karp_pod_explanation *e, uint32_t kind, strbuf *text);
/* type_causes.c: a value of NotIn that the launched type's own value only begins with */
void excluded_causes(karp_pod_explanation *e, const karp_snapshot *s, const karp_launch *l);
/* apart_causes.c: what keeps pods like it off its new node */
void apart_causes(search *s, const karp_launch *l);
/* apart_causes.c: why a running pod shares its node with another one, though it has a spread by host name */
void shared_node_cause(karp_pod_explanation *e, const karp_snapshot *s, uint32_t pod_number);
/* placed_causes.c: what the pods on a running pod's node may use, if that is more memory than it has */
void overcommit_cause(karp_pod_explanation *e, const karp_snapshot *s, uint32_t pod_number);
/* domain_causes.c: the domain that its spread or affinity chooses for the new node */
void domain_causes(search *s, const karp_launch *l);
/* domain_causes.c: why preferred spreads of such pods were given up */
void dropped_causes(search *s);
/* pool_causes.c: what the requirements and taints of the launch's NodePool have to do with the pod and the type */
void pool_causes(search *s, const karp_launch *l);
/* size_causes.c: which request no type of the NodePool has room for, and what leaves so little */
void size_causes(karp_pod_explanation *e, const karp_snapshot *s, uint32_t pool);
/* volume_causes.c: of a pod that is not placed: where its volumes are */
void volume_causes(search *s);
/* of a pod with a new node, likewise */
void placed_volume_causes(search *s);
bool volumes_have_zones(const search *s);
void find_placement_causes(search *s);
void find_limit_causes(search *s); /* limit_causes.c: of a pod that is not placed */
/* Tries the changes of every kind. */
void look_for_remedies(search *s);
/* Of a pod that runs: where, and what would be launched if its node were removed. */
void add_running(karp_pod_explanation *e, const karp_snapshot *s, uint32_t pod_number, int64_t now);
karp_status add_replacement(karp_pod_explanation *e, const karp_snapshot *s, const karp_options *options,
                            uint32_t pod_number, karp_error *error);

/* remedies_topology.c, remedies_pod.c, remedies_pool.c: each tries all changes of its kind */
void try_topology_causes(search *s); /* what the rows of topology name */
void try_own_topology(search *s); /* remedies_own.c: keys of its constraints, and domains that they choose from */
void try_tolerations(search *s);
void try_selectors(search *s);
void try_topology(search *s);
void try_ports(search *s);
void try_requests(search *s);
void try_limits(search *s);
void try_labels(search *s);
void try_values(search *s);
void try_min_values(search *s);
void try_unmet(search *s);
void try_all_selectors(search *s); /* several changes together */
void try_minimum(search *s); /* remedies_group.c: of the pod's group */
/* remedies_gate.c: the snapshot is that of the input, or a view of it by options alone */
void try_gate(search *s);

/* resizes.c: where the pod would go if resizes in place counted as Kubernetes counts them from 1.37 on */
void compare_resizes(search *s, const karp_remedy *now);

/* alternatives.c: for a pod for which a node is launched */
void try_alternatives(search *s);
