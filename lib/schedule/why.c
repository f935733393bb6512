/* SPDX-License-Identifier: Apache-2.0 */
#include <schedule/report.h>

#include <base/sort.h>
#include <model/taints.h>
#include <schedule/claims.h>
#include <schedule/devices.h>
#include <schedule/hosts.h>
#include <schedule/ports.h>
#include <schedule/result.h>
#include <schedule/scheduler.h>
#include <schedule/templates.h>
#include <schedule/types.h>
#include <schedule/volumes.h>
#include <schedule/why_topology.h>

/* ---- the categories of refused types ----------------------------------------------------------------------------- */

/* Whether some type matches the requirements (c), has enough resources (f), has a compatible offering (h). A fitting
 * type has an offering, because only offered variants count. */
struct tally {
    bool c, f, h;
    uint32_t requirements, resources, offerings; /* numbers of types that remain after each check */
};

static const char *const category_text[] = {
    [KARP_REASON_NOTHING_MATCHED] =
        "no instance type met the scheduling requirements or had enough resources or had a required offering",
    [KARP_REASON_REQUIREMENTS_AND_RESOURCES] =
        "no instance type met the scheduling requirements or had enough resources",
    [KARP_REASON_RESOURCES_AND_OFFERING] = "no instance type had enough resources or had a required offering",
    [KARP_REASON_TYPE_REQUIREMENTS] = "no instance type met all requirements",
    [KARP_REASON_TYPE_RESOURCES] = "no instance type has enough resources",
    [KARP_REASON_FITS_OFFERING_NOT_COMPATIBLE] =
        "no instance type which had enough resources and the required offering met the scheduling requirements",
};

/* E1, E2, E4, E5, E6 and E9. The others cannot occur, because a fitting type has an offering. If no type passes all
 * three checks, a type that fits does not match the requirements. */
static uint32_t category(const struct tally *t)
{
    if (!t->f && t->c) return t->h ? KARP_REASON_TYPE_RESOURCES : KARP_REASON_RESOURCES_AND_OFFERING;
    if (!t->f) return t->h ? KARP_REASON_REQUIREMENTS_AND_RESOURCES : KARP_REASON_NOTHING_MATCHED;
    return t->c ? KARP_REASON_FITS_OFFERING_NOT_COMPATIBLE : KARP_REASON_TYPE_REQUIREMENTS;
}

static bool enough(const scheduler *s, const int64_t *space, const int64_t *requests)
{
    for (uint32_t d = 0; d < s->vectors.dims; d++) {
        if (requests[d] > space[d]) return false;
    }
    return true;
}

/* The variants to check: the template's, without daemon groups whose ports conflict with the pod's. */
static void candidates(scheduler *s, const template_ *t, uint32_t pod_number, const shape *p, uint64_t *out)
{
    memcpy(out, t->filtered, template_words(t) * sizeof *out);
    for (uint32_t g = 0; g < t->group_count; g++) {
        if (ports_clash_daemons(s, &t->groups[g], NULL, pod_number, p->ports))
            bits_and_not(out, t->groups[g].bits, template_words(t));
    }
}

/* Whether daemons use the pod's host ports on every type. Karpenter then reports that nothing matched. */
static bool ports_bar_all(scheduler *s, const template_ *t, uint32_t pod_number, const shape *p)
{
    for (uint32_t g = 0; g < t->group_count; g++) {
        if (!ports_clash_daemons(s, &t->groups[g], NULL, pod_number, p->ports)) return false;
    }
    return true; /* there is a group: every template has types */
}

static bool tally_types(scheduler *s, const template_ *t, uint32_t pod_number, uint32_t class_number, uint32_t set,
                        struct tally *out)
{
    const shape *p = shape_of(s->snapshot, class_number);
    size_t words_ = template_words(t) + 1, width = t->table->variant_count;
    size_t offer_words = bits_words(t->table->offering_count) + 1;
    const uint64_t *holds_daemons = s->types.sets.items[t->initial].bits;
    uint64_t *scratch = mem_zalloc(s->context, (3 * words_ + offer_words) * sizeof *scratch);
    *out = (struct tally){ .c = false };
    if (scratch == NULL) return false;
    uint64_t *left = scratch, *labels = scratch + words_, *offered = scratch + 2 * words_,
             *offers = scratch + 3 * words_;
    candidates(s, t, pod_number, p, left);
    bool ok = types_label_mask(s, t->table_number, set, labels) && types_offered(s, t->table_number, set, offers);
    for (size_t i = bits_next(offers, t->table->offering_count, 0); i < t->table->offering_count;
         i = bits_next(offers, t->table->offering_count, i + 1)) {
        bits_set(offered, t->table->offerings[i].variant);
    }
    for (size_t v = bits_next(left, width, 0); ok && v < width;) {
        uint32_t type = t->table->variants[v].type;
        bool c = bits_test(labels, v), f = false, h = false, large = false;
        for (; v < width && t->table->variants[v].type == type; v = bits_next(left, width, v + 1)) {
            bool space = bits_test(holds_daemons, v) &&
                         enough(s, t->space + v * s->vectors.dims, s->pods.classes[class_number].requests);
            large = large || space;
            h = h || bits_test(offered, v);
            f = f || (space && bits_test(offered, v));
        }
        out->c = out->c || c;
        out->f = out->f || f;
        out->h = out->h || h;
        out->requirements += c;
        out->resources += c && large;
        out->offerings += c && f;
    }
    mem_free(s->context, scratch, (3 * words_ + offer_words) * sizeof *scratch);
    return ok;
}

/* ---- one NodePool ------------------------------------------------------------------------------------------------ */

static void show_conflict(scheduler *s, strbuf *b, uint32_t supply, uint32_t required)
{
    bool undefined;
    uint32_t key = set_first_conflict(&s->algebra, supply, required, true, &undefined);
    strbuf_adds(b, "incompatible requirements, ");
    if (key == NO_ID) {
        strbuf_adds(b, "the host name is fixed");
        return;
    }
    if (undefined) {
        strbuf_put(b, "label \"", text_of(s->snapshot, key), "\" does not have known values");
        return;
    }
    strbuf_put(b, "key ", text_of(s->snapshot, key), ", ");
    show_requirement(s, b, set_get(&s->algebra, required, key));
    strbuf_adds(b, " not in ");
    show_requirement(s, b, set_get(&s->algebra, supply, key));
}

/* How many types of the template exceed what is left of its limit k. */
static uint32_t types_beyond(scheduler *s, const template_ *t, uint32_t k, uint32_t *all)
{
    const pool_limit *l = &s->templates.limits[t->pool];
    const uint64_t *bits = s->types.sets.items[t->initial].bits;
    uint32_t count = 0;
    *all = 0;
    for (size_t v = bits_next(bits, t->table->variant_count, 0); v < t->table->variant_count;
         v = bits_next(bits, t->table->variant_count, v + 1), (*all)++)
        count += t->table->types[t->table->variants[v].type].capacity[l->columns[k]] > l->left[k];
    return count;
}

/* Names the limits that exclude all types, else those that exclude some. Sorted by name, since resource ids depend on
 * the input order. */
static void show_limits(scheduler *s, strbuf *b, const template_ *t)
{
    const pool_limit *l = &s->templates.limits[t->pool];
    const strings *names = &s->snapshot->raw.resources;
    size_t bytes = l->count * sizeof *l->resources;
    uint32_t *order = mem_alloc(s->context, bytes), count = 0, all;
    if (order == NULL) {
        b->failed = true;
        return;
    }
    for (uint32_t pass = 0; pass < 3 && count == 0; pass++) {
        for (uint32_t k = 0; k < l->count; k++) {
            uint32_t beyond = types_beyond(s, t, k, &all);
            if (beyond >= (pass == 0 ? all : pass == 1 ? 1 : 0)) order[count++] = l->resources[k];
        }
    }
    if (!sort_ids(s->context, order, count, by_string, names)) b->failed = true;
    strbuf_adds(b, "all available instance types exceed limits for nodepool (");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) strbuf_adds(b, ", ");
        strbuf_addstr(b, strings_get(names, order[i]));
    }
    strbuf_addc(b, ')');
    mem_free(s->context, order, bytes);
}

/* Whether types of the NodePool match one requirement alone: by their labels, and by their offerings. */
enum met { MET, NO_LABEL, NO_OFFER };

static enum met met_alone(scheduler *s, const template_ *t, uint32_t wanted, uint64_t *labels, uint64_t *offers)
{
    uint32_t set = set_add(&s->algebra, EMPTY_SET, wanted);
    const uint64_t *pool = t->filtered;
    size_t words_ = template_words(t);
    if (!types_label_mask(s, t->table_number, set, labels) || !types_offered(s, t->table_number, set, offers))
        return MET;
    uint64_t some = 0;
    for (size_t i = 0; i < words_; i++) some |= labels[i] & pool[i];
    if (some == 0) return NO_LABEL;
    bool of_offers = false;
    for (uint32_t k = 0; k < t->table->offering_key_count; k++)
        of_offers = of_offers || t->table->offering_keys[k] == requirement_get(&s->algebra, wanted)->key;
    if (!of_offers) return MET;
    for (size_t i = bits_next(offers, t->table->offering_count, 0); i < t->table->offering_count;
         i = bits_next(offers, t->table->offering_count, i + 1)) {
        if (bits_test(pool, t->table->offerings[i].variant)) return MET;
    }
    return NO_OFFER;
}

/* Names the first requirement, by key, that no type of the NodePool matches even alone, such as a zone that does not
 * exist. Requirements of the NodePool itself are skipped: its types were selected by them, and its labels are not
 * labels of types. */
static void show_unmet(scheduler *s, strbuf *b, const template_ *t, const pod_class *c, uint32_t set)
{
    size_t n, words_ = template_words(t) + 1, all = words_ + bits_words(t->table->offering_count) + 1;
    const set_entry *entries = set_entries(&s->algebra, set, &n);
    uint64_t *scratch = mem_zalloc(s->context, all * sizeof *scratch);
    set_entry *e = mem_alloc(s->context, (n + 1) * sizeof *e); /* a copy: creating a set moves the entries */
    if (scratch == NULL || e == NULL) b->failed = true;
    else if (n > 0) memcpy(e, entries, n * sizeof *e);
    const uint32_t *rank = s->snapshot->facts.rank;
    const set_entry *unmet = NULL;
    enum met why = MET;
    for (size_t i = 0; i < n && !b->failed; i++) {
        if (set_get(&s->algebra, t->set, e[i].key) == e[i].requirement ||
            (unmet != NULL && rank[unmet->key] < rank[e[i].key]))
            continue;
        memset(scratch, 0, all * sizeof *scratch);
        enum met met = met_alone(s, t, e[i].requirement, scratch, scratch + words_);
        if (met == MET) continue;
        unmet = &e[i];
        why = met;
    }
    if (unmet != NULL) {
        strbuf_adds(b, why == NO_LABEL ? "; none has " : "; none is offered with ");
        show_requirement(s, b, unmet->requirement);
        if (!c->contradictory && c->alternative_count > 0 &&
            set_get(&s->algebra, c->alternatives[0].set, unmet->key) != NO_ID)
            strbuf_adds(b, ", where its volumes are");
    }
    mem_free(s->context, e, (n + 1) * sizeof *e);
    mem_free(s->context, scratch, all * sizeof *scratch);
}

/* Even alone on a launch, the pod has more volumes than any type can attach. */
static void show_volume_limit(scheduler *s, strbuf *b, const template_ *t, uint32_t class_number)
{
    const claim alone = { .template_ = (uint32_t)(t - s->templates.items) };
    uint32_t driver, count;
    int64_t limit;
    strbuf_adds(b, "would exceed volume limit for all instance type options");
    if (!launch_volumes_blame(s, &alone, class_number, t->initial, &driver, &count, &limit)) return;
    strbuf_put(b, " (provisioner=", text_of(s->snapshot, driver), ", volume-count=");
    strbuf_addu(b, count);
    strbuf_putu(b, ", volume-limit=", limit > 0 ? (uint64_t)limit : 0, ")");
}

static void show_untolerated(const scheduler *s, strbuf *b, const template_ *t, const view *v)
{
    strbuf_adds(b, "did not tolerate taint ");
    show_taint(s->snapshot, b, &t->taints.items[first_untolerated(s->snapshot, v->tolerations, t->taints)]);
}

/* Limits are looked at first, so they also hide what no limit is the cause of. */
static void show_behind_limits(scheduler *s, strbuf *b, const template_ *t, const view *v)
{
    static const char more[] = "; raising them is not enough: ";
    if (!bits_test(v->tolerated, (uint32_t)(t - s->templates.items))) {
        strbuf_adds(b, more);
        show_untolerated(s, b, t, v);
    } else if (!set_compatible(&s->algebra, t->set, v->full.set, true)) {
        strbuf_adds(b, more);
        show_conflict(s, b, t->set, v->full.set);
    }
}

/* Whether the requirements allow more than reservations. */
static bool allows_more(const scheduler *s, uint32_t set)
{
    return result_allows(s, set, s->snapshot->known.on_demand) || result_allows(s, set, s->snapshot->known.spot);
}

static void detail_of(scheduler *s, strbuf *b, const template_ *t, const view *v, uint32_t code, uint32_t set)
{
    switch (code) {
    case KARP_REASON_TAINTS: show_untolerated(s, b, t, v); return;
    case KARP_REASON_REQUIREMENTS: show_conflict(s, b, t->set, v->full.set); return;
    case KARP_REASON_VOLUME: strbuf_adds(b, "incompatible volume requirements"); return;
    case KARP_REASON_TOPOLOGY: strbuf_adds(b, "unsatisfiable topology constraint"); return;
    case KARP_REASON_NODE_LIMITS: strbuf_adds(b, "node limits have been exhausted for nodepool"); return;
    case KARP_REASON_LIMITS:
        show_limits(s, b, t);
        show_behind_limits(s, b, t, v);
        return;
    case KARP_REASON_RESERVED:
        strbuf_adds(b, "compatible reserved offerings could not be reserved: pods of this round take all that is free; "
                       "a later round finds them full, and ");
        strbuf_adds(b, allows_more(s, set) ? "launches what else the requirements allow"
                                           : "the requirements allow nothing else");
        return;
    case KARP_REASON_RESERVED_FULL:
        strbuf_adds(b, "the only compatible reserved offering is full; falling through to other NodePools");
        return;
    case KARP_REASON_VOLUME_LIMIT: show_volume_limit(s, b, t, v->class_); return;
    case KARP_REASON_MIN_VALUES: strbuf_adds(b, "minValues requirement is not met"); return;
    default: break;
    }
    strbuf_adds(b, code < sizeof category_text / sizeof *category_text && category_text[code] != NULL
                       ? category_text[code]
                       : karp_reason_text(code));
    if (topology_contradicts(s, v, set)) strbuf_adds(b, "; none is in the domains that topology chooses");
    else show_unmet(s, b, t, &s->snapshot->classes[v->class_], set);
    strbuf_adds(b, ", resources ");
    show_resources(s, b, shape_of(s->snapshot, v->class_)->requests);
    strbuf_adds(b, ", requirements ");
    show_set(s, b, set);
}

/* ---- reasons that pods share ------------------------------------------------------------------------------------- */

void refusal_lists_init(refusal_lists *l, karp_context *context)
{
    *l = (refusal_lists){ .texts = { 0 } };
    strings_init(&l->details, context);
    words_init(&l->keys, context);
    arena_init(&l->rows, context);
    domain_facts_init(&l->domains, context);
}

void refusal_lists_free(refusal_lists *l)
{
    karp_context *context = l->details.context;
    list_free(context, &l->texts, sizeof *l->texts.items);
    list_free(context, &l->firsts, sizeof *l->firsts.items);
    strings_free(&l->details);
    words_free(&l->keys);
    arena_free(&l->rows);
    domain_facts_free(&l->domains);
}

/* The detail as a text of the decision. */
static bool keep_detail(karp_decision *d, refusal_lists *l, strbuf *b, karp_str *out)
{
    uint32_t id = b->failed ? NO_ID : strings_add(&l->details, b->len > 0 ? b->ptr : "", b->len);
    if (id != NO_ID && id == l->texts.count) {
        const char *copy = arena_string(&d->data, b->len > 0 ? b->ptr : "", b->len);
        const char **slot = copy == NULL ? NULL : list_push(l->details.context, &l->texts, sizeof *slot);
        if (slot == NULL) id = NO_ID;
        else *slot = copy;
    }
    if (id != NO_ID) *out = (karp_str){ l->texts.items[id], b->len };
    strbuf_free(b);
    return id != NO_ID;
}

/* The number of a list of reasons; NO_ID = out of memory. */
static uint32_t list_number(refusal_lists *l, const karp_unschedulable *row)
{
    enum { WORDS = 6 };
    karp_context *context = l->details.context;
    uint32_t *key = mem_alloc(context, (row->pool_count + 1) * WORDS * sizeof *key), id = NO_ID;
    for (size_t i = 0; key != NULL && i < row->pool_count; i++) {
        const karp_pool_refusal *r = &row->pools[i];
        const uint32_t list[WORDS] = { r->code,
                                       r->types_start,
                                       r->types_requirements,
                                       r->types_resources,
                                       r->types_offerings,
                                       strings_find(&l->details, r->detail.ptr, r->detail.len) };
        memcpy(key + i * WORDS, list, sizeof list);
    }
    if (key != NULL) id = words_add(&l->keys, key, row->pool_count * WORDS);
    mem_free(context, key, (row->pool_count + 1) * WORDS * sizeof *key);
    return id;
}

static bool message_of(scheduler *s, karp_decision *d, karp_unschedulable *row)
{
    strbuf b = strbuf_on(s->context);
    for (size_t i = 0; i < row->pool_count; i++) {
        if (i > 0) strbuf_adds(&b, "; ");
        strbuf_put(&b, "incompatible with nodepool \"", row->pools[i].node_pool, "\", ");
        strbuf_addstr(&b, row->pools[i].detail);
    }
    return strbuf_move(&b, &d->data, &row->message);
}

/* Replaces a known list by the existing one and frees its memory. Only the list was allocated from the decision's
 * memory since the mark, because its details are known as well. */
static bool share_list(scheduler *s, karp_decision *d, refusal_lists *l, arena_mark mark, karp_unschedulable *row)
{
    uint32_t id = list_number(l, row);
    if (id == NO_ID) return false;
    if (id < l->firsts.count) {
        arena_release(&d->data, mark);
        row->pools = l->firsts.items[id]->pools;
        row->message = l->firsts.items[id]->message;
        return true;
    }
    karp_unschedulable *first = message_of(s, d, row) ? arena_alloc(&l->rows, sizeof *first) : NULL;
    const karp_unschedulable **slot = first == NULL ? NULL : list_push(s->context, &l->firsts, sizeof *slot);
    if (slot == NULL) return false;
    *first = *row;
    *slot = first;
    return true;
}

static bool pool_row(scheduler *s, karp_decision *d, refusal_lists *l, const failure *f, uint32_t template_number,
                     karp_pool_refusal *row)
{
    const template_ *t = &s->templates.items[template_number];
    view v = s->pods.views.items[f->view];
    struct tally tally;
    uint32_t set = EMPTY_SET;
    strbuf b = strbuf_on(s->context);
    row->code = f->reason == KARP_REASON_DRA ? KARP_REASON_DRA
                                             : template_refusal(s, template_number, f->pod, f->view, &set);
    if (!tally_types(s, t, f->pod, v.class_, set, &tally)) return false;
    /* A suitable type that is not among the types was excluded by the limits. */
    if (row->code == KARP_REASON_TUPLE) row->code = tally.offerings > 0 ? KARP_REASON_LIMITS : category(&tally);
    if (row->code == KARP_REASON_NOTHING_MATCHED && !quirk(s, 13) &&
        ports_bar_all(s, t, f->pod, shape_of(s->snapshot, v.class_))) {
        row->code = KARP_REASON_HOST_PORT;
    }
    row->node_pool = pool_name(s->snapshot, t->pool);
    row->types_start = t->types_start;
    row->types_requirements = tally.requirements;
    row->types_resources = tally.resources;
    row->types_offerings = tally.offerings;
    detail_of(s, &b, t, &v, row->code, set);
    return keep_detail(d, l, &b, &row->detail);
}

static bool dropped_row(const scheduler *s, karp_decision *d, refusal_lists *l, const template_ *t,
                        karp_pool_refusal *row)
{
    const char *text = t->dropped_reason == KARP_REASON_MIN_VALUES
                           ? "the pool's own requirements do not leave enough instance types for their minValues"
                           : "nodepool requirements filtered out all available instance types";
    row->code = t->dropped_reason;
    row->node_pool = pool_name(s->snapshot, t->pool);
    strbuf b = strbuf_on(s->context);
    strbuf_adds(&b, text);
    return keep_detail(d, l, &b, &row->detail);
}

/* ---- the row ----------------------------------------------------------------------------------------------------- */

static bool list_relaxed(scheduler *s, const failure *f, karp_decision *d, karp_unschedulable *row)
{
    uint32_t steps = s->pods.views.items[f->view].step;
    karp_str *list = arena_array(&d->data, steps + (size_t)1, sizeof *list);
    if (list == NULL) return false;
    uint32_t v = s->pods.classes[s->pods.views.items[f->view].class_].first_view;
    for (uint32_t i = 0; i < steps; i++) {
        v = s->pods.views.items[v].next;
        const char *text = s->pods.views.items[v].gave_up;
        list[i] = (karp_str){ text, strlen(text) };
    }
    row->relaxed = list;
    row->relaxed_count = steps;
    return true;
}

static bool list_targets(scheduler *s, const failure *f, karp_decision *d, karp_unschedulable *row)
{
    size_t n = 0;
    bool rejected_early = f->reason == KARP_REASON_DRA;
    karp_target_refusal *list = arena_array(&d->data, s->hosts.count + s->claims.list.count + (size_t)1, sizeof *list);
    if (list == NULL) return false;
    for (uint32_t h = 0; h < s->hosts.count; h++) {
        if (!scheduler_worked(s, 256)) return false;
        if (!host_stays(s, h)) continue;
        karp_target_refusal *t = &list[n++];
        t->target = name_of(s->snapshot, s->snapshot->nodes[s->hosts.items[h].node].name);
        t->code = rejected_early ? f->reason : host_refusal(s, h, f->pod, f->view);
    }
    for (uint32_t c = 0; c < s->claims.list.count; c++) {
        karp_target_refusal *t = &list[n++];
        if (!scheduler_worked(s, 256)) return false;
        t->target = s->launches.ids != NULL ? s->launches.ids[c] : (karp_str){ "", 0 };
        t->code = rejected_early ? f->reason : claim_refusal(s, c, f->pod, f->view);
        t->is_launch = 1;
    }
    row->targets = list;
    row->target_count = n;
    return !s->failed;
}

static void sum_up(karp_unschedulable *row)
{
    row->code = row->pools[0].code; /* without NodePools no template is tried */
    row->permanent = 1;
    for (size_t i = 0; i < row->pool_count; i++) {
        if (row->pools[i].code != row->code) row->code = KARP_REASON_SEVERAL;
    }
    for (size_t i = 0; i < row->pool_count; i++)
        row->permanent = row->permanent && karp_reason_permanent(row->pools[i].code);
}

/* Rejected before any NodePool is tried, because of its resource claims. */
static bool why_not_claims(const scheduler *s, const failure *f, karp_decision *d, karp_unschedulable *row)
{
    uint32_t class_number = s->pods.views.items[f->view].class_;
    bool missing = f->reason == KARP_REASON_RESOURCE_CLAIM;
    strbuf b = strbuf_on(s->context);
    strbuf_adds(&b, karp_reason_text(f->reason));
    strbuf_put(&b, ": ", missing ? devices_missing_claim(s, class_number) : devices_unknown_expression(s, class_number),
               "");
    return strbuf_move(&b, &d->data, &row->message);
}

bool why_unschedulable(scheduler *s, const failure *f, karp_decision *d, refusal_lists *known, karp_unschedulable *row)
{
    row->code = f->reason;
    row->permanent = karp_reason_permanent(f->reason);
    row->message = str(karp_reason_text(f->reason));
    if (f->reason == KARP_REASON_VOLUME_LOOK_UP) return true;
    bool of_claims = f->reason == KARP_REASON_DRA_NOT_EVALUATED || f->reason == KARP_REASON_RESOURCE_CLAIM;
    if (of_claims) return why_not_claims(s, f, d, row);
    const pod_class *c = f->reason == KARP_REASON_VOLUME && f->view != NO_ID
                             ? &s->snapshot->classes[s->pods.views.items[f->view].class_]
                             : NULL;
    if (c != NULL && c->too_many_alternatives)
        row->message = str("the volumes of the pod allow too many combinations of topologies");
    if (c != NULL && volumes_rule_out(s, s->pods.views.items[f->view].class_)) return true;
    if (s->settings.options->explain == KARP_EXPLAIN_NONE || f->view == NO_ID) return true;
    arena_mark mark = arena_get_mark(&d->data);
    karp_pool_refusal *pools = arena_array(&d->data, s->templates.count + (size_t)s->templates.dropped_count + 1,
                                           sizeof *pools);
    if (pools == NULL) return false;
    row->pools = pools;
    for (uint32_t t = 0; t < s->templates.count; t++) {
        if (!pool_row(s, d, known, f, t, &pools[row->pool_count++])) return false;
    }
    for (uint32_t t = 0; t < s->templates.dropped_count; t++) {
        if (!dropped_row(s, d, known, &s->templates.dropped[t], &pools[row->pool_count++])) return false;
    }
    sum_up(row);
    if (!share_list(s, d, known, mark, row) || !list_relaxed(s, f, d, row)) return false;
    /* without the gate for devices the pod was not tried anywhere */
    if (f->reason != KARP_REASON_DRA && !why_topology(s, &known->domains, f, d, row)) return false;
    return s->settings.options->explain != KARP_EXPLAIN_FULL || list_targets(s, f, d, row);
}
