/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/report.h>

#include <base/operators.h>
#include <base/sort.h>
#include <model/quantity.h>
#include <schedule/scheduler.h>

enum { VALUES_SHOWN = 5 };

void show_requirement(const scheduler *s, strbuf *b, uint32_t requirement_id)
{
    const requirement *r = requirement_get(&s->algebra, requirement_id);
    strbuf_put(b, "", text_of(s->snapshot, r->key), " ");
    strbuf_adds(b, operator_name(requirement_op(r)));
    if (r->value_count > 0) {
        strbuf_adds(b, " [");
        for (uint32_t i = 0; i < r->value_count && i < VALUES_SHOWN; i++) {
            if (i > 0) strbuf_addc(b, ' ');
            strbuf_addstr(b, text_of(s->snapshot, r->values[i]));
        }
        if (r->value_count > VALUES_SHOWN) {
            strbuf_putu(b, " and ", r->value_count - VALUES_SHOWN, " others");
        }
        strbuf_addc(b, ']');
    }
    if (r->has_gte) {
        strbuf_adds(b, " >=");
        strbuf_addi(b, r->gte);
    }
    if (r->has_lte) {
        strbuf_adds(b, " <=");
        strbuf_addi(b, r->lte);
    }
    if (r->min_values > 0 || r->min_zero) {
        strbuf_putu(b, " minValues ", r->min_values, "");
    }
}

int requirements_by_key(uint32_t x, uint32_t y, const void *user)
{
    const scheduler *s = user;
    const uint32_t *rank = s->snapshot->facts.rank;
    uint32_t kx = requirement_get(&s->algebra, x)->key, ky = requirement_get(&s->algebra, y)->key;
    return rank[kx] < rank[ky] ? -1 : rank[kx] > rank[ky];
}

void show_set(const scheduler *s, strbuf *b, uint32_t set)
{
    const known_text *k = &s->snapshot->known;
    size_t n, kept = 0;
    const set_entry *e = set_entries(&s->algebra, set, &n);
    uint32_t *ids = mem_alloc(s->context, (n + 1) * sizeof *ids);
    if (ids == NULL) {
        b->failed = true;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (e[i].key != k->registered && e[i].key != k->initialized) ids[kept++] = e[i].requirement;
    }
    if (!sort_ids(s->context, ids, kept, requirements_by_key, s)) b->failed = true;
    for (size_t i = 0; i < kept; i++) {
        if (i > 0) strbuf_adds(b, ", ");
        show_requirement(s, b, ids[i]);
    }
    mem_free(s->context, ids, (n + 1) * sizeof *ids);
}

void show_selector(const scheduler *s, strbuf *b, const selector *x, label_list extra)
{
    uint32_t n = 0;
    for (uint32_t i = 0; x != NULL && i < x->labels.count + extra.count; i++) {
        const label_pair *l = i < x->labels.count ? &x->labels.items[i] : &extra.items[i - x->labels.count];
        strbuf_adds(b, n++ > 0 ? "," : "");
        strbuf_addstr(b, text_of(s->snapshot, l->key));
        strbuf_put(b, "=", text_of(s->snapshot, l->value), "");
    }
    for (uint32_t i = 0; x != NULL && i < x->expressions.count; i++) {
        const expression *e = &x->expressions.items[i];
        bool listed = e->op == KARP_OP_IN || e->op == KARP_OP_NOT_IN;
        strbuf_adds(b, n++ > 0 ? "," : "");
        if (e->op == KARP_OP_DOES_NOT_EXIST) strbuf_addc(b, '!');
        strbuf_addstr(b, text_of(s->snapshot, e->key));
        if (listed) strbuf_adds(b, e->op == KARP_OP_IN ? " In (" : " NotIn (");
        for (uint32_t v = 0; listed && v < e->value_count && v < VALUES_SHOWN; v++) {
            strbuf_adds(b, v > 0 ? "," : "");
            strbuf_addstr(b, text_of(s->snapshot, e->values[v]));
        }
        if (listed) strbuf_adds(b, e->value_count > VALUES_SHOWN ? ",…)" : ")");
    }
}

void show_taint(const karp_snapshot *s, strbuf *b, const taint *t)
{
    strbuf_addstr(b, text_of(s, t->key));
    if (t->value != NO_TEXT) {
        strbuf_put(b, "=", text_of(s, t->value), "");
    }
    strbuf_put(b, ":", text_of(s, t->effect), "");
}

struct row {
    karp_str name;
    const resource_amount *amount;
};

enum { FEW_ROWS = 8 };

const karp_resource *resource_rows(const karp_snapshot *s, arena *a, resource_list list, size_t *count)
{
    *count = 0;
    struct row few[FEW_ROWS], *many = list.count > FEW_ROWS ? mem_alloc(s->context, list.count * sizeof *many) : NULL;
    struct row *rows = list.count > FEW_ROWS ? many : few;
    karp_resource *out = arena_array(a, list.count + (size_t)1, sizeof *out);
    bool ok = rows != NULL && out != NULL;
    for (uint32_t i = 0; ok && i < list.count; i++)
        rows[i] = (struct row){ strings_get(&s->raw.resources, list.items[i].resource), &list.items[i] };
    ok = ok && sort_stable(s->context, rows, list.count, sizeof *rows, by_text, NULL);
    for (uint32_t i = 0; ok && i < list.count; i++) {
        char text[64];
        size_t length = quantity_format((quantity){ .value = rows[i].amount->value, .binary = rows[i].amount->binary },
                                        text);
        const char *copy = arena_string(a, text, length);
        out[i].name = rows[i].name;
        out[i].text = (karp_str){ copy, length };
        ok = copy != NULL;
    }
    mem_free(s->context, many, list.count * sizeof *many);
    if (!ok) return NULL;
    *count = list.count;
    return out;
}

void show_resources(const scheduler *s, strbuf *b, resource_list list)
{
    size_t n;
    arena a = arena_on(s->context);
    const karp_resource *rows = resource_rows(s->snapshot, &a, list, &n);
    if (rows == NULL) b->failed = true;
    strbuf_addc(b, '{');
    for (size_t i = 0; rows != NULL && i < n; i++) {
        strbuf_adds(b, i > 0 ? ",\"" : "\"");
        strbuf_addstr(b, rows[i].name);
        strbuf_put(b, "\":\"", rows[i].text, "\"");
    }
    strbuf_addc(b, '}');
    arena_free(&a);
}
