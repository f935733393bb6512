/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/amount.h>
#include <kube/groups.h>
#include <kube/objects.h>

#include <base/admit.h>

bool kube_nomem(kube_cluster *c)
{
    if (!c->status) c->status = fail_nomem(&c->error);
    return false;
}

bool kube_ids_add(kube_cluster *c, kube_ids *ids, uint32_t id)
{
    if (!grow(c->context, (void **)&ids->list, &ids->capacity, ids->count + 1, sizeof *ids->list)) return kube_nomem(c);
    ids->list[ids->count++] = id;
    return true;
}

static void ids_free(kube_cluster *c, kube_ids *ids)
{
    mem_free(c->context, ids->list, ids->capacity * sizeof *ids->list);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static void enter_zone(kube_cluster *c, uint32_t node)
{
    const kube_node_spec *n = &c->nodes[node].spec;
    karp_str region = label_or_none(n->labels, n->label_count, LABEL_REGION),
             name = label_or_none(n->labels, n->label_count, LABEL_ZONE);
    size_t i = 0;
    while (i < c->zone_count && !(equal_str(c->zones[i].region, region) && equal_str(c->zones[i].name, name))) i++;
    if (i == c->zone_count) {
        char *text = arena_string(&c->memory, region.ptr, region.len),
             *more = arena_string(&c->memory, name.ptr, name.len);
        if (!text || !more ||
            !grow(c->context, (void **)&c->zones, &c->zone_capacity, c->zone_count + 1, sizeof *c->zones)) {
            kube_nomem(c);
            return;
        }
        c->zones[c->zone_count++] = (kube_zone){ .region = { text, region.len }, .name = { more, name.len } };
    }
    kube_zone *z = &c->zones[i];
    if (!grow(c->context, (void **)&z->nodes, &z->capacity, z->count + 1, sizeof *z->nodes)) kube_nomem(c);
    else z->nodes[z->count++] = node;
    c->order_known = false;
}

/* A zone without nodes is forgotten: its next node makes it the last one. */
static void leave_zone(kube_cluster *c, uint32_t node)
{
    for (size_t i = 0; i < c->zone_count; i++) {
        kube_zone *z = &c->zones[i];
        size_t k = 0;
        while (k < z->count && z->nodes[k] != node) k++;
        if (k == z->count) continue;
        memmove(z->nodes + k, z->nodes + k + 1, (z->count - k - 1) * sizeof *z->nodes);
        z->count--;
        c->order_known = false;
        if (z->count) return;
        mem_free(c->context, z->nodes, z->capacity * sizeof *z->nodes);
        memmove(z, z + 1, (c->zone_count - i - 1) * sizeof *z);
        c->zone_count--;
        return;
    }
}

const uint32_t *kube_order(kube_cluster *c, size_t *count)
{
    size_t most = 0, longest = 0;
    if (!c->order_known) {
        for (size_t i = 0; i < c->zone_count; i++) {
            most += c->zones[i].count;
            if (c->zones[i].count > longest) longest = c->zones[i].count;
        }
        c->order_count = 0;
        if (!grow(c->context, (void **)&c->order, &c->order_capacity, most + 1, sizeof *c->order)) {
            kube_nomem(c);
            *count = 0;
            return NULL;
        }
        for (size_t row = 0; row < longest; row++) {
            for (size_t i = 0; i < c->zone_count; i++) {
                if (row < c->zones[i].count) c->order[c->order_count++] = c->zones[i].nodes[row];
            }
        }
        c->order_known = true;
    }
    *count = c->order_count;
    return c->order;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* Host names mostly differ at their end. */
static bool ends_alike(karp_str a, karp_str b)
{
    return a.len == b.len && (a.len == 0 || a.ptr[a.len - 1] == b.ptr[b.len - 1]);
}

static void find_domain(kube_cluster *c, kube_key *key, uint32_t node)
{
    const kube_node *n = &c->nodes[node];
    const karp_str *value = label_value(n->spec.labels, n->spec.label_count, key->name);
    if (!grow(c->context, (void **)&key->domain, &key->capacity, c->node_count, sizeof *key->domain) ||
        !grow(c->context, (void **)&key->value, &key->value_capacity, c->node_count, sizeof *key->value)) {
        kube_nomem(c);
        return;
    }
    key->domain[node] = value ? node : KUBE_NONE;
    key->value[node] = value ? *value : (karp_str){ "", 0 };
    for (uint32_t i = 0; i < c->node_count && value; i++) {
        if (i == node || !c->nodes[i].present || key->domain[i] != i || !ends_alike(key->value[i], *value)) continue;
        if (!equal_str(key->value[i], *value)) continue;
        key->domain[node] = i;
        return;
    }
}

/* Another node gives its number to the domain of this one. */
static void leave_domain(kube_cluster *c, kube_key *key, uint32_t node)
{
    uint32_t heir = KUBE_NONE;
    if (key->domain[node] == node) {
        for (uint32_t i = 0; i < c->node_count; i++) {
            if (i == node || !c->nodes[i].present || key->domain[i] != node) continue;
            if (heir == KUBE_NONE) heir = i;
            key->domain[i] = heir;
        }
    }
    key->domain[node] = KUBE_NONE;
}

uint32_t kube_key_add(kube_cluster *c, karp_str name)
{
    for (size_t i = 0; i < c->key_count; i++) {
        if (equal_str(c->keys[i].name, name)) return (uint32_t)i;
    }
    char *text = arena_string(&c->memory, name.ptr, name.len);
    if (!text || !grow(c->context, (void **)&c->keys, &c->key_capacity, c->key_count + 1, sizeof *c->keys)) {
        kube_nomem(c);
        return 0;
    }
    c->keys[c->key_count] = (kube_key){ .name = { text, name.len }, .hostname = str_is(name, LABEL_HOSTNAME) };
    return (uint32_t)c->key_count++;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void read_allocatable(kube_cluster *c, kube_node *n)
{
    n->allowed_pods = 0;
    for (size_t i = 0; i < n->spec.allocatable_count; i++) {
        const karp_resource *r = &n->spec.allocatable[i];
        if (str_is(r->name, "pods")) {
            n->allowed_pods = kube_amount_of(r, false);
            continue;
        }
        uint32_t id = strings_find(&c->resources, r->name.ptr, r->name.len);
        if (id != NO_ID) n->allocatable[id] = kube_amount_of(r, id == KUBE_CPU);
    }
}

/* Every node that has an image counts, with the size that the first of them stated. */
static void count_images(kube_cluster *c, const kube_node *n, bool add)
{
    for (size_t i = 0; i < n->spec.image_count; i++) {
        const kube_image *image = &n->spec.images[i];
        size_t had = c->image_capacity;
        if (!grow(c->context, (void **)&c->image_states, &c->image_capacity, image->name + 1,
                  sizeof *c->image_states)) {
            kube_nomem(c);
            return;
        }
        if (c->image_capacity > had)
            memset(c->image_states + had, 0, (c->image_capacity - had) * sizeof *c->image_states);
        kube_image_state *s = &c->image_states[image->name];
        if (add && s->nodes == 0) s->size = image->size;
        if (add) s->nodes++;
        else s->nodes--;
    }
}

static void mark(kube_cluster *c, uint32_t node)
{
    const kube_node *n = &c->nodes[node];
    c->marks[node] = n->nominated ? 0 : n->version > n->generation ? n->version : n->generation;
}

uint32_t kube_node_add(kube_cluster *c, const kube_node_spec *spec)
{
    uint32_t node = (uint32_t)c->node_count;
    if (c->free_nodes.count) node = c->free_nodes.list[--c->free_nodes.count];
    else if (!grow(c->context, (void **)&c->nodes, &c->node_capacity, c->node_count + 1, sizeof *c->nodes) ||
             !grow(c->context, (void **)&c->marks, &c->mark_capacity, c->node_count + 1, sizeof *c->marks)) {
        kube_nomem(c);
        return KUBE_NONE;
    } else c->node_count++;
    kube_node *n = &c->nodes[node];
    *n = (kube_node){ .spec = *spec, .present = true, .first_pod = KUBE_NONE };
    n->version = n->generation = ++c->stamp;
    mark(c, node);
    read_allocatable(c, n);
    count_images(c, n, true);
    enter_zone(c, node);
    for (size_t i = 0; i < c->key_count && !c->status; i++) find_domain(c, &c->keys[i], node);
    c->events++;
    return c->status ? KUBE_NONE : node;
}

void kube_node_remove(kube_cluster *c, uint32_t node)
{
    kube_node *n = &c->nodes[node];
    for (size_t i = 0; i < c->nominated.count;) {
        uint32_t pod = c->nominated.list[i];
        if (c->pods[pod].nominated == node) kube_nominate(c, pod, KUBE_NONE);
        else i++;
    }
    count_images(c, n, false);
    leave_zone(c, node);
    for (size_t i = 0; i < c->key_count; i++) leave_domain(c, &c->keys[i], node);
    n->present = false;
    c->stamp++; /* the least number of pods in a domain may have been its own */
    c->events++;
    (void)kube_ids_add(c, &c->free_nodes, node);
}

void kube_node_reserve(kube_cluster *c, uint32_t node, karp_str resource, int64_t amount)
{
    kube_node *n = &c->nodes[node];
    uint32_t id = strings_find(&c->resources, resource.ptr, resource.len);
    if (str_is(resource, "pods")) n->allowed_pods -= amount;
    if (id == NO_ID) return;
    n->requested[id] += amount;
    if (id <= KUBE_MEMORY) n->nonzero[id] += amount;
    n->generation = ++c->stamp;
    mark(c, node);
}

void kube_node_changed(kube_cluster *c, uint32_t node)
{
    c->nodes[node].version = ++c->stamp;
    mark(c, node);
    c->events++;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

uint32_t kube_pod_add(kube_cluster *c, const kube_pod *pod)
{
    uint32_t number = (uint32_t)c->pod_count;
    if (c->free_pods.count) number = c->free_pods.list[--c->free_pods.count];
    else if (!grow(c->context, (void **)&c->pods, &c->pod_capacity, c->pod_count + 1, sizeof *c->pods)) {
        kube_nomem(c);
        return KUBE_NONE;
    } else c->pod_count++;
    c->pods[number] = *pod;
    c->pods[number].used = true;
    c->pods[number].node = c->pods[number].next = c->pods[number].before = c->pods[number].nominated = KUBE_NONE;
    return number;
}

void kube_pod_remove(kube_cluster *c, uint32_t pod)
{
    if (c->pods[pod].node != KUBE_NONE) kube_displace(c, pod);
    kube_nominate(c, pod, KUBE_NONE);
    c->pods[pod].used = false;
    (void)kube_ids_add(c, &c->free_pods, pod);
}

static void add_requests(kube_node *n, const kube_class *s, int64_t sign)
{
    for (size_t i = 0; i < s->request_count; i++) n->requested[s->requests[i].resource] += sign * s->requests[i].amount;
    n->nonzero[0] += sign * s->nonzero[0];
    n->nonzero[1] += sign * s->nonzero[1];
}

void kube_place(kube_cluster *c, uint32_t pod, uint32_t node)
{
    kube_pod *p = &c->pods[pod];
    kube_node *n = &c->nodes[node];
    kube_class *s = &c->classes[p->class_];
    add_requests(n, s, 1);
    if (s->port_count) n->port_pods++;
    p->node = node;
    p->before = KUBE_NONE;
    p->next = n->first_pod;
    if (n->first_pod != KUBE_NONE) c->pods[n->first_pod].before = pod;
    n->first_pod = pod;
    n->pod_count++;
    n->generation = ++c->stamp;
    mark(c, node);
    kube_count_pod(c, pod, 1);
}

void kube_displace(kube_cluster *c, uint32_t pod)
{
    kube_pod *p = &c->pods[pod];
    kube_node *n = &c->nodes[p->node];
    kube_class *s = &c->classes[p->class_];
    kube_count_pod(c, pod, -1);
    add_requests(n, s, -1);
    if (s->port_count) n->port_pods--;
    if (p->before == KUBE_NONE) n->first_pod = p->next;
    else c->pods[p->before].next = p->next;
    if (p->next != KUBE_NONE) c->pods[p->next].before = p->before;
    p->next = p->before = p->node = KUBE_NONE;
    n->pod_count--;
    n->generation = ++c->stamp;
    mark(c, (uint32_t)(n - c->nodes));
    c->events++;
}

void kube_nominate(kube_cluster *c, uint32_t pod, uint32_t node)
{
    kube_pod *p = &c->pods[pod];
    if (p->nominated == node) return;
    if (p->nominated != KUBE_NONE) {
        size_t i = 0;
        while (c->nominated.list[i] != pod) i++;
        memmove(c->nominated.list + i, c->nominated.list + i + 1,
                (c->nominated.count - i - 1) * sizeof *c->nominated.list);
        c->nominated.count--;
        c->nodes[p->nominated].nominated--;
        mark(c, p->nominated);
        c->events++;
    }
    p->nominated = KUBE_NONE;
    if (node == KUBE_NONE || !kube_ids_add(c, &c->nominated, pod)) return;
    p->nominated = node;
    c->nodes[node].nominated++;
    mark(c, node);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

void kube_cluster_init(kube_cluster *c, karp_context *context, const kube_profile *profiles, size_t count)
{
    memset(c, 0, sizeof *c);
    c->context = context;
    c->profiles = profiles;
    c->profile_count = count;
    c->unhinted = KUBE_NONE;
    karp_error_init(&c->error, sizeof c->error);
    arena_init(&c->memory, context);
    strings_init(&c->resources, context);
    strings_init(&c->images, context);
    strbuf_init(&c->text, context);
    io_table_init(&c->group_index, context);
    io_table_init(&c->term_index, context);
    io_table_init(&c->hints, context);
    kube_objects_init(&c->objects, context);
    if (kube_resource(c, str("cpu")) != KUBE_CPU || kube_resource(c, str("memory")) != KUBE_MEMORY) kube_nomem(c);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < profiles[i].resource_count; k++) (void)kube_resource(c, profiles[i].resources[k].name);
        for (size_t k = 0; k < profiles[i].balanced_count; k++) (void)kube_resource(c, profiles[i].balanced[k].name);
    }
    for (size_t i = 0; i < KUBE_MEMOS; i++) c->memos[i].class_ = KUBE_NONE;
}

void kube_cluster_free(kube_cluster *c)
{
    karp_context *x = c->context;
    if (!x) return;
    for (size_t i = 0; i < c->zone_count; i++)
        mem_free(x, c->zones[i].nodes, c->zones[i].capacity * sizeof *c->zones[i].nodes);
    for (size_t i = 0; i < c->key_count; i++) {
        mem_free(x, c->keys[i].domain, c->keys[i].capacity * sizeof *c->keys[i].domain);
        mem_free(x, c->keys[i].value, c->keys[i].value_capacity * sizeof *c->keys[i].value);
    }
    for (size_t i = 0; i < c->class_count; i++) ids_free(c, &c->classes[i].groups);
    for (size_t i = 0; i < KUBE_MEMOS; i++)
        mem_free(x, c->memos[i].list, c->memos[i].capacity * sizeof *c->memos[i].list);
    for (size_t i = 0; i < c->line_count; i++) mem_free(x, c->lines[i], c->line_size * sizeof **c->lines);
    kube_groups_free(c);
    kube_objects_free(&c->objects, x);
    ids_free(c, &c->free_nodes);
    ids_free(c, &c->free_pods);
    ids_free(c, &c->nominated);
    mem_free(x, c->lines, c->line_capacity * sizeof *c->lines);
    mem_free(x, c->image_states, c->image_capacity * sizeof *c->image_states);
    mem_free(x, c->budgets, c->budget_capacity * sizeof *c->budgets);
    mem_free(x, c->keys, c->key_capacity * sizeof *c->keys);
    mem_free(x, c->zones, c->zone_capacity * sizeof *c->zones);
    mem_free(x, c->order, c->order_capacity * sizeof *c->order);
    mem_free(x, c->classes, c->class_capacity * sizeof *c->classes);
    mem_free(x, c->pods, c->pod_capacity * sizeof *c->pods);
    mem_free(x, c->nodes, c->node_capacity * sizeof *c->nodes);
    mem_free(x, c->marks, c->mark_capacity * sizeof *c->marks);
    io_table_free(&c->group_index);
    io_table_free(&c->term_index);
    io_table_free(&c->hints);
    strbuf_free(&c->text);
    strings_free(&c->images);
    strings_free(&c->resources);
    arena_free(&c->memory);
}
