/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the preferences of the pods that a round placed. */
#include <schedule/result.h>

#include <base/sort.h>
#include <schedule/scheduler.h>
#include <schedule/views.h>

typedef struct counting {
    scheduler *s;
    arena *a;
    preference_rows *out;
    map64 row_of; /* rules, kind and place of the preference in the pod -> row */
    bool ok;
} counting;

/* Placed pods of a class that gave up equally many preferences: they have one answer. */
typedef struct alike {
    uint32_t first; /* by namespace and name */
    uint32_t count;
    uint32_t step;
} alike;

enum { MOST_OF_A_KIND = 256 }; /* further preferences of a pod are left out */

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static void add_values(const scheduler *s, strbuf *b, const expression *e)
{
    static const char *const names[] = {
        [KARP_OP_IN] = " In",         [KARP_OP_NOT_IN] = " NotIn",
        [KARP_OP_EXISTS] = " Exists", [KARP_OP_DOES_NOT_EXIST] = " DoesNotExist",
        [KARP_OP_GT] = " Gt",         [KARP_OP_LT] = " Lt",
        [KARP_OP_GTE] = " Gte",       [KARP_OP_LTE] = " Lte",
    };
    strbuf_addstr(b, text_of(s->snapshot, e->key));
    if (e->op < sizeof names / sizeof *names && names[e->op] != NULL) strbuf_adds(b, names[e->op]);
    for (uint32_t i = 0; i < e->value_count; i++) {
        strbuf_adds(b, i == 0 ? " [" : ", ");
        strbuf_addstr(b, text_of(s->snapshot, e->values[i]));
    }
    if (e->value_count > 0) strbuf_addc(b, ']');
}

static void add_node_term(const scheduler *s, strbuf *b, const node_term *t)
{
    for (uint32_t i = 0; i < t->expressions.count; i++) {
        if (i > 0) strbuf_adds(b, " and ");
        add_values(s, b, &t->expressions.items[i]);
    }
}

static void add_topology(const scheduler *s, strbuf *b, uint32_t key, const selector *selects)
{
    static const label_list none = { NULL, 0 };
    strbuf_addstr(b, text_of(s->snapshot, key));
    if (selects == NULL) return;
    size_t before = b->len;
    strbuf_adds(b, " of ");
    size_t named = b->len;
    show_selector(s, b, selects, none);
    if (b->len == named) b->len = before;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The row of the preference; NULL = out of memory. *fresh: it is new, and `text` is to be set. */
static karp_preference *row_of(counting *c, const shape *h, uint32_t kind, uint32_t term, bool *fresh)
{
    uint64_t key = ((uint64_t)h->rules * KARP_PREFERENCE_KINDS + kind) * MOST_OF_A_KIND + term;
    uint32_t number = map64_get(&c->row_of, key);
    *fresh = number == NO_ID;
    if (number != NO_ID) return &c->out->items[number];
    number = (uint32_t)c->out->count;
    karp_preference *row = map64_put(&c->row_of, key, number) ? list_push(c->s->context, c->out, sizeof *row) : NULL;
    if (row != NULL) *row = (karp_preference){ .size = sizeof *row, .kind = kind };
    c->ok = c->ok && row != NULL;
    return row;
}

static bool is_before(const karp_snapshot *s, uint32_t pod_number, karp_str named)
{
    return named.ptr == NULL || compare_str(pod_name(s, pod_number), named) < 0;
}

enum fate { FATE_UNUSED, FATE_KEPT, FATE_DROPPED };

static void count_pods(const counting *c, karp_preference *row, const alike *pods, enum fate fate)
{
    if (is_before(c->s->snapshot, pods->first, row->pod)) row->pod = pod_name(c->s->snapshot, pods->first);
    row->pods += pods->count;
    if (fate == FATE_KEPT) row->kept += pods->count;
    if (fate == FATE_DROPPED) row->dropped += pods->count;
}

static void finish_text(counting *c, karp_preference *row, strbuf *text)
{
    const char *copy = text->failed ? NULL : arena_string(c->a, text->ptr, text->len);
    row->text = (karp_str){ copy, copy == NULL ? 0 : text->len };
    c->ok = c->ok && copy != NULL;
    strbuf_free(text);
}

/* Karpenter looks at the heaviest remaining preference alone. */
static void count_node_terms(counting *c, const view *first, const view *last, const alike *pods)
{
    const shape *h = shape_of(c->s->snapshot, first->class_);
    uint32_t dropped = first->preferred_count - last->preferred_count;
    for (uint32_t i = 0; i < first->preferred_count && i < MOST_OF_A_KIND && c->ok; i++) {
        bool fresh;
        karp_preference *row = row_of(c, h, KARP_PREFERENCE_NODE_AFFINITY, i, &fresh);
        if (row == NULL) return;
        if (fresh) {
            strbuf text = strbuf_on(c->s->context);
            add_node_term(c->s, &text, &first->preferred[i]);
            row->weight = first->preferred[i].weight;
            finish_text(c, row, &text);
        }
        count_pods(c, row, pods, i < dropped ? FATE_DROPPED : i == dropped ? FATE_KEPT : FATE_UNUSED);
    }
}

static void count_pod_terms(counting *c, const view *first, const pod_term_list *all, uint32_t left, uint32_t kind,
                            const alike *pods)
{
    const shape *h = shape_of(c->s->snapshot, first->class_);
    for (uint32_t i = 0; i < all->count && i < MOST_OF_A_KIND && c->ok; i++) {
        bool fresh;
        karp_preference *row = row_of(c, h, kind, i, &fresh);
        if (row == NULL) return;
        if (fresh) {
            strbuf text = strbuf_on(c->s->context);
            add_topology(c->s, &text, all->items[i].topology_key, all->items[i].label_selector);
            row->weight = all->items[i].weight;
            finish_text(c, row, &text);
        }
        count_pods(c, row, pods, i < all->count - left ? FATE_DROPPED : FATE_KEPT);
    }
}

static bool is_left(const view *v, uint32_t constraint)
{
    bool left = false;
    for (uint32_t i = 0; i < v->spread_count; i++) left = left || v->spread_left[i] == constraint;
    return left;
}

static void count_spread(counting *c, const view *first, const view *last, const alike *pods)
{
    const shape *h = shape_of(c->s->snapshot, first->class_);
    for (uint32_t i = 0; i < first->spread.count && i < MOST_OF_A_KIND && c->ok; i++) {
        const spread_constraint *k = &first->spread.items[i];
        bool fresh;
        if (!k->schedule_anyway) continue;
        karp_preference *row = row_of(c, h, KARP_PREFERENCE_SPREAD, i, &fresh);
        if (row == NULL) return;
        if (fresh) {
            strbuf text = strbuf_on(c->s->context);
            add_topology(c->s, &text, k->topology_key, k->label_selector);
            if (!spread_counts(c->s->snapshot, pods->first, k)) strbuf_adds(&text, ", which counts none of them");
            finish_text(c, row, &text);
        }
        count_pods(c, row, pods, is_left(last, i) ? FATE_KEPT : FATE_DROPPED);
    }
}

static void count_preferences(counting *c, const alike *pods)
{
    scheduler *s = c->s;
    uint32_t class_number = s->snapshot->pod_class[pods->first];
    uint32_t first_number = view_of_class(s, class_number);
    uint32_t last_number = first_number == NO_ID ? NO_ID : view_after(s, class_number, pods->step);
    c->ok = c->ok && last_number != NO_ID;
    if (!c->ok) return;
    /* Copies: the list of views may move. */
    const view first = s->pods.views.items[first_number], last = s->pods.views.items[last_number];
    count_node_terms(c, &first, &last, pods);
    count_pod_terms(c, &first, &first.preferred_affinity, last.preferred_affinity.count, KARP_PREFERENCE_POD_AFFINITY,
                    pods);
    count_pod_terms(c, &first, &first.preferred_anti, last.preferred_anti.count, KARP_PREFERENCE_POD_ANTI_AFFINITY,
                    pods);
    count_spread(c, &first, &last, pods);
}

static int by_pod(const void *a, const void *b, const void *user)
{
    const karp_preference *x = a, *y = b;
    (void)user;
    int order = compare_str(x->pod, y->pod);
    return order != 0 ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

static bool finish_rows(counting *c)
{
    preference_rows *out = c->out;
    map64_free(&c->row_of);
    return c->ok && !c->s->failed && !c->s->algebra.failed &&
           sort_stable(c->s->context, out->items, out->count, sizeof(karp_preference), by_pod, NULL);
}

bool preferences_of_pod(scheduler *s, uint32_t pod_number, uint32_t step, arena *a, preference_rows *out)
{
    counting c = { .s = s, .a = a, .out = out, .ok = true };
    map64_init(&c.row_of, s->context);
    count_preferences(&c, &(alike){ pod_number, 1, step });
    return finish_rows(&c);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static bool has_preferences(const karp_snapshot *s, const shape *h)
{
    bool some = h->preferred.count + h->preferred_affinity.count + h->preferred_anti.count > 0;
    const spread_list *spread = h->spread.count > 0 ? &h->spread : &s->raw.default_spread;
    for (uint32_t i = 0; i < spread->count && !some; i++) some = spread->items[i].schedule_anyway;
    return some;
}

/* Whether preferences count, and some pod has any. */
static bool some_count(const karp_snapshot *seen)
{
    bool some = false;
    if (seen->raw.settings.preference_policy == KARP_PREFERENCES_IGNORE) return false;
    for (size_t i = 0; i < seen->raw.shapes.count && !some; i++)
        some = has_preferences(seen, &seen->raw.shapes.items[i]);
    return some;
}

bool preferences_begin(scheduler *s, karp_decision *d)
{
    if (!some_count(s->snapshot)) return true;
    d->steps = arena_array(&d->data, s->snapshot->raw.pods.count + 1, sizeof *d->steps);
    s->placement.gave_up = d->steps;
    return d->steps != NULL;
}

typedef LIST_OF(alike) alike_list;

/* The number of the entry for the pod's class and step, which may be a new one. NO_ID = out of memory. */
static uint32_t alike_of(scheduler *s, alike_list *found, map64 *number_of, uint32_t pod_number, uint32_t step)
{
    uint64_t key = pair_key(s->snapshot->pod_class[pod_number], step);
    uint32_t number = map64_get(number_of, key);
    if (number != NO_ID) return number;
    number = (uint32_t)found->count;
    alike *fresh = map64_put(number_of, key, number) ? list_push(s->context, found, sizeof *fresh) : NULL;
    if (fresh == NULL) return NO_ID;
    *fresh = (alike){ pod_number, 0, step };
    return number;
}

/* The placed pods, those together that are alike. false = out of memory. */
static bool find_alike(scheduler *s, const karp_decision *d, alike_list *found)
{
    const uint32_t *rank = s->snapshot->pod_rank, *class_of = s->snapshot->pod_class, *items = s->pods.items;
    const uint16_t *steps = d->steps;
    size_t bytes = s->snapshot->class_count * sizeof(uint32_t);
    uint32_t *last = mem_alloc(s->context, bytes); /* by class: its entry that was used last */
    map64 number_of;
    bool ok = last != NULL;
    map64_init(&number_of, s->context);
    if (ok) memset(last, 0xff, bytes); /* NO_ID */
    ok = ok && (!s->placement.in_runs || placement_settle(s));
    const place *places = s->placement.places;
    for (uint32_t i = 0, count = ok ? s->pods.count : 0; i < count; i++) {
        uint32_t pod_number = items[i], *number = &last[class_of[pod_number]], step = steps[pod_number];
        if (places[pod_number].where == PLACE_NONE) continue;
        if (*number == NO_ID || found->items[*number].step != step) {
            *number = alike_of(s, found, &number_of, pod_number, step);
            ok = *number != NO_ID;
            if (!ok) break;
        }
        alike *pods = &found->items[*number];
        if (rank[pod_number] < rank[pods->first]) pods->first = pod_number;
        pods->count++;
    }
    map64_free(&number_of);
    if (last != NULL) mem_free(s->context, last, bytes);
    return ok;
}

bool preferences_report(scheduler *s, karp_decision *d)
{
    counting c = { .s = s, .a = &d->data, .out = &d->preferences, .ok = true };
    alike_list found = { 0 };
    if (d->steps == NULL) return true;
    map64_init(&c.row_of, s->context);
    c.ok = find_alike(s, d, &found);
    for (size_t i = 0; i < found.count && c.ok; i++) {
        const alike *pods = &found.items[i];
        if (has_preferences(s->snapshot, shape_of(s->snapshot, s->snapshot->pod_class[pods->first])))
            count_preferences(&c, pods);
    }
    list_free(s->context, &found, sizeof(alike));
    return finish_rows(&c);
}
