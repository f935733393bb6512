/* SPDX-License-Identifier: Apache-2.0 */
/* Whether anything that NodePools could launch is compatible with a pod, whether or not it is available now. */
#include <schedule/workloads.h>

#include <model/taints.h>
#include <schedule/scheduler.h>

/* The requests are those of the pod alone, without DaemonSets. */
static bool is_large_enough(const instance_type *type, resource_list requests)
{
    for (uint32_t i = 0; i < requests.count; i++) {
        amount has = resource_list_get(type->allocatable_list, requests.items[i].resource);
        if (amount_cmp(requests.items[i].value, has) > 0) return false;
    }
    return true;
}

static bool template_offers(scheduler *s, const template_ *t, const view *v, resource_list requests)
{
    algebra *a = &s->algebra;
    if (!taints_tolerated(s->snapshot, v->tolerations, t->taints) || !set_compatible(a, t->set, v->strict.set, true))
        return false;
    uint32_t wanted = set_meet(a, t->set, v->strict.set);
    for (uint32_t i = 0; i < t->table->offering_count && !a->failed; i++) {
        const offering *o = &t->table->offerings[i];
        const instance_type *type = &t->table->types[o->type];
        if (is_large_enough(type, requests) && set_agree(a, wanted, type->set) && set_agree(a, wanted, o->set))
            return true;
    }
    return false;
}

static bool any_offers(scheduler *s, const view *v, resource_list requests)
{
    bool any = false;
    for (uint32_t i = 0; i < s->templates.count && !any; i++)
        any = template_offers(s, &s->templates.items[i], v, requests);
    for (uint32_t i = 0; i < s->templates.dropped_count && !any; i++)
        any = s->templates.dropped[i].table != NULL && template_offers(s, &s->templates.dropped[i], v, requests);
    return any;
}

bool scheduler_is_offered(scheduler *s, uint32_t pod_number, bool *offered)
{
    uint32_t class_number = s->snapshot->pod_class[pod_number], number = view_of_class(s, class_number);
    resource_list requests = shape_of(s->snapshot, class_number)->requests;
    *offered = false;
    while (number != NO_ID && number != LAST_VIEW && !*offered && !s->failed && !s->algebra.failed) {
        const view v = s->pods.views.items[number];
        *offered = any_offers(s, &v, requests);
        number = view_relax(s, number);
    }
    return !s->failed && !s->algebra.failed;
}
