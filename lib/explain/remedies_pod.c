/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to a pod that may make it schedulable: tolerations, selectors, host ports, requests. */
#include <explain/explain_pod.h>
#include <explain/market.h>

#include <model/quantity.h>
#include <model/taints.h>
#include <schedule/report.h>
#include <string.h>

void *list_without(search *s, const void *items, uint32_t count, size_t bytes, uint32_t index)
{
    char *list = search_array(s, count, bytes);
    if (list == NULL) return NULL;
    const char *from = items;
    memcpy(list, from, index * bytes);
    memcpy(list + index * bytes, from + (index + (size_t)1) * bytes, (count - index - (size_t)1) * bytes);
    return list;
}

bool select_label(search *s, shape *h, uint32_t key, uint32_t value)
{
    label_list had = h->node_selector;
    label_pair *items = search_array(s, had.count + (size_t)1, sizeof *items);
    uint32_t n = 0, i = 0;
    if (items == NULL) return false;
    while (i < had.count && had.items[i].key < key) items[n++] = had.items[i++]; /* sorted by key */
    items[n++] = (label_pair){ key, value };
    for (; i < had.count; i++) {
        if (had.items[i].key != key) items[n++] = had.items[i];
    }
    h->node_selector = (label_list){ items, n };
    return true;
}

/* ---- tolerations ------------------------------------------------------------------------------------------------- */

static bool is_hard(const search *s, const taint *t) { return t->effect != s->snapshot->known.prefer_no_schedule; }

/* Makes room for `more` tolerations in the view; NULL = out of memory. */
static toleration *room_to_tolerate(search *s, uint32_t more)
{
    shape *h = overlay_shape(&s->changed, s->shape);
    toleration *list = search_array(s, h->tolerations.count + (size_t)more, sizeof *list);
    if (list == NULL) return NULL;
    if (h->tolerations.count > 0) memcpy(list, h->tolerations.items, h->tolerations.count * sizeof *list);
    h->tolerations.items = list;
    return list;
}

/* Tolerates all taints of one list that the pod does not tolerate, usually a single one. */
static void try_taints(search *s, taint_list taints, words *seen)
{
    toleration *list = NULL; /* a copy of the pod's list, made for the first new toleration */
    uint32_t count = 0, *key = search_array(s, (size_t)3 * taints.count + 1, sizeof *key);
    if (key == NULL) return;
    strbuf text = strbuf_on(s->snapshot->context);
    strbuf_adds(&text, "tolerate ");
    for (uint32_t i = 0; i < taints.count; i++) {
        const taint *t = &taints.items[i];
        toleration_list *tolerations = &overlay_shape(&s->changed, s->shape)->tolerations;
        if (!is_hard(s, t) || taint_tolerated(s->snapshot, *tolerations, t)) continue;
        if (list == NULL) list = room_to_tolerate(s, taints.count - i);
        if (list == NULL) break;
        if (count > 0) strbuf_adds(&text, " and ");
        show_taint(s->snapshot, &text, t);
        /* Only for this value: a taint with the same key on another NodePool is a separate change. */
        list[tolerations->count++] = (toleration){ .key = t->key,
                                                   .value = t->value,
                                                   .effect = t->effect,
                                                   .op = t->value == NO_TEXT ? KARP_TOLERATION_EXISTS
                                                                             : KARP_TOLERATION_EQUAL };
        uint32_t *row = &key[(size_t)3 * count++];
        row[0] = t->key;
        row[1] = t->value;
        row[2] = t->effect;
    }
    bool fresh = count > 0 && words_find(seen, key, (size_t)3 * count) == NO_ID;
    if (fresh && words_add(seen, key, (size_t)3 * count) == NO_ID) s->status = KARP_E_NOMEM;
    if (fresh) (void)search_try(s, KARP_REMEDY_TOLERATE, count, &text);
    else overlay_view_reset(&s->changed);
    if (text.failed) s->status = KARP_E_NOMEM; /* even if the text would not be used */
    strbuf_free(&text);
}

void try_tolerations(search *s)
{
    words seen;
    words_init(&seen, s->snapshot->context);
    for (uint32_t p = 0; p < s->snapshot->raw.pools.count && !search_over(s); p++)
        try_taints(s, s->snapshot->raw.pools.items[p].taints, &seen);
    for (uint32_t n = 0; n < s->snapshot->node_count && !search_over(s); n++) {
        if (!s->snapshot->nodes[n].marked) try_taints(s, s->snapshot->nodes[n].taints, &seen);
    }
    words_free(&seen);
}

/* ---- selectors --------------------------------------------------------------------------------------------------- */

static void show_expression(const search *s, strbuf *b, const expression *e)
{
    static const char *const operators[] = { "?", "In", "NotIn", "Exists", "DoesNotExist", ">", "<", ">=", "<=" };
    add_word(s, b, e->key);
    strbuf_addc(b, ' ');
    strbuf_adds(b, operators[e->op]);
    for (uint32_t i = 0; i < e->value_count && i < 5; i++) {
        strbuf_adds(b, i == 0 ? " " : ",");
        add_word(s, b, e->values[i]);
    }
    if (e->value_count > 5) strbuf_adds(b, ",…");
}

static void drop_expression(search *s, uint32_t term, uint32_t index)
{
    const shape *h = original_shape(s);
    node_term *terms = search_copy(s, h->required.items, h->required.count, sizeof *terms);
    expression_list list = h->required.items[term].expressions;
    expression *left = list_without(s, list.items, list.count, sizeof *left, index);
    if (terms == NULL || left == NULL) return;
    terms[term].expressions = (expression_list){ left, list.count - 1 };
    overlay_shape(&s->changed, s->shape)->required.items = terms;
}

void try_selectors(search *s)
{
    const shape *h = original_shape(s);
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t i = 0; i < h->node_selector.count && !search_over(s); i++) {
        label_list left = { list_without(s, h->node_selector.items, h->node_selector.count, sizeof(label_pair), i),
                            h->node_selector.count - 1 };
        if (left.items == NULL) break;
        overlay_shape(&s->changed, s->shape)->node_selector = left;
        strbuf_clear(&text);
        strbuf_adds(&text, "drop the node selector ");
        add_word(s, &text, h->node_selector.items[i].key);
        strbuf_addc(&text, '=');
        add_word(s, &text, h->node_selector.items[i].value);
        (void)search_try(s, KARP_REMEDY_DROP_SELECTOR, 1, &text);
    }
    for (uint32_t t = 0; t < h->required.count; t++) {
        for (uint32_t i = 0; i < h->required.items[t].expressions.count && !search_over(s); i++) {
            drop_expression(s, t, i);
            strbuf_clear(&text);
            strbuf_adds(&text, "drop from the node affinity ");
            show_expression(s, &text, &h->required.items[t].expressions.items[i]);
            (void)search_try(s, KARP_REMEDY_DROP_SELECTOR, 1, &text);
        }
    }
    strbuf_free(&text);
}

void try_all_selectors(search *s)
{
    const shape *h = original_shape(s);
    shape *changed = overlay_shape(&s->changed, s->shape);
    uint32_t count = h->node_selector.count;
    for (uint32_t t = 0; t < h->required.count; t++) count += h->required.items[t].expressions.count;
    if (count < 2) return;
    strbuf text = strbuf_on(s->snapshot->context);
    strbuf_adds(&text, "drop the node selector");
    if (h->required.count > 0) strbuf_adds(&text, " and the required node affinity");
    changed->node_selector = (label_list){ NULL, 0 };
    changed->required = (node_term_list){ NULL, 0 };
    (void)search_try(s, KARP_REMEDY_DROP_SELECTOR, count, &text);
    strbuf_free(&text);
}

void try_ports(search *s)
{
    const shape *h = original_shape(s);
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t i = 0; i < h->ports.count && !search_over(s); i++) {
        host_port_list left = { list_without(s, h->ports.items, h->ports.count, sizeof(host_port), i),
                                h->ports.count - 1 };
        if (left.items == NULL) break;
        overlay_shape(&s->changed, s->shape)->ports = left;
        strbuf_clear(&text);
        strbuf_adds(&text, "drop the host port ");
        strbuf_addi(&text, h->ports.items[i].port);
        (void)search_try(s, KARP_REMEDY_DROP_PORT, 1, &text);
    }
    strbuf_free(&text);
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

/* Changes the request; false = out of memory. It only decreases, so it cannot overflow. */
static bool change_request(search *s, uint32_t resource, int64_t units)
{
    if (!overlay_request(&s->changed, s->shape, resource, units)) s->status = KARP_E_NOMEM;
    return s->status == KARP_OK;
}

/* The number of the resource's units in 1 Mi, for bytes, since nobody writes parts of it; else 1. */
static int64_t mebibyte_of(const search *s, uint32_t resource)
{
    amount unit = s->snapshot->units[resource], product;
    for (int64_t many = 1; is_bytes(s->snapshot, resource) && many <= 1 << 20; many *= 2) {
        if (amount_mul(unit, (uint64_t)many, &product) && amount_cmp(product, amount_whole(1 << 20)) == 0) return many;
    }
    return 1;
}

/* The largest request with which the pod is schedulable, between `fits` and `too_much`, with an accuracy of about a
 * thousandth, or better while there are rounds to spare; bytes in whole Mi. */
static int64_t most_that_fits(search *s, uint32_t resource, int64_t too_much)
{
    int64_t whole = mebibyte_of(s, resource), part = too_much > whole ? whole : 1;
    enum { STEPS = 12, MORE_STEPS = 24, ROUNDS_TO_SPARE = 48 };
    karp_remedy ignored = { .size = sizeof ignored };
    int64_t fits = 0;
    int steps = s->rounds > ROUNDS_TO_SPARE ? MORE_STEPS : STEPS;
    for (int step = 0; step < steps && too_much - fits > part && s->rounds > 0 && s->status == KARP_OK; step++) {
        int64_t middle = fits + ((too_much - fits) / 2 + part - 1) / part * part;
        bool placed = change_request(s, resource, middle) && search_places(s, &ignored);
        overlay_view_reset(&s->changed);
        if (placed) fits = middle;
        else too_much = middle;
    }
    return fits;
}

static void show_request(const search *s, strbuf *b, const resource_amount *r, int64_t units)
{
    char text[QUANTITY_TEXT];
    quantity q = { .binary = r->binary || is_bytes(s->snapshot, r->resource) };
    /* change_request() has done the same */
    (void)amount_mul(s->snapshot->units[r->resource], (uint64_t)units, &q.value);
    strbuf_adds(b, units == 0 ? "do not request " : "request at most ");
    if (units > 0) strbuf_add(b, text, quantity_format(q, text));
    if (units > 0) strbuf_addc(b, ' ');
    strbuf_addstr(b, strings_get(&s->snapshot->raw.resources, r->resource));
}

void try_requests(search *s)
{
    const shape *h = original_shape(s);
    const int64_t *vector = s->snapshot->classes[s->snapshot->pod_class[s->pod]].requests;
    strbuf text = strbuf_on(s->snapshot->context);
    for (uint32_t i = 0; i < h->requests.count && !search_over(s); i++) {
        const resource_amount *r = &h->requests.items[i];
        uint32_t column = s->snapshot->column_of[r->resource];
        karp_remedy ignored = { .size = sizeof ignored };
        if (r->resource == RESOURCE_PODS || amount_sign(r->value) <= 0) continue;
        bool helps = change_request(s, r->resource, 0) && search_places(s, &ignored);
        overlay_view_reset(&s->changed);
        if (!helps) continue;
        int64_t most = column == s->snapshot->nowhere ? 0 : most_that_fits(s, r->resource, vector[column]);
        strbuf_clear(&text);
        show_request(s, &text, r, most);
        if (s->rounds == 0) s->rounds = 1; /* for the round that determines the result */
        if (change_request(s, r->resource, most)) (void)search_try(s, KARP_REMEDY_REQUEST_LESS, 1, &text);
    }
    strbuf_free(&text);
}
