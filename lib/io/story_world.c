/* SPDX-License-Identifier: Apache-2.0 */
#include <io/story.h>

#include <string.h>

static bool set_str(json_t *object, const char *name, karp_str text)
{
    return io_set(object, name, io_text_value(text));
}

static bool set_time(json_t *object, const char *name, int64_t instant)
{
    char text[KARP_VALUE_TEXT];
    karp_time_format(instant, text);
    return set_str(object, name, io_str(text));
}

/* A copy of built text that lasts; ptr NULL = no memory. */
static karp_str keep_text(story *s, io_text *text)
{
    karp_str kept = text->failed ? (karp_str){ NULL, 0 } : io_keep(s->reader, (karp_str){ text->ptr, text->len });
    io_text_free(text);
    return kept;
}

/* ---- pods ---------------------------------------------------------------------------------------------------------------- */

static karp_status add_pod(story *s, uint32_t workload, uint64_t number)
{
    const story_workload *w = &s->workloads[workload];
    void *data = s->pods;
    io_text name;
    io_text_init(&name, s->context);
    io_text_add(&name, w->namespace_.ptr, w->namespace_.len);
    io_text_addc(&name, '/');
    io_text_add(&name, w->name.ptr, w->name.len);
    io_text_addc(&name, '-');
    io_text_addu(&name, number);
    karp_str kept = keep_text(s, &name);
    if (!kept.ptr || !io_grow(s->context, &data, &s->pod_capacity, s->pod_count + 1, sizeof *s->pods))
        return story_nomem(s);
    s->pods = data;
    s->pods[s->pod_count] = (story_pod){
        .full_name = kept, .workload = workload, .number = number, .node = IO_NONE, .created = s->now
    };
    return io_table_put(&s->pod_index, kept, (uint32_t)s->pod_count++) ? KARP_OK : story_nomem(s);
}

static karp_status note_pod_event(story *s, uint32_t node)
{
    if (node >= s->node_count) return KARP_OK; /* one of the documents' own */
    s->nodes[node].last_event = s->now;
    return set_time(io_get(s->nodes[node].claim, "status"), "lastPodEventTime", s->now) ? KARP_OK : story_nomem(s);
}

/* New pods get the next numbers; those with the highest go first. */
karp_status story_scale(story *s, uint32_t workload, uint64_t replicas)
{
    uint64_t have = 0;
    karp_status status = KARP_OK;
    for (size_t i = 0; i < s->pod_count && !status; i++) {
        story_pod *p = &s->pods[i];
        if (p->gone || p->workload != workload) continue;
        if (p->number >= replicas) {
            p->gone = true;
            if (p->node != IO_NONE) status = note_pod_event(s, p->node);
        } else if (p->number >= have) {
            have = p->number + 1;
        }
    }
    for (uint64_t n = have; n < replicas && !status; n++) status = add_pod(s, workload, n);
    s->workloads[workload].replicas = replicas;
    return status;
}

karp_status story_bind(story *s, uint32_t pod, uint32_t node)
{
    s->pods[pod].node = node;
    s->pods[pod].bound_at = s->now;
    return note_pod_event(s, node);
}

static bool own_by(json_t *metadata, const story_workload *w)
{
    json_t *list = io_list(), *owner = io_map();
    bool ok = list && owner && set_str(owner, "apiVersion", io_str("apps/v1")) &&
              set_str(owner, "kind", io_str("ReplicaSet")) && set_str(owner, "name", w->name) &&
              set_str(owner, "uid", w->name) && io_set(owner, "controller", json_true());
    ok = ok && json_array_append(list, owner) == 0 && json_object_set(metadata, "ownerReferences", list) == 0;
    json_decref(owner);
    json_decref(list);
    return ok;
}

static karp_str node_name(const story *s, uint32_t node)
{
    if (node < s->node_count) return s->nodes[node].name;
    return io_get_text(io_get(json_array_get(s->base, node - STORY_OWN_NODES), "metadata"), "name");
}

/* Since when a protection for some time counts. */
static bool set_started(json_t *object, const story_pod *p)
{
    json_t *status = io_get_or_make(object, "status");
    return status && set_time(status, "startTime", p->bound_at);
}

static json_t *pod_object(const story *s, const story_pod *p)
{
    const story_workload *w = &s->workloads[p->workload];
    const json_t *template_ = io_get(io_get(w->object, "spec"), "template"), *given = io_get(template_, "metadata");
    json_t *object = io_map(), *metadata = io_map(), *stated = io_get(template_, "spec");
    json_t *spec = stated ? json_copy(stated) : io_map();
    karp_str name = { p->full_name.ptr + w->namespace_.len + 1, p->full_name.len - w->namespace_.len - 1 };
    json_t *labels = io_get(given, "labels"), *annotations = io_get(given, "annotations");
    bool ok = object && metadata && spec && set_str(object, "apiVersion", io_str("v1")) &&
              set_str(object, "kind", io_str("Pod")) && set_str(metadata, "name", name) &&
              set_str(metadata, "namespace", w->namespace_) && set_time(metadata, "creationTimestamp", p->created) &&
              own_by(metadata, w) && (!labels || json_object_set(metadata, "labels", labels) == 0) &&
              (!annotations || json_object_set(metadata, "annotations", annotations) == 0);
    if (ok && p->node != IO_NONE) ok = set_str(spec, "nodeName", node_name(s, p->node)) && set_started(object, p);
    ok = ok && json_object_set(object, "metadata", metadata) == 0 && json_object_set(object, "spec", spec) == 0;
    json_decref(metadata);
    json_decref(spec);
    if (ok) return object;
    json_decref(object);
    return NULL;
}

/* ---- nodes --------------------------------------------------------------------------------------------------------------- */

static bool add_labels(json_t *labels, const karp_label *list, size_t count)
{
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = set_str(labels, list[i].key.ptr, list[i].value); /* strings out end with NUL */
    return ok;
}

static json_t *amounts(const karp_resource *list, size_t count)
{
    json_t *object = io_map();
    bool ok = object != NULL;
    for (size_t i = 0; i < count && ok; i++) ok = set_str(object, list[i].name.ptr, list[i].text);
    if (ok) return object;
    json_decref(object);
    return NULL;
}

static json_t *taint_list(const karp_launch *l)
{
    json_t *list = io_list();
    bool ok = list != NULL;
    for (size_t i = 0; i < l->taint_count && ok; i++) {
        json_t *taint = io_map();
        ok = taint && set_str(taint, "key", l->taints[i].key) && set_str(taint, "value", l->taints[i].value) &&
             set_str(taint, "effect", l->taints[i].effect) && json_array_append(list, taint) == 0;
        json_decref(taint);
    }
    if (ok) return list;
    json_decref(list);
    return NULL;
}

static json_t *labels_of(const karp_launch *l, karp_str name)
{
    json_t *labels = io_map();
    if (labels && add_labels(labels, l->choice_labels, l->choice_label_count) &&
        add_labels(labels, l->labels, l->label_count) && set_str(labels, "karpenter.sh/nodepool", l->node_pool) &&
        set_str(labels, "kubernetes.io/hostname", name)) {
        return labels;
    }
    json_decref(labels);
    return NULL;
}

/* A Node, or the NodeClaim of one: they say the same here, the reader fills the rest in. */
static json_t *node_object(const story *s, const karp_launch *l, karp_str name, bool claim)
{
    json_t *object = io_map(), *metadata = io_map(), *spec = io_map(), *status = io_map();
    bool ok = object && metadata && spec && status &&
              set_str(object, "apiVersion", io_str(claim ? "karpenter.sh/v1" : "v1")) &&
              set_str(object, "kind", io_str(claim ? "NodeClaim" : "Node")) && set_str(metadata, "name", name) &&
              set_time(metadata, "creationTimestamp", s->now) && io_set(metadata, "labels", labels_of(l, name)) &&
              io_set(spec, "taints", taint_list(l)) && set_str(claim ? status : spec, "providerID", name) &&
              io_set(status, "capacity", amounts(l->capacity, l->capacity_count)) &&
              io_set(status, "allocatable", amounts(l->allocatable, l->allocatable_count));
    ok = ok && json_object_set(object, "metadata", metadata) == 0 && json_object_set(object, "spec", spec) == 0 &&
         json_object_set(object, "status", status) == 0;
    json_decref(metadata);
    json_decref(spec);
    json_decref(status);
    if (ok) return object;
    json_decref(object);
    return NULL;
}

static karp_str next_name(story *s, karp_str pool)
{
    io_text name;
    io_text_init(&name, s->context);
    io_text_add(&name, pool.ptr, pool.len);
    io_text_addc(&name, '-');
    io_text_addu(&name, s->node_count + 1);
    return keep_text(s, &name);
}

static int64_t window_of(const story *s, karp_str pool)
{
    for (size_t i = 0; i < s->pool_count; i++) {
        if (io_str_equal(s->pools[i].name, pool)) return s->pools[i].window;
    }
    return KARP_DURATION_NEVER;
}

karp_status story_start_node(story *s, const karp_launch *launch)
{
    void *data = s->nodes;
    karp_str name = next_name(s, launch->node_pool);
    if (!name.ptr || !io_grow(s->context, &data, &s->node_capacity, s->node_count + 1, sizeof *s->nodes))
        return story_nomem(s);
    s->nodes = data;
    story_node *n = &s->nodes[s->node_count];
    *n = (story_node){
        .name = name, .created = s->now, .ready_at = s->now + s->delay, .last_event = s->now, .expires_at = KARP_NO_TIME
    };
    n->window = window_of(s, launch->node_pool);
    n->claim = node_object(s, launch, name, true);
    n->node = node_object(s, launch, name, false);
    s->node_count++;
    bool expires = launch->expire_after != KARP_DURATION_UNSET && launch->expire_after < INT64_MAX / 4;
    if (n->claim && expires && story_set_expiry(s, (uint32_t)(s->node_count - 1), s->now + launch->expire_after))
        return story_nomem(s);
    return n->claim && n->node && io_table_put(&s->node_index, name, (uint32_t)(s->node_count - 1)) ? KARP_OK
                                                                                                    : story_nomem(s);
}

karp_status story_make_ready(story *s, uint32_t node)
{
    story_node *n = &s->nodes[node];
    n->ready = true;
    n->last_event = s->now;
    story_write_event(s, "ready", n->name, io_str(""));
    return set_str(io_get(n->claim, "status"), "nodeName", n->name) ? KARP_OK : story_nomem(s);
}

karp_status story_set_expiry(story *s, uint32_t node, int64_t instant)
{
    char age[KARP_VALUE_TEXT];
    story_node *n = &s->nodes[node];
    n->expires_at = instant;
    karp_duration_format(instant - n->created, age);
    return set_str(io_get(n->claim, "spec"), "expireAfter", io_str(age)) ? KARP_OK : story_nomem(s);
}

karp_status story_mark_deleting(story *s, uint32_t node)
{
    s->nodes[node].deleting = true;
    return set_time(io_get(s->nodes[node].claim, "metadata"), "deletionTimestamp", s->now) ? KARP_OK : story_nomem(s);
}

karp_status story_drain(story *s, uint32_t node)
{
    for (size_t i = 0; i < s->pod_count; i++) {
        if (!s->pods[i].gone && s->pods[i].node == node) s->pods[i].node = IO_NONE;
    }
    s->nodes[node].gone = true;
    s->again = true;
    story_write_event(s, "deleted", s->nodes[node].name, io_str(""));
    return KARP_OK;
}

/* ---- the snapshot ---------------------------------------------------------------------------------------------------------- */

static json_t *world(const story *s)
{
    json_t *root = io_map(), *items = json_copy(s->base);
    bool ok = root && items && set_str(root, "apiVersion", io_str("v1")) && set_str(root, "kind", io_str("List"));
    for (size_t i = 0; i < s->pod_count && ok; i++)
        ok = s->pods[i].gone || io_append(items, pod_object(s, &s->pods[i]));
    for (size_t i = 0; i < s->node_count && ok; i++) {
        const story_node *n = &s->nodes[i];
        ok = n->gone ||
             (json_array_append(items, n->claim) == 0 && (!n->ready || json_array_append(items, n->node) == 0));
    }
    ok = ok && json_object_set(root, "items", items) == 0;
    json_decref(items);
    if (ok) return root;
    json_decref(root);
    return NULL;
}

karp_status story_snapshot(story *s, karp_reader **reader, karp_snapshot **out)
{
    io_text text;
    io_text_init(&text, s->context);
    json_t *root = world(s);
    if (root) io_write_json(&text, root);
    json_decref(root);
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.now = s->now;
    options.region = s->region;
    karp_status status = !root || text.failed ? story_nomem(s)
                                              : karp_reader_new(s->context, &options, reader, &s->error);
    if (!status && s->catalogue) status = karp_reader_add_catalogue(*reader, s->catalogue, &s->error);
    if (!status)
        status = karp_reader_add(*reader, io_str("the story's cluster"), (karp_str){ text.ptr, text.len }, &s->error);
    if (!status) status = karp_reader_finish(*reader, out, &s->error);
    io_text_free(&text);
    return status;
}
