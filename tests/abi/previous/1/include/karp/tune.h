/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tune.h  Searches designs of NodePools: what other requirements, consolidation, budgets and limits would cost
 * (libkarp-io, docs/tune.md).
 *
 * A search hands out designs. The caller finds out what each of them comes to, with karp_settle() for the snapshot of
 * the design, or with karp_replay() for its NodePools, and gives the result back. Designs that were handed out may be
 * tried at the same time, by several threads or machines. Everything in this file is since 1.0.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_TUNE_H
#define KARP_TUNE_H

#include <karp/io.h>
#include <karp/objective.h>
#include <karp/replay.h>
#include <karp/settle.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A search. Exclusive use. */
typedef struct karp_tune karp_tune;

/** Options of karp_tune_new(). */
typedef struct karp_tune_options {
    size_t size;
    /**
     * What is varied, "[POOL:]NAME=VALUE,VALUE": of one NodePool or of all. NAME is consolidateAfter,
     * consolidationPolicy, budget ("10%" or "3": the only budget then), expireAfter, weight, limits.RESOURCE ("none" =
     * no limit), or a label of requirements: "capacity-type", "arch", "zone", "instance-type", the last part of a
     * well-known label ("instance-family"), or a whole label. Values of a requirement: "spot+on-demand" (In), "!c5+m5"
     * (NotIn), ">4", "<9", or "any". Each axis also has the value "", as the input has it. None = axes that follow from
     * the NodePools of the input.
     */
    const karp_str *axes;
    size_t axis_count;
    uint64_t most_designs; /**< that are handed out, at most 10000; 0 = 64 */
    uint64_t seed; /**< of the search, if there are more designs than that */
    uint32_t replay; /**< 1 = designs are replayed, so that times and budgets matter: they are axes by themselves */
    uint32_t peer_version; /**< KARP_PEER_* of the snapshots, as in karp_reader_options */
    /** The most that the best design may have, "NAME=N": of a settled cluster "removed" (nodes), "spot" ($/h) and
     * "spot-share", of a replay "evictions", "pending" (seconds, the 99th percentile), "interruptions" and
     * "interruptions-per-hour" (expected, by the rates) */
    const karp_str *caps;
    size_t cap_count;
    /** Of replays: what a pod loses that is evicted or killed, in nanoseconds of its work. The cost of a design then
     * includes it at the price of the replay's pods, $ / hours of running pods. 0 = nothing */
    int64_t restart_loss;
    /**
     * {NULL,0}, or a CSV of which architectures images are made for: "image,architectures" and rows such as
     * "nginx:1.29,amd64+arm64". An image that ends with "*" is a beginning; "*" alone stands for all others, and for
     * pods of traces. Without axes, architectures are then varied as far as all images allow.
     */
    karp_str image_architectures;
    /**
     * Of settled designs, for karp_tune_settle() and karp_tune_floor(): the loads by which they are judged, as factors
     * of the pods of each workload (0.8 = a fifth less, rounded, at least one pod), at most 16; without any, the
     * present one. Costs are means then, pods left, removed nodes and nodes without price are sums. Pods are added as
     * copies that wait, with the claims of what they copy; the last ones of the input go. DaemonSets and pods without a
     * controller stay.
     */
    const double *loads;
    size_t load_count;
} karp_tune_options;

/** Zeroes @p options and sets its size. */
KARP_API void karp_tune_options_init(karp_tune_options *options, size_t size);

/**
 * Begins a search with the NodePools of @p reader, which has keep_documents and is finished; it may be freed after the
 * call. @p options may be NULL; copied. The caller frees *@p out (karp_tune_free()). Errors: INVALID (an axis or a
 * cap), NOT_FOUND (no NodePool, or none of the name), DUPLICATE (an axis), those of karp_reader_dump(), SYNTAX and
 * RANGE (of what it wrote), NOMEM, ABI_*.
 */
KARP_API karp_status karp_tune_new(karp_context *context, const karp_reader *reader, const karp_tune_options *options,
                                   karp_tune **out, karp_error *error);
/** Frees it. NULL is allowed. */
KARP_API void karp_tune_free(karp_tune *tune);

/** One axis. Texts are borrowed from the search. */
typedef struct karp_tune_axis {
    size_t size;
    karp_str pool; /**< "" = all NodePools */
    karp_str name; /**< as in the options: "consolidateAfter", "capacity-type" */
    karp_str now; /**< what the input has, as a value is written; "" = its NodePools differ, or have several of it */
    const karp_str *values; /**< the first is "", as the input has it */
    size_t value_count;
} karp_tune_axis;

/** How many axes there are. */
KARP_API size_t karp_tune_axis_count(const karp_tune *tune);
/** Axis @p index. Errors: NOT_FOUND (there are fewer), ABI_SIZE. */
KARP_API karp_status karp_tune_get_axis(const karp_tune *tune, size_t index, karp_tune_axis *out);
/** How many designs the axes have; UINT64_MAX = that many or more. */
KARP_API uint64_t karp_tune_grid(const karp_tune *tune);

/**
 * Hands out the next design, by its number from 0. Design 0 is the input as it is. Then come those with one change, and
 * then all others if there are at most most_designs. If not, the neighbours of the best design so far follow, and from
 * a design at random when none of them is better. Equal options and results give equal designs. Errors: NOT_FOUND
 * (there are no more), LIMIT, NOMEM, CANCELED.
 */
KARP_API karp_status karp_tune_next(karp_tune *tune, size_t *design);
/**
 * The same for designs that are tried at the same time: STATE as long as the next one depends on results that were not
 * given yet. However many are tried together, the designs are those of karp_tune_next(), one after the other. Errors:
 * STATE (as long as that), those of karp_tune_next().
 */
KARP_API karp_status karp_tune_next_ready(karp_tune *tune, size_t *design);

/** A design for what follows: every requirement and limit that is varied is dropped, with the minValues. */
#define KARP_TUNE_LOOSEST SIZE_MAX
/**
 * The NodePools that the design changes, as YAML, to be applied or for the replaced objects of karp_replay(); empty if
 * it changes none.
 * The caller frees @p out (karp_text_free()). Errors: NOT_FOUND (no such design), RANGE, NOMEM, LIMIT.
 */
KARP_API karp_status karp_tune_pools(const karp_tune *tune, size_t design, karp_text *out, karp_error *error);

/**
 * The input with the NodePools of the design. The caller owns *@p out (karp_snapshot_unref()). Errors: NOT_FOUND (no
 * such design), STATE (of a search for replays), those of karp_reader_replace() and karp_reader_finish().
 */
KARP_API karp_status karp_tune_snapshot(const karp_tune *tune, size_t design, karp_snapshot **out, karp_error *error);

/** Gives the result of a design: the cluster that it settles to. Errors: NOT_FOUND (no such design), INVALID. */
KARP_API karp_status karp_tune_set_settlement(karp_tune *tune, size_t design, const karp_settlement *settlement,
                                              karp_error *error);
/**
 * The same of a replay: the JSON of karp_replay() with one policy. Errors: NOT_FOUND (no such design), SYNTAX, INVALID
 * (not a Replay of one policy), LIMIT, RANGE, NOMEM.
 */
KARP_API karp_status karp_tune_set_replay(karp_tune *tune, size_t design, karp_str replay, karp_error *error);

/**
 * Hands out the next designs, at most 16, settles them and gives their results back. *@p tried is their number; 0 =
 * there are no more. With karp_context_options.parallel_for they are settled at the same time, unless there is a
 * should_stop. Designs and results do not depend on that, nor on the number of threads: they are those of
 * karp_tune_next(). @p options may be NULL: with disruption passes. Its progress is not called. Errors: of the first
 * design that fails those of karp_tune_snapshot(), karp_settle() and karp_tune_set_settlement().
 */
KARP_API karp_status karp_tune_settle(karp_tune *tune, const karp_settle_options *options, size_t *tried,
                                      karp_error *error);
/**
 * The same of a search for replays: each design is replayed with @p options, one policy, and its NodePools after the
 * `replaced` objects. Errors: of the first design that fails those of karp_replay() and karp_tune_set_replay().
 */
KARP_API karp_status karp_tune_replay(karp_tune *tune, const karp_replay_options *options, size_t *tried,
                                      karp_error *error);

/** A design that was handed out. */
typedef struct karp_tune_design {
    size_t size;
    const size_t *values; /**< the number of its value on each axis. Borrowed until the next call of karp_tune_next() */
    size_t changes; /**< values that are not the first */
    uint32_t known; /**< 1 = its result was given; otherwise the rest is 0 */
    uint32_t on_front; /**< 1 = no other design is as good in every figure, and better in one */
    uint32_t best; /**< 1 = leaves the fewest pods; of these, of the lowest cost, then the lowest next figures, then
                      the fewest changes */
    uint32_t leaves_more; /**< 1 = more pods are left than with design 0: it is neither on the front nor the best */
    double cost; /**< $/h of the settled cluster; $ of the whole replay */
    double exposure; /**< of the settled cluster $/h of spot nodes; of the replay, interruptions of spot nodes */
    double pending; /**< seconds for which pods were pending, the 99th percentile of the replay; settled: 0 */
    uint64_t evictions; /**< of the replay; settled: nodes that are removed on the way */
    uint64_t nodes; /**< of the settled cluster; of the replay, the most at a time */
    uint64_t left; /**< pods that no node can be had for in the end */
    uint64_t beyond_cap; /**< 1 = it has more than a cap allows: it is not the best */
    uint64_t unpriced; /**< nodes of the settled cluster without a known price, which count as 0 in `cost` */
    double restarts; /**< the part of the cost that is restarts (restart_loss) */
    /** Of the replay: interruptions that the rates let expect for its spot nodes, in an hour; `exposure` has those that
     * happened */
    double interruptions_per_hour;
    /** Of the settled cluster: the largest part of a workload's pods on one offering of spot capacity (type and zone),
     * of workloads of at least two pods; 0 to 1 */
    double spot_share;
} karp_tune_design;

/** A day of a replayed design. */
typedef struct karp_tune_day {
    size_t size;
    int64_t begins; /**< instant; days are those of UTC */
    double cost; /**< $ of the nodes on that day, without restarts */
} karp_tune_day;

/** Day @p index of the replay of a design, from the first. Errors: NOT_FOUND (no such design, its result is not known,
 * or there are fewer days), INVALID, ABI_SIZE. */
KARP_API karp_status karp_tune_get_day(const karp_tune *tune, size_t design, size_t index, karp_tune_day *out);

/** What the replay of the input as it is does not plan or understand, by number: its `problems`, which every cost
 * lacks;
 * "" = there are fewer. Borrowed from the search. */
KARP_API karp_str karp_tune_problem(const karp_tune *tune, size_t index);

/** An image that is not made for all architectures, or that the table of images does not have, by number: it keeps
 * them from being varied; "" = there are fewer. "pods of the trace": the table has no row for all others. Borrowed from
 * the search. */
KARP_API karp_str karp_tune_kept_image(const karp_tune *tune, size_t index);

/** How many designs were handed out. */
KARP_API size_t karp_tune_design_count(const karp_tune *tune);
/** Design @p index, judged by the results that were given. Errors: NOT_FOUND (there are fewer), ABI_SIZE. */
KARP_API karp_status karp_tune_get_design(const karp_tune *tune, size_t index, karp_tune_design *out);

/**
 * A lower bound of what any design costs that launches all nodes of NodePools anew and places the pods that
 * KARP_TUNE_LOOSEST places, in $/h: that of karp_cost_bound() for it, where neither preferences nor weights count; 0 =
 * unknown. @p options may be NULL: when to stop, and the profile. Errors: those of karp_tune_snapshot(),
 * karp_snapshot_without() and karp_cost_bound().
 */
KARP_API karp_status karp_tune_floor(karp_tune *tune, const karp_options *options, double *floor, karp_error *error);

/** Writes a Tuning: the axes, the designs, the best of them and the floor, if it is known. Formats: JSON, HTML (the
 * cost of designs against their other figures, and the cost by day, without scripts). */
KARP_API karp_status karp_write_tune(karp_context *context, const karp_tune *tune, const karp_write_options *options,
                                     karp_text *out, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
