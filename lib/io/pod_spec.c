/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods of one workload that run have specs of their own, which differ in the node and in the generated name of the
 * volume with the pod's token. Neither this name nor what is mounted is decoded.
 */
#include <io/reader.h>

typedef enum place { ANYWHERE, SPEC, CONTAINERS, CONTAINER, VOLUMES, VOLUME } place;

static place inside(place at, const tree_member *member)
{
    karp_str name = tree_member_name(member);
    if (at != SPEC) return ANYWHERE;
    if (str_is(name, "containers") || str_is(name, "initContainers")) return CONTAINERS;
    return str_is(name, "volumes") ? VOLUMES : ANYWHERE;
}

/* Whether the member may differ. A name has to be a text all the same. */
static bool is_own(place at, const tree_member *member)
{
    karp_str name = tree_member_name(member);
    if (at == VOLUME) return str_is(name, "name") && tree_is(member->value, TREE_STRING);
    return at == SPEC ? str_is(name, "nodeName") : at == CONTAINER && str_is(name, "volumeMounts");
}

static bool same(const tree *a, const tree *b, place at);

static bool same_maps(const tree *a, const tree *b, place at)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const tree_member *x = &a->of.members[i], *y = &b->of.members[i];
        if (x->key != y->key || !tree_equal_names(x->name, y->name, x->key)) return false;
        if (at != ANYWHERE && is_own(at, x) && is_own(at, y)) continue;
        if (!same(x->value, y->value, inside(at, x))) return false;
    }
    return true;
}

/* Members in another order differ. */
static bool same(const tree *a, const tree *b, place at)
{
    if (a->type != b->type) return false;
    uint64_t address = a->type >= TREE_LIST ? io_shared_address(a) : 0;
    if (address != 0 && address == io_shared_address(b)) return true;
    if (a->type < TREE_INTEGER) return true;
    if (a->count != b->count) return false;
    if (a->type == TREE_MAP) return same_maps(a, b, at);
    if (a->type != TREE_LIST) return a->count == 0 || memcmp(a->of.text, b->of.text, a->count) == 0;
    place of_items = at == CONTAINERS ? CONTAINER : at == VOLUMES ? VOLUME : ANYWHERE;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!same(a->of.items[i], b->of.items[i], of_items)) return false;
    }
    return true;
}

bool io_same_spec(const tree *a, const tree *b) { return a && b && same(a, b, SPEC); }

tree *io_keep_spec(trees *t, const tree *spec)
{
    bool shared = spec->type >= TREE_LIST && io_shared_address(spec) != 0;
    tree *kept = shared || spec->type < TREE_LIST ? tree_new(t, TREE_NULL) : tree_new(t, (tree_type)spec->type);
    if (!kept) return NULL;
    if (shared || spec->type < TREE_INTEGER) {
        *kept = *spec;
    } else if (spec->type < TREE_LIST) {
        const tree *text = tree_new_text(t, (karp_str){ spec->of.text, spec->count });
        if (text) *kept = *text;
        kept->type = spec->type;
    }
    for (size_t i = 0; !shared && i < tree_count(spec) && t->status == KARP_OK; i++) {
        const tree_member *member = spec->type == TREE_MAP ? tree_member_at(spec, i) : NULL;
        tree *inner = io_keep_spec(t, member ? member->value : spec->of.items[i]);
        if (member) tree_set_named(t, kept, tree_member_name(member), inner);
        else tree_append(t, kept, inner);
    }
    return t->status == KARP_OK ? kept : NULL;
}
