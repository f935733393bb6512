/* SPDX-License-Identifier: Apache-2.0 */
/* Pods, and objects with a pod template: DaemonSets and capacity buffers. */
#include <model/builder.h>

#include <base/error.h>
#include <model/address.h>
#include <model/groups.h>
#include <model/store_pods.h>

#include <karp/groups.h>

static bool is_word(karp_str text, const char *word) { return text.ptr != NULL && equal_str(text, str(word)); }

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static size_t count_ports(copier *c, const karp_pod *given)
{
    size_t count = 0;
    if (!copy_has(c, given->containers, given->container_count)) return 0;
    for (size_t i = 0; i < given->container_count; i++) {
        const karp_container *k = &given->containers[i];
        copy_reserved(c, k->reserved, "karp_container");
        if (!copy_has(c, k->ports, k->port_count)) continue;
        for (size_t j = 0; j < k->port_count; j++) count += k->ports[j].port != 0;
        if (count > MOST_ELEMENTS) {
            copy_blame(c, fail(c->error, KARP_E_LIMIT, "too many host ports"), "spec.containers");
            return 0;
        }
    }
    return c->status == KARP_OK ? count : 0;
}

static void read_port(copier *c, const karp_host_port *given, host_port *out)
{
    karp_str ip = given->host_ip.ptr && given->host_ip.len > 0 ? given->host_ip : str("0.0.0.0");
    copy_reserved(c, given->reserved, "karp_host_port");
    out->ip_known = address_parse(ip, out->ip);
    out->any = out->ip_known && address_unspecified(out->ip);
    out->port = given->port;
    out->protocol = copy_text(c, given->protocol);
    put(c, (uint32_t)out->port);
    put(c, out->ip_known);
    for (size_t i = 0; i < 16; i += 4) {
        uint32_t word;
        memcpy(&word, out->ip + i, sizeof word);
        put(c, word);
    }
}

static host_port_list read_ports(copier *c, const karp_pod *given)
{
    size_t count = count_ports(c, given), n = 0;
    put(c, (uint32_t)count);
    if (count == 0 || c->status != KARP_OK) return (host_port_list){ NULL, 0 };
    host_port *items = arena_array(c->to, count, sizeof *items);
    if (items == NULL) {
        copy_refuse(c);
        return (host_port_list){ NULL, 0 };
    }
    for (size_t i = 0; i < given->container_count; i++) {
        const karp_container *k = &given->containers[i];
        for (size_t j = 0; j < k->port_count; j++) {
            if (k->ports[j].port != 0) read_port(c, &k->ports[j], &items[n++]);
        }
    }
    return (host_port_list){ items, (uint32_t)n };
}

static void read_affinity(copier *c, const karp_pod *given, shape *s)
{
    s->required = copy_node_terms(
        c, "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
        given->required_node_terms, given->required_node_term_count);
    s->preferred = copy_node_terms(c, "spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution",
                                   given->preferred_node_terms, given->preferred_node_term_count);
    s->required_affinity = copy_pod_terms(c, "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                                          given->required_affinity, given->required_affinity_count);
    s->preferred_affinity = copy_pod_terms(c,
                                           "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution",
                                           given->preferred_affinity, given->preferred_affinity_count);
    s->required_anti = copy_pod_terms(c, "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution",
                                      given->required_anti_affinity, given->required_anti_affinity_count);
    s->preferred_anti = copy_pod_terms(c,
                                       "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution",
                                       given->preferred_anti_affinity, given->preferred_anti_affinity_count);
}

static void read_constraints(copier *c, const karp_pod *given, shape *s)
{
    path_enter(c, "spec.nodeSelector");
    s->node_selector = copy_labels(c, given->node_selector, given->node_selector_count);
    path_leave(c);
    read_affinity(c, given, s);
    path_enter(c, "spec.topologySpreadConstraints");
    s->spread = copy_spread(c, given->spread, given->spread_count);
    path_leave(c);
    path_enter(c, "spec.tolerations");
    s->tolerations = copy_tolerations(c, given->tolerations, given->toleration_count);
    path_leave(c);
    s->ports = read_ports(c, given);
}

static bool uses_claims(copier *c, const karp_pod *given)
{
    bool any = given->resource_claim_count > 0;
    if (copy_has(c, given->containers, given->container_count)) {
        for (size_t i = 0; i < given->container_count; i++) any = any || given->containers[i].claim_count > 0;
    }
    if (copy_has(c, given->init_containers, given->init_container_count)) {
        for (size_t i = 0; i < given->init_container_count; i++) any = any || given->init_containers[i].claim_count > 0;
    }
    return any;
}

static void read_scalars(copier *c, const karp_pod *given, enum pod_source source, shape *s)
{
    s->has_priority = given->has_priority != 0;
    s->priority = s->has_priority ? given->priority : 0;
    if (source == BUFFER_TEMPLATE) { /* Karpenter gives virtual pods the lowest priority */
        s->has_priority = true;
        s->priority = INT32_MIN;
    }
    s->has_claims = uses_claims(c, given);
    s->critical = is_word(given->priority_class_name, "system-cluster-critical") ||
                  is_word(given->priority_class_name, "system-node-critical");
    s->grace_seconds = given->termination_grace_seconds < 0 ? -1 : given->termination_grace_seconds;
    put(c, (uint32_t)s->has_priority | (uint32_t)s->has_claims << 1 | (uint32_t)s->critical << 2);
    put(c, (uint32_t)s->priority);
    put_wide(c, s->grace_seconds);
}

static resource_list keep_requests(copier *c, resource_list list)
{
    resource_list kept = { NULL, 0 };
    if (c->status != KARP_OK || list.count == 0) return kept;
    kept.items = arena_copy(c->to, list.items, list.count * sizeof *list.items);
    if (kept.items == NULL) copy_refuse(c);
    else kept.count = list.count;
    return kept;
}

static const beside_requests *keep_beside(copier *c, beside_requests given)
{
    if (given.newer.count == 0 && given.predicted.count == 0 && given.limits.count == 0) return NULL;
    const beside_requests kept = { keep_requests(c, given.newer), keep_requests(c, given.predicted),
                                   keep_requests(c, given.limits) };
    const beside_requests *copy = arena_copy(c->to, &kept, sizeof kept);
    if (copy == NULL) copy_refuse(c);
    return copy;
}

/* Reads a shape. Its key ends with the ids of texts and their number. Returns the position in the key at which its
 * rules begin, after the requests. */
static size_t read_shape(adding *a, const karp_pod *given, enum pod_source source, shape *s)
{
    copier *c = &a->c;
    beside_requests beside = { .newer = { NULL, 0 } };
    resource_list requests = pod_requests(a, given, source, &beside);
    put_resources(c, requests);
    put_resources(c, beside.newer);
    put_resources(c, beside.predicted);
    put_resources(c, beside.limits);
    size_t rules = a->b->key.words.count;
    s->requests = keep_requests(c, requests);
    s->beside = keep_beside(c, beside);
    read_constraints(c, given, s);
    read_scalars(c, given, source, s);
    shape_key *key = c->key;
    uint32_t texts = (uint32_t)key->texts.count;
    for (uint32_t i = 0; i < texts; i++) put(c, key->texts.items[i]);
    put(c, texts);
    return rules;
}

/* Adds a new shape with the current key; NO_ID = out of memory. */
static uint32_t put_shape(adding *a, shape read, size_t rules)
{
    store *s = &a->b->s;
    const uint32_t *key = a->b->key.words.items;
    size_t length = a->b->key.words.count;
    read.rules = words_add(&s->rule_keys, key + rules, length - rules);
    if (read.rules == NO_ID || !list_reserve(a->b->context, &s->shapes, sizeof read)) return NO_ID;
    uint32_t id = words_add(&s->shape_keys, key, length);
    if (id == NO_ID) return NO_ID;
    shape *place = list_push(a->b->context, &s->shapes, sizeof read);
    if (place != NULL) *place = read;
    a->mark = arena_get_mark(&s->data); /* the shape stays even if adding the pod fails */
    return id;
}

/* The shape's index. If the shape exists, its copy is freed again, so that equal pods use no memory here. */
static uint32_t intern_shape(adding *a, const karp_pod *given, enum pod_source source)
{
    store *s = &a->b->s;
    arena_mark before = arena_get_mark(&s->data);
    shape read = { .grace_seconds = -1 };
    if (a->c.status != KARP_OK) return 0;
    a->b->key.words.count = a->b->key.texts.count = 0;
    a->c.key = &a->b->key;
    size_t rules = read_shape(a, given, source, &read);
    a->c.key = NULL;
    if (a->c.status != KARP_OK) return 0;
    uint32_t id = words_find(&s->shape_keys, a->b->key.words.items, a->b->key.words.count);
    if (id != NO_ID) {
        arena_release(&s->data, before);
        return id;
    }
    id = put_shape(a, read, rules);
    if (id != NO_ID) return id;
    copy_refuse(&a->c);
    return 0;
}

/* The shape with what is predicted as its requests; NO_ID = out of memory. The key of a shape begins with the requests,
 * and goes on with the rules. */
static uint32_t predicted_shape(karp_builder *builder, uint32_t number)
{
    store *s = &builder->s;
    shape again = s->shapes.items[number];
    const beside_requests was = beside_of(&again), limits = { .limits = was.limits };
    shape_key *key = &builder->key;
    adding a = { .b = builder, .c = { .context = builder->context, .key = key } };
    key->words.count = key->texts.count = 0;
    put_resources(&a.c, was.predicted);
    put_resources(&a.c, limits.newer);
    put_resources(&a.c, limits.predicted);
    put_resources(&a.c, limits.limits);
    size_t rules = key->words.count;
    const struct words_entry *rest = &s->rule_keys.entries[again.rules];
    for (uint32_t i = 0; i < rest->count; i++) put(&a.c, rest->ptr[i]);
    if (a.c.status != KARP_OK) return NO_ID;
    uint32_t id = words_find(&s->shape_keys, key->words.items, key->words.count);
    if (id != NO_ID) return id;
    again.requests = was.predicted;
    a.c.to = &s->data;
    again.beside = keep_beside(&a.c, limits);
    return a.c.status == KARP_OK ? put_shape(&a, again, rules) : NO_ID;
}

bool builder_create_again(karp_builder *builder, uint32_t name_space, uint32_t name)
{
    if (!store_index_pods(&builder->s)) return false;
    uint32_t number = store_find_pod(&builder->s, name_space, name);
    if (number == NO_ID) return true;
    uint32_t own = pod_at(&builder->s, number)->shape;
    if (beside_of(&builder->s.shapes.items[own]).predicted.count == 0) return true;
    uint32_t again = predicted_shape(builder, own);
    pod *p = again == NO_ID ? NULL : store_change_pod(&builder->s, number);
    if (p != NULL) p->shape = again;
    return p != NULL;
}

static uint32_t intern_labels(adding *a, const karp_label *list, size_t count, const char *path)
{
    copier c = a->c;
    if (c.status != KARP_OK) return 0;
    c.to = &a->b->scratch;
    path_enter(&c, path);
    label_list labels = copy_labels(&c, list, count);
    uint32_t id = 0;
    if (c.status == KARP_OK) {
        id = words_add(&a->b->s.labels, (const uint32_t *)(const void *)labels.items, (size_t)labels.count * 2);
        if (id == NO_ID) copy_refuse(&c);
    }
    a->c.status = c.status;
    return c.status == KARP_OK ? id : 0;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* "<pod>-<volume>": the claim of an ephemeral volume. */
static uint32_t ephemeral_claim(adding *a, karp_str owner, karp_str name)
{
    size_t bytes = 0;
    char *text = NULL;
    size_t own = name.ptr ? name.len : 0;
    if (size_add(owner.len, own, &bytes) && size_add(bytes, 1, &bytes))
        text = arena_alloc_aligned(&a->b->scratch, bytes, 1);
    if (text == NULL) {
        copy_refuse(&a->c);
        return 0;
    }
    memcpy(text, owner.ptr, owner.len);
    text[owner.len] = '-';
    if (own > 0) memcpy(text + owner.len + 1, name.ptr, own);
    return copy_name(a, (karp_str){ text, bytes });
}

static uint32_t intern_volumes(adding *a, const karp_pod *given)
{
    copier *c = &a->c;
    if (!copy_has(c, given->volumes, given->volume_count)) return 0;
    uint32_t *claims = arena_array(&a->b->scratch, given->volume_count, sizeof *claims);
    size_t count = 0;
    if (claims == NULL) {
        copy_refuse(c);
        return 0;
    }
    path_enter(c, "spec.volumes");
    for (size_t i = 0; i < given->volume_count && c->status == KARP_OK; i++) {
        const karp_pod_volume *v = &given->volumes[i];
        path_at(c, i);
        copy_reserved(c, v->reserved, "karp_pod_volume");
        if (v->kind > KARP_VOLUME_EPHEMERAL) {
            copy_blame(c, fail(c->error, KARP_E_INVALID, "unknown kind %u", (unsigned)v->kind), NULL);
            return 0;
        }
        if (v->kind == KARP_VOLUME_CLAIM) claims[count++] = copy_name(a, v->claim_name);
        if (v->kind == KARP_VOLUME_EPHEMERAL) claims[count++] = ephemeral_claim(a, given->meta.name, v->name);
    }
    if (c->status != KARP_OK) return 0;
    path_leave(c);
    uint32_t id = words_add(&a->b->s.volumes, claims, count);
    if (id == NO_ID) copy_refuse(c);
    return id;
}

static uint32_t selects_kind(const karp_owner *o)
{
    if (is_word(o->api_version, "v1") && is_word(o->kind, "ReplicationController"))
        return KARP_SELECTS_REPLICATION_CONTROLLER;
    if (is_word(o->api_version, "apps/v1") && is_word(o->kind, "ReplicaSet")) return KARP_SELECTS_REPLICA_SET;
    if (is_word(o->api_version, "apps/v1") && is_word(o->kind, "StatefulSet")) return KARP_SELECTS_STATEFUL_SET;
    return NO_ID;
}

/* The value's id; NO_ID = the pod lacks the annotation. */
static uint32_t read_annotation(adding *a, const karp_meta *meta, const char *key)
{
    for (size_t i = 0; i < meta->annotation_count; i++) {
        if (is_word(meta->annotations[i].key, key)) return copy_into(&a->c, a->c.text, meta->annotations[i].value);
    }
    return NO_ID;
}

/* Gates matter to the other members of a group. Alone, a pod with a gate is not pending, which explanations name. */
static void mark_group(adding *a, const karp_pod *given, pod_marks *marks)
{
    marks->gated = given->gated != 0;
    if (given->group_name.ptr == NULL || given->group_name.len == 0) return;
    marks->group = copy_name(a, given->group_name);
    marks->group_source = given->group_source;
    if (!group_source_known(given->group_source))
        copy_blame(&a->c, fail(a->c.error, KARP_E_INVALID, "unknown source %u", (unsigned)given->group_source),
                   "group_source");
}

static uint32_t intern_marks(adding *a, const karp_pod *given)
{
    const karp_meta *meta = &given->meta;
    pod_marks marks = no_marks();
    mark_group(a, given, &marks);
    if (copy_has(&a->c, meta->annotations, meta->annotation_count)) {
        marks.do_not_disrupt = read_annotation(a, meta, "karpenter.sh/do-not-disrupt");
        marks.deletion_cost = read_annotation(a, meta, "controller.kubernetes.io/pod-deletion-cost");
        marks.disruption_cost = read_annotation(a, meta, "karpenter.sh/disruption-cost");
        marks.autoscaling_cost = read_annotation(a, meta, "node-autoscaling.kubernetes.io/disruption-cost");
    }
    if (copy_has(&a->c, meta->owners, meta->owner_count)) {
        for (size_t i = 0; i < meta->owner_count; i++) {
            const karp_owner *o = &meta->owners[i];
            if (!o->controller) continue;
            marks.controller_kind = selects_kind(o);
            marks.controller_name = copy_name(a, o->name);
            marks.controller_word = copy_into(&a->c, a->c.text, o->kind);
            if (o->uid.len > 0) marks.controller_uid = copy_name(a, o->uid);
            break;
        }
    }
    if (a->c.status != KARP_OK) return 0;
    uint32_t identity[sizeof marks / sizeof(uint32_t)];
    memcpy(identity, &marks, sizeof marks);
    uint32_t id = words_add(&a->b->s.mark_keys, identity, sizeof identity / sizeof identity[0]);
    if (id == NO_ID) copy_refuse(&a->c);
    return id;
}

static uint16_t owner_flags(copier *c, const karp_meta *meta)
{
    unsigned flags = 0;
    if (!copy_has(c, meta->owners, meta->owner_count)) return 0;
    for (size_t i = 0; i < meta->owner_count; i++) {
        const karp_owner *o = &meta->owners[i];
        copy_reserved(c, o->reserved, "karp_owner");
        if (is_word(o->api_version, "v1") && is_word(o->kind, "Node")) flags |= POD_OF_NODE;
        if (is_word(o->api_version, "batch/v1") && is_word(o->kind, "Job")) flags |= POD_OF_JOB;
        if (!is_word(o->api_version, "apps/v1")) continue;
        if (is_word(o->kind, "DaemonSet")) flags |= POD_OF_DAEMON_SET;
        if (is_word(o->kind, "StatefulSet")) flags |= POD_OF_STATEFUL_SET;
    }
    return (uint16_t)flags;
}

static uint16_t status_flags(copier *c, const karp_condition *conditions, size_t count, karp_str nominated)
{
    unsigned flags = nominated.len > 0 ? POD_NOMINATED : 0;
    if (!copy_has(c, conditions, count)) return (uint16_t)flags;
    for (size_t i = 0; i < count; i++) {
        const karp_condition *o = &conditions[i];
        if (is_word(o->type, "PodScheduled") && is_word(o->reason, "Unschedulable")) flags |= POD_UNSCHEDULABLE;
        if (is_word(o->type, "Ready") && is_word(o->status, "False")) flags |= POD_NOT_READY;
        if (is_word(o->type, "Created") && is_word(o->status, "False")) flags |= POD_NOT_CREATED;
    }
    return (uint16_t)flags;
}

/* "Pod/namespace/name", which replaces a missing uid. Its second part is the pod's display name, which is returned. */
static karp_str read_uid(adding *a, karp_str uid, pod *p)
{
    static const char kind[] = "Pod/";
    enum { KIND = sizeof kind - 1 };
    karp_str space = a->shown_namespace, name = a->shown_name;
    bool own = uid.ptr != NULL && uid.len > 0;
    size_t most = UINT32_MAX - KIND - 1;
    if (a->c.status == KARP_OK && ((own && uid.len > most) || name.len > most || space.len > most - name.len)) {
        copy_blame(&a->c, fail(a->c.error, KARP_E_LIMIT, own ? "the uid is too long" : "the name is too long"),
                   own ? "metadata.uid" : "metadata.name");
    }
    if (a->c.status != KARP_OK) return (karp_str){ "", 0 };
    size_t shown = space.len + name.len + 1, before = own ? uid.len + 1 : KIND;
    char *text = arena_alloc_aligned(a->c.to, before + shown + 1, 1);
    if (text == NULL) {
        copy_refuse(&a->c);
        return (karp_str){ "", 0 };
    }
    p->uid = text;
    p->uid_len = (uint32_t)(own ? uid.len : KIND + shown);
    memcpy(text, own ? uid.ptr : kind, own ? uid.len : KIND);
    if (own) text[uid.len] = '\0';
    text += before;
    memcpy(text, space.ptr, space.len);
    text[space.len] = '/';
    memcpy(text + space.len + 1, name.ptr, name.len);
    text[shown] = '\0';
    return (karp_str){ text, shown };
}

/* Reads what all pods of a template share. */
static void read_shared(adding *a, const karp_pod *given, pod *p)
{
    copy_reserved(&a->c, given->reserved, "karp_pod");
    p->name_space = a->name_space;
    p->shape = intern_shape(a, given, POD_ITSELF);
    p->labels = intern_labels(a, given->meta.labels, given->meta.label_count, "metadata.labels");
    p->volumes = intern_volumes(a, given);
    p->marks = intern_marks(a, given);
    p->claims = intern_pod_claims(a, given);
    p->flags = owner_flags(&a->c, &given->meta);
}

static void check_pods(adding *a)
{
    check_limit(a, store_pod_count(&a->b->s), karp_context_get_options(a->b->context)->max_pods, "pods");
}

/* Sets what differs between pods of a template. */
static karp_status finish_pod(adding *a, const karp_templated_pod *own, pod *p)
{
    if (a->c.status == KARP_OK && own->phase > KARP_PHASE_UNKNOWN)
        copy_blame(&a->c, fail(a->c.error, KARP_E_INVALID, "unknown phase %u", (unsigned)own->phase), "status.phase");
    p->name = a->name;
    p->node = own->node_name.len > 0 ? copy_name(a, own->node_name) : NO_ID;
    p->flags |= status_flags(&a->c, own->conditions, own->condition_count, own->nominated_node_name);
    if (p->flags & POD_NOT_CREATED) a->b->s.not_created = true;
    karp_str shown = read_uid(a, own->uid, p);
    p->creation = own->creation == KARP_NO_TIME ? 0 : own->creation;
    p->deletion = copy_time(own->deletion);
    p->start = copy_time(own->start_time);
    p->phase = (uint8_t)own->phase;
    return adding_finish_pod(a, p, shown);
}

karp_status karp_builder_add_pod(karp_builder *builder, const karp_pod *given, karp_error *error)
{
    karp_pod all;
    adding a;
    pod p = { .node = NO_ID };
    karp_status status = adding_open(&a, builder, KIND_POD, given, &all, error);
    if (status != KARP_OK) return status;
    check_pods(&a);
    read_shared(&a, &all, &p);
    karp_templated_pod own = {
        .name = all.meta.name,
        .uid = all.meta.uid,
        .node_name = all.node_name,
        .nominated_node_name = all.nominated_node_name,
        .creation = all.meta.creation,
        .deletion = all.meta.deletion,
        .start_time = all.start_time,
        .conditions = all.conditions,
        .condition_count = all.condition_count,
        .phase = all.phase,
    };
    return finish_pod(&a, &own, &p);
}

/* Rejects ephemeral volumes, because their claims' names contain the pod's name. */
static void refuse_ephemeral(adding *a, const karp_pod *given)
{
    if (!copy_has(&a->c, given->volumes, given->volume_count)) return;
    for (size_t i = 0; i < given->volume_count && a->c.status == KARP_OK; i++) {
        if (given->volumes[i].kind != KARP_VOLUME_EPHEMERAL) continue;
        path_enter(&a->c, "spec.volumes");
        path_at(&a->c, i);
        copy_blame(&a->c, fail(a->c.error, KARP_E_INVALID, "pods do not share an ephemeral volume"), "ephemeral");
    }
}

karp_status karp_builder_add_pod_template(karp_builder *builder, const karp_pod *given, uint32_t *out,
                                          karp_error *error)
{
    karp_pod all;
    adding a;
    pod p = { .node = NO_ID, .name = NO_TEXT };
    const size_t least = SIZE_THROUGH(karp_pod, container_status_count);
    if (builder == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a builder and a place for the template's number are needed");
    karp_status status = struct_check(given, sizeof all, least, &all, "karp_pod", error);
    if (status != KARP_OK) return status;
    adding_begin_unnamed(&a, builder, KIND_POD, "Pod", &all.meta, NAMESPACED, error);
    if (!a.entered) return adding_end(&a);
    refuse_ephemeral(&a, &all);
    read_shared(&a, &all, &p);
    const pod_shared shared = { p.name_space, p.shape, p.labels, p.volumes, p.marks, p.claims, p.flags };
    return adding_finish_template(&a, &shared, out);
}

static pod pod_of_template(const store *s, uint32_t number)
{
    pod_shared shared;
    memcpy(&shared, s->templates.entries[number].ptr, sizeof shared);
    return (pod){ .name_space = shared.name_space,
                  .shape = shared.shape,
                  .labels = shared.labels,
                  .volumes = shared.volumes,
                  .marks = shared.marks,
                  .node = NO_ID,
                  .claims = shared.claims,
                  .flags = (uint16_t)shared.flags };
}

karp_status karp_builder_add_templated_pod(karp_builder *builder, uint32_t template_, const karp_templated_pod *given,
                                           karp_error *error)
{
    karp_templated_pod own;
    adding a;
    karp_status status = struct_check(given, sizeof own, SIZE_THROUGH(karp_templated_pod, reserved), &own,
                                      "karp_templated_pod", error);
    if (status == KARP_OK && own.reserved != 0) status = fail_reserved(error, "karp_templated_pod");
    if (status != KARP_OK) return status;
    if (builder == NULL) return fail(error, KARP_E_INVALID, "a builder is needed");
    if (template_ >= builder->s.templates.count)
        return fail(error, KARP_E_NOT_FOUND, "the builder has no such template");
    pod p = pod_of_template(&builder->s, template_);
    karp_meta meta = { .name = own.name, .namespace_ = store_text(&builder->s, p.name_space) };
    adding_begin_unnamed(&a, builder, KIND_POD, "Pod", &meta, CLUSTER_WIDE, error);
    if (!a.entered) return adding_end(&a);
    a.name_space = p.name_space; /* the template's was checked */
    if (meta.name.ptr && meta.name.len > 0) a.shown_namespace = meta.namespace_;
    adding_name(&a, meta.name, NULL, 0);
    check_pods(&a);
    return finish_pod(&a, &own, &p);
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static void change_pod(adding *a, uint32_t number, const karp_pod_status *now)
{
    uint32_t host = now->node_name.len > 0 ? copy_name(a, now->node_name) : NO_ID;
    uint16_t flags = status_flags(&a->c, now->conditions, now->condition_count, now->nominated_node_name);
    if (a->c.status == KARP_OK && now->phase > KARP_PHASE_UNKNOWN)
        copy_blame(&a->c, fail(a->c.error, KARP_E_INVALID, "unknown phase %u", (unsigned)now->phase), "status.phase");
    pod *p = a->c.status == KARP_OK ? store_change_pod(&a->b->s, number) : NULL;
    if (p == NULL) {
        if (a->c.status == KARP_OK) copy_refuse(&a->c);
        return;
    }
    const uint16_t of_status = POD_UNSCHEDULABLE | POD_NOMINATED | POD_NOT_READY | POD_NOT_CREATED;
    p->node = host;
    p->flags = (uint16_t)((p->flags & ~of_status) | flags);
    if (flags & POD_NOT_CREATED) a->b->s.not_created = true;
    p->start = copy_time(now->start_time);
    p->deletion = copy_time(now->deletion);
    p->phase = (uint8_t)now->phase;
}

karp_status karp_builder_set_pod_status(karp_builder *builder, karp_str namespace_, karp_str name,
                                        const karp_pod_status *given, karp_error *error)
{
    karp_pod_status own;
    adding a;
    if (builder == NULL) return fail_null(error, "builder");
    if (!str_given(namespace_) || !str_given(name)) return fail_null(error, "namespace_ or name");
    karp_status status = struct_check(given, sizeof own, SIZE_THROUGH(karp_pod_status, reserved), &own,
                                      "karp_pod_status", error);
    if (status == KARP_OK && own.reserved != 0) status = fail_reserved(error, "karp_pod_status");
    if (status != KARP_OK) return status;
    const karp_meta named = { .name = name, .namespace_ = namespace_ };
    adding_begin_unnamed(&a, builder, KIND_POD, "Pod", &named, NAMESPACED, error);
    if (!a.entered) return adding_end(&a);
    uint32_t id = strings_find(&builder->s.names, name.ptr, name.len);
    bool indexed = store_index_pods(&builder->s);
    uint32_t number = id == NO_ID || !indexed ? NO_ID : store_find_pod(&builder->s, a.name_space, id);
    if (!indexed) copy_refuse(&a.c);
    else if (number == NO_ID)
        copy_blame(&a.c, fail(a.c.error, KARP_E_NOT_FOUND, "the object is not in the input"), NULL);
    else change_pod(&a, number, &own);
    return adding_end(&a);
}

/* ---- templates --------------------------------------------------------------------------------------------------- */

/* The template is the last member, and has the size of the caller's version of karp_pod. */
static karp_status check_template(const karp_daemon_set *given, karp_pod *out, karp_error *error)
{
    static const char *const what = "karp_daemon_set.template_";
    const size_t least = SIZE_THROUGH(karp_pod, container_status_count);
    if (given == NULL) return struct_check(NULL, sizeof *out, least, out, what, error);
    if (given->template_.size > given->size - offsetof(karp_daemon_set, template_))
        return fail(error, KARP_E_ABI_SIZE, "%s.size is larger than the struct it is in", what);
    return struct_check(&given->template_, sizeof *out, least, out, what, error);
}

karp_status karp_builder_add_daemon_set(karp_builder *builder, const karp_daemon_set *given, karp_error *error)
{
    if (builder == NULL) return fail_null(error, "builder");
    karp_daemon_set own;
    karp_pod template_;
    adding a;
    const size_t least = offsetof(karp_daemon_set, template_) + SIZE_THROUGH(karp_pod, container_status_count);
    karp_status status = struct_check(given, sizeof own, least, &own, "karp_daemon_set", error);
    if (status == KARP_OK) status = check_template(given, &template_, error);
    if (status != KARP_OK) return status;
    adding_begin(&a, builder, KIND_DAEMON_SET, "DaemonSet", &own.meta, NAMESPACED, NULL, 0, error);
    if (!a.entered) return adding_end(&a);
    daemon_set d = { .shape = intern_shape(&a, &template_, DAEMON_TEMPLATE) };
    d.labels = intern_labels(&a, template_.meta.labels, template_.meta.label_count, "spec.template.metadata.labels");
    d.meta = copy_meta(&a, &own.meta);
    return adding_finish(&a, &builder->s.daemon_sets, &d, sizeof d);
}

static bool buffer_ready(copier *c, const karp_capacity_buffer *b)
{
    if (!copy_has(c, b->conditions, b->condition_count)) return false;
    for (size_t i = 0; i < b->condition_count; i++) {
        if (is_word(b->conditions[i].type, "ReadyForProvisioning")) return is_word(b->conditions[i].status, "True");
    }
    return false;
}

karp_status karp_builder_add_capacity_buffer(karp_builder *builder, const karp_capacity_buffer *given,
                                             karp_error *error)
{
    if (builder == NULL) return fail_null(error, "builder");
    karp_capacity_buffer own;
    karp_pod template_;
    adding a;
    karp_status status = struct_check(given, sizeof own, SIZE_THROUGH(karp_capacity_buffer, replicas), &own,
                                      "karp_capacity_buffer", error);
    if (status != KARP_OK) return status;
    status = struct_check(own.template_, sizeof template_, SIZE_THROUGH(karp_pod, container_status_count), &template_,
                          "karp_capacity_buffer.template_", error);
    if (status != KARP_OK) return status;
    adding_begin(&a, builder, KIND_BUFFER, "CapacityBuffer", &own.meta, NAMESPACED, NULL, 0, error);
    if (!a.entered) return adding_end(&a);
    capacity_buffer b = { .has_template = own.template_ != NULL, .replicas = own.replicas < 0 ? -1 : own.replicas };
    if (b.has_template) {
        b.shape = intern_shape(&a, &template_, BUFFER_TEMPLATE);
        b.labels = intern_labels(&a, template_.meta.labels, template_.meta.label_count, "template.metadata.labels");
        b.claims = intern_pod_claims(&a, &template_);
    }
    b.ready = buffer_ready(&a.c, &own);
    b.meta = copy_meta(&a, &own.meta);
    return adding_finish(&a, &builder->s.buffers, &b, sizeof b);
}
