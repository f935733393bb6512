/* SPDX-License-Identifier: Apache-2.0 */
#include <kube/replicas.h>

#include <base/admit.h>
#include <base/sort.h>
#include <math.h>

int32_t kube_deletion_cost(karp_str text)
{
    string_number n = read_integer(text);
    bool plain = text.len > 0 &&
                 (text.ptr[0] == '-' || (text.ptr[0] >= '1' && text.ptr[0] <= '9') || str_is(text, "0"));
    return plain && n.is_number && n.value >= INT32_MIN && n.value <= INT32_MAX ? (int32_t)n.value : 0;
}

/* The whole part of the binary logarithm of an age. */
static int64_t bucket(int64_t at, int64_t now)
{
    int exponent = 0;
    if (at >= now) return -1;
    double part = frexp((double)((uint64_t)now - (uint64_t)at), &exponent);
    if (part == 0.5) return exponent - 1;
    return (int64_t)(log(part) * (1 / 0.693147180559945309417232121458176568) + exponent);
}

/* Younger ones come first, by powers of two, x and y; in one power the lower UID. 0 = the times a and b are equal. */
static int by_age(const kube_replica *first, const kube_replica *second, int64_t a, int64_t b, int64_t x, int64_t y)
{
    if (a == b) return 0;
    if (a == KARP_NO_TIME || b == KARP_NO_TIME) return a == KARP_NO_TIME ? -1 : 1;
    if (x != y) return x < y ? -1 : 1;
    return compare_str(first->uid, second->uid) < 0 ? -1 : 1;
}

static int order_of(uint32_t phase) { return phase == KARP_PHASE_PENDING ? 0 : phase == KARP_PHASE_UNKNOWN ? 1 : 2; }

/* Some orders go round in circles, because equal times go on to the next rule and others do not: the order of the list
 * then matters, as it does in Kubernetes. */
static int by_deletion(const void *first, const void *second, const void *user)
{
    const kube_replica *a = first, *b = second;
    (void)user;
    if (a->assigned != b->assigned) return a->assigned ? 1 : -1;
    if (order_of(a->phase) != order_of(b->phase)) return order_of(a->phase) < order_of(b->phase) ? -1 : 1;
    if (a->ready != b->ready) return a->ready ? 1 : -1;
    if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
    if (a->rank != b->rank) return a->rank > b->rank ? -1 : 1;
    int order = a->ready ? by_age(a, b, a->ready_since, b->ready_since, a->ready_age, b->ready_age) : 0;
    if (order) return order;
    if (a->restarts != b->restarts) return a->restarts > b->restarts ? -1 : 1;
    if (a->sidecar_restarts != b->sidecar_restarts) return a->sidecar_restarts > b->sidecar_restarts ? -1 : 1;
    return by_age(a, b, a->created, b->created, a->age, b->age);
}

bool kube_sort_replicas(karp_context *context, kube_replica *list, size_t count, int64_t now)
{
    for (size_t i = 0; i < count; i++) {
        list[i].ready_age = list[i].ready_since == KARP_NO_TIME ? 0 : bucket(list[i].ready_since, now);
        list[i].age = list[i].created == KARP_NO_TIME ? 0 : bucket(list[i].created, now);
    }
    return sort_stable(context, list, count, sizeof *list, by_deletion, NULL);
}
