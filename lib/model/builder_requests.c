/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of a pod. All intermediate results are in the builder's scratch arena. */
#include <model/builder.h>

#include <base/error.h>
#include <string.h>

/* More statuses than this are looked up in a hash table. */
enum { FEW_STATUSES = 16 };

typedef struct summing {
    copier c; /* copies into scratch */
    const karp_pod *pod;
    bool from_limits; /* for a DaemonSet's template: limits replace missing requests */
    bool infeasible; /* the resize in the spec is infeasible */
    strings names; /* names of container statuses, if there are many */
    uint32_t *last; /* the last status with each name */
} summing;

/* The first PodResizePending condition decides. */
static bool resize_infeasible(const karp_pod *given)
{
    for (size_t i = 0; i < given->condition_count; i++) {
        if (!equal_str(given->conditions[i].type, str("PodResizePending"))) continue;
        return equal_str(given->conditions[i].reason, str("Infeasible"));
    }
    return false;
}

static void index_statuses(summing *s)
{
    size_t count = s->pod->container_status_count;
    if (!copy_has(&s->c, s->pod->container_statuses, count)) return;
    for (size_t i = 0; i < count; i++)
        copy_reserved(&s->c, s->pod->container_statuses[i].reserved, "karp_container_status");
    if (count <= FEW_STATUSES || s->c.status != KARP_OK) return;
    strings_init(&s->names, s->c.context);
    s->last = arena_array(s->c.to, count, sizeof *s->last);
    if (s->last == NULL) {
        copy_refuse(&s->c);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t id = copy_into(&s->c, &s->names, s->pod->container_statuses[i].name);
        if (s->c.status != KARP_OK) return;
        s->last[id] = (uint32_t)i;
    }
}

/* The last status with this name, if it has effective resources. */
static const karp_container_status *find_status(const summing *s, karp_str name)
{
    const karp_container_status *found = NULL;
    const karp_container_status *list = s->pod->container_statuses;
    if (name.ptr == NULL) name = str("");
    if (s->last) {
        uint32_t id = strings_find(&s->names, name.ptr, name.len);
        if (id != NO_ID) found = &list[s->last[id]];
    } else {
        for (size_t i = s->pod->container_status_count; i > 0 && found == NULL; i--) {
            if (equal_str(list[i - 1].name, name)) found = &list[i - 1];
        }
    }
    return found && found->has_resources ? found : NULL;
}

static resource_list checked(summing *s, karp_status status, resource_list list)
{
    if (s->c.status != KARP_OK || status == KARP_OK) return list;
    if (status == KARP_E_NOMEM) copy_refuse(&s->c);
    else copy_blame(&s->c, fail(s->c.error, status, "the sum of requests is too large"), NULL);
    return (resource_list){ NULL, 0 };
}

typedef karp_status join_lists(arena *a, resource_list x, resource_list y, resource_list *out);

/* One of resource_list_sum(), _max() and _override(), none of which changes x if y is empty. */
static resource_list combined(summing *s, join_lists *how, resource_list x, resource_list y)
{
    resource_list out = x;
    if (s->c.status != KARP_OK || y.count == 0) return x;
    if (x.count == 0) return y;
    karp_status status = how(s->c.to, x, y, &out);
    return checked(s, status, out);
}

static resource_list sum(summing *s, resource_list x, resource_list y) { return combined(s, resource_list_sum, x, y); }

static resource_list largest(summing *s, resource_list x, resource_list y)
{
    return combined(s, resource_list_max, x, y);
}

static resource_list replaced(summing *s, resource_list x, resource_list y)
{
    return combined(s, resource_list_override, x, y);
}

static resource_list read_list(summing *s, const char *name, const karp_resource *list, size_t count)
{
    if (count == 0) return (resource_list){ NULL, 0 };
    return copy_resources(&s->c, name, list, count, false);
}

/* The resources that the kubelet has in effect, combined with those of the spec unless their resize is infeasible. */
static resource_list in_force(summing *s, const karp_container_status *status, resource_list spec)
{
    size_t depth = s->c.depth;
    path_step first = s->c.path[0];
    s->c.depth = 0;
    path_enter(&s->c, "status.containerStatuses");
    path_at(&s->c, (size_t)(status - s->pod->container_statuses));
    resource_list requests = read_list(s, "resources.requests", status->requests, status->request_count);
    resource_list allocated = read_list(s, "allocatedResources", status->allocated, status->allocated_count);
    if (s->c.status == KARP_OK) {
        s->c.depth = depth;
        s->c.path[0] = first;
    }
    if (!s->infeasible) requests = largest(s, spec, requests);
    return largest(s, requests, allocated);
}

static resource_list effective(summing *s, const karp_container *k, bool with_status)
{
    resource_list spec = read_list(s, "resources.requests", k->requests, k->request_count);
    if (s->from_limits) {
        resource_list limits = read_list(s, "resources.limits", k->limits, k->limit_count);
        spec = replaced(s, limits, spec);
    }
    const karp_container_status *status = with_status && s->c.status == KARP_OK ? find_status(s, k->name) : NULL;
    return status ? in_force(s, status, spec) : spec;
}

static resource_list sum_containers(summing *s)
{
    resource_list total = { NULL, 0 };
    if (!copy_has(&s->c, s->pod->containers, s->pod->container_count)) return total;
    path_enter(&s->c, "spec.containers");
    for (size_t i = 0; i < s->pod->container_count && s->c.status == KARP_OK; i++) {
        path_at(&s->c, i);
        total = sum(s, total, effective(s, &s->pod->containers[i], true));
    }
    path_leave(&s->c);
    return total;
}

/* Init containers run one after another, each together with the sidecars that started before it. */
static resource_list join_init_containers(summing *s, resource_list total)
{
    resource_list sidecars = { NULL, 0 }, most = { NULL, 0 };
    if (!copy_has(&s->c, s->pod->init_containers, s->pod->init_container_count)) return total;
    path_enter(&s->c, "spec.initContainers");
    for (size_t i = 0; i < s->pod->init_container_count && s->c.status == KARP_OK; i++) {
        const karp_container *k = &s->pod->init_containers[i];
        path_at(&s->c, i);
        resource_list own = effective(s, k, k->restart_always != 0);
        if (k->restart_always) {
            total = sum(s, total, own);
            sidecars = sum(s, sidecars, own);
            most = largest(s, most, sidecars);
        } else {
            most = largest(s, most, sum(s, own, sidecars));
        }
    }
    path_leave(&s->c);
    return largest(s, total, most);
}

/* Of the pod-level requests, those that Kubernetes supports at this level. */
static resource_list pod_level(summing *s)
{
    resource_list all = read_list(s, "spec.resources.requests", s->pod->pod_requests, s->pod->pod_request_count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        uint32_t resource = all.items[i].resource;
        bool supported = resource == RESOURCE_CPU || resource == RESOURCE_MEMORY ||
                         resource_is_hugepages(s->c.resources, resource);
        if (supported) all.items[kept++] = all.items[i];
    }
    all.count = kept;
    return all;
}

resource_list pod_requests(adding *a, const karp_pod *given, enum pod_source source)
{
    summing s = { .c = a->c, .pod = given, .from_limits = source == DAEMON_TEMPLATE };
    resource_list list = { NULL, 0 };
    s.c.to = &a->b->scratch;
    s.c.key = NULL;
    index_statuses(&s);
    if (copy_has(&s.c, given->conditions, given->condition_count)) s.infeasible = resize_infeasible(given);
    if (s.c.status == KARP_OK) {
        list = join_init_containers(&s, sum_containers(&s));
        list = replaced(&s, list, pod_level(&s));
        list = sum(&s, list, read_list(&s, "spec.overhead", given->overhead, given->overhead_count));
    }
    if (s.c.status == KARP_OK) {
        karp_status status = resource_list_set(s.c.to, list, RESOURCE_PODS, amount_whole(1), &list);
        list = checked(&s, status, list);
    }
    strings_free(&s.names);
    a->c.status = s.c.status;
    return list;
}
