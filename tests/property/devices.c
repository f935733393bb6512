/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: what types bring and what slices publish. They are added to a world that is there already, so that they meet
 * everything else. Devices of different types and of the cluster often have equal names.
 */
#include <string.h>

#include "maker.h"

#define DRIVERS "gpu.example.com gpu.example.com gpu.example.com nic.example.com"

/* ------------------------------------------------------------------------------------------------ one device */

static void add_attributes(struct maker *m, json_t *device)
{
    json_t *all = json_object();
    if (chance(m, 85)) {
        json_object_set_new(all, "model", json_pack("{s:s}", "string", word(m, "m1 m1 m2")));
    }
    if (chance(m, 75)) {
        json_object_set_new(all, "cores", json_pack("{s:i}", "int", 1 << below(m, 3)));
    }
    if (chance(m, 50)) {
        json_object_set_new(all, "fast", json_pack("{s:b}", "bool", chance(m, 60)));
    }
    if (chance(m, 30)) {
        json_object_set_new(all, "firmware", json_pack("{s:s}", "version", word(m, "1.0.0 1.2.0 1.10.0")));
    }
    if (chance(m, m->percent[MATCH_ATTRIBUTE] > 0 ? 70 : 20)) {
        const char *name = word(m, "numa example.com/numa example.com/numa");
        json_object_set_new(
            all, name, chance(m, 90) ? json_pack("{s:i}", "int", (int)below(m, 2)) : json_pack("{s:s}", "string", "0"));
    }
    json_object_set_new(device, "attributes", all);
}

static json_t *policy(struct maker *m)
{
    json_t *out = json_pack("{s:s}", "default", word(m, "1Gi 2Gi 3Gi"));
    if (chance(m, 40)) {
        json_object_set_new(out, "validValues", json_pack("[s, s, s]", "1Gi", "2Gi", word(m, "3Gi 5Gi")));
        put(out, "default", word(m, "1Gi 2Gi"));
    } else if (chance(m, 80)) {
        json_t *range = json_pack("{s:s}", "min", word(m, "1Gi 2Gi"));
        if (chance(m, 60)) {
            put(range, "max", word(m, "4Gi 5Gi 6Gi"));
        }
        if (chance(m, 60)) {
            put(range, "step", word(m, "1Gi 2Gi 1500Mi"));
        }
        json_object_set_new(out, "validRange", range);
    }
    return out;
}

static void add_capacity(struct maker *m, json_t *device, bool shared)
{
    json_t *all = json_object(), *memory = json_pack("{s:s}", "value", word(m, "4Gi 8Gi 8Gi 10Gi"));
    if (shared && chance(m, 60)) {
        json_object_set_new(memory, "requestPolicy", policy(m));
    }
    json_object_set_new(all, "memory", memory);
    if (chance(m, shared ? 30 : 10)) {
        json_object_set_new(all, "lanes", json_pack("{s:s}", "value", word(m, "1 2 4 1500m")));
    }
    json_object_set_new(device, "capacity", all);
}

static void add_consumption(struct maker *m, json_t *device)
{
    json_t *counters = json_object();
    json_object_set_new(counters, "memory", json_pack("{s:s}", "value", word(m, "10Gi 20Gi 20Gi 40Gi")));
    if (chance(m, 40)) {
        const char *name = chance(m, 97) ? "slots" : "nowhere";
        json_object_set_new(counters, name, json_pack("{s:s}", "value", word(m, "1 2 500m")));
    }
    json_object_set_new(device, "consumesCounters",
                        json_pack("[{s:s, s:o}]", "counterSet", chance(m, 98) ? "set" : "gone", "counters", counters));
}

static json_t *devices(struct maker *m, bool counted)
{
    json_t *out = json_array();
    bool shared = has(m, SHARED_DEVICES);
    for (unsigned i = 0, count = chance(m, 20) ? 1 : 2 + below(m, 3); i < count; i++) {
        json_t *device = json_pack("{s:s}", "name", text(m, "d%u", chance(m, 98) ? i : 0));
        add_attributes(m, device);
        if (shared && chance(m, 80)) {
            json_object_set_new(device, "allowMultipleAllocations", json_true());
        }
        if (shared || chance(m, 30)) {
            add_capacity(m, device, shared);
        }
        if (counted && chance(m, 85)) {
            add_consumption(m, device);
        }
        json_array_append_new(out, device);
    }
    return out;
}

static json_t *counter_sets(struct maker *m)
{
    json_t *counters = json_object();
    json_object_set_new(counters, "memory", json_pack("{s:s}", "value", word(m, "40Gi 40Gi 50Gi 80Gi")));
    json_object_set_new(counters, "slots", json_pack("{s:s}", "value", word(m, "1 2 3 2500m")));
    return json_pack("[{s:s, s:o}]", "name", "set", "counters", counters);
}

/* ------------------------------------------------------------------------------------------------ of a type */

static json_t *device_names(const char *driver, const char *pool, const json_t *list, unsigned from, unsigned to)
{
    json_t *out = json_array();
    for (unsigned i = from; i < to && i < json_array_size(list); i++) {
        json_array_append_new(out, json_pack("{s:s, s:s, s:O}", "driver", driver, "pool", pool, "device",
                                             json_object_get(json_array_get(list, i), "name")));
    }
    return out;
}

/** Groups of devices of which only the node will tell an attribute; the first devices then do not have it. */
static void add_bindings(struct maker *m, json_t *bindings, const char *driver, const char *pool, json_t *list)
{
    unsigned from = below(m, 2), to = from + 2 + below(m, 2), all = (unsigned)json_array_size(list);
    for (unsigned i = 0; i < all; i++) {
        json_t *attributes = json_object_get(json_array_get(list, i), "attributes");
        if (chance(m, 80)) {
            json_object_del(attributes, "numa");
            json_object_del(attributes, "example.com/numa");
        }
    }
    const char *attribute = chance(m, 85) ? "example.com/numa" : "gpu.example.com/numa";
    json_array_append_new(bindings, json_pack("{s:s, s:o}", "attribute", attribute, "devices",
                                              device_names(driver, pool, list, from, to)));
    if (chance(m, 40)) {
        json_array_append_new(bindings, json_pack("{s:s, s:o}", "attribute", attribute, "devices",
                                                  device_names(driver, pool, list, to - 1, to + 2)));
    }
}

static void add_to_type(struct maker *m, json_t *type)
{
    json_t *slices = json_array(), *bindings = json_array();
    for (unsigned i = 0; i < 2 && (i == 0 || chance(m, 25)); i++) {
        const char *driver = word(m, DRIVERS), *pool = i == 0 ? word(m, "own own pool-0") : "second";
        bool counted = has(m, COUNTERS);
        json_t *list = devices(m, counted);
        if (has(m, MATCH_ATTRIBUTE) && chance(m, 60)) {
            add_bindings(m, bindings, driver, pool, list);
        }
        json_array_append_new(slices, json_pack("{s:s, s:s, s:o}", "driver", driver, "pool", pool, "devices", list));
        if (counted && chance(m, 95)) {
            json_array_append_new(slices, json_pack("{s:s, s:s, s:o}", "driver", driver, "pool", pool, "sharedCounters",
                                                    counter_sets(m)));
        }
    }
    json_t *all = json_pack("{s:o}", "resourceSlices", slices);
    if (json_array_size(bindings) > 0) {
        json_object_set(all, "attributeBindings", bindings);
    }
    json_decref(bindings);
    json_object_set_new(type, "dynamicResources", all);
}

/* ------------------------------------------------------------------------------------------------ of the cluster */

static json_t *node_selector(struct maker *m)
{
    json_t *terms = json_array();
    for (unsigned i = 0; i == 0 || (i < 3 && chance(m, 20)); i++) {
        const char *key = chance(m, 70) ? ZONE : known_key(m, CAPACITY_TYPE " family team rack " TYPE);
        const char *op = chance(m, 85) ? "In" : "NotIn", *values = values_of(m, key);
        json_t *e = chance(m, 95) ? entry(key, op, some_words(m, values, 1 + below(m, 2))) : expression(m, false);
        json_array_append_new(terms, json_pack("{s:[o]}", "matchExpressions", e));
    }
    return json_pack("{s:o}", "nodeSelectorTerms", terms);
}

/** From where the devices can be reached. */
static void add_reach(struct maker *m, json_t *slice, json_t *node)
{
    json_t *spec = json_object_get(slice, "spec"), *metadata = json_object_get(node, "metadata");
    if (node != NULL) {
        json_object_set(spec, "nodeName", json_object_get(metadata, "name"));
        if (chance(m, 80)) {
            json_object_set_new(json_object_get(slice, "metadata"), "ownerReferences",
                                json_pack("[{s:s, s:s, s:O, s:O}]", "apiVersion", "v1", "kind", "Node", "name",
                                          json_object_get(metadata, "name"), "uid", json_object_get(metadata, "uid")));
        }
    } else if (chance(m, 50)) {
        json_object_set_new(spec, "allNodes", json_true());
    } else {
        json_object_set_new(spec, "nodeSelector", node_selector(m));
    }
}

static json_t *slice(struct maker *m, const char *driver, const char *pool, int generation, int count)
{
    json_t *out = object(m, "resource.k8s.io/v1", "ResourceSlice", NULL, text(m, "slice-%03d", m->serial));
    json_object_set_new(out, "spec",
                        json_pack("{s:s, s:{s:s, s:i, s:i}}", "driver", driver, "pool", "name", pool, "generation",
                                  generation, "resourceSliceCount", count));
    return out;
}

static void rename_devices(struct maker *m, json_t *list, unsigned number)
{
    for (unsigned i = 0; i < json_array_size(list) && chance(m, 97); i++) {
        put(json_array_get(list, i), "name", text(m, "d%u", number * 4 + i));
    }
}

static void make_device_pool(struct maker *m, const char *pool, json_t *node)
{
    const char *driver = word(m, DRIVERS);
    bool counted = has(m, COUNTERS);
    int slices = chance(m, 70) ? 1 : 2, generation = chance(m, 80) ? 1 : 2;
    int count = slices + counted + (chance(m, 95) ? 0 : 1);
    for (int i = 0; i < slices; i++) {
        json_t *one = slice(m, driver, pool, generation, count), *list = devices(m, counted);
        if (i > 0) {
            rename_devices(m, list, (unsigned)i);
        }
        json_object_set_new(json_object_get(one, "spec"), "devices", list);
        add_reach(m, one, node);
        json_array_append(m->slices, one);
    }
    if (counted) {
        json_t *one = slice(m, driver, pool, generation, count);
        json_object_set_new(json_object_get(one, "spec"), "sharedCounters", counter_sets(m));
        add_reach(m, one, node);
    }
    if (chance(m, 10)) {
        json_t *old = slice(m, driver, pool, generation - 1, count);
        json_object_set_new(json_object_get(old, "spec"), "devices", devices(m, false));
        add_reach(m, old, node);
    }
}

void make_devices(struct maker *m)
{
    for (size_t i = 0; i < json_array_size(m->types) && i < 40; i++) {
        if (has(m, TYPE_DEVICES)) {
            add_to_type(m, json_array_get(m->types, i));
        }
    }
    for (unsigned i = 0; i < 3 && m->percent[CLUSTER_DEVICES] > 0; i++) {
        if (has(m, CLUSTER_DEVICES)) {
            make_device_pool(m, text(m, "pool-%u", i), NULL);
        }
    }
    for (size_t i = 0; i < json_array_size(m->nodes); i++) {
        if (has(m, CLUSTER_DEVICES)) {
            json_t *node = json_array_get(m->nodes, i);
            make_device_pool(m, json_string_value(json_object_get(json_object_get(node, "metadata"), "name")), node);
        }
    }
}
