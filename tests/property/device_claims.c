/* SPDX-License-Identifier: Apache-2.0 */
/* Classes and claims of devices, and the pods that have them. */
#include <string.h>

#include "maker.h"

#define OF_GPU "device.attributes[\"gpu.example.com\"]"
#define MEMORY "device.capacity[\"gpu.example.com\"].memory"

/* ------------------------------------------------------------------------------------------------ selectors */

/** Some fail for devices that lack what is asked; those of the second half never do. */
static const char *selector(struct maker *m, bool safe)
{
    static const char *const texts[] = {
        OF_GPU ".model == \"m1\"",
        OF_GPU ".cores >= 2",
        OF_GPU ".cores < 4 || device.driver == \"nic.example.com\"",
        OF_GPU ".model != 'm2' && " OF_GPU ".cores in [1, 2]",
        MEMORY ".compareTo(quantity(\"8Gi\")) >= 0",
        MEMORY ".isGreaterThan(quantity(\"5Gi\")) || " OF_GPU ".fast",
        OF_GPU ".firmware.compareTo(semver(\"1.2.0\")) >= 0",
        "!(" OF_GPU ".fast)",
        "has(" OF_GPU ".model) && " OF_GPU ".model == \"m1\"",
        "\"cores\" in " OF_GPU " && " OF_GPU ".cores > 1",
        "has(" OF_GPU ".fast) && " OF_GPU ".fast",
        "!has(" OF_GPU ".model) || !(" OF_GPU ".model in [\"m2\", \"m3\"])",
        "device.driver == \"gpu.example.com\"",
        "device.allowMultipleAllocations == false || has(" MEMORY ")",
    };
    enum { ALL = sizeof texts / sizeof texts[0], UNSAFE = 8 };
    return texts[safe ? UNSAFE + below(m, ALL - UNSAFE) : below(m, ALL)];
}

static json_t *selectors(const char *text) { return json_pack("[{s:{s:s}}]", "cel", "expression", text); }

static void make_classes(struct maker *m)
{
    static const char *const names[] = { "gpu", "nic", "any", "chosen" };
    for (size_t i = 0; i < 4; i++) {
        json_t *class = object(m, "resource.k8s.io/v1", "DeviceClass", NULL, names[i]), *spec = json_object();
        const char *driver = i == 0 ? "gpu.example.com" : "nic.example.com";
        if (i < 2) {
            json_object_set_new(spec, "selectors", selectors(text(m, "device.driver == \"%s\"", driver)));
        } else if (i == 3) {
            json_object_set_new(spec, "selectors", selectors(selector(m, true)));
        }
        json_object_set_new(class, "spec", spec);
    }
}

/* ------------------------------------------------------------------------------------------------ claims */

static json_t *request(struct maker *m, unsigned most)
{
    bool all = has(m, ALL_MODE) && chance(m, 60);
    json_t *out = json_pack("{s:s, s:s}", "deviceClassName",
                            chance(m, 99) ? word(m, "gpu gpu gpu gpu any any any chosen nic") : "gone",
                            "allocationMode", all ? "All" : "ExactCount");
    if (!all) {
        json_object_set_new(out, "count", json_integer(1 + (chance(m, 40) ? below(m, most) : 0)));
    }
    if (chance(m, 35)) {
        json_object_set_new(out, "selectors", selectors(selector(m, chance(m, all ? 95 : 60))));
    }
    if (has(m, SHARED_DEVICES) && chance(m, 60)) {
        json_t *wanted = json_object();
        const char *name = chance(m, 95) ? "memory" : "lanes";
        put(wanted, name, word(m, "1Gi 1Gi 2Gi 2500Mi 3Gi 7Gi"));
        json_object_set_new(out, "capacity", json_pack("{s:o}", "requests", wanted));
    }
    return out;
}

static json_t *named_request(struct maker *m, const char *name, unsigned most)
{
    if (!has(m, FIRST_AVAILABLE)) {
        return json_pack("{s:s, s:o}", "name", name, "exactly", request(m, most));
    }
    json_t *list = json_array();
    for (unsigned i = 0; i < 2 + (chance(m, 25) ? 1U : 0U); i++) {
        json_t *sub = request(m, most);
        put(sub, "name", text(m, "s%u", i));
        json_array_append_new(list, sub);
    }
    return json_pack("{s:s, s:o}", "name", name, "firstAvailable", list);
}

static json_t *constraint(struct maker *m)
{
    if (chance(m, 3)) {
        return json_pack("{s:s}", "distinctAttribute", "example.com/numa");
    }
    json_t *out = json_pack("{s:s}", "matchAttribute",
                            word(m, "example.com/numa example.com/numa gpu.example.com/numa gpu.example.com/model"));
    if (chance(m, 35)) {
        json_object_set_new(out, "requests", some_words(m, "r0 r1 r0/s0 r0/s1", 2));
    }
    return out;
}

/** Of few devices: a search that fails tries them in every order. A claim of one device is called that. */
static json_t *make_device_claim(struct maker *m, const char *namespace, bool one)
{
    const char *name = text(m, one ? "one-%03d" : "claim-%03d", m->serial);
    json_t *claim = object(m, "resource.k8s.io/v1", "ResourceClaim", namespace, name), *requests = json_array();
    json_t *devices = json_pack("{s:o}", "requests", requests);
    unsigned count = one || chance(m, 70) ? 1 : 2;
    for (unsigned i = 0; i < count; i++) {
        json_array_append_new(requests, named_request(m, text(m, "r%u", i), one || count > 1 ? 1 : 3));
    }
    if (has(m, MATCH_ATTRIBUTE)) {
        json_object_set_new(devices, "constraints", json_pack("[o]", constraint(m)));
    }
    json_object_set_new(claim, "spec", json_pack("{s:o}", "devices", devices));
    json_array_append(m->claims, claim);
    return claim;
}

/* ------------------------------------------------------------------------------------------------ with devices */

static json_t *consumer(struct maker *m, json_t *pod)
{
    json_t *metadata = json_object_get(pod, "metadata");
    if (chance(m, 5)) {
        return json_pack("{s:s, s:s, s:s, s:s}", "apiGroup", "example.com", "resource", "jobs", "name", "job", "uid",
                         "uid-of-a-job");
    }
    return json_pack("{s:s, s:O, s:O}", "resource", "pods", "name", json_object_get(metadata, "name"), "uid",
                     json_object_get(metadata, "uid"));
}

static json_t *result(struct maker *m)
{
    json_t *spec = json_object_get(random_item(m, m->slices), "spec");
    json_t *device = random_item(m, json_object_get(spec, "devices"));
    json_t *out = json_pack("{s:s, s:O, s:O, s:O}", "request", "r0", "driver", json_object_get(spec, "driver"), "pool",
                            json_object_get(json_object_get(spec, "pool"), "name"), "device",
                            json_object_get(device, "name"));
    if (json_object_get(device, "allowMultipleAllocations") != NULL) {
        json_object_set_new(out, "consumedCapacity", json_pack("{s:s}", "memory", word(m, "1Gi 2Gi 4Gi")));
    }
    return out;
}

/** The claim has had its devices for a while; @p pod uses it, unless nobody does. */
static void allocate(struct maker *m, json_t *claim, json_t *pod)
{
    json_t *results = json_array(), *status = json_object(), *allocation;
    if (json_array_size(m->slices) > 0) {
        for (unsigned i = 0; i == 0 || (i < 2 && chance(m, 25)); i++) {
            json_array_append_new(results, result(m));
        }
    }
    allocation = json_pack("{s:{s:o}}", "devices", "results", results);
    if (chance(m, 30)) {
        const char *all = values_of(m, ZONE);
        json_t *zones = some_words(m, all, 1 + below(m, 2));
        json_object_set_new(
            allocation, "nodeSelector",
            json_pack("{s:[{s:[o]}]}", "nodeSelectorTerms", "matchExpressions", entry(ZONE, "In", zones)));
    }
    json_object_set_new(status, "allocation", allocation);
    if (chance(m, 92)) {
        json_object_set_new(status, "reservedFor", json_pack("[o]", consumer(m, pod)));
    }
    json_object_set_new(claim, "status", status);
}

/* ------------------------------------------------------------------------------------------------ pods */

/** By name, or as if generated from a template: then what was made of it stands in the pod's status, mostly. */
static void use_claim(struct maker *m, json_t *pod, json_t *claim)
{
    json_t *spec = json_object_get(pod, "spec"), *list = json_object_get(spec, "resourceClaims"), *statuses;
    json_t *name = json_object_get(json_object_get(claim, "metadata"), "name");
    if (list == NULL) {
        list = json_array();
        json_object_set_new(spec, "resourceClaims", list);
    }
    const char *entry_name = text(m, "c%zu", json_array_size(list));
    if (!has(m, CLAIM_TEMPLATES)) {
        json_array_append_new(list, json_pack("{s:s, s:O}", "name", entry_name, "resourceClaimName", name));
        return;
    }
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", entry_name, "resourceClaimTemplateName", "template"));
    statuses = json_object_get(json_object_get(pod, "status"), "resourceClaimStatuses");
    if (statuses == NULL) {
        statuses = json_array();
        json_object_set_new(json_object_get(pod, "status"), "resourceClaimStatuses", statuses);
    }
    if (chance(m, 90)) {
        json_array_append_new(statuses, json_pack("{s:s, s:O}", "name", entry_name, "resourceClaimName", name));
    } else if (chance(m, 50)) {
        json_array_append_new(statuses, json_pack("{s:s}", "name", entry_name));
    }
}

/** A claim of the pod's namespace that some pod has already; NULL if there is none. @p one: of one device. */
static json_t *claim_of_another(struct maker *m, const json_t *namespace, bool one)
{
    json_t *claim = random_item(m, m->claims), *metadata = json_object_get(claim, "metadata");
    const char *name = json_string_value(json_object_get(metadata, "name"));
    bool fits = claim != NULL && (!one || *name == 'o');
    return fits && json_equal(json_object_get(metadata, "namespace"), namespace) ? claim : NULL;
}

static void add_claims(struct maker *m, json_t *pod)
{
    json_t *namespace = json_object_get(json_object_get(pod, "metadata"), "namespace");
    bool runs = json_object_get(json_object_get(pod, "spec"), "nodeName") != NULL;
    const json_t *first = NULL;
    json_object_del(json_object_get(pod, "spec"), "resourceClaims");
    for (unsigned i = 0; i == 0 || (i < 2 && chance(m, 30)); i++) {
        json_t *claim = has(m, SHARED_CLAIMS) ? claim_of_another(m, namespace, i > 0) : NULL;
        if (claim == NULL) {
            claim = make_device_claim(m, json_string_value(namespace), i > 0 || chance(m, 40));
            if (runs || (has(m, ALLOCATED_CLAIMS) && chance(m, 15))) {
                allocate(m, claim, pod);
            }
        } else if (runs && claim != first && json_object_get(claim, "status") != NULL) {
            json_t *reserved = json_object_get(json_object_get(claim, "status"), "reservedFor");
            json_array_append_new(reserved, consumer(m, pod));
        }
        use_claim(m, pod, claim); /* a pod may name a claim twice */
        first = claim;
    }
}

static void delete_node_of(struct maker *m, json_t *pod)
{
    json_t *name = json_object_get(json_object_get(pod, "spec"), "nodeName");
    for (size_t i = 0; i < json_array_size(m->objects); i++) {
        json_t *o = json_array_get(m->objects, i), *metadata = json_object_get(o, "metadata");
        if (strcmp(json_string_value(json_object_get(o, "kind")), "NodeClaim") == 0 &&
            json_equal(json_object_get(metadata, "name"), name)) {
            put(metadata, "deletionTimestamp", ago(m, 30));
        }
    }
}

/** Some pods that run, then some that wait: what runs was there before. */
static void give_to(struct maker *m, bool running, unsigned most)
{
    json_t *pods = json_array();
    for (size_t i = 0; i < json_array_size(m->objects); i++) {
        json_t *o = json_array_get(m->objects, i);
        if (strcmp(json_string_value(json_object_get(o, "kind")), "Pod") == 0 &&
            (json_object_get(json_object_get(o, "spec"), "nodeName") != NULL) == running) {
            json_array_append(pods, o);
        }
    }
    for (unsigned given = 0; given < most && json_array_size(pods) > 0; given++) {
        size_t at = below(m, (unsigned)json_array_size(pods));
        json_t *pod = json_array_get(pods, at);
        add_claims(m, pod);
        if (running && chance(m, 30)) {
            delete_node_of(m, pod);
        }
        json_array_remove(pods, at);
    }
    json_decref(pods);
}

void make_device_claims(struct maker *m)
{
    make_classes(m);
    if (m->percent[ALLOCATED_CLAIMS] > 0) {
        give_to(m, true, 1 + below(m, 4));
    }
    give_to(m, false, 5 + below(m, 6));
}
