/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/gang_domains.h>

#include <base/sort.h>
#include <schedule/claim_order.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>

/* A node and its value of the key. */
struct labelled {
    uint32_t rank, value, host;
};

static int by_value(const void *x, const void *y, const void *user)
{
    const struct labelled *a = x, *b = y;
    (void)user;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return a->host < b->host ? -1 : a->host > b->host;
}

/* Lists the nodes that have the label, and the values of launches with no host. */
static struct labelled *list_values(scheduler *s, const gang_domains *d, uint32_t *count)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint32_t key_index = d->host ? NO_ID : domain_key_of(s, d->key), launchable = 0;
    if (s->failed || (key_index == NO_ID && !d->host)) return NULL;
    if (!d->host) launchable = s->topology.keys[key_index].universe_count;
    struct labelled *list = arena_array(&s->round.data, s->hosts.count + (size_t)launchable + 1, sizeof *list);
    *count = 0;
    for (uint32_t h = 0; list != NULL && h < s->hosts.count; h++) {
        uint32_t value = label_get(snapshot->nodes[s->hosts.items[h].node].labels, d->key);
        if (value == NO_ID || value == NO_TEXT) continue;
        list[(*count)++] = (struct labelled){ snapshot->facts.rank[value], value, h };
    }
    for (uint32_t i = 0; list != NULL && i < launchable; i++) {
        const domain_key *k = &s->topology.keys[key_index];
        uint32_t value = k->values[k->universe[i].number];
        if (value != NO_TEXT) list[(*count)++] = (struct labelled){ snapshot->facts.rank[value], value, NO_ID };
    }
    return list;
}

static void measure(const scheduler *s, gang_domain *one)
{
    const karp_snapshot *snapshot = s->snapshot;
    static const uint32_t resources[] = { RESOURCE_CPU, RESOURCE_MEMORY };
    for (uint32_t h = 0; h < one->host_count; h++) {
        const state_node *n = &snapshot->nodes[s->hosts.items[one->hosts[h]].node];
        for (size_t r = 0; r < 2; r++) {
            int64_t units = 0;
            if (amount_scale(resource_list_get(n->allocatable, resources[r]), snapshot->units[resources[r]], &units))
                one->allocatable[r] += (double)units;
        }
    }
}

/* For a domain of many nodes. Those of all domains together take no more memory than the nodes' list. */
static bool list_bits(scheduler *s, gang_domain *one)
{
    uint64_t *bits = arena_array(&s->round.data, bits_words(s->hosts.count) + 1, sizeof *bits);
    for (uint32_t h = 0; h < one->host_count && bits != NULL; h++) bits_set(bits, one->hosts[h]);
    one->bits = bits;
    return bits != NULL;
}

static bool cut(scheduler *s, gang_domains *d, const struct labelled *list, uint32_t count)
{
    uint32_t *hosts = arena_array(&s->round.data, count + (size_t)1, sizeof *hosts), n = 0;
    d->items = arena_array(&s->round.data, count + (size_t)2, sizeof *d->items);
    if (hosts == NULL || d->items == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || list[i].value != list[i - 1].value) {
            uint32_t in = d->host ? NO_ID
                                  : requirement_in(&s->algebra, s->snapshot->facts.normalized[d->key], list[i].value);
            d->items[d->count++] = (gang_domain){ .value = list[i].value,
                                                  .claim = NO_ID,
                                                  .set = d->host ? EMPTY_SET : set_add(&s->algebra, EMPTY_SET, in),
                                                  .hosts = hosts + n };
        }
        if (list[i].host == NO_ID) continue;
        hosts[n++] = list[i].host;
        d->items[d->count - 1].host_count++;
    }
    if (d->host)
        d->items[d->count++] = (gang_domain){ .value = NO_ID, .claim = NO_ID, .set = EMPTY_SET, .hosts = hosts };
    for (uint32_t i = 0; i < d->count; i++) {
        measure(s, &d->items[i]);
        if (d->items[i].host_count > s->hosts.count / 64 && !list_bits(s, &d->items[i])) return false;
    }
    return !s->algebra.failed;
}

gang_domains *gang_domains_of(scheduler *s, uint32_t key)
{
    gang_domains *d = s->gangs->domains;
    uint32_t count = 0;
    while (d != NULL && d->key != key) d = d->next;
    if (d != NULL) return d;
    d = arena_array(&s->round.data, 1, sizeof *d);
    if (d != NULL) *d = (gang_domains){ .key = key, .host = key == s->snapshot->known.hostname };
    struct labelled *list = d == NULL ? NULL : list_values(s, d, &count);
    if (list == NULL || !sort_stable(s->context, list, count, sizeof *list, by_value, NULL) || !cut(s, d, list, count))
        return mem_refused_null(&s->failed);
    d->next = s->gangs->domains;
    s->gangs->domains = d;
    return d;
}

gang_domain gang_domain_at(const gang_domains *domains, uint32_t number)
{
    if (number < domains->count) return domains->items[number];
    return (gang_domain){ .value = NO_ID, .claim = number - domains->count, .set = EMPTY_SET };
}

uint32_t gang_domain_count(const scheduler *s, const gang_domains *domains)
{
    return domains->count + (domains->host ? (uint32_t)s->claims.list.count : 0);
}

/* ---- which one first --------------------------------------------------------------------------------------------- */

/* The free capacity of domains is added up once. After that, only nodes that have changed are looked at. */
struct domain_sums {
    uint32_t *domain_of; /* by host; NO_ID = in none */
    int64_t (*seen)[2]; /* by host: what the sums have of it */
    uint64_t changes_known;
};

static bool begin_sums(scheduler *s, gang_domains *d)
{
    struct domain_sums *k = arena_array(&s->round.data, 1, sizeof *k);
    if (k == NULL) return false;
    k->domain_of = arena_array(&s->round.data, s->hosts.count + (size_t)1, sizeof *k->domain_of);
    k->seen = arena_array(&s->round.data, s->hosts.count + (size_t)1, sizeof *k->seen);
    if (k->domain_of == NULL || k->seen == NULL) return false;
    for (uint32_t h = 0; h < s->hosts.count; h++) k->domain_of[h] = NO_ID;
    for (uint32_t i = 0; i < d->count; i++) {
        for (uint32_t h = 0; h < d->items[i].host_count; h++) k->domain_of[d->items[i].hosts[h]] = i;
    }
    d->sums = k;
    return true;
}

static void look_at(const scheduler *s, gang_domains *d, uint32_t host_index)
{
    const int64_t *now = s->hosts.before + (size_t)host_index * s->vectors.dims;
    int64_t *seen = d->sums->seen[host_index];
    if (d->sums->domain_of[host_index] == NO_ID) return;
    for (size_t r = 0; r < 2; r++) {
        d->items[d->sums->domain_of[host_index]].left[r] += (double)(now[r] - seen[r]);
        seen[r] = now[r];
    }
}

static bool update_sums(scheduler *s, gang_domains *d)
{
    const struct host_changes *k = &s->hosts.changes;
    bool fresh = d->sums == NULL;
    if (fresh && !begin_sums(s, d)) return false;
    if (fresh || k->count - d->sums->changes_known > CHANGES_KEPT) {
        for (uint32_t h = 0; h < s->hosts.count; h++) look_at(s, d, h);
    } else {
        for (uint64_t i = d->sums->changes_known; i < k->count; i++) look_at(s, d, k->ring[i % CHANGES_KEPT] >> 1);
    }
    d->sums->changes_known = k->count;
    return true;
}

/* How full the domain is with the requests, from 0 on: the mean over CPU and memory, as kube-scheduler's MostAllocated
 * has it. */
static double fullness(const gang_domain *one, const int64_t *requests)
{
    double sum = 0;
    for (size_t r = 0; r < 2; r++) {
        if (one->allocatable[r] > 0)
            sum += (one->allocatable[r] - one->left[r] + (double)requests[r]) / one->allocatable[r] / 2;
    }
    return sum;
}

struct fullest {
    double full;
    uint32_t number;
};

static int fuller(const void *x, const void *y, const void *user)
{
    const struct fullest *a = x, *b = y;
    (void)user;
    return a->full > b->full ? -1 : a->full < b->full;
}

const uint32_t *gang_domains_order(scheduler *s, gang_domains *domains, uint32_t depth, const int64_t *requests)
{
    uint32_t **kept = &domains->orders[depth];
    if (domains->ranking == NULL)
        domains->ranking = arena_array(&s->round.data, domains->count + (size_t)1, sizeof *domains->ranking);
    if (*kept == NULL) *kept = arena_array(&s->round.data, domains->count + (size_t)1, sizeof **kept);
    struct fullest *list = domains->ranking;
    uint32_t *order = *kept;
    bool summed = update_sums(s, domains);
    for (uint32_t i = 0; list != NULL && i < domains->count; i++)
        list[i] = (struct fullest){ fullness(&domains->items[i], requests), i };
    if (!summed || list == NULL || order == NULL ||
        !sort_stable(s->context, list, domains->count, sizeof *list, fuller, NULL))
        return mem_refused_null(&s->failed);
    for (uint32_t i = 0; i < domains->count; i++) order[i] = list[i].number;
    return order;
}

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* What classes remember of the last pod that failed, and the run of claims, are of another place. */
static void changed(scheduler *s)
{
    s->round.version++;
    search_end(s);
}

bool gang_enter(scheduler *s, const gang_domain *domain, outside *before)
{
    size_t width = bits_words(s->hosts.count) + 1;
    uint64_t **kept = &s->gangs->offered[s->gangs->inside++];
    if (*kept == NULL) *kept = arena_alloc(&s->round.data, width * sizeof **kept);
    uint64_t *offered = *kept;
    *before = (outside){ s->within, s->hosts.offered };
    if (offered == NULL) return mem_refused(&s->failed);
    memset(offered, 0, width * sizeof *offered);
    if (domain->bits != NULL) {
        bits_or(offered, domain->bits, bits_words(s->hosts.count));
        bits_and(offered, s->hosts.offered, bits_words(s->hosts.count));
    }
    for (uint32_t h = 0; h < domain->host_count && domain->bits == NULL; h++) {
        if (bits_test(s->hosts.offered, domain->hosts[h])) bits_set(offered, domain->hosts[h]);
    }
    s->hosts.offered = offered;
    if (!set_agree(&s->algebra, s->within.set, domain->set)) s->within.launches = LAUNCHES_NONE;
    else s->within.set = set_meet(&s->algebra, s->within.set, domain->set);
    if (domain->set == EMPTY_SET) { /* the host name */
        bool one = domain->value == NO_ID && s->within.launches != LAUNCHES_NONE;
        s->within.launches = one ? LAUNCHES_ONE : LAUNCHES_NONE;
        s->within.claim = one && before->within.launches == LAUNCHES_ONE ? before->within.claim : domain->claim;
    }
    changed(s);
    return !s->algebra.failed;
}

void gang_leave(scheduler *s, const outside *before)
{
    s->gangs->inside--;
    s->within = before->within;
    s->hosts.offered = before->offered;
    changed(s);
}
