/* SPDX-License-Identifier: Apache-2.0 */
/* The axes of a search: as they are given, or as they follow from the NodePools. */
#include <advise/tune.h>

#include <base/nearest.h>

enum { MOST_AXES = 32, MOST_VALUES = 256 };

static const struct {
    const char *name;
    tune_field field;
} fields[] = { { "consolidateAfter", TUNE_CONSOLIDATE_AFTER },
               { "consolidationPolicy", TUNE_CONSOLIDATION_POLICY },
               { "budget", TUNE_BUDGET },
               { "expireAfter", TUNE_EXPIRE_AFTER },
               { "weight", TUNE_WEIGHT } };

static const struct {
    const char *name, *key;
} labels[] = { { "capacity-type", "karpenter.sh/capacity-type" },
               { "arch", "kubernetes.io/arch" },
               { "os", "kubernetes.io/os" },
               { "zone", "topology.kubernetes.io/zone" },
               { "instance-type", "node.kubernetes.io/instance-type" } };

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The well-known label whose last part is the name; "" = there is none. */
static karp_str label_of(const karp_tune *t, karp_str name)
{
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        if (str_is(name, labels[i].name)) return str(labels[i].key);
    }
    for (size_t i = 0; i < tree_count(t->well_known); i++) {
        karp_str key = tree_text(tree_item(t->well_known, i));
        if (key.len > name.len && key.ptr[key.len - name.len - 1] == '/' && str_has_suffix(key, name)) return key;
    }
    return memchr(name.ptr, '/', name.len) ? name : str("");
}

static karp_str nearest_name(const karp_tune *t, karp_str name)
{
    nearest near = nearest_to(name);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) nearest_offer(&near, str(fields[i].name));
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) nearest_offer(&near, str(labels[i].name));
    for (size_t i = 0; i < tree_count(t->well_known); i++) {
        karp_str key = tree_text(tree_item(t->well_known, i));
        (void)str_until(&key, '/');
        nearest_offer(&near, key);
    }
    return near.best;
}

static karp_status find_field(const karp_tune *t, tune_axis *axis, karp_error *error)
{
    static const char limits[] = "limits.";
    karp_str name = axis->shown.name;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        axis->field = fields[i].field;
        if (str_is(name, fields[i].name)) return KARP_OK;
    }
    axis->field = TUNE_LIMIT;
    axis->key = (karp_str){ name.ptr + sizeof limits - 1, name.len - (sizeof limits - 1) };
    if (str_starts(name, limits) && name.len > sizeof limits - 1) return KARP_OK;
    axis->field = TUNE_REQUIREMENT;
    axis->key = label_of(t, name);
    if (axis->key.len > 0) return KARP_OK;
    karp_str best = nearest_name(t, name);
    if (best.ptr)
        return fail(error, KARP_E_INVALID, "no axis has the name %.*s; did you mean %.*s?", str_shown(name, 100),
                    name.ptr, str_shown(best, 100), best.ptr);
    return fail(error, KARP_E_INVALID,
                "no axis has the name %.*s: consolidateAfter, consolidationPolicy, budget, expireAfter, weight, "
                "limits.RESOURCE, or a label such as capacity-type or instance-family",
                str_shown(name, 100), name.ptr);
}

static karp_status find_pool(const karp_tune *t, karp_str name, karp_error *error)
{
    nearest near = nearest_to(name);
    for (size_t i = 0; i < tree_count(t->pools); i++) {
        karp_str own = tree_get_text(tree_get(tree_item(t->pools, i), "metadata"), "name");
        if (equal_str(own, name)) return KARP_OK;
        nearest_offer(&near, own);
    }
    if (near.best.ptr)
        return fail(error, KARP_E_NOT_FOUND, "no NodePool has the name %.*s; did you mean %.*s?", str_shown(name, 100),
                    name.ptr, str_shown(near.best, 100), near.best.ptr);
    return fail(error, KARP_E_NOT_FOUND, "no NodePool has the name %.*s", str_shown(name, 100), name.ptr);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static bool is_number(karp_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!is_digit(text.ptr[i])) return false;
    }
    return text.len > 0 && text.len < 10;
}

static bool is_duration(karp_str text)
{
    int64_t duration = 0;
    return str_is(text, "Never") || (karp_duration_parse(text, &duration) == KARP_OK && duration >= 0);
}

static bool is_requirement(karp_str text)
{
    if (text.ptr[0] == '>' || text.ptr[0] == '<') return is_number((karp_str){ text.ptr + 1, text.len - 1 });
    if (text.ptr[0] == '!') text.ptr++, text.len--;
    if (text.len == 0 || text.ptr[text.len - 1] == '+') return false;
    while (text.len > 0) {
        if (str_until(&text, '+').len == 0) return false;
    }
    return true;
}

/* What is expected, if the value is not of the axis; the reader checks the rest with the NodePool. */
static const char *refusal(const tune_axis *axis, karp_str value)
{
    static const char policies[] = "WhenEmpty WhenEmptyOrUnderutilized Balanced";
    double quantity = 0;
    karp_str number = value;
    if (value.len == 0) return "an empty value between commas";
    switch (axis->field) {
    case TUNE_CONSOLIDATE_AFTER:
    case TUNE_EXPIRE_AFTER: return is_duration(value) ? NULL : "a duration such as 5m, or Never";
    case TUNE_CONSOLIDATION_POLICY:
        return str_in_list(value, policies) ? NULL : "WhenEmpty, WhenEmptyOrUnderutilized or Balanced";
    case TUNE_BUDGET:
        if (number.ptr[number.len - 1] == '%') number.len--;
        return is_number(number) ? NULL : "a number of nodes, or a percentage such as 10%";
    case TUNE_WEIGHT: return is_number(value) || str_is(value, "none") ? NULL : "a number from 1 to 100, or none";
    case TUNE_LIMIT:
        return str_is(value, "none") || karp_quantity_double(value, &quantity) == KARP_OK ? NULL
                                                                                          : "a quantity, or none";
    case TUNE_REQUIREMENT: return is_requirement(value) ? NULL : "words such as spot+on-demand, !c5+m5, >4, <9, or any";
    }
    return NULL;
}

/* What the NodePools of the axis have, if it is the same. ptr NULL = out of memory. */
static karp_str value_of_all(karp_tune *t, const tune_axis *axis)
{
    karp_str found = { NULL, 0 };
    for (size_t i = 0; i < tree_count(t->pools); i++) {
        const tree *pool = tree_item(t->pools, i);
        if (!tune_is_of(axis, pool)) continue;
        karp_str own = tune_value_now(t, axis, pool);
        if (!own.ptr) return own;
        if (found.ptr && !tune_same_value(axis, found, own)) return str("");
        found = own;
    }
    return found.ptr ? found : str("");
}

/* Leaves out what the NodePools have already, and what was given before. */
static void add_value(tune_axis *axis, karp_str value)
{
    karp_tune_axis *s = &axis->shown;
    if (s->now.len > 0 && tune_same_value(axis, s->now, value)) return;
    for (size_t i = 1; i < s->value_count; i++) {
        if (tune_same_value(axis, axis->values[i], value)) return;
    }
    axis->values[s->value_count++] = value;
}

static karp_status add_values(karp_tune *t, tune_axis *axis, karp_str list, karp_error *error)
{
    size_t count = 2;
    for (size_t i = 0; i < list.len; i++) count += list.ptr[i] == ',';
    karp_str whole = axis->shown.name;
    if (count > MOST_VALUES)
        return fail(error, KARP_E_INVALID, "the axis %.*s has too many values", str_shown(whole, 100), whole.ptr);
    axis->values = arena_array(&t->data, count, sizeof *axis->values);
    axis->shown.now = value_of_all(t, axis);
    if (!axis->values || !axis->shown.now.ptr) return fail_nomem(error);
    axis->values[0] = str("");
    axis->shown.values = axis->values;
    axis->shown.value_count = 1;
    for (bool more = true; more;) {
        more = list.len > 0 && memchr(list.ptr, ',', list.len);
        karp_str value = str_until(&list, ',');
        const char *expected = refusal(axis, value);
        if (expected)
            return fail(error, KARP_E_INVALID, "the axis %.*s: %.*s is not a value: %s", str_shown(whole, 100),
                        whole.ptr, str_shown(value, 100), value.len ? value.ptr : "", expected);
        add_value(axis, value);
    }
    return KARP_OK;
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

static karp_status add_axis(karp_tune *t, tune_axis axis, karp_str values, karp_error *error)
{
    axis.shown.size = sizeof axis.shown;
    karp_status status = add_values(t, &axis, values, error);
    if (status) return status;
    if (t->axis_count == MOST_AXES) return fail(error, KARP_E_INVALID, "more than 32 axes");
    if (!grow(t->context, (void **)&t->axes, &t->axis_room, t->axis_count + 1, sizeof *t->axes))
        return fail_nomem(error);
    t->axes[t->axis_count++] = axis;
    return KARP_OK;
}

static bool overlaps(const tune_axis *a, const tune_axis *b)
{
    bool same = a->field == b->field && equal_str(a->key, b->key);
    bool pools = a->shown.pool.len == 0 || b->shown.pool.len == 0 || equal_str(a->shown.pool, b->shown.pool);
    return same && pools;
}

/* "[POOL:]NAME=VALUE,VALUE" */
static karp_status read_axis(karp_tune *t, karp_str given, karp_error *error)
{
    tune_axis axis = { .field = TUNE_REQUIREMENT };
    karp_str values = { arena_string(&t->data, given.ptr, given.len), given.len };
    if (!values.ptr) return fail_nomem(error);
    const char *sign = memchr(values.ptr, '=', values.len);
    karp_str name = str_until(&values, '=');
    if (!sign || name.len == 0)
        return fail(error, KARP_E_INVALID,
                    "%.*s is not an axis: expected NAME=VALUE,VALUE, as in consolidateAfter=0s,5m",
                    str_shown(given, 100), given.ptr);
    if (memchr(name.ptr, ':', name.len)) {
        axis.shown.pool = str_until(&name, ':');
        karp_status found = find_pool(t, axis.shown.pool, error);
        if (found) return found;
    }
    axis.shown.name = name;
    karp_status status = find_field(t, &axis, error);
    if (status) return status;
    for (size_t i = 0; i < t->axis_count; i++) {
        if (overlaps(&axis, &t->axes[i]))
            return fail(error, KARP_E_DUPLICATE, "two axes vary %.*s of the same NodePool", str_shown(name, 100),
                        name.ptr);
    }
    return add_axis(t, axis, values, error);
}

/* ---- axes that follow from the NodePools ------------------------------------------------------------------------- */

/* An axis without another value than what the NodePools have is none. */
static karp_status add_if_new(karp_tune *t, tune_axis axis, const char *values, karp_error *error)
{
    karp_status status = add_axis(t, axis, str(values), error);
    if (!status && t->axes[t->axis_count - 1].shown.value_count == 1) t->axis_count--;
    return status;
}

static karp_status add_usual(karp_tune *t, const char *name, const char *values, karp_error *error)
{
    tune_axis axis = { .shown = { .name = str(name) } };
    karp_status status = find_field(t, &axis, error);
    return status ? status : add_if_new(t, axis, values, error);
}

static bool requires_value(const tree *pool, karp_str key, const char *value)
{
    const tree *list = tune_requirements_of(pool);
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *values = tree_get(tree_item(list, i), "values");
        bool same = equal_str(tree_get_text(tree_item(list, i), "key"), key);
        for (size_t k = 0; same && k < tree_count(values); k++) {
            if (str_is(tree_text(tree_item(values, k)), value)) return true;
        }
    }
    return false;
}

/* Reservations that some NodePool uses stay in use. */
static karp_status add_capacity_types(karp_tune *t, karp_error *error)
{
    bool reserved = false;
    for (size_t i = 0; i < tree_count(t->pools); i++)
        reserved = reserved || requires_value(tree_item(t->pools, i), str("karpenter.sh/capacity-type"), "reserved");
    return add_usual(t, "capacity-type",
                     reserved ? "reserved+on-demand,reserved+spot+on-demand" : "on-demand,spot+on-demand", error);
}

static bool some_pool_requires(const karp_tune *t, karp_str key)
{
    for (size_t i = 0; i < tree_count(t->pools); i++) {
        const tree *list = tune_requirements_of(tree_item(t->pools, i));
        for (size_t k = 0; k < tree_count(list); k++) {
            if (equal_str(tree_get_text(tree_item(list, k), "key"), key)) return true;
        }
    }
    return false;
}

/* Images are made for an operating system and an architecture: they are varied only where an axis is given. */
static bool may_be_any(karp_str key)
{
    static const char kept[] = "kubernetes.io/arch kubernetes.io/os karpenter.sh/capacity-type";
    return !str_in_list(key, kept);
}

static karp_status loosen(karp_tune *t, karp_str key, karp_error *error)
{
    tune_axis axis = { .field = TUNE_REQUIREMENT, .key = key, .shown = { .name = key } };
    karp_str last = key;
    (void)str_until(&last, '/');
    if (!may_be_any(key) || !some_pool_requires(t, key)) return KARP_OK;
    if (equal_str(label_of(t, last), key)) axis.shown.name = last;
    return add_if_new(t, axis, "any", error);
}

/* Without a table of images, nobody knows which architectures they are made for. */
static karp_status add_architectures(karp_tune *t, karp_error *error)
{
    bool both = tune_has_word(t->architectures, str("amd64")) && tune_has_word(t->architectures, str("arm64"));
    if (!t->architectures.ptr || t->architectures.len == 0) return KARP_OK;
    return add_usual(t, "arch", both ? "amd64,arm64,amd64+arm64" : t->architectures.ptr, error);
}

static karp_status usual_axes(karp_tune *t, karp_error *error)
{
    karp_status status = add_capacity_types(t, error);
    if (!status) status = add_architectures(t, error);
    for (size_t i = 0; i < tree_count(t->well_known) && !status; i++)
        status = loosen(t, tree_text(tree_item(t->well_known, i)), error);
    if (!status) status = loosen(t, str("node.kubernetes.io/instance-type"), error);
    if (!status) status = add_usual(t, "consolidationPolicy", "WhenEmptyOrUnderutilized,WhenEmpty", error);
    if (!status && t->replay) status = add_usual(t, "consolidateAfter", "0s,5m,1h", error);
    if (!status && t->replay) status = add_usual(t, "budget", "10%,100%", error);
    return status;
}

/* A given axis may not have an architecture that some image is not made for. */
static karp_status check_architectures(const karp_tune *t, const tune_axis *axis, karp_error *error)
{
    if (!t->architectures.ptr || !str_is(axis->key, "kubernetes.io/arch") || t->image_count == 0) return KARP_OK;
    for (size_t i = 1; i < axis->shown.value_count; i++) {
        karp_str value = axis->values[i];
        for (karp_str rest = value; rest.len > 0;) {
            if (tune_has_word(t->architectures, str_until(&rest, '+'))) continue;
            return fail(error, KARP_E_INVALID, "the axis arch: %.*s: the image %.*s is not made for it",
                        str_shown(value, 100), value.ptr, str_shown(t->images[0], 200), t->images[0].ptr);
        }
    }
    return KARP_OK;
}

karp_status tune_find_axes(karp_tune *t, const karp_tune_options *options, karp_error *error)
{
    karp_status status = options->axis_count ? KARP_OK : usual_axes(t, error);
    for (size_t i = 0; i < options->axis_count && !status; i++) {
        karp_str axis = options->axes[i];
        if (!str_given(axis)) return fail(error, KARP_E_INVALID, "an axis has a length, but no text");
        status = read_axis(t, axis.len ? axis : str(""), error);
        if (!status) status = check_architectures(t, &t->axes[t->axis_count - 1], error);
    }
    return status;
}
