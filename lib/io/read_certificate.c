/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a Certificate document (docs/formats.md) to the struct of karp_certificate_check(). */
#include <io/one_document.h>

struct stated {
    karp_certificate certificate;
    karp_str digest;
};

struct karp_certificate_document {
    io_document document; /* must be the first member */
    struct stated stated;
};

/* The sizes and the memory for lists with one entry per resource or class. */
typedef struct sizes {
    io_decoder *d;
    size_t resources, classes;
} sizes;

enum { MOST_PAIRS = 1 << 26 }; /* pairs of a row and a class; limits the memory for a file */

static const int64_t most = INT64_MAX;

/* Rejects null: in other documents it means absent, but a proof must be complete. */
static void refuse_nulls(io_decoder *d, const tree *value)
{
    if (value->type == TREE_NULL) io_bad(d, KARP_E_INVALID, "may not be null");
    for (size_t i = 0; i < tree_count(value) && !d->status; i++) {
        if (value->type == TREE_LIST) io_push_index(d, i);
        else io_push_key(d, tree_member_name(tree_member_at(value, i)));
        refuse_nulls(d, value->type == TREE_LIST ? tree_item(value, i) : tree_member_at(value, i)->value);
        io_pop(d);
    }
}

static void need_members(io_decoder *d, const tree *root)
{
    static const char *const needed[] = { "value", "nodeCost", "resources", "classes", "rows", "offerings", "nodes" };
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !d->status; i++) {
        if (tree_get(root, needed[i]) == NULL) io_bad_member(d, needed[i], KARP_E_INVALID, "is missing");
    }
}

/* The number at the index, which is pushed on the path meanwhile. */
static int64_t number_at(io_decoder *d, const tree *list, size_t index, int64_t least, int64_t largest)
{
    int64_t out = 0;
    io_push_index(d, index);
    if (!d->status && (!tree_integer(tree_item(list, index), &out) || out < least || out > largest)) {
        io_bad(d, KARP_E_INVALID, "has to be a whole number in the possible range");
        out = 0;
    }
    io_pop(d);
    return out;
}

/* One number for each resource. */
static const int64_t *read_amounts(const sizes *z, const tree *object, const char *name, int64_t least)
{
    size_t count;
    const tree *list = io_array(z->d, object, name, &count);
    int64_t *out = io_make(z->d, z->resources + 1, sizeof *out);
    if (!z->d->status && count != z->resources)
        io_bad_member(z->d, name, KARP_E_INVALID, "has to have a number for each resource");
    io_push(z->d, name);
    for (size_t i = 0; out && i < count && !z->d->status; i++) out[i] = number_at(z->d, list, i, least, most);
    io_pop(z->d);
    return out;
}

static void read_resource(io_decoder *d, const tree *value, void *into)
{
    karp_certificate_resource *out = into;
    out->name = io_required_string(d, value, "name");
    out->unit = io_required_string(d, value, "unit");
}

static void read_class(const sizes *z, const tree *value, karp_certificate_class *out)
{
    out->pod = io_required_string(z->d, value, "pod");
    out->count = io_integer(z->d, value, "count", 0, most, 0);
    out->price = io_integer(z->d, value, "price", 0, most, 0);
    out->limit = io_integer(z->d, value, "limit", 0, most, 0);
    out->requests = read_amounts(z, value, "requests", 0);
}

static const uint64_t *read_class_set(const sizes *z, const tree *value)
{
    size_t count;
    const tree *list = io_array(z->d, value, "classes", &count);
    uint64_t *out = io_make(z->d, z->classes / 64 + 1, sizeof *out);
    io_push(z->d, "classes");
    for (size_t i = 0; out && i < count && !z->d->status; i++) {
        int64_t c = number_at(z->d, list, i, 0, (int64_t)z->classes - 1);
        if (!z->d->status) out[c / 64] |= UINT64_C(1) << (c % 64);
    }
    io_pop(z->d);
    return out;
}

/* Reads a pair of a class and a number. */
static bool read_pair(const sizes *z, const tree *list, size_t i, int64_t largest, int64_t out[2])
{
    const tree *pair = tree_item(list, i);
    io_push_index(z->d, i);
    if (!tree_is(pair, TREE_LIST) || tree_count(pair) != 2)
        io_bad(z->d, KARP_E_INVALID, "has to be a class and a number");
    out[0] = number_at(z->d, pair, 0, 0, (int64_t)z->classes - 1);
    out[1] = number_at(z->d, pair, 1, 0, largest);
    io_pop(z->d);
    return !z->d->status;
}

static const tree *pairs(const sizes *z, const tree *value, const char *name, size_t *count)
{
    const tree *list = io_array(z->d, value, name, count);
    if (!z->d->status && *count > z->classes)
        io_bad_member(z->d, name, KARP_E_INVALID, "has more entries than there are classes");
    io_push(z->d, name);
    return list;
}

static void read_extras(const sizes *z, const tree *value, karp_certificate_row *out)
{
    size_t count;
    int64_t pair[2];
    const tree *list = pairs(z, value, "extras", &count);
    karp_certificate_extra *extras = io_make(z->d, count + 1, sizeof *extras);
    for (size_t i = 0; extras && i < count && read_pair(z, list, i, most, pair); i++)
        extras[i] = (karp_certificate_extra){ (uint32_t)pair[0], 0, pair[1] };
    io_pop(z->d);
    out->extras = extras;
    out->extra_count = z->d->status ? 0 : (uint32_t)count;
}

static void read_row(const sizes *z, const tree *value, karp_certificate_row *out)
{
    out->of = (uint32_t)io_integer(z->d, value, "of", 0, UINT32_MAX - 1, UINT32_MAX - 1);
    out->capacity = read_amounts(z, value, "capacity", INT64_MIN);
    out->shares = read_amounts(z, value, "shares", 0);
    out->classes = read_class_set(z, value);
    read_extras(z, value, out);
}

/* A row of further prices. */
static void read_price_row(const sizes *z, const tree *value, karp_certificate_row *out)
{
    out->shares = read_amounts(z, value, "shares", 0);
    read_extras(z, value, out);
}

static void read_case(const sizes *z, const tree *value, uint32_t row, karp_certificate_case *out)
{
    bool apart = tree_get(value, "class") != NULL;
    *out = (karp_certificate_case){ .row = row, .class_number = KARP_CERTIFICATE_NO_CLASS };
    if (!apart) {
        if (tree_get(value, "contents") != NULL) out->class_number = KARP_CERTIFICATE_CONTENTS;
        out->copies = io_integer(z->d, value, "contents", 0, most, 0);
        out->shares = read_amounts(z, value, "shares", 0);
        return;
    }
    out->class_number = (uint32_t)io_integer(z->d, value, "class", 0, (int64_t)z->classes - 1, 0);
    out->copies = io_integer(z->d, value, "copies", 0, most, 0);
}

/* Reads the cases of all rows. */
static void read_cases(const sizes *z, const tree *rows, karp_certificate *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->row_count; i++) {
        const tree *list = tree_get(tree_item(rows, i), "cases");
        if (list != NULL && tree_is(list, TREE_LIST)) count += tree_count(list);
    }
    karp_certificate_case *cases = io_make(z->d, count + 1, sizeof *cases);
    io_push(z->d, "rows");
    for (size_t i = 0; cases && i < c->row_count && !z->d->status; i++) {
        size_t of_row;
        const tree *list = io_array(z->d, io_element(z->d, rows, i), "cases", &of_row);
        io_push(z->d, "cases");
        for (size_t n = 0; n < of_row && !z->d->status; n++) {
            read_case(z, io_element(z->d, list, n), (uint32_t)i, &cases[c->case_count++]);
            io_pop(z->d);
        }
        io_pop(z->d);
        io_pop(z->d);
    }
    io_pop(z->d);
    c->cases = cases;
}

/* Reads the rows of the object, for further prices with what `like` says of them. */
static void read_rows(const sizes *z, const tree *object, const karp_certificate_row *like, karp_certificate *c)
{
    const tree *rows = io_array(z->d, object, "rows", &c->row_count);
    if (!z->d->status && c->row_count > 0 && z->classes > MOST_PAIRS / c->row_count)
        io_bad_member(z->d, "rows", KARP_E_LIMIT, "are too many for so many classes");
    karp_certificate_row *list = io_make(z->d, c->row_count + 1, sizeof *list);
    io_push(z->d, "rows");
    for (size_t i = 0; list && i < c->row_count && !z->d->status; i++) {
        if (like != NULL) list[i] = like[i];
        (like != NULL ? read_price_row : read_row)(z, io_element(z->d, rows, i), &list[i]);
        io_pop(z->d);
    }
    io_pop(z->d);
    if (!z->d->status) read_cases(z, rows, c);
    c->rows = list;
}

static void read_prices(const sizes *z, const tree *value, const karp_certificate *c, karp_certificate_prices *out)
{
    size_t count;
    karp_certificate other = { .row_count = 0 };
    (void)io_array(z->d, value, "rows", &count);
    if (!z->d->status && count != c->row_count)
        io_bad_member(z->d, "rows", KARP_E_INVALID, "has to have a row for each row of the certificate");
    if (!z->d->status) read_rows(z, value, c->rows, &other);
    const tree *list = io_array(z->d, value, "classes", &count);
    int64_t *prices = io_make(z->d, z->classes + 1, sizeof *prices);
    if (!z->d->status && count != z->classes)
        io_bad_member(z->d, "classes", KARP_E_INVALID, "has to have a number for each class");
    io_push(z->d, "classes");
    for (size_t i = 0; prices && i < count && !z->d->status; i++) prices[i] = number_at(z->d, list, i, 0, most);
    io_pop(z->d);
    *out = (karp_certificate_prices){ prices, other.rows, other.case_count, other.cases };
}

static void read_branch(io_decoder *d, const tree *value, void *into)
{
    karp_certificate_branch *out = into;
    size_t count = 0;
    bool leaf = tree_get(value, "row") == NULL;
    out->row = (uint32_t)io_integer(d, value, "row", 0, UINT32_MAX - 1, KARP_CERTIFICATE_LEAF);
    out->nodes = io_integer(d, value, "nodes", 0, most, 0);
    const tree *list = leaf ? io_array(d, value, "weights", &count) : NULL;
    karp_certificate_weight *weights = io_make(d, count + 1, sizeof *weights);
    io_push(d, "weights");
    for (size_t i = 0; weights && i < count && !d->status; i++) {
        const tree *pair = tree_item(list, i);
        io_push_index(d, i);
        if (!tree_is(pair, TREE_LIST) || tree_count(pair) != 2)
            io_bad(d, KARP_E_INVALID, "has to be prices and a weight");
        if (!d->status) weights[i].prices = (uint32_t)number_at(d, pair, 0, 0, UINT32_MAX);
        if (!d->status) weights[i].weight = number_at(d, pair, 1, 0, most);
        io_pop(d);
    }
    io_pop(d);
    out->weights = weights;
    out->weight_count = d->status ? 0 : (uint32_t)count;
}

/* Reads the tree over numbers of nodes. */
static void read_tree(const sizes *z, const tree *root, karp_certificate *c)
{
    const tree *list = io_array(z->d, root, "prices", &c->prices_count);
    karp_certificate_prices *prices = io_make(z->d, c->prices_count + 1, sizeof *prices);
    io_push(z->d, "prices");
    for (size_t i = 0; prices && i < c->prices_count && !z->d->status; i++) {
        read_prices(z, io_element(z->d, list, i), c, &prices[i]);
        io_pop(z->d);
    }
    io_pop(z->d);
    c->prices = prices;
    c->branches = io_elements(z->d, root, "branches", sizeof(karp_certificate_branch), read_branch, &c->branch_count);
}

static void read_offer(io_decoder *d, const tree *value, void *into)
{
    karp_certificate_offer *out = into;
    out->node_pool = io_required_string(d, value, "nodePool");
    out->instance_type = io_required_string(d, value, "instanceType");
    out->zone = io_string(d, value, "zone");
    out->capacity_type = io_string(d, value, "capacityType");
    out->cost = io_integer(d, value, "cost", 0, most, 0);
    out->row = (uint32_t)io_integer(d, value, "row", 0, UINT32_MAX - 1, UINT32_MAX - 1);
}

static void read_node(io_decoder *d, const tree *value, void *into)
{
    karp_certificate_node *out = into;
    out->name = io_required_string(d, value, "name");
    out->row = (uint32_t)io_integer(d, value, "row", 0, UINT32_MAX - 1, UINT32_MAX - 1);
}

/* Reads pairs of a class and a number of pods. */
static const karp_certificate_copies *read_copies(const sizes *z, const tree *value, size_t *count)
{
    int64_t pair[2];
    const tree *list = pairs(z, value, "pods", count);
    karp_certificate_copies *copies = io_make(z->d, *count + 1, sizeof *copies);
    for (size_t i = 0; copies && i < *count && read_pair(z, list, i, UINT32_MAX, pair); i++)
        copies[i] = (karp_certificate_copies){ (uint32_t)pair[0], (uint32_t)pair[1] };
    io_pop(z->d);
    return copies;
}

static void read_member(const sizes *z, const tree *value, karp_certificate_member *out)
{
    out->name = io_required_string(z->d, value, "name");
    out->cost = io_integer(z->d, value, "cost", 0, most, 0);
    out->node = (uint32_t)io_integer(z->d, value, "node", 0, UINT32_MAX - 1, KARP_CERTIFICATE_NO_NODE);
    out->removable = tree_get(value, "pods") != NULL;
    out->pods = read_copies(z, value, &out->pod_count);
}

/* Reads the classes of a group's pods in a domain. */
static void read_domain(const sizes *z, const tree *value, size_t pods, karp_certificate_domain *out)
{
    size_t count;
    const tree *list = io_array(z->d, value, "classes", &count);
    uint32_t *classes = io_make(z->d, pods + 1, sizeof *classes);
    out->domain = io_required_string(z->d, value, "domain");
    if (!z->d->status && count != pods)
        io_bad_member(z->d, "classes", KARP_E_INVALID, "has to have a class for each entry of pods");
    io_push(z->d, "classes");
    for (size_t i = 0; classes && i < count && !z->d->status; i++)
        classes[i] = (uint32_t)number_at(z->d, list, i, 0, (int64_t)z->classes - 1);
    io_pop(z->d);
    out->classes = classes;
}

static void read_choice(const sizes *z, const tree *value, karp_certificate_choice *out)
{
    out->group = io_string(z->d, value, "group"); /* absent: pods of a spread constraint */
    out->topology_key = io_required_string(z->d, value, "topologyKey");
    out->count = (uint32_t)io_integer(z->d, value, "groups", 1, UINT32_MAX, 1);
    out->class_number = (uint32_t)io_integer(z->d, value, "class", 0, (int64_t)z->classes - 1, 0);
    out->pods = read_copies(z, value, &out->pod_count);
    const tree *list = io_array(z->d, value, "domains", &out->domain_count);
    karp_certificate_domain *domains = io_make(z->d, out->domain_count + 1, sizeof *domains);
    io_push(z->d, "domains");
    for (size_t i = 0; domains && i < out->domain_count && !z->d->status; i++) {
        read_domain(z, io_element(z->d, list, i), out->pod_count, &domains[i]);
        io_pop(z->d);
    }
    io_pop(z->d);
    out->domains = domains;
}

static void read_choices(const sizes *z, const tree *root, karp_certificate *c)
{
    const tree *list = io_array(z->d, root, "groups", &c->choice_count);
    karp_certificate_choice *choices = io_make(z->d, c->choice_count + 1, sizeof *choices);
    io_push(z->d, "groups");
    for (size_t i = 0; choices && i < c->choice_count && !z->d->status; i++) {
        read_choice(z, io_element(z->d, list, i), &choices[i]);
        io_pop(z->d);
    }
    io_pop(z->d);
    c->choices = choices;
}

static void read_point(io_decoder *d, const tree *value, void *into)
{
    karp_certificate_point *out = into;
    out->evictions = (uint64_t)io_integer(d, value, "evictions", 0, most, 0);
    out->part = io_integer(d, value, "part", 0, KARP_CERTIFICATE_WHOLE, 0);
    out->eviction_price = io_integer(d, value, "evictionPrice", 0, most, 0);
    out->value = io_integer(d, value, "value", 0, most, 0);
}

/* Reads the additional members of a repack plan's proof. */
static void read_cluster(io_decoder *d, const tree *root, karp_certificate *c)
{
    sizes z = { .d = d, .classes = c->class_count };
    const tree *list = io_array(d, root, "cluster", &c->member_count);
    karp_certificate_member *members = io_make(d, c->member_count + 1, sizeof *members);
    io_push(d, "cluster");
    for (size_t i = 0; members && i < c->member_count && !d->status; i++) {
        read_member(&z, io_element(d, list, i), &members[i]);
        io_pop(d);
    }
    io_pop(d);
    c->members = members;
    c->points = io_elements(d, root, "points", sizeof(karp_certificate_point), read_point, &c->point_count);
    c->ignore_budgets = io_boolean(d, root, "ignoreBudgets", false);
    c->ignore_consolidate_after = io_boolean(d, root, "ignoreConsolidateAfter", false);
}

static void read_lists(io_decoder *d, const tree *root, karp_certificate *c)
{
    sizes z = { .d = d };
    const tree *classes = io_array(d, root, "classes", &z.classes);
    c->resources = io_elements(d, root, "resources", sizeof(karp_certificate_resource), read_resource, &z.resources);
    c->resource_count = z.resources;
    c->class_count = z.classes;
    karp_certificate_class *class_list = io_make(d, z.classes + 1, sizeof *class_list);
    karp_certificate_zone *zone_list = io_make(d, z.classes + 1, sizeof *zone_list);
    io_push(d, "classes");
    for (size_t i = 0; class_list && i < z.classes && !d->status; i++) {
        const tree *class_ = io_element(d, classes, i);
        read_class(&z, class_, &class_list[i]);
        karp_str zone = io_string(d, class_, "zone");
        uint32_t surplus = (uint32_t)io_integer(d, class_, "surplus", 0, UINT32_MAX, 0);
        if (zone_list && zone.len > 0)
            zone_list[c->zone_count++] = (karp_certificate_zone){ (uint32_t)i, surplus, zone };
        io_pop(d);
    }
    io_pop(d);
    read_rows(&z, root, NULL, c);
    if (!d->status) read_tree(&z, root, c);
    if (!d->status) read_choices(&z, root, c);
    c->classes = class_list;
    c->zones = zone_list;
}

static void read_certificate(io_decoder *d, const tree *root, void *into)
{
    struct stated *out = into;
    karp_certificate *c = &out->certificate;
    static const record_word kinds[] = { { "Certificate", 1 } };
    c->size = sizeof *c;
    if (io_enum(d, root, "kind", kinds, 1, 0) == 0 && !d->status)
        io_bad_member(d, "kind", KARP_E_INVALID, "has to be Certificate");
    if (!str_is(io_string(d, root, "apiVersion"), "karp/v1"))
        io_bad_member(d, "apiVersion", KARP_E_INVALID, "has to be karp/v1");
    if (!str_is(io_string(d, root, "unit"), "0.000000000001 $/h"))
        io_bad_member(d, "unit", KARP_E_INVALID, "has to be 0.000000000001 $/h, which money is counted in");
    refuse_nulls(d, root);
    need_members(d, root);
    c->value = io_integer(d, root, "value", 0, most, 0);
    const tree *cost = tree_get(root, "nodeCost");
    if (cost && !tree_double(cost, &c->node_cost) && !d->status)
        io_bad_member(d, "nodeCost", KARP_E_INVALID, "has to be a number");
    const tree *factor = tree_get(root, "spotFactor");
    if (factor && !tree_double(factor, &c->spot_factor) && !d->status)
        io_bad_member(d, "spotFactor", KARP_E_INVALID, "has to be a number");
    static const record_word preferences[] = { { "respect", 0 }, { "ignore", 1 } };
    c->ignore_preferences = io_enum(d, root, "preferences", preferences, 2, 0);
    read_lists(d, root, c);
    c->offers = io_elements(d, root, "offerings", sizeof(karp_certificate_offer), read_offer, &c->offer_count);
    c->nodes = io_elements(d, root, "nodes", sizeof(karp_certificate_node), read_node, &c->node_count);
    read_cluster(d, root, c);
    out->digest = io_string(d, io_enter(d, root, "input"), "sha256");
    io_pop(d);
}

static const io_document_kind kind = { "a certificate", sizeof(karp_certificate_document),
                                       offsetof(karp_certificate_document, stated), read_certificate };

karp_status karp_certificate_read(karp_context *context, karp_str name, karp_str text, karp_certificate_document **out,
                                  karp_error *error)
{
    return io_document_read(context, &kind, name, text, out, error);
}

karp_status karp_certificate_read_file(karp_context *context, const char *path, karp_certificate_document **out,
                                       karp_error *error)
{
    return io_document_read_file(context, &kind, path, out, error);
}

const karp_certificate *karp_certificate_document_certificate(const karp_certificate_document *document)
{
    return document ? &document->stated.certificate : NULL;
}

karp_str karp_certificate_document_digest(const karp_certificate_document *document) { return document->stated.digest; }

void karp_certificate_document_free(karp_certificate_document *document)
{
    io_document_free(document ? &document->document : NULL);
}
