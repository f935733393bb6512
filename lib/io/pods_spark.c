/* SPDX-License-Identifier: Apache-2.0 */
/* SparkApplications: the driver and the executors as spark-operator and Spark compute them. */
#include <io/pods_rules.h>

#include <math.h>

enum { LEAST_OVERHEAD = 384 }; /* MiB */

typedef struct spark {
    io_pods *p;
    const tree *spec, *conf; /* conf: sparkConf, which the object's own fields override */
    bool python, other; /* written in Python, or in R: more memory is used outside the JVM */
} spark;

/* One of the two roles. */
typedef struct role {
    const char *name; /* "driver" */
    const tree *spec; /* its fields */
} role;

/* ---- settings ---------------------------------------------------------------------------------------------------- */

/* A field of the object, else the key of sparkConf; "" = neither is stated. */
static karp_str setting(const spark *s, const tree *object, const char *field, const char *key)
{
    karp_str stated = field ? tree_text_or_digits(tree_get(object, field)) : (karp_str){ "", 0 };
    return stated.len || !key ? stated : tree_text_or_digits(tree_get(s->conf, key));
}

/* A size in Spark's notation, in MiB: "512m", "4g". A number alone is of the given unit, in bytes. −1 = it is none. */
static int64_t mebibytes(karp_str text, int64_t unit)
{
    static const struct {
        const char *suffix;
        int64_t bytes;
    } units[] = { { "b", 1 },
                  { "k", INT64_C(1) << 10 },
                  { "kb", INT64_C(1) << 10 },
                  { "m", INT64_C(1) << 20 },
                  { "mb", INT64_C(1) << 20 },
                  { "g", INT64_C(1) << 30 },
                  { "gb", INT64_C(1) << 30 },
                  { "t", INT64_C(1) << 40 },
                  { "tb", INT64_C(1) << 40 } };
    int64_t number = 0;
    size_t i = 0;
    for (; i < text.len && is_digit(text.ptr[i]) && number < INT64_C(1) << 30; i++)
        number = number * 10 + (text.ptr[i] - '0');
    karp_str suffix = { text.ptr + i, text.len - i };
    if (i == 0) return -1;
    for (size_t k = 0; k < sizeof units / sizeof *units && suffix.len; k++) {
        if (equal_letters(suffix, str(units[k].suffix)))
            return number > INT64_MAX / units[k].bytes ? -1 : number * units[k].bytes >> 20;
    }
    return suffix.len ? -1 : number * unit >> 20;
}

static int64_t size_of(const spark *s, karp_str text, int64_t unit, int64_t absent, const char *what)
{
    int64_t size = text.len ? mebibytes(text, unit) : absent;
    if (size >= 0) return size;
    io_pods_problem(s->p, "%s %.*s is no size that Spark reads (512m, 4g), so spark-submit refuses it", what,
                    str_shown(text, 40), text.ptr);
    return 0;
}

static double factor_of(karp_str text, double absent)
{
    double factor = 0;
    return text.len && karp_double_parse(text, &factor) == KARP_OK && factor >= 0 && factor < 1e6 ? factor : absent;
}

/* ---- resources --------------------------------------------------------------------------------------------------- */

#define OF_MEBIBYTES (INT64_C(1) << 20)

/* The memory of the pod's container. */
static int64_t memory_of(const spark *s, const role *r)
{
    bool driver = str_is(str(r->name), "driver");
    int64_t heap = size_of(s, setting(s, r->spec, "memory", driver ? "spark.driver.memory" : "spark.executor.memory"),
                           OF_MEBIBYTES, 1024, "memory");
    karp_str overhead = setting(s, r->spec, "memoryOverhead",
                                driver ? "spark.driver.memoryOverhead" : "spark.executor.memoryOverhead");
    double factor = factor_of(setting(s, s->spec, "memoryOverheadFactor", "spark.kubernetes.memoryOverheadFactor"),
                              s->python || s->other ? 0.4 : 0.1);
    factor = factor_of(
        setting(s, NULL, NULL, driver ? "spark.driver.memoryOverheadFactor" : "spark.executor.memoryOverheadFactor"),
        factor);
    int64_t more = (int64_t)(factor * (double)heap);
    more = size_of(s, overhead, OF_MEBIBYTES, more > LEAST_OVERHEAD ? more : LEAST_OVERHEAD, "memoryOverhead");
    if (!driver && str_is(setting(s, NULL, NULL, "spark.memory.offHeap.enabled"), "true"))
        more += size_of(s, setting(s, NULL, NULL, "spark.memory.offHeap.size"), 1, 0, "spark.memory.offHeap.size");
    if (!driver && s->python)
        more += size_of(s, setting(s, NULL, NULL, "spark.executor.pyspark.memory"), OF_MEBIBYTES, 0,
                        "spark.executor.pyspark.memory");
    return heap + more;
}

static karp_str cores_of(const spark *s, const role *r)
{
    bool driver = str_is(str(r->name), "driver");
    karp_str request = setting(s, r->spec, "coreRequest",
                               driver ? "spark.kubernetes.driver.request.cores"
                                      : "spark.kubernetes.executor.request.cores");
    if (request.len) return request;
    karp_str cores = setting(s, r->spec, "cores", driver ? "spark.driver.cores" : "spark.executor.cores");
    return cores.len ? cores : str("1");
}

static bool set_count(const tree *dynamic, const char *name, int64_t *count)
{
    int64_t stated = 0;
    bool found = tree_integer(tree_get(dynamic, name), &stated) && stated > 0;
    if (found && stated > *count) *count = stated;
    return found;
}

static int64_t count_in(karp_str text, int64_t absent)
{
    double count = 0;
    return text.len && karp_double_parse(text, &count) == KARP_OK && count >= 0 && count < INT32_MAX ? (int64_t)count
                                                                                                     : absent;
}

/* With dynamic allocation an application begins with the largest of three numbers. */
static int64_t executors_of(const spark *s, const tree *executor)
{
    const tree *dynamic = tree_get(s->spec, "dynamicAllocation");
    bool on = dynamic ? tree_is(tree_get(dynamic, "enabled"), TREE_TRUE)
                      : str_is(setting(s, NULL, NULL, "spark.dynamicAllocation.enabled"), "true");
    int64_t count = count_in(setting(s, executor, "instances", "spark.executor.instances"), on ? 0 : 1);
    if (!on) return count;
    (void)set_count(dynamic, "initialExecutors", &count);
    (void)set_count(dynamic, "minExecutors", &count);
    int64_t first = count_in(setting(s, NULL, NULL, "spark.dynamicAllocation.initialExecutors"), 0),
            least = count_in(setting(s, NULL, NULL, "spark.dynamicAllocation.minExecutors"), 0);
    count = count < first ? first : count;
    count = count < least ? least : count;
    int64_t fewest = least, most = count_in(setting(s, NULL, NULL, "spark.dynamicAllocation.maxExecutors"), 0);
    (void)set_count(dynamic, "minExecutors", &fewest);
    (void)set_count(dynamic, "maxExecutors", &most);
    count = (int64_t)io_pods_scaled(s->p, str("executors"), (uint64_t)count, (uint64_t)fewest,
                                    most > 0 ? (uint64_t)most : UINT64_MAX);
    io_pods_note(s->p, "SparkApplication %.*s: dynamic allocation begins with %lld %s, which are planned",
                 str_shown(s->p->name, 100), s->p->name.ptr, (long long)count, count == 1 ? "executor" : "executors");
    return count;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static void merge_labels(trees *t, tree *object, const char *name, const tree *more)
{
    tree *own = tree_is(more, TREE_MAP) ? tree_own(t, object, name, TREE_MAP) : NULL;
    if (own) tree_set_missing(t, own, more);
}

/* Node selectors of sparkConf: "spark.kubernetes.node.selector.KEY". */
static void add_selectors(const spark *s, tree *spec, const char *prefix)
{
    trees *t = s->p->t;
    tree *own = tree_new(t, TREE_MAP);
    size_t length = strlen(prefix);
    for (size_t i = 0; tree_is(s->conf, TREE_MAP) && i < tree_count(s->conf); i++) {
        const tree_member *m = tree_member_at(s->conf, i);
        karp_str name = tree_member_name(m);
        if (str_starts(name, prefix) && name.len > length)
            tree_set_str(t, own, (karp_str){ name.ptr + length, name.len - length }, m->value);
    }
    if (tree_count(own)) merge_labels(t, spec, "nodeSelector", own);
}

/* What the webhook, which is on by default, copies from the role's fields to its pods. */
static void copy_fields(const spark *s, tree *spec, const role *r)
{
    static const char *const members[] = { "affinity",      "tolerations",       "hostNetwork", "initContainers",
                                           "schedulerName", "priorityClassName", "dnsConfig" };
    trees *t = s->p->t;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        tree_default(t, spec, members[i], tree_get(r->spec, members[i]));
    const tree *batch = tree_get(s->spec, "batchSchedulerOptions");
    tree_default(t, spec, "priorityClassName", tree_get(batch, "priorityClassName"));
    merge_labels(t, spec, "nodeSelector", tree_get(r->spec, "nodeSelector"));
    merge_labels(t, spec, "nodeSelector", tree_get(s->spec, "nodeSelector"));
    add_selectors(s, spec, "spark.kubernetes.node.selector.");
    add_selectors(s, spec,
                  str_is(str(r->name), "driver") ? "spark.kubernetes.driver.node.selector."
                                                 : "spark.kubernetes.executor.node.selector.");
}

/* Claims that the role mounts. */
static void add_volumes(const spark *s, tree *spec, const role *r)
{
    trees *t = s->p->t;
    const tree *volumes = tree_get(s->spec, "volumes"), *mounts = tree_get(r->spec, "volumeMounts");
    tree *own = tree_copy_or_new(t, tree_get(spec, "volumes"), TREE_LIST);
    for (size_t i = 0; i < tree_count(volumes); i++) {
        tree *volume = tree_item(volumes, i);
        bool mounted = false;
        for (size_t k = 0; k < tree_count(mounts); k++)
            mounted = mounted || equal_str(tree_get_text(tree_item(mounts, k), "name"), tree_get_text(volume, "name"));
        if (mounted) tree_append(t, own, volume);
    }
    if (tree_count(own)) tree_set(t, spec, "volumes", own);
}

static bool is_main(const tree *container, const role *r)
{
    karp_str name = tree_get_text(container, "name");
    return str_is(name, "spark-kubernetes-driver") || str_is(name, "spark-kubernetes-executor") ||
           str_is(name, r->name);
}

/* The main container, with what the template says about it, and the sidecars. */
static void set_containers(const spark *s, tree *spec, const role *r)
{
    trees *t = s->p->t;
    const tree *given = tree_get(spec, "containers"), *sidecars = tree_get(r->spec, "sidecars"), *base = NULL;
    tree *list = tree_new(t, TREE_LIST), *own;
    for (size_t i = 0; i < tree_count(given) && !base; i++)
        base = is_main(tree_item(given, i), r) ? tree_item(given, i) : NULL;
    if (!base) base = tree_item(given, 0);
    own = base ? tree_deep_copy(t, base, false) : tree_new(t, TREE_MAP);
    tree_default_text(t, own, "name", str("spark-kubernetes"));
    tree *resources = tree_get_or_make(t, own, "resources");
    tree *requests = tree_get_or_make(t, resources, "requests"), *limits = tree_get_or_make(t, resources, "limits");
    karp_str memory = io_pods_text(s->p, "%lldMi", (long long)memory_of(s, r));
    tree_set_text(t, requests, "cpu", cores_of(s, r));
    tree_set_text(t, requests, "memory", memory);
    tree_set_text(t, limits, "memory", memory);
    const tree *gpu = tree_get(r->spec, "gpu");
    karp_str resource = tree_get_text(gpu, "name");
    if (resource.len) tree_set_str(t, limits, resource, tree_get(gpu, "quantity"));
    tree_append(t, list, own);
    for (size_t i = 0; i < tree_count(given); i++) {
        if (tree_item(given, i) != base) tree_append(t, list, tree_item(given, i));
    }
    for (size_t i = 0; i < tree_count(sidecars); i++) tree_append(t, list, tree_item(sidecars, i));
    tree_set(t, spec, "containers", list);
}

static void add_role(const spark *s, const role *r, karp_str name, uint64_t count)
{
    io_pods *p = s->p;
    io_pod_set *set = io_pods_add(p, tree_get(r->spec, "template"), name, count);
    tree *spec = io_set_spec(p, set);
    if (!set) return;
    set->runs = count;
    tree *metadata = tree_get_or_make(p->t, set->template_, "metadata");
    merge_labels(p->t, metadata, "labels", tree_get(r->spec, "labels"));
    merge_labels(p->t, metadata, "annotations", tree_get(r->spec, "annotations"));
    io_set_label(p, set, "spark-role", str(r->name));
    io_set_label(p, set, "sparkoperator.k8s.io/app-name", p->name);
    io_set_label(p, set, "sparkoperator.k8s.io/launched-by-spark-operator", str("true"));
    copy_fields(s, spec, r);
    add_volumes(s, spec, r);
    set_containers(s, spec, r);
}

void io_make_spark_application(io_pods *p)
{
    const tree *spec = tree_get(p->object, "spec");
    karp_str type = tree_get_text(spec, "type"), file = tree_get_text(spec, "mainApplicationFile");
    const spark s = { p, spec, tree_get(spec, "sparkConf"), str_is(type, "Python") || str_ends(file, ".py"),
                      str_is(type, "R") || str_ends(file, ".R") };
    const role driver = { "driver", tree_get(spec, "driver") }, executor = { "executor", tree_get(spec, "executor") };
    if (!str_is(tree_get_text(spec, "mode"), "client"))
        add_role(&s, &driver, io_pods_text(p, "%.*s-driver", str_shown(p->name, 250), p->name.ptr), 1);
    add_role(&s, &executor, io_pods_text(p, "%.*s-exec", str_shown(p->name, 250), p->name.ptr),
             (uint64_t)executors_of(&s, executor.spec));
    /* Executors are numbered from 1. */
    if (p->count > 0) p->sets[p->count - 1].first = 1;
    if (p->problem.len) p->count = 0;
}
