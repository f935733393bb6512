/* SPDX-License-Identifier: Apache-2.0 */
/* The GCP plugin: implements the function table of providers. */
#include <providers/builtin.h>
#include <providers/cloud/regions.h>

#include <providers/gcp/types.h>
#include <providers/launch.h>

static const int64_t second = INT64_C(1000000000);

#define MINUTES(n) (INT64_C(60000000000) * (n))
static const karp_repair_policy policies[] = {
    { TEXT("Ready"), TEXT("False"), MINUTES(10) },
    { TEXT("Ready"), TEXT("Unknown"), MINUTES(10) },
    { TEXT("KernelDeadlock"), TEXT("True"), MINUTES(5) },
    { TEXT("ReadonlyFilesystem"), TEXT("True"), MINUTES(5) },
    { TEXT("FrequentKubeletRestart"), TEXT("True"), MINUTES(30) },
    { TEXT("FrequentContainerdRestart"), TEXT("True"), MINUTES(30) },
};

static const plugin_kind gcp_kind = {
    .class_bytes = sizeof(gcp_class),
    .read = gcp_class_read,
    .hash_version = GCP_HASH_VERSION,
    .hash_key = GCP_GROUP "gcenodeclass-hash",
    .hash_version_key = GCP_GROUP "gcenodeclass-hash-version",
    .labels = gcp_label_tables,
    .policies = policies,
    .policy_count = sizeof policies / sizeof *policies,
};

typedef struct gcp_handle {
    cloud_handle base;
    gcp_settings settings;
} gcp_handle;

/* ---- open -------------------------------------------------------------------------------------------------------- */

/* Parses "us-central1-a,us-central1-b". */
static uint32_t read_zones(karp_str text, karp_str region)
{
    uint32_t zones = 0;
    while (text.len > 0) {
        uint32_t zone = gcp_zone_number(str_until(&text, ','), region);
        if (zone == GCP_NO_ZONE) return 0;
        zones |= UINT32_C(1) << zone;
    }
    return zones;
}

static uint32_t read_setting(gcp_handle *h, const karp_label *setting, karp_provider_problem *problem)
{
    uint32_t status;
    gcp_settings *s = &h->settings;
    if (cloud_setting(setting, &s->vm_memory_overhead, &s->initial_prices, &status, problem)) return status;
    if (str_is(setting->key, "zones")) {
        s->zones = read_zones(setting->value, h->base.facts.region);
        if (s->zones) return KARP_PROVIDER_OK;
        return provider_problem(problem, KARP_PROVIDER_INVALID, "zones", "must be zones of the region, with commas");
    }
    return provider_problem(problem, KARP_PROVIDER_INVALID, "settings",
                            "gcp has vmMemoryOverheadPercent, prices and zones, no %.*s", str_shown(setting->key, 60),
                            setting->key.ptr);
}

static uint32_t gcp_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                         karp_provider_problem *problem)
{
    gcp_handle *h = plugin_handle_new(allocator, sizeof *h, &gcp_kind);
    if (!h) return provider_no_memory(problem);
    h->settings.vm_memory_overhead = 0.07;
    uint32_t kind = cloud_handle_begin(&h->base, &gcp_facts, options, problem);
    for (size_t i = 0; kind == KARP_PROVIDER_OK && i < options->setting_count; i++)
        kind = read_setting(h, &options->settings[i], problem);
    if (kind) cloud_close(h);
    else *handle = h;
    return kind;
}

/* ---- node classes ------------------------------------------------------------------------------------------------ */

static const gcp_class *class_of(const void *node_class) { return node_class ? node_class : &gcp_plain_class; }

static uint32_t gcp_class_equal(const void *handle, const void *a, const void *b)
{
    (void)handle;
    return gcp_class_same_types(class_of(a), class_of(b));
}

static uint32_t gcp_instance_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                                   const karp_instance_type **types, size_t *count, karp_provider_problem *problem)
{
    gcp_handle *h = handle;
    scratch s;
    if (h->base.facts.count == 0) return cloud_not_built_in(gcp_facts.format, h->base.facts.region, problem);
    scratch_init_on(&s, memory);
    gcp_types(&s, &h->base.facts, &h->settings, &h->base.marks, class_of(node_class), types, count);
    if (s.failed) return provider_no_memory(problem);
    if (*count > 0) return KARP_PROVIDER_OK;
    return provider_problem(problem, KARP_PROVIDER_NOT_FOUND, "prices", "no machine type of the region has a price");
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* The lowest price of a type's usable offerings, of any capacity type; false = none. */
static bool cheapest_of(const karp_provider_launch *launch, size_t *at, double *price)
{
    uint32_t type = launch->candidates[*at].type;
    bool any = false;
    for (; *at < launch->candidate_count && launch->candidates[*at].type == type; ++*at) {
        double own = launch_offering(launch, launch->candidates[*at])->price;
        if (!launch->candidates[*at].usable || (any && own >= *price)) continue;
        *price = own;
        any = true;
    }
    return any;
}

/* Within one type, from `at`: the cheapest offering of the launch's capacity type; at equal prices, the first zone by
 * name. */
static bool pick_of_type(const karp_provider_launch *launch, size_t at, karp_provider_candidate *out)
{
    uint32_t type = launch->candidates[at].type;
    bool any = false;
    for (; at < launch->candidate_count && launch->candidates[at].type == type; at++) {
        karp_provider_candidate c = launch->candidates[at];
        const karp_offering *o = launch_offering(launch, c);
        if (!c.usable || !equal_str(launch_capacity_type(o), launch->capacity_type)) continue;
        if (any && o->price >= launch_offering(launch, *out)->price) continue;
        *out = c;
        any = true;
    }
    return any;
}

/* Types are sorted by name, so at equal prices the first type by name is chosen. */
static uint32_t gcp_pick(void *handle, const void *node_class, const karp_provider_launch *launch,
                         karp_provider_candidate *picked, karp_provider_problem *problem)
{
    double best = 0;
    bool any = false;
    (void)handle;
    (void)node_class;
    for (size_t at = 0; at < launch->candidate_count;) {
        size_t first = at;
        double price = 0;
        karp_provider_candidate c;
        if (!cheapest_of(launch, &at, &price) || (any && price >= best) || !pick_of_type(launch, first, &c)) continue;
        *picked = c;
        best = price;
        any = true;
    }
    if (any) return KARP_PROVIDER_OK;
    return provider_problem(problem, KARP_PROVIDER_NO_CAPACITY, "", "no machine type is available for it");
}

static void add_class_labels(scratch *s, const gcp_class *c, bool gpu, karp_label *labels, size_t *count)
{
    launch_set_label(labels, count, str("cloud.google.com/gke-max-pods-per-node"),
                     scratch_uint(s, (uint64_t)gcp_max_pods(c)));
    launch_set_label(labels, count, str("cloud.google.com/gke-os-distribution"), str(c->ubuntu ? "ubuntu" : "cos"));
    if (gpu)
        launch_set_label(labels, count, str("cloud.google.com/gke-gpu-driver-version"),
                         c->gpu_driver.len > 0 ? scratch_text(s, c->gpu_driver) : str("default"));
}

static uint32_t gcp_node(void *handle, const void *node_class, const karp_provider_launch *launch,
                         karp_provider_candidate candidate, const karp_provider_memory *memory,
                         karp_provider_node *node, karp_provider_problem *problem)
{
    static const karp_taint gpu_taint = { TEXT("nvidia.com/gpu"), TEXT("present"), TEXT("NoSchedule") };
    const gcp_class *c = class_of(node_class);
    const karp_instance_type *type = launch->types[candidate.type];
    const karp_offering *o = launch_offering(launch, candidate);
    bool gpu = requirement_single(type->requirements, type->requirement_count, GCP_GROUP "instance-gpu-name").len > 0;
    scratch s;
    (void)handle;
    scratch_init_on(&s, memory);
    size_t count = 0;
    karp_label *labels = cloud_node_labels(&s, type, o, 4, &count);
    if (labels) add_class_labels(&s, c, gpu, labels, &count);
    if (labels && gpu)
        launch_set_label(labels, &count, str("cloud.google.com/gke-cpu-scaling-level"),
                         requirement_single(type->requirements, type->requirement_count, GCP_GROUP "instance-cpu"));
    if (s.failed) return provider_no_memory(problem);
    node->labels = labels;
    node->label_count = count;
    node->instance_type = type->name;
    if (c->image_count > 0) node->image_id = scratch_text(&s, c->images[0]);
    if (gpu && c->gpu_taint) {
        node->taints = &gpu_taint;
        node->taint_count = 1;
    }
    return s.failed ? provider_no_memory(problem) : KARP_PROVIDER_OK;
}

/* ---- marks, drift, repair ---------------------------------------------------------------------------------------- */

/* Marks a zone as exhausted. Exhausted addresses recover sooner, so for these the host passes a shorter time. */
static uint32_t gcp_mark(void *handle, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                         karp_provider_problem *problem)
{
    gcp_handle *h = handle;
    if (scope->instance_type.len == 0 || scope->zone.len == 0 || scope->capacity_type.len == 0 || scope->family.len)
        return provider_problem(problem, KARP_PROVIDER_INVALID, "scope",
                                "must be a machine type, a zone and a capacity type");
    uint32_t kind = cloud_marks_add(&h->base.marks, scope, 0, now, ttl ? ttl : 1800 * second, problem);
    if (kind == KARP_PROVIDER_OK) h->base.base.generation++;
    return kind;
}

/* Whether the node's image differs: its URL must end with a name from the class. */
static bool image_changed(const gcp_class *c, const karp_provider_node *node)
{
    if (!c->status_known || node->image_id.len == 0) return false;
    for (size_t i = 0; i < c->image_count; i++) {
        karp_str end = c->images[i];
        if (end.len > 0 && str_has_suffix(node->image_id, end)) return false;
    }
    return true;
}

static uint32_t gcp_drift(void *handle, const void *node_class, const karp_provider_node *node,
                          const karp_provider_memory *memory, karp_str *reason, karp_provider_problem *problem)
{
    (void)handle;
    (void)memory;
    (void)problem;
    *reason = str("");
    if (!node_class) return KARP_PROVIDER_OK; /* a deleted class is not drift */
    if (plugin_class_changed(handle, node_class, node)) *reason = str("NodeClassDrift");
    else if (image_changed(class_of(node_class), node)) *reason = str("ImageDrift");
    return KARP_PROVIDER_OK;
}

/* "us-central1", with the zones "us-central1-a" and more. */
static size_t region_length(karp_str place, bool zone)
{
    size_t first = skip_letters(place, 0);
    if (first == 0 || first == place.len || place.ptr[first] != '-') return 0;
    size_t after = skip_letters(place, first + 1), end = skip_digits(place, after);
    if (after == first + 1 || end == after) return 0;
    if (!zone) return end == place.len ? end : 0;
    if (end == place.len || place.ptr[end] != '-') return 0;
    return end + 1 < place.len && skip_letters(place, end + 1) == place.len ? end : 0;
}

static const karp_provider_plugin gcp_plugin = {
    .abi_version = KARP_PROVIDER_ABI,
    .flags = KARP_PROVIDER_TYPES_SELF_CONTAINED,
    .size = sizeof(karp_provider_plugin),
    .name = "gcp",
    .class_group = "karpenter.k8s.gcp",
    .class_kind = "GCENodeClass",
    .open = gcp_open,
    .close = cloud_close,
    .load_facts = cloud_load_facts,
    .generation = plugin_generation,
    .class_parse = plugin_class_parse,
    .class_free = plugin_class_free,
    .class_hash = plugin_class_hash,
    .class_equal = gcp_class_equal,
    .instance_types = gcp_instance_types,
    .labels = plugin_labels,
    .pick = gcp_pick,
    .node = gcp_node,
    .mark = gcp_mark,
    .expire = cloud_expire,
    .drift = gcp_drift,
    .repair_policies = plugin_repair_policies,
    .facts_info = cloud_facts_info,
    .facts_write = cloud_write_facts,
};

static const char *const domains[] = { "karpenter.k8s.gcp", "cloud.google.com", NULL };

const builtin_plugin gcp_builtin = {
    .plugin = &gcp_plugin,
    .usual_region = GCP_USUAL_REGION,
    .region_length = region_length,
    .scheme = "gce://",
    .domains = domains,
};
