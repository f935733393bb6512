/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file requests.h  Right sizes: what containers would request by recommendations of VerticalPodAutoscalers, KRR and
 * Goldilocks, or by what they use; and patches of the workloads (docs/requests.md).
 *
 * A reader that was told karp_reader_recommend_requests() returns the snapshot as it would be with these requests.
 * Everything in this file is since 1.0.
 *
 * Unstable: a minor version may change what is in this file.
 */
#ifndef KARP_REQUESTS_H
#define KARP_REQUESTS_H

#include <karp/io.h>
#include <karp/nodes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What happens to the limits of a container whose requests change. */
enum {
    KARP_LIMITS_RATIO = 0, /**< they keep their ratio to the request, as a VerticalPodAutoscaler keeps it */
    KARP_LIMITS_KEEP = 1 /**< they stay, but are never below the request */
};

/** How requests follow from what is known about a container. */
typedef struct karp_request_rules {
    size_t size;
    /**
     * Of cpu: a statistic of what is used ("p95", "p99.9", "max", "mean") or a recommended amount ("target", "lower",
     * "upper"), or "keep"; then "+15%", and ",min=10m", ",max=4". A statistic applies to samples, and of
     * recommendations the target counts; a recommended amount applies to recommendations, and of samples the default.
     * "" = "p95" of samples, "target" of recommendations.
     */
    karp_str cpu;
    karp_str memory; /**< the same of memory; "" = "max+15%" of samples, "target" of recommendations */
    uint32_t limits; /**< KARP_LIMITS_* */
    uint32_t reserved; /**< 0 */
} karp_request_rules;

/** Zeroes @p rules and sets its size. */
KARP_API void karp_request_rules_init(karp_request_rules *rules, size_t size);

/**
 * Containers request what is recommended: karp_reader_finish() changes the pods and the templates of workloads. It
 * comes before any object is read, and needs `editable`. @p rules may be NULL; copied. Pods that run are resized in
 * place where Kubernetes can do it; others are evicted and pending, if a controller creates them again.
 * karp_reader_finish() fails with NOT_FOUND if the input recommends nothing. Errors: INVALID (a rule), STATE, NOMEM,
 * ABI_*.
 */
KARP_API karp_status karp_reader_recommend_requests(karp_reader *reader, const karp_request_rules *rules,
                                                    karp_error *error);

/**
 * Adds what containers use or should request: a CSV table, the text of `kubectl top pod`, Prometheus' answer to a range
 * or instant query, the JSON of KRR or of Goldilocks' summary. @p resource is "cpu" or "memory" where the text does not
 * say what its numbers are (Prometheus); else "". @p name is used in errors and notes. Errors: STATE (before
 * karp_reader_recommend_requests()), SYNTAX, INVALID, RANGE, LIMIT, NOMEM. After an error the reader can only be freed.
 */
KARP_API karp_status karp_reader_add_usage(karp_reader *reader, karp_str name, karp_str text, karp_str resource,
                                           karp_error *error);
/** The same from a file, or standard input ("-"). Also: IO. */
KARP_API karp_status karp_reader_add_usage_path(karp_reader *reader, const char *path, karp_str resource,
                                                karp_error *error);

/** A container of a workload whose requests are recommended. Texts are borrowed from the reader. */
typedef struct karp_request_change {
    size_t size;
    karp_str kind; /**< of the workload, such as "Deployment"; "Pod" = a pod without a controller */
    karp_str namespace_;
    karp_str name;
    karp_str container;
    karp_str cpu_before; /**< a quantity; "" = nothing is requested; so is the next one */
    karp_str memory_before;
    karp_str cpu_after; /**< "" = nothing is recommended, so that it does not change; so is the next one */
    karp_str memory_after;
    karp_str cpu_limit; /**< after the change; "" = there is no limit, or it stays; so is the next one */
    karp_str memory_limit;
    karp_str cpu_source; /**< "p95 of 2016 samples in usage.csv", "target of VerticalPodAutoscaler api"; "" = none */
    karp_str memory_source;
    uint32_t larger; /**< 1 = a request grows */
    uint32_t pods; /**< of the workload, whether they run or not */
    uint32_t resized; /**< pods that run and are resized in place */
    uint32_t deferred; /**< pods that their node has no room for; they are evicted if a controller creates them again */
    uint32_t infeasible; /**< the same of pods that are larger than their node */
    uint32_t not_resizable; /**< the same of pods whose QoS class would change */
} karp_request_change;

/** How many containers have a recommendation that changes a request, after karp_reader_finish(). */
KARP_API size_t karp_reader_request_change_count(const karp_reader *reader);
/** Change @p index, by kind, namespace and name of the workload, then in the order of its containers. Errors:
 * NOT_FOUND (there are fewer), ABI_SIZE. */
KARP_API karp_status karp_reader_request_change(const karp_reader *reader, size_t index, karp_request_change *out);

/**
 * What the changes are worth at the prices of these nodes, in $/h: for each pod on them, the price of its node times
 * the mean of the shares of cpu and memory that it requests less. Negative where requests grow. @p nodes are those of
 * the cluster as it is, such as of a settlement without the changes. @p saved has room for @p count of
 * karp_reader_request_change_count() numbers. Errors: INVALID (another count), NOMEM.
 */
KARP_API karp_status karp_reader_price_requests(const karp_reader *reader, const karp_node_list *nodes, double *saved,
                                                size_t count, karp_error *error);

/**
 * Writes a strategic merge patch for each workload, those that are worth most first (@p saved as above; NULL = in the
 * order of the changes). Custom resources, which have no strategic merge, are listed in comments. Format: PATCH.
 * Errors: as of karp_write_…().
 */
KARP_API karp_status karp_write_request_patches(karp_context *context, const karp_reader *reader, const double *saved,
                                                const karp_write_options *options, karp_text *out, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
