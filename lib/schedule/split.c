/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/split.h>

#include <base/sort.h>
#include <math.h>
#include <schedule/placement.h>
#include <schedule/pricing.h>
#include <schedule/scheduler.h>
#include <schedule/views.h>

/* The numbers of the proposal. */
enum { MOST_PASSES = 2 };
static const double least_price_saving = 0.24, least_efficiency_gain = 0.10, least_net_saving = 0.03,
                    cost_epsilon = 0.0001, gib_of_a_core = 10.0;

void split_init(scheduler *s)
{
    const karp_objective *aim = s->settings.options->objective;
    s->splitting.on = rule_of(s->settings.rules, RULE_SPLIT_CLAIMS) && !s->settings.simulation &&
                      (aim == NULL || aim->kind == KARP_OBJECTIVE_COMPATIBLE);
}

void split_begin_round(scheduler *s)
{
    s->splitting.pods.count = s->splitting.steps.count = 0;
    s->splitting.passes = s->splitting.locked = 0;
}

void split_free(scheduler *s)
{
    list_free(s->context, &s->splitting.pods, sizeof(struct split_pod));
    list_free(s->context, &s->splitting.steps, sizeof(struct split_step));
}

/* Of these types, the cheapest one that has space for the amounts; the first of the catalogue if several are. NO_ID =
 * none. *where: the capacity of it that has the space. */
static uint32_t cheapest(scheduler *s, const template_ *t, uint32_t types, uint32_t set, const int64_t *total,
                         double *price, uint32_t *where)
{
    uint64_t *fitting = mem_zalloc(s->context, (template_words(t) + 1) * sizeof *fitting);
    uint32_t best = NO_ID;
    if (fitting == NULL) s->failed = true;
    *price = HUGE_VAL;
    if (fitting != NULL && typeset_fitting(s, types, total, fitting)) {
        uint32_t last = NO_ID;
        for (size_t i = bits_next(fitting, t->table->variant_count, 0); i < t->table->variant_count;
             i = bits_next(fitting, t->table->variant_count, i + 1)) {
            uint32_t type = t->table->variants[i].type;
            double worst = type == last ? HUGE_VAL : worst_launch_price(s, t->table, type, set);
            last = type;
            if (!(worst < *price)) continue;
            *price = worst;
            *where = (uint32_t)i;
            best = type;
        }
    }
    mem_free(s->context, fitting, (template_words(t) + 1) * sizeof *fitting);
    return best;
}

/* ---- the history of a claim -------------------------------------------------------------------------------------- */

static bool note_step(scheduler *s, uint32_t claim_number)
{
    claim *c = &s->claims.list.items[claim_number];
    const template_ *t = &s->templates.items[c->template_];
    size_t words_ = 2 * (size_t)s->vectors.dims;
    uint32_t found = 0;
    double price;
    uint32_t type = cheapest(s, t, c->types, c->set, c->requests, &price, &found);
    if (type == NO_ID) return !s->failed;
    struct split_step *step = c->step ? &s->splitting.steps.items[c->step - 1] : NULL;
    if (step == NULL || step->type != type) {
        step = list_push(s->context, &s->splitting.steps, sizeof *step);
        if (step == NULL) return false;
        *step = (struct split_step){ .before = c->step,
                                     .type = type,
                                     .amounts = arena_array(&s->round.data, words_ + 1, sizeof *step->amounts),
                                     .binary = arena_array(&s->round.data, s->vectors.dims + (size_t)1, 1) };
        c->step = (uint32_t)s->splitting.steps.count;
        if (step->amounts == NULL || step->binary == NULL) return false;
    }
    step->pods = c->pods;
    step->variant = found;
    step->price = price;
    step->state = *c;
    memcpy(step->amounts, c->requests, words_ * sizeof *step->amounts); /* slack follows them: see open_claim() */
    memcpy(step->binary, c->binary, s->vectors.dims);
    return true;
}

bool split_note(scheduler *s, uint32_t claim_number, uint32_t pod_number, const view *v, round_mark before)
{
    struct split_pod *p = list_push(s->context, &s->splitting.pods, sizeof *p);
    if (p == NULL || !note_step(s, claim_number)) return mem_refused(&s->failed);
    *p = (struct split_pod){ claim_number, pod_number, (uint32_t)(v - s->pods.views.items), before, round_marked(s) };
    return true;
}

/* ---- whether to split -------------------------------------------------------------------------------------------- */

/* Cores, and GiB divided by what a core costs more, of these amounts and the daemons of the capacity's group. */
static double weight_of(const scheduler *s, const template_ *t, uint32_t number, const int64_t *amounts)
{
    const resource_list daemons = t->groups[t->group_of[number]].overhead;
    static const uint32_t resources[2] = { RESOURCE_CPU, RESOURCE_MEMORY };
    double sum = 0;
    for (size_t i = 0; i < 2; i++) {
        uint32_t d = s->vectors.index_of[resources[i]];
        double amount_ = amount_double(resource_list_get(daemons, resources[i]));
        if (d != NO_ID) amount_ += (double)amounts[d] * amount_double(s->snapshot->units[resources[i]]);
        sum += i == 0 ? amount_ : amount_ / 1073741824.0 / gib_of_a_core;
    }
    return sum;
}

static double efficiency(const scheduler *s, const claim *c, const struct split_step *step)
{
    const template_ *t = &s->templates.items[c->template_];
    double all = weight_of(s, t, step->variant, t->space + (size_t)step->variant * s->vectors.dims);
    return all > 0 ? weight_of(s, t, step->variant, step->amounts) / all : 0;
}

/* The pods that came after the step; all of them are of the claim. */
typedef struct displaced {
    const struct split_pod **list;
    uint32_t count;
} displaced;

/* The labels that some selector reads. */
static label_list labels_at(const scheduler *s, const displaced *d, uint32_t index)
{
    const pod_class *k = &s->snapshot->classes[s->snapshot->pod_class[d->list[index]->pod]];
    const struct words_entry *e = &s->snapshot->raw.projected.entries[k->labels];
    return (label_list){ (const label_pair *)(const void *)e->ptr, e->count / 2 };
}

static bool selects_other(const scheduler *s, const selector *selects, const displaced *d, uint32_t self)
{
    for (uint32_t i = 0; i < d->count && selects != NULL; i++) {
        if (i != self && selector_selects(selects, labels_at(s, d, i))) return true;
    }
    return false;
}

/* Whether the pod must be alone among its like on a host, or beside a pod that stays. */
static bool is_bound_to_host(const scheduler *s, const displaced *d, uint32_t index)
{
    const shape *h = shape_of(s->snapshot, s->snapshot->pod_class[d->list[index]->pod]);
    const label_list own = labels_at(s, d, index);
    uint32_t by_host = s->snapshot->known.hostname;
    for (uint32_t i = 0; i < h->required_anti.count; i++) {
        const pod_term *term = &h->required_anti.items[i];
        if (term->topology_key == by_host && term->label_selector != NULL &&
            selector_selects(term->label_selector, own))
            return true;
    }
    for (uint32_t i = 0; i < h->required_affinity.count; i++) {
        const pod_term *term = &h->required_affinity.items[i];
        if (term->topology_key == by_host && !selects_other(s, term->label_selector, d, index)) return true;
    }
    for (uint32_t i = 0; i < h->spread.count; i++) {
        const spread_constraint *spread = &h->spread.items[i];
        if (spread->topology_key == by_host && !spread->schedule_anyway && spread->label_selector != NULL &&
            selector_selects(spread->label_selector, own))
            return true;
    }
    return class_needs_devices(s, s->snapshot->pod_class[d->list[index]->pod]);
}

/* What a new claim of the template for these pods alone would cost. */
static double cost_apart(scheduler *s, const claim *c, const displaced *d)
{
    const template_ *t = &s->templates.items[c->template_];
    int64_t *total = mem_zalloc(s->context, (s->vectors.dims + (size_t)1) * sizeof *total);
    uint32_t set = t->set, found;
    double price = HUGE_VAL;
    bool fits = total != NULL;
    if (total == NULL) s->failed = true;
    for (uint32_t i = 0; i < d->count && fits; i++) {
        const view *v = &s->pods.views.items[d->list[i]->view];
        const int64_t *r = s->pods.classes[v->class_].requests;
        fits = v->full.host == NO_ID && set_compatible(&s->algebra, set, v->full.set, true);
        if (fits) set = set_meet(&s->algebra, set, v->full.set);
        for (uint32_t k = 0; k < s->vectors.dims; k++) total[k] += r[k];
    }
    uint32_t types = fits ? typeset_narrow(s, t->initial, set) : NO_ID;
    if (types != NO_ID && cheapest(s, t, types, set, total, &price, &found) == NO_ID) price = HUGE_VAL;
    mem_free(s->context, total, (s->vectors.dims + (size_t)1) * sizeof *total);
    return price;
}

/* The latest step that was cheaper by the least part; NULL = there is none. */
static const struct split_step *candidate_of(const scheduler *s, const struct split_step *now)
{
    for (uint32_t at = now->before; at; at = s->splitting.steps.items[at - 1].before) {
        const struct split_step *step = &s->splitting.steps.items[at - 1];
        if ((now->price - step->price) / now->price >= least_price_saving) return step;
    }
    return NULL;
}

static bool is_worth_it(scheduler *s, const claim *c, const struct split_step *now, const struct split_step *then,
                        const displaced *d)
{
    if (efficiency(s, c, then) - efficiency(s, c, now) < least_efficiency_gain) return false;
    for (uint32_t i = 0; i < d->count; i++) {
        if (is_bound_to_host(s, d, i)) return false;
    }
    double saved = now->price - then->price - cost_apart(s, c, d);
    return !s->failed && saved > cost_epsilon && saved / now->price >= least_net_saving;
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

/* The claim as it was at the step. */
static void go_back(scheduler *s, claim *c, const struct split_step *then, const displaced *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        round_take_back(s, d->list[i]->from, d->list[i]->to);
        s->placement.places[d->list[i]->pod] = (place){ 0, PLACE_NONE };
        if (s->placement.gave_up != NULL) s->placement.gave_up[d->list[i]->pod] = 0;
    }
    c->pods = then->pods;
    c->set = then->state.set;
    c->types = then->state.types;
    c->relaxed_min_values = then->state.relaxed_min_values;
    c->port_count = then->state.port_count;
    c->volumes = then->state.volumes;
    c->volume_count = then->state.volume_count;
    memcpy(c->requests, then->amounts, 2 * s->vectors.dims * sizeof *c->requests);
    memcpy(c->binary, then->binary, s->vectors.dims);
}

/* Returns the number of pods that lost their place, which are added to `out`. */
static uint32_t look_at(scheduler *s, claim *c, const struct split_pod **mine, uint32_t count, uint32_t *out)
{
    if (c->step == 0 || (!s->settings.reserved_fallback && c->reserved_count > 0)) return 0;
    const struct split_step *now = &s->splitting.steps.items[c->step - 1], *then = candidate_of(s, now);
    if (then == NULL || then->pods >= count) return 0;
    const displaced d = { mine + then->pods, count - then->pods };
    if (!is_worth_it(s, c, now, then, &d)) return 0;
    go_back(s, c, then, &d);
    for (uint32_t i = 0; i < d.count; i++) out[i] = d.list[i]->pod;
    return d.count;
}

/* Lists the pods by claim: those of claim n are at first[n] up to first[n + 1]. */
static bool list_by_claim(scheduler *s, uint32_t **first, const struct split_pod ***list)
{
    const struct splitting *p = &s->splitting;
    size_t claims = s->claims.list.count;
    *first = arena_array(&s->round.data, claims + 2, sizeof **first);
    *list = arena_array(&s->round.data, p->pods.count + 1, sizeof **list);
    if (*first == NULL || *list == NULL) return false;
    for (size_t i = 0; i < p->pods.count; i++) ++(*first)[p->pods.items[i].claim + 2];
    for (size_t n = 2; n < claims + 2; n++) (*first)[n] += (*first)[n - 1];
    for (size_t i = 0; i < p->pods.count; i++) (*list)[(*first)[p->pods.items[i].claim + 1]++] = &p->pods.items[i];
    return true;
}

bool split_claims(scheduler *s, uint32_t **pods, uint32_t *count)
{
    uint32_t *first, claims = (uint32_t)s->claims.list.count;
    const struct split_pod **list;
    *count = 0;
    if (!s->splitting.on || s->splitting.passes == MOST_PASSES || s->splitting.locked == claims) return false;
    *pods = arena_array(&s->round.data, s->splitting.pods.count + 1, sizeof **pods);
    if (*pods == NULL || !placement_settle(s) || !list_by_claim(s, &first, &list)) return mem_refused(&s->failed);
    for (uint32_t n = s->splitting.locked; n < claims && !s->failed; n++) {
        claim *c = &s->claims.list.items[n];
        if (!c->retired) claim_unlink(s, n);
        c->retired = true;
        *count += look_at(s, c, list + first[n], first[n + 1] - first[n], *pods + *count);
    }
    if (*count > 0) slice_sort_again(s);
    s->splitting.locked = claims;
    s->splitting.passes++;
    s->round.number++; /* what classes and views remember is of an earlier round now */
    s->round.version++;
    search_end(s);
    return *count > 0 && !s->failed && sort_ids(s->context, *pods, *count, by_rank, s->snapshot->queue_rank);
}
