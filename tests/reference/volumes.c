/* SPDX-License-Identifier: Apache-2.0 */
/* What a pod's volumes ask of a node (scheduling.md 13). */
#include <string.h>

#include "memory.h"
#include "world.h"

static const json_t *claim_of(const struct world *world, const struct pod *pod, size_t volume)
{
    return ref_named(world, "PersistentVolumeClaim", pod->volumes[volume].claim, pod->namespace);
}

static const char *volume_name(const json_t *claim) { return ref_text(ref_at(claim, "spec"), "volumeName"); }

static const json_t *class_of(const struct world *world, const json_t *claim)
{
    const char *name = ref_text(ref_at(claim, "spec"), "storageClassName");
    return *name != '\0' ? ref_named(world, "StorageClass", name, NULL) : NULL;
}

static bool is_terminating(const json_t *object)
{
    return *ref_text(ref_at(object, "metadata"), "deletionTimestamp") != '\0';
}

/* ------------------------------------------------------------------------------------------------ validity (13.1) */

static const char *claim_problem(const struct world *world, const json_t *claim)
{
    if (claim == NULL) {
        return "a claim is missing";
    }
    if (is_terminating(claim) || strcmp(ref_text(ref_at(claim, "status"), "phase"), "Lost") == 0) {
        return "a claim is terminating or lost";
    }
    if (*volume_name(claim) != '\0') {
        const json_t *volume = ref_named(world, "PersistentVolume", volume_name(claim), NULL);
        const json_t *annotations = ref_at(ref_at(claim, "metadata"), "annotations");
        if (volume == NULL || is_terminating(volume)) {
            return "the volume of a claim is missing or terminating";
        }
        return ref_at(annotations, "pv.kubernetes.io/bind-completed") == NULL ? "a claim is not bound yet" : NULL;
    }
    const json_t *class = class_of(world, claim);
    if (class == NULL) {
        return "a claim has no storage class";
    }
    return strcmp(ref_text(class, "volumeBindingMode"), "Immediate") == 0 ? "a claim is to be bound at once" : NULL;
}

const char *ref_invalid_volumes(const struct world *world, const struct pod *pod)
{
    const char *problem = NULL;
    for (size_t i = 0; i < pod->volume_count && problem == NULL; i++) {
        problem = claim_problem(world, claim_of(world, pod, i));
    }
    return problem;
}

/* ------------------------------------------------------------------------------------------------ alternatives (13.2)
 */

static void push(struct alternatives *list, struct requirements r)
{
    list->items = ref_push(list->items, list->count, sizeof list->items[0]);
    list->items[list->count++] = r;
}

static struct alternatives of_bound(const json_t *volume)
{
    const json_t *spec = ref_at(volume, "spec");
    const json_t *required = ref_at(ref_at(spec, "nodeAffinity"), "required");
    bool local = ref_at(spec, "local") != NULL || ref_at(spec, "hostPath") != NULL;
    struct alternatives out = { NULL, 0 };
    for (size_t i = 0; i < ref_length(required, "nodeSelectorTerms"); i++) {
        struct expressions all = ref_expressions_read(
            ref_at(ref_item(required, "nodeSelectorTerms", i), "matchExpressions"));
        struct expressions kept = { ref_alloc((all.count + 1) * sizeof *kept.items), 0 };
        for (size_t j = 0; j < all.count; j++) {
            if (!local || strcmp(all.items[j].key, HOSTNAME) != 0) {
                kept.items[kept.count++] = all.items[j];
            }
        }
        if (all.count > 0) {
            push(&out, ref_requirements(kept));
        }
    }
    return out;
}

static struct alternatives of_class(const json_t *class)
{
    struct alternatives out = { NULL, 0 };
    for (size_t i = 0; i < ref_length(class, "allowedTopologies"); i++) {
        const json_t *term = ref_item(class, "allowedTopologies", i);
        struct expressions list = ref_expressions_read(ref_at(term, "matchLabelExpressions"));
        for (size_t j = 0; j < list.count; j++) {
            list.items[j].op = "In";
        }
        if (list.count > 0) { /* an empty term says nothing */
            push(&out, ref_requirements(list));
        }
    }
    return out;
}

/** Every earlier product with every new part. Those in conflict are left out, unless all are. */
static struct alternatives products(struct alternatives done, struct alternatives parts)
{
    struct alternatives all = { NULL, 0 }, sound = { NULL, 0 };
    for (size_t i = 0; i < done.count; i++) {
        for (size_t j = 0; j < parts.count; j++) {
            struct requirements both = ref_union(done.items[i], parts.items[j]);
            push(&all, both);
            if (ref_intersects(done.items[i], parts.items[j])) {
                push(&sound, both);
            }
        }
    }
    return sound.count > 0 ? sound : all;
}

bool ref_volume_alternatives(const struct world *world, const struct pod *pod, struct alternatives *out)
{
    struct alternatives all = { NULL, 0 };
    push(&all, (struct requirements){ NULL, 0 });
    *out = all;
    for (size_t i = 0; i < pod->volume_count; i++) {
        const json_t *claim = claim_of(world, pod, i);
        struct alternatives parts = { NULL, 0 };
        if (claim == NULL) {
            return false;
        }
        if (*volume_name(claim) != '\0') {
            const json_t *volume = ref_named(world, "PersistentVolume", volume_name(claim), NULL);
            if (volume == NULL) {
                return false;
            }
            parts = of_bound(volume);
        } else if (*ref_text(ref_at(claim, "spec"), "storageClassName") != '\0') {
            if (class_of(world, claim) == NULL) {
                return false;
            }
            parts = of_class(class_of(world, claim));
        }
        if (parts.count > 0) {
            all = products(all, parts);
        }
    }
    *out = all;
    return true;
}

/* ------------------------------------------------------------------------------------------------ drivers (13.4) */

static const char *translated(const char *provisioner)
{
    static const char *const table[][2] = {
        { "kubernetes.io/aws-ebs", "ebs.csi.aws.com" },
        { "kubernetes.io/gce-pd", "pd.csi.storage.gke.io" },
        { "kubernetes.io/azure-disk", "disk.csi.azure.com" },
        { "kubernetes.io/azure-file", "file.csi.azure.com" },
        { "kubernetes.io/cinder", "cinder.csi.openstack.org" },
        { "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com" },
        { "kubernetes.io/portworx-volume", "pxd.portworx.com" },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(provisioner, table[i][0]) == 0) {
            return table[i][1];
        }
    }
    return provisioner;
}

bool ref_attachments(const struct world *world, const struct pod *pod, struct attachments *out)
{
    *out = (struct attachments){ NULL, 0 };
    for (size_t i = 0; i < pod->volume_count; i++) {
        const json_t *claim = claim_of(world, pod, i);
        const char *driver = "";
        if (claim == NULL) {
            continue;
        }
        if (*volume_name(claim) != '\0') {
            const json_t *volume = ref_named(world, "PersistentVolume", volume_name(claim), NULL);
            if (volume == NULL) {
                return false;
            }
            const json_t *spec = ref_at(volume, "spec");
            driver = ref_at(spec, "csi") != NULL                    ? ref_text(ref_at(spec, "csi"), "driver")
                     : ref_at(spec, "awsElasticBlockStore") != NULL ? "ebs.csi.aws.com"
                                                                    : "";
        } else {
            driver = translated(ref_text(class_of(world, claim), "provisioner"));
        }
        if (*driver != '\0') {
            out->items = ref_push(out->items, out->count, sizeof out->items[0]);
            out->items[out->count++] = (struct attachment){ driver, ref_format("%s/%s", pod->namespace,
                                                                               pod->volumes[i].claim) };
        }
    }
    return true;
}
