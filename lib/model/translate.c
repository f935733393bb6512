/* SPDX-License-Identifier: Apache-2.0 */
#include <model/translate.h>

static uint32_t *unknown_ids(karp_snapshot *s, size_t count)
{
    uint32_t *ids = arena_alloc(&s->data, (count + 1) * sizeof *ids);
    for (size_t i = 0; ids != NULL && i < count; i++) ids[i] = NO_ID;
    return ids;
}

bool translate(karp_snapshot *s, const karp_catalogue *c, struct translation *out)
{
    uint32_t *text = arena_array(&s->data, c->text.count + 1, sizeof *text);
    uint32_t *resources = arena_array(&s->data, c->resources.count + 1, sizeof *resources);
    uint32_t *requirements = unknown_ids(s, c->requirements.count), *sets = unknown_ids(s, c->lists.count);
    if (text == NULL || resources == NULL || requirements == NULL || sets == NULL) return false;
    for (uint32_t i = 0; i < c->text.count; i++) {
        karp_str t = strings_get(&c->text, i);
        text[i] = strings_find(&s->raw.text, t.ptr, t.len);
    }
    for (uint32_t i = 0; i < c->resources.count; i++) {
        karp_str t = strings_get(&c->resources, i);
        resources[i] = strings_find(&s->raw.resources, t.ptr, t.len);
    }
    *out = (struct translation){ c, text, resources, requirements, sets };
    return true;
}

static uint32_t translate_requirement(karp_snapshot *s, const struct translation *t, uint32_t number)
{
    uint32_t stack[64];
    if (t->requirements[number] != NO_ID) return t->requirements[number];
    const expression *e = &t->of->requirements.items[number];
    arena_mark mark = arena_get_mark(&s->data);
    uint32_t *values = e->value_count <= 64 ? stack : arena_array(&s->data, e->value_count, sizeof *values);
    if (values == NULL) return NO_ID;
    for (uint32_t v = 0; v < e->value_count; v++) values[v] = t->text[e->values[v]];
    uint32_t r = requirement_make(&s->algebra, t->text[e->key], e->op, values, e->value_count, e->min_values);
    if (values != stack) arena_release(&s->data, mark);
    t->requirements[number] = r;
    return r;
}

uint32_t translate_set(karp_snapshot *s, const struct translation *t, uint32_t list)
{
    if (t->sets[list] != NO_ID) return t->sets[list];
    uint32_t few[64], all = t->of->lists.items[list].count;
    size_t bytes = all * sizeof *few, count = 0;
    uint32_t *made = all <= 64 ? few : mem_alloc(s->context, bytes);
    if (made == NULL) s->algebra.failed = true;
    for (uint32_t i = 0; i < all && !s->algebra.failed; i++) {
        uint32_t r = translate_requirement(s, t, t->of->lists.items[list].items[i]);
        if (r == NO_ID) s->algebra.failed = true;
        else if (requirement_get(&s->algebra, r)->key != s->facts.hostname) made[count++] = r;
    }
    uint32_t set = s->algebra.failed ? NO_ID : set_of_all(&s->algebra, made, count);
    if (made != few) mem_free(s->context, made, bytes);
    if (s->algebra.failed) return NO_ID;
    t->sets[list] = set;
    return set;
}
