/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/ports.h>

#include <schedule/placement.h>
#include <schedule/scheduler.h>
#include <string.h>

static bool same_address(const host_port *x, const host_port *y)
{
    if (!x->ip_known || !y->ip_known) return x->ip_known == y->ip_known;
    return memcmp(x->ip, y->ip, sizeof x->ip) == 0;
}

static bool clash(const host_port *x, const host_port *y)
{
    return x->port == y->port && x->protocol == y->protocol && (x->any || y->any || same_address(x, y));
}

static bool clash_some(const port_use *use, host_port_list ports)
{
    for (uint32_t k = 0; k < ports.count; k++) {
        if (clash(&use->port, &ports.items[k])) return true;
    }
    return false;
}

static bool is_on(scheduler *s, const claim *c, uint32_t pod_number)
{
    if (pod_number == NO_ID || c == NULL) return false;
    place at = placement_get(s, pod_number);
    return at.where == PLACE_CLAIM && s->claims.list.items[at.target].number == c->number;
}

bool ports_clash_daemons(scheduler *s, const daemon_group *g, const claim *c, uint32_t pod_number, host_port_list ports)
{
    for (uint32_t i = 0; i < g->port_count; i++) {
        const port_use *use = &g->ports[i];
        if (use->pod != pod_number && clash_some(use, ports) && !is_on(s, c, use->pod)) return true;
    }
    return false;
}

bool ports_clash(const port_use *uses, uint32_t count, uint32_t pod_number, host_port_list ports)
{
    for (uint32_t i = 0; i < count; i++) {
        if (uses[i].pod != pod_number && clash_some(&uses[i], ports)) return true;
    }
    return false;
}

bool ports_take(scheduler *s, port_use **uses, uint32_t *count, uint32_t *capacity, uint32_t pod_number,
                host_port_list ports)
{
    size_t grown = *capacity;
    void *items = *uses;
    if (ports.count == 0) return true;
    if (!grow(s->context, &items, &grown, *count + (size_t)ports.count, sizeof **uses)) return mem_refused(&s->failed);
    *uses = items;
    *capacity = (uint32_t)grown;
    for (uint32_t i = 0; i < ports.count; i++) (*uses)[(*count)++] = (port_use){ ports.items[i], pod_number };
    return true;
}
