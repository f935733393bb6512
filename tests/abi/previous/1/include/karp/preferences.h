/* SPDX-License-Identifier: Apache-2.0 */
/** @file preferences.h  What Karpenter makes of the preferences of pending pods, and what they cost. */
#ifndef KARP_PREFERENCES_H
#define KARP_PREFERENCES_H

#include <karp/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is preferred. Numbers never change. */
enum {
    KARP_PREFERENCE_NODE_AFFINITY = 1, /**< preferred node affinity: a kept one is a requirement of new nodes */
    KARP_PREFERENCE_POD_AFFINITY = 2, /**< preferred pod affinity */
    KARP_PREFERENCE_POD_ANTI_AFFINITY = 3, /**< preferred pod anti-affinity */
    KARP_PREFERENCE_SPREAD = 4, /**< a topology spread constraint with whenUnsatisfiable: ScheduleAnyway */
    KARP_PREFERENCE_KINDS = 5 /**< number of the kinds, and one more */
};

/** "nodeAffinity", "podAffinity", "podAntiAffinity", "topologySpread"; "unknown" for any other number. Since 1.0. */
KARP_API const char *karp_preference_name(uint32_t kind);

/**
 * A preference of pods whose rules are equal, such as those of a Deployment. Karpenter treats preferences as rules, and
 * drops them one by one while a pod cannot be placed; of preferred node affinities it looks at the heaviest alone
 * (Karpenter's preferences.go). Texts are borrowed from the result. Since 1.0.
 */
typedef struct karp_preference {
    size_t size;
    uint32_t kind; /**< KARP_PREFERENCE_* */
    int32_t weight; /**< 0 for a spread constraint */
    karp_str pod; /**< the first pod by name, "namespace/name" */
    karp_str text; /**< "kubernetes.io/hostname of app=web", "example.com/disk In [ssd]" */
    size_t pods; /**< pods that have it and were placed */
    size_t kept; /**< those of them for which it was kept */
    size_t dropped; /**< those for which it was dropped; the others have a heavier one of the kind that was kept */
} karp_preference;

/** How many preferences the pods have that a launch decision placed: 0 under preference policy Ignore, and with the
 * objective COST. Since 1.0. */
KARP_API size_t karp_decision_preference_count(const karp_decision *decision);
/** Preference @p index of all pods, as karp_preferences_at(); borrowed from @p decision. Errors: NOT_FOUND beyond the
 * end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_decision_preference(const karp_decision *decision, size_t index, karp_preference *out);

/** The preferences of a launch decision, and what they cost; immutable, single ownership. */
typedef struct karp_preferences karp_preferences;

/**
 * What became of the preferences in @p plan, which karp_provision() made with these @p options (NULL = defaults), and
 * what a plan without preferences costs: one more round, if there are any. @p name ("namespace/name" of a pod): only
 * its preferences; {NULL, 0} = those of all pods. With keep_partial a round that was stopped leaves the cost unknown.
 * The caller owns *@p out (karp_preferences_free()). Errors: NOT_FOUND (no such pod), RANGE (amounts that cannot be
 * added up or counted exactly), NOMEM, CANCELED, ABI_*. Any thread. Since 1.0.
 */
KARP_API karp_status karp_preferences_of(const karp_decision *plan, const karp_options *options, karp_str name,
                                         karp_preferences **out, karp_error *error);
/**
 * The same for the plan that karp_provision() makes of @p snapshot with the objective COMPATIBLE. Errors: as
 * karp_preferences_of(). Since 1.0.
 */
KARP_API karp_status karp_find_preferences(const karp_snapshot *snapshot, const karp_options *options, karp_str name,
                                           karp_preferences **out, karp_error *error);
/** Frees it. NULL is allowed. Since 1.0. */
KARP_API void karp_preferences_free(karp_preferences *preferences);
/** How many there are. Since 1.0. */
KARP_API size_t karp_preferences_count(const karp_preferences *preferences);
/** Preference @p index, by pod, kind and place in the pod. Errors: NOT_FOUND beyond the end, ABI_SIZE. Since 1.0. */
KARP_API karp_status karp_preferences_at(const karp_preferences *preferences, size_t index, karp_preference *out);
/** $/h of the nodes to launch, as they are decided. Since 1.0. */
KARP_API double karp_preferences_cost(const karp_preferences *preferences);
/** $/h of the nodes to launch without preferences, as under preference policy Ignore; more pods may be placed then.
 * -1 = unknown. Since 1.0. */
KARP_API double karp_preferences_cost_ignored(const karp_preferences *preferences);

#ifdef __cplusplus
}
#endif
#endif
