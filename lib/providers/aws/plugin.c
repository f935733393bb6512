/* SPDX-License-Identifier: Apache-2.0 */
/* The AWS plugin: implements the function table of providers. */

#include <karp/values.h>
#include <providers/aws/defaults.h>
#include <providers/aws/plugin.h>
#include <providers/aws/facts_read.h>
#include <providers/builtin.h>
#include <providers/cloud/regions.h>
#include <base/admit.h>

/* ---- what does not depend on facts ---------------------------------------------------------------------------------
 */

typedef struct aws_class {
    plugin_class base;
    aws_node_class what;
} aws_class;

static karp_status read_class(karp_context *context, const tree *root, void *class_, karp_error *error)
{
    aws_class *c = class_;
    scratch_init(&c->base.s, context);
    karp_status status = aws_node_class_read(&c->base.s, root, &c->what, error);
    if (status) scratch_free(&c->base.s);
    else c->base.hash = c->what.hash;
    return status;
}

static void labels_of(karp_provider_labels *labels)
{
    aws_label_tables(labels);
    labels->exotic = aws_exotic;
    labels->exotic_count = AWS_EXOTIC;
}

#define MINUTES(n) (INT64_C(60000000000) * (n))

/* Those of release 1.14, and of 1.15 with --legacy-node-repair. */
static const karp_repair_policy policies[] = {
    { TEXT("Ready"), TEXT("False"), MINUTES(30) },
    { TEXT("Ready"), TEXT("Unknown"), MINUTES(30) },
    { TEXT("AcceleratedHardwareReady"), TEXT("False"), MINUTES(10) },
    { TEXT("StorageReady"), TEXT("False"), MINUTES(30) },
    { TEXT("NetworkingReady"), TEXT("False"), MINUTES(30) },
    { TEXT("KernelReady"), TEXT("False"), MINUTES(30) },
    { TEXT("ContainerRuntimeReady"), TEXT("False"), MINUTES(30) },
};

static const plugin_kind aws_kind = {
    .class_bytes = sizeof(aws_class),
    .read = read_class,
    .hash_version = AWS_HASH_VERSION,
    .labels = labels_of,
    .policies = policies,
    .policy_count = sizeof policies / sizeof *policies,
};

/* ---- open -------------------------------------------------------------------------------------------------------- */

static bool whole(karp_str text, int64_t *out)
{
    int64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || value > INT32_MAX) return false;
        value = value * 10 + (text.ptr[i] - '0');
    }
    *out = value;
    return text.len > 0 && value <= INT32_MAX;
}

static uint32_t read_setting(aws_settings *s, const karp_label *setting, karp_provider_problem *problem)
{
    if (str_is(setting->key, "reservedENIs")) {
        if (whole(setting->value, &s->options.reserved_enis)) return KARP_PROVIDER_OK;
        return provider_problem(problem, KARP_PROVIDER_INVALID, "reservedENIs",
                                "must be a whole number that is not negative");
    }
    if (str_is(setting->key, "vmMemoryOverheadPercent")) {
        double part = -1;
        (void)karp_double_parse(setting->value, &part);
        s->options.vm_memory_overhead = part;
        if (part >= 0 && part < 1) return KARP_PROVIDER_OK;
        return provider_problem(problem, KARP_PROVIDER_INVALID, "vmMemoryOverheadPercent",
                                "must be at least 0 and less than 1");
    }
    if (str_is(setting->key, "allTypes")) {
        s->all_types = str_is(setting->value, "true");
        if (s->all_types || str_is(setting->value, "false")) return KARP_PROVIDER_OK;
        return provider_problem(problem, KARP_PROVIDER_INVALID, "allTypes", "must be true or false");
    }
    if (str_is(setting->key, "release")) {
        s->release_1_14_3 = str_is(setting->value, "1.14.3");
        if (s->release_1_14_3 || str_is(setting->value, "1.15.2")) return KARP_PROVIDER_OK;
        return provider_problem(problem, KARP_PROVIDER_INVALID, "release", "must be 1.14.3 or 1.15.2");
    }
    if (str_is(setting->key, "zones")) {
        bool more = str_starts(setting->value, "+");
        s->zone_names = more ? (karp_str){ setting->value.ptr + 1, setting->value.len - 1 } : setting->value;
        if (!more) s->zones = 0;
        if (s->zone_names.len > 0) return KARP_PROVIDER_OK;
        return provider_problem(problem, KARP_PROVIDER_INVALID, "zones", "must be zones of the region, with commas");
    }
    int shown = str_shown(setting->key, 60);
    return provider_problem(problem, KARP_PROVIDER_INVALID, "settings",
                            "aws has reservedENIs, vmMemoryOverheadPercent, allTypes, zones and release, no %.*s",
                            shown, shown ? setting->key.ptr : "");
}

static void aws_close(void *handle)
{
    aws_handle *h = handle;
    aws_facts_free(&h->facts);
    aws_marks_free(&h->marks);
    scratch_free(&h->texts);
    plugin_handle_free(&h->base);
}

static uint32_t aws_open(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                         karp_provider_problem *problem)
{
    static const karp_str usual = TEXT(AWS_USUAL_REGION);
    aws_settings settings = aws_settings_default();
    for (size_t i = 0; i < options->setting_count; i++) {
        uint32_t kind = read_setting(&settings, &options->settings[i], problem);
        if (kind) return kind;
    }
    aws_handle *h = plugin_handle_new(allocator, sizeof *h, &aws_kind);
    if (!h) return provider_no_memory(problem);
    h->settings = settings;
    h->marks.context = h->base.context;
    scratch_init(&h->texts, h->base.context);
    h->region = scratch_text(&h->texts, options->region.len ? options->region : usual);
    h->settings.zone_names = scratch_text(&h->texts, settings.zone_names);
    if (h->texts.failed) {
        aws_close(h);
        return provider_no_memory(problem);
    }
    *handle = h;
    return KARP_PROVIDER_OK;
}

/* ---- facts ------------------------------------------------------------------------------------------------------- */

/* Loads facts only when needed, because many handles only read node classes. Loaded facts have a context, even without
 * types. */
static karp_status need_facts(aws_handle *h, karp_error *error)
{
    return h->facts.s.context ? KARP_OK : aws_facts_init(&h->facts, h->base.context, h->region, error);
}

static uint32_t aws_load_facts(void *handle, karp_str kind, const karp_provider_document *facts,
                               karp_provider_problem *problem)
{
    aws_handle *h = handle;
    aws_facts next;
    karp_error error = { .size = sizeof error };
    karp_status status = need_facts(h, &error);
    if (status == KARP_OK) status = aws_facts_copy(&h->facts, &next, &error);
    if (status) return provider_problem_of(problem, &error);
    status = aws_facts_read(&next, kind, facts->text, &error);
    if (status) {
        aws_facts_free(&next);
        return provider_problem_of(problem, &error);
    }
    aws_facts_free(&h->facts);
    h->facts = next;
    h->base.generation++;
    return KARP_PROVIDER_OK;
}

static uint32_t aws_facts_info(void *handle, const karp_provider_memory *memory, karp_provider_facts_info *info,
                               karp_provider_problem *problem)
{
    aws_handle *h = handle;
    if (need_facts(h, NULL) != KARP_OK) return provider_no_memory(problem);
    return aws_table_about(&h->facts, memory, info, problem);
}

static uint32_t aws_write_facts(void *handle, const karp_provider_memory *memory, karp_str *text,
                                karp_provider_problem *problem)
{
    aws_handle *h = handle;
    if (need_facts(h, NULL) != KARP_OK) return provider_no_memory(problem);
    return aws_table_write(&h->facts, memory, text, problem);
}

/* ---- node classes ------------------------------------------------------------------------------------------------ */

const aws_node_class *aws_class_of(const void *node_class)
{
    static const aws_node_class plain;
    return node_class ? &((const aws_class *)node_class)->what : &plain;
}

static uint32_t aws_class_equal(const void *handle, const void *a, const void *b)
{
    const aws_handle *h = handle;
    const aws_node_class *x = aws_class_of(a), *y = aws_class_of(b);
    return aws_node_class_equal(x, y) && (!h->facts.seen_by_images || aws_node_class_same_images(x, y));
}

/* ---- types and labels -------------------------------------------------------------------------------------------- */

/* Uses the host's memory for the few large blocks of a scratch. */
static uint32_t aws_types(void *handle, const void *node_class, const karp_provider_memory *memory,
                          const karp_instance_type **types, size_t *count, karp_provider_problem *problem)
{
    aws_handle *h = handle;
    karp_error error = { .size = sizeof error };
    scratch s;
    scratch_init_on(&s, memory);
    karp_status status = need_facts(h, &error);
    if (status == KARP_OK)
        status = aws_instance_types(&s, &h->facts, &h->marks, &h->settings, aws_class_of(node_class), types, count,
                                    &error);
    return status ? provider_problem_of(problem, &error) : KARP_PROVIDER_OK;
}

static uint32_t aws_pool_defaults_of(const void *handle, const karp_requirement *requirements, size_t count,
                                     const karp_provider_memory *memory, const karp_requirement **added,
                                     size_t *added_count, karp_provider_problem *problem)
{
    scratch s;
    (void)handle;
    scratch_init_on(&s, memory);
    karp_requirement *list = scratch_array(&s, AWS_POOL_DEFAULTS, sizeof *list);
    if (s.failed) return provider_no_memory(problem);
    *added_count = aws_pool_defaults(requirements, count, list);
    *added = list;
    return KARP_PROVIDER_OK;
}

static void aws_set_gates(void *handle, uint32_t gates)
{
    aws_handle *h = handle;
    uint32_t devices = gates & (KARP_GATE_DRA_NVIDIA_GPU | KARP_GATE_DRA_EFA);
    if (devices == h->settings.device_gates) return;
    h->settings.device_gates = devices;
    h->base.generation++;
}

/* ---- marks, drift, repair ---------------------------------------------------------------------------------------- */

static uint32_t aws_mark_of(void *handle, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                            karp_provider_problem *problem)
{
    aws_handle *h = handle;
    uint32_t kind = aws_marks_add(&h->marks, scope, now, ttl, problem);
    if (kind == KARP_PROVIDER_OK) h->base.generation++;
    return kind;
}

static void aws_expire(void *handle, int64_t now)
{
    aws_handle *h = handle;
    if (aws_marks_expire(&h->marks, now)) h->base.generation++;
}

/* Hashes of different versions are not compared. Karpenter's own hash is compared with the one in the class's
 * annotations. */
static bool class_changed(const aws_node_class *c, const karp_provider_node *n)
{
    karp_str version = label_or_none(n->annotations, n->annotation_count, AWS_GROUP "ec2nodeclass-hash-version");
    karp_str hash = label_or_none(n->annotations, n->annotation_count, AWS_GROUP "ec2nodeclass-hash");
    if (hash.len == 0) return false;
    if (str_is(version, AWS_HASH_VERSION)) return !plugin_is_hash(hash, c->hash);
    return version.len && equal_str(version, c->stated_hash_version) && c->stated_hash.len &&
           !equal_str(hash, c->stated_hash);
}

/* Finds the first image whose requirements match the type, and compares it with the node's. */
static bool image_changed(const aws_node_class *c, const karp_provider_node *n, const karp_requirement *type,
                          size_t count)
{
    if (c->image_count == 0 || n->image_id.len == 0) return false;
    for (size_t i = 0; i < c->image_count; i++) {
        const aws_image *image = &c->images[i];
        if (!requirements_agree(image->requirements, image->requirement_count, type, count)) continue;
        return !equal_str(image->id, n->image_id);
    }
    return true;
}

static bool groups_changed(const aws_node_class *c, const karp_provider_node *n)
{
    bool same = true;
    if (c->security_group_count == 0) return false;
    for (size_t i = 0; same && i < n->security_group_count; i++)
        same = str_in(n->security_groups[i], c->security_groups, c->security_group_count);
    for (size_t i = 0; same && i < c->security_group_count; i++)
        same = str_in(c->security_groups[i], n->security_groups, n->security_group_count);
    return !same;
}

static bool subnet_gone(const aws_node_class *c, const karp_provider_node *n)
{
    if (c->subnet_count == 0 || n->subnet_id.len == 0) return false;
    for (size_t i = 0; i < c->subnet_count; i++) {
        if (equal_str(c->subnets[i].id, n->subnet_id)) return false;
    }
    return true;
}

static bool reservation_gone(const aws_node_class *c, const karp_provider_node *n)
{
    for (size_t i = 0; i < c->reservation_count; i++) {
        if (equal_str(c->reservations[i].id, n->reservation_id)) return false;
    }
    return n->reservation_id.len > 0;
}

static bool placement_changed(const aws_node_class *c, const karp_provider_node *n)
{
    return !equal_str(label_or_none(n->labels, n->label_count, AWS_GROUP "placement-group-id"), c->placement_group.id);
}

/* The first drift reason in the provider's order; "" = not drifted. `type`: requirements of the instance type, which
 * select its image. */
static karp_str drift_of(const aws_node_class *c, const karp_provider_node *n, const karp_requirement *type,
                         size_t count)
{
    static const karp_str none = TEXT(""), class_ = TEXT("NodeClassDrift"), image = TEXT("AMIDrift"),
                          groups = TEXT("SecurityGroupDrift"), subnet = TEXT("SubnetDrift"),
                          reservation = TEXT("CapacityReservationDrift"), placement = TEXT("PlacementGroupDrift");
    if (label_or_none(n->labels, n->label_count, LABEL_NODE_POOL).len == 0) return none;
    if (class_changed(c, n)) return class_;
    if (image_changed(c, n, type, count)) return image;
    if (groups_changed(c, n)) return groups;
    if (subnet_gone(c, n)) return subnet;
    if (reservation_gone(c, n)) return reservation;
    return placement_changed(c, n) ? placement : none;
}

static uint32_t aws_drift_of(void *handle, const void *node_class, const karp_provider_node *node,
                             const karp_provider_memory *memory, karp_str *reason, karp_provider_problem *problem)
{
    static const karp_str none = TEXT("");
    aws_handle *h = handle;
    *reason = none;
    if (!node_class) return KARP_PROVIDER_OK; /* a deleted class is not drift */
    if (need_facts(h, NULL) != KARP_OK) return provider_no_memory(problem);
    aws_type room;
    const aws_type *type = aws_facts_look_up(&h->facts, node->instance_type, &room);
    karp_instance_type labels = { .size = sizeof labels };
    scratch s;
    scratch_init_on(&s, memory);
    aws_place *place = scratch_array(&s, 1, sizeof *place);
    aws_shared *shared = scratch_array(&s, 1, sizeof *shared);
    if (place && shared && type) {
        place->region = h->facts.region;
        place->group = aws_class_of(node_class)->placement_group.id;
        labels.name = type->name;
        aws_labels(&s, type, aws_class_of(node_class), place, shared, &labels);
    }
    if (s.failed) return provider_no_memory(problem);
    *reason = drift_of(aws_class_of(node_class), node, labels.requirements, labels.requirement_count);
    return KARP_PROVIDER_OK;
}

/* Release 1.15.2, pkg/cloudprovider/cloudprovider.go. The reasons of GPU faults contain NVIDIA's XID. */
#define REBOOT_CLEARS ".*XID(46|48|54|62|63|95|109|110|136|140|143|155|156|158).*"
#define FATAL ".*XID(64|74|79|119|120).*"
#define ANY ".*"
#define REPAIR(condition, status, reason, toleration, drain, action)                                                   \
    {                                                                                                                  \
        TEXT(condition), TEXT(status), TEXT(reason), MINUTES(toleration), MINUTES(drain), 0, action                    \
    }
#define REPAIRS(clears)                                                                                                \
    REPAIR("Ready", "False", ANY, 30, 10, KARP_REPAIR_REPLACE),                                                        \
        REPAIR("Ready", "Unknown", ANY, 30, 10, KARP_REPAIR_REPLACE),                                                  \
        REPAIR("AcceleratedHardwareReady", "False", REBOOT_CLEARS, 10, 5, clears),                                     \
        REPAIR("AcceleratedHardwareReady", "False", FATAL, 10, 5, KARP_REPAIR_REPLACE),                                \
        REPAIR("AcceleratedHardwareReady", "False", "", 30, 10, KARP_REPAIR_REPLACE),                                  \
        REPAIR("StorageReady", "False", ANY, 30, 10, KARP_REPAIR_REPLACE),                                             \
        REPAIR("NetworkingReady", "False", ANY, 30, 10, KARP_REPAIR_REPLACE),                                          \
        REPAIR("KernelReady", "False", ANY, 30, 10, KARP_REPAIR_REPLACE),                                              \
        REPAIR("ContainerRuntimeReady", "False", ANY, 30, 10, KARP_REPAIR_REPLACE)

static uint32_t aws_node_repairs(const void *handle, uint32_t reboots, const karp_node_repair **repairs, size_t *count)
{
    static const karp_node_repair replacing[] = { REPAIRS(KARP_REPAIR_REPLACE) },
                                  rebooting[] = { REPAIRS(KARP_REPAIR_REBOOT) };
    (void)handle;
    *repairs = reboots ? rebooting : replacing;
    *count = sizeof replacing / sizeof *replacing;
    return KARP_PROVIDER_OK;
}

/* Regions end after their first number: "us-west-2a" and "us-west-2-lax-1a" are zones of "us-west-2". */
static size_t region_length(karp_str place, bool zone)
{
    size_t at = 0, words = 0;
    for (size_t end; (end = skip_letters(place, at)) > at; words++) {
        if (end == place.len || place.ptr[end] != '-') return 0;
        at = end + 1;
    }
    size_t end = skip_digits(place, at);
    return words >= 2 && end > at && (zone ? end < place.len : end == place.len) ? end : 0;
}

static const karp_provider_plugin aws_plugin = {
    .abi_version = KARP_PROVIDER_ABI,
    .flags = KARP_PROVIDER_TYPES_SELF_CONTAINED,
    .size = sizeof(karp_provider_plugin),
    .name = "aws",
    .class_group = "karpenter.k8s.aws",
    .class_kind = "EC2NodeClass",
    .open = aws_open,
    .close = aws_close,
    .load_facts = aws_load_facts,
    .generation = plugin_generation,
    .class_parse = plugin_class_parse,
    .class_free = plugin_class_free,
    .class_hash = plugin_class_hash,
    .class_equal = aws_class_equal,
    .class_defaults = aws_class_defaults,
    .instance_types = aws_types,
    .labels = plugin_labels,
    .pool_defaults = aws_pool_defaults_of,
    .filter_launch = aws_filter_launch,
    .pick = aws_pick,
    .node = aws_node_of,
    .launch_request = aws_launch_request,
    .launch_result = aws_launch_result,
    .mark = aws_mark_of,
    .expire = aws_expire,
    .drift = aws_drift_of,
    .repair_policies = plugin_repair_policies,
    .node_repairs = aws_node_repairs,
    .set_gates = aws_set_gates,
    .facts_info = aws_facts_info,
    .facts_write = aws_write_facts,
};

static const char *const domains[] = { "karpenter.k8s.aws", "eks.amazonaws.com", "k8s.amazonaws.com", NULL };

const builtin_plugin aws_builtin = {
    .plugin = &aws_plugin,
    .usual_region = AWS_USUAL_REGION,
    .region_length = region_length,
    .scheme = "aws://",
    .before_zone = "aws:///",
    .before_id = "/i-",
    .domains = domains,
    .zones_setting = "zones",
    .release_1_14 = "1.14.3",
    .other_group = "eks.amazonaws.com",
    .usual_class = "its nodes are assumed to run AL2023 with default settings",
};
