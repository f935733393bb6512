/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file replay.h  Replays the load of a cluster in virtual time, under several policies, and computes the cost
 * (libkarp-io).
 *
 * A trace says which pods are created and deleted. The decisions are those of karp_provision() and karp_disrupt().
 * Everything else (kube-scheduler, the cloud, controllers of workloads) is simulated as docs/replay.md describes.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_REPLAY_H
#define KARP_REPLAY_H

#include <karp/io.h>
#include <karp/requests.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A document: a file, or its text. Since 1.0. */
typedef struct karp_replay_document {
    karp_str name; /**< a path, or, for a text, its name in errors */
    karp_str text; /**< ptr NULL = the file of that name is read */
} karp_replay_document;

/** How often spot nodes are interrupted. Since 1.0. */
typedef struct karp_replay_interruption {
    karp_str instance_type; /**< "" = any; likewise the zone */
    karp_str zone;
    double per_hour; /**< interruptions of a running spot node per hour; finite, not negative */
} karp_replay_interruption;

/** What containers use or should request (karp_reader_add_usage()). Since 1.0. */
typedef struct karp_replay_usage {
    karp_replay_document document;
    karp_str resource; /**< "cpu" or "memory" where the text does not say what its numbers are; else "" */
} karp_replay_usage;

/** Progress of a replay. Since 1.0. */
typedef struct karp_replay_progress {
    size_t size;
    karp_str policy;
    int64_t now; /**< instant of the trace */
    int64_t begins; /**< of the replay; likewise its end */
    int64_t ends;
    size_t nodes; /**< that run */
    size_t pods; /**< that exist */
} karp_replay_progress;

/** Options of karp_replay(). Durations are nanoseconds. Since 1.0. */
typedef struct karp_replay_options {
    size_t size;
    const karp_replay_document *traces;
    size_t trace_count;
    karp_str format; /**< of the traces; "" = detected */
    const karp_replay_document *objects; /**< that exist from the start: NodePools, node classes, DaemonSets, budgets */
    size_t object_count;
    karp_catalogue *catalogue; /**< of all pools; NULL = the built-in one of the region. Borrowed */
    karp_str region; /**< of the built-in catalogue; "" = that of the documents */
    /** A profile (karp_profile_at()), "cost", "cost+repack": each replays the same trace;
     * none = "karpenter". */
    const karp_str *policies;
    size_t policy_count;
    int64_t until; /**< instant at which it ends; 0 = the end of the trace */
    int64_t until_after; /**< instead: duration after its beginning; 0 = none */
    int64_t step; /**< between the points of the series; 0 = about 300 of them */
    uint64_t seed; /**< of jitter and interruptions */
    int64_t boot; /**< from a launch to a ready node; KARP_DURATION_UNSET = 45 s */
    int64_t boot_jitter; /**< random time added to boot, at most; KARP_DURATION_UNSET = 30 s */
    int64_t disruption_interval; /**< between disruption passes; 0 = 10 s, as Karpenter */
    const karp_replay_interruption *interruptions; /**< the last row that matches a spot node is used; none = never */
    size_t interruption_count;
    /** 1 = the scheduler fills nodes up (MostAllocated) instead of spreading (LeastAllocated). For kube-scheduler it is
     * short for a scheduler_config that says so. The scheduler "simple" takes no scheduler_config */
    uint32_t most_allocated;
    uint32_t lenient; /**< 1 = contradictory entries of a trace are skipped and counted */
    /** Instant: the result is the cluster at that time as a Snapshot (first policy); 0 = no. With this Snapshot as the
     * objects, the same traces and the same options, the replay continues and has the same result as without the cut.
     */
    int64_t dump_at;
    int64_t dump_after; /**< instead: duration after the beginning; 0 = none */
    void (*progress)(const karp_replay_progress *progress, void *user); /**< about 100 times per policy; NULL = never */
    void *progress_user;
    /** when to stop, quirks, rules and whether preferences count; profile and objective are the policies'. NULL =
     * defaults */
    const karp_options *decision;
    /** A RepackPlan (karp_write_repack(), JSON) of the cluster in the objects: its steps are carried out from the
     * beginning, without disruption passes meanwhile (docs/repack.md). Without traces and an end, the replay ends with
     * the plan. NULL = none. Since 1.0. */
    const karp_replay_document *repack;
    /** 1 = moved pods are bound to the nodes of the plan, as long as they fit; 0 = kube-scheduler chooses their nodes
     */
    uint64_t as_planned;
    karp_str feature_gates; /**< as in karp_reader_options. Since 1.0 */
    /** what chooses the nodes of pods: "" or "kube-scheduler" = a model of it (docs/kube-scheduler.md), "simple" =
     * resources, taints and node affinity only. Since 1.0 */
    karp_str scheduler;
    int64_t scheduler_minor; /**< of its version 1.N, 34 … 37; 0 = 36. Since 1.0 */
    /** A KubeSchedulerConfiguration (docs/kube-scheduler.md), as YAML or JSON: profiles of kube-scheduler, which pods
     * name by schedulerName. Not with most_allocated or the scheduler "simple". NULL = the default profile. Since 1.0
     */
    const karp_replay_document *scheduler_config;
    /** Objects that replace those of the same kind, namespace and name, or are added, as karp_reader_replace() does.
     * Since 1.0 */
    const karp_replay_document *replaced;
    size_t replaced_count;
    /** How often each policy is replayed, with the seeds from `seed` on; 0 = once, at most 10000. The figures are those
     * of the first time; how they spread is written beside. Since 1.0 */
    uint64_t runs;
    /** A table of interruptions as CSV, with the columns instance_type, zone ("" or left out = any) and per_hour. Its
     * rows come before those of `interruptions`. NULL = none. Since 1.0 */
    const karp_replay_document *interruption_table;
    /** Containers request what VerticalPodAutoscalers of the objects and `usage` recommend, by these rules
     * (karp/requests.h): those of the objects, and those of the trace whose pods are of a workload. NULL = what is
     * stated. Since 1.0 */
    const karp_request_rules *requests;
    const karp_replay_usage *usage;
    size_t usage_count;
    /** Savings plans and reserved instances that could be bought, as CSV (docs/replay.md, "Commitments"): the best set
     * of each term for what ran on demand is written beside the figures, and in format YAML NodeOverlays that make
     * Karpenter prefer what the first term's set covers. NULL = none. Since 1.0 */
    const karp_replay_document *commitment_offers;
    /** From a node that takes pods until Karpenter has initialised it; 0 = at once. A node that is ready as soon as it
     * registers takes 1 s, for Karpenter pauses so long after it has noted the registration. Since 1.0 */
    int64_t initialization;
    /** Kinds of the objects that create no pods, as in karp_reader_options. {NULL,0} = those that a Story or Load
     * states. Since 1.0 */
    karp_str ignored_kinds;
    /** Rules of karp_reader_add_pod_kind() for kinds that create pods, one a line. {NULL,0} = those that a Story or
     * Load states. Since 1.0 */
    karp_str pods_from;
} karp_replay_options;

/** What replays or a story come to: what gates ask about. The caller sets the size. Since 1.0. */
typedef struct karp_replay_outcome {
    size_t size;
    double cost; /**< $/h on average, under the policy that costs most */
    uint64_t pods; /**< of the traces or the story */
    uint64_t pods_pending; /**< at the end, under the policy that leaves most */
    uint64_t nodes_most; /**< at a time */
    uint64_t nodes_without_price; /**< nodes of NodePools that count as 0, because their price is not known */
    uint64_t notes; /**< of the document, with the problems */
    uint64_t unplanned; /**< problems: objects that create pods which are not planned */
    uint64_t not_understood; /**< problems: parts of the input */
    char licences[120]; /**< as in karp_write_options: what the prices lack */
} karp_replay_outcome;

/** Sets the size, boot and its jitter to UNSET, and everything else to 0. Since 1.0. */
KARP_API void karp_replay_options_init(karp_replay_options *options, size_t size);

/**
 * Replays traces and writes the results (docs/replay.md, "Results"). Equal input and seeds give equal bytes. @p write
 * may be NULL. Formats: JSON, TEXT, CSV (the series), HTML (curves of the policies; without scripts, loads nothing),
 * YAML (with commitment_offers). Errors: IO, SYNTAX, INVALID, NOT_FOUND, LIMIT, RANGE, UNSUPPORTED, those of
 * karp_reader_add(), NOMEM, CANCELED, ABI_*. Since 1.0.
 */
KARP_API karp_status karp_replay(karp_context *context, const karp_replay_options *options,
                                 const karp_write_options *write, karp_text *out, karp_error *error);

/**
 * Compares two JSON documents of karp_replay(): the figures that differ, of the policies that are in both, or of the
 * only policy of each. @p differences (may be NULL) receives their number. @p write may be NULL. Formats: JSON, TEXT.
 * Errors: IO, SYNTAX, INVALID (not a Replay; no policy in common), LIMIT, RANGE, UNSUPPORTED, NOMEM, CANCELED, ABI_*.
 * Any thread. Since 1.0.
 */
KARP_API karp_status karp_replay_compare(karp_context *context, const karp_replay_document *before,
                                         const karp_replay_document *after, const karp_write_options *write,
                                         karp_text *out, size_t *differences, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
