/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the axes in NodePools: what a NodePool has, and how it is changed. */
#include <advise/tune.h>

static const char any[] = "any", none[] = "none";

static karp_str name_of(const tree *pool) { return tree_get_text(tree_get(pool, "metadata"), "name"); }

bool tune_is_of(const tune_axis *axis, const tree *pool)
{
    return axis->shown.pool.len == 0 || equal_str(axis->shown.pool, name_of(pool));
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

const tree *tune_requirements_of(const tree *pool)
{
    return tree_get(tree_get(tree_get(tree_get(pool, "spec"), "template"), "spec"), "requirements");
}

/* The sign of the operator in a value; NULL = it cannot be written as one. */
static const char *sign_of(karp_str operator)
{
    static const struct {
        const char *name, *sign;
    } signs[] = { { "In", "" }, { "NotIn", "!" }, { "Gt", ">" }, { "Lt", "<" } };
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (str_is(operator, signs[i].name)) return signs[i].sign;
    }
    return NULL;
}

static void write_requirement(const tree *requirement, strbuf *out)
{
    const tree *values = tree_get(requirement, "values");
    strbuf_adds(out, sign_of(tree_get_text(requirement, "operator")));
    for (size_t i = 0; i < tree_count(values); i++) {
        if (i > 0) strbuf_addc(out, '+');
        strbuf_addstr(out, tree_text(tree_item(values, i)));
    }
}

static void requirement_now(const tune_axis *axis, const tree *pool, strbuf *out)
{
    const tree *list = tune_requirements_of(pool), *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *one = tree_item(list, i);
        if (!equal_str(tree_get_text(one, "key"), axis->key)) continue;
        found = one;
        count++;
    }
    if (count == 0) strbuf_adds(out, any);
    else if (count == 1 && sign_of(tree_get_text(found, "operator"))) write_requirement(found, out);
}

static void text_now(const tree *value, const char *absent, strbuf *out)
{
    karp_str text = tree_text_or_digits(value);
    if (value) strbuf_addstr(out, text);
    else strbuf_adds(out, absent);
}

static void value_now(const tune_axis *axis, const tree *pool, strbuf *out)
{
    const tree *spec = tree_get(pool, "spec"), *disruption = tree_get(spec, "disruption");
    const tree *budgets = tree_get(disruption, "budgets"), *budget = tree_item(budgets, 0);
    switch (axis->field) {
    case TUNE_CONSOLIDATE_AFTER: text_now(tree_get(disruption, "consolidateAfter"), "", out); break;
    case TUNE_CONSOLIDATION_POLICY: text_now(tree_get(disruption, "consolidationPolicy"), "", out); break;
    case TUNE_BUDGET:
        if (tree_count(budgets) == 1 && tree_count(budget) == 1) text_now(tree_get(budget, "nodes"), "", out);
        break;
    case TUNE_EXPIRE_AFTER:
        text_now(tree_get(tree_get(tree_get(spec, "template"), "spec"), "expireAfter"), "", out);
        break;
    case TUNE_WEIGHT: text_now(tree_get(spec, "weight"), none, out); break;
    case TUNE_LIMIT: text_now(tree_find_str(tree_get(spec, "limits"), axis->key), none, out); break;
    case TUNE_REQUIREMENT: requirement_now(axis, pool, out); break;
    }
}

karp_str tune_value_now(karp_tune *t, const tune_axis *axis, const tree *pool)
{
    karp_str out = { NULL, 0 };
    strbuf text = strbuf_on(t->context);
    strbuf_adds(&text, "");
    value_now(axis, pool, &text);
    if (!strbuf_move(&text, &t->data, &out)) out.ptr = NULL;
    return out;
}

/* ---- sets of words ----------------------------------------------------------------------------------------------- */

bool tune_has_word(karp_str words, karp_str word)
{
    while (words.len > 0) {
        if (equal_str(str_until(&words, '+'), word)) return true;
    }
    return false;
}

static bool all_words(karp_str some, karp_str in)
{
    while (some.len > 0) {
        if (!tune_has_word(in, str_until(&some, '+'))) return false;
    }
    return true;
}

bool tune_same_value(const tune_axis *axis, karp_str a, karp_str b)
{
    if (axis->field != TUNE_REQUIREMENT || a.len == 0 || b.len == 0) return equal_str(a, b);
    bool sign = a.ptr[0] == '!';
    if (sign != (b.ptr[0] == '!')) return false;
    if (sign) a.ptr++, a.len--, b.ptr++, b.len--;
    return all_words(a, b) && all_words(b, a);
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

static tree *words_of(trees *memory, karp_str words)
{
    tree *list = tree_new(memory, TREE_LIST);
    while (words.len > 0) tree_append(memory, list, tree_new_text(memory, str_until(&words, '+')));
    return list;
}

/* "any" that must have so many values. */
static void set_exists(trees *memory, tree *requirement, tree *least)
{
    tree_set_text(memory, requirement, "operator", str("Exists"));
    tree_set(memory, requirement, "minValues", least);
}

/* minValues of the requirement that was there stays, where the API server admits it. */
static tree *new_requirement(trees *memory, karp_str key, karp_str value, tree *least)
{
    int64_t number = 0;
    tree *requirement = tree_new(memory, TREE_MAP);
    tree_set_text(memory, requirement, "key", key);
    if (str_is(value, any)) {
        set_exists(memory, requirement, least);
        return requirement;
    }
    char sign = value.ptr[0];
    const char *name = sign == '!' ? "NotIn" : sign == '>' ? "Gt" : sign == '<' ? "Lt" : "In";
    if (name[0] != 'I') value.ptr++, value.len--;
    tree *values = words_of(memory, value);
    tree_set_text(memory, requirement, "operator", str(name));
    tree_set(memory, requirement, "values", values);
    bool fits = name[0] != 'I' || (tree_integer(least, &number) && number <= (int64_t)tree_count(values));
    if (least && fits) tree_set(memory, requirement, "minValues", least);
    return requirement;
}

/* value NULL = no requirement at all. The place of the first requirement of the label is kept. */
static void set_requirement(trees *memory, karp_str key, karp_str value, tree *spec)
{
    tree *list = tree_get(spec, "requirements"), *kept = tree_new(memory, TREE_LIST), *least = NULL;
    bool there = false;
    for (size_t i = 0; i < tree_count(list); i++) {
        tree *own = tree_get(tree_item(list, i), "minValues");
        if (own && equal_str(tree_get_text(tree_item(list, i), "key"), key)) least = own;
    }
    bool wanted = value.ptr && !(str_is(value, any) && !least);
    for (size_t i = 0; i < tree_count(list); i++) {
        tree *one = tree_item(list, i);
        bool same = equal_str(tree_get_text(one, "key"), key);
        if (!same) tree_append(memory, kept, one);
        else if (wanted && !there) tree_append(memory, kept, new_requirement(memory, key, value, least));
        there = there || same;
    }
    if (wanted && !there) tree_append(memory, kept, new_requirement(memory, key, value, least));
    tree_set(memory, spec, "requirements", kept);
}

static void set_budget(trees *memory, tree *disruption, karp_str value)
{
    tree *budgets = tree_new(memory, TREE_LIST), *budget = tree_new(memory, TREE_MAP);
    tree_set_text(memory, budget, "nodes", value);
    tree_append(memory, budgets, budget);
    tree_set(memory, disruption, "budgets", budgets);
}

static void set_limit(trees *memory, tree *spec, karp_str resource, karp_str value)
{
    tree *limits = tree_get_or_make(memory, spec, "limits"), *kept = tree_new(memory, TREE_MAP);
    bool drop = !value.ptr || str_is(value, none);
    for (size_t i = 0; i < tree_count(limits); i++) {
        const tree_member *member = tree_member_at(limits, i);
        if (!equal_str(tree_member_name(member), resource))
            tree_set_named(memory, kept, tree_member_name(member), member->value);
    }
    if (!drop) tree_set_named(memory, kept, resource, tree_new_text(memory, value));
    if (tree_count(kept) > 0) tree_set(memory, spec, "limits", kept);
    else tree_remove(memory, spec, "limits");
}

void tune_apply(trees *memory, const tune_axis *axis, karp_str value, tree *pool)
{
    bool loosest = !value.ptr;
    tree *spec = tree_get_or_make(memory, pool, "spec");
    tree *disruption = tree_get_or_make(memory, spec, "disruption");
    tree *template_ = tree_get_or_make(memory, tree_get_or_make(memory, spec, "template"), "spec");
    if (loosest && axis->field != TUNE_REQUIREMENT && axis->field != TUNE_LIMIT) return;
    switch (axis->field) {
    case TUNE_CONSOLIDATE_AFTER: tree_set_text(memory, disruption, "consolidateAfter", value); break;
    case TUNE_CONSOLIDATION_POLICY: tree_set_text(memory, disruption, "consolidationPolicy", value); break;
    case TUNE_BUDGET: set_budget(memory, disruption, value); break;
    case TUNE_EXPIRE_AFTER: tree_set_text(memory, template_, "expireAfter", value); break;
    case TUNE_WEIGHT:
        if (str_is(value, none)) tree_remove(memory, spec, "weight");
        else tree_set(memory, spec, "weight", tree_new_slice(memory, TREE_INTEGER, value));
        break;
    case TUNE_LIMIT: set_limit(memory, spec, axis->key, value); break;
    case TUNE_REQUIREMENT: set_requirement(memory, axis->key, value, template_); break;
    }
}
