/* SPDX-License-Identifier: Apache-2.0 */
/* Instance types: a ladder of sizes, and odd ones. */
#include <string.h>

#include "maker.h"

static json_t *memory(struct maker *m, unsigned cpu)
{
    unsigned each = 1U << below(m, 4);
    return json_string(text(m, "%uGi", cpu * each * (has(m, COARSE) ? 4 : 1)));
}

static json_t *capacity(struct maker *m, unsigned cpu)
{
    json_t *out = json_object();
    put(out, "cpu", has(m, ODD_TYPES) && chance(m, 30) ? word(m, "500m 3500m 0.25 1e1") : text(m, "%u", cpu));
    json_object_set_new(out, "memory", memory(m, cpu));
    if (!has(m, ODD_TYPES) || chance(m, 80)) {
        put(out, "pods", word(m, "110 110 20 8 5 3"));
    }
    if (has(m, ODD_TYPES) && chance(m, 20)) {
        put(out, "pods", word(m, "1 2 0"));
    }
    put(out, "ephemeral-storage", word(m, "50Gi 20G"));
    if (has(m, EXTENDED)) {
        put(out, "example.com/gpu", word(m, "1 2 4"));
    }
    if (has(m, HUGEPAGES)) {
        put_some(m, out, "hugepages-2Mi hugepages-1Gi", "512Mi 1Gi 2Gi");
    }
    return out;
}

static json_t *overhead(struct maker *m)
{
    json_t *out = json_object();
    if (chance(m, 70)) {
        json_t *kube = json_object();
        put(kube, "cpu", amount(m, "100m 80m 250m", "1 0"));
        put(kube, "memory", amount(m, "200Mi 255Mi 1Gi", "4Gi 0"));
        json_object_set_new(out, "kubeReserved", kube);
    }
    if (chance(m, 30)) {
        json_object_set_new(out, "systemReserved", json_pack("{s:s}", "memory", amount(m, "100Mi 50M", "4Gi")));
    }
    if (chance(m, 50)) {
        json_object_set_new(out, "evictionThreshold", json_pack("{s:s}", "memory", amount(m, "100Mi", "4Gi 0")));
    }
    if (has(m, ODD_TYPES) && chance(m, 10)) {
        json_object_set_new(out, "kubeReserved", json_pack("{s:s}", "cpu", "5"));
    }
    return out;
}

static void add_overrides(struct maker *m, json_t *offering)
{
    if (chance(m, 60)) {
        json_object_set_new(offering, "capacityOverride",
                            chance(m, 60)
                                ? json_pack("{s:s}", "cpu", word(m, "1 2 4 32"))
                                : json_pack("{s:s, s:s}", "memory", word(m, "2Gi 64Gi"), "example.com/gpu", "1"));
    }
    if (chance(m, 40)) {
        json_t *kube = json_object();
        put(kube, "cpu", word(m, "100m 3"));
        put(kube, "memory", word(m, "100Mi 4Gi"));
        json_object_set_new(offering, "overheadOverride", json_pack("{s:o}", "kubeReserved", kube));
    }
}

static json_t *offering(struct maker *m, const char *zone, const char *capacity_type, unsigned cents, bool with_ids)
{
    const char *id = strcmp(capacity_type, "reserved") == 0 ? word(m, "res-1 res-2 res-3") : NULL;
    json_t *requirements = json_pack("[o, o]", entry(CAPACITY_TYPE, "In", json_pack("[s]", capacity_type)),
                                     entry(ZONE, "In", json_pack("[s]", zone)));
    unsigned slots = below(m, 4);
    json_t *out = json_pack("{s:o, s:f, s:b}", "requirements", requirements, "price",
                            (double)cents / 100.0 / (id != NULL ? 1000.0 : 1.0), "available",
                            id != NULL ? slots > 0 || chance(m, 30) : !has(m, UNAVAILABLE));
    if (id != NULL) {
        json_array_append_new(requirements, entry(RESERVATION, "In", json_pack("[s]", id)));
        json_object_set_new(out, "reservationCapacity", json_integer(slots));
    } else if (with_ids) {
        json_array_append_new(requirements, entry(RESERVATION, "DoesNotExist", NULL));
    }
    if (has(m, OVERRIDES)) {
        add_overrides(m, out);
    }
    return out;
}

static json_t *offerings(struct maker *m, unsigned cpu, bool with_ids)
{
    static const char *const zones[] = { "z1", "z2", "z3", "z4", "z5" };
    json_t *out = json_array();
    unsigned skip = chance(m, 30) ? 40 : 5, cents = 5 * cpu + below(m, 3);
    for (int z = 0; z < m->zones; z++) {
        if (!chance(m, skip)) {
            json_array_append_new(out, offering(m, zones[z], "on-demand", cents, with_ids));
        }
        if (!chance(m, skip)) {
            json_array_append_new(out, offering(m, zones[z], "spot", cents / 2 + below(m, 2), with_ids));
        }
        if (with_ids && chance(m, 30)) {
            json_array_append_new(out, offering(m, zones[z], "reserved", cents, with_ids));
        }
    }
    return out;
}

/** The values that the offerings have of a key, as a requirement; DoesNotExist if none. */
static json_t *offered(const json_t *offers, const char *key)
{
    json_t *values = json_array(), *seen = json_object();
    for (size_t i = 0; i < json_array_size(offers); i++) {
        json_t *requirements = json_object_get(json_array_get(offers, i), "requirements");
        for (size_t j = 0; j < json_array_size(requirements); j++) {
            json_t *r = json_array_get(requirements, j);
            json_t *value = json_array_get(json_object_get(r, "values"), 0);
            if (strcmp(json_string_value(json_object_get(r, "key")), key) == 0 && value != NULL &&
                json_object_get(seen, json_string_value(value)) == NULL) {
                json_object_set_new(seen, json_string_value(value), json_true());
                json_array_append(values, value);
            }
        }
    }
    json_decref(seen);
    if (json_array_size(values) == 0) {
        json_decref(values);
        return entry(key, "DoesNotExist", NULL);
    }
    return entry(key, "In", values);
}

static json_t *requirements(struct maker *m, const char *name, unsigned cpu, const json_t *offers, bool with_ids)
{
    json_t *out = json_pack("[o, o, o]", entry(TYPE, "In", json_pack("[s]", name)), offered(offers, ZONE),
                            offered(offers, CAPACITY_TYPE));
    bool odd = has(m, ODD_TYPES);
    if (with_ids) {
        json_array_append_new(out, offered(offers, RESERVATION));
    }
    json_array_append_new(
        out, entry(ARCH, "In",
                   has(m, MULTI_ARCH) ? some_words(m, "amd64 arm64", 1 + below(m, 2)) : json_pack("[s]", "amd64")));
    json_array_append_new(out, entry(SYSTEM, "In", json_pack("[s]", "linux")));
    json_array_append_new(out, entry("integer", "In", json_pack("[s]", text(m, "%u", cpu))));
    json_array_append_new(out, entry("size", "In", json_pack("[s]", cpu >= 8 ? "large" : "small")));
    if (chance(m, 80)) {
        json_array_append_new(out, entry("family", "In", json_pack("[s]", word(m, "fa fb fc"))));
    }
    json_array_append_new(out, chance(m, 25) ? entry("accel", "In", json_pack("[s]", "gpu"))
                                             : entry("accel", "DoesNotExist", NULL));
    if (odd && chance(m, 30)) {
        json_array_append_new(out, chance(m, 50) ? entry("rack", "NotIn", json_pack("[s]", word(m, "r1 r9")))
                                                 : entry("rack", "Exists", NULL));
    }
    return out;
}

static json_t *instance_type(struct maker *m, const char *name, bool with_ids)
{
    unsigned cpu = 1U << below(m, chance(m, 30) ? 2 : 5);
    json_t *out = json_pack("{s:s}", "name", name), *offers = offerings(m, cpu, with_ids);
    json_object_set_new(out, "requirements", requirements(m, name, cpu, offers, with_ids));
    json_object_set_new(out, "capacity", capacity(m, cpu));
    json_object_set_new(out, "overhead", overhead(m));
    json_object_set_new(out, "offerings", offers);
    return out;
}

void make_catalogues(struct maker *m)
{
    bool with_ids = has(m, RESERVATIONS);
    unsigned count = has(m, POOL_CATALOGUES) ? 1 + below(m, 3) : 1;
    for (unsigned c = 0; c < count; c++) {
        json_t *types = json_array(), *catalogue = json_pack("{s:o}", "instanceTypes", types);
        unsigned all = has(m, MANY_TYPES) ? (chance(m, 2) ? 640 : 12 + below(m, 30))
                       : chance(m, 15)    ? 1 + below(m, 2)
                                          : 3 + below(m, 6);
        for (unsigned i = 0; i < all && (!m->small || i < 8); i++) {
            json_t *type = instance_type(m, text(m, "t%u%c%u", i, 'a' + (int)c, below(m, 10)), with_ids);
            json_array_append_new(types, type);
            json_array_append(m->types, type);
        }
        if (c > 0) {
            json_object_set_new(catalogue, "nodePools", some_words(m, "pool-a pool-b pool-c pool-d", 1 + below(m, 2)));
        } else if (chance(m, 15)) {
            json_object_set_new(catalogue, "nodePools", some_words(m, "pool-a pool-b pool-c pool-d", 3));
        }
        json_array_append_new(m->catalogues, catalogue);
    }
}
