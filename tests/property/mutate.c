/* SPDX-License-Identifier: Apache-2.0 */
#include "mutate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a mutation works with. */
struct job {
    const json_t *world;
    json_t *plan; /* the copy */
    uint64_t random;
    const char *code;
};

static unsigned below(struct job *j, size_t limit)
{
    j->random = j->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return limit == 0 ? 0 : (unsigned)((j->random >> 33) % limit);
}

/* ------------------------------------------------------------------------------------------------ reading the world */

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static const json_t *find_object(const json_t *world, const char *kind, const char *name)
{
    const json_t *objects = json_object_get(world, "objects");
    for (size_t i = 0; i < json_array_size(objects); i++) {
        const json_t *o = json_array_get(objects, i), *meta = json_object_get(o, "metadata");
        if (strcmp(text_at(o, "kind"), kind) == 0 && strcmp(text_at(meta, "name"), name) == 0) {
            return o;
        }
    }
    return NULL;
}

static const json_t *find_pod(const json_t *world, const char *full)
{
    const json_t *objects = json_object_get(world, "objects");
    for (size_t i = 0; i < json_array_size(objects); i++) {
        const json_t *o = json_array_get(objects, i), *meta = json_object_get(o, "metadata");
        char name[600];
        snprintf(name, sizeof name, "%s/%s", text_at(meta, "namespace"), text_at(meta, "name"));
        if (strcmp(text_at(o, "kind"), "Pod") == 0 && strcmp(name, full) == 0) {
            return o;
        }
    }
    return NULL;
}

/** Thousandths of plain amounts ("2", "250m"); @p otherwise for other spellings. */
static long milli(const json_t *list, long otherwise)
{
    char *end;
    const char *text = text_at(list, "cpu");
    long n = strtol(text, &end, 10);
    return *end == 'm' && end[1] == '\0' ? n : *end == '\0' ? n * 1000 : otherwise;
}

enum { VAST = 1 << 30 };

/** At least so much cpu does the pod ask for. */
static long pod_cpu(const json_t *pod)
{
    const json_t *containers = json_object_get(json_object_get(pod, "spec"), "containers");
    const json_t *status = json_object_get(json_object_get(pod, "status"), "containerStatuses");
    long sum = 0;
    if (json_object_get(json_object_get(pod, "spec"), "resources") != NULL || status != NULL) {
        return 0; /* what counts then is more than a sum */
    }
    for (size_t i = 0; i < json_array_size(containers); i++) {
        sum += milli(json_object_get(json_object_get(json_array_get(containers, i), "resources"), "requests"), 0);
    }
    return sum;
}

static const json_t *node_labels(const json_t *node)
{
    return json_object_get(json_object_get(node, "metadata"), "labels");
}

static bool has_hard_taint(const json_t *taints)
{
    for (size_t i = 0; i < json_array_size(taints); i++) {
        const char *effect = text_at(json_array_get(taints, i), "effect");
        if (strcmp(effect, "NoSchedule") == 0 || strcmp(effect, "NoExecute") == 0) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------ parts of the plan */

static json_t *some_launch(struct job *j)
{
    json_t *launches = json_object_get(j->plan, "launches");
    return json_array_size(launches) == 0 ? NULL : json_array_get(launches, below(j, json_array_size(launches)));
}

static json_t *some_placement(struct job *j)
{
    json_t *list = json_object_get(j->plan, "placements");
    return json_array_size(list) == 0 ? NULL : json_array_get(list, below(j, json_array_size(list)));
}

/** The list of pods of a launch or a placement. */
static json_t *some_pods(struct job *j)
{
    json_t *target = below(j, 2) == 0 ? some_launch(j) : some_placement(j);
    target = target != NULL ? target : some_launch(j);
    target = target != NULL ? target : some_placement(j);
    return json_object_get(target, "pods");
}

static json_t *requirement_of(json_t *launch, const char *key, bool make)
{
    json_t *list = json_object_get(launch, "requirements");
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (strcmp(text_at(json_array_get(list, i), "key"), key) == 0) {
            return json_array_get(list, i);
        }
    }
    if (!make) {
        return NULL;
    }
    json_t *fresh = json_pack("{s:s, s:s}", "key", key, "operator", "In");
    json_array_append_new(list, fresh);
    return fresh;
}

/* ------------------------------------------------------------------------------------------------ the ways */

static bool drop_pod(struct job *j)
{
    json_t *pods = some_pods(j);
    j->code = "POD_MISSING";
    return json_array_size(pods) > 0 && json_array_remove(pods, below(j, json_array_size(pods))) == 0;
}

static bool repeat_pod(struct job *j)
{
    json_t *from = some_pods(j), *to = some_pods(j);
    j->code = "POD_TWICE";
    return json_array_size(from) > 0 &&
           json_array_append(to, json_array_get(from, below(j, json_array_size(from)))) == 0;
}

static bool invent_pod(struct job *j)
{
    json_t *pods = some_pods(j);
    j->code = "POD_UNKNOWN";
    return pods != NULL && json_array_append_new(pods, json_string("ns-a/nobody")) == 0;
}

static bool rename_node(struct job *j)
{
    json_t *placement = some_placement(j);
    j->code = "NODE_UNKNOWN";
    return placement != NULL && json_object_set_new(placement, "node", json_string("no-such-node")) == 0;
}

static bool rename_pool(struct job *j)
{
    json_t *launch = some_launch(j);
    j->code = "POOL_UNKNOWN";
    return launch != NULL && json_object_set_new(launch, "nodePool", json_string("no-such-pool")) == 0;
}

static bool invent_type(struct job *j)
{
    json_t *launch = some_launch(j);
    j->code = "TYPE_UNKNOWN";
    return launch != NULL &&
           json_array_append_new(json_object_get(launch, "instanceTypes"), json_string("no-such-type")) == 0;
}

static bool no_types(struct job *j)
{
    json_t *launch = some_launch(j);
    j->code = "NO_TYPES";
    return launch != NULL && json_array_clear(json_object_get(launch, "instanceTypes")) == 0;
}

/** A zone that nobody offers. */
static bool far_zone(struct job *j)
{
    json_t *launch = some_launch(j);
    json_t *r = launch == NULL ? NULL : requirement_of(launch, "topology.kubernetes.io/zone", true);
    j->code = "TYPE_OFFERING";
    return r != NULL && json_object_set_new(r, "operator", json_string("In")) == 0 &&
           json_object_set_new(r, "values", json_pack("[s]", "z-nowhere")) == 0;
}

/** The largest amount of cpu that any type of that name has in the world; −1 = none. */
static long type_cpu(const json_t *world, const char *name)
{
    const json_t *catalogues = json_object_get(world, "catalogues");
    long most = -1;
    for (size_t c = 0; c < json_array_size(catalogues); c++) {
        const json_t *types = json_object_get(json_array_get(catalogues, c), "instanceTypes");
        for (size_t i = 0; i < json_array_size(types); i++) {
            const json_t *type = json_array_get(types, i), *offerings = json_object_get(type, "offerings");
            if (strcmp(text_at(type, "name"), name) != 0) {
                continue;
            }
            long cpu = milli(json_object_get(type, "capacity"), VAST);
            most = cpu > most ? cpu : most;
            for (size_t o = 0; o < json_array_size(offerings); o++) {
                cpu = milli(json_object_get(json_array_get(offerings, o), "capacityOverride"), VAST);
                most = cpu > most ? cpu : most;
            }
        }
    }
    return most;
}

static long pods_cpu(const json_t *world, const json_t *pods)
{
    long sum = 0;
    for (size_t i = 0; i < json_array_size(pods); i++) {
        sum += pod_cpu(find_pod(world, json_string_value(json_array_get(pods, i))));
    }
    return sum;
}

/** A type with less cpu than the pods ask for. */
static bool small_type(struct job *j)
{
    json_t *launch = some_launch(j), *types = json_object_get(launch, "instanceTypes");
    const json_t *catalogues = json_object_get(j->world, "catalogues");
    long wanted = pods_cpu(j->world, json_object_get(launch, "pods"));
    for (size_t c = 0; c < json_array_size(catalogues) && json_array_size(types) > 0; c++) {
        const json_t *list = json_object_get(json_array_get(catalogues, c), "instanceTypes");
        for (size_t i = 0; i < json_array_size(list); i++) {
            const char *name = text_at(json_array_get(list, i), "name");
            long cpu = type_cpu(j->world, name);
            if (cpu >= 0 && cpu < wanted) {
                j->code =
                    NULL; /* it may not be a type of this pool, or have no offering: any finding on a type will do */
                return json_array_append_new(types, json_string(name)) == 0;
            }
        }
    }
    return false;
}

/** More pods than the largest listed type can hold, from another launch. */
static bool pile_up(struct job *j)
{
    json_t *to = some_launch(j), *from = some_launch(j), *types = json_object_get(to, "instanceTypes");
    if (to == NULL || to == from || json_array_size(types) == 0) {
        return false;
    }
    json_array_extend(json_object_get(to, "pods"), json_object_get(from, "pods"));
    json_t *launches = json_object_get(j->plan, "launches");
    for (size_t i = 0; i < json_array_size(launches); i++) {
        if (json_array_get(launches, i) == from) {
            json_array_remove(launches, i);
            break;
        }
    }
    long wanted = pods_cpu(j->world, json_object_get(to, "pods"));
    for (size_t i = 0; i < json_array_size(types); i++) {
        long cpu = type_cpu(j->world, json_string_value(json_array_get(types, i)));
        if (cpu >= 0 && cpu < wanted) {
            j->code = NULL;
            return true;
        }
    }
    return false;
}

/** Takes a pod out of the plan and gives its name. */
static json_t *take_pod(struct job *j)
{
    json_t *pods = some_pods(j);
    size_t count = json_array_size(pods), at = below(j, count);
    json_t *pod = count == 0 ? NULL : json_incref(json_array_get(pods, at));
    if (pod != NULL) {
        json_array_remove(pods, at);
    }
    return pod;
}

static void put_on_node(struct job *j, json_t *pod, const char *node)
{
    json_t *list = json_object_get(j->plan, "placements");
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *placement = json_array_get(list, i);
        if (strcmp(text_at(placement, "node"), node) == 0) {
            json_array_append(json_object_get(placement, "pods"), pod);
            return;
        }
    }
    json_array_append_new(list, json_pack("{s:s, s:[O]}", "node", node, "pods", pod));
}

static const json_t *some_node(struct job *j)
{
    const json_t *objects = json_object_get(j->world, "objects");
    size_t count = json_array_size(objects), from = below(j, count);
    for (size_t i = 0; i < count; i++) {
        const json_t *o = json_array_get(objects, (from + i) % count);
        if (strcmp(text_at(o, "kind"), "Node") == 0) {
            return o;
        }
    }
    return NULL;
}

/** A registered node that its NodeClaim does not speak for. */
static bool plain_node(const json_t *world, const json_t *node)
{
    const json_t *labels = node_labels(node);
    return find_object(world, "NodeClaim", text_at(json_object_get(node, "metadata"), "name")) == NULL ||
           (strcmp(text_at(labels, "karpenter.sh/registered"), "true") == 0 &&
            strcmp(text_at(labels, "karpenter.sh/initialized"), "true") == 0);
}

/** To a node without a label that the pod's node selector names. */
static bool to_unlabelled_node(struct job *j)
{
    json_t *name = take_pod(j);
    const json_t *pod = name == NULL ? NULL : find_pod(j->world, json_string_value(name)), *node = some_node(j);
    json_t *selector = json_object_get(json_object_get(pod, "spec"), "nodeSelector");
    bool wrong = false;
    const char *key;
    json_t *value;
    json_object_foreach(selector, key, value)
    {
        const char *have = text_at(node_labels(node), key);
        wrong = wrong || (*have != '\0' && strcmp(have, json_string_value(value)) != 0);
    }
    wrong = wrong && pod != NULL && node != NULL && plain_node(j->world, node);
    if (wrong) {
        put_on_node(j, name, text_at(json_object_get(node, "metadata"), "name"));
    }
    json_decref(name);
    j->code = NULL; /* the node may also be closed */
    return wrong;
}

/** To a node with a hard taint, of a pod that tolerates nothing. */
static bool to_tainted_node(struct job *j)
{
    json_t *name = take_pod(j);
    const json_t *pod = name == NULL ? NULL : find_pod(j->world, json_string_value(name)), *node = some_node(j);
    bool wrong = pod != NULL && node != NULL && plain_node(j->world, node) &&
                 has_hard_taint(json_object_get(json_object_get(node, "spec"), "taints")) &&
                 json_array_size(json_object_get(json_object_get(pod, "spec"), "tolerations")) == 0;
    if (wrong) {
        put_on_node(j, name, text_at(json_object_get(node, "metadata"), "name"));
    }
    json_decref(name);
    j->code = NULL;
    return wrong;
}

/** To a node that is smaller than the pod. */
static bool to_small_node(struct job *j)
{
    json_t *name = take_pod(j);
    const json_t *pod = name == NULL ? NULL : find_pod(j->world, json_string_value(name)), *node = some_node(j);
    bool wrong = pod != NULL && node != NULL && plain_node(j->world, node) &&
                 milli(json_object_get(json_object_get(node, "status"), "allocatable"), VAST) < pod_cpu(pod);
    if (wrong) {
        put_on_node(j, name, text_at(json_object_get(node, "metadata"), "name"));
    }
    json_decref(name);
    j->code = NULL;
    return wrong;
}

/** A launch of a pool whose cpu limit one more such launch exceeds: a copy of a launch, without its pods. */
static bool exceed_limit(struct job *j)
{
    json_t *launch = some_launch(j), *launches = json_object_get(j->plan, "launches");
    const json_t *pool = launch == NULL ? NULL : find_object(j->world, "NodePool", text_at(launch, "nodePool"));
    const json_t *limits = json_object_get(json_object_get(pool, "spec"), "limits"),
                 *types = json_object_get(launch, "instanceTypes");
    long limit = milli(limits, 0), most = 0;
    for (size_t i = 0; i < json_array_size(types); i++) {
        long cpu = 0;
        const json_t *catalogues = json_object_get(j->world, "catalogues");
        for (size_t c = 0; c < json_array_size(catalogues); c++) {
            const json_t *list = json_object_get(json_array_get(catalogues, c), "instanceTypes");
            for (size_t k = 0; k < json_array_size(list); k++) {
                if (strcmp(text_at(json_array_get(list, k), "name"), json_string_value(json_array_get(types, i))) ==
                    0) {
                    cpu = milli(json_object_get(json_array_get(list, k), "capacity"), 0);
                }
            }
        }
        most = cpu > most ? cpu : most;
    }
    if (limit <= 0 || most <= 0) {
        return false;
    }
    for (long used = 0; used <= limit; used += most) {
        json_t *copy = json_deep_copy(launch);
        json_array_clear(json_object_get(copy, "pods"));
        json_array_append_new(launches, copy);
    }
    j->code = "LIMITS";
    return true;
}

/** A requirement that the pool excludes. */
static bool leave_pool(struct job *j)
{
    json_t *launch = some_launch(j);
    json_t *r = launch == NULL ? NULL : requirement_of(launch, "karpenter.sh/nodepool", true);
    j->code = "POOL_REQUIREMENTS";
    return r != NULL && json_object_set_new(r, "values", json_pack("[s]", "another-pool")) == 0;
}

/** Whether every type of that name may be in several zones. */
static bool in_several_zones(const json_t *world, const char *name)
{
    const json_t *catalogues = json_object_get(world, "catalogues");
    bool found = false;
    for (size_t c = 0; c < json_array_size(catalogues); c++) {
        const json_t *types = json_object_get(json_array_get(catalogues, c), "instanceTypes");
        for (size_t i = 0; i < json_array_size(types); i++) {
            const json_t *type = json_array_get(types, i), *list = json_object_get(type, "requirements");
            bool several = false;
            if (strcmp(text_at(type, "name"), name) != 0) {
                continue;
            }
            for (size_t k = 0; k < json_array_size(list); k++) {
                const json_t *r = json_array_get(list, k), *values = json_object_get(r, "values");
                several = several || (strcmp(text_at(r, "key"), "topology.kubernetes.io/zone") == 0 &&
                                      json_array_size(values) > 1 &&
                                      strcmp(json_string_value(json_array_get(values, 0)),
                                             json_string_value(json_array_get(values, 1))) != 0);
            }
            if (!several) {
                return false;
            }
            found = true;
        }
    }
    return found;
}

/** The zone that a pod's node selector names is forgotten by the launch; its first type may be elsewhere. */
static bool forget_requirement(struct job *j)
{
    static const char zone[] = "topology.kubernetes.io/zone";
    json_t *launch = some_launch(j), *list = json_object_get(launch, "requirements"),
           *pods = json_object_get(launch, "pods");
    const json_t *pool = launch == NULL ? NULL : find_object(j->world, "NodePool", text_at(launch, "nodePool"));
    const json_t *template_ = json_object_get(json_object_get(pool, "spec"), "template");
    char *pool_text = json_dumps(template_, JSON_ENCODE_ANY);
    bool pool_speaks = pool_text != NULL && strstr(pool_text, "zone") != NULL, asked = false;
    free(pool_text);
    for (size_t i = 0; i < json_array_size(pods); i++) {
        const json_t *pod = find_pod(j->world, json_string_value(json_array_get(pods, i)));
        asked = asked || *text_at(json_object_get(json_object_get(pod, "spec"), "nodeSelector"), zone) != '\0';
    }
    if (!asked || pool_speaks ||
        !in_several_zones(j->world, json_string_value(json_array_get(json_object_get(launch, "instanceTypes"), 0)))) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (strcmp(text_at(json_array_get(list, i), "key"), zone) == 0) {
            j->code = "REQUIREMENTS";
            return json_array_remove(list, i) == 0;
        }
    }
    return false;
}

static const struct way {
    const char *name;
    bool (*change)(struct job *j);
} ways[MUTATIONS] = {
    { "a pod is left out", drop_pod },
    { "a pod is in two places", repeat_pod },
    { "a pod is invented", invent_pod },
    { "a node is invented", rename_node },
    { "a pool is invented", rename_pool },
    { "a type is invented", invent_type },
    { "all types are taken away", no_types },
    { "the zone is one that nobody offers", far_zone },
    { "a type is too small", small_type },
    { "two launches become one", pile_up },
    { "a pod goes to a node with another label", to_unlabelled_node },
    { "a pod goes to a node whose taint it does not tolerate", to_tainted_node },
    { "a pod goes to a node that is smaller than it", to_small_node },
    { "a limit is exceeded", exceed_limit },
    { "a launch says it is of another pool", leave_pool },
    { "a launch forgets what its pods ask for", forget_requirement },
};

const char *mutation_name(unsigned way) { return ways[way].name; }

json_t *mutate(const json_t *world, const json_t *plan, unsigned way, uint64_t seed, const char **code)
{
    struct job job = { .world = world, .plan = json_deep_copy(plan), .random = seed * 977 + way };
    below(&job, 2);
    if (job.plan != NULL && ways[way].change(&job)) {
        *code = job.code;
        return job.plan;
    }
    json_decref(job.plan);
    return NULL;
}
