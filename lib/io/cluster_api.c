/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cluster API: every MachineDeployment that its node class selects is an instance type, by annotations and labels.
 * Source: kubernetes-sigs/karpenter-provider-cluster-api v0.2.0, pkg/cloudprovider/cloudprovider.go and
 * pkg/providers/machinedeployment. It reads no taints: nodes have them, and launches do not count them.
 */
#include <io/cluster_api.h>

#include <base/admit.h>
#include <io/clouds.h>

#define CAPACITY "capacity.cluster-autoscaler.kubernetes.io/"
#define MEMBER "node.cluster.x-k8s.io/karpenter-member"
#define MOST "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"

static const karp_str nothing = { "", 0 };

static bool is_deployment(const io_deferred *w)
{
    return !w->gone && w->info->kind == IO_KIND_REFERRED && str_is(str(w->info->name), "MachineDeployment");
}

bool io_is_cluster_api(const karp_reader *reader, karp_str group)
{
    if (!str_is(group, "karpenter.cluster.x-k8s.io")) return false;
    for (size_t i = 0; i < reader->deferred_count; i++) {
        if (is_deployment(&reader->deferred[i])) return true;
    }
    return false;
}

const karp_settings *io_cluster_api_labels(void)
{
    static const karp_str well_known[] = { { "capacity.karpenter.cluster.x-k8s.io/memory", 42 },
                                           { "capacity.karpenter.cluster.x-k8s.io/cpu", 39 } };
    static const karp_str restricted[] = { { "karpenter.cluster.x-k8s.io", 26 } };
    static const karp_settings tables = { .size = sizeof tables,
                                          .well_known = well_known,
                                          .well_known_count = 2,
                                          .restricted_domains = restricted,
                                          .restricted_domain_count = 1 };
    return &tables;
}

/* ---- a type ------------------------------------------------------------------------------------------------------ */

/* What makes one catalogue. */
typedef struct making {
    karp_reader *reader;
    io_decoder d;
    karp_instance_type *types;
    size_t count;
} making;

static const tree *annotation(const io_deferred *w, const char *key)
{
    return tree_get(tree_get(tree_get(w->root, "metadata"), "annotations"), key);
}

static karp_status bad_amount(making *m, const io_deferred *w, const char *key, karp_str text)
{
    (void)io_reader_fail(m->reader, KARP_E_INVALID, &w->place, "metadata.annotations",
                         "%s is \"%.*s\", no quantity: the provider of Cluster API ends with a panic", key,
                         str_shown(text, 60), text.ptr);
    io_reader_name(m->reader, str("MachineDeployment"), w->namespace_, w->name);
    return KARP_E_INVALID;
}

static karp_status add_capacity(making *m, const io_deferred *w, karp_instance_type *out)
{
    static const struct {
        const char *key, *resource;
    } rows[] = { { CAPACITY "cpu", "cpu" },
                 { CAPACITY "memory", "memory" },
                 { CAPACITY "gpu-count", NULL }, /* of the resource that gpu-type names */
                 { CAPACITY "ephemeral-disk", "ephemeral-storage" },
                 { CAPACITY "maxPods", "pods" } };
    enum { ROWS = sizeof rows / sizeof *rows };
    karp_resource *list = io_make(&m->d, ROWS, sizeof *list);
    if (!list) return io_reader_nomem(m->reader);
    for (size_t i = 0; i < ROWS; i++) {
        const tree *amount = annotation(w, rows[i].key);
        karp_str text = tree_text(amount);
        karp_str resource = rows[i].resource ? str(rows[i].resource) : tree_text(annotation(w, CAPACITY "gpu-type"));
        if (!amount || resource.len == 0) continue;
        if (karp_quantity_check(text) != KARP_OK) return bad_amount(m, w, rows[i].key, text);
        list[out->capacity_count++] = (karp_resource){ .name = resource, .text = text };
    }
    out->capacity = list;
    return KARP_OK;
}

static bool is_in_domain(karp_str key, const char *domain)
{
    karp_str own = str_before(key, '/');
    size_t length = strlen(domain);
    if (str_is(own, domain)) return true;
    return own.len > length && own.ptr[own.len - length - 1] == '.' && str_ends(own, domain);
}

/* Labels that Cluster API copies from Machines to Nodes. */
static bool is_copied(karp_str key)
{
    return str_is(str_before(key, '/'), "node-role.kubernetes.io") ||
           is_in_domain(key, "node-restriction.kubernetes.io") || is_in_domain(key, "node.cluster.x-k8s.io");
}

static size_t commas(karp_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == ',';
    return count;
}

/* Those of the Machines, and over them those of the annotation, "a=b,c=d". */
static const karp_label *labels_of(making *m, const io_deferred *w, size_t *count)
{
    const tree *template_ = tree_get(tree_get(w->root, "spec"), "template"),
               *own = tree_get(tree_get(template_, "metadata"), "labels");
    karp_str text = tree_text(annotation(w, CAPACITY "labels"));
    karp_label *list = io_make(&m->d, tree_count(own) + commas(text) + 2, sizeof *list);
    *count = 0;
    if (!list) return NULL;
    for (size_t i = 0; tree_is(own, TREE_MAP) && i < tree_count(own); i++) {
        const tree_member *at = tree_member_at(own, i);
        if (is_copied(tree_member_name(at))) label_set(list, count, tree_member_name(at), tree_text(at->value));
    }
    while (text.len > 0) {
        karp_str part = str_until(&text, ','), key = str_before(part, '=');
        if (key.len == part.len) continue;
        label_set(list, count, key, (karp_str){ key.ptr + key.len + 1, part.len - key.len - 1 });
    }
    return list;
}

static karp_requirement in(karp_str key, const karp_str *value)
{
    return (karp_requirement){ .key = key, .op = KARP_OP_IN, .values = value, .value_count = 1 };
}

static bool is_below_most(const io_deferred *w)
{
    const tree *most = annotation(w, MOST);
    string_number limit = read_integer(tree_text(most));
    if (!most || !limit.is_number) return true;
    string_number replicas = read_integer(tree_text_or_digits(tree_get(tree_get(w->root, "spec"), "replicas")));
    return replicas.value < limit.value;
}

/* One offering, for nothing, in the zone of its labels. */
static karp_status add_type(making *m, const io_deferred *w)
{
    static const karp_str on_demand = { "on-demand", 9 };
    karp_instance_type *out = &m->types[m->count++];
    size_t count;
    const karp_label *labels = labels_of(m, w, &count);
    karp_requirement *requirements = io_make(&m->d, count + 2, sizeof *requirements);
    karp_offering *offering = io_make(&m->d, 1, sizeof *offering);
    karp_str *zone = io_make(&m->d, 1, sizeof *zone);
    if (!labels || !requirements || !offering || !zone) return io_reader_nomem(m->reader);
    *zone = label_or_none(labels, count, LABEL_ZONE);
    *out = (karp_instance_type){ .size = sizeof *out, .name = label_or_none(labels, count, LABEL_TYPE) };
    if (out->name.len == 0) out->name = w->name;
    for (size_t i = 0; i < count; i++) requirements[i] = in(labels[i].key, &labels[i].value);
    out->requirements = requirements;
    out->requirement_count = count;
    requirements[count] = in(str(LABEL_CAPACITY_TYPE), &on_demand);
    requirements[count + 1] = in(str(LABEL_ZONE), zone);
    *offering = (karp_offering){ .requirements = requirements + count,
                                 .requirement_count = 2,
                                 .available = is_below_most(w) };
    out->offerings = offering;
    out->offering_count = 1;
    karp_status status = add_capacity(m, w, out);
    if (status || !annotation(w, CAPACITY "taints")) return status;
    return io_warn_once(m->reader,
                        "MachineDeployment %.*s: the provider of Cluster API does not read its annotation " CAPACITY
                        "taints: a pod that does not tolerate them is given a node that it cannot use",
                        str_shown(w->name, 100), w->name.ptr);
}

/* ---- a NodePool -------------------------------------------------------------------------------------------------- */

static const karp_label *own_labels(making *m, const io_deferred *w, size_t *count)
{
    const tree *labels = tree_get(tree_get(w->root, "metadata"), "labels");
    karp_label *list = io_make(&m->d, tree_count(labels) + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; list && tree_is(labels, TREE_MAP) && i < tree_count(labels); i++) {
        const tree_member *at = tree_member_at(labels, i);
        list[(*count)++] = (karp_label){ tree_member_name(at), tree_text(at->value) };
    }
    return list;
}

static karp_status add_types(making *m, const karp_selector *selector)
{
    static const karp_label member = { { MEMBER, sizeof MEMBER - 1 }, { "", 0 } };
    karp_reader *reader = m->reader;
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        size_t count;
        if (!is_deployment(w)) continue;
        const karp_label *labels = own_labels(m, w, &count);
        if (!labels) return io_reader_nomem(reader);
        if (!labels_include(labels, count, &member, 1)) continue;
        if (selector && !selector_admits(selector, labels, count)) continue;
        karp_status status = add_type(m, w);
        if (status) return status;
    }
    return KARP_OK;
}

static karp_status add_pool(making *m, const io_deferred *pool)
{
    karp_reader *reader = m->reader;
    karp_str name = tree_get_text(tree_get(io_template_spec(pool->root), "nodeClassRef"), "name");
    const io_deferred *class_ = io_find_deferred(reader, str("ClusterAPINodeClass"), nothing, name);
    karp_catalogue *catalogue = NULL;
    m->types = io_make(&m->d, reader->deferred_count, sizeof *m->types);
    m->count = 0;
    const karp_selector *selector = class_
                                        ? io_selector(&m->d, tree_get(class_->root, "spec"), "scalableResourceSelector")
                                        : NULL;
    if (m->d.status == KARP_E_NOMEM || !m->types) return io_reader_nomem(reader);
    if (m->d.status) {
        reader->error = m->d.error;
        io_error_place(&reader->error, &class_->place);
        return m->d.status;
    }
    karp_status status = KARP_OK;
    if (!class_)
        status = io_warn_once(
            reader,
            "ClusterAPINodeClass %.*s is not in the input: all MachineDeployments with the label " MEMBER
            " are assumed",
            str_shown(name, 100), name.len ? name.ptr : "");
    if (status == KARP_OK) status = add_types(m, selector);
    if (status == KARP_OK) status = karp_catalogue_new(reader->context, m->types, m->count, &catalogue, &reader->error);
    return status ? status : io_give_catalogue(reader, catalogue, &pool->name, 1);
}

karp_status io_give_cluster_api(karp_reader *reader)
{
    making m = { .reader = reader };
    karp_status status = KARP_OK;
    arena memory = arena_on(reader->context);
    io_decoder_init(&m.d, &memory);
    for (size_t i = 0; i < reader->deferred_count && status == KARP_OK; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE_POOL || w->gone) continue;
        karp_str group = io_group_of_class(tree_get(io_template_spec(w->root), "nodeClassRef"));
        if (io_is_cluster_api(reader, group)) status = add_pool(&m, w);
    }
    arena_free(&memory);
    return status;
}
