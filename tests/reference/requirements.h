/* SPDX-License-Identifier: Apache-2.0 */
/** @file requirements.h  One requirement, sets of them, and the label tables (scheduling.md 5, 6, 7). */
#ifndef REFERENCE_REQUIREMENTS_H
#define REFERENCE_REQUIREMENTS_H

#include "document.h"

#define HOSTNAME "kubernetes.io/hostname"
#define ZONE "topology.kubernetes.io/zone"
#define NODEPOOL "karpenter.sh/nodepool"
#define CAPACITY_TYPE "karpenter.sh/capacity-type"
#define INSTANCE_TYPE "node.kubernetes.io/instance-type"
#define REGISTERED "karpenter.sh/registered"
#define INITIALIZED "karpenter.sh/initialized"

enum { IN, NOT_IN, EXISTS, DOES_NOT_EXIST };

struct requirement {
    const char *key;
    bool complement; /* every string but the values */
    struct names values;
    bool has_gte, has_lte, has_min;
    int64_t gte, lte, min; /* min: minValues */
};

/** By key. Never changed once made. */
struct requirements {
    const struct requirement *items;
    size_t count;
};

/** An entry of a matchExpressions or requirements list, as written. */
struct expression {
    const char *key, *op;
    struct names values; /* in the order given */
    bool has_min;
    int64_t min;
};

struct expressions {
    struct expression *items;
    size_t count;
};

/** Takes the provider's entries of the label tables, for this thread. */
void ref_tables_read(const json_t *document);
bool ref_well_known(const char *key);
const char *ref_normalized(const char *key);
/** The label of reservation ids; "" when there is none. */
const char *ref_reservation_label(void);
/** Why a pod must not ask for this; NULL if it may (7.4). */
const char *ref_invalid(const char *key, const char *op, struct names values);

struct expressions ref_expressions_read(const json_t *array);

struct requirement ref_requirement(struct expression e);
struct requirement ref_requirement_in(const char *key, struct names values);
int ref_operator(const struct requirement *r);
const char *ref_operator_name(int op);
bool ref_has(const struct requirement *r, const char *value);
/** A value, the smallest (ND-5); "" for none. */
const char *ref_any(const struct requirement *r);
bool ref_has_intersection(const struct requirement *a, const struct requirement *b);

struct requirements ref_requirements(struct expressions list);
struct requirements ref_requirements_of_labels(struct labels labels);
struct requirements ref_requirements_one(struct requirement r);
struct requirements ref_union(struct requirements a, struct requirements b);
/** @p set with @p r in place of its own entry. */
struct requirements ref_replace(struct requirements set, struct requirement r);
struct requirements ref_without(struct requirements set, const char *key);
/** The entry, or NULL. */
const struct requirement *ref_get(struct requirements set, const char *key);
/** The entry, or one that allows everything. */
struct requirement ref_get_or_any(struct requirements set, const char *key);

/** No key that both have is in conflict. */
bool ref_intersects(struct requirements mine, struct requirements other);
/** Can the supply meet the demand? @p undefined_ok: well-known labels may be missing from the supply. */
bool ref_compatible(struct requirements supply, struct requirements demand, bool undefined_ok);

#endif
