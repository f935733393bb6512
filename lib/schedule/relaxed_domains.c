/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What spread over zones means in numbers. Of n pods that are spread over Z zones with maxSkew s, at least
 * (n − (Z − 1) × s) / Z are in each zone. So many pods become a class of their own for each zone, which can only be
 * placed there. The remaining pods of the class stay free to be placed anywhere. With maxSkew 1 no two of those of one
 * constraint are in the same zone: in which zones they are is a choice.
 */
#include <schedule/relaxed.h>

#include <base/bits.h>
#include <schedule/label_groups.h>
#include <schedule/scheduler.h>
#include <schedule/topology.h>
#include <schedule/views.h>
#include <string.h>

enum { MOST_DOMAINS = 64, MOST_WAYS = 20 }; /* ways in which the pods of a constraint can choose zones */

/* A group whose pods are spread over the key. */
typedef struct spread_pods {
    uint32_t group, class_, own; /* class_: of the relaxation, NO_ID = several; own: requirement on the key */
    int64_t pods;
} spread_pods;

/* Pods of as many constraints, each of which has so many that are in different domains of these. */
typedef struct rest_pods {
    uint32_t class_, ways;
    uint64_t domains;
    int64_t pods, groups;
} rest_pods;

typedef struct splitter {
    scheduler *s;
    arena *a;
    relaxed *r;
    const uint16_t *steps;
    bool any_step;
    int32_t most_skew;
    uint32_t key; /* index of the key */
    map64 kinds; /* (snapshot class, step) -> index in groups; NO_ID - 1 = none */
    map64 of_group; /* group -> index in groups */
    LIST_OF(spread_pods) groups;
    uint32_t *domain_of; /* by row */
    uint32_t next; /* the next new class */
    int64_t *least; /* [class * MOST_DOMAINS]: number of pods that are in the domain */
    int64_t *here; /* [group in groups * MOST_DOMAINS]: number of pods that run in the domain */
    uint32_t *surplus; /* [class * MOST_DOMAINS]: see relaxed.surplus */
    LIST_OF(rest_pods) rests;
    uint64_t *needed; /* by class: the domains in which it gets a class */
} splitter;

#define NO_GROUP (NO_ID - 1)

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* The spread constraint over the key that the pods of the view keep in every plan; NO_GROUP = none. */
static uint32_t group_of_view(const splitter *k, const view *v)
{
    bool stays = k->any_step ? v->settled : v->step == 0;
    for (uint32_t i = 0; v->updated && stays && i < v->owned_count; i++) {
        const group *g = &k->s->topology.groups.items[v->owned[i].group];
        if (g->kind == GROUP_SPREAD && !g->host && g->key == k->key && v->owned[i].self && !g->selective &&
            g->max_skew > 0 && g->max_skew <= k->most_skew)
            return v->owned[i].group;
    }
    return NO_GROUP;
}

/* The index of the group in the list, with what the pods of the view require of the key; NO_ID = out of memory. */
static uint32_t add_group(splitter *k, uint32_t number, const view *v, uint32_t class_)
{
    uint32_t own = set_get(&k->s->algebra, v->strict.set, k->s->topology.keys[k->key].key);
    uint32_t at = map64_get(&k->of_group, number);
    if (at == NO_ID) {
        at = (uint32_t)k->groups.count;
        spread_pods *slot = list_push(k->s->context, &k->groups, sizeof *slot);
        if (slot == NULL || !map64_put(&k->of_group, number, at)) return NO_ID;
        *slot = (spread_pods){ number, class_, own, 0 };
    }
    spread_pods *x = &k->groups.items[at];
    if (x->class_ != class_ || x->own != own) x->class_ = NO_ID;
    return at;
}

/* The index of the group of a pod's class and step; NO_GROUP = none, NO_ID = out of memory. */
static uint32_t group_of_kind(splitter *k, uint32_t class_number, uint32_t step, uint32_t class_)
{
    uint64_t id = (uint64_t)class_number << 32 | step;
    uint32_t at = map64_get(&k->kinds, id);
    if (at != NO_ID) return at;
    uint32_t number = view_after(k->s, class_number, step);
    if (number == NO_ID) return NO_ID;
    uint32_t found = group_of_view(k, &k->s->pods.views.items[number]);
    at = found == NO_GROUP ? NO_GROUP : add_group(k, found, &k->s->pods.views.items[number], class_);
    return at != NO_ID && map64_put(&k->kinds, id, at) ? at : NO_ID;
}

/* Groups that count the pod without being its own are not divided: the pod may be anywhere. */
static void note_others(splitter *k, uint32_t pod_number, uint32_t own)
{
    const scheduler *s = k->s;
    const label_group *x = &s->topology.label_groups.items[label_group_of_pod(s, pod_number)];
    for (uint32_t i = 0; i < x->counted_count; i++) {
        const group *g = &s->topology.groups.items[x->counted_by[i]];
        uint32_t at = g->kind == GROUP_SPREAD && g->key == k->key ? map64_get(&k->of_group, x->counted_by[i]) : own;
        if (at != own && at != NO_ID) k->groups.items[at].class_ = NO_ID;
    }
}

static bool find_groups(splitter *k)
{
    size_t pods = k->s->snapshot->raw.pods.count;
    for (size_t p = 0; p < pods; p++) { /* all groups have to be known first */
        uint32_t c = k->r->class_of[p];
        if (c != NO_ID && group_of_kind(k, k->s->snapshot->pod_class[p], k->steps[p], c) == NO_ID) return false;
    }
    for (size_t p = 0; p < pods; p++) {
        uint32_t c = k->r->class_of[p];
        if (c == NO_ID) continue;
        uint32_t at = group_of_kind(k, k->s->snapshot->pod_class[p], k->steps[p], c);
        if (at == NO_ID) return false;
        note_others(k, (uint32_t)p, at);
        if (at == NO_GROUP) continue;
        k->groups.items[at].pods++;
        if (k->groups.items[at].class_ != c) k->groups.items[at].class_ = NO_ID;
    }
    return true;
}

/* Counts the pods of groups that run in each domain. */
static bool count_running(splitter *k)
{
    const karp_snapshot *seen = k->s->snapshot;
    for (size_t p = 0; p < seen->raw.pods.count; p++) {
        uint32_t c = k->r->class_of[p], on = seen->pod_node[p];
        if (on != NO_ID) on = seen->node_of_name[on];
        if (c == NO_ID || on == NO_ID || seen->nodes[on].zone == NO_ID) continue;
        uint32_t at = group_of_kind(k, seen->pod_class[p], k->steps[p], c);
        uint32_t d = map64_get(&k->s->topology.keys[k->key].numbers, seen->nodes[on].zone);
        if (at == NO_ID) return false;
        if (at != NO_GROUP && d < MOST_DOMAINS) k->here[(size_t)at * MOST_DOMAINS + d]++;
    }
    return true;
}

/* Of the group's pods that run in the domain, so many may be moved last to a place there. Notes the others. */
static void note_surplus(splitter *k, size_t group_index, size_t d, int64_t least)
{
    const int64_t here = k->here[group_index * MOST_DOMAINS + d];
    uint32_t *most = &k->surplus[(size_t)k->groups.items[group_index].class_ * MOST_DOMAINS + d];
    if (here <= least) return;
    uint32_t part = (uint32_t)(((here - least) * 1000000 + here - 1) / here); /* numbers of pods: < 2^32 */
    if (part > *most) *most = part;
}

/* In how many ways so many pods can choose different domains; 0 = too many. */
static uint32_t ways_of(int64_t domains, int64_t pods)
{
    int64_t ways = 1;
    for (int64_t i = 0; i < pods && ways <= MOST_WAYS * MOST_WAYS; i++) ways = ways * (domains - i) / (i + 1);
    return ways <= MOST_WAYS ? (uint32_t)ways : 0;
}

/* Notes that the group has so many pods in different domains of these. */
static bool add_rest(splitter *k, uint32_t class_, uint64_t domains, int64_t count, int64_t pods)
{
    const rest_pods x = { class_, ways_of(count, pods), domains, pods, 1 };
    if (pods < 2 || x.ways == 0) return true;
    for (size_t i = 0; i < k->rests.count; i++) {
        rest_pods *known = &k->rests.items[i];
        if (known->class_ != class_ || known->domains != domains || known->pods != pods) continue;
        known->groups++;
        return true;
    }
    rest_pods *slot = list_push(k->s->context, &k->rests, sizeof *slot);
    if (slot != NULL) *slot = x;
    return slot != NULL;
}

/* Adds the number of pods that the group has in each of its domains at least. Pods that others have placed, or that
 * the group counts without spreading them, could be anywhere: then nothing is known. */
static bool add_least(splitter *k, size_t group_index)
{
    const spread_pods *x = &k->groups.items[group_index];
    const group *g = &k->s->topology.groups.items[x->group];
    size_t count = k->s->topology.keys[k->key].count;
    const uint64_t *own = domain_mask(k->s, k->key, x->own);
    int64_t domains = 0, counted = 0, crowded = 0;
    uint64_t mask = 0;
    if (own == NULL) return false;
    for (size_t d = 0; d < count; d++) {
        if (!group_knows(g, d)) continue;
        counted += g->counts[d];
        domains += bits_test(own, d);
        if (bits_test(own, d) && count <= MOST_DOMAINS) mask |= UINT64_C(1) << d;
    }
    if (x->class_ == NO_ID || counted != x->pods || domains < 2 || count > MOST_DOMAINS) return true;
    int64_t beyond = x->pods - (domains - 1) * g->max_skew, least = beyond > 0 ? (beyond + domains - 1) / domains : 0;
    int64_t rest = g->max_skew == 1 ? x->pods - domains * least : 0;
    for (size_t d = 0; d < count; d++) crowded += k->here[group_index * MOST_DOMAINS + d] > least;
    for (size_t d = 0; d < count; d++) {
        bool has = (mask >> d & 1) != 0;
        if (has) k->least[(size_t)x->class_ * MOST_DOMAINS + d] += least;
        note_surplus(k, group_index, d, !has ? 0 : rest > 0 && crowded <= rest ? least + 1 : least);
    }
    return add_rest(k, x->class_, mask, domains, rest);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Finds the domain of every row; false = some row is in none, or in one that the key does not know. */
static bool find_domains(splitter *k)
{
    const relaxed *r = k->r;
    const domain_key *key = &k->s->topology.keys[k->key];
    for (uint32_t o = 0; o < r->offer_count; o++) {
        const template_ *t = &k->s->templates.items[r->offers[o].template_];
        uint32_t text = t->table->offerings[r->offers[o].offering].zone;
        k->domain_of[o] = text == NO_ID ? NO_ID : map64_get(&key->numbers, text);
        if (k->domain_of[o] == NO_ID) return false;
    }
    for (uint32_t i = 0; i < r->node_count; i++) {
        uint32_t text = k->s->snapshot->nodes[r->nodes[i]].zone;
        k->domain_of[r->offer_count + i] = text == NO_ID ? NO_ID : map64_get(&key->numbers, text);
        if (k->domain_of[r->offer_count + i] == NO_ID) return false;
    }
    return true;
}

/* Whether what pods of the class can be placed on differs between these domains: if not, dividing the class proves
 * little. */
static bool domains_differ(const splitter *k, uint32_t class_, uint64_t domains)
{
    const relaxed *r = k->r;
    size_t width = bits_words(r->class_count);
    double sums[MOST_DOMAINS] = { 0 };
    uint32_t first = NO_ID;
    for (uint32_t o = 0; o < r->offer_count; o++) {
        if (!bits_test(r->allowed + o * width, class_)) continue;
        const template_ *t = &k->s->templates.items[r->offers[o].template_];
        uint32_t type = t->table->offerings[r->offers[o].offering].type;
        sums[k->domain_of[o]] += r->offers[o].price * (1 + type % 1000) * (r->offers[o].spot ? 2 : 3);
    }
    for (uint32_t d = 0; d < MOST_DOMAINS; d++) {
        if ((domains >> d & 1) == 0) continue;
        if (first == NO_ID) first = d;
        double difference = sums[d] - sums[first], limit = 1e-6 * sums[first];
        if (difference > limit || difference < -limit) return true;
    }
    return false;
}

/* ---- new classes ------------------------------------------------------------------------------------------------- */

bool relaxed_widen(arena *a, relaxed *r, uint32_t classes)
{
    size_t n = classes + (size_t)1, rows = r->offer_count + (size_t)r->node_count;
    size_t before = bits_words(r->class_count), width = bits_words(classes);
    uint32_t *samples = arena_array(a, n, sizeof *samples), *domains = arena_array(a, n, sizeof *domains);
    int64_t *requests = arena_array(a, n * r->dims, sizeof *requests);
    int64_t *numbers = arena_array(a, 3 * n, sizeof *numbers);
    uint64_t *allowed = arena_array(a, rows * width + 1, sizeof *allowed);
    if (samples == NULL || domains == NULL || requests == NULL || numbers == NULL || allowed == NULL) return false;
    memcpy(samples, r->samples, r->class_count * sizeof *samples);
    memcpy(requests, r->requests, (size_t)r->class_count * r->dims * sizeof *requests);
    memcpy(numbers, r->counts, r->class_count * sizeof *numbers);
    memcpy(numbers + n, r->bought, r->class_count * sizeof *numbers);
    memcpy(numbers + 2 * n, r->limits, r->class_count * sizeof *numbers);
    for (size_t row = 0; row < rows; row++)
        memcpy(allowed + row * width, r->allowed + row * before, before * sizeof *allowed);
    for (size_t c = 0; c < n; c++) domains[c] = r->domains != NULL && c < r->class_count ? r->domains[c] : NO_ID;
    r->samples = samples;
    r->domains = domains;
    r->requests = requests;
    r->counts = numbers;
    r->bought = numbers + n;
    r->limits = numbers + 2 * n;
    r->allowed = allowed;
    r->class_count = classes;
    return true;
}

/* Moves so many pods of the class into a class of the domain. */
static void split_off(splitter *k, uint32_t class_, uint32_t domain, int64_t pods, size_t width)
{
    relaxed *r = k->r;
    uint32_t to = k->next++;
    size_t rows = r->offer_count + (size_t)r->node_count;
    int64_t bought = pods < r->bought[class_] ? pods : r->bought[class_];
    r->samples[to] = r->samples[class_];
    r->domains[to] = k->s->topology.keys[k->key].values[domain];
    r->limits[to] = r->limits[class_];
    r->counts[to] = pods;
    r->surplus[to] = k->surplus[(size_t)class_ * MOST_DOMAINS + domain];
    r->bought[to] = bought;
    r->counts[class_] -= pods;
    r->bought[class_] -= bought;
    memcpy(r->requests + (size_t)to * r->dims, r->requests + (size_t)class_ * r->dims, r->dims * sizeof *r->requests);
    for (size_t row = 0; row < rows; row++) {
        if (k->domain_of[row] == domain && bits_test(r->allowed + row * width, class_))
            bits_set(r->allowed + row * width, to);
    }
}

static uint32_t count_bits(uint64_t x) { return (uint32_t)bits_count(&x, 1); }

/* Chooses the domains in which classes get classes: first those with a least number of pods. *more receives how many
 * classes that makes, with those of pods that choose domains. */
static void choose_domains(splitter *k, uint32_t had, uint32_t *more)
{
    for (uint32_t c = 0; c < had; c++) {
        uint64_t mask = 0;
        for (uint32_t d = 0; d < MOST_DOMAINS; d++) {
            if (k->least[(size_t)c * MOST_DOMAINS + d] > 0) mask |= UINT64_C(1) << d;
        }
        if (mask == 0 || had + *more + count_bits(mask) > RELAXED_CLASSES || !domains_differ(k, c, mask)) continue;
        k->needed[c] = mask;
        *more += count_bits(mask);
    }
    size_t kept = 0;
    for (size_t i = 0; i < k->rests.count; i++) {
        rest_pods x = k->rests.items[i];
        uint64_t *needed = &k->needed[x.class_], other = x.domains & ~*needed;
        if (had + *more + count_bits(other) + 1 > RELAXED_CLASSES || !domains_differ(k, x.class_, x.domains)) continue;
        *needed |= other;
        *more += count_bits(other) + 1;
        k->rests.items[kept++] = x;
    }
    k->rests.count = kept;
}

/* The next larger set with as many members. */
static uint64_t next_set(uint64_t set)
{
    uint64_t low = set & (~set + 1), up = set + low;
    return up | ((set ^ up) / low >> 2);
}

/* The domains of a set that numbers the members of another. */
static void list_way(const splitter *k, const rest_pods *x, uint64_t set, uint32_t *domains, uint32_t *classes)
{
    uint32_t number = 0, n = 0;
    for (uint32_t d = 0; d < MOST_DOMAINS; d++) {
        if ((x->domains >> d & 1) == 0 || (set >> number++ & 1) == 0) continue;
        domains[n] = k->s->topology.keys[k->key].values[d];
        classes[n++] = k->r->parts[x->class_] + count_bits(k->needed[x->class_] & ((UINT64_C(1) << d) - 1));
    }
}

/* Makes a choice of domains of the pods, whose class is there already. */
static bool add_choice(splitter *k, const rest_pods *x, uint32_t class_)
{
    relaxed *r = k->r;
    uint32_t pods = (uint32_t)x->pods, n = pods * x->ways;
    relaxed_choice *c = &r->choices[r->choice_count++];
    *c = (relaxed_choice){ .group = NO_ID,
                           .key = k->s->topology.keys[k->key].key,
                           .class_ = class_,
                           .groups = x->groups,
                           .pods = pods,
                           .member_count = pods,
                           .domain_count = x->ways,
                           .members = arena_array(k->a, pods, sizeof *c->members),
                           .copies = arena_array(k->a, pods, sizeof *c->copies),
                           .domains = arena_array(k->a, n, sizeof *c->domains),
                           .classes = arena_array(k->a, n, sizeof *c->classes) };
    if (c->members == NULL || c->copies == NULL || c->domains == NULL || c->classes == NULL) return false;
    for (uint32_t i = 0; i < pods; i++) c->members[i] = x->class_, c->copies[i] = 1;
    uint64_t set = (UINT64_C(1) << pods) - 1;
    for (uint32_t w = 0; w < x->ways; w++, set = next_set(set))
        list_way(k, x, set, c->domains + (size_t)w * pods, c->classes + (size_t)w * pods);
    for (uint32_t d = 0; d < MOST_DOMAINS; d++) {
        uint64_t before = k->needed[x->class_] & ((UINT64_C(1) << d) - 1);
        if ((x->domains >> d & 1) != 0) r->most[r->parts[x->class_] + count_bits(before)] += x->groups;
    }
    return true;
}

/* Makes a class of pods that choose domains. It goes nowhere. */
static void add_chooser(splitter *k, const rest_pods *x)
{
    relaxed *r = k->r;
    uint32_t to = k->next++;
    int64_t pods = x->pods * x->groups, bought = pods < r->bought[x->class_] ? pods : r->bought[x->class_];
    r->samples[to] = r->samples[x->class_];
    r->limits[to] = 1;
    r->counts[to] = pods;
    r->bought[to] = bought;
    r->counts[x->class_] -= pods;
    r->bought[x->class_] -= bought;
    memcpy(r->requests + (size_t)to * r->dims, r->requests + (size_t)x->class_ * r->dims,
           r->dims * sizeof *r->requests);
}

static bool add_choices(splitter *k, const uint32_t *first)
{
    relaxed *r = k->r;
    if (k->rests.count == 0) return true;
    r->choices = arena_array(k->a, k->rests.count, sizeof *r->choices);
    r->most = arena_copy(k->a, r->counts, (r->class_count + (size_t)1) * sizeof *r->most);
    if (r->choices == NULL || r->most == NULL) return false;
    for (size_t i = 0; i < k->rests.count; i++) {
        const rest_pods *x = &k->rests.items[i];
        uint32_t number = first[x->class_];
        for (size_t n = 0; n < i; n++) number += k->rests.items[n].class_ == x->class_;
        if (!add_choice(k, x, number)) return false;
    }
    r->spread_choices = r->choice_count;
    return true;
}

static bool split_classes(splitter *k)
{
    relaxed *r = k->r;
    uint32_t had = r->class_count, more = 0, count = k->s->topology.keys[k->key].count;
    uint32_t *first = arena_array(k->a, had + (size_t)1, sizeof *first);
    k->needed = arena_array(k->a, had + (size_t)1, sizeof *k->needed);
    if (first == NULL || k->needed == NULL) return false;
    choose_domains(k, had, &more);
    if (more == 0) return true;
    k->next = had;
    if (!relaxed_widen(k->a, r, had + more)) return false;
    r->surplus = arena_array(k->a, r->class_count + (size_t)1, sizeof *r->surplus);
    r->parts = arena_alloc(k->a, (r->class_count + (size_t)1) * sizeof *r->parts);
    if (r->surplus == NULL || r->parts == NULL) return false;
    for (uint32_t c = 0; c < r->class_count; c++) r->parts[c] = NO_ID;
    for (uint32_t c = 0; c < had; c++) {
        first[c] = k->next;
        for (size_t i = 0; i < k->rests.count; i++) {
            if (k->rests.items[i].class_ == c) add_chooser(k, &k->rests.items[i]);
        }
        if (k->needed[c] != 0) r->parts[c] = k->next;
        for (uint32_t d = 0; d < count; d++) {
            if ((k->needed[c] >> d & 1) != 0)
                split_off(k, c, d, k->least[(size_t)c * MOST_DOMAINS + d], bits_words(had + more));
        }
    }
    return add_choices(k, first);
}

static bool split_by_key(splitter *k)
{
    size_t rows = k->r->offer_count + (size_t)k->r->node_count;
    k->domain_of = arena_array(k->a, rows + 1, sizeof *k->domain_of);
    k->least = arena_array(k->a, k->r->class_count * (size_t)MOST_DOMAINS + 1, sizeof *k->least);
    k->surplus = arena_array(k->a, k->r->class_count * (size_t)MOST_DOMAINS + 1, sizeof *k->surplus);
    if (k->domain_of == NULL || k->least == NULL || k->surplus == NULL || !find_groups(k)) return false;
    if (k->groups.count == 0 || k->s->topology.keys[k->key].count > MOST_DOMAINS || !find_domains(k)) return true;
    k->here = arena_array(k->a, k->groups.count * MOST_DOMAINS + 1, sizeof *k->here);
    if (k->here == NULL || !count_running(k)) return false;
    for (size_t i = 0; i < k->groups.count; i++) {
        if (!add_least(k, i)) return false;
    }
    return split_classes(k);
}

uint32_t relaxed_class_in(const relaxed *r, uint32_t class_, uint32_t zone)
{
    uint32_t k = r->parts != NULL ? r->parts[class_] : NO_ID;
    while (k < r->class_count && r->samples[k] == r->samples[class_] && r->domains[k] != zone) k++;
    return k < r->class_count && r->samples[k] == r->samples[class_] ? k : class_;
}

bool relaxed_split(scheduler *s, arena *a, const uint16_t *steps, bool any_step, int32_t most_skew, relaxed *r)
{
    splitter k = { s, a, r, steps, any_step, most_skew, .key = NO_ID };
    for (uint32_t i = 0; i < s->topology.key_count; i++) {
        if (s->topology.keys[i].key == s->snapshot->known.zone) k.key = i;
    }
    if (k.key == NO_ID || r->class_count >= RELAXED_CLASSES) return true;
    map64_init(&k.kinds, s->context);
    map64_init(&k.of_group, s->context);
    bool ok = split_by_key(&k);
    map64_free(&k.kinds);
    map64_free(&k.of_group);
    list_free(s->context, &k.groups, sizeof(spread_pods));
    list_free(s->context, &k.rests, sizeof(rest_pods));
    return ok && !s->failed && !s->algebra.failed;
}
