/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/pod_class.h>

#include <base/admit.h>
#include <io/notes.h>
#include <kube/amount.h>
#include <kube/groups.h>
#include <kube/objects.h>

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static void *new_array(kube_cluster *c, size_t count, size_t elem)
{
    void *at = arena_array(&c->memory, count + 1, elem);
    if (!at) kube_nomem(c);
    return at;
}

/* ---- resources, ports, images ------------------------------------------------------------------------------------ */

/* The scheduler counts containers without a request of cpu as 100m, without one of memory as 200Mi. Requests of the pod
 * as a whole count once the pod is on a node; the score of NodeResourcesFit for the pod itself is without them. */
static void read_requests(kube_cluster *c, kube_class *s)
{
    static const int64_t none[2] = { 0, 0 }, usual[2] = { 100, 200 * 1024 * 1024 };
    int64_t real[KUBE_RESOURCES_MOST], scored[KUBE_RESOURCES_MOST], counted[KUBE_RESOURCES_MOST], missing[2];
    kube_requests(c, &s->pod, none, true, real);
    kube_requests(c, &s->pod, usual, false, scored);
    for (size_t i = 0; i < 2; i++) missing[i] = s->pod.pod_request_count && real[i] ? 0 : usual[i];
    kube_requests(c, &s->pod, missing, true, counted);
    s->requests = new_array(c, KUBE_RESOURCES_MOST, sizeof *s->requests);
    for (uint32_t i = 0; s->requests && i < KUBE_RESOURCES_MOST; i++) {
        if (real[i]) s->requests[s->request_count++] = (kube_amount){ i, real[i] };
    }
    for (size_t i = 0; i < 2; i++) {
        s->nonzero[i] = counted[i];
        s->scored[i] = scored[i];
    }
    for (size_t i = 0; i < s->profile->balanced_count; i++) {
        uint32_t r = kube_resource(c, s->profile->balanced[i].name);
        s->balances = s->balances || (r != KUBE_NONE && real[r]);
    }
}

static size_t list_ports(const karp_container *list, size_t count, bool sidecars, karp_host_port *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < list[i].port_count; k++) {
            if (list[i].ports[k].port == 0 || (sidecars && !list[i].restart_always)) continue;
            if (out) {
                out[n] = list[i].ports[k];
                if (out[n].host_ip.len == 0) out[n].host_ip = str("0.0.0.0");
                if (out[n].protocol.len == 0) out[n].protocol = str("TCP");
            }
            n++;
        }
    }
    return n;
}

static void read_ports(kube_cluster *c, kube_class *s)
{
    const karp_pod *p = &s->pod;
    size_t plain = list_ports(p->containers, p->container_count, false, NULL),
           more = list_ports(p->init_containers, p->init_container_count, true, NULL);
    karp_host_port *ports = plain + more ? new_array(c, plain + more, sizeof *ports) : NULL;
    if (!ports) return;
    (void)list_ports(p->containers, p->container_count, false, ports);
    (void)list_ports(p->init_containers, p->init_container_count, true, ports + plain);
    s->ports = ports;
    s->port_count = plain + more;
}

/* A name without a tag means the latest. A colon before a slash belongs to the port of the registry. */
static void read_image(kube_cluster *c, kube_class *s, karp_str name)
{
    size_t colon = name.len;
    for (size_t i = name.len; i > 0 && name.ptr[i - 1] != '/'; i--) {
        if (name.ptr[i - 1] == ':') colon = i - 1;
    }
    strbuf_clear(&c->text);
    strbuf_addstr(&c->text, name);
    if (colon == name.len) strbuf_adds(&c->text, ":latest");
    uint32_t id = c->text.failed ? NO_ID : strings_add(&c->images, c->text.ptr, c->text.len);
    if (id == NO_ID) kube_nomem(c);
    else s->images[s->image_count++] = id;
}

static void read_images(kube_cluster *c, kube_class *s, const tree *spec)
{
    const tree *containers = tree_get(spec, "containers"), *init = tree_get(spec, "initContainers"),
               *volumes = tree_get(spec, "volumes");
    s->container_count = tree_count(containers) + tree_count(init);
    s->images = new_array(c, s->container_count + tree_count(volumes), sizeof *s->images);
    for (size_t i = 0; s->images && i < tree_count(init); i++)
        read_image(c, s, tree_get_text(tree_item(init, i), "image"));
    for (size_t i = 0; s->images && i < tree_count(containers); i++)
        read_image(c, s, tree_get_text(tree_item(containers, i), "image"));
    for (size_t i = 0; s->images && i < tree_count(volumes); i++) {
        karp_str name = tree_get_text(tree_get(tree_item(volumes, i), "image"), "reference");
        if (name.len) read_image(c, s, name);
    }
}

static void read_volumes(kube_cluster *c, kube_class *s)
{
    if (s->pod.volume_count == 0) return;
    karp_str *names = new_array(c, s->pod.volume_count, sizeof *names);
    s->claims = new_array(c, s->pod.volume_count, sizeof *s->claims);
    for (size_t i = 0; names && s->claims && i < s->pod.volume_count; i++) {
        const karp_pod_volume *v = &s->pod.volumes[i];
        if (v->kind != KARP_VOLUME_CLAIM) continue;
        s->claims[s->volume_count] = kube_claim_find(c, s->pod.meta.namespace_, v->claim_name);
        names[s->volume_count++] = v->claim_name;
    }
    s->volumes = names;
}

/* ---- taints and node affinity ------------------------------------------------------------------------------------ */

/* The API server lets every pod tolerate for a while that its node fails. */
static void add_tolerations(kube_cluster *c, kube_class *s)
{
    static const char *const keys[] = { "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable" };
    karp_toleration *list = new_array(c, s->pod.toleration_count + 2, sizeof *list);
    if (!list) return;
    size_t n = s->pod.toleration_count;
    if (n) memcpy(list, s->pod.tolerations, n * sizeof *list);
    for (size_t i = 0; i < 2; i++)
        list[n++] = (karp_toleration){ .key = str(keys[i]),
                                       .effect = { "NoExecute", 9 },
                                       .op = KARP_TOLERATION_EXISTS };
    s->pod.tolerations = list;
    s->pod.toleration_count = n;
}

bool kube_term_matches(const karp_node_term *term, const kube_fields *fields, const kube_node_spec *node)
{
    if (term->expression_count == 0 && fields->count == 0) return false;
    for (size_t i = 0; i < fields->count; i++) {
        if (!str_is(fields->list[i].key, "metadata.name") || !requirement_allows(&fields->list[i], &node->name))
            return false;
    }
    return labels_meet(node->labels, node->label_count, term->expressions, term->expression_count);
}

const kube_fields *kube_fields_read(io_decoder *d, const tree *list, size_t count, const char *inside)
{
    kube_fields *out = io_make(d, count, sizeof *out);
    for (size_t i = 0; i < count && !d->status; i++) {
        const tree *term = inside ? tree_get(tree_item(list, i), inside) : tree_item(list, i);
        out[i].list = io_requirements(d, term, "matchFields", IO_FOR_POD, &out[i].count);
    }
    return out;
}

/* Names of the nodes that a term allows by metadata.name: those in all of its lists. false = it allows any name. */
static bool names_of_term(const kube_fields *fields, karp_str *out, size_t *count)
{
    const karp_requirement *first = NULL;
    for (size_t i = 0; i < fields->count && !first; i++) {
        const karp_requirement *r = &fields->list[i];
        if (str_is(r->key, "metadata.name") && r->op == KARP_OP_IN) first = r;
    }
    if (!first) return false;
    for (size_t i = 0; i < first->value_count; i++) {
        bool all = true;
        for (size_t k = 0; k < fields->count; k++) {
            const karp_requirement *r = &fields->list[k];
            if (str_is(r->key, "metadata.name") && r->op == KARP_OP_IN)
                all = all && str_in(first->values[i], r->values, r->value_count);
        }
        if (!all) continue;
        if (out) out[*count] = first->values[i];
        (*count)++;
    }
    return true;
}

static void read_node_affinity(kube_cluster *c, kube_class *s, const tree *affinity)
{
    const tree *terms = tree_get(tree_get(affinity, REQUIRED), "nodeSelectorTerms"),
               *wishes = tree_get(affinity, PREFERRED);
    io_decoder d;
    io_decoder_init(&d, &c->memory);
    const kube_fields *required = kube_fields_read(&d, terms, s->pod.required_node_term_count, NULL);
    s->required_fields = required;
    s->preferred_fields = kube_fields_read(&d, wishes, s->pod.preferred_node_term_count, "preference");
    kube_decoded(c, &d);
    if (d.status) return;
    size_t most = 0;
    s->restricted = s->pod.required_node_term_count > 0 && s->profile->filters[KUBE_NODE_AFFINITY];
    for (size_t i = 0; i < s->pod.required_node_term_count && s->restricted; i++)
        s->restricted = names_of_term(&required[i], NULL, &most);
    karp_str *names = s->restricted ? new_array(c, most, sizeof *names) : NULL;
    for (size_t i = 0; names && i < s->pod.required_node_term_count; i++)
        (void)names_of_term(&required[i], names, &s->only_count);
    s->only = names;
}

/* ---- rules about other pods -------------------------------------------------------------------------------------- */

/* A selector with what matchLabelKeys and mismatchLabelKeys add: the pod's own values. */
static const karp_selector *merged(kube_cluster *c, const kube_class *s, const karp_selector *selector,
                                   const karp_str *keys, size_t key_count, const karp_str *other, size_t other_count)
{
    const karp_meta *meta = &s->pod.meta;
    if (key_count + other_count == 0) return selector;
    karp_selector *out = new_array(c, 1, sizeof *out);
    size_t n = selector ? selector->expression_count : 0;
    karp_requirement *list = new_array(c, n + key_count + other_count, sizeof *list);
    if (!out || !list) return selector;
    if (n) memcpy(list, selector->expressions, n * sizeof *list);
    for (size_t i = 0; i < key_count + other_count; i++) {
        karp_str key = i < key_count ? keys[i] : other[i - key_count];
        const karp_str *value = label_value(meta->labels, meta->label_count, key);
        if (value)
            list[n++] = (karp_requirement){
                .key = key, .op = i < key_count ? KARP_OP_IN : KARP_OP_NOT_IN, .values = value, .value_count = 1
            };
    }
    if (!selector && n == 0) return NULL;
    if (selector) *out = *selector;
    out->expressions = list;
    out->expression_count = n;
    return out;
}

static void set_rule(kube_cluster *c, kube_rule *rule, const karp_str *namespaces, size_t count,
                     const karp_selector *only)
{
    const karp_selector **selectors = new_array(c, 1, sizeof *selectors);
    if (!selectors) return;
    selectors[0] = only;
    *rule = (kube_rule){
        .namespaces = namespaces, .namespace_count = count, .selectors = selectors, .selector_count = 1
    };
}

/* Rules keep a pointer to it, and classes move. */
static const karp_str *own_namespace(kube_cluster *c, const kube_class *s)
{
    karp_str *copy = new_array(c, 1, sizeof *copy);
    if (copy) *copy = s->pod.meta.namespace_;
    return copy;
}

static void term_rule(kube_cluster *c, const kube_class *s, const karp_pod_term *term, const tree *object,
                      kube_rule *rule)
{
    io_decoder d;
    size_t own, other;
    io_decoder_init(&d, &c->memory);
    const karp_str *keys = io_strings(&d, object, "matchLabelKeys", &own),
                   *others = io_strings(&d, object, "mismatchLabelKeys", &other);
    const karp_selector *selector = term->label_selector ? merged(c, s, term->label_selector, keys, own, others, other)
                                                         : NULL;
    if (term->namespace_count || term->namespace_selector)
        set_rule(c, rule, term->namespaces, term->namespace_count, selector);
    else set_rule(c, rule, own_namespace(c, s), 1, selector);
    rule->namespace_selector = term->namespace_selector;
    kube_decoded(c, &d);
}

static uint32_t term_group(kube_cluster *c, const kube_class *s, const karp_pod_term *term, const tree *object)
{
    kube_rule *rule = new_array(c, 1, sizeof *rule);
    if (!rule) return KUBE_NONE;
    term_rule(c, s, term, object, rule);
    return kube_group_add(c, rule, 1);
}

static void read_required(kube_cluster *c, kube_class *s, const tree *affinity, const tree *anti)
{
    const karp_pod *p = &s->pod;
    const tree *terms = tree_get(affinity, REQUIRED), *others = tree_get(anti, REQUIRED);
    kube_rule *all = new_array(c, p->required_affinity_count, sizeof *all);
    s->affinity = new_array(c, p->required_affinity_count, sizeof *s->affinity);
    s->anti = new_array(c, p->required_anti_affinity_count, sizeof *s->anti);
    s->affinity_group = KUBE_NONE;
    if (!all || !s->affinity || !s->anti) return;
    for (size_t i = 0; i < p->required_affinity_count && !c->status; i++) {
        const karp_pod_term *t = &p->required_affinity[i];
        term_rule(c, s, t, tree_item(terms, i), &all[i]);
        uint32_t group = kube_group_add(c, &all[i], 1);
        s->affinity[s->affinity_count++] = kube_term_add(c, group, t->topology_key, KUBE_REQUIRED_AFFINITY, 0);
    }
    if (p->required_affinity_count) s->affinity_group = kube_group_add(c, all, p->required_affinity_count);
    for (size_t i = 0; i < p->required_anti_affinity_count && !c->status; i++) {
        const karp_pod_term *t = &p->required_anti_affinity[i];
        uint32_t group = term_group(c, s, t, tree_item(others, i));
        s->anti[s->anti_count++] = kube_term_add(c, group, t->topology_key, KUBE_REQUIRED_ANTI, 0);
    }
}

static void add_preferred(kube_cluster *c, kube_class *s, const karp_pod_term *list, size_t count, const tree *wishes,
                          uint32_t kind)
{
    for (size_t i = 0; i < count && !c->status; i++) {
        uint32_t group = term_group(c, s, &list[i], tree_get(tree_item(wishes, i), "podAffinityTerm"));
        int64_t weight = kind == KUBE_PREFERRED_ANTI ? -(int64_t)list[i].weight : list[i].weight;
        s->preferred[s->preferred_count++] = kube_term_add(c, group, list[i].topology_key, kind, weight);
    }
}

static void read_preferred(kube_cluster *c, kube_class *s, const tree *affinity, const tree *anti)
{
    const karp_pod *p = &s->pod;
    s->preferred = new_array(c, p->preferred_affinity_count + p->preferred_anti_affinity_count, sizeof *s->preferred);
    if (!s->preferred) return;
    add_preferred(c, s, p->preferred_affinity, p->preferred_affinity_count, tree_get(affinity, PREFERRED),
                  KUBE_PREFERRED_AFFINITY);
    add_preferred(c, s, p->preferred_anti_affinity, p->preferred_anti_affinity_count, tree_get(anti, PREFERRED),
                  KUBE_PREFERRED_ANTI);
}

static void add_constraint(kube_cluster *c, kube_class *s, const karp_spread_constraint *k, uint32_t group,
                           bool any_key)
{
    bool hard = k->when_unsatisfiable == KARP_DO_NOT_SCHEDULE;
    if (group == KUBE_NONE) return;
    kube_constraint *into = hard ? &s->hard[s->hard_count++] : &s->soft[s->soft_count++];
    *into = (kube_constraint){ .group = group,
                               .key = kube_key_add(c, k->topology_key),
                               .max_skew = k->max_skew,
                               .min_domains = k->min_domains > 0 ? k->min_domains : 1,
                               .honors_affinity = k->node_affinity_policy != KARP_POLICY_IGNORE,
                               .honors_taints = k->node_taints_policy == KARP_POLICY_HONOR,
                               .selects_self = kube_group_has(c, group, s),
                               .any_key = any_key };
}

/* A pod without constraints gets the default ones, if a Service or its controller selects it. */
static void read_spread(kube_cluster *c, kube_class *s)
{
    size_t own = s->pod.spread_count, count = own ? own : s->profile->spread_count;
    s->hard = new_array(c, count, sizeof *s->hard);
    s->soft = new_array(c, count, sizeof *s->soft);
    kube_rule *rule = new_array(c, 1, sizeof *rule);
    if (!s->hard || !s->soft || !rule) return;
    if (own == 0) {
        if (count == 0 || !kube_selected_by(c, &s->pod, rule)) return;
        uint32_t group = kube_group_add(c, rule, 1);
        for (size_t i = 0; i < count && !c->status; i++)
            add_constraint(c, s, &s->profile->spread[i], group, s->profile->system_spread);
        return;
    }
    for (size_t i = 0; i < own && !c->status; i++) {
        const karp_spread_constraint *k = &s->pod.spread[i];
        rule = new_array(c, 1, sizeof *rule);
        if (!rule) return;
        set_rule(c, rule, own_namespace(c, s), 1,
                 merged(c, s, k->label_selector, k->match_label_keys, k->match_label_key_count, NULL, 0));
        add_constraint(c, s, k, kube_group_add(c, rule, 1), false);
    }
}

/* The profile that the pod names. A single profile without a name is that of every pod. */
static const kube_profile *find_profile(kube_cluster *c, const tree *spec)
{
    enum { MOST_SHOWN = 300 };
    karp_str name = tree_get_text(spec, "schedulerName");
    char names[MOST_SHOWN] = "", meant[MEANT];
    if (c->profiles->name.len == 0) return c->profiles;
    if (name.len == 0) name = str("default-scheduler");
    nearest near = nearest_to(name);
    for (size_t i = 0; i < c->profile_count; i++) {
        if (equal_str(c->profiles[i].name, name)) return &c->profiles[i];
        nearest_offer(&near, c->profiles[i].name);
        str_append(names, sizeof names, "%s%.*s", i ? ", " : "", str_shown(c->profiles[i].name, 60),
                   c->profiles[i].name.ptr);
    }
    if (!c->status)
        c->status = fail(&c->error, KARP_E_NOT_FOUND,
                         "pods have the schedulerName %.*s; the configuration has no profile of that name (it has %s): "
                         "add one%s",
                         str_shown(name, 60), name.ptr, names, io_meant(&near, meant));
    return NULL;
}

uint32_t kube_class_add(kube_cluster *c, const karp_pod *pod, const tree *object)
{
    const tree *spec = tree_get(object, "spec"), *affinity = tree_get(spec, "affinity");
    if (c->status ||
        !grow(c->context, (void **)&c->classes, &c->class_capacity, c->class_count + 1, sizeof *c->classes)) {
        kube_nomem(c);
        return KUBE_NONE;
    }
    kube_class *s = &c->classes[c->class_count];
    *s = (kube_class){ .pod = *pod };
    if (s->pod.meta.namespace_.len == 0) s->pod.meta.namespace_ = str("default");
    s->profile = find_profile(c, spec);
    if (!s->profile) return KUBE_NONE;
    karp_str policy = tree_get_text(spec, "preemptionPolicy");
    const kube_priority *priority = kube_priority_find(c, pod->priority_class_name);
    s->never_preempts = policy.len ? str_is(policy, "Never") : priority && priority->never;
    read_requests(c, s);
    read_ports(c, s);
    read_images(c, s, spec);
    read_volumes(c, s);
    add_tolerations(c, s);
    read_node_affinity(c, s, tree_get(affinity, "nodeAffinity"));
    read_required(c, s, tree_get(affinity, "podAffinity"), tree_get(affinity, "podAntiAffinity"));
    read_preferred(c, s, tree_get(affinity, "podAffinity"), tree_get(affinity, "podAntiAffinity"));
    read_spread(c, s);
    if (c->status) return KUBE_NONE;
    s->selects_itself = s->affinity_group != KUBE_NONE && kube_group_has(c, s->affinity_group, s);
    return (uint32_t)c->class_count++;
}
