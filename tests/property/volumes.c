/* SPDX-License-Identifier: Apache-2.0 */
/* Storage classes, claims and volumes. */
#include <string.h>

#include "maker.h"

static const char *zone_key(struct maker *m) { return chance(m, 25) ? DISK_ZONE : ZONE; }

static json_t *some_zones(struct maker *m)
{
    const char *zones = values_of(m, ZONE);
    return some_words(m, zones, 1 + below(m, 2));
}

static json_t *topology_term(struct maker *m)
{
    const char *key = zone_key(m);
    return json_pack("{s:[{s:s, s:o}]}", "matchLabelExpressions", "key", key, "values", some_zones(m));
}

static void make_class(struct maker *m, const char *name, const char *mode, unsigned terms)
{
    json_t *class = object(m, "storage.k8s.io/v1", "StorageClass", NULL, name);
    put(class, "provisioner", word(m, "disk.example.com disk.example.com kubernetes.io/aws-ebs"));
    put(class, "volumeBindingMode", mode);
    if (terms > 0) {
        json_t *list = json_array();
        for (unsigned i = 0; i < terms; i++) {
            json_array_append_new(list, topology_term(m));
        }
        json_object_set_new(class, "allowedTopologies", list);
    }
}

static json_t *claim(struct maker *m, const char *namespace, const char *name, const char *class, const char *volume)
{
    json_t *out = object(m, "v1", "PersistentVolumeClaim", namespace, name);
    json_t *spec = json_pack("{s:[s], s:{s:{s:s}}}", "accessModes", "ReadWriteOnce", "resources", "requests", "storage",
                             "1Gi");
    if (class != NULL) {
        put(spec, "storageClassName", class);
    }
    if (volume != NULL) {
        put(spec, "volumeName", volume);
        json_object_set_new(json_object_get(out, "metadata"), "annotations",
                            json_pack("{s:s}", "pv.kubernetes.io/bind-completed", "yes"));
    }
    json_object_set_new(out, "spec", spec);
    json_object_set_new(out, "status", json_pack("{s:s}", "phase", volume != NULL ? "Bound" : "Pending"));
    return out;
}

void make_storage(struct maker *m)
{
    static const char *const namespaces[] = { "ns-a", "ns-b", "ns-c" };
    make_class(m, "now", "Immediate", 0);
    make_class(m, "later", "WaitForFirstConsumer", 0);
    make_class(m, "zonal", "WaitForFirstConsumer", 1 + below(m, 3));
    for (size_t i = 0; i < 3; i++) {
        claim(m, namespaces[i], text(m, "shared-%s", namespaces[i]), "zonal", NULL);
    }
}

static unsigned count_terms(struct maker *m)
{
    unsigned count = below(m, 3);
    return count + !chance(m, 10);
}

static void make_volume(struct maker *m, const char *name)
{
    json_t *volume = object(m, "v1", "PersistentVolume", NULL, name), *terms = json_array();
    json_t *spec = json_pack("{s:{s:s}, s:[s]}", "capacity", "storage", "1Gi", "accessModes", "ReadWriteOnce");
    bool local = has(m, LOCAL_VOLUMES);
    for (unsigned i = 0; i < count_terms(m); i++) {
        json_t *list = json_array();
        if (local) {
            json_array_append_new(list, entry(HOSTNAME, "In", json_pack("[s]", text(m, "node-%02u", below(m, 4)))));
        }
        if (!local || chance(m, 50)) {
            const char *key = zone_key(m);
            json_array_append_new(list, entry(key, "In", some_zones(m)));
        }
        json_array_append_new(terms, json_pack("{s:o}", "matchExpressions", list));
    }
    if (local) {
        json_object_set_new(spec, "local", json_pack("{s:s}", "path", "/data"));
    } else if (chance(m, 65)) {
        json_object_set_new(spec, "csi", json_pack("{s:s, s:s}", "driver", "disk.example.com", "volumeHandle", name));
    } else {
        json_object_set_new(spec, "awsElasticBlockStore", json_pack("{s:s}", "volumeID", name));
    }
    if (json_array_size(terms) > 0) {
        json_object_set_new(spec, "nodeAffinity", json_pack("{s:{s:O}}", "required", "nodeSelectorTerms", terms));
    }
    json_decref(terms);
    json_object_set_new(volume, "spec", spec);
    json_object_set_new(volume, "status", json_pack("{s:s}", "phase", "Bound"));
}

/** What makes a pod invalid, or one whose volumes are not found. */
static void make_broken_claim(struct maker *m, const char *namespace, const char *name)
{
    json_t *out;
    switch (below(m, 5)) {
    case 0: /* no claim at all */ return;
    case 1: claim(m, namespace, name, "now", NULL); return;
    case 2: claim(m, namespace, name, chance(m, 50) ? "nowhere" : NULL, NULL); return;
    case 3:
        out = claim(m, namespace, name, "later", NULL);
        put(json_object_get(out, "status"), "phase", "Lost");
        return;
    default:
        out = claim(m, namespace, name, "later", NULL);
        put(json_object_get(out, "metadata"), "deletionTimestamp", ago(m, 100));
    }
}

void add_volumes(struct maker *m, json_t *pod, const char *kind, bool bound)
{
    const char *namespace = json_string_value(json_object_get(json_object_get(pod, "metadata"), "namespace"));
    const char *pod_name = json_string_value(json_object_get(json_object_get(pod, "metadata"), "name"));
    json_t *volumes = json_pack("[{s:s, s:{}}]", "name", "scratch", "emptyDir");
    for (unsigned i = 0; i < (has(m, TWO_VOLUMES) ? 2U : 1U); i++) {
        bool ephemeral = chance(m, 10), shared = !ephemeral && chance(m, 15);
        const char *volume = text(m, "v%u", i);
        const char *name = shared ? text(m, "shared-%s", namespace) : text(m, "%s-%s", pod_name, volume);
        json_array_append_new(
            volumes, ephemeral
                         ? json_pack("{s:s, s:{s:{}}}", "name", volume, "ephemeral", "volumeClaimTemplate")
                         : json_pack("{s:s, s:{s:s}}", "name", volume, "persistentVolumeClaim", "claimName", name));
        if (shared) {
            continue; /* made once per namespace with the namespaces */
        }
        if (bound && has(m, GONE_CLAIMS)) {
            continue; /* deleted while the pod runs */
        }
        if (strcmp(kind, "broken") == 0 && !bound) {
            make_broken_claim(m, namespace, name);
        } else if (bound || strcmp(kind, "bound") == 0) {
            const char *volume_name = text(m, "pv-%s-%s", namespace, name);
            make_volume(m, volume_name);
            claim(m, namespace, name, word(m, "now later zonal"), volume_name);
        } else {
            claim(m, namespace, name, word(m, "later zonal zonal"), NULL);
        }
    }
    json_object_set_new(json_object_get(pod, "spec"), "volumes", volumes);
}
