/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The requests of a pod. All intermediate results are in the builder's scratch arena.
 *
 * During a resize in place, Karpenter and Kubernetes up to 1.36 take for each container the largest of what its spec
 * asks for, what is allocated and what is in effect, and sum these up. From 1.37 on, Kubernetes sums up each of the
 * three, and takes the largest sum (k8s.io/component-helpers 0.37, resource/helpers.go).
 */
#include <model/builder.h>

#include <base/error.h>

/* More statuses than this are looked up in a hash table. */
enum { FEW_STATUSES = 16 };

/* What is summed up: the largest amounts of each container, or only one kind of them. */
enum sum_of { SUM_LARGEST, SUM_SPEC, SUM_ALLOCATED, SUM_IN_EFFECT, SUM_PREDICTED, SUM_LIMITS };

typedef struct summing {
    copier c; /* copies into scratch */
    const karp_pod *pod;
    enum sum_of of;
    bool from_limits; /* for a DaemonSet's template: limits replace missing requests */
    bool infeasible; /* the resize in the spec is infeasible */
    bool resizing; /* the status of a container has other amounts than its spec */
    strings names; /* names of container statuses, if there are many */
    uint32_t *last; /* the last status with each name */
    size_t predicted; /* predictions that were met so far */
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

/* The last status with this name. */
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
    return found;
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

/* Whether no amount in x is another one in y; one that is absent is 0. */
static bool amounts_agree(resource_list x, resource_list y)
{
    for (uint32_t i = 0; i < x.count; i++) {
        if (amount_cmp(x.items[i].value, resource_list_get(y, x.items[i].resource)) != 0) return false;
    }
    return true;
}

static bool same_list(resource_list x, resource_list y) { return amounts_agree(x, y) && amounts_agree(y, x); }

/* What counts for a container whose kubelet has reported resources, by the kind of sum. */
static resource_list of_kind(summing *s, const karp_container_status *status, resource_list spec,
                             resource_list in_effect, resource_list allocated)
{
    static const resource_list nothing = { NULL, 0 };
    resource_list asked = s->infeasible ? nothing : spec;
    if (s->of == SUM_SPEC) return spec;
    if (s->of == SUM_IN_EFFECT && in_effect.count > 0) return in_effect;
    if (s->of != SUM_LARGEST) return allocated.count > 0 ? allocated : asked;
    return status->has_resources ? largest(s, largest(s, asked, in_effect), allocated) : spec;
}

/* The resources that the kubelet has allocated and in effect, combined with those of the spec. */
static resource_list in_force(summing *s, const karp_container_status *status, resource_list spec)
{
    size_t depth = s->c.depth;
    path_step first = s->c.path[0];
    s->c.depth = 0;
    path_enter(&s->c, "status.containerStatuses");
    path_at(&s->c, (size_t)(status - s->pod->container_statuses));
    resource_list in_effect = read_list(s, "resources.requests", status->requests, status->request_count);
    resource_list allocated = read_list(s, "allocatedResources", status->allocated, status->allocated_count);
    if (s->c.status == KARP_OK) {
        s->c.depth = depth;
        s->c.path[0] = first;
    }
    s->resizing = s->resizing || (in_effect.count > 0 && !same_list(in_effect, spec)) ||
                  (allocated.count > 0 && !same_list(allocated, spec));
    return of_kind(s, status, spec, in_effect, allocated);
}

/* The requests of the spec, of which predicted ones replace those of the same resources. */
static resource_list predicted(summing *s, karp_str name, resource_list spec)
{
    if (s->predicted == s->pod->predicted_container_count) return spec;
    const karp_container *k = &s->pod->predicted_containers[s->predicted];
    if (!equal_str(k->name, name)) return spec;
    s->predicted++;
    return replaced(s, spec, read_list(s, "resources.requests", k->requests, k->request_count));
}

/* counts: the status counts in Karpenter, too; in Kubernetes from 1.37 on, that of every container does. */
static resource_list effective(summing *s, const karp_container *k, bool counts)
{
    resource_list spec = read_list(s, "resources.requests", k->requests, k->request_count);
    if (s->from_limits || s->of == SUM_LIMITS) {
        resource_list limits = read_list(s, "resources.limits", k->limits, k->limit_count);
        if (s->of == SUM_LIMITS) return replaced(s, spec, limits);
        spec = replaced(s, limits, spec);
    }
    if (s->of == SUM_PREDICTED) return predicted(s, k->name, spec);
    const karp_container_status *status = s->c.status == KARP_OK ? find_status(s, k->name) : NULL;
    /* Of a container without a status, Kubernetes from 1.37 on knows only the spec, which an infeasible resize voids.
     */
    if (!status) return s->of > SUM_SPEC && s->infeasible ? (resource_list){ NULL, 0 } : spec;
    resource_list own = in_force(s, status, spec);
    return counts || s->of != SUM_LARGEST ? own : spec;
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

/* Of all containers, by the kind of sum. */
static resource_list sum_all(summing *s, enum sum_of of)
{
    s->of = of;
    return join_init_containers(s, sum_containers(s));
}

static resource_list complete(summing *s, resource_list list)
{
    list = replaced(s, list, pod_level(s));
    list = sum(s, list, read_list(s, "spec.overhead", s->pod->overhead, s->pod->overhead_count));
    if (s->c.status != KARP_OK) return list;
    karp_status status = resource_list_set(s->c.to, list, RESOURCE_PODS, amount_whole(1), &list);
    return checked(s, status, list);
}

/* As Kubernetes counts from 1.37 on. */
static resource_list sum_newer(summing *s)
{
    resource_list list = largest(s, sum_all(s, SUM_ALLOCATED), sum_all(s, SUM_IN_EFFECT));
    return complete(s, s->infeasible ? list : largest(s, list, sum_all(s, SUM_SPEC)));
}

/* What the pod may use by its limits, if that is more than it requests; else empty. A container without a limit counts
 * with its request. */
static resource_list limits_above(summing *s)
{
    static const resource_list none = { NULL, 0 };
    bool stated = false;
    for (size_t i = 0; i < s->pod->container_count; i++) stated = stated || s->pod->containers[i].limit_count > 0;
    if (!stated) return none;
    resource_list limits = sum_all(s, SUM_LIMITS);
    return s->c.status != KARP_OK || amounts_agree(limits, sum_all(s, SUM_SPEC)) ? none : limits;
}

resource_list pod_requests(adding *a, const karp_pod *given, enum pod_source source, beside_requests *beside)
{
    summing s = { .c = a->c, .pod = given, .from_limits = source == DAEMON_TEMPLATE };
    resource_list list = { NULL, 0 };
    s.c.to = &a->b->scratch;
    s.c.key = NULL;
    index_statuses(&s);
    if (copy_has(&s.c, given->conditions, given->condition_count)) s.infeasible = resize_infeasible(given);
    if (s.c.status == KARP_OK) list = complete(&s, sum_all(&s, SUM_LARGEST));
    if (s.c.status == KARP_OK && (s.resizing || s.infeasible)) beside->newer = sum_newer(&s);
    if (same_list(beside->newer, list)) beside->newer = (resource_list){ NULL, 0 };
    if (copy_has(&s.c, given->predicted_containers, given->predicted_container_count))
        beside->predicted = complete(&s, sum_all(&s, SUM_PREDICTED));
    if (same_list(beside->predicted, list)) beside->predicted = (resource_list){ NULL, 0 };
    if (s.c.status == KARP_OK) beside->limits = limits_above(&s);
    strings_free(&s.names);
    a->c.status = s.c.status;
    return list;
}
