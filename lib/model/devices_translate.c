/* SPDX-License-Identifier: Apache-2.0 */
/* Translates a catalogue's devices to a snapshot's text ids. */
#include <model/device_index.h>

#include <string.h>

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
