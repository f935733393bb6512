/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that many kinds share: labels, resources, requirements, selectors, terms, taints, conditions, metadata. */
#include <io/decode_fields.h>

static const karp_str no_text = { "", 0 };

const karp_str *io_strings(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    const tree *array = io_array(d, object, name, count);
    if (!array) return NULL;
    karp_str *list = io_make(d, *count, sizeof *list);
    io_push(d, name);
    for (size_t i = 0; list && i < *count; i++) {
        const tree *value = tree_item(array, i);
        io_push_index(d, i);
        if (tree_is(value, TREE_STRING)) list[i] = tree_text(value);
        else io_bad(d, KARP_E_INVALID, "must be text: quote it");
        io_pop(d);
    }
    io_pop(d);
    return list;
}

static void label(io_decoder *d, karp_str key, const tree *value, void *into)
{
    karp_label *out = into;
    *out = (karp_label){ key, no_text };
    if (tree_is(value, TREE_STRING)) out->value = tree_text(value);
    else if (!tree_is(value, TREE_NULL)) io_bad(d, KARP_E_INVALID, "must be text: quote it");
}

const karp_label *io_labels(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    return io_members(d, object, name, sizeof(karp_label), label, count);
}

bool io_amount(const tree *value, double *out)
{
    return tree_is(value, TREE_STRING) ? karp_double_parse(tree_text(value), out) == KARP_OK : tree_double(value, out);
}

karp_str io_quantity(io_decoder *d, const tree *value)
{
    karp_str text = no_text;
    double real = 0;
    if (tree_is(value, TREE_STRING)) {
        text = tree_text(value);
    } else if (tree_is(value, TREE_INTEGER)) {
        text = tree_digits(value);
        if (str_is(text, "-0")) text = str("0");
    } else if (tree_double(value, &real)) {
        char *number = io_make(d, KARP_VALUE_TEXT, 1);
        if (!number) return text;
        karp_double_format(real, number);
        text = str(number);
    } else if (tree_is(value, TREE_NULL)) {
        text = str("0");
    } else {
        io_bad(d, KARP_E_INVALID, "must be a quantity");
    }
    if (d->status) return text;
    karp_status status = karp_quantity_check(text);
    if (status == KARP_E_RANGE) {
        io_bad(d, status, "is too large or too fine a quantity");
    } else if (status) {
        char shown[48];
        str_shorten(shown, sizeof shown, text);
        io_bad(d, status, "\"%s\" is not a quantity (100m, 1.5, 2Gi)", shown);
    }
    return text;
}

static void resource(io_decoder *d, karp_str key, const tree *value, void *into)
{
    karp_resource *out = into;
    out->name = key;
    out->text = io_quantity(d, value);
}

const karp_resource *io_resources(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    return io_members(d, object, name, sizeof(karp_resource), resource, count);
}

/* ---- requirements and selectors ---------------------------------------------------------------------------------- */

/* Label selectors allow the first four operators, pods the first six. */
static const record_word operators[] = {
    { "In", KARP_OP_IN },         { "NotIn", KARP_OP_NOT_IN },
    { "Exists", KARP_OP_EXISTS }, { "DoesNotExist", KARP_OP_DOES_NOT_EXIST },
    { "Gt", KARP_OP_GT },         { "Lt", KARP_OP_LT },
    { "Gte", KARP_OP_GTE },       { "Lte", KARP_OP_LTE },
};
static const record_words selector_operators = { operators, 4, true, KARP_OP_UNKNOWN };
static const record_words pod_operators = { operators, 6, true, KARP_OP_UNKNOWN };
static const record_words pool_operators = { operators, 8, true, KARP_OP_UNKNOWN };

static const record of_selector_record = { OF(karp_requirement),
                                           CLOSED({ NEEDED("key", karp_requirement, key) },
                                                  { WORD("operator", karp_requirement, op, selector_operators) },
                                                  { TEXTS("values", karp_requirement, values, value_count) }) };

static const record of_pod_record = { OF(karp_requirement),
                                      CLOSED({ NEEDED("key", karp_requirement, key) },
                                             { WORD("operator", karp_requirement, op, pod_operators) },
                                             { TEXTS("values", karp_requirement, values, value_count) }) };

/* In a NodePool an unknown operator is an error, which is reported here because the line is known. In a pod or a
 * selector Karpenter handles it. */
static void finish_of_pool(io_decoder *d, const tree *object, void *into)
{
    karp_requirement *out = into;
    if (out->op == KARP_OP_UNKNOWN)
        io_bad_member(d, "operator", KARP_E_INVALID, "is none of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte and Lte");
    out->min_values = (uint32_t)io_integer(d, object, "minValues", 0, 1000000, 0);
}

const record io_pool_requirement_record = { OF(karp_requirement), .finish = finish_of_pool, .known = "minValues",
                                            CLOSED({ NEEDED("key", karp_requirement, key) },
                                                   { WORD("operator", karp_requirement, op, pool_operators) },
                                                   { TEXTS("values", karp_requirement, values, value_count) }) };

const karp_requirement *io_requirements(io_decoder *d, const tree *object, const char *name, int for_what,
                                        size_t *count)
{
    return io_list(d, object, name, for_what == IO_FOR_POOL ? &io_pool_requirement_record : &of_pod_record, count);
}

const record io_selector_record = {
    OF(karp_selector),
    CLOSED({ LABELS("matchLabels", karp_selector, match_labels, match_label_count) },
           { LIST("matchExpressions", karp_selector, expressions, expression_count, of_selector_record) })
};

const karp_selector *io_selector(io_decoder *d, const tree *object, const char *name)
{
    const tree *value = io_object(d, object, name);
    karp_selector *selector = value ? io_make(d, 1, sizeof *selector) : NULL;
    if (!selector) return NULL;
    io_push(d, name);
    io_decode(d, &io_selector_record, value, selector);
    io_pop(d);
    return selector;
}

static void match_fields(io_decoder *d, const tree *object, const tree *value, void *into)
{
    karp_node_term *out = into;
    size_t fields = 0;
    (void)object;
    if (io_as_array(d, value, "matchFields")) fields = tree_count(value);
    out->has_fields = fields > 0;
}

const record io_node_term_record = {
    OF(karp_node_term),
    CLOSED({ LIST("matchExpressions", karp_node_term, expressions, expression_count, of_pod_record) },
           { CALL("matchFields", match_fields), .inner = &of_pod_record })
};

/* ---- taints, conditions, classes --------------------------------------------------------------------------------- */

const karp_taint *io_taints(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    return io_list(d, object, name, &record_taint, count);
}

static const karp_condition no_condition = { .last_transition = KARP_NO_TIME };
const record io_condition_record = {
    LIKE(no_condition),
    OPEN({ NEEDED("type", karp_condition, type) }, { TEXT("status", karp_condition, status) },
         { TEXT("reason", karp_condition, reason) }, { TIME("lastTransitionTime", karp_condition, last_transition) })
};

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

static const record owner_record = {
    OF(karp_owner), OPEN({ TEXT("apiVersion", karp_owner, api_version) }, { TEXT("kind", karp_owner, kind) },
                         { TEXT("name", karp_owner, name) }, { TEXT("uid", karp_owner, uid) },
                         { FLAG("controller", karp_owner, controller) })
};

#define META_KNOWN                                                                                                     \
    "annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName generation "   \
    "labels managedFields name namespace ownerReferences resourceVersion selfLink uid"

/* What all pods of a workload have in common, and what every object has for itself. */
#define SHARED_ROWS                                                                                                    \
    { LABELS("labels", karp_meta, labels, label_count) },                                                              \
        { LABELS("annotations", karp_meta, annotations, annotation_count) },                                           \
    {                                                                                                                  \
        LIST("ownerReferences", karp_meta, owners, owner_count, owner_record)                                          \
    }
#define TIME_ROWS                                                                                                      \
    { TIME("creationTimestamp", karp_meta, creation) }, { TIME("deletionTimestamp", karp_meta, deletion) }

static const karp_meta no_meta = META_ABSENT;

const record io_meta_record = { LIKE(no_meta), .known = META_KNOWN,
                                CLOSED({ NAME("name", karp_meta, name) }, { TEXT("uid", karp_meta, uid) }, SHARED_ROWS,
                                       TIME_ROWS) };

static void finish_namespaced(io_decoder *d, const tree *object, void *into)
{
    karp_meta *meta = into;
    (void)object;
    if (meta->namespace_.len == 0 && !d->template_) meta->namespace_ = str("default");
}

const record io_namespaced_meta_record = { LIKE(no_meta), .finish = finish_namespaced, .known = META_KNOWN,
                                           CLOSED({ NAME("name", karp_meta, name) },
                                                  { TEXT("namespace", karp_meta, namespace_) },
                                                  { TEXT("uid", karp_meta, uid) }, SHARED_ROWS, TIME_ROWS) };

const record io_shared_meta_record = { OPEN(SHARED_ROWS) };

const record io_own_meta_record = { .finish = finish_namespaced,
                                    OPEN({ NAME("name", karp_meta, name) },
                                         { TEXT("namespace", karp_meta, namespace_) }, { TEXT("uid", karp_meta, uid) },
                                         TIME_ROWS) };

const record io_pool_template_meta_record = {
    .known = META_KNOWN,
    CLOSED({ LABELS("labels", karp_node_pool, template_labels, template_label_count) },
           { LABELS("annotations", karp_node_pool, template_annotations, template_annotation_count) })
};

karp_meta io_meta(io_decoder *d, const tree *object, bool namespaced)
{
    karp_meta meta;
    const tree *value = io_enter(d, object, "metadata");
    io_decode(d, namespaced ? &io_namespaced_meta_record : &io_meta_record, value, &meta);
    io_pop(d);
    return meta;
}

/* ---- topology spread constraints: of pods, and the scheduler's defaults ------------------------------------------ */

static const record_word when_list[] = { { "DoNotSchedule", KARP_DO_NOT_SCHEDULE },
                                         { "ScheduleAnyway", KARP_SCHEDULE_ANYWAY } };
static const record_words when_words = { WORDS(when) };
static const record_word policy_list[] = { { "Honor", KARP_POLICY_HONOR }, { "Ignore", KARP_POLICY_IGNORE } };
static const record_words policy_words = { WORDS(policy) };

const record io_spread_record = {
    OF(karp_spread_constraint),
    CLOSED({ TEXT("topologyKey", karp_spread_constraint, topology_key) },
           { POINTER("labelSelector", karp_spread_constraint, label_selector, io_selector_record) },
           { TEXTS("matchLabelKeys", karp_spread_constraint, match_label_keys, match_label_key_count) },
           { NUMBER32("maxSkew", karp_spread_constraint, max_skew, 1, INT32_MAX), MUST },
           { NUMBER32("minDomains", karp_spread_constraint, min_domains, 0, INT32_MAX) },
           { WORD("whenUnsatisfiable", karp_spread_constraint, when_unsatisfiable, when_words) },
           { WORD("nodeAffinityPolicy", karp_spread_constraint, node_affinity_policy, policy_words) },
           { WORD("nodeTaintsPolicy", karp_spread_constraint, node_taints_policy, policy_words) })
};

const karp_spread_constraint *io_spread(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    return io_list(d, object, name, &io_spread_record, count);
}
