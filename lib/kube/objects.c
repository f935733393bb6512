/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/objects.h>

#include <base/admit.h>
#include <io/decode_fields.h>
#include <io/owner.h>
#include <kube/amount.h>

#define NAME_LABEL "kubernetes.io/metadata.name"

void kube_objects_init(kube_objects *o, karp_context *context)
{
    io_table *tables[] = { &o->services, &o->owners,  &o->namespaces, &o->claims,
                           &o->volumes,  &o->classes, &o->priorities, &o->limits };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) io_table_init(tables[i], context);
    o->default_priority = KUBE_NONE;
}

void kube_objects_free(kube_objects *o, karp_context *context)
{
    io_table *tables[] = { &o->services, &o->owners,  &o->namespaces, &o->claims,
                           &o->volumes,  &o->classes, &o->priorities, &o->limits };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) io_table_free(tables[i]);
    mem_free(context, o->selecting, o->selecting_capacity * sizeof *o->selecting);
    mem_free(context, o->spaces, o->space_capacity * sizeof *o->spaces);
    mem_free(context, o->claim_list, o->claim_capacity * sizeof *o->claim_list);
    mem_free(context, o->volume_list, o->volume_capacity * sizeof *o->volume_list);
    mem_free(context, o->class_list, o->class_capacity * sizeof *o->class_list);
    mem_free(context, o->priority_list, o->priority_capacity * sizeof *o->priority_list);
    mem_free(context, o->limit_list, o->limit_capacity * sizeof *o->limit_list);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void *next_of(kube_cluster *c, void **list, size_t *count, size_t *capacity, size_t elem)
{
    if (!grow(c->context, list, capacity, *count + 1, elem)) {
        kube_nomem(c);
        return NULL;
    }
    char *at = (char *)*list + elem * (*count)++;
    memset(at, 0, elem);
    return at;
}
#define NEXT_OF(c, list, count, capacity) next_of(c, (void **)&(list), &(count), &(capacity), sizeof *(list))

void kube_decoded(kube_cluster *c, const io_decoder *d)
{
    if (!d->status || c->status) return;
    c->status = d->status;
    c->error = d->error;
}

static void decode(kube_cluster *c, const record *r, const tree *object, void *into)
{
    io_decoder d;
    io_decoder_init(&d, &c->memory);
    io_decode(&d, r, object, into);
    kube_decoded(c, &d);
}

/* The text that was written, as the key of a table. */
static karp_str key_of(kube_cluster *c)
{
    if (c->text.failed) kube_nomem(c);
    return (karp_str){ c->text.ptr, c->text.failed ? 0 : c->text.len };
}

static karp_str own_name(kube_cluster *c, karp_str namespace_, karp_str name)
{
    strbuf_clear(&c->text);
    strbuf_addname(&c->text, namespace_, name);
    return key_of(c);
}

static void enter(kube_cluster *c, io_table *table, karp_str key, size_t count)
{
    if (!io_table_put(table, key, (uint32_t)count - 1)) kube_nomem(c);
}

static karp_str owner_key(kube_cluster *c, const char *kind, karp_str namespace_, karp_str name)
{
    strbuf_clear(&c->text);
    strbuf_adds(&c->text, kind);
    strbuf_addc(&c->text, ' ');
    strbuf_addname(&c->text, namespace_, name);
    return key_of(c);
}

/* Services of a namespace that need this label. */
static karp_str service_key(kube_cluster *c, karp_str namespace_, const karp_label *label)
{
    strbuf_clear(&c->text);
    strbuf_addname(&c->text, namespace_, label->key);
    strbuf_addc(&c->text, '=');
    strbuf_addstr(&c->text, label->value);
    return key_of(c);
}

static void add_selecting(kube_cluster *c, const tree *object, uint32_t kind, const char *word)
{
    io_decoder d;
    kube_selecting *s = NEXT_OF(c, c->objects.selecting, c->objects.selecting_count, c->objects.selecting_capacity);
    if (!s) return;
    io_decoder_init(&d, &c->memory);
    io_decode_selecting(&d, object, kind, &s->object);
    kube_decoded(c, &d);
    if (c->status) return;
    s->next = KUBE_NONE;
    karp_str namespace_ = io_namespace(object);
    if (kind != KARP_SELECTS_SERVICE) {
        enter(c, &c->objects.owners, owner_key(c, word, namespace_, s->object.meta.name), c->objects.selecting_count);
        return;
    }
    if (!s->object.selector || s->object.selector->match_label_count == 0) return;
    uint32_t *first = io_table_at(&c->objects.services,
                                  service_key(c, namespace_, &s->object.selector->match_labels[0]));
    if (!first) {
        kube_nomem(c);
        return;
    }
    s->next = *first;
    *first = (uint32_t)c->objects.selecting_count - 1;
}

/* Every Namespace has its name as a label, whatever the object states. */
static void add_namespace(kube_cluster *c, const tree *object)
{
    karp_namespace *n = NEXT_OF(c, c->objects.spaces, c->objects.space_count, c->objects.space_capacity);
    if (!n) return;
    decode(c, &io_namespace_record, object, n);
    karp_label *labels = arena_array(&c->memory, n->meta.label_count + 1, sizeof *labels);
    if (!labels) {
        kube_nomem(c);
        return;
    }
    labels[0] = (karp_label){ str(NAME_LABEL), n->meta.name };
    if (n->meta.label_count) memcpy(labels + 1, n->meta.labels, n->meta.label_count * sizeof *labels);
    n->meta.labels = labels;
    n->meta.label_count++;
    enter(c, &c->objects.namespaces, n->meta.name, c->objects.space_count);
}

static int64_t storage_of(const tree *list)
{
    karp_resource r = { .text = tree_get_text(list, "storage") };
    return r.text.len ? kube_amount_of(&r, false) : 0;
}

static const karp_str *texts_of(kube_cluster *c, const tree *list, size_t *count)
{
    *count = tree_count(list);
    karp_str *out = arena_alloc(&c->memory, (*count + 1) * sizeof *out);
    if (!out) {
        *count = 0;
        kube_nomem(c);
        return NULL;
    }
    for (size_t i = 0; i < *count; i++) out[i] = tree_text(tree_item(list, i));
    return out;
}

static void add_claim(kube_cluster *c, const tree *object)
{
    kube_claim *claim = NEXT_OF(c, c->objects.claim_list, c->objects.claim_count, c->objects.claim_capacity);
    if (!claim) return;
    const tree *spec = tree_get(object, "spec"), *metadata = tree_get(object, "metadata");
    decode(c, &io_claim_record, object, &claim->object);
    claim->size = storage_of(tree_get(tree_get(spec, "resources"), "requests"));
    claim->modes = texts_of(c, tree_get(spec, "accessModes"), &claim->mode_count);
    claim->bound = claim->object.volume_name.len &&
                   tree_get(tree_get(metadata, "annotations"), "pv.kubernetes.io/bind-completed");
    enter(c, &c->objects.claims, own_name(c, io_namespace(object), tree_get_text(metadata, "name")),
          c->objects.claim_count);
}

static void add_volume(kube_cluster *c, const tree *object)
{
    kube_volume *v = NEXT_OF(c, c->objects.volume_list, c->objects.volume_count, c->objects.volume_capacity);
    if (!v) return;
    const tree *spec = tree_get(object, "spec"), *claim = tree_get(spec, "claimRef");
    decode(c, &io_volume_record, object, &v->object);
    v->storage_class = tree_get_text(spec, "storageClassName");
    v->claim_namespace = tree_get_text(claim, "namespace");
    v->claim_name = tree_get_text(claim, "name");
    v->size = storage_of(tree_get(spec, "capacity"));
    v->modes = texts_of(c, tree_get(spec, "accessModes"), &v->mode_count);
    v->available = str_is(tree_get_text(tree_get(object, "status"), "phase"), "Available");
    enter(c, &c->objects.volumes, v->object.meta.name, c->objects.volume_count);
}

static void add_priority(kube_cluster *c, const tree *object)
{
    int64_t value = 0;
    kube_priority *p = NEXT_OF(c, c->objects.priority_list, c->objects.priority_count, c->objects.priority_capacity);
    if (!p) return;
    (void)tree_integer(tree_get(object, "value"), &value);
    p->value = (int32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
    p->never = str_is(tree_get_text(object, "preemptionPolicy"), "Never");
    if (tree_is(tree_get(object, "globalDefault"), TREE_TRUE))
        c->objects.default_priority = (uint32_t)c->objects.priority_count - 1;
    enter(c, &c->objects.priorities, tree_get_text(tree_get(object, "metadata"), "name"), c->objects.priority_count);
}

static void add_budget(kube_cluster *c, const tree *object)
{
    karp_pod_disruption_budget budget = { .size = sizeof budget };
    kube_budget *b = NEXT_OF(c, c->budgets, c->budget_count, c->budget_capacity);
    if (!b) return;
    decode(c, &io_budget_record, object, &budget);
    const tree *disrupted = tree_get(tree_get(object, "status"), "disruptedPods");
    *b = (kube_budget){ .namespace_ = io_namespace(object),
                        .selector = budget.selector,
                        .allowed = budget.disruptions_allowed };
    karp_str *names = arena_alloc(&c->memory, (tree_count(disrupted) + 1) * sizeof *names);
    if (!names) {
        kube_nomem(c);
        return;
    }
    for (size_t i = 0; i < tree_count(disrupted); i++) names[i] = tree_member_name(tree_member_at(disrupted, i));
    b->disrupted = names;
    b->disrupted_count = tree_count(disrupted);
}

void kube_object_add(kube_cluster *c, const tree *object)
{
    kube_objects *o = &c->objects;
    karp_str kind = tree_get_text(object, "kind");
    if (c->status) return;
    if (str_is(kind, "Namespace")) {
        add_namespace(c, object);
    } else if (str_is(kind, "StorageClass")) {
        karp_storage_class *s = NEXT_OF(c, o->class_list, o->class_count, o->class_capacity);
        if (s) decode(c, &io_storage_class_record, object, s);
        if (s) enter(c, &o->classes, s->meta.name, o->class_count);
    } else if (str_is(kind, "CSINode")) {
        karp_csi_node *n = NEXT_OF(c, o->limit_list, o->limit_count, o->limit_capacity);
        if (n) decode(c, &io_csi_node_record, object, n);
        if (n) enter(c, &o->limits, n->meta.name, o->limit_count);
    } else if (str_is(kind, "Service")) add_selecting(c, object, KARP_SELECTS_SERVICE, "Service");
    else if (str_is(kind, "ReplicaSet")) add_selecting(c, object, KARP_SELECTS_REPLICA_SET, "ReplicaSet");
    else if (str_is(kind, "StatefulSet")) add_selecting(c, object, KARP_SELECTS_STATEFUL_SET, "StatefulSet");
    else if (str_is(kind, "ReplicationController"))
        add_selecting(c, object, KARP_SELECTS_REPLICATION_CONTROLLER, "ReplicationController");
    else if (str_is(kind, "PersistentVolumeClaim")) add_claim(c, object);
    else if (str_is(kind, "PersistentVolume")) add_volume(c, object);
    else if (str_is(kind, "PriorityClass")) add_priority(c, object);
    else if (str_is(kind, "PodDisruptionBudget")) add_budget(c, object);
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

bool kube_namespace_selected(const kube_cluster *c, karp_str namespace_, const karp_selector *selector)
{
    const karp_label own = { str(NAME_LABEL), namespace_ };
    uint32_t i = io_table_get(&c->objects.namespaces, namespace_);
    if (i == IO_NONE) return selector_admits(selector, &own, 1);
    return selector_admits(selector, c->objects.spaces[i].meta.labels, c->objects.spaces[i].meta.label_count);
}

static bool selects_pod(const karp_selector *selector, const karp_pod *pod)
{
    return selector_admits(selector, pod->meta.labels, pod->meta.label_count);
}

static bool add_services(kube_cluster *c, const karp_pod *pod, const karp_selector **list, size_t *count, bool fill)
{
    for (size_t i = 0; i < pod->meta.label_count && !c->status; i++) {
        uint32_t at = io_table_get(&c->objects.services, service_key(c, pod->meta.namespace_, &pod->meta.labels[i]));
        for (; at != IO_NONE; at = c->objects.selecting[at].next) {
            const karp_selector *selector = c->objects.selecting[at].object.selector;
            if (!selects_pod(selector, pod)) continue;
            if (fill) list[*count] = selector;
            (*count)++;
        }
    }
    return !c->status;
}

bool kube_selected_by(kube_cluster *c, const karp_pod *pod, kube_rule *out)
{
    static const char *const kinds[] = { "ReplicaSet", "StatefulSet", "ReplicationController" };
    size_t count = 0, most = 0;
    if (!add_services(c, pod, NULL, &most, false)) return false;
    const karp_selector **list = arena_alloc(&c->memory, (most + 2) * sizeof *list);
    karp_str *namespace_ = arena_alloc(&c->memory, sizeof *namespace_);
    if (!list || !namespace_) return kube_nomem(c);
    *namespace_ = pod->meta.namespace_;
    (void)add_services(c, pod, list, &count, true);
    *out = (kube_rule){ .namespaces = namespace_, .namespace_count = 1, .selectors = list };
    for (size_t i = 0; i < pod->meta.owner_count; i++) {
        const karp_owner *owner = &pod->meta.owners[i];
        if (!owner->controller) continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (!str_is(owner->kind, kinds[k])) continue;
            uint32_t at = io_table_get(&c->objects.owners, owner_key(c, kinds[k], pod->meta.namespace_, owner->name));
            if (at != IO_NONE && c->objects.selecting[at].object.selector)
                list[count++] = c->objects.selecting[at].object.selector;
            else if (at == IO_NONE && c->objects.owners_assumed) {
                out->owner_kind = owner->kind;
                out->owner = owner->name;
            }
        }
    }
    out->selector_count = count;
    return count > 0 || out->owner.len > 0;
}

uint32_t kube_claim_find(kube_cluster *c, karp_str namespace_, karp_str name)
{
    return io_table_get(&c->objects.claims, own_name(c, namespace_, name));
}

const kube_volume *kube_volume_find(const kube_cluster *c, karp_str name)
{
    uint32_t i = io_table_get(&c->objects.volumes, name);
    return i == IO_NONE ? NULL : &c->objects.volume_list[i];
}

const karp_storage_class *kube_storage_class_find(const kube_cluster *c, karp_str name)
{
    uint32_t i = io_table_get(&c->objects.classes, name);
    return i == IO_NONE ? NULL : &c->objects.class_list[i];
}

const karp_csi_node *kube_csi_node_find(const kube_cluster *c, karp_str name)
{
    uint32_t i = io_table_get(&c->objects.limits, name);
    return i == IO_NONE ? NULL : &c->objects.limit_list[i];
}

const kube_priority *kube_priority_find(const kube_cluster *c, karp_str name)
{
    uint32_t i = name.len ? io_table_get(&c->objects.priorities, name) : c->objects.default_priority;
    return i == KUBE_NONE ? NULL : &c->objects.priority_list[i];
}
