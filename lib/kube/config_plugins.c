/* SPDX-License-Identifier: Apache-2.0 */
/* Which plugins of a profile are on, where, and with what weight. Plugins that are on by default are on at every point
 * that they extend (multiPoint); a profile adds to them, takes away from them, or states one of the points itself. */
#include <kube/config.h>

#include <io/notes.h>

enum {
    PRE_ENQUEUE,
    QUEUE_SORT,
    PRE_FILTER,
    FILTER,
    POST_FILTER,
    PRE_SCORE,
    SCORE,
    RESERVE,
    PERMIT,
    PRE_BIND,
    BIND,
    POST_BIND,
    POINTS
};
#define AT(point) (1u << (point))
#define FILTERS (AT(PRE_FILTER) | AT(FILTER))
#define SCORES (AT(PRE_SCORE) | AT(SCORE))

static const char *const points[POINTS] = {
    "preEnqueue", "queueSort", "preFilter", "filter",  "postFilter", "preScore",
    "score",      "reserve",   "permit",    "preBind", "bind",       "postBind"
};

/* Those of the default profile, in its order. */
static const struct known {
    const char *name;
    uint32_t points;
    uint8_t plugin; /* KUBE_PLUGINS = it is not part of the model */
    uint8_t weight;
    bool fixed; /* the model cannot do without it */
} known[] = {
    { "SchedulingGates", AT(PRE_ENQUEUE), KUBE_PLUGINS, 0, true },
    { "PrioritySort", AT(QUEUE_SORT), KUBE_PLUGINS, 0, true },
    { "NodeUnschedulable", AT(FILTER), KUBE_NODE_UNSCHEDULABLE, 0, false },
    { "NodeName", AT(FILTER), KUBE_NODE_NAME, 0, false },
    { "TaintToleration", AT(FILTER) | SCORES, KUBE_TAINT_TOLERATION, 3, false },
    { "NodeAffinity", FILTERS | SCORES, KUBE_NODE_AFFINITY, 2, false },
    { "NodePorts", FILTERS, KUBE_NODE_PORTS, 0, false },
    { "NodeResourcesFit", FILTERS | SCORES, KUBE_NODE_RESOURCES_FIT, 1, false },
    { "VolumeRestrictions", FILTERS, KUBE_VOLUME_RESTRICTIONS, 0, true },
    { "NodeVolumeLimits", FILTERS, KUBE_NODE_VOLUME_LIMITS, 0, false },
    { "VolumeBinding", FILTERS | SCORES | AT(RESERVE) | AT(PRE_BIND), KUBE_VOLUME_BINDING, 0, true },
    { "VolumeZone", FILTERS, KUBE_VOLUME_ZONE, 0, false },
    { "PodTopologySpread", FILTERS | SCORES, KUBE_POD_TOPOLOGY_SPREAD, 2, false },
    { "InterPodAffinity", FILTERS | SCORES, KUBE_INTER_POD_AFFINITY, 2, false },
    { "DynamicResources", AT(PRE_ENQUEUE) | FILTERS | AT(POST_FILTER) | AT(SCORE) | AT(RESERVE) | AT(PRE_BIND),
      KUBE_PLUGINS, 2, true },
    { "DefaultPreemption", AT(PRE_ENQUEUE) | AT(POST_FILTER), KUBE_DEFAULT_PREEMPTION, 0, false },
    { "NodeResourcesBalancedAllocation", SCORES, KUBE_BALANCED_ALLOCATION, 1, false },
    { "ImageLocality", AT(SCORE), KUBE_IMAGE_LOCALITY, 1, false },
    { "DefaultBinder", AT(BIND), KUBE_PLUGINS, 0, true },
    { "NodeDeclaredFeatures", FILTERS, KUBE_PLUGINS, 0, false },
};
enum { KNOWN = sizeof known / sizeof *known };

/* The part of a profile about one point, or about all of them. */
typedef struct plugin_set {
    uint8_t enabled[KNOWN]; /* in the order of the document */
    size_t count;
    uint32_t is_enabled, is_disabled;
    bool none; /* "*" is disabled */
    int64_t weights[KNOWN];
} plugin_set;

static size_t find(karp_str name)
{
    size_t i = 0;
    while (i < KNOWN && !str_is(name, known[i].name)) i++;
    return i;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The plugin that a name is probably meant as: "; did you mean NAME?", or "". */
static const char *meant_plugin(karp_str name, char text[MEANT])
{
    nearest near = nearest_to(name);
    for (size_t i = 0; i < KNOWN; i++) nearest_offer(&near, str(known[i].name));
    return io_meant(&near, text);
}

static void read_enabled(io_decoder *d, const tree *one, plugin_set *set, int point)
{
    kube_config_members(d, one, "name weight");
    karp_str name = io_required_string(d, one, "name");
    int64_t weight = io_integer(d, one, "weight", 0, INT32_MAX, 0);
    size_t i = find(name);
    if (d->status) return;
    io_push(d, "name");
    char meant[MEANT] = "";
    if (i == KNOWN && *meant_plugin(name, meant))
        io_bad(d, KARP_E_UNSUPPORTED, "%.*s is not one of the default plugins of kube-scheduler%s", str_shown(name, 60),
               name.ptr, meant);
    else if (i == KNOWN)
        io_bad(
            d, KARP_E_UNSUPPORTED,
            "%.*s is not one of the default plugins of kube-scheduler, and cannot be modelled: remove it to see what "
            "kube-scheduler does without it",
            str_shown(name, 60), name.ptr);
    else if (point < POINTS && !(known[i].points & AT(point)))
        io_bad(d, KARP_E_INVALID, "%s does not extend %s", known[i].name, points[point]);
    else if (set->is_enabled & AT(i)) io_bad(d, KARP_E_INVALID, "%s is listed twice", known[i].name);
    io_pop(d);
    if (d->status) return;
    set->enabled[set->count++] = (uint8_t)i;
    set->is_enabled |= AT(i);
    set->weights[i] = weight ? weight : 1;
}

static void read_disabled(io_decoder *d, const tree *one, plugin_set *set)
{
    karp_str name = io_required_string(d, one, "name");
    char meant[MEANT];
    kube_config_members(d, one, "name weight");
    size_t i = find(name);
    if (d->status) return;
    if (str_is(name, "*")) set->none = true;
    else if (i < KNOWN) set->is_disabled |= AT(i);
    else if (*meant_plugin(name, meant)) {
        io_push(d, "name");
        io_bad(d, KARP_E_UNSUPPORTED, "%.*s is not one of the default plugins of kube-scheduler%s", str_shown(name, 60),
               name.ptr, meant);
        io_pop(d);
    }
}

/* `point`: POINTS = multiPoint. Names that no plugin has may be disabled, as older versions had them, but not if one
 * that is on is probably meant. */
static void read_set(io_decoder *d, const tree *plugins, plugin_set *set, int point)
{
    size_t enabled, disabled;
    const tree *object = io_enter(d, plugins, point < POINTS ? points[point] : "multiPoint");
    kube_config_members(d, object, "enabled disabled");
    const tree *on = io_array(d, object, "enabled", &enabled), *off = io_array(d, object, "disabled", &disabled);
    io_push(d, "enabled");
    for (size_t i = 0; i < enabled && !d->status; i++) {
        read_enabled(d, io_element(d, on, i), set, point);
        io_pop(d);
    }
    io_pop(d);
    io_push(d, "disabled");
    for (size_t i = 0; i < disabled && !d->status; i++) {
        read_disabled(d, io_element(d, off, i), set);
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
}

/* ---- what follows ------------------------------------------------------------------------------------------------ */

/* multiPoint with the default plugins that it leaves on, in its order. */
static void add_defaults(plugin_set *set)
{
    plugin_set out = *set;
    out.count = 0;
    for (size_t i = 0; i < KNOWN && !set->none; i++) {
        if (set->is_disabled & AT(i)) continue;
        out.enabled[out.count++] = (uint8_t)i;
        out.is_enabled |= AT(i);
        if (!(set->is_enabled & AT(i))) out.weights[i] = known[i].weight;
    }
    for (size_t i = 0; i < set->count; i++) {
        bool listed = !set->none && !(set->is_disabled & AT(set->enabled[i]));
        if (!listed) out.enabled[out.count++] = set->enabled[i];
    }
    *set = out;
}

static bool expands(const plugin_set *all, const plugin_set *own, int point, size_t i)
{
    return !own->none && (all->is_enabled & AT(i)) && (known[i].points & AT(point)) && !(own->is_disabled & AT(i));
}

static bool is_on(const plugin_set *all, const plugin_set *sets, int point, size_t i)
{
    return (sets[point].is_enabled & AT(i)) || expands(all, &sets[point], point, i);
}

/* Filters run in this order: those of the point itself that multiPoint has as well, the others of multiPoint, the
 * others of the point. The first that refuses a node decides whether preemption may help there. */
static void check_order(io_decoder *d, const plugin_set *all, const plugin_set *own)
{
    size_t last = 0, lists[] = { own->count, all->count, own->count };
    for (size_t part = 0; part < 3; part++) {
        for (size_t k = 0; k < lists[part]; k++) {
            size_t i = part == 1 ? all->enabled[k] : own->enabled[k];
            bool stated = own->is_enabled & AT(i), both = stated && expands(all, own, FILTER, i);
            bool mine = part == 0 ? both : part == 1 ? !stated && expands(all, own, FILTER, i) : stated && !both;
            if (!mine || known[i].plugin == KUBE_PLUGINS) continue;
            if (i < last)
                io_bad(d, KARP_E_UNSUPPORTED,
                       "%s would run after %s: another order of filters than the default one is not modelled",
                       known[i].name, known[last].name);
            last = i;
        }
    }
}

/* A plugin is on at all of its points or off at all of them, beside its scores. */
static bool check_points(io_decoder *d, const plugin_set *all, const plugin_set *sets, size_t i)
{
    const char *off = NULL;
    uint32_t most = known[i].points & ~SCORES, on = 0;
    for (int point = 0; point < POINTS; point++) {
        if (is_on(all, sets, point, i)) on |= AT(point);
        else if (most & AT(point)) off = points[point];
    }
    if (off && (on & most))
        io_bad(d, KARP_E_UNSUPPORTED, "%s is off at %s only, which is not modelled: disable it at multiPoint",
               known[i].name, off);
    else if (off && known[i].fixed)
        io_bad(d, KARP_E_UNSUPPORTED, "a profile without %s is not modelled", known[i].name);
    else if ((on & AT(SCORE)) && (known[i].points & AT(PRE_SCORE)) && !(on & AT(PRE_SCORE)))
        io_bad(d, KARP_E_INVALID, "%s cannot score, since it is off at preScore", known[i].name);
    return !off;
}

void kube_config_plugins(io_decoder *d, const tree *plugins, kube_profile *p)
{
    plugin_set all = { 0 }, sets[POINTS] = { 0 };
    kube_config_members(d, plugins,
                        "multiPoint preEnqueue queueSort preFilter filter postFilter preScore score reserve permit "
                        "preBind bind postBind");
    read_set(d, plugins, &all, POINTS);
    add_defaults(&all);
    for (int point = 0; point < POINTS && !d->status; point++) read_set(d, plugins, &sets[point], point);
    if (d->status) return;
    check_order(d, &all, &sets[FILTER]);
    for (size_t i = 0; i < KNOWN && !d->status; i++) {
        bool on = check_points(d, &all, sets, i);
        if (known[i].plugin == KUBE_PLUGINS) continue;
        int64_t weight = sets[SCORE].is_enabled & AT(i) ? sets[SCORE].weights[i] : all.weights[i];
        p->filters[known[i].plugin] = on;
        p->weights[known[i].plugin] = is_on(&all, sets, SCORE, i) ? weight : 0;
    }
}
