/* SPDX-License-Identifier: Apache-2.0 */
#include <io/prices.h>

#include <base/admit.h>
#include <base/money.h>
#include <math.h>

#include <karp/inspect.h>
#include <karp/library.h>

/* The price factor of a covered node. It is as small as the price that Karpenter's providers set for capacity
 * reservations, so that the smaller of two nodes is still the cheaper one. */
#define COVERED 1e-7

static double vcpus_of(const karp_instance_type *type)
{
    double vcpus = 0;
    for (size_t i = 0; i < type->capacity_count; i++) {
        if (str_is(type->capacity[i].name, "cpu") && karp_quantity_double(type->capacity[i].text, &vcpus) != KARP_OK)
            return 0;
    }
    return vcpus > 0 ? vcpus : 0;
}

static double units_of(const io_commitment *c, const karp_instance_type *type, const karp_offering *offering)
{
    if (c->unit == IO_UNIT_NODES) return 1;
    return c->unit == IO_UNIT_VCPUS ? vcpus_of(type) : offering->price * c->factor;
}

/* A reservation already has a reduced price, and an offering without a price cannot be reduced. */
static bool may_be_covered(const karp_offering *offering)
{
    return offering->price > 0 && !offering->awaits_price && offering->reservation_capacity == 0;
}

/* The first commitment that covers the offering; NULL = none. */
static io_commitment *commitment_of(io_commitment *list, size_t count, const karp_instance_type *type,
                                    const karp_offering *offering)
{
    for (size_t i = 0; i < count && may_be_covered(offering); i++) {
        if (requirements_served(list[i].requirements, list[i].requirement_count, offering->requirements,
                                offering->requirement_count, type->requirements, type->requirement_count) &&
            units_of(&list[i], type, offering) > 0)
            return &list[i];
    }
    return NULL;
}

/* The part of an existing node's price that is paid in addition: all existing nodes share the commitment evenly. */
static double held_share(const io_commitment *c)
{
    return fmax(COVERED, c->used > c->amount ? 1 - c->amount / c->used : 0);
}

/* The same for a new node, if all pending pods were placed on nodes that the commitment covers. */
static double new_share(const karp_reader *reader, const io_commitment *c, const karp_instance_type *type,
                        const karp_offering *offering)
{
    double left = fmax(c->amount - c->used, 0), vcpus = vcpus_of(type);
    double nodes = vcpus > 0 ? fmax(1, reader->survey.pending_vcpus / vcpus) : 1;
    return fmax(COVERED, 1 - left / (units_of(c, type, offering) * nodes));
}

static void use_up(const karp_reader *reader, io_commitment *list, size_t count)
{
    for (size_t i = 0; i < reader->survey.kind_count; i++) {
        const io_node_kind *kind = &reader->survey.kinds[i];
        const karp_instance_type *type;
        const karp_offering *offering;
        if (!io_node_kind_find(reader, kind, &type, &offering)) continue;
        io_commitment *c = commitment_of(list, count, type, offering);
        if (c) c->used += (double)kind->count * units_of(c, type, offering);
    }
}

/* ---- catalogues -------------------------------------------------------------------------------------------------- */

/* Replaces a covered offering by two. Existing nodes are priced by the first offering of their zone and capacity type,
 * which cannot be launched. New nodes are priced by the second. */
static size_t lay_over(const karp_reader *reader, io_commitment *list, size_t count, const karp_instance_type *type,
                       karp_offering *out)
{
    size_t n = 0;
    for (size_t i = 0; i < type->offering_count; i++) {
        const karp_offering *offering = &type->offerings[i];
        const io_commitment *c = commitment_of(list, count, type, offering);
        if (c) {
            out[n] = *offering;
            out[n].price *= held_share(c);
            out[n++].available = 0;
        }
        out[n] = *offering;
        if (c) out[n].price *= new_share(reader, c, type, offering);
        n++;
    }
    return n;
}

static karp_status cover(karp_reader *reader, io_commitment *list, size_t count, karp_catalogue **catalogue)
{
    arena a = arena_on(reader->context);
    size_t type_count = karp_catalogue_count(*catalogue), offering_count = 0;
    for (size_t i = 0; i < type_count; i++) offering_count += karp_catalogue_type(*catalogue, i)->offering_count;
    karp_instance_type *types = arena_array(&a, type_count + 1, sizeof *types);
    karp_offering *offerings = arena_array(&a, 2 * offering_count + 1, sizeof *offerings);
    karp_status status = types && offerings ? KARP_OK : io_reader_nomem(reader);
    for (size_t i = 0; i < type_count && status == KARP_OK; i++) {
        types[i] = *karp_catalogue_type(*catalogue, i);
        if (!karp_context_work(reader->context, (types[i].offering_count + 1) * (count + 1) * 16))
            status = io_reader_nomem(reader);
        types[i].offering_count = lay_over(reader, list, count, &types[i], offerings);
        types[i].offerings = offerings;
        offerings += types[i].offering_count;
    }
    karp_catalogue *covered = NULL;
    if (status == KARP_OK) status = karp_catalogue_new(reader->context, types, type_count, &covered, &reader->error);
    if (status == KARP_OK) {
        karp_catalogue_unref(*catalogue);
        *catalogue = covered;
    }
    arena_free(&a);
    return status;
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static void shorten(double value, char out[KARP_VALUE_TEXT]) { karp_double_format(round(value * 1e4) / 1e4, out); }

static karp_status note_commitment(karp_reader *reader, const io_commitment *c)
{
    static const char *const units[IO_UNITS] = { "nodes", "vCPUs", "$/h" };
    char hourly[MONEY_TEXT], monthly[MONEY_TEXT], used[KARP_VALUE_TEXT], amount[KARP_VALUE_TEXT], name[64];
    (void)money_hourly(c->amount * c->price, hourly);
    (void)money_dollars(c->amount * c->price * HOURS_A_MONTH, false, monthly);
    shorten(c->used, used);
    shorten(c->amount, amount);
    str_shorten(name, sizeof name, c->name);
    return io_warn(
        reader,
        "commitment %s: $%s/h (%s/month (730 h)), used or not, in addition to the costs shown; existing nodes use "
        "%s of %s %s%s",
        name, hourly, monthly, used, amount, units[c->unit], c->used > c->amount ? ": more than it covers" : "");
}

karp_status io_lay_commitments(karp_reader *reader, io_commitment *list, size_t count)
{
    karp_status status = KARP_OK;
    use_up(reader, list, count);
    for (size_t i = 0; i < reader->catalogues.count && status == KARP_OK; i++)
        status = cover(reader, list, count, &reader->catalogues.list[i].catalogue);
    for (size_t i = 0; i < count && status == KARP_OK; i++) status = note_commitment(reader, &list[i]);
    return status;
}
