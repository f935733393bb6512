/* SPDX-License-Identifier: Apache-2.0 */
/* What many kinds have: metadata, labels, resources, requirements, selectors, terms, taints, conditions. */
#include <io/decode.h>

#include <string.h>

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
        if (tree_is(value, TREE_STRING)) {
            list[i] = tree_text(value);
        } else {
            io_bad(d, KARP_E_INVALID, "must be text: quote it");
        }
        io_pop(d);
    }
    io_pop(d);
    return list;
}

static void label(io_decoder *d, karp_str key, const tree *value, void *into)
{
    karp_label *out = into;
    *out = (karp_label){ key, no_text };
    if (tree_is(value, TREE_STRING)) {
        out->value = tree_text(value);
    } else if (!tree_is(value, TREE_NULL)) {
        io_bad(d, KARP_E_INVALID, "must be text: quote it");
    }
}

const karp_label *io_labels(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    return io_members(d, object, name, sizeof(karp_label), label, count);
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
        io_bad(d, status, "\"%s\" is no quantity (100m, 1.5, 2Gi)", shown);
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

static uint32_t operator_of(karp_str word, int for_what)
{
    static const io_word choices[] = {
        { "In", KARP_OP_IN },         { "NotIn", KARP_OP_NOT_IN },
        { "Exists", KARP_OP_EXISTS }, { "DoesNotExist", KARP_OP_DOES_NOT_EXIST },
        { "Gt", KARP_OP_GT },         { "Lt", KARP_OP_LT },
        { "Gte", KARP_OP_GTE },       { "Lte", KARP_OP_LTE },
    };
    size_t known = for_what == IO_FOR_SELECTOR ? 4 : for_what == IO_FOR_POD ? 6 : 8;
    for (size_t i = 0; i < known; i++) {
        if (str_is(word, choices[i].word)) return choices[i].value;
    }
    return KARP_OP_UNKNOWN;
}

static karp_requirement *requirement(io_decoder *d, const tree *entry, void *into, int for_what)
{
    karp_requirement *out = into;
    out->key = io_required_string(d, entry, "key");
    out->op = operator_of(io_string(d, entry, "operator"), for_what);
    out->values = io_strings(d, entry, "values", &out->value_count);
    return out;
}

static void of_selector(io_decoder *d, const tree *entry, void *into)
{
    (void)requirement(d, entry, into, IO_FOR_SELECTOR);
}

static void of_pod(io_decoder *d, const tree *entry, void *into) { (void)requirement(d, entry, into, IO_FOR_POD); }

/* Here an unknown operator is an error, while the line is at hand; of a pod or a selector it is Karpenter's to judge. */
static void of_pool(io_decoder *d, const tree *entry, void *into)
{
    karp_requirement *out = requirement(d, entry, into, IO_FOR_POOL);
    if (out->op == KARP_OP_UNKNOWN) {
        io_bad_member(d, "operator", KARP_E_INVALID, "is none of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte and Lte");
    }
    out->min_values = (uint32_t)io_integer(d, entry, "minValues", 0, 1000000, 0);
}

const karp_requirement *io_requirements(io_decoder *d, const tree *object, const char *name, int for_what,
                                        size_t *count)
{
    io_decode_element *decode = for_what == IO_FOR_POOL ? of_pool : for_what == IO_FOR_POD ? of_pod : of_selector;
    return io_elements(d, object, name, sizeof(karp_requirement), decode, count);
}

const karp_selector *io_selector(io_decoder *d, const tree *object, const char *name)
{
    const tree *value = io_object(d, object, name);
    if (!value) return NULL;
    karp_selector *selector = io_make(d, 1, sizeof *selector);
    io_push(d, name);
    if (selector) {
        selector->match_labels = io_labels(d, value, "matchLabels", &selector->match_label_count);
        selector->expressions = io_requirements(d, value, "matchExpressions", IO_FOR_SELECTOR,
                                                &selector->expression_count);
    }
    io_pop(d);
    return selector;
}

void io_node_term(io_decoder *d, const tree *term, karp_node_term *out)
{
    size_t fields = 0;
    out->expressions = io_requirements(d, term, "matchExpressions", IO_FOR_POD, &out->expression_count);
    (void)io_array(d, term, "matchFields", &fields);
    out->has_fields = fields > 0;
}

static void node_term(io_decoder *d, const tree *term, void *into) { io_node_term(d, term, into); }

const karp_node_term *io_node_terms(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    return io_elements(d, object, name, sizeof(karp_node_term), node_term, count);
}

static void taint(io_decoder *d, const tree *value, void *into)
{
    karp_taint *out = into;
    out->key = io_required_string(d, value, "key");
    out->value = io_string(d, value, "value");
    out->effect = io_string(d, value, "effect");
}

const karp_taint *io_taints(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    return io_elements(d, object, name, sizeof(karp_taint), taint, count);
}

static void condition(io_decoder *d, const tree *value, void *into)
{
    karp_condition *out = into;
    out->type = io_required_string(d, value, "type");
    out->status = io_string(d, value, "status");
    out->reason = io_string(d, value, "reason");
    out->last_transition = io_time(d, value, "lastTransitionTime");
}

const karp_condition *io_conditions(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    return io_elements(d, object, name, sizeof(karp_condition), condition, count);
}

karp_node_class_ref io_node_class_ref(io_decoder *d, const tree *object, const char *name)
{
    const tree *value = io_object(d, object, name);
    karp_node_class_ref ref = { no_text, no_text, no_text };
    if (!value) return ref;
    io_push(d, name);
    ref.group = io_string(d, value, "group");
    ref.kind = io_string(d, value, "kind");
    ref.name = io_required_string(d, value, "name");
    io_pop(d);
    return ref;
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

static void owner(io_decoder *d, const tree *value, void *into)
{
    karp_owner *out = into;
    out->api_version = io_string(d, value, "apiVersion");
    out->kind = io_string(d, value, "kind");
    out->name = io_string(d, value, "name");
    out->uid = io_string(d, value, "uid");
    out->controller = io_boolean(d, value, "controller", false);
}

karp_meta io_meta(io_decoder *d, const tree *object, bool namespaced)
{
    karp_meta meta;
    memset(&meta, 0, sizeof meta);
    meta.creation = meta.deletion = KARP_NO_TIME;
    const tree *value = io_enter(d, object, "metadata");
    meta.name = d->template_ ? io_string(d, value, "name") : io_required_string(d, value, "name");
    meta.namespace_ = no_text;
    if (namespaced) {
        meta.namespace_ = io_string(d, value, "namespace");
        if (meta.namespace_.len == 0 && !d->template_) meta.namespace_ = str("default");
    }
    meta.uid = io_string(d, value, "uid");
    meta.labels = io_labels(d, value, "labels", &meta.label_count);
    meta.annotations = io_labels(d, value, "annotations", &meta.annotation_count);
    meta.owners = io_elements(d, value, "ownerReferences", sizeof(karp_owner), owner, &meta.owner_count);
    meta.creation = io_time(d, value, "creationTimestamp");
    meta.deletion = io_time(d, value, "deletionTimestamp");
    io_pop(d);
    return meta;
}

/* ---- spread constraints: of pods, and the default ones of the scheduler's configuration --------------------------- */

static void spread(io_decoder *d, const tree *value, void *into)
{
    static const io_word when[] = { { "DoNotSchedule", KARP_DO_NOT_SCHEDULE },
                                    { "ScheduleAnyway", KARP_SCHEDULE_ANYWAY } };
    static const io_word policy[] = { { "Honor", KARP_POLICY_HONOR }, { "Ignore", KARP_POLICY_IGNORE } };
    karp_spread_constraint *s = into;
    s->topology_key = io_string(d, value, "topologyKey");
    s->label_selector = io_selector(d, value, "labelSelector");
    s->match_label_keys = io_strings(d, value, "matchLabelKeys", &s->match_label_key_count);
    s->max_skew = (int32_t)io_integer(d, value, "maxSkew", 1, INT32_MAX, 0);
    if (s->max_skew == 0) io_bad_member(d, "maxSkew", KARP_E_INVALID, "must be at least 1");
    s->min_domains = (int32_t)io_integer(d, value, "minDomains", 0, INT32_MAX, 0);
    s->when_unsatisfiable = io_enum(d, value, "whenUnsatisfiable", when, 2, KARP_DO_NOT_SCHEDULE);
    s->node_affinity_policy = io_enum(d, value, "nodeAffinityPolicy", policy, 2, KARP_POLICY_DEFAULT);
    s->node_taints_policy = io_enum(d, value, "nodeTaintsPolicy", policy, 2, KARP_POLICY_DEFAULT);
}

const karp_spread_constraint *io_spread(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    return io_elements(d, object, name, sizeof(karp_spread_constraint), spread, count);
}
