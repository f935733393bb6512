/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects data from the whole input: the latest time stated in it, the region that its labels name, and for Prices the
 * number of its nodes by instance type, zone and capacity type, and the CPUs that pending pods request.
 */
#include <io/clouds.h>
#include <base/admit.h>
#include <io/convert.h>

#include <karp/inspect.h>

static void note_time(karp_reader *reader, karp_str text)
{
    int64_t instant;
    if (text.len < 20 || text.ptr[0] < '0' || text.ptr[0] > '9') return;
    if (karp_time_parse(text, &instant) == KARP_OK && instant > reader->asked.latest) reader->asked.latest = instant;
}

static bool is_zone(karp_str key)
{
    return str_is(key, LABEL_ZONE) || str_is(key, "failure-domain.beta.kubernetes.io/zone");
}

static bool is_region(karp_str key)
{
    return str_is(key, LABEL_REGION) || str_is(key, "failure-domain.beta.kubernetes.io/region");
}

static bool note_requirement(karp_reader *reader, const tree *object, uint32_t rank)
{
    karp_str key = tree_get_text(object, "key");
    if (io_is_auto_mode(key)) reader->clouds.auto_mode_here = true;
    if (key.len == 0 || (!is_zone(key) && !is_region(key)) || !str_is(tree_get_text(object, "operator"), "In"))
        return true;
    const tree *values = tree_get(object, "values");
    bool ok = true;
    for (size_t i = 0; ok && i < tree_count(values); i++)
        ok = io_note_region(reader, tree_text(tree_item(values, i)), is_zone(key), rank);
    return ok;
}

/* Called for every text of the input. For most of them the first and last byte of the name are enough. */
static inline bool note_member(karp_reader *reader, const tree_member *member, uint32_t rank)
{
    char first = (char)(member->key >> 16 & 0xff), last = (char)(member->key & 0xff); /* see tree_key() */
    karp_str key = tree_member_name(member), text = tree_text(member->value);
    if ((last == 'e' && str_ends(key, "Time")) || (last == 'p' && str_ends(key, "Timestamp"))) note_time(reader, text);
    if ((first == 'e' && io_is_auto_mode(key)) || (text.len && text.ptr[0] == 'e' && io_is_auto_mode(text)))
        reader->clouds.auto_mode_here = true;
    if (first != 't' && first != 'f') return true;
    if (is_zone(key)) return io_note_region(reader, text, true, rank);
    return !is_region(key) || io_note_region(reader, text, false, rank);
}

static bool walk(karp_reader *reader, const tree *value, uint32_t rank);

static bool walk_parts(karp_reader *reader, const tree *value, uint32_t rank)
{
    bool ok = true;
    if (tree_is(value, TREE_LIST)) {
        for (size_t i = 0; ok && i < value->count; i++) ok = walk(reader, value->of.items[i], rank);
    }
    if (!tree_is(value, TREE_MAP)) return ok;
    bool has_key = false;
    for (size_t i = 0; ok && i < value->count; i++) {
        const tree_member *m = tree_member_at(value, i);
        has_key = has_key || m->key == tree_key("key", 3);
        if (tree_is(m->value, TREE_STRING)) ok = note_member(reader, m, rank);
        else if (tree_count(m->value) > 0) ok = walk(reader, m->value, rank);
    }
    return ok && (!has_key || note_requirement(reader, value, rank));
}

/* A value that several pods share is walked once. Whether it names EKS Auto Mode is noted for each of them. */
static bool walk(karp_reader *reader, const tree *value, uint32_t rank)
{
    uint64_t address = rank == IO_RANK_POD ? io_shared_address(value) : 0;
    if (address == 0) return walk_parts(reader, value, rank);
    map64 *surveyed = &reader->pod_templates.surveyed;
    bool *named = &reader->clouds.auto_mode_here, before = *named;
    uint32_t seen = map64_get(surveyed, address);
    if (seen == NO_ID) {
        *named = false;
        if (!walk_parts(reader, value, rank)) return false;
        seen = *named;
        if (!map64_put(surveyed, address, seen)) return false;
    }
    *named = before || seen > 0;
    return true;
}

karp_status io_survey_class(karp_reader *reader, const tree *root)
{
    const tree *subnets = tree_get(tree_get(root, "status"), "subnets");
    for (size_t i = 0; i < tree_count(subnets); i++) {
        if (!io_note_region(reader, tree_get_text(tree_item(subnets, i), "zone"), true, IO_RANK_POOL))
            return io_reader_nomem(reader);
    }
    return KARP_OK;
}

karp_status io_survey(karp_reader *reader, const tree *root, uint32_t region_rank)
{
    return walk(reader, root, region_rank) ? KARP_OK : io_reader_nomem(reader);
}

/* ---- nodes and pending pods -------------------------------------------------------------------------------------- */

karp_str io_label_of(const karp_node *node, const char *key)
{
    return label_or_none(node->meta.labels, node->meta.label_count, key);
}

static karp_str capacity_type_of(const karp_node *node)
{
    karp_str stated = io_label_of(node, LABEL_CAPACITY_TYPE);
    if (stated.len) return stated;
    return str_is(io_label_of(node, "eks.amazonaws.com/capacityType"), "SPOT") ? str("spot") : str("on-demand");
}

static karp_status put(karp_reader *reader, karp_str key, const io_node_kind *kind, uint32_t *out)
{
    if (!grow(reader->context, (void **)&reader->survey.kinds, &reader->survey.kind_capacity,
              reader->survey.kind_count + 1, sizeof *kind))
        return io_reader_nomem(reader);
    io_node_kind kept = { .type = io_keep(reader, kind->type),
                          .zone = io_keep(reader, kind->zone),
                          .capacity_type = io_keep(reader, kind->capacity_type) };
    *out = (uint32_t)reader->survey.kind_count;
    if (!kept.type.ptr || !kept.zone.ptr || !kept.capacity_type.ptr ||
        !io_table_put(&reader->survey.kind_names, key, *out))
        return io_reader_nomem(reader);
    reader->survey.kinds[reader->survey.kind_count++] = kept;
    return KARP_OK;
}

karp_status io_node_kinds_add(karp_reader *reader, const karp_node *node, bool unmanaged)
{
    io_node_kind kind = { .type = io_label_of(node, LABEL_TYPE),
                          .zone = io_label_of(node, LABEL_ZONE),
                          .capacity_type = capacity_type_of(node) };
    if (kind.type.len == 0) return KARP_OK;
    strbuf key = strbuf_on(reader->context);
    const karp_str parts[] = { kind.type, kind.zone, kind.capacity_type };
    for (size_t i = 0; i < 3; i++) {
        strbuf_add(&key, parts[i].ptr, parts[i].len);
        strbuf_addc(&key, '\n');
    }
    karp_str name = { key.ptr, key.len };
    uint32_t at = key.failed ? IO_NONE : io_table_get(&reader->survey.kind_names, name);
    karp_status status = key.failed ? io_reader_nomem(reader) : KARP_OK;
    if (status == KARP_OK && at == IO_NONE) status = put(reader, name, &kind, &at);
    strbuf_free(&key);
    if (status) return status;
    reader->survey.kinds[at].count++;
    reader->survey.kinds[at].unmanaged += unmanaged;
    return KARP_OK;
}

void io_pending_add(karp_reader *reader, const karp_pod *pod)
{
    /* The sum is needed only for commitments. */
    if (reader->catalogues.prices_known && !reader->catalogues.commits) return;
    if (pod->node_name.len || pod->phase == KARP_PHASE_SUCCEEDED || pod->phase == KARP_PHASE_FAILED) return;
    for (size_t i = 0; i < pod->container_count; i++) {
        const karp_container *c = &pod->containers[i];
        for (size_t k = 0; k < c->request_count; k++) {
            double cpus = 0;
            if (str_is(c->requests[k].name, "cpu") && karp_quantity_double(c->requests[k].text, &cpus) == KARP_OK &&
                cpus > 0)
                reader->survey.pending_vcpus += cpus;
        }
    }
}

static bool offers(const karp_offering *o, const io_node_kind *kind)
{
    bool here = false, so = false;
    for (size_t i = 0; i < o->requirement_count; i++) {
        const karp_requirement *r = &o->requirements[i];
        if (r->value_count != 1) continue;
        here = here || (str_is(r->key, LABEL_ZONE) && equal_str(r->values[0], kind->zone));
        so = so || (str_is(r->key, LABEL_CAPACITY_TYPE) && equal_str(r->values[0], kind->capacity_type));
    }
    return here && so && !o->awaits_price;
}

bool io_node_kind_find(const karp_reader *reader, const io_node_kind *kind, const karp_instance_type **type,
                       const karp_offering **offering)
{
    for (size_t i = 0; i < reader->catalogues.count; i++) {
        const karp_catalogue *catalogue = reader->catalogues.list[i].catalogue;
        for (size_t k = 0; k < karp_catalogue_count(catalogue); k++) {
            const karp_instance_type *t = karp_catalogue_type(catalogue, k);
            if (!equal_str(t->name, kind->type)) continue;
            for (size_t n = 0; n < t->offering_count; n++) {
                if (!offers(&t->offerings[n], kind)) continue;
                *type = t;
                *offering = &t->offerings[n];
                return true;
            }
        }
    }
    return false;
}

double karp_reader_price(const karp_reader *reader, karp_str instance_type, karp_str zone, karp_str capacity_type)
{
    const karp_instance_type *type;
    const karp_offering *offering;
    if (!reader || !str_given(instance_type) || !str_given(zone) || !str_given(capacity_type)) return 0;
    const io_node_kind kind = { instance_type, zone, capacity_type.len > 0 ? capacity_type : str("on-demand"), 0, 0 };
    return io_node_kind_find(reader, &kind, &type, &offering) ? offering->price : 0;
}
