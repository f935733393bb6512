/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/gcp/types.h>

#include <stdio.h>

#include <karp/values.h>
#include <providers/cloud/go_hash.h>

const gcp_class gcp_plain_class = { .max_pods = -1,
                                    .memory_available = { { "", 0 }, -1 },
                                    .disk_available = { { "", 0 }, -1 } };

/* ---- the hash ---------------------------------------------------------------------------------------------------- */

/* The structs of the provider's GCENodeClass v1alpha1, as hash v4 walks them. */
static const go_field disk_fields[] = {
    { "SizeGiB", "sizeGiB", GO_INT32, GO_PLAIN, NULL },
    { "Category", "category", GO_TEXT, GO_PLAIN, NULL },
    { "Boot", "boot", GO_BOOL, GO_PLAIN, NULL },
    { "SecondaryBootImage", "secondaryBootImage", GO_TEXT, GO_PLAIN, NULL },
    { "SecondaryBootMode", "secondaryBootMode", GO_TEXT, GO_PLAIN, NULL },
    { "KMSKeyName", "kmsKeyName", GO_TEXT, GO_PLAIN, NULL },
    { "KMSKeyServiceAccount", "kmsKeyServiceAccount", GO_TEXT, GO_PLAIN, NULL },
    { "ProvisionedIOPS", "provisionedIOPS", GO_INT64, GO_POINTER, NULL },
    { "ProvisionedThroughput", "provisionedThroughput", GO_INT64, GO_POINTER, NULL },
};
static const go_struct disk_type = GO_STRUCT("Disk", disk_fields);

static const go_field kubelet_fields[] = {
    { "ClusterDNS", "clusterDNS", GO_TEXT, GO_LIST, NULL },
    { "MaxPods", "maxPods", GO_INT32, GO_POINTER, NULL },
    { "PodsPerCore", "podsPerCore", GO_INT32, GO_POINTER, NULL },
    { "SystemReserved", "systemReserved", GO_TEXT, GO_MAP, NULL },
    { "KubeReserved", "kubeReserved", GO_TEXT, GO_MAP, NULL },
    { "EvictionHard", "evictionHard", GO_TEXT, GO_MAP, NULL },
    { "EvictionSoft", "evictionSoft", GO_TEXT, GO_MAP, NULL },
    { "EvictionSoftGracePeriod", "evictionSoftGracePeriod", GO_DURATION, GO_MAP, NULL },
    { "EvictionMaxPodGracePeriod", "evictionMaxPodGracePeriod", GO_INT32, GO_POINTER, NULL },
    { "ImageGCHighThresholdPercent", "imageGCHighThresholdPercent", GO_INT32, GO_POINTER, NULL },
    { "ImageGCLowThresholdPercent", "imageGCLowThresholdPercent", GO_INT32, GO_POINTER, NULL },
    { "CPUCFSQuota", "cpuCFSQuota", GO_BOOL, GO_POINTER, NULL },
};
static const go_struct kubelet_type = GO_STRUCT("KubeletConfiguration", kubelet_fields);

static const go_field shielded_fields[] = {
    { "EnableSecureBoot", "enableSecureBoot", GO_BOOL, GO_POINTER, NULL },
    { "EnableVtpm", "enableVtpm", GO_BOOL, GO_POINTER, NULL },
    { "EnableIntegrityMonitoring", "enableIntegrityMonitoring", GO_BOOL, GO_POINTER, NULL },
};
static const go_struct shielded_type = GO_STRUCT("ShieldedInstanceConfig", shielded_fields);

static const go_field interface_fields[] = {
    { "Network", "network", GO_TEXT, GO_PLAIN, NULL },
    { "Subnetwork", "subnetwork", GO_TEXT, GO_PLAIN, NULL },
};
static const go_struct interface_type = GO_STRUCT("AdditionalNetworkInterface", interface_fields);

static const go_field network_fields[] = {
    { "EnablePrivateNodes", "enablePrivateNodes", GO_BOOL, GO_POINTER, NULL },
    { "Subnetwork", "subnetwork", GO_TEXT, GO_PLAIN, NULL },
    { "AdditionalNetworkInterfaces", "additionalNetworkInterfaces", GO_STRUCT, GO_LIST, &interface_type },
};
static const go_struct network_type = GO_STRUCT("NetworkConfig", network_fields);

/* Without imageSelectorTerms, which are not hashed. */
static const go_field spec_fields[] = {
    { "ServiceAccount", "serviceAccount", GO_TEXT, GO_PLAIN, NULL },
    { "Disks", "disks", GO_STRUCT, GO_LIST, &disk_type },
    { "ImageFamily", "imageFamily", GO_TEXT, GO_POINTER, NULL },
    { "SubnetRangeName", "subnetRangeName", GO_TEXT, GO_POINTER, NULL },
    { "KubeletConfiguration", "kubeletConfiguration", GO_STRUCT, GO_POINTER, &kubelet_type },
    { "Labels", "labels", GO_TEXT, GO_MAP, NULL },
    { "Metadata", "metadata", GO_TEXT, GO_MAP, NULL },
    { "NetworkTags", "networkTags", GO_TEXT, GO_LIST, NULL },
    { "ShieldedInstanceConfig", "shieldedInstanceConfig", GO_STRUCT, GO_POINTER, &shielded_type },
    { "ConfidentialInstanceType", "confidentialInstanceType", GO_TEXT, GO_POINTER, NULL },
    { "NetworkConfig", "networkConfig", GO_STRUCT, GO_POINTER, &network_type },
    { "AutoGPUTaint", "autoGPUTaint", GO_BOOL, GO_PLAIN, NULL },
    { "GPUDriverVersion", "gpuDriverVersion", GO_TEXT, GO_PLAIN, NULL },
};
static const go_struct spec_type = GO_STRUCT("GCENodeClassSpec", spec_fields);

/* The hash of a set of two: the spec, and the resulting image family. */
static uint64_t class_hash(const tree *spec, karp_str image_family)
{
    return go_hash_struct(&spec_type, spec) ^ go_hash_text(image_family);
}

/* ---- the spec ---------------------------------------------------------------------------------------------------- */

/* ---- disks ------------------------------------------------------------------------------------------------------- */

static const char categories[] =
    "hyperdisk-balanced hyperdisk-balanced-high-availability hyperdisk-extreme hyperdisk-ml "
    "hyperdisk-throughput local-ssd pd-balanced pd-extreme pd-ssd pd-standard";

static void read_disks(decoder *d, const tree *spec, gcp_class *out)
{
    const tree *disks;
    size_t count = decode_list(d, spec, "disks", &disks);
    if (count > 10) decode_bad(d, "disks", "must have at most 10 entries");
    out->has_disks = count > 0;
    for (size_t i = 0; i < count; i++) {
        const tree *entry = tree_item(disks, i);
        decode_at_element(d, "spec.disks", i);
        int64_t size = decode_count(d, entry, "sizeGiB");
        karp_str category = decode_word(d, entry, "category", categories);
        bool stated = tree_get(entry, "sizeGiB") != NULL; /* a disk of an image may be as large as that is */
        if (stated && size < 10) decode_bad(d, "sizeGiB", "must be a whole number of at least 10");
        if (decode_flag(d, entry, "boot")) {
            if (stated) out->boot_gib = size; /* the last one is used */
        } else if (str_is(category, "local-ssd")) {
            out->ssd_gib += size;
            out->ssds++;
        }
    }
    decode_at(d, "spec");
}

/* ---- images ------------------------------------------------------------------------------------------------------ */

static bool is_image_family(karp_str name) { return str_is(name, "Ubuntu") || str_is(name, "ContainerOptimizedOS"); }

/* The family in an alias such as "Ubuntu@latest"; "" = no alias. */
static karp_str family_of_alias(decoder *d, const tree *term)
{
    karp_str rest = decode_text(d, term, "alias");
    if (rest.len == 0) return rest;
    karp_str family = str_until(&rest, '@');
    if (!is_image_family(family) || rest.len == 0)
        decode_bad(d, "alias", "must be Ubuntu@VERSION or ContainerOptimizedOS@VERSION");
    return family;
}

/* The image family of a term with `family`. */
static karp_str family_of_term(decoder *d, const tree *term)
{
    karp_str family = decode_word(d, term, "family", "ContainerOptimizedOS Ubuntu2404 Ubuntu2204");
    karp_str channel = decode_word(d, term, "channel", "rapid regular stable extended cluster"),
             version = decode_text(d, term, "version");
    if (family.len == 0) {
        if (channel.len + version.len > 0) decode_bad(d, "family", "must be there with a channel or a version");
        return family;
    }
    bool ubuntu = !str_is(family, "ContainerOptimizedOS");
    if ((channel.len > 0) == (version.len > 0))
        decode_bad(d, "family", "must have either a channel or a version beside it");
    if (ubuntu && channel.len > 0) decode_bad(d, "channel", "is only for ContainerOptimizedOS");
    return ubuntu ? str("Ubuntu") : family;
}

/* The resolved family: the stated one; otherwise the first alias's; otherwise that of the first term with a family;
 * otherwise Custom. */
static karp_str read_images(decoder *d, const tree *spec)
{
    const tree *terms;
    karp_str stated = decode_text(d, spec, "imageFamily"), alias = str(""), term = str("");
    size_t count = decode_list(d, spec, "imageSelectorTerms", &terms);
    if (stated.len > 0 && !is_image_family(stated))
        decode_bad(d, "imageFamily", "must be one of Ubuntu, ContainerOptimizedOS");
    if (count > 30) decode_bad(d, "imageSelectorTerms", "must have at most 30 entries");
    for (size_t i = 0; i < count; i++) {
        const tree *entry = tree_item(terms, i);
        decode_at_element(d, "spec.imageSelectorTerms", i);
        karp_str of_alias = family_of_alias(d, entry), of_term = family_of_term(d, entry);
        bool id = decode_text(d, entry, "id").len > 0;
        if ((of_alias.len > 0) + (of_term.len > 0) + id != 1)
            decode_bad(d, "", "must have exactly one of alias, id and family");
        if (alias.len == 0) alias = of_alias;
        if (term.len == 0) term = of_term;
    }
    decode_at(d, "spec");
    return stated.len > 0 ? stated : alias.len > 0 ? alias : term.len > 0 ? term : str("Custom");
}

/* ---- kubelet ----------------------------------------------------------------------------------------------------- */

static const char kubelet_part[] = "spec.kubeletConfiguration";

static bool reservable(karp_str name) { return str_in_list(name, "cpu memory ephemeral-storage pid"); }

/* Reads amounts by name; each must be a quantity that is not negative. */
static void read_reserved(decoder *d, const tree *kubelet, const char *name, gcp_reserved *out)
{
    const tree *map = decode_object(d, kubelet, name);
    char part[96];
    (void)snprintf(part, sizeof part, "%s.%s", kubelet_part, name);
    decode_at(d, part);
    for (size_t i = 0; i < members_of(map) && !d->status; i++) {
        const tree_member *m = tree_member_at(map, i);
        karp_str key = tree_member_name(m), value = tree_text(m->value);
        int32_t order = 0;
        char field[64];
        (void)snprintf(field, sizeof field, "%.*s", str_shown(key, 60), key.ptr);
        if (!reservable(key)) {
            decode_bad(d, field, "must be cpu, memory, ephemeral-storage or pid");
        } else if (value.len == 0 || karp_quantity_compare(value, str("0"), &order) != KARP_OK || order < 0) {
            decode_bad(d, field, "must be a quantity in text that is not negative");
        } else if (out->count < GCP_RESERVED_MOST) {
            out->list[out->count++] = (karp_resource){ .name = scratch_text(d->s, key),
                                                       .text = scratch_text(d->s, value) };
        }
    }
    decode_at(d, kubelet_part);
}

static void read_threshold(decoder *d, const tree *map, const char *name, gcp_threshold *out)
{
    out->quantity = str("");
    out->percent = -1;
    karp_str text = decode_text(d, map, name);
    int32_t order = 0;
    if (text.len == 0) return;
    if (text.ptr[text.len - 1] == '%') {
        karp_str number = { text.ptr, text.len - 1 };
        if (!cloud_decimal(number, &out->percent) || out->percent > 100)
            decode_bad(d, name, "must be a quantity, or a percentage from 0% to 100%");
    } else if (karp_quantity_compare(text, str("0"), &order) != KARP_OK || order < 0) {
        decode_bad(d, name, "must be a quantity, or a percentage from 0% to 100%");
    } else {
        out->quantity = text;
    }
}

static void read_kubelet(decoder *d, const tree *spec, gcp_class *out)
{
    const tree *kubelet = decode_object(d, spec, "kubeletConfiguration");
    decode_at(d, kubelet_part);
    if (kubelet) {
        if (decode_member(kubelet, "maxPods")) out->max_pods = decode_count(d, kubelet, "maxPods");
        out->pods_per_core = decode_count(d, kubelet, "podsPerCore");
        read_reserved(d, kubelet, "kubeReserved", &out->kube);
        read_reserved(d, kubelet, "systemReserved", &out->system);
    }
    const tree *hard = kubelet ? decode_object(d, kubelet, "evictionHard") : NULL;
    decode_at(d, "spec.kubeletConfiguration.evictionHard");
    read_threshold(d, hard, "memory.available", &out->memory_available);
    read_threshold(d, hard, "nodefs.available", &out->disk_available);
    decode_at(d, "spec");
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

static void read_status(decoder *d, const tree *root, gcp_class *out)
{
    const tree *status = decode_object(d, root, "status");
    decode_at(d, "status");
    out->images = decode_texts(d, status, "images", "status.images", "sourceImage", &out->image_count);
    out->status_known = status && tree_get(status, "images");
}

static void read_spec(decoder *d, const tree *root, gcp_class *out)
{
    const tree *spec = decode_object(d, root, "spec");
    decode_at(d, "spec");
    read_disks(d, spec, out);
    karp_str family = read_images(d, spec);
    out->ubuntu = str_is(family, "Ubuntu");
    read_kubelet(d, spec, out);
    out->gpu_taint = decode_flag(d, spec, "autoGPUTaint");
    out->gpu_driver = decode_word(d, spec, "gpuDriverVersion", "default latest disabled");
    (void)decode_word(d, spec, "confidentialInstanceType", "SEV SEV_SNP TDX");
    out->base.hash = class_hash(spec, family);
}

karp_status gcp_class_read(karp_context *context, const tree *root, void *class_, karp_error *error)
{
    gcp_class *out = class_;
    decoder d;
    *out = gcp_plain_class;
    scratch_init(&out->base.s, context);
    decode_begin(&d, context, &out->base.s, error);
    if (decode_root(&d, root, "a node class")) {
        read_spec(&d, root, out);
        read_status(&d, root, out);
    }
    karp_status status = d.status;
    decode_end(&d);
    if (status == KARP_OK && out->base.s.failed) status = fail_nomem(error);
    if (status) scratch_free(&out->base.s);
    return status;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool same_reserved(const gcp_reserved *a, const gcp_reserved *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!equal_str(a->list[i].name, b->list[i].name) || !equal_str(a->list[i].text, b->list[i].text)) return false;
    }
    return true;
}

static bool same_threshold(const gcp_threshold *a, const gcp_threshold *b)
{
    return equal_str(a->quantity, b->quantity) && a->percent == b->percent;
}

bool gcp_class_same_types(const gcp_class *a, const gcp_class *b)
{
    return a->has_disks == b->has_disks && a->boot_gib == b->boot_gib && a->ssd_gib == b->ssd_gib &&
           a->ssds == b->ssds && a->max_pods == b->max_pods && a->pods_per_core == b->pods_per_core &&
           same_reserved(&a->kube, &b->kube) && same_reserved(&a->system, &b->system) &&
           same_threshold(&a->memory_available, &b->memory_available) &&
           same_threshold(&a->disk_available, &b->disk_available);
}
