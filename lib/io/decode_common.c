/* SPDX-License-Identifier: Apache-2.0 */
/* What many kinds have: metadata, labels, resources, requirements, selectors, terms, taints, conditions. */
#include <io/decode.h>

#include <string.h>

static const karp_str no_text = { "", 0 };

/* jansson's iterators take a changeable object; they change nothing. */
static void *first_member(const json_t *object)
{
    json_t *changeable;
    memcpy(&changeable, &object, sizeof changeable);
    return json_object_iter(changeable);
}

static void *next_member(const json_t *object, void *at)
{
    json_t *changeable;
    memcpy(&changeable, &object, sizeof changeable);
    return json_object_iter_next(changeable, at);
}

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

const karp_label *io_labels(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    *count = 0;
    const json_t *map = io_object(d, object, name);
    if (!map) return NULL;
    size_t n = 0;
    karp_label *list = io_make(d, json_object_size(map), sizeof *list);
    io_push(d, name);
    for (void *at = first_member(map); list && at; at = next_member(map, at)) {
        const json_t *value = json_object_iter_value(at);
        const char *key = json_object_iter_key(at);
        karp_str text = no_text;
        if (json_is_string(value)) {
            text = (karp_str){ json_string_value(value), json_string_length(value) };
        } else if (!json_is_null(value)) {
            io_bad_member(d, key, KARP_E_INVALID, "must be text: quote it");
        }
        list[n++] = (karp_label){ io_str(key), text };
    }
    io_pop(d);
    *count = n;
    return list;
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

const karp_resource *io_resources(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    *count = 0;
    const json_t *map = io_object(d, object, name);
    if (!map) return NULL;
    size_t n = 0;
    karp_resource *list = io_make(d, json_object_size(map), sizeof *list);
    io_push(d, name);
    for (void *at = first_member(map); list && at; at = next_member(map, at)) {
        const char *key = json_object_iter_key(at);
        io_push(d, key);
        list[n].name = io_str(key);
        list[n++].text = io_quantity(d, json_object_iter_value(at));
        io_pop(d);
    }
    io_pop(d);
    *count = n;
    return list;
}

/* ---- requirements and selectors ---------------------------------------------------------------------------------- */

static uint32_t operator_of(karp_str word, int for_what)
{
    static const io_word words[] = {
        { "In", KARP_OP_IN }, { "NotIn", KARP_OP_NOT_IN }, { "Exists", KARP_OP_EXISTS },
        { "DoesNotExist", KARP_OP_DOES_NOT_EXIST }, { "Gt", KARP_OP_GT }, { "Lt", KARP_OP_LT },
        { "Gte", KARP_OP_GTE }, { "Lte", KARP_OP_LTE },
    };
    size_t known = for_what == IO_FOR_SELECTOR ? 4 : for_what == IO_FOR_POD ? 6 : 8;
    for (size_t i = 0; i < known; i++) {
        if (io_str_is(word, words[i].word)) return words[i].value;
    }
    return KARP_OP_UNKNOWN;
}

const karp_requirement *io_requirements(io_decoder *d, const json_t *object, const char *name, int for_what, size_t *count)
{
    const json_t *array = io_array(d, object, name, count);
    if (!array) return NULL;
    karp_requirement *list = io_make(d, *count, sizeof *list);
    io_push(d, name);
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *entry = io_element(d, array, i);
        list[i].key = io_required_string(d, entry, "key");
        list[i].op = operator_of(io_string(d, entry, "operator"), for_what);
        list[i].values = io_strings(d, entry, "values", &list[i].value_count);
        if (for_what == IO_FOR_POOL) list[i].min_values = (uint32_t)io_integer(d, entry, "minValues", 0, 1000000, 0);
        io_pop(d);
    }
    io_pop(d);
    return list;
}

const karp_selector *io_selector(io_decoder *d, const json_t *object, const char *name)
{
    const json_t *value = io_object(d, object, name);
    if (!value) return NULL;
    karp_selector *selector = io_make(d, 1, sizeof *selector);
    io_push(d, name);
    if (selector) {
        selector->match_labels = io_labels(d, value, "matchLabels", &selector->match_label_count);
        selector->expressions = io_requirements(d, value, "matchExpressions", IO_FOR_SELECTOR, &selector->expression_count);
    }
    io_pop(d);
    return selector;
}

const karp_node_term *io_node_terms(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    const json_t *array = io_array(d, object, name, count);
    if (!array) return NULL;
    karp_node_term *list = io_make(d, *count, sizeof *list);
    io_push(d, name);
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *term = io_element(d, array, i);
        size_t fields = 0;
        list[i].expressions = io_requirements(d, term, "matchExpressions", IO_FOR_POD, &list[i].expression_count);
        (void)io_array(d, term, "matchFields", &fields);
        list[i].has_fields = fields > 0;
        io_pop(d);
    }
    io_pop(d);
    return list;
}

const karp_taint *io_taints(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    const json_t *array = io_array(d, object, name, count);
    if (!array) return NULL;
    karp_taint *list = io_make(d, *count, sizeof *list);
    io_push(d, name);
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *taint = io_element(d, array, i);
        list[i].key = io_required_string(d, taint, "key");
        list[i].value = io_string(d, taint, "value");
        list[i].effect = io_string(d, taint, "effect");
        io_pop(d);
    }
    io_pop(d);
    return list;
}

const karp_condition *io_conditions(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    const json_t *array = io_array(d, object, name, count);
    if (!array) return NULL;
    karp_condition *list = io_make(d, *count, sizeof *list);
    io_push(d, name);
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *condition = io_element(d, array, i);
        list[i].type = io_required_string(d, condition, "type");
        list[i].status = io_string(d, condition, "status");
        list[i].reason = io_string(d, condition, "reason");
        list[i].last_transition = io_time(d, condition, "lastTransitionTime");
        io_pop(d);
    }
    io_pop(d);
    return list;
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

static const karp_owner *owners(io_decoder *d, const json_t *object, size_t *count)
{
    const json_t *array = io_array(d, object, "ownerReferences", count);
    if (!array) return NULL;
    karp_owner *list = io_make(d, *count, sizeof *list);
    io_push(d, "ownerReferences");
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *owner = io_element(d, array, i);
        list[i].api_version = io_string(d, owner, "apiVersion");
        list[i].kind = io_string(d, owner, "kind");
        list[i].name = io_string(d, owner, "name");
        list[i].uid = io_string(d, owner, "uid");
        list[i].controller = io_boolean(d, owner, "controller", false);
        io_pop(d);
    }
    io_pop(d);
    return list;
}

karp_meta io_meta(io_decoder *d, const json_t *object, bool namespaced)
{
    karp_meta meta;
    memset(&meta, 0, sizeof meta);
    meta.creation = meta.deletion = KARP_NO_TIME;
    const json_t *value = io_object(d, object, "metadata");
    io_push(d, "metadata");
    meta.name = d->template_ ? io_string(d, value, "name") : io_required_string(d, value, "name");
    meta.namespace_ = no_text;
    if (namespaced) {
        meta.namespace_ = io_string(d, value, "namespace");
        if (meta.namespace_.len == 0 && !d->template_) meta.namespace_ = io_str("default");
    }
    meta.uid = io_string(d, value, "uid");
    meta.labels = io_labels(d, value, "labels", &meta.label_count);
    meta.annotations = io_labels(d, value, "annotations", &meta.annotation_count);
    meta.owners = owners(d, value, &meta.owner_count);
    meta.creation = io_time(d, value, "creationTimestamp");
    meta.deletion = io_time(d, value, "deletionTimestamp");
    io_pop(d);
    return meta;
}

/* ---- spread constraints: of pods, and the default ones of the scheduler's configuration --------------------------- */

const karp_spread_constraint *io_spread(io_decoder *d, const json_t *object, const char *name, size_t *count)
{
    static const io_word when[] = { { "DoNotSchedule", KARP_DO_NOT_SCHEDULE }, { "ScheduleAnyway", KARP_SCHEDULE_ANYWAY } };
    static const io_word policy[] = { { "Honor", KARP_POLICY_HONOR }, { "Ignore", KARP_POLICY_IGNORE } };
    const json_t *array = io_array(d, object, name, count);
    if (!array) return NULL;
    karp_spread_constraint *list = io_make(d, *count, sizeof *list);
    io_push(d, name);
    for (size_t i = 0; list && i < *count; i++) {
        const json_t *c = io_element(d, array, i);
        karp_spread_constraint *s = &list[i];
        s->topology_key = io_string(d, c, "topologyKey");
        s->label_selector = io_selector(d, c, "labelSelector");
        s->match_label_keys = io_strings(d, c, "matchLabelKeys", &s->match_label_key_count);
        s->max_skew = (int32_t)io_integer(d, c, "maxSkew", INT32_MIN, INT32_MAX, 0);
        s->min_domains = (int32_t)io_integer(d, c, "minDomains", INT32_MIN, INT32_MAX, 0);
        s->when_unsatisfiable = io_enum(d, c, "whenUnsatisfiable", when, 2, KARP_DO_NOT_SCHEDULE);
        s->node_affinity_policy = io_enum(d, c, "nodeAffinityPolicy", policy, 2, KARP_POLICY_DEFAULT);
        s->node_taints_policy = io_enum(d, c, "nodeTaintsPolicy", policy, 2, KARP_POLICY_DEFAULT);
        io_pop(d);
    }
    io_pop(d);
    return list;
}
