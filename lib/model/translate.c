/* SPDX-License-Identifier: Apache-2.0 */
#include <model/translate.h>

bool translate(karp_snapshot *s, const karp_catalogue *c, struct translation *out)
{
    uint32_t *text = arena_array(&s->data, c->text.count + 1, sizeof *text);
    uint32_t *resources = arena_array(&s->data, c->resources.count + 1, sizeof *resources);
    if (text == NULL || resources == NULL) return false;
    for (uint32_t i = 0; i < c->text.count; i++) {
        karp_str t = strings_get(&c->text, i);
        text[i] = strings_find(&s->raw.text, t.ptr, t.len);
    }
    for (uint32_t i = 0; i < c->resources.count; i++) {
        karp_str t = strings_get(&c->resources, i);
        resources[i] = strings_find(&s->raw.resources, t.ptr, t.len);
    }
    *out = (struct translation){ text, resources };
    return true;
}

uint32_t translate_set(karp_snapshot *s, const struct translation *t, expression_list list)
{
    uint32_t stack[64], set = EMPTY_SET;
    for (uint32_t i = 0; i < list.count; i++) {
        const expression *e = &list.items[i];
        arena_mark mark = arena_get_mark(&s->data);
        uint32_t *values = e->value_count <= 64 ? stack : arena_array(&s->data, e->value_count, sizeof *values);
        if (values == NULL) return NO_ID;
        for (uint32_t v = 0; v < e->value_count; v++) values[v] = t->text[e->values[v]];
        uint32_t r = requirement_make(&s->algebra, t->text[e->key], e->op, values, e->value_count, e->min_values);
        if (values != stack) arena_release(&s->data, mark);
        if (r == NO_ID) return NO_ID;
        if (requirement_get(&s->algebra, r)->key != s->facts.hostname) set = set_add(&s->algebra, set, r);
    }
    return s->algebra.failed ? NO_ID : set;
}
