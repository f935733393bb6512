/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/launched.h>
#include <replay/story.h>

#include <string.h>

/* What the last changes of objects came to. */
static karp_status changed(story *s) { return s->t->status ? story_nomem(s) : KARP_OK; }

/* A copy of built text that lasts; ptr NULL = no memory. */
static karp_str keep_text(story *s, strbuf *text)
{
    karp_str kept = text->failed ? (karp_str){ NULL, 0 } : io_keep(s->reader, (karp_str){ text->ptr, text->len });
    strbuf_free(text);
    return kept;
}

/* ---- pods ---------------------------------------------------------------------------------------------------------------- */

static karp_status add_pod(story *s, uint32_t workload, uint64_t number)
{
    const story_workload *w = &s->workloads[workload];
    strbuf name;
    strbuf_init(&name, s->context);
    strbuf_add(&name, w->namespace_.ptr, w->namespace_.len);
    strbuf_addc(&name, '/');
    strbuf_add(&name, w->name.ptr, w->name.len);
    strbuf_addc(&name, '-');
    strbuf_addu(&name, number);
    karp_str kept = keep_text(s, &name);
    if (!kept.ptr || !grow(s->context, (void **)&s->pods, &s->pod_capacity, s->pod_count + 1, sizeof *s->pods))
        return story_nomem(s);
    s->pods[s->pod_count] = (story_pod){
        .full_name = kept, .workload = workload, .number = number, .node = IO_NONE, .created = s->now
    };
    return io_table_put(&s->pod_index, kept, (uint32_t)s->pod_count++) ? KARP_OK : story_nomem(s);
}

static karp_status note_pod_event(story *s, uint32_t node)
{
    if (node >= s->node_count) return KARP_OK; /* one of the documents' own */
    s->nodes[node].last_event = s->now;
    replay_set_time(s->t, tree_get(s->nodes[node].claim, "status"), "lastPodEventTime", s->now);
    return changed(s);
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

static tree *owners(trees *t, const story_workload *w)
{
    tree *list = tree_new(t, TREE_LIST), *owner = tree_new(t, TREE_MAP);
    tree_set_text(t, owner, "apiVersion", str("apps/v1"));
    tree_set_text(t, owner, "kind", str("ReplicaSet"));
    tree_set_text(t, owner, "name", w->name);
    tree_set_text(t, owner, "uid", w->name);
    tree_set(t, owner, "controller", tree_new(t, TREE_TRUE));
    tree_append(t, list, owner);
    return list;
}

static karp_str node_name(const story *s, uint32_t node)
{
    if (node < s->node_count) return s->nodes[node].name;
    return tree_get_text(tree_get(tree_item(s->base, node - STORY_OWN_NODES), "metadata"), "name");
}

static tree *pod_object(story *s, const story_pod *p)
{
    trees *t = &s->world;
    const story_workload *w = &s->workloads[p->workload];
    const tree *template_ = tree_get(tree_get(w->object, "spec"), "template"), *given = tree_get(template_, "metadata");
    tree *object = tree_new(t, TREE_MAP), *stated = tree_get(template_, "spec");
    tree *spec = stated ? tree_copy(t, stated) : tree_new(t, TREE_MAP);
    karp_str name = { p->full_name.ptr + w->namespace_.len + 1, p->full_name.len - w->namespace_.len - 1 };
    tree_set_text(t, object, "apiVersion", str("v1"));
    tree_set_text(t, object, "kind", str("Pod"));
    tree *metadata = tree_get_or_make(t, object, "metadata");
    tree_set_text(t, metadata, "name", name);
    tree_set_text(t, metadata, "namespace", w->namespace_);
    replay_set_time(t, metadata, "creationTimestamp", p->created);
    tree_set(t, metadata, "ownerReferences", owners(t, w));
    tree_set(t, metadata, "labels", tree_get(given, "labels"));
    tree_set(t, metadata, "annotations", tree_get(given, "annotations"));
    tree_set(t, object, "spec", spec);
    if (p->node != IO_NONE) {
        tree_set_text(t, spec, "nodeName", node_name(s, p->node));
        /* Since when a protection for some time counts. */
        replay_set_time(t, tree_get_or_make(t, object, "status"), "startTime", p->bound_at);
    }
    return object;
}

/* ---- nodes --------------------------------------------------------------------------------------------------------------- */

static karp_str next_name(story *s, karp_str pool)
{
    strbuf name;
    strbuf_init(&name, s->context);
    strbuf_add(&name, pool.ptr, pool.len);
    strbuf_addc(&name, '-');
    strbuf_addu(&name, s->node_count + 1);
    return keep_text(s, &name);
}

static int64_t window_of(const story *s, karp_str pool)
{
    for (size_t i = 0; i < s->pool_count; i++) {
        if (equal_str(s->pools[i].name, pool)) return s->pools[i].window;
    }
    return KARP_DURATION_NEVER;
}

karp_status story_start_node(story *s, const karp_launch *launch)
{
    karp_str name = next_name(s, launch->node_pool);
    if (!name.ptr || !grow(s->context, (void **)&s->nodes, &s->node_capacity, s->node_count + 1, sizeof *s->nodes))
        return story_nomem(s);
    story_node *n = &s->nodes[s->node_count];
    *n = (story_node){
        .name = name, .created = s->now, .ready_at = s->now + s->delay, .last_event = s->now, .expires_at = KARP_NO_TIME
    };
    n->window = window_of(s, launch->node_pool);
    n->claim = replay_launched(s->t, launch, name, s->now, true);
    n->node = replay_launched(s->t, launch, name, s->now, false);
    s->node_count++;
    bool expires = launch->expire_after != KARP_DURATION_UNSET && launch->expire_after < INT64_MAX / 4;
    if (n->claim && expires && story_set_expiry(s, (uint32_t)(s->node_count - 1), s->now + launch->expire_after))
        return story_nomem(s);
    return io_table_put(&s->node_index, name, (uint32_t)(s->node_count - 1)) ? changed(s) : story_nomem(s);
}

karp_status story_make_ready(story *s, uint32_t node)
{
    story_node *n = &s->nodes[node];
    n->ready = true;
    n->last_event = s->now;
    story_write_event(s, "ready", n->name, str(""));
    tree_set_text(s->t, tree_get(n->claim, "status"), "nodeName", n->name);
    return changed(s);
}

karp_status story_set_expiry(story *s, uint32_t node, int64_t instant)
{
    char age[KARP_VALUE_TEXT];
    story_node *n = &s->nodes[node];
    n->expires_at = instant;
    karp_duration_format(instant - n->created, age);
    tree_set_text(s->t, tree_get(n->claim, "spec"), "expireAfter", str(age));
    return changed(s);
}

karp_status story_mark_deleting(story *s, uint32_t node)
{
    s->nodes[node].deleting = true;
    replay_set_time(s->t, tree_get(s->nodes[node].claim, "metadata"), "deletionTimestamp", s->now);
    return changed(s);
}

karp_status story_drain(story *s, uint32_t node)
{
    for (size_t i = 0; i < s->pod_count; i++) {
        if (!s->pods[i].gone && s->pods[i].node == node) s->pods[i].node = IO_NONE;
    }
    s->nodes[node].gone = true;
    s->again = true;
    story_write_event(s, "deleted", s->nodes[node].name, str(""));
    return KARP_OK;
}

/* ---- the snapshot ---------------------------------------------------------------------------------------------------------- */

static tree *world(story *s)
{
    trees *t = &s->world;
    trees_clear(t);
    tree *root = tree_new(t, TREE_MAP), *items = tree_copy(t, s->base);
    tree_set_text(t, root, "apiVersion", str("v1"));
    tree_set_text(t, root, "kind", str("List"));
    for (size_t i = 0; i < s->pod_count; i++) {
        if (!s->pods[i].gone) tree_append(t, items, pod_object(s, &s->pods[i]));
    }
    for (size_t i = 0; i < s->node_count; i++) {
        const story_node *n = &s->nodes[i];
        if (n->gone) continue;
        tree_append(t, items, n->claim);
        if (n->ready) tree_append(t, items, n->node);
    }
    tree_set(t, root, "items", items);
    return root;
}

karp_status story_snapshot(story *s, karp_reader **reader, karp_snapshot **out)
{
    strbuf text;
    strbuf_init(&text, s->context);
    const tree *root = world(s);
    if (s->world.status == KARP_OK) tree_write(&text, root);
    karp_reader_options options;
    karp_reader_options_init(&options, sizeof options);
    options.now = s->now;
    options.region = s->region;
    karp_status status = s->world.status || text.failed ? story_nomem(s)
                                                        : karp_reader_new(s->context, &options, reader, &s->error);
    if (!status && s->catalogue) status = karp_reader_add_catalogue(*reader, s->catalogue, &s->error);
    if (!status)
        status = karp_reader_add(*reader, str("the story's cluster"), (karp_str){ text.ptr, text.len }, &s->error);
    if (!status) status = karp_reader_finish(*reader, out, &s->error);
    strbuf_free(&text);
    return status;
}
