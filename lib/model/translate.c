/* SPDX-License-Identifier: Apache-2.0 */
#include <model/translate.h>
#include <model/device_index.h>
#include <string.h>

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

/* ---- devices ----------------------------------------------------------------------------------------------------- */

typedef struct translator {
    arena *to;
    const uint32_t *text;
    bool refused;
} translator;

/* A copy of a list in which the caller replaces the texts. */
static void *copy(translator *t, const void *items, size_t count, size_t element)
{
    void *out = arena_array(t->to, count + 1, element);
    if (out == NULL) t->refused = true;
    else if (count > 0) memcpy(out, items, count * element);
    return out;
}

static counter_sets sets_of(translator *t, counter_sets given)
{
    counter_set *sets = copy(t, given.items, given.count, sizeof *sets);
    for (uint32_t i = 0; sets != NULL && i < given.count; i++) {
        sets[i].name = t->text[sets[i].name];
        named_amount *counters = copy(t, sets[i].counters.items, sets[i].counters.count, sizeof *counters);
        for (uint32_t k = 0; counters != NULL && k < sets[i].counters.count; k++)
            counters[k].name = t->text[counters[k].name];
        sets[i].counters.items = counters;
    }
    return (counter_sets){ sets, given.count };
}

static device_list devices_of(translator *t, device_list given)
{
    device *devices = copy(t, given.items, given.count, sizeof *devices);
    for (uint32_t i = 0; devices != NULL && i < given.count; i++) {
        device *d = &devices[i];
        d->name = t->text[d->name];
        device_attribute *attributes = copy(t, d->attributes, d->attribute_count, sizeof *attributes);
        for (uint32_t k = 0; attributes != NULL && k < d->attribute_count; k++) {
            attributes[k].name = t->text[attributes[k].name];
            attributes[k].text = t->text[attributes[k].text];
        }
        d->attributes = attributes;
        device_capacity *capacity = copy(t, d->capacity, d->capacity_count, sizeof *capacity);
        for (uint32_t k = 0; capacity != NULL && k < d->capacity_count; k++)
            capacity[k].name = t->text[capacity[k].name];
        d->capacity = capacity;
        d->consumes = sets_of(t, d->consumes);
    }
    return (device_list){ devices, given.count };
}

const struct type_devices *translate_type_devices(karp_snapshot *s, const uint32_t *text,
                                                  const struct type_devices *given)
{
    translator t = { &s->data, text, false };
    struct type_devices *out = copy(&t, given, 1, sizeof *out);
    device_template *templates = copy(&t, given->templates, given->template_count, sizeof *templates);
    attribute_binding *bindings = copy(&t, given->bindings, given->binding_count, sizeof *bindings);
    if (t.refused) return NULL;
    for (uint32_t i = 0; i < given->template_count; i++) {
        templates[i].driver = text[templates[i].driver];
        templates[i].pool = text[templates[i].pool];
        templates[i].devices = devices_of(&t, templates[i].devices);
        templates[i].counters = sets_of(&t, templates[i].counters);
    }
    for (uint32_t i = 0; i < given->binding_count; i++) {
        device_id *ids = copy(&t, bindings[i].devices, bindings[i].device_count, sizeof *ids);
        for (uint32_t k = 0; ids != NULL && k < bindings[i].device_count; k++) {
            ids[k] = (device_id){ text[ids[k].driver], text[ids[k].pool], text[ids[k].device] };
        }
        bindings[i].attribute = text[bindings[i].attribute];
        bindings[i].devices = ids;
    }
    out->templates = templates;
    out->bindings = bindings;
    return t.refused ? NULL : out;
}
