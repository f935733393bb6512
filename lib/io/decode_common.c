/* SPDX-License-Identifier: Apache-2.0 */
/* What many kinds have: metadata, labels, resources, requirements, selectors, terms, taints, conditions. */
#include <io/decode.h>

#include <string.h>

static const karp_str no_text = { "", 0 };

const karp_str *io_strings(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    const json_t *array = io_array(d, object, name, count);
    if (!array) return NULL;
    karp_str *list = io_make(d, *count, sizeof *list);
    io_push(d, name);
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *value = json_array_get(array, i);
        io_push_index(d, i);
        if (json_is_string(value)) {
            list[i] = (karp_str){ json_string_value(value), json_string_length(value) };
        } else {
            io_bad(d, KARP_E_INVALID, "must be text: quote it");
        }
        io_pop(d);
    }
    io_pop(d);
    return list;
}

static void label(io_decoder *d, const char *key, const json_t *value, void *into)
{
    karp_label *out = into;
    *out = (karp_label){ io_str(key), no_text };
    if (json_is_string(value)) {
        out->value = (karp_str){ json_string_value(value), json_string_length(value) };
    } else if (!json_is_null(value)) {
        io_bad(d, KARP_E_INVALID, "must be text: quote it");
    }
}

const karp_label *io_labels(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    return io_members(d, object, name, sizeof(karp_label), label, count);
}

karp_str io_quantity(io_decoder *d, const json_t *value)
{
    char number[KARP_VALUE_TEXT];
    karp_str text = no_text;
    if (json_is_string(value)) {
        text = (karp_str){ json_string_value(value), json_string_length(value) };
    } else if (json_is_integer(value) || json_is_real(value)) {
        io_text digits;
        io_text_init(&digits, d->arena->context);
        if (json_is_integer(value)) {
            io_text_addi(&digits, json_integer_value(value));
        } else {
            karp_double_format(json_real_value(value), number);
            io_text_adds(&digits, number);
        }
        char *copy = digits.failed ? NULL : io_arena_string(d->arena, digits.ptr, digits.len);
        if (copy) {
            text = (karp_str){ copy, digits.len };
        } else {
            d->status = io_nomem(&d->error);
        }
        io_text_free(&digits);
    } else if (json_is_null(value)) {
        text = io_str("0");
    } else {
        io_bad(d, KARP_E_INVALID, "must be a quantity");
    }
    if (d->status) return text;
    karp_status status = karp_quantity_check(text);
    if (status == KARP_E_RANGE) {
        io_bad(d, status, "is too large or too fine a quantity");
    } else if (status) {
        char shown[48];
        io_error_text(shown, sizeof shown, text);
        io_bad(d, status, "\"%s\" is no quantity (100m, 1.5, 2Gi)", shown);
    }
    return text;
}

static void resource(io_decoder *d, const char *key, const json_t *value, void *into)
{
    karp_resource *out = into;
    out->name = io_str(key);
    out->text = io_quantity(d, value);
}

const karp_resource *io_resources(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    return io_members(d, object, name, sizeof(karp_resource), resource, count);
}

/* ---- requirements and selectors ---------------------------------------------------------------------------------- */

static uint32_t operator_of(karp_str word, int for_what)
{
    static const io_word words[] = {
        { "In", KARP_OP_IN },         { "NotIn", KARP_OP_NOT_IN },
        { "Exists", KARP_OP_EXISTS }, { "DoesNotExist", KARP_OP_DOES_NOT_EXIST },
        { "Gt", KARP_OP_GT },         { "Lt", KARP_OP_LT },
        { "Gte", KARP_OP_GTE },       { "Lte", KARP_OP_LTE },
    };
    size_t known = for_what == IO_FOR_SELECTOR ? 4 : for_what == IO_FOR_POD ? 6 : 8;
    for (size_t i = 0; i < known; i++) {
        if (io_str_is(word, words[i].word)) return words[i].value;
    }
    return KARP_OP_UNKNOWN;
}

static karp_requirement *requirement(io_decoder *d, const json_t *entry, void *into, int for_what)
{
    karp_requirement *out = into;
    out->key = io_required_string(d, entry, "key");
    out->op = operator_of(io_string(d, entry, "operator"), for_what);
    out->values = io_strings(d, entry, "values", &out->value_count);
    return out;
}

static void of_selector(io_decoder *d, const json_t *entry, void *into)
{
    (void)requirement(d, entry, into, IO_FOR_SELECTOR);
}

static void of_pod(io_decoder *d, const json_t *entry, void *into) { (void)requirement(d, entry, into, IO_FOR_POD); }

/* Here an unknown operator is an error, while the line is at hand; of a pod or a selector it is Karpenter's to judge. */
static void of_pool(io_decoder *d, const json_t *entry, void *into)
{
    karp_requirement *out = requirement(d, entry, into, IO_FOR_POOL);
    if (out->op == KARP_OP_UNKNOWN) {
        io_bad_member(d, "operator", KARP_E_INVALID, "is none of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte and Lte");
    }
    out->min_values = (uint32_t)io_integer(d, entry, "minValues", 0, 1000000, 0);
}

const karp_requirement *io_requirements(io_decoder *d, const json_t *object, const char *name, int for_what,
                                        size_t *count)
{
    io_decode_element *decode = for_what == IO_FOR_POOL ? of_pool : for_what == IO_FOR_POD ? of_pod : of_selector;
    return io_elements(d, object, name, sizeof(karp_requirement), decode, count);
}

const karp_selector *io_selector(io_decoder *d, const json_t *object, const char *name)
{
    const json_t *value = io_object(d, object, name);
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

void io_node_term(io_decoder *d, const json_t *term, karp_node_term *out)
{
    size_t fields = 0;
    out->expressions = io_requirements(d, term, "matchExpressions", IO_FOR_POD, &out->expression_count);
    (void)io_array(d, term, "matchFields", &fields);
    out->has_fields = fields > 0;
}

static void node_term(io_decoder *d, const json_t *term, void *into) { io_node_term(d, term, into); }

const karp_node_term *io_node_terms(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    return io_elements(d, object, name, sizeof(karp_node_term), node_term, count);
}

static void taint(io_decoder *d, const json_t *value, void *into)
{
    karp_taint *out = into;
    out->key = io_required_string(d, value, "key");
    out->value = io_string(d, value, "value");
    out->effect = io_string(d, value, "effect");
}

const karp_taint *io_taints(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    return io_elements(d, object, name, sizeof(karp_taint), taint, count);
}

static void condition(io_decoder *d, const json_t *value, void *into)
{
    karp_condition *out = into;
    out->type = io_required_string(d, value, "type");
    out->status = io_string(d, value, "status");
    out->reason = io_string(d, value, "reason");
    out->last_transition = io_time(d, value, "lastTransitionTime");
}

const karp_condition *io_conditions(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    return io_elements(d, object, name, sizeof(karp_condition), condition, count);
}

karp_node_class_ref io_node_class_ref(io_decoder *d, const json_t *object, const char *name)
{
    const json_t *value = io_object(d, object, name);
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

static void owner(io_decoder *d, const json_t *value, void *into)
{
    karp_owner *out = into;
    out->api_version = io_string(d, value, "apiVersion");
    out->kind = io_string(d, value, "kind");
    out->name = io_string(d, value, "name");
    out->uid = io_string(d, value, "uid");
    out->controller = io_boolean(d, value, "controller", false);
}

karp_meta io_meta(io_decoder *d, const json_t *object, bool namespaced)
{
    karp_meta meta;
    memset(&meta, 0, sizeof meta);
    meta.creation = meta.deletion = KARP_NO_TIME;
    const json_t *value = io_enter(d, object, "metadata");
    meta.name = d->template_ ? io_string(d, value, "name") : io_required_string(d, value, "name");
    meta.namespace_ = no_text;
    if (namespaced) {
        meta.namespace_ = io_string(d, value, "namespace");
        if (meta.namespace_.len == 0 && !d->template_) meta.namespace_ = io_str("default");
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

static void spread(io_decoder *d, const json_t *value, void *into)
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

const karp_spread_constraint *io_spread(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    return io_elements(d, object, name, sizeof(karp_spread_constraint), spread, count);
}
