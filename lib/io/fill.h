/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills in what the API server and the controllers would have added to plain objects. Nothing that the input states is
 * changed. Failures leave their error in reader->error.
 */
#pragma once

#include <io/admission.h>
#include <io/make_object.h>
#include <io/pods_of.h>

/* Pods without a node for which Karpenter launches none, because the scheduler has not marked them as unschedulable. */

typedef struct io_waiting_group {
    uint64_t count;
    karp_str space, name, gate; /* of the first pod */
} io_waiting_group;

typedef struct io_waiting_pods {
    io_waiting_group gated; /* they have scheduling gates */
    io_waiting_group silent; /* they have no condition PodScheduled, and in strict mode they get none */
} io_waiting_pods;

/* Counts the pod if it is one of them. false = out of memory. */
bool io_count_waiting(io_waiting_pods *waiting, karp_reader *reader, const tree *pod);
/* A note for each group. */
karp_status io_warn_of_waiting(const io_waiting_pods *waiting, karp_reader *reader);

/* Jobs of Volcano that wait in its queue, without pods. */

enum { IO_ENQUEUE_AMOUNTS = 3 };

/* What counts for Volcano's queue, of each resource. */
typedef struct io_enqueue {
    bool known; /* the nodes and pods of the input were added up */
    char total[IO_ENQUEUE_AMOUNTS][KARP_VALUE_TEXT]; /* allocatable of all nodes */
    char used[IO_ENQUEUE_AMOUNTS][KARP_VALUE_TEXT]; /* by pods on them, and by Jobs before this one */
} io_enqueue;

/* Notes a Job of Volcano for which its scheduler would create no pods yet. Errors: NOMEM. */
karp_status io_enqueue_note(io_enqueue *queue, karp_reader *reader, const io_deferred *w, const io_pods *pods);

/* ResourceQuotas: how many of the pods that are created they would refuse. The pods are planned all the same. */

enum { IO_QUOTA_AMOUNTS = 6 };

typedef struct io_quota {
    uint32_t number, next; /* in reader->deferred; index + 1 of the next one of its namespace, 0 = none */
    uint64_t created, refused;
    char used[IO_QUOTA_AMOUNTS][KARP_VALUE_TEXT]; /* "" = not limited; of the amounts in quota.c */
} io_quota;

typedef struct io_quotas {
    io_table first; /* namespace -> index */
    io_quota *list;
    size_t count, capacity;
} io_quotas;

void io_quotas_init(io_quotas *q, karp_context *context);
void io_quotas_free(io_quotas *q, karp_context *context);
/* Takes note of a ResourceQuota. Errors: NOMEM. */
karp_status io_quotas_note(io_quotas *q, karp_reader *reader, const io_deferred *w);
/* Counts a filled pod: one that is created, or one that exists, which a quota cannot refuse. */
void io_quotas_count(io_quotas *q, const karp_reader *reader, const tree *pod, bool created);
/* Adds a note for each quota that refuses pods. Errors: NOMEM. */
karp_status io_quotas_end(const io_quotas *q, karp_reader *reader);

/*
 * StorageClasses and PersistentVolumeClaims that manifests name and the input lacks. An input without any StorageClass
 * comes from no cluster, such as the output of helm template. Its classes are then assumed to bind a volume, in any
 * zone, when the first pod needs it.
 */

typedef struct io_assumed_storage {
    bool on;
    io_table storage_classes; /* names of classes of unbound claims */
    io_table volume_claims; /* "namespace/name" -> 1 = filled in; 0 = only named by a pod */
} io_assumed_storage;

struct io_filler;

void io_assumed_init(io_assumed_storage *assumed, karp_context *context);
void io_assumed_free(io_assumed_storage *assumed);
/* Notes a claim that is filled in. One without a class gets the assumed default class. Failures are recorded in `t`. */
void io_assume_class(io_assumed_storage *assumed, trees *t, tree *claim);
/* Notes the claims of a pod that is not on a node. false = out of memory. */
bool io_assume_claims(io_assumed_storage *assumed, const tree *pod);
/* Adds what was noted and the input lacks, with one note. */
karp_status io_add_assumed(struct io_filler *filler);

/* A PodDisruptionBudget whose status is computed from the pods. */
typedef struct io_open_budget {
    const io_deferred *deferred;
    karp_pod_disruption_budget object;
    uint64_t expected, controlled, healthy; /* pods, those with a controller, those that are ready */
} io_open_budget;

typedef struct io_filler {
    karp_reader *reader;
    bool fill; /* false = strict: only conversions and expansions */
    int64_t start; /* 24 h before now */
    uint64_t pods; /* pods numbered so far */
    uint64_t uids; /* uids assigned so far */
    io_waiting_pods waiting;
    io_assumed_storage assumed;

    trees *t; /* where tree nodes are allocated: reader->trees, or one of the two below */
    trees work; /* for the deferred object being filled in */
    trees made; /* for a pod */
    io_table pools; /* name -> index in pool_copies */
    tree **pool_copies;
    size_t pool_count, pool_capacity;
    io_table priorities; /* PriorityClass name -> index in deferred */
    const tree *global_class; /* the PriorityClass for pods that name none; NULL = no class is the default */
    karp_str default_class; /* name of the default StorageClass; "" = none */
    int64_t default_class_at; /* when it was created */
    io_admission admission;
    io_quotas quotas;
    io_enqueue queue; /* of Volcano */
    bool creates; /* the pod being filled in does not exist yet */
    io_table claim_providers; /* providerIDs of NodeClaims -> index in deferred */
    io_table claim_nodes; /* node names in the status of NodeClaims, or the claims' own names -> index in deferred */
    io_table spaces; /* namespaces of the objects */
    uint32_t last_space; /* the name of the last one, in the table */
    map64 whole_specs; /* addresses of specs that pods share and that lack nothing */
    io_open_budget *budgets;
    size_t budget_count, budget_capacity;
    io_table *types; /* one per catalogue: type name -> index; made on first use */
    size_t type_table_count;
} io_filler;

karp_status io_filler_begin(io_filler *filler, karp_reader *reader);
void io_filler_free(io_filler *filler);
/* Fills in one deferred object and adds it, together with the objects that are made from it. */
karp_status io_fill(io_filler *filler, const io_deferred *w);
/* Adds what can only be computed at the end. */
karp_status io_filler_end(io_filler *filler);

/* Adds a finished object and keeps it for the dump. If making the object ran out of memory, reports that instead. */
karp_status io_add_filled(io_filler *filler, const io_kind_info *info, const tree *root, const io_place *place);

/* ---- parts: failures are recorded in f->t ------------------------------------------------------------------------ */

/* Fills in UID, creation time and namespace. */
void io_identify(io_filler *filler, const io_kind_info *info, tree *root);
int64_t io_creation(const tree *root);
/* Whether the member is stated. A wrong value counts: the decoder reports it. */
bool io_is_stated(const tree *object, const char *name);

void io_fill_ports(trees *t, tree *spec); /* of a pod's containers */
void io_fill_pod_spec(io_filler *filler, tree *spec);
karp_status io_fill_and_add_pod(io_filler *filler, const io_kind_info *info, tree *root, const io_place *place);
void io_fill_pool(const karp_reader *reader, trees *t, tree *root);
/* Reports what the API server refuses in pods of this template. *refused = they are not to be planned. Errors: NOMEM.
 */
karp_status io_check_refused(io_filler *filler, const io_deferred *w, const tree *template_, const tree *claims,
                             bool operated, bool *refused);
/* Reports that the API server refuses the object, or with `lenient` that it is planned all the same. Errors: NOMEM. */
karp_status io_refuse(io_filler *filler, const io_deferred *w, const char *why, bool *refused);
/* Finds NodePools that fail Karpenter's validation under these settings, and sets their conditions accordingly. */
karp_status io_check_pools(karp_reader *reader, const karp_settings *settings);
/* The status of a CapacityBuffer that has none. Errors: NOMEM. */
karp_status io_fill_buffer(karp_reader *reader, trees *t, tree *root);
/* Adds matchLabelKeys and mismatchLabelKeys to the selectors of a pod's affinity, as the API server does. */
void io_merge_label_keys(trees *t, tree *pod);
/* Adds the ResourceClaims of a pod's templates, and states them in its status. */
karp_status io_make_device_claims(io_filler *filler, tree *pod, const io_place *place);
/* Whether the EC2NodeClass is not ready because something in it needs a gate that is off. Errors: UNSUPPORTED (with
 * the gate NodeClassCEL, an expression would count), NOMEM. */
karp_status io_check_class_gates(karp_reader *reader, const tree *ref, uint32_t gates, bool *not_ready);
void io_fill_claim_volume(io_filler *filler, tree *root); /* PersistentVolumeClaim */
karp_status io_fill_and_add_node(io_filler *filler, tree *root, const io_place *place);
karp_status io_fill_and_add_node_claim(io_filler *filler, tree *root, const io_place *place);
karp_status io_expand(io_filler *filler, const io_deferred *w, tree *root, const io_place *place);
