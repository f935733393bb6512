/* SPDX-License-Identifier: Apache-2.0 */
/* The Azure plugin: implements the function table of providers. */
#include <providers/builtin.h>
#include <providers/cloud/regions.h>

#include <providers/azure/types.h>
#include <providers/launch.h>

static const int64_t usual_mark = INT64_C(3600000000000); /* one hour */

static const karp_repair_policy policies[] = {
    { TEXT("Ready"), TEXT("False"), INT64_C(600000000000) },
    { TEXT("Ready"), TEXT("Unknown"), INT64_C(600000000000) },
    { TEXT(AKS_GROUP "NodeHealthy"), TEXT("False"), 0 },
};

static const plugin_kind azure_kind = {
    .class_bytes = sizeof(azure_class),
    .read = azure_class_read,
    .hash_version = AZURE_HASH_VERSION,
    .hash_key = AZURE_GROUP "aksnodeclass-hash",
    .hash_version_key = AZURE_GROUP "aksnodeclass-hash-version",
    .labels = azure_label_tables,
    .policies = policies,
    .policy_count = sizeof policies / sizeof *policies,
};

typedef struct azure_handle {
    cloud_handle base;
    scratch texts; /* memory of the settings */
    azure_settings settings;
} azure_handle;

/* ---- open -------------------------------------------------------------------------------------------------------- */

static void azure_close(void *handle)
{
    azure_handle *h = handle;
    scratch_free(&h->texts);
    cloud_close(h);
}

static bool read_plugin(azure_settings *s, karp_str value)
{
    static const struct {
        const char *name;
        int64_t pods;
    } plugins[] = { { "azure", 30 }, { "kubenet", 110 }, { "azure-overlay", 250 }, { "none", 250 } };
    for (size_t i = 0; i < sizeof plugins / sizeof *plugins; i++) {
        if (!str_is(value, plugins[i].name)) continue;
        s->max_pods = plugins[i].pods;
        s->overlay = i == 2;
        return true;
    }
    return false;
}

/* Converts to a label value: parentheses become dashes; at most 63 characters, and the last one is not -, _ or a
 * dot. */
static karp_str cluster_label(scratch *s, karp_str group)
{
    char text[64];
    size_t n = group.len < 63 ? group.len : 63;
    for (size_t i = 0; i < n; i++) text[i] = group.ptr[i] == '(' || group.ptr[i] == ')' ? '-' : group.ptr[i];
    if (n > 0 && strchr("-_.", text[n - 1])) text[n < 63 ? n++ : n - 1] = 'z';
    return scratch_text(s, (karp_str){ text, n });
}

static uint32_t read_setting(azure_handle *h, const karp_label *setting, karp_provider_problem *problem)
{
    azure_settings *s = &h->settings;
    uint32_t status;
    if (cloud_setting(setting, &s->vm_memory_overhead, &s->initial_prices, &status, problem)) return status;
    if (str_is(setting->key, "networkPlugin")) {
        if (read_plugin(s, setting->value)) return KARP_PROVIDER_OK;
        return provider_problem(problem, KARP_PROVIDER_INVALID, "networkPlugin",
                                "must be azure, azure-overlay, kubenet or none");
    }
    if (str_is(setting->key, "nodeResourceGroup")) {
        s->cluster = cluster_label(&h->texts, setting->value);
        return KARP_PROVIDER_OK;
    }
    if (str_is(setting->key, "kubeletIdentityClientID")) {
        s->identity = scratch_text(&h->texts, setting->value);
        return KARP_PROVIDER_OK;
    }
    return provider_problem(problem, KARP_PROVIDER_INVALID, "settings",
                            "azure has networkPlugin, vmMemoryOverheadPercent, prices, nodeResourceGroup and "
                            "kubeletIdentityClientID, no %.*s",
                            str_shown(setting->key, 60), setting->key.ptr);
}

static uint32_t azure_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                           karp_provider_problem *problem)
{
    azure_handle *h = plugin_handle_new(allocator, sizeof *h, &azure_kind);
    if (!h) return provider_no_memory(problem);
    scratch_init(&h->texts, h->base.base.context);
    h->settings = (azure_settings){ 0.075, 250, true, false, str(""), str("") };
    uint32_t kind = cloud_handle_begin(&h->base, &azure_facts, options, problem);
    for (size_t i = 0; kind == KARP_PROVIDER_OK && i < options->setting_count; i++)
        kind = read_setting(h, &options->settings[i], problem);
    if (h->texts.failed) kind = provider_no_memory(problem);
    if (kind) azure_close(h);
    else *handle = h;
    return kind;
}

/* ---- node classes ------------------------------------------------------------------------------------------------ */

static const azure_class *class_of(const void *node_class) { return node_class ? node_class : &azure_plain_class; }

static uint32_t azure_class_equal(const void *handle, const void *a, const void *b)
{
    (void)handle;
    return azure_class_same_types(class_of(a), class_of(b));
}

static uint32_t azure_instance_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                                     const karp_instance_type **types, size_t *count, karp_provider_problem *problem)
{
    azure_handle *h = handle;
    scratch s;
    if (h->base.facts.count == 0) return cloud_not_built_in(azure_facts.format, h->base.facts.region, problem);
    scratch_init_on(&s, memory);
    azure_types(&s, &h->base.facts, &h->settings, &h->base.marks, class_of(node_class), types, count);
    return s.failed ? provider_no_memory(problem) : KARP_PROVIDER_OK;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* Sorts by price, then spot before on-demand, then zonal before regional, then by size name and zone name. */
static int compare_offers(const karp_provider_launch *launch, karp_provider_candidate a, karp_provider_candidate b)
{
    const karp_offering *x = launch_offering(launch, a), *y = launch_offering(launch, b);
    if (x->price != y->price) return x->price < y->price ? -1 : 1;
    bool x_spot = str_is(launch_capacity_type(x), "spot"), y_spot = str_is(launch_capacity_type(y), "spot");
    if (x_spot != y_spot) return x_spot ? -1 : 1;
    bool x_zonal = str_is(launch_label(x, AZURE_SCOPE), "zonal"),
         y_zonal = str_is(launch_label(y, AZURE_SCOPE), "zonal");
    if (x_zonal != y_zonal) return x_zonal ? -1 : 1;
    int order = compare_str(launch->types[a.type]->name, launch->types[b.type]->name);
    return order ? order : compare_str(launch_label(x, LABEL_ZONE), launch_label(y, LABEL_ZONE));
}

static bool best_of(const karp_provider_launch *launch, karp_provider_candidate *out)
{
    bool any = false;
    for (size_t i = 0; i < launch->candidate_count; i++) {
        karp_provider_candidate c = launch->candidates[i];
        if (!c.usable || (any && compare_offers(launch, c, *out) >= 0)) continue;
        *out = c;
        any = true;
    }
    return any;
}

static uint32_t nothing(karp_provider_problem *problem)
{
    return provider_problem(problem, KARP_PROVIDER_NO_CAPACITY, "", "no VM size is available for it");
}

/* The capacity type is that of the single requested offering. */
static uint32_t azure_filter_launch(void *handle, const void *node_class, const karp_provider_memory *memory,
                                    karp_provider_launch *launch, karp_provider_problem *problem)
{
    karp_provider_candidate best;
    (void)handle;
    (void)node_class;
    (void)memory;
    if (!best_of(launch, &best)) return nothing(problem);
    launch->capacity_type = launch_capacity_type(launch_offering(launch, best));
    return KARP_PROVIDER_OK;
}

static uint32_t azure_pick(void *handle, const void *node_class, const karp_provider_launch *launch,
                           karp_provider_candidate *picked, karp_provider_problem *problem)
{
    (void)handle;
    (void)node_class;
    return best_of(launch, picked) ? KARP_PROVIDER_OK : nothing(problem);
}

/* Labels that a node has from the start, in addition to those of its size and offering. */
static void add_node_labels(const azure_handle *h, const azure_class *c, karp_label *labels, size_t *count)
{
    launch_set_label(labels, count, str("karpenter.sh/do-not-sync-taints"), str("true"));
    launch_set_label(labels, count, str(AKS_GROUP "role"), str("agent"));
    launch_set_label(labels, count, str(AKS_GROUP "mode"), str("user"));
    launch_set_label(labels, count, str(AKS_GROUP "os-sku-requested"), azure_family_name(c->family));
    launch_set_label(labels, count, str(AKS_GROUP "localdns-state"), str(c->local_dns ? "enabled" : "disabled"));
    if (h->settings.overlay) {
        launch_set_label(labels, count, str(AKS_GROUP "azure-cni-overlay"), str("true"));
        launch_set_label(labels, count, str(AKS_GROUP "podnetwork-type"), str("overlay"));
    }
    if (c->artifact_streaming) launch_set_label(labels, count, str(AKS_GROUP "artifactstreaming-enabled"), str("true"));
}

static uint32_t azure_node(void *handle, const void *node_class, const karp_provider_launch *launch,
                           karp_provider_candidate candidate, const karp_provider_memory *memory,
                           karp_provider_node *node, karp_provider_problem *problem)
{
    const azure_handle *h = handle;
    const azure_class *c = class_of(node_class);
    const karp_instance_type *type = launch->types[candidate.type];
    scratch s;
    scratch_init_on(&s, memory);
    size_t count = 0;
    karp_label *labels = cloud_node_labels(&s, type, launch_offering(launch, candidate), 9, &count);
    if (labels) add_node_labels(h, c, labels, &count);
    if (labels && h->settings.identity.len > 0)
        launch_set_label(labels, &count, str(AKS_GROUP "kubelet-identity-client-id"),
                         scratch_text(&s, h->settings.identity));
    if (c->image_count > 0) node->image_id = scratch_text(&s, c->images[0]);
    if (s.failed) return provider_no_memory(problem);
    node->labels = labels;
    node->label_count = count;
    node->instance_type = type->name;
    return KARP_PROVIDER_OK;
}

/* ---- marks, drift, repair ---------------------------------------------------------------------------------------- */

/* An unavailable size indicates that larger sizes of its quota family are unavailable, too. */
static uint32_t mark_family(azure_handle *h, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                            karp_provider_problem *problem)
{
    const azure_size *size = scope->instance_type.len ? cloud_facts_find(&h->base.facts, scope->instance_type) : NULL;
    if (!size || scope->family.len || size->base.group.len == 0) return KARP_PROVIDER_OK;
    karp_provider_scope family = *scope;
    family.instance_type = str("");
    family.family = size->base.group;
    return cloud_marks_add(&h->base.marks, &family, size->base.vcpus, now, ttl, problem);
}

static uint32_t azure_mark(void *handle, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                           karp_provider_problem *problem)
{
    azure_handle *h = handle;
    bool all_spot = str_is(scope->capacity_type, "spot") && scope->zone.len == 0;
    if (scope->capacity_type.len == 0 || !(scope->instance_type.len || scope->family.len || all_spot))
        return provider_problem(problem, KARP_PROVIDER_INVALID, "scope",
                                "a capacity type and a size or family are needed, a zone is possible; or spot alone");
    if (ttl == 0) ttl = usual_mark;
    uint32_t kind = cloud_marks_add(&h->base.marks, scope, 0, now, ttl, problem);
    if (kind == KARP_PROVIDER_OK) kind = mark_family(h, scope, now, ttl, problem);
    if (kind == KARP_PROVIDER_OK) h->base.base.generation++;
    return kind;
}

static bool image_changed(const azure_class *c, const karp_provider_node *n)
{
    if (c->image_count == 0 || n->image_id.len == 0) return false;
    for (size_t i = 0; i < c->image_count; i++) {
        if (equal_str(c->images[i], n->image_id)) return false;
    }
    return true;
}

/* Whether the node's version differs from the one resolved in the class. */
static bool version_changed(const azure_class *c, const karp_provider_node *n)
{
    karp_str version = n->kubelet_version;
    if (str_starts(version, "v")) version = (karp_str){ version.ptr + 1, version.len - 1 };
    return version.len > 0 && c->kubernetes.len > 0 && !equal_str(version, c->kubernetes);
}

static uint32_t azure_drift(void *handle, const void *node_class, const karp_provider_node *node,
                            const karp_provider_memory *memory, karp_str *reason, karp_provider_problem *problem)
{
    const azure_handle *h = handle;
    (void)memory;
    (void)problem;
    *reason = str("");
    if (!node_class) return KARP_PROVIDER_OK; /* a deleted class is not drift */
    karp_str identity = label_or_none(node->labels, node->label_count, AKS_GROUP "kubelet-identity-client-id");
    if (plugin_class_changed(handle, node_class, node)) *reason = str("NodeClassDrift");
    else if (version_changed(class_of(node_class), node)) *reason = str("K8sVersionDrift");
    else if (h->settings.identity.len > 0 && identity.len > 0 && !equal_str(identity, h->settings.identity))
        *reason = str("KubeletIdentityDrift");
    else if (image_changed(class_of(node_class), node)) *reason = str("ImageDrift");
    return KARP_PROVIDER_OK;
}

/* Every region's name has one of these. */
static bool names_a_place(karp_str region)
{
    static const char *const places[] = { "us",      "europe", "asia",    "india",    "australia", "uk",      "canada",
                                          "japan",   "korea",  "brazil",  "africa",   "france",    "german",  "norway",
                                          "swed",    "switz",  "uae",     "qatar",    "poland",    "italy",   "israel",
                                          "spain",   "mexico", "zealand", "malaysia", "indonesia", "austria", "chile",
                                          "belgium", "china",  "denmark", "taiwan",   "saudi" };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (str_contains(region, str(places[i]))) return true;
    }
    return false;
}

/* "eastus2", with the zones "eastus2-1" and more. */
static size_t region_length(karp_str place, bool zone)
{
    size_t letters = skip_letters(place, 0), end = skip_digits(place, letters);
    if (letters == 0 || !names_a_place((karp_str){ place.ptr, letters })) return 0;
    if (!zone) return end == place.len ? end : 0;
    if (end == place.len || place.ptr[end] != '-') return 0;
    return end + 1 < place.len && skip_digits(place, end + 1) == place.len ? end : 0;
}

static const karp_provider_plugin azure_plugin = {
    .abi_version = KARP_PROVIDER_ABI,
    .flags = KARP_PROVIDER_TYPES_SELF_CONTAINED,
    .size = sizeof(karp_provider_plugin),
    .name = "azure",
    .class_group = "karpenter.azure.com",
    .class_kind = "AKSNodeClass",
    .open = azure_open,
    .close = azure_close,
    .load_facts = cloud_load_facts,
    .generation = plugin_generation,
    .class_parse = plugin_class_parse,
    .class_free = plugin_class_free,
    .class_hash = plugin_class_hash,
    .class_equal = azure_class_equal,
    .instance_types = azure_instance_types,
    .labels = plugin_labels,
    .filter_launch = azure_filter_launch,
    .pick = azure_pick,
    .node = azure_node,
    .mark = azure_mark,
    .expire = cloud_expire,
    .drift = azure_drift,
    .repair_policies = plugin_repair_policies,
    .facts_info = cloud_facts_info,
    .facts_write = cloud_write_facts,
};

static const char *const domains[] = { "karpenter.azure.com", "kubernetes.azure.com", NULL };

const builtin_plugin azure_builtin = {
    .plugin = &azure_plugin,
    .usual_region = AZURE_USUAL_REGION,
    .region_length = region_length,
    .scheme = "azure://",
    .domains = domains,
};
