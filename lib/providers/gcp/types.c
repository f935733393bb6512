/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/gcp/types.h>

#include <string.h>

enum { ZONES_MOST = 26, KINDS = 2, LABELS_MOST = 32 };

static const karp_str kinds[KINDS] = { TEXT("on-demand"), TEXT("spot") };
static const karp_str key_capacity_type = TEXT(CLOUD_CAPACITY_TYPE), key_zone = TEXT(CLOUD_ZONE),
                      key_zone_id = TEXT("topology.k8s.gcp/zone-id");

/* Spot price as a fraction of on-demand, if unknown. */
static const double spot_part = 0.4;

/* Data shared by the types of a region. */
typedef struct maker {
    scratch *s;
    cloud_shared shared;
    const gcp_facts *facts;
    const gcp_settings *settings;
    const cloud_marks *marks;
    const gcp_class *c;
    uint32_t zones; /* of the cluster */
    karp_str zone_names[ZONES_MOST];
    const karp_requirement *offers[ZONES_MOST][KINDS]; /* lists of three requirements each */
    uint32_t listed; /* the zones in zone_list */
    const karp_str *zone_list;
    size_t zone_count;
} maker;

static void make_zones(maker *m)
{
    for (uint32_t zone = 0; zone < ZONES_MOST; zone++) {
        if (!(m->zones >> zone & 1)) continue;
        m->zone_names[zone] = gcp_zone_name(m->s, m->facts->region, zone);
        for (size_t kind = 0; kind < KINDS; kind++) {
            cloud_labels l;
            if (!cloud_labels_begin(&l, m->s, &m->shared, 3)) return;
            cloud_in_word(&l, key_capacity_type, &kinds[kind]);
            cloud_in_one(&l, key_zone, m->zone_names[zone]);
            cloud_in_one(&l, key_zone_id, m->zone_names[zone]);
            m->offers[zone][kind] = l.list;
        }
    }
}

/* Lists the names of the zones; consecutive types with equal zones share the list. */
static void list_zones(maker *m, uint32_t zones)
{
    if (m->zone_list && m->listed == zones) return;
    karp_str *list = scratch_alloc(m->s, ZONES_MOST * sizeof *list);
    m->zone_count = 0;
    for (uint32_t zone = 0; list && zone < ZONES_MOST; zone++) {
        if (zones >> zone & 1) list[m->zone_count++] = m->zone_names[zone];
    }
    m->zone_list = list;
    m->listed = zones;
}

/* The available parts of a type. */
typedef struct there {
    uint32_t zones;
    bool kinds[KINDS];
} there;

static there add_offerings(maker *m, const gcp_type *t, karp_instance_type *out)
{
    there available = { 0, { false, false } };
    uint32_t zones = t->zones & m->zones;
    size_t n = 0;
    karp_offering *list = scratch_array(m->s, (size_t)__builtin_popcount(zones) * KINDS, sizeof *list);
    double spot = t->spot >= 0 && !m->settings->initial_prices ? t->spot : t->on_demand * spot_part;
    for (uint32_t zone = 0; list && zone < ZONES_MOST; zone++) {
        for (size_t kind = 0; zones >> zone & 1 && kind < KINDS; kind++) {
            bool gone = m->marks->count > 0 &&
                        cloud_marked(m->marks, kinds[kind], t->name, m->zone_names[zone], str(""), t->vcpus);
            list[n].requirements = m->offers[zone][kind];
            list[n].requirement_count = 3;
            list[n].price = kind == 0 ? t->on_demand : spot;
            list[n++].available = !gone;
            if (gone) continue;
            available.zones |= UINT32_C(1) << zone;
            available.kinds[kind] = true;
        }
    }
    out->offerings = list;
    out->offering_count = n;
    return available;
}

static void add_type(maker *m, const gcp_type *t, karp_instance_type *out)
{
    cloud_labels l;
    out->size = sizeof *out;
    out->name = t->name;
    there available = add_offerings(m, t, out);
    list_zones(m, available.zones);
    if (!cloud_labels_begin(&l, m->s, &m->shared, LABELS_MOST)) return;
    gcp_type_labels(&l, t, m->facts->region);
    cloud_in(&l, key_zone, m->zone_list, m->zone_count);
    cloud_in(&l, key_zone_id, m->zone_list, m->zone_count);
    size_t first = available.kinds[0] ? 0 : 1;
    cloud_in(&l, key_capacity_type, &kinds[first], (size_t)available.kinds[0] + available.kinds[1]);
    out->requirements = l.list;
    out->requirement_count = l.count;
    gcp_amounts(m->s, &m->shared, t, m->settings, m->c, out);
}

/* Copies the texts, because the facts may change while the types are in use. */
static gcp_type own_texts(scratch *s, const gcp_type *t)
{
    gcp_type copy = *t;
    copy.name = scratch_text(s, t->name);
    copy.accelerator = t->accelerator.len > 0 ? scratch_text(s, t->accelerator) : str("");
    return copy;
}

void gcp_types(scratch *s, const gcp_facts *facts, const gcp_settings *settings, const cloud_marks *marks,
               const gcp_class *c, const karp_instance_type **types, size_t *count)
{
    maker *m = scratch_array(s, 1, sizeof *m);
    karp_instance_type *list = scratch_array(s, facts->count, sizeof *list);
    gcp_facts *own = scratch_alloc(s, sizeof *own);
    *types = list;
    *count = 0;
    if (!m || !list || !own) return;
    *own = *facts;
    own->region = scratch_text(s, facts->region);
    m->s = s;
    m->facts = own;
    m->settings = settings;
    m->marks = marks;
    m->c = c;
    m->zones = settings->zones ? settings->zones : facts->zones;
    make_zones(m);
    for (size_t i = 0; i < facts->count && !s->failed; i++) {
        const gcp_type *t = &facts->list[i];
        if (!(t->zones & m->zones) || t->on_demand < 0) continue;
        gcp_type mine = own_texts(s, t);
        add_type(m, &mine, &list[(*count)++]);
    }
}
