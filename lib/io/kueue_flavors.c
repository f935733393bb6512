/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ResourceFlavors that Kueue may assign to a pod set, in its order, and what it adds to the pods then. Quotas are
 * not read. Source: Kueue 0.17.0, pkg/scheduler/flavorassigner and pkg/podset.
 */
#include <io/pods_rules.h>

#include <io/pod_amount.h>

#include <base/admit.h>

static const karp_str nothing = { "", 0 };
enum { MOST_CHOICES = 64 };

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static karp_str joined(io_pods *p, karp_str a, const char *between, karp_str b)
{
    return io_pods_text(p, "%.*s%s%.*s", str_shown(a, 250), a.ptr, between, str_shown(b, 250), b.ptr);
}

static const tree *find(const io_pods *p, const char *kind, karp_str namespace_, karp_str name)
{
    return p->find && name.len ? p->find(p->user, kind, namespace_, name) : NULL;
}

static bool note_missing(io_pods *p, const char *kind, karp_str name)
{
    io_pods_note(p,
                 "%s %.*s of Kueue is not in the input, so its ResourceFlavors are not known and workloads in it may "
                 "use all nodes: add it (kubectl get localqueues,clusterqueues,resourceflavors,topologies -A -o yaml)",
                 kind, str_shown(name, 100), name.ptr);
    return false;
}

static void check_stopped(io_pods *p, const char *kind, const tree *queue, karp_str name, io_kueue_choices *out)
{
    karp_str policy = tree_get_text(tree_get(queue, "spec"), "stopPolicy");
    if (policy.len == 0 || str_is(policy, "None") || out->refused.len > 0) return;
    out->refused = io_pods_text(p, "%s %.*s is stopped (stopPolicy %.*s)", kind, str_shown(name, 100), name.ptr,
                                str_shown(policy, 40), policy.ptr);
}

static bool is_with_topology(const io_pods *p, const tree *entry)
{
    const tree *flavor = find(p, "ResourceFlavor", nothing, tree_get_text(entry, "name"));
    return tree_get_text(tree_get(flavor, "spec"), "topologyName").len > 0;
}

bool io_kueue_find_queue(io_pods *p, karp_str local_queue, io_kueue_choices *out)
{
    const tree *local = find(p, "LocalQueue", p->namespace_, local_queue);
    karp_str name = tree_get_text(tree_get(local, "spec"), "clusterQueue");
    *out = (io_kueue_choices){ .queue = find(p, "ClusterQueue", nothing, name), .topology_alone = true };
    if (!local) return note_missing(p, "LocalQueue", local_queue);
    if (!out->queue) return note_missing(p, "ClusterQueue", name);
    check_stopped(p, "LocalQueue", local, local_queue, out);
    check_stopped(p, "ClusterQueue", out->queue, name, out);
    const tree *groups = tree_get(tree_get(out->queue, "spec"), "resourceGroups");
    for (size_t i = 0; tree_is(groups, TREE_LIST) && i < tree_count(groups); i++) {
        const tree *list = tree_get(tree_item(groups, i), "flavors");
        for (size_t k = 0; tree_is(list, TREE_LIST) && k < tree_count(list); k++)
            out->topology_alone = out->topology_alone && is_with_topology(p, tree_item(list, k));
    }
    return true;
}

/* ---- what the pods request --------------------------------------------------------------------------------------- */

static bool is_requested(const tree *template_, karp_str resource)
{
    char amount[KARP_VALUE_TEXT];
    io_pod_amount(tree_get(template_, "spec"), resource, true, amount);
    return amount[0] != '\0' || str_is(resource, "pods");
}

static bool covers(const tree *group, karp_str resource)
{
    const tree *list = tree_get(group, "coveredResources");
    for (size_t i = 0; tree_is(list, TREE_LIST) && i < tree_count(list); i++) {
        if (equal_str(tree_text(tree_item(list, i)), resource)) return true;
    }
    return false;
}

static void check_covered(io_pods *p, const tree *amounts, const tree *groups, io_kueue_choices *c)
{
    for (size_t i = 0; tree_is(amounts, TREE_MAP) && i < tree_count(amounts) && c->refused.len == 0; i++) {
        karp_str name = tree_member_name(tree_member_at(amounts, i));
        bool covered = false;
        for (size_t k = 0; k < tree_count(groups) && !covered; k++) covered = covers(tree_item(groups, k), name);
        if (!covered)
            c->refused = io_pods_text(p, "resource %.*s unavailable in ClusterQueue", str_shown(name, 100), name.ptr);
    }
}

static void check_all_covered(io_pods *p, const tree *template_, const tree *groups, io_kueue_choices *c)
{
    static const char *const lists[] = { "initContainers", "containers" };
    for (size_t k = 0; k < 2; k++) {
        const tree *list = tree_get(tree_get(template_, "spec"), lists[k]);
        for (size_t i = 0; tree_is(list, TREE_LIST) && i < tree_count(list); i++) {
            const tree *resources = tree_get(tree_item(list, i), "resources");
            check_covered(p, tree_get(resources, "requests"), groups, c);
            check_covered(p, tree_get(resources, "limits"), groups, c);
        }
    }
}

void io_kueue_list(io_pods *p, const io_kueue_asks *asks, io_kueue_choices *c)
{
    const tree *groups = tree_get(tree_get(c->queue, "spec"), "resourceGroups");
    c->list_count = 0;
    c->count = 1;
    if (!tree_is(groups, TREE_LIST)) return;
    check_all_covered(p, asks->template_, groups, c);
    for (size_t i = 0; i < tree_count(groups) && c->list_count < IO_KUEUE_GROUPS; i++) {
        const tree *covered = tree_get(tree_item(groups, i), "coveredResources"),
                   *flavors = tree_get(tree_item(groups, i), "flavors");
        bool used = false;
        for (size_t k = 0; tree_is(covered, TREE_LIST) && k < tree_count(covered) && !used; k++)
            used = is_requested(asks->template_, tree_text(tree_item(covered, k)));
        if (!used || !tree_is(flavors, TREE_LIST) || tree_count(flavors) == 0) continue;
        c->lists[c->list_count++] = flavors;
        c->count *= tree_count(flavors);
        if (c->count <= MOST_CHOICES) continue;
        io_pods_note(p, "the ClusterQueue of %.*s has %llu choices of ResourceFlavors: the first %d are tried",
                     str_shown(p->name, 100), p->name.ptr, (unsigned long long)c->count, MOST_CHOICES);
        c->count = MOST_CHOICES;
        return;
    }
}

/* ---- one flavour ------------------------------------------------------------------------------------------------- */

static bool tolerates(const tree *tolerations, const tree *taint)
{
    karp_str key = tree_get_text(taint, "key"), effect = tree_get_text(taint, "effect");
    for (size_t i = 0; tree_is(tolerations, TREE_LIST) && i < tree_count(tolerations); i++) {
        const tree *t = tree_item(tolerations, i);
        karp_str own_key = tree_get_text(t, "key"), own_effect = tree_get_text(t, "effect"),
                 op = tree_get_text(t, "operator");
        if ((own_key.len && !equal_str(own_key, key)) || (own_effect.len && !equal_str(own_effect, effect))) continue;
        if (str_is(op, "Exists") || equal_str(tree_get_text(t, "value"), tree_get_text(taint, "value"))) return true;
    }
    return false;
}

static void check_taints(io_pods *p, const tree *flavor, karp_str name, const io_kueue_asks *asks, io_kueue_choice *c)
{
    const tree *spec = tree_get(flavor, "spec"), *taints = tree_get(spec, "nodeTaints");
    for (size_t i = 0; tree_is(taints, TREE_LIST) && i < tree_count(taints) && c->refused.len == 0; i++) {
        const tree *taint = tree_item(taints, i);
        if (str_is(tree_get_text(taint, "effect"), "PreferNoSchedule") ||
            tolerates(tree_get(spec, "tolerations"), taint) ||
            tolerates(tree_get(tree_get(asks->template_, "spec"), "tolerations"), taint))
            continue;
        karp_str key = tree_get_text(taint, "key");
        c->refused = io_pods_text(p, "untolerated taint %.*s in flavor %.*s", str_shown(key, 100), key.ptr,
                                  str_shown(name, 100), name.ptr);
    }
}

/* The node affinity needs no look: the labels that Kueue adds contradict it. */
static void check_labels(io_pods *p, const tree *flavor, karp_str name, const io_kueue_asks *asks, io_kueue_choice *c)
{
    const tree *labels = tree_get(tree_get(flavor, "spec"), "nodeLabels"),
               *selector = tree_get(tree_get(asks->template_, "spec"), "nodeSelector");
    for (size_t i = 0; tree_is(labels, TREE_MAP) && i < tree_count(labels); i++) {
        const tree_member *m = tree_member_at(labels, i);
        const tree *own = tree_find_str(selector, tree_member_name(m));
        if (own && !equal_str(tree_text(own), tree_text(m->value)))
            c->refused = io_pods_text(p, "flavor %.*s doesn't match node affinity", str_shown(name, 100), name.ptr);
    }
}

static bool has_level(const tree *levels, karp_str level)
{
    for (size_t i = 0; tree_is(levels, TREE_LIST) && i < tree_count(levels); i++) {
        if (equal_str(tree_get_text(tree_item(levels, i), "nodeLabel"), level)) return true;
    }
    return false;
}

static void check_topology(io_pods *p, const tree *flavor, karp_str name, const io_kueue_asks *asks, bool alone,
                           io_kueue_choice *c)
{
    karp_str topology = tree_get_text(tree_get(flavor, "spec"), "topologyName");
    const tree *found = find(p, "Topology", nothing, topology), *levels = tree_get(tree_get(found, "spec"), "levels");
    if (levels) c->levels = levels;
    if (!asks->topology && (topology.len == 0 || alone)) return;
    const char *why = NULL;
    if (asks->topology && topology.len == 0) why = "does not support TopologyAwareScheduling";
    else if (!asks->topology) why = "supports only TopologyAwareScheduling";
    else if (!found) why = "has a Topology that is not in the input";
    for (size_t i = 0; i < 2 && !why; i++) {
        if (asks->levels[i].len && !has_level(levels, asks->levels[i])) why = "does not contain the requested level";
    }
    if (why) c->refused = io_pods_text(p, "flavor %.*s %s", str_shown(name, 100), name.ptr, why);
}

io_kueue_choice io_kueue_choice_at(io_pods *p, const io_kueue_choices *all, const io_kueue_asks *asks, uint64_t number)
{
    io_kueue_choice c = { .name = nothing, .part = nothing, .refused = all->refused };
    size_t index[IO_KUEUE_GROUPS];
    for (size_t i = all->list_count; i-- > 0; number /= tree_count(all->lists[i]))
        index[i] = number % tree_count(all->lists[i]); /* the flavours of the first group change last */
    for (size_t i = 0; i < all->list_count; i++) {
        karp_str name = tree_get_text(tree_item(all->lists[i], index[i]), "name");
        const tree *flavor = find(p, "ResourceFlavor", nothing, name);
        c.part = c.part.len == 0 ? name : joined(p, c.part, ".", name);
        c.name = c.name.len == 0 ? name : joined(p, c.name, "+", name);
        if (!flavor && c.refused.len == 0)
            c.refused = io_pods_text(p, "flavor %.*s not found", str_shown(name, 100), name.ptr);
        if (!flavor) continue;
        c.flavors[c.count++] = flavor;
        if (c.refused.len == 0) check_topology(p, flavor, name, asks, all->topology_alone, &c);
        if (c.refused.len == 0) check_taints(p, flavor, name, asks, &c);
        if (c.refused.len == 0) check_labels(p, flavor, name, asks, &c);
    }
    return c;
}

/* ---- what it adds ------------------------------------------------------------------------------------------------ */

/* Nodes without a label of the topology are not used. */
static tree *with_levels(io_pods *p, const tree *term, const tree *levels)
{
    trees *t = p->t;
    tree *own = tree_copy_or_new(t, term, TREE_MAP), *list = tree_own(t, own, "matchExpressions", TREE_LIST);
    for (size_t i = 0; i < tree_count(levels); i++) {
        tree *one = tree_new(t, TREE_MAP);
        tree_set_text(t, one, "key", tree_get_text(tree_item(levels, i), "nodeLabel"));
        tree_set_text(t, one, "operator", str("Exists"));
        tree_append(t, list, one);
    }
    return own;
}

static void require_levels(io_pods *p, const io_pod_set *set, const tree *levels)
{
    trees *t = p->t;
    tree *node = tree_own(t, tree_own(t, io_set_spec(p, set), "affinity", TREE_MAP), "nodeAffinity", TREE_MAP),
         *required = tree_own(t, node, "requiredDuringSchedulingIgnoredDuringExecution", TREE_MAP);
    const tree *given = tree_get(required, "nodeSelectorTerms");
    tree *terms = tree_new(t, TREE_LIST);
    for (size_t i = 0; tree_is(given, TREE_LIST) && i < tree_count(given); i++)
        tree_append(t, terms, with_levels(p, tree_item(given, i), levels));
    if (tree_count(terms) == 0) tree_append(t, terms, with_levels(p, NULL, levels));
    tree_set(t, required, "nodeSelectorTerms", terms);
}

void io_kueue_apply(io_pods *p, const io_pod_set *set, const io_kueue_choice *choice)
{
    tree *spec = io_set_spec(p, set);
    for (size_t i = 0; i < choice->count && spec; i++) {
        const tree *flavor = tree_get(choice->flavors[i], "spec"), *labels = tree_get(flavor, "nodeLabels"),
                   *tolerations = tree_get(flavor, "tolerations");
        if (tree_count(labels) > 0) tree_set_missing(p->t, tree_own(p->t, spec, "nodeSelector", TREE_MAP), labels);
        tree *list = tree_count(tolerations) > 0 ? tree_own(p->t, spec, "tolerations", TREE_LIST) : NULL;
        for (size_t k = 0; list && k < tree_count(tolerations); k++) tree_append(p->t, list, tree_item(tolerations, k));
    }
    if (tree_count(choice->levels) > 0 && choice->refused.len == 0) require_levels(p, set, choice->levels);
}
