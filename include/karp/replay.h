/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file replay.h  Weeks of a cluster's load in virtual time, under several policies, and what they cost (libkarp-io).
 *
 * A trace says which pods come and go. The decisions are those of karp_provision() and karp_disrupt(); what is not Karpenter's
 * (kube-scheduler, the cloud, controllers of workloads) is played by stand-ins that docs/replay.md describes.
 */
#ifndef KARP_REPLAY_H
#define KARP_REPLAY_H

#include <karp/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A document: a file, or its text. Since 0.1. */
typedef struct karp_replay_document {
    karp_str name; /**< a path, or with a text what errors call it */
    karp_str text; /**< ptr NULL = the file of that name is read */
} karp_replay_document;

/** How often machines are taken back. Since 0.1. */
typedef struct karp_replay_interruption {
    karp_str instance_type; /**< "" = any; likewise the zone */
    karp_str zone;
    double per_hour; /**< interruptions of a running spot node per hour; finite, not negative */
} karp_replay_interruption;

/** What a replay is told of its progress. Since 0.1. */
typedef struct karp_replay_progress {
    size_t size;
    karp_str policy;
    int64_t now; /**< instant of the trace */
    int64_t begins; /**< of the replay; likewise its end */
    int64_t ends;
    size_t nodes; /**< that run */
    size_t pods; /**< that exist */
} karp_replay_progress;

/** Options of karp_replay(). Durations are nanoseconds. Since 0.1. */
typedef struct karp_replay_options {
    size_t size;
    const karp_replay_document *traces;
    size_t trace_count;
    karp_str format; /**< of the traces; "" = told by what they say */
    const karp_replay_document *objects; /**< NodePools, classes, DaemonSets, budgets: what is there from the start */
    size_t object_count;
    karp_catalogue *catalogue; /**< of all pools; NULL = the built-in one of the region. Borrowed */
    karp_str region; /**< of the built-in catalogue; "" = told by the documents */
    /** "karpenter", "karpenter-1.14", "karpenter-1.15", "karp", "cost", "cost+repack": each replays the same trace; none = "karpenter". */
    const karp_str *policies;
    size_t policy_count;
    int64_t until; /**< instant at which it ends; 0 = the end of the trace */
    int64_t until_after; /**< instead: so long after its beginning; 0 = not so */
    int64_t step; /**< between the points of the series; 0 = about 300 of them */
    uint64_t seed; /**< of jitter and interruptions */
    int64_t boot; /**< from a launch to a ready node; KARP_DURATION_UNSET = 45 s */
    int64_t boot_jitter; /**< at most so much more; KARP_DURATION_UNSET = 30 s */
    int64_t disruption_interval; /**< between disruption passes; 0 = 10 s, as Karpenter */
    const karp_replay_interruption
        *interruptions; /**< of the rows that fit a spot node the last counts; none = never */
    size_t interruption_count;
    uint32_t
        most_allocated; /**< 1 = kube-scheduler fills nodes up (MostAllocated) instead of spreading (LeastAllocated) */
    uint32_t lenient; /**< 1 = what contradicts itself in a trace is left out and counted */
    /** Instant: instead of the result, the cluster then as a Snapshot (first policy); 0 = no. With it as the objects, the same traces and the
     * same options the replay goes on, and gives what it gives without a cut. */
    int64_t dump_at;
    int64_t dump_after; /**< instead: so long after the beginning; 0 = not so */
    void (*progress)(const karp_replay_progress *progress, void *user); /**< about 100 times a policy; NULL = never */
    void *progress_user;
    const karp_options
        *decision; /**< when to stop, quirks and rules; profile and objective are the policies'. NULL = defaults */
    /** A RepackPlan (karp_write_repack(), JSON) of the cluster that the objects have: its steps are carried out from the beginning, and no
     * disruption passes are made meanwhile (docs/repack.md). Without traces and an end the replay ends with it. NULL = none. Since 0.1. */
    const karp_replay_document *repack;
    /** 1 = pods that its steps move come to the nodes that it names, as long as these take them; 0 = where kube-scheduler puts them */
    uint64_t as_planned;
} karp_replay_options;

/** Sets the size, boot and its jitter to UNSET, and everything else to 0. Since 0.1. */
KARP_API void karp_replay_options_init(karp_replay_options *options, size_t size);

/**
 * Replays traces and writes what came of it (docs/replay.md, "Results"). Equal input and seeds give equal bytes. @p write may be NULL.
 * Formats: JSON, TEXT, CSV (the series), HTML (curves of the policies; no script, nothing loaded from elsewhere).
 * Errors: IO, SYNTAX, INVALID, NOT_FOUND, LIMIT, RANGE, UNSUPPORTED, NOMEM, CANCELED, ABI_*. Since 0.1.
 */
KARP_API karp_status karp_replay(karp_context *context, const karp_replay_options *options,
                                 const karp_write_options *write, karp_text *out, karp_error *error);

/**
 * Compares two documents that karp_replay() wrote as JSON: every figure of the policies that both have, or of the only one that each has,
 * that differs. @p differences (may be NULL) receives how many do. @p write may be NULL. Formats: JSON, TEXT.
 * Errors: IO, SYNTAX, INVALID (not a Replay; no policy in common), LIMIT, UNSUPPORTED, NOMEM, CANCELED, ABI_*. Any thread. Since 0.1.
 */
KARP_API karp_status karp_replay_compare(karp_context *context, const karp_replay_document *before,
                                         const karp_replay_document *after, const karp_write_options *write,
                                         karp_text *out, size_t *differences, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
