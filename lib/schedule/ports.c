/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/ports.h>

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

bool ports_clash_lists(host_port_list x, host_port_list y)
{
    for (uint32_t i = 0; i < x.count; i++) {
        for (uint32_t k = 0; k < y.count; k++) {
            if (clash(&x.items[i], &y.items[k])) return true;
        }
    }
    return false;
}

bool ports_clash(const port_use *uses, uint32_t count, uint32_t pod_number, host_port_list ports)
{
    for (uint32_t i = 0; i < count; i++) {
        if (uses[i].pod == pod_number) continue;
        for (uint32_t k = 0; k < ports.count; k++) {
            if (clash(&uses[i].port, &ports.items[k])) return true;
        }
    }
    return false;
}

bool ports_take(scheduler *s, port_use **uses, uint32_t *count, uint32_t *capacity, uint32_t pod_number, host_port_list ports)
{
    size_t room = *capacity;
    void *items = *uses;
    if (ports.count == 0) return true;
    if (!grow(s->context, &items, &room, *count + (size_t)ports.count, sizeof **uses)) {
        s->failed = true;
        return false;
    }
    *uses = items;
    *capacity = (uint32_t)room;
    for (uint32_t i = 0; i < ports.count; i++) (*uses)[(*count)++] = (port_use){ ports.items[i], pod_number };
    return true;
}
