/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about strings for decisions: the words they use, sort order, integer values, label tables, and which label
 * keys decisions read. */

#include <base/bisect.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/devices.h>
#include <model/reuse_pods.h>

/* The arrays of string_facts while they are being filled. */
struct text_facts {
    string_number *numbers;
    uint32_t *rank, *normalized;
    uint8_t *well_known, *of_nodes, *of_pods;
};

struct word {
    size_t at; /* offset in known_text */
    const char *text;
};

#define WORD(field, spelled)                                                                                           \
    {                                                                                                                  \
        offsetof(known_text, field), spelled                                                                           \
    }
static const struct word words_known[] = {
    WORD(hostname, LABEL_HOSTNAME),
    WORD(zone, LABEL_ZONE),
    WORD(region, LABEL_REGION),
    WORD(instance_type, LABEL_TYPE),
    WORD(arch, LABEL_ARCH),
    WORD(os, LABEL_OS),
    WORD(capacity_type, LABEL_CAPACITY_TYPE),
    WORD(node_pool, LABEL_NODE_POOL),
    WORD(windows_build, "node.kubernetes.io/windows-build"),
    WORD(registered, LABEL_REGISTERED),
    WORD(initialized, LABEL_INITIALIZED),
    WORD(true_, "true"),
    WORD(spot, "spot"),
    WORD(on_demand, "on-demand"),
    WORD(reserved, "reserved"),
    WORD(no_schedule, "NoSchedule"),
    WORD(prefer_no_schedule, "PreferNoSchedule"),
    WORD(no_execute, "NoExecute"),
    WORD(disrupted, "karpenter.sh/disrupted"),
    WORD(not_ready, "node.kubernetes.io/not-ready"),
    WORD(unreachable, "node.kubernetes.io/unreachable"),
    WORD(uninitialized, "node.cloudprovider.kubernetes.io/uninitialized"),
    WORD(unregistered, "karpenter.sh/unregistered"),
    WORD(ready, "Ready"),
    WORD(consolidatable, "Consolidatable"),
    WORD(drifted, "Drifted"),
    WORD(instance_terminating, "InstanceTerminating"),
    WORD(initialized_condition, "Initialized"),
    WORD(launched, "Launched"),
    WORD(rebooting, "Rebooting"),
    WORD(rebooting_taint, "karpenter.sh/rebooting"),
    WORD(validation_succeeded, "ValidationSucceeded"),
    WORD(node_class_ready, "NodeClassReady"),
    WORD(status_true, "True"),
    WORD(status_false, "False"),
    WORD(do_not_disrupt, "karpenter.sh/do-not-disrupt"),
    WORD(do_not_repair, "karpenter.sh/do-not-repair"),
};
#undef WORD

/* Older keys of labels, and the keys that stand for them. */
static const char *const normalized_labels[][2] = {
    { "failure-domain.beta.kubernetes.io/zone", LABEL_ZONE },
    { "failure-domain.beta.kubernetes.io/region", LABEL_REGION },
    { "beta.kubernetes.io/arch", LABEL_ARCH },
    { "beta.kubernetes.io/os", LABEL_OS },
    { "beta.kubernetes.io/instance-type", LABEL_TYPE },
};

static uint32_t add(karp_snapshot *s, karp_str text) { return strings_add(&s->raw.text, text.ptr, text.len); }

/* "karpenter.k8s.aws/ec2nodeclass" */
static uint32_t node_class_label(karp_snapshot *s, uint32_t group, uint32_t kind)
{
    karp_str g = text_of(s, group), k = text_of(s, kind);
    char *joined = arena_alloc(&s->data, g.len + k.len + 2);
    if (joined == NULL) return NO_ID;
    if (g.len > 0) memcpy(joined, g.ptr, g.len);
    joined[g.len] = '/';
    for (size_t i = 0; i < k.len; i++) joined[g.len + 1 + i] = ascii_lower(k.ptr[i]);
    return strings_add(&s->raw.text, joined, g.len + k.len + 1);
}

static bool add_object_words(karp_snapshot *s)
{
    store *raw = &s->raw;
    s->pool_names = arena_array(&s->data, raw->pools.count + 1, sizeof *s->pool_names);
    if (s->pool_names == NULL) return false;
    for (size_t i = 0; i < raw->nodes.count; i++) {
        if (add(s, store_name(raw, raw->nodes.items[i].meta.name)) == NO_ID) return false;
    }
    for (size_t i = 0; i < raw->claims.count; i++) {
        if (add(s, store_name(raw, raw->claims.items[i].meta.name)) == NO_ID) return false;
    }
    for (size_t i = 0; i < raw->pools.count; i++) {
        const node_pool *p = &raw->pools.items[i];
        s->pool_names[i].name = add(s, store_name(raw, p->meta.name));
        s->pool_names[i].class_label = node_class_label(s, p->class_group, p->class_kind);
        if (s->pool_names[i].name == NO_ID || s->pool_names[i].class_label == NO_ID) return false;
    }
    for (size_t i = 0; i < raw->namespaces.count; i++) {
        if (add(s, store_name(raw, raw->namespaces.items[i].name)) == NO_ID) return false;
    }
    return true;
}

static bool add_catalogue_words(karp_snapshot *s)
{
    for (size_t i = 0; i < s->raw.catalogues.count; i++) {
        const karp_catalogue *c = s->raw.catalogues.items[i].catalogue;
        for (size_t t = 0; t < c->text.count; t++) {
            if (add(s, strings_get(&c->text, (uint32_t)t)) == NO_ID) return false;
        }
        for (size_t r = 0; r < c->resources.count; r++) {
            karp_str name = strings_get(&c->resources, (uint32_t)r);
            if (strings_add(&s->raw.resources, name.ptr, name.len) == NO_ID) return false;
        }
    }
    return true;
}

karp_status prepare_words(karp_snapshot *s, karp_error *error)
{
    char *known = (char *)&s->known;
    for (size_t i = 0; i < sizeof words_known / sizeof *words_known; i++) {
        uint32_t id = strings_add(&s->raw.text, words_known[i].text, strlen(words_known[i].text));
        if (id == NO_ID) return fail_nomem(error);
        memcpy(known + words_known[i].at, &id, sizeof id);
    }
    for (size_t i = 0; i < sizeof normalized_labels / sizeof *normalized_labels; i++) {
        if (add(s, str(normalized_labels[i][0])) == NO_ID) return fail_nomem(error);
    }
    return add_object_words(s) && add_catalogue_words(s) ? KARP_OK : fail_nomem(error);
}

/* Whether the object that was at this index had the same name, whose text was added then. */
static bool named_before(const store *was, uint32_t kind, size_t index, uint32_t name)
{
    if (kind == KIND_NODE) return index < was->nodes.count && was->nodes.items[index].meta.name == name;
    return kind == KIND_NODE_CLAIM && index < was->claims.count && was->claims.items[index].meta.name == name;
}

karp_status continue_words(karp_snapshot *s, karp_error *error)
{
    const store *raw = &s->raw;
    for (size_t i = 0; i < raw->changed_objects.count; i++) {
        uint64_t changed = raw->changed_objects.items[i];
        size_t index = (uint32_t)changed;
        uint32_t name = NO_TEXT;
        if (changed >> 32 == KIND_NODE && index < raw->nodes.count) name = raw->nodes.items[index].meta.name;
        if (changed >> 32 == KIND_NODE_CLAIM && index < raw->claims.count) name = raw->claims.items[index].meta.name;
        if (changed >> 32 == KIND_NAMESPACE && index < raw->namespaces.count) name = raw->namespaces.items[index].name;
        if (named_before(&s->reused->before->raw, (uint32_t)(changed >> 32), index, name)) continue;
        if (name != NO_TEXT && add(s, store_name(raw, name)) == NO_ID) return fail_nomem(error);
    }
    return KARP_OK;
}

static bool rank_strings(karp_snapshot *s, uint32_t *rank)
{
    size_t n = s->raw.text.count;
    uint32_t *order = mem_alloc(s->context, n * sizeof *order);
    if (order == NULL) return false;
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    bool ok = sort_ids(s->context, order, n, by_string, &s->raw.text);
    for (size_t i = 0; ok && i < n; i++) rank[order[i]] = (uint32_t)i;
    mem_free(s->context, order, n * sizeof *order);
    return ok;
}

/* ---- the label keys that decisions read -------------------------------------------------------------------------- */

/* Other keys are left out, so that nodes and pods that differ only in them are equal. */

static void mark(const karp_snapshot *s, uint8_t *set, uint32_t key)
{
    set[key] = 1;
    set[s->facts.normalized[key]] = 1;
}

static void mark_expressions(const karp_snapshot *s, uint8_t *set, expression_list list)
{
    for (uint32_t i = 0; i < list.count; i++) mark(s, set, list.items[i].key);
}

static void mark_terms(const karp_snapshot *s, uint8_t *set, node_term_list list)
{
    for (uint32_t i = 0; i < list.count; i++) mark_expressions(s, set, list.items[i].expressions);
}

static void mark_selector(uint8_t *set, const selector *sel)
{
    if (sel == NULL) return;
    for (uint32_t i = 0; i < sel->labels.count; i++) set[sel->labels.items[i].key] = 1;
    for (uint32_t i = 0; i < sel->expressions.count; i++) set[sel->expressions.items[i].key] = 1;
}

static void mark_pod_terms(const karp_snapshot *s, uint8_t *of_nodes, uint8_t *of_pods, pod_term_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        mark(s, of_nodes, list.items[i].topology_key);
        mark_selector(of_pods, list.items[i].label_selector);
    }
}

static void mark_spread(const karp_snapshot *s, uint8_t *of_nodes, uint8_t *of_pods, spread_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        mark(s, of_nodes, list.items[i].topology_key);
        mark_selector(of_pods, list.items[i].label_selector);
        for (uint32_t k = 0; k < list.items[i].match_label_key_count; k++)
            of_pods[list.items[i].match_label_keys[k]] = 1;
    }
}

static void mark_shapes(const karp_snapshot *s, size_t first, uint8_t *of_nodes, uint8_t *of_pods)
{
    const store *raw = &s->raw;
    for (size_t i = first; i < raw->shapes.count; i++) {
        const shape *h = &raw->shapes.items[i];
        for (uint32_t l = 0; l < h->node_selector.count; l++) mark(s, of_nodes, h->node_selector.items[l].key);
        mark_terms(s, of_nodes, h->required);
        mark_terms(s, of_nodes, h->preferred);
        mark_pod_terms(s, of_nodes, of_pods, h->required_affinity);
        mark_pod_terms(s, of_nodes, of_pods, h->preferred_affinity);
        mark_pod_terms(s, of_nodes, of_pods, h->required_anti);
        mark_pod_terms(s, of_nodes, of_pods, h->preferred_anti);
        mark_spread(s, of_nodes, of_pods, h->spread);
    }
}

/* A label with an older key means the same for a node as one with the current key. */
static void mark_older_names(const karp_snapshot *s, uint8_t *of_nodes)
{
    for (size_t i = 0; i < s->facts.count; i++) of_nodes[i] |= of_nodes[s->facts.normalized[i]];
}

/* Marks the label keys that some pod, volume or daemon reads on nodes, and those that selectors read on pods. The
 * arrays are by text id. */
static void interesting_keys(const karp_snapshot *s, uint8_t *of_nodes, uint8_t *of_pods)
{
    const store *raw = &s->raw;
    mark_shapes(s, 0, of_nodes, of_pods);
    mark_spread(s, of_nodes, of_pods, raw->default_spread);
    for (size_t i = 0; i < raw->volumes_bound.count; i++) mark_terms(s, of_nodes, raw->volumes_bound.items[i].terms);
    for (size_t i = 0; i < raw->storage_classes.count; i++)
        mark_terms(s, of_nodes, raw->storage_classes.items[i].topologies);
    for (size_t i = 0; i < raw->slices.count; i++) mark_terms(s, of_nodes, raw->slices.items[i].terms);
    for (size_t i = 0; i < raw->resource_claims.count; i++)
        mark_terms(s, of_nodes, raw->resource_claims.items[i].terms);
    for (size_t i = 0; i < raw->selecting.count; i++) mark_selector(of_pods, raw->selecting.items[i].selects);
    for (size_t i = 0; i < raw->budgets.count; i++) mark_selector(of_pods, raw->budgets.items[i].selects);
    for (size_t i = 0; i < raw->groups.count; i++) {
        if (raw->groups.items[i].topology_key != NO_TEXT) mark(s, of_nodes, raw->groups.items[i].topology_key);
    }
    mark_older_names(s, of_nodes);
}

/* ---- all facts --------------------------------------------------------------------------------------------------- */

/* Allocates the arrays by text in one block. */
static bool make_facts(karp_snapshot *s, struct text_facts *f)
{
    size_t n = s->raw.text.count;
    char *block = block_new(s->context, n, sizeof(string_number) + 2 * sizeof(uint32_t) + 3);
    if (block == NULL) return false;
    s->facts_block = block;
    f->numbers = (string_number *)(void *)block;
    f->rank = (uint32_t *)(void *)(f->numbers + n);
    f->normalized = f->rank + n;
    f->well_known = (uint8_t *)(f->normalized + n);
    f->of_nodes = f->well_known + n;
    f->of_pods = f->of_nodes + n;
    memset(f->well_known, 0, 3 * n);
    return true;
}

static void show_facts(karp_snapshot *s, const struct text_facts *f)
{
    s->facts = (string_facts){ f->rank,       f->numbers,        f->well_known,
                               f->normalized, s->known.hostname, (uint32_t)s->raw.text.count };
    s->of_nodes = f->of_nodes;
    s->of_pods = f->of_pods;
}

static void fill_tables(karp_snapshot *s, uint8_t *well_known, uint32_t *normalized)
{
    const known_text *k = &s->known;
    const uint32_t own[] = { k->node_pool, k->zone, k->region,        k->instance_type,
                             k->arch,      k->os,   k->capacity_type, k->windows_build };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) well_known[own[i]] = 1;
    for (uint32_t i = 0; i < s->raw.well_known_count; i++) well_known[s->raw.well_known[i]] = 1;
    for (size_t i = 0; i < s->raw.text.count; i++) normalized[i] = (uint32_t)i;
    for (size_t i = 0; i < sizeof normalized_labels / sizeof *normalized_labels; i++) {
        const char *from = normalized_labels[i][0], *to = normalized_labels[i][1];
        normalized[strings_find(&s->raw.text, from, strlen(from))] = strings_find(&s->raw.text, to, strlen(to));
    }
    for (uint32_t i = 0; i < s->raw.normalized.count; i++)
        normalized[s->raw.normalized.items[i].key] = s->raw.normalized.items[i].value;
}

karp_status prepare_facts(karp_snapshot *s, karp_error *error)
{
    size_t n = s->raw.text.count;
    struct text_facts f;
    if (!make_facts(s, &f) || !rank_strings(s, f.rank)) return fail_nomem(error);
    for (size_t i = 0; i < n; i++) f.numbers[i] = read_integer(strings_get(&s->raw.text, (uint32_t)i));
    fill_tables(s, f.well_known, f.normalized);
    show_facts(s, &f);
    interesting_keys(s, f.of_nodes, f.of_pods);
    return algebra_init(&s->algebra, s->context, &s->facts, NULL) ? KARP_OK : fail_nomem(error);
}

/* ---- strings of a continued snapshot ----------------------------------------------------------------------------- */

/* The number of ids in `order` that sort before a new one. */
static size_t ids_before(const strings *text, const uint32_t *order, size_t count, uint32_t id)
{
    bisection b = bisect(count);
    while (bisecting(&b)) bisect_step(&b, by_string(order[b.at], id, text) < 0);
    return b.at;
}

/* Merges new ids into the existing order. */
static bool rank_more(karp_snapshot *s, const string_facts *was, uint32_t *rank)
{
    size_t n = s->raw.text.count, fresh = n - was->count;
    uint32_t *order = mem_alloc(s->context, (was->count + fresh) * sizeof *order);
    if (order == NULL) return false;
    uint32_t *more = order + was->count;
    for (uint32_t i = 0; i < was->count; i++) order[was->rank[i]] = i;
    for (size_t i = 0; i < fresh; i++) more[i] = (uint32_t)(was->count + i);
    bool ok = sort_ids(s->context, more, fresh, by_string, &s->raw.text);
    for (size_t i = 0, k = 0; ok && k <= fresh; k++) {
        size_t end = k < fresh ? ids_before(&s->raw.text, order, was->count, more[k]) : was->count;
        for (; i < end; i++) rank[order[i]] = (uint32_t)(i + k);
        if (k < fresh) rank[more[k]] = (uint32_t)(end + k);
    }
    mem_free(s->context, order, (was->count + fresh) * sizeof *order);
    return ok;
}

karp_status continue_facts(karp_snapshot *s, karp_error *error)
{
    const karp_snapshot *before = s->reused->before;
    const string_facts *was = &before->facts;
    struct text_facts f;
    if (was->count == s->raw.text.count) {
        s->facts_block = block_ref(before->facts_block);
        s->facts = *was;
        s->of_nodes = before->of_nodes;
        s->of_pods = before->of_pods;
        return KARP_OK;
    }
    if (!make_facts(s, &f) || !rank_more(s, was, f.rank)) return fail_nomem(error);
    memcpy(f.numbers, was->numbers, was->count * sizeof *f.numbers);
    memcpy(f.normalized, was->normalized, was->count * sizeof *f.normalized);
    memcpy(f.well_known, was->well_known, was->count);
    memcpy(f.of_nodes, before->of_nodes, was->count);
    memcpy(f.of_pods, before->of_pods, was->count);
    for (uint32_t i = was->count; i < s->raw.text.count; i++) {
        f.numbers[i] = read_integer(text_of(s, i));
        f.normalized[i] = i;
    }
    show_facts(s, &f);
    return KARP_OK;
}

/* Whether all keys marked in `more` are marked in `set`. */
static bool marked(const uint8_t *set, const uint8_t *more, size_t count)
{
    uint8_t missing = 0;
    for (size_t i = 0; i < count; i++) missing |= (uint8_t)(more[i] & ~set[i]);
    return missing == 0;
}

/* Marks the keys of changed objects that select pods. */
static void mark_changed(const store *raw, uint8_t *of_pods)
{
    for (size_t i = 0; i < raw->changed_objects.count; i++) {
        uint64_t changed = raw->changed_objects.items[i];
        size_t index = (uint32_t)changed;
        if (changed >> 32 == KIND_SELECTING && index < raw->selecting.count)
            mark_selector(of_pods, raw->selecting.items[index].selects);
        if (changed >> 32 == KIND_BUDGET && index < raw->budgets.count)
            mark_selector(of_pods, raw->budgets.items[index].selects);
    }
}

bool interest_holds(const karp_snapshot *s, bool *holds)
{
    size_t known = s->reused->before->raw.shapes.count, n = s->facts.count;
    *holds = true;
    if (known == s->raw.shapes.count && s->raw.changed_objects.count == 0) return true;
    uint8_t *of_nodes = mem_zalloc(s->context, 2 * n);
    if (of_nodes == NULL) return false;
    uint8_t *of_pods = of_nodes + n;
    mark_shapes(s, known, of_nodes, of_pods);
    mark_changed(&s->raw, of_pods);
    *holds = marked(s->of_nodes, of_nodes, n) && marked(s->of_pods, of_pods, n);
    mem_free(s->context, of_nodes, 2 * n);
    return true;
}
