/* SPDX-License-Identifier: Apache-2.0 */
/* ProvisioningRequests: they create no pods, they ask for capacity. Source: cluster-autoscaler, pkg/processors/provreq.
 */
#include <io/pods_rules.h>

#include <io/fill.h>

#include <base/duration.h>
#include <karp/library.h>

#define MINUTE INT64_C(60000000000)
#define BOOKED_FOR (10 * MINUTE)
#define FAILS_AFTER (7 * 24 * 60 * MINUTE)

static const tree *condition_of(const io_pods *p, const char *type)
{
    const tree *list = io_at_path(p->object, "/status/conditions");
    for (size_t i = 0; tree_is(list, TREE_LIST) && i < tree_count(list); i++) {
        const tree *one = tree_item(list, i);
        if (str_is(tree_get_text(one, "type"), type) && str_is(tree_get_text(one, "status"), "True")) return one;
    }
    return NULL;
}

static uint64_t pods_of_sets(const tree *sets)
{
    uint64_t count = 0;
    for (size_t i = 0; tree_is(sets, TREE_LIST) && i < tree_count(sets); i++) {
        int64_t own = 0;
        if (tree_integer(tree_get(tree_item(sets, i), "count"), &own) && own > 0) count += (uint64_t)own;
    }
    return count;
}

static bool is_over(const io_pods *p, int64_t since, int64_t duration)
{
    return since != KARP_NO_TIME && p->now != KARP_NO_TIME && since < p->now && instant_after(since, duration) < p->now;
}

/* Whether its capacity is still held for its pods. If it is no more, a note has the condition that says so. */
static bool holds(io_pods *p, const tree *provisioned, uint64_t pods)
{
    int64_t since = KARP_NO_TIME;
    (void)karp_time_parse(tree_get_text(provisioned, "lastTransitionTime"), &since);
    bool used = p->consumers && pods > 0 && p->consumers(p->user, p->namespace_, p->name) >= pods;
    if (!used && !is_over(p, since, BOOKED_FOR)) return true;
    io_pods_note(p, "ProvisioningRequest %.*s: %s: cluster-autoscaler sets BookingExpired (%s)",
                 str_shown(p->name, 100), p->name.ptr,
                 used ? "all of its pods run" : "its capacity was booked for ten minutes, which are over",
                 used ? "CapacityBookingConsumed" : "CapacityReservationTimeExpired");
    return false;
}

static void add_sets(io_pods *p, const tree *sets)
{
    for (size_t i = 0; tree_is(sets, TREE_LIST) && i < tree_count(sets) && !p->d->status; i++) {
        const tree *one = tree_item(sets, i);
        int64_t count = 1;
        karp_str name = tree_get_text(tree_get(one, "podTemplateRef"), "name");
        const tree *from = p->find ? p->find(p->user, "PodTemplate", p->namespace_, name) : NULL;
        if (!from) {
            io_pods_problem(p, "the input has no PodTemplate %.*s: add it (kubectl get podtemplate %.*s -o yaml)",
                            str_shown(name, 100), name.ptr, str_shown(name, 100), name.ptr);
            return;
        }
        (void)tree_integer(tree_get(one, "count"), &count);
        io_pod_set *set = io_pods_add(p, tree_get(from, "template"),
                                      io_pods_text(p, "%.*s-%zu", str_shown(p->name, 250), p->name.ptr, i),
                                      count > 0 ? (uint64_t)count : 0);
        if (!set) return;
        set->group = p->name;
        set->group_source = KARP_GROUP_PROVISIONING_REQUEST;
    }
}

void io_make_provisioning_request(io_pods *p)
{
    const tree *spec = tree_get(p->object, "spec"), *sets = tree_get(spec, "podSets");
    const tree *provisioned = condition_of(p, "Provisioned");
    karp_str class_name = tree_get_text(spec, "provisioningClassName");
    bool known = str_ends(class_name, ".autoscaling.x-k8s.io");
    uint64_t pods = pods_of_sets(sets);
    if (!p->queued)
        io_pods_note(p, "ProvisioningRequest %.*s asks for capacity and creates no pods: karp admit answers it",
                     str_shown(p->name, 100), p->name.ptr);
    if (!p->queued || condition_of(p, "Failed") || condition_of(p, "BookingExpired")) return;
    if (provisioned && (!known || !holds(p, provisioned, pods))) return;
    size_t count = 0;
    (void)io_array(p->d, spec, "podSets", &count);
    karp_pod_group g;
    karp_pod_group_init(&g, sizeof g);
    g.meta.name = p->name;
    g.meta.namespace_ = p->namespace_;
    g.meta.creation = io_creation(p->object);
    g.source = KARP_GROUP_PROVISIONING_REQUEST;
    g.min_count = pods < 1 ? 1 : pods < INT32_MAX ? (int32_t)pods : INT32_MAX;
    g.request_class = class_name;
    g.no_retry = str_is(tree_get_text(tree_get(spec, "parameters"), "noRetry"), "true");
    g.booked = provisioned != NULL;
    if (known && !provisioned && is_over(p, g.meta.creation, FAILS_AFTER))
        g.refused = str("it was not provisioned within seven days, so that cluster-autoscaler gives it up");
    io_pods_add_group(p, g);
    add_sets(p, sets);
}
