/* SPDX-License-Identifier: Apache-2.0 */
#include <io/clouds.h>
#include <io/prices.h>

#include <base/admit.h>
#include <base/money.h>

#include <karp/inspect.h>
#include <karp/library.h>
#include <karp/prices.h>

#define GIBI 1073741824.0

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

static const char not_an_amount[] = "must be a number from 0 to a million";

static bool read_amount(const tree *value, double *out)
{
    return io_amount(value, out) && *out >= 0 && *out <= KARP_MOST_PRICE;
}

static double amount_at(io_decoder *d, const tree *object, const char *name, double absent)
{
    double amount = absent;
    const tree *value = io_member(d, object, name);
    if (value && !read_amount(value, &amount)) io_bad_member(d, name, KARP_E_INVALID, not_an_amount);
    return amount;
}

/* Fails on an unknown member: a spelling mistake would silently disable a discount. */
static void check_members(io_decoder *d, const tree *object, const char *const known[], size_t count,
                          const char *message)
{
    for (size_t i = 0; i < tree_count(object) && !d->status; i++) {
        karp_str name = tree_member_name(tree_member_at(object, i));
        size_t k = 0;
        while (k < count && !str_is(name, known[k])) k++;
        io_push_key(d, name);
        if (k == count) io_bad(d, KARP_E_INVALID, "%s", message);
        io_pop(d);
    }
}

static void decode_rule(io_decoder *d, const tree *object, void *into)
{
    karp_price_rule *rule = into;
    rule->requirements = io_requirements(d, object, "requirements", IO_FOR_POD, &rule->requirement_count);
    io_check_price_requirements(d, rule->requirements, rule->requirement_count);
    rule->factor = amount_at(d, object, "factor", 1);
    rule->per_node = amount_at(d, object, "perNode", 0);
    rule->per_vcpu = amount_at(d, object, "perVCPU", 0);
    static const char *const known[] = { "name", "requirements", "factor", "perNode", "perVCPU" };
    check_members(d, object, known, sizeof known / sizeof *known,
                  "a rule has name, requirements, factor, perNode and perVCPU, no other field");
}

/* A volume type and its price per GiB and month. */
typedef struct volume_price {
    karp_str type;
    double price;
} volume_price;

static void decode_volume_price(io_decoder *d, karp_str key, const tree *value, void *into)
{
    volume_price *out = into;
    *out = (volume_price){ key, 0 };
    if (!read_amount(value, &out->price)) io_bad(d, KARP_E_INVALID, "%s", not_an_amount);
    static const char *const types[] = { "gp3", "gp2", "io1", "io2", "st1", "sc1", "standard", "default" };
    size_t k = 0;
    while (k < sizeof types / sizeof *types && !str_is(key, types[k])) k++;
    if (k == sizeof types / sizeof *types)
        io_bad(d, KARP_E_INVALID,
               "is no volume type: these are gp3, gp2, io1, io2, st1, sc1, standard, and default for "
               "all others");
}

static void decode_commitment(io_decoder *d, const tree *object, void *into)
{
    static const char *const units[IO_UNITS] = { "nodes", "vCPUs", "spend" };
    static const char *const known[] = { "name", "requirements", "nodes", "vCPUs", "spend", "price", "factor" };
    io_commitment *c = into;
    size_t stated = 0;
    *c = (io_commitment){ .name = io_string(d, object, "name") };
    c->requirements = io_requirements(d, object, "requirements", IO_FOR_POD, &c->requirement_count);
    io_check_price_requirements(d, c->requirements, c->requirement_count);
    for (size_t i = 0; i < IO_UNITS; i++) {
        if (!io_member(d, object, units[i])) continue;
        c->unit = (io_unit)i;
        c->amount = amount_at(d, object, units[i], 0);
        stated++;
    }
    bool spend = c->unit == IO_UNIT_SPEND;
    c->price = amount_at(d, object, "price", spend ? 1 : 0);
    c->factor = amount_at(d, object, "factor", 1);
    if (!d->status && (c->name.len == 0 || stated != 1 || !(c->amount > 0)))
        io_bad(d, KARP_E_INVALID, "a commitment has a name and one of nodes, vCPUs and spend, which is more than 0");
    else if (!d->status && io_member(d, object, spend ? "price" : "factor"))
        io_bad(d, KARP_E_INVALID, "a commitment of %s has a %s, no %s", units[c->unit], spend ? "factor" : "price",
               spend ? "price" : "factor");
    check_members(d, object, known, sizeof known / sizeof *known,
                  "a commitment has name, requirements, nodes, vCPUs or spend, price and factor, no other field");
}

typedef struct prices {
    const io_commitment *commitments;
    size_t commitment_count;
    const karp_price_rule *rules;
    size_t rule_count;
    const volume_price *volumes;
    size_t volume_count;
} prices;

static void check_numbers(io_decoder *d, const char *list, size_t index, const karp_requirement *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const karp_requirement *r = &all[i];
        if ((r->op == KARP_OP_GT || r->op == KARP_OP_LT) &&
            (r->value_count != 1 || !read_integer(r->values[0]).is_number))
            io_bad(d, KARP_E_INVALID, "spec.%s[%zu]: Gt and Lt need one integer", list, index);
    }
}

static void decode(io_decoder *d, const tree *root, prices *out)
{
    memset(out, 0, sizeof *out);
    (void)io_meta(d, root, false);
    const tree *spec = io_enter(d, root, "spec");
    static const char *const known[] = { "rules", "blockDevices", "commitments" };
    check_members(d, spec, known, sizeof known / sizeof *known,
                  "a Prices object has rules, blockDevices and commitments, no other field");
    out->rules = io_elements(d, spec, "rules", sizeof(karp_price_rule), decode_rule, &out->rule_count);
    out->volumes = io_members(d, spec, "blockDevices", sizeof(volume_price), decode_volume_price, &out->volume_count);
    out->commitments = io_elements(d, spec, "commitments", sizeof(io_commitment), decode_commitment,
                                   &out->commitment_count);
    if (!d->status && out->rule_count + out->volume_count + out->commitment_count == 0)
        io_bad(d, KARP_E_INVALID, "needs rules, blockDevices or commitments");
    io_pop(d);
    if (d->status) return;
    for (size_t i = 0; i < out->rule_count; i++)
        check_numbers(d, "rules", i, out->rules[i].requirements, out->rules[i].requirement_count);
    for (size_t i = 0; i < out->commitment_count; i++)
        check_numbers(d, "commitments", i, out->commitments[i].requirements, out->commitments[i].requirement_count);
}

void io_check_prices(io_decoder *d, const tree *root)
{
    prices checked;
    decode(d, root, &checked);
}

/* ---- block devices ----------------------------------------------------------------------------------------------- */

static double price_of_volume(const prices *p, karp_str type)
{
    double usual = 0;
    for (size_t i = 0; i < p->volume_count; i++) {
        if (equal_str(p->volumes[i].type, type)) return p->volumes[i].price;
        if (str_is(p->volumes[i].type, "default")) usual = p->volumes[i].price;
    }
    return usual;
}

static bool is_family(const tree *spec, const char *family, const char *alias)
{
    karp_str stated = tree_get_text(spec, "amiFamily");
    if (stated.len) return str_starts(stated, family);
    return str_starts(tree_get_text(tree_item(tree_get(spec, "amiSelectorTerms"), 0), "alias"), alias);
}

/* Size in GiB of the default volumes of a node of this class, as in Karpenter's provider. */
static double usual_gibibytes(const tree *spec)
{
    if (is_family(spec, "Windows", "windows")) return 50;
    return is_family(spec, "Bottlerocket", "bottlerocket") ? 24 : 20;
}

/* The monthly cost of the volumes of a node of this class. NULL = the default volumes. */
static double monthly(const prices *p, const tree *class_)
{
    const tree *spec = tree_get(class_, "spec"), *mappings = tree_get(spec, "blockDeviceMappings");
    double sum = 0;
    if (tree_count(mappings) == 0) return usual_gibibytes(spec) * price_of_volume(p, str("gp3"));
    for (size_t i = 0; i < tree_count(mappings); i++) {
        const tree *ebs = tree_get(tree_item(mappings, i), "ebs");
        karp_str size = tree_get_text(ebs, "volumeSize"), type = tree_get_text(ebs, "volumeType");
        double bytes = 0;
        if (karp_quantity_double(size, &bytes) != KARP_OK) continue; /* as large as its snapshot, which is not known */
        sum += bytes / GIBI * price_of_volume(p, type.len ? type : str("gp3"));
    }
    return sum;
}

/* The hourly cost of the volumes of a node in the pool. */
static double devices_of_pool(const karp_reader *reader, const prices *p, const tree *pool)
{
    const tree *spec = io_template_spec(pool);
    const tree *ref = tree_get(spec, "nodeClassRef");
    karp_str group, kind = tree_get_text(ref, "kind"), name = tree_get_text(ref, "name");
    if (kind.len == 0) io_usual_class(reader, spec, &group, &kind);
    if (!str_is(kind, "EC2NodeClass")) return 0;
    return monthly(p, io_find_tree(reader, kind, str(""), name)) / HOURS_A_MONTH;
}

/* ---- catalogues -------------------------------------------------------------------------------------------------- */

/* Pools of one catalogue with the same cost of volumes per node. */
typedef struct pool_group {
    double per_node;
    karp_str *pools;
    size_t pool_count;
} pool_group;

typedef struct pricing {
    karp_reader *reader;
    arena arena;
    prices all; /* contents of all Prices objects */
    karp_price_rule *rules; /* the rules of `all`, and one more that is set for each group */
    io_commitment *commitments; /* the commitments of `all` */
    pool_group *groups;
    size_t group_count;
    uint64_t type_count; /* number of types in all priced catalogues */
} pricing;

static bool is_prices(const io_deferred *w) { return w->info->kind == IO_KIND_PRICES && !w->gone; }

static karp_status check_matches(karp_reader *reader, const io_deferred *w, const prices *p)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < p->rule_count && status == KARP_OK; i++)
        status = io_check_price_matches(reader, w, "rules", i, p->rules[i].requirements, p->rules[i].requirement_count);
    for (size_t i = 0; i < p->commitment_count && status == KARP_OK; i++)
        status = io_check_price_matches(reader, w, "commitments", i, p->commitments[i].requirements,
                                        p->commitments[i].requirement_count);
    return status;
}

/* Decodes all Prices objects and joins them. */
static karp_status gather(pricing *g, size_t objects)
{
    karp_reader *reader = g->reader;
    prices *each = arena_array(&g->arena, objects, sizeof *each);
    size_t n = 0, rule_count = 0, volume_count = 0, commitment_count = 0;
    for (size_t i = io_other(reader, 0); each && i < reader->deferred_count; i = io_other(reader, i + 1)) {
        io_decoder d;
        const io_deferred *w = &reader->deferred[i];
        if (!is_prices(w)) continue;
        io_decoder_init(&d, &g->arena);
        decode(&d, w->root, &each[n]);
        if (d.status == KARP_E_NOMEM) return io_reader_nomem(reader);
        if (d.status) return io_object_check(reader, w->info, w->root, &w->place);
        karp_status status = check_matches(reader, w, &each[n]);
        if (status) return status;
        rule_count += each[n].rule_count;
        commitment_count += each[n].commitment_count;
        volume_count += each[n++].volume_count;
    }
    g->rules = arena_array(&g->arena, rule_count + 1, sizeof *g->rules);
    volume_price *volumes = arena_array(&g->arena, volume_count + 1, sizeof *volumes);
    g->commitments = arena_array(&g->arena, commitment_count + 1, sizeof *g->commitments);
    if (!each || !g->rules || !volumes || !g->commitments) return io_reader_nomem(reader);
    g->all = (prices){ .rules = g->rules, .volumes = volumes, .commitments = g->commitments };
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < each[i].rule_count; k++) g->rules[g->all.rule_count++] = each[i].rules[k];
        for (size_t k = 0; k < each[i].commitment_count; k++)
            g->commitments[g->all.commitment_count++] = each[i].commitments[k];
        for (size_t k = 0; k < each[i].volume_count; k++) volumes[g->all.volume_count++] = each[i].volumes[k];
    }
    return KARP_OK;
}

/* Finds the group with this cost of volumes, or creates it. */
static pool_group *group_of(pricing *g, double per_node)
{
    for (size_t i = 0; i < g->group_count; i++) {
        if (!(g->groups[i].per_node < per_node || g->groups[i].per_node > per_node)) return &g->groups[i];
    }
    g->groups[g->group_count] = (pool_group){ .per_node = per_node };
    return &g->groups[g->group_count++];
}

/* Groups the pools of a catalogue. The first pass counts the pools of each group, the second lists them. */
static karp_status group_pools(pricing *g, const io_given_catalogue *given)
{
    karp_reader *reader = g->reader;
    size_t most = 1;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1))
        most += reader->deferred[i].info->kind == IO_KIND_NODE_POOL;
    g->groups = arena_array(&g->arena, most, sizeof *g->groups);
    g->group_count = 0;
    double *per_node = arena_array(&g->arena, most, sizeof *per_node);
    karp_str *names = arena_array(&g->arena, most, sizeof *names), *pools = arena_array(&g->arena, most, sizeof *pools);
    if (!g->groups || !per_node || !names || !pools) return io_reader_nomem(reader);
    size_t count = 0;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_NODE_POOL || w->gone || !io_serves(given, w->name)) continue;
        names[count] = w->name;
        per_node[count] = g->all.volume_count ? devices_of_pool(reader, &g->all, w->root) : 0;
        group_of(g, per_node[count++])->pool_count++;
    }
    for (size_t i = 0; i < g->group_count; i++) {
        g->groups[i].pools = pools;
        pools += g->groups[i].pool_count;
        g->groups[i].pool_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        pool_group *group = group_of(g, per_node[i]);
        group->pools[group->pool_count++] = names[i];
    }
    if (g->group_count == 0) (void)group_of(g, 0);
    return KARP_OK;
}

/* Stores a priced catalogue and takes ownership of it. The first group's replaces the original catalogue. */
static karp_status put(pricing *g, size_t index, size_t number, karp_catalogue *priced)
{
    karp_reader *reader = g->reader;
    const pool_group *group = &g->groups[number];
    if (number > 0) return io_give_catalogue(reader, priced, group->pools, group->pool_count);
    io_given_catalogue *given = &reader->catalogues.list[index];
    karp_catalogue_unref(given->catalogue);
    given->catalogue = priced;
    if (g->group_count == 1) return KARP_OK; /* it serves the same pools as before */
    given->pools = arena_copy(&reader->keep, group->pools, group->pool_count * sizeof *group->pools);
    given->pool_count = group->pool_count;
    return given->pools ? KARP_OK : io_reader_nomem(reader);
}

/* Replaces a catalogue by one for each group of its pools. */
static karp_status price_catalogue(pricing *g, size_t index)
{
    karp_reader *reader = g->reader;
    karp_status status = group_pools(g, &reader->catalogues.list[index]);
    karp_catalogue *from = karp_catalogue_ref(reader->catalogues.list[index].catalogue);
    for (size_t i = 0; i < g->group_count && status == KARP_OK; i++) {
        karp_catalogue *priced = NULL;
        /* The builder has the same limit, but checks it only after all types are created. */
        g->type_count += karp_catalogue_count(from);
        if (g->type_count > karp_context_get_options(reader->context)->max_instance_types) {
            status = fail(&reader->error, KARP_E_LIMIT,
                          "pools whose volumes cost differently have more instance types than the limit");
            break;
        }
        g->rules[g->all.rule_count] = (karp_price_rule){ .factor = 1, .per_node = g->groups[i].per_node };
        status = karp_catalogue_reprice(reader->context, from, g->rules, g->all.rule_count + 1, &priced,
                                        &reader->error);
        if (status == KARP_OK) status = put(g, index, i, priced);
    }
    karp_catalogue_unref(from);
    return status;
}

void io_settle_prices(karp_reader *reader)
{
    reader->catalogues.prices_known = true;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (is_prices(w) && tree_count(tree_get(tree_get(w->root, "spec"), "commitments")) > 0)
            reader->catalogues.commits = true;
    }
}

karp_status io_price_catalogues(karp_reader *reader)
{
    size_t objects = 0;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count; i = io_other(reader, i + 1))
        objects += is_prices(&reader->deferred[i]);
    if (objects == 0) return KARP_OK;
    pricing g = { .reader = reader };
    arena_init(&g.arena, reader->context);
    karp_status status = gather(&g, objects);
    size_t count = reader->catalogues.count;
    /* Commitments come first: discounts apply to the rest of the price, and fees are not covered. */
    if (status == KARP_OK && g.all.commitment_count > 0)
        status = io_lay_commitments(reader, g.commitments, g.all.commitment_count);
    for (size_t i = 0; i < count && status == KARP_OK; i++) status = price_catalogue(&g, i);
    arena_free(&g.arena);
    return status;
}
