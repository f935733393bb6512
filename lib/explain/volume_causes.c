/* SPDX-License-Identifier: Apache-2.0 */
/* Where the volumes of a pod that is not placed are, and whether a node can be in all of these places. */
#include <explain/explain_pod.h>

#include <base/operators.h>
#include <base/sort.h>
#include <model/prepare.h>

enum { CLAIMS_NAMED = 5, ZONES_NAMED = 3 };

/* The values that volumes of the pod's claims name for the zone, each once. */
typedef struct zones {
    uint32_t values[64];
    uint32_t count;
} zones;

static void note_zone(zones *z, uint32_t value)
{
    enum { MOST = sizeof z->values / sizeof *z->values };
    if (z->count < MOST && !ids_have(z->values, z->count, value)) z->values[z->count++] = value;
}

static void read_terms(const karp_snapshot *s, node_term_list terms, zones *z)
{
    for (uint32_t t = 0; t < terms.count; t++) {
        for (uint32_t i = 0; i < terms.items[t].expressions.count; i++) {
            const expression *e = &terms.items[t].expressions.items[i];
            if (s->facts.normalized[e->key] != s->known.zone || e->op != KARP_OP_IN) continue;
            for (uint32_t k = 0; k < e->value_count; k++) note_zone(z, e->values[k]);
        }
    }
}

static void read_claim(const karp_snapshot *s, uint32_t name_space, uint32_t name, zones *z)
{
    uint32_t number = store_find(&s->raw, KIND_VOLUME_CLAIM, name_space, name);
    uint32_t bound = number == NO_ID ? 0 : s->raw.volume_claims.items[number].volume;
    uint32_t found = bound == 0 ? NO_ID : store_find(&s->raw, KIND_VOLUME, NO_TEXT, bound);
    if (found != NO_ID) read_terms(s, s->raw.volumes_bound.items[found].terms, z);
}

/* "claim shop/va has its volume in us-west-2a". Whether the claim's volume has a zone. */
static bool show_claim(const search *s, const pod *p, uint32_t claim, const zones *all, const char *before, strbuf *b)
{
    const karp_snapshot *snapshot = s->snapshot;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count && count <= ZONES_NAMED; i++) {
        if (claim_excludes(snapshot, p->name_space, claim, snapshot->known.zone, all->values[i])) continue;
        if (count++ == ZONES_NAMED) {
            strbuf_adds(b, " or others");
            break;
        }
        if (count == 1) {
            strbuf_adds(b, before);
            strbuf_adds(b, "claim ");
            strbuf_addname(b, text_of(snapshot, p->name_space), name_of(snapshot, claim));
            strbuf_adds(b, " has its volume in ");
        } else {
            strbuf_adds(b, " or ");
        }
        strbuf_addstr(b, text_of(snapshot, all->values[i]));
    }
    return count > 0;
}

/* Whether some zone is allowed by all claims. */
static bool agree(const search *s, const pod *p, const struct words_entry *claims, const zones *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        bool allowed = true;
        for (uint32_t k = 0; k < claims->count && allowed; k++)
            allowed = !claim_excludes(s->snapshot, p->name_space, claims->ptr[k], s->snapshot->known.zone,
                                      all->values[i]);
        if (allowed) return true;
    }
    return false;
}

/* "claim shop/data has a volume that requires KEY In [""]": the first requirement of a claim's volume; false = none. */
static bool show_requirement_of(const karp_snapshot *s, uint32_t name_space, uint32_t claim, strbuf *b)
{
    uint32_t number = store_find(&s->raw, KIND_VOLUME_CLAIM, name_space, claim);
    uint32_t bound = number == NO_ID ? 0 : s->raw.volume_claims.items[number].volume;
    uint32_t found = bound == 0 ? NO_ID : store_find(&s->raw, KIND_VOLUME, NO_TEXT, bound);
    node_term_list terms = found == NO_ID ? (node_term_list){ .count = 0 } : s->raw.volumes_bound.items[found].terms;
    if (terms.count == 0 || terms.items[0].expressions.count == 0) return false;
    const expression *e = &terms.items[0].expressions.items[0];
    strbuf_adds(b, "claim ");
    strbuf_addname(b, text_of(s, name_space), name_of(s, claim));
    strbuf_put(b, " has a volume that requires ", text_of(s, e->key), " ");
    strbuf_adds(b, operator_name(e->op));
    for (uint32_t i = 0; i < e->value_count && i <= ZONES_NAMED; i++) {
        strbuf_adds(b, i == 0 ? " [" : i == ZONES_NAMED ? " …" : " ");
        if (i < ZONES_NAMED && e->values[i] == NO_TEXT) strbuf_adds(b, "\"\"");
        else if (i < ZONES_NAMED) strbuf_addstr(b, text_of(s, e->values[i]));
    }
    if (e->value_count > 0) strbuf_addc(b, ']');
    if (e->value_count == 1 && e->values[0] == NO_TEXT) strbuf_adds(b, ", the empty value, which no new node has");
    return true;
}

/* What volumes require besides the zone, if volumes are the reason. */
static void other_requirements(search *s, const pod *p, const struct words_entry *claims, const karp_unschedulable *row)
{
    bool volumes = row->code == KARP_REASON_VOLUME;
    for (size_t i = 0; i < row->pool_count; i++) volumes = volumes || row->pools[i].code == KARP_REASON_VOLUME;
    for (uint32_t i = 0; volumes && i < claims->count && i < CLAIMS_NAMED && !s->out->refused; i++) {
        strbuf b = strbuf_on(s->out->context);
        if (show_requirement_of(s->snapshot, p->name_space, claims->ptr[i], &b))
            record_cause(s->out, KARP_PLACEMENT_VOLUMES, &b);
        else strbuf_free(&b);
    }
}

/* ", where no NodePool launches: they have us-west-2a, us-west-2b", if no type is offered in one of the zones. */
static void show_served(const karp_snapshot *s, const zones *wanted, strbuf *b)
{
    zones served = { .count = 0 };
    for (uint32_t t = 0; t < s->table_count; t++) {
        for (uint32_t i = 0; i < s->tables[t].offering_count; i++) {
            const offering *o = &s->tables[t].offerings[i];
            if (!o->available || o->zone == NO_ID || o->zone == NO_TEXT) continue;
            if (ids_have(wanted->values, wanted->count, o->zone)) return;
            note_zone(&served, o->zone);
        }
    }
    strbuf_adds(b, ", where no NodePool can launch a node: node classes and catalogue have ");
    for (uint32_t i = 0; i < served.count && i < CLAIMS_NAMED; i++) {
        strbuf_adds(b, i == 0 ? "" : ", ");
        strbuf_addstr(b, text_of(s, served.values[i]));
    }
    strbuf_adds(b, served.count == 0 ? "no zone" : served.count > CLAIMS_NAMED ? " and others" : "");
}

/* The zones of the volumes of the pod's claims; *claims receives the claims. */
static zones zones_of_pod(const search *s, const struct words_entry **claims)
{
    const karp_snapshot *snapshot = s->snapshot;
    const pod *p = pod_at(&snapshot->raw, s->pod);
    zones all = { .count = 0 };
    *claims = &snapshot->raw.volumes.entries[p->volumes];
    for (uint32_t i = 0; i < (*claims)->count; i++) read_claim(snapshot, p->name_space, (*claims)->ptr[i], &all);
    return all;
}

/* Whether the pod's volumes are in a zone, so that its node has to be there. */
bool volumes_have_zones(const search *s)
{
    const struct words_entry *claims;
    return zones_of_pod(s, &claims).count > 0;
}

/* Names the claims and the zones of their volumes. */
static void show_claims(const search *s, const zones *all, const struct words_entry *claims, strbuf *b)
{
    const pod *p = pod_at(&s->snapshot->raw, s->pod);
    uint32_t named = 0;
    for (uint32_t i = 0; i < claims->count && named < CLAIMS_NAMED; i++)
        named += show_claim(s, p, claims->ptr[i], all, named > 0 ? ", " : "", b);
}

void placed_volume_causes(search *s)
{
    const struct words_entry *claims;
    zones all = zones_of_pod(s, &claims);
    if (all.count == 0 || s->out->refused) return;
    strbuf b = strbuf_on(s->out->context);
    show_claims(s, &all, claims, &b);
    strbuf_adds(&b, ", and the pod can run nowhere else");
    record_cause(s->out, KARP_PLACEMENT_VOLUMES, &b);
}

void volume_causes(search *s)
{
    const karp_snapshot *snapshot = s->snapshot;
    const pod *p = pod_at(&snapshot->raw, s->pod);
    const struct words_entry *claims;
    const karp_unschedulable *row = search_row(s, s->out->decision);
    zones all = zones_of_pod(s, &claims);
    if (row != NULL && all.count == 0) other_requirements(s, p, claims, row);
    if (row == NULL || all.count == 0) return;
    bool apart = !agree(s, p, claims, &all);
    if (!apart && row->topology_count > 0) return; /* the tables of topology say it */
    strbuf b = strbuf_on(s->out->context);
    show_claims(s, &all, claims, &b);
    if (apart) strbuf_adds(&b, ": no node is in all of these zones, and volumes do not move");
    else show_served(snapshot, &all, &b);
    record_cause(s->out, KARP_PLACEMENT_VOLUMES, &b);
}
