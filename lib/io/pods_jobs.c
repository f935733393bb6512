/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs, and the kinds that consist of Jobs or of several sets of pods that work together. */
#include <io/pods_rules.h>

#include <ctype.h>

/* ---- Job --------------------------------------------------------------------------------------------------------- */

static int64_t integer_or(const tree *spec, const char *name, int64_t absent)
{
    int64_t value = 0;
    return tree_integer(tree_get(spec, name), &value) ? (value > 0 ? value : 0) : absent;
}

/* The defaults of a Job's spec: both are 1 if neither is stated, and parallelism is 1. */
io_job_counts io_job_counts_of(const tree *spec)
{
    bool parallel = tree_get(spec, "parallelism") != NULL;
    io_job_counts c = { .parallelism = integer_or(spec, "parallelism", 1),
                        .completions = integer_or(spec, "completions", parallel ? -1 : 1) };
    return c;
}

bool io_job_ends(const tree *spec)
{
    const tree *metadata = tree_get(tree_get(spec, "template"), "metadata");
    return tree_get(tree_get(metadata, "annotations"), IO_JOB_COMPLETES "/delay") ||
           str_is(tree_get_text(tree_get(metadata, "labels"), IO_JOB_FAILS), "true");
}

uint64_t io_job_active(io_job_counts c, uint64_t succeeded)
{
    uint64_t parallelism = (uint64_t)c.parallelism, completions = (uint64_t)c.completions;
    if (c.completions < 0) return succeeded > 0 ? 0 : parallelism;
    uint64_t left = completions > succeeded ? completions - succeeded : 0;
    return left < parallelism ? left : parallelism;
}

/* ---- parts of several kinds -------------------------------------------------------------------------------------- */

/* "WORKER" in lower case. */
static karp_str lower(io_pods *p, karp_str text)
{
    char small[64] = "";
    size_t length = text.len < sizeof small ? text.len : sizeof small - 1;
    for (size_t i = 0; i < length; i++) small[i] = ascii_lower(text.ptr[i]);
    return io_pods_text(p, "%.*s", (int)length, small);
}

static karp_str joined(io_pods *p, karp_str name, karp_str part)
{
    return io_pods_text(p, "%.*s-%.*s", str_shown(name, 250), name.ptr, str_shown(part, 250), part.ptr);
}

static karp_str numbered(io_pods *p, karp_str name, uint64_t number)
{
    return io_pods_text(p, "%.*s-%llu", str_shown(name, 250), name.ptr, (unsigned long long)number);
}

/* Appends a required term to the affinity or anti-affinity of the pods. */
static void add_term(io_pods *p, const io_pod_set *set, const char *which, tree *term)
{
    static const char required[] = "requiredDuringSchedulingIgnoredDuringExecution";
    tree *affinity = tree_own(p->t, io_set_spec(p, set), "affinity", TREE_MAP);
    tree *inner = tree_own(p->t, affinity, which, TREE_MAP);
    tree_append(p->t, tree_own(p->t, inner, required, TREE_LIST), term);
}

/* What tells the groups of a kind apart, and among whose pods it does. */
typedef struct exclusive {
    const char *key; /* the label that has the group's name */
    const char *among; /* label: only pods with the same value are kept away; NULL = all */
    karp_str among_value;
    bool everywhere; /* in all namespaces, not in the pods' own alone */
} exclusive;

static void add_expression(trees *t, tree *list, const char *key, const char *op, karp_str value)
{
    tree *expression = tree_new(t, TREE_MAP), *values = tree_new(t, TREE_LIST);
    tree_set_text(t, expression, "key", str(key));
    tree_set_text(t, expression, "operator", str(op));
    if (value.len) tree_append(t, values, tree_new_text(t, value));
    if (value.len) tree_set(t, expression, "values", values);
    tree_append(t, list, expression);
}

static tree *key_term(io_pods *p, const char *topology, const exclusive *how, const char *op, karp_str value)
{
    trees *t = p->t;
    tree *term = tree_new(t, TREE_MAP), *list = tree_new(t, TREE_LIST);
    bool apart = strcmp(op, "NotIn") == 0;
    tree_set_text(t, term, "topologyKey", str(topology));
    add_expression(t, list, how->key, op, value);
    if (apart) add_expression(t, list, how->key, "Exists", str(""));
    if (apart && how->among) add_expression(t, list, how->among, "In", how->among_value);
    tree_set(t, tree_get_or_make(t, term, "labelSelector"), "matchExpressions", list);
    if (how->everywhere) tree_set(t, term, "namespaceSelector", tree_new(t, TREE_MAP));
    return term;
}

/* All pods of a group share a topology domain, which no other group's pods are in. The operators have the first pod of
 * a group choose the domain and the others follow it. */
static void set_exclusive(io_pods *p, const io_pod_set *set, karp_str topology, const exclusive *how, karp_str group)
{
    char name[300];
    if (!set || topology.len == 0) return;
    str_shorten(name, sizeof name, topology);
    io_set_label(p, set, how->key, group);
    if (how->among) io_set_label(p, set, how->among, how->among_value);
    add_term(p, set, "podAffinity", key_term(p, name, how, "In", group));
    add_term(p, set, "podAntiAffinity", key_term(p, name, how, "NotIn", group));
}

static karp_str annotation(const tree *object, const char *name)
{
    return tree_get_text(tree_get(tree_get(object, "metadata"), "annotations"), name);
}

/* ---- JobSet ------------------------------------------------------------------------------------------------------ */

/* The priority that the API server gives the pods. */
static karp_str priority_of(io_pods *p, const tree *template_)
{
    int64_t value = 0;
    const tree *spec = tree_get(tree_get(tree_get(template_, "spec"), "template"), "spec");
    karp_str name = tree_get_text(spec, "priorityClassName");
    const tree *class_ = p->find && name.len ? p->find(p->user, "PriorityClass", (karp_str){ "", 0 }, name) : NULL;
    if (!tree_integer(tree_get(spec, "priority"), &value)) (void)tree_integer(tree_get(class_, "value"), &value);
    return io_pods_text(p, "%lld", (long long)value);
}

/* The pods of a JobSet's spec (that of a TrainJob's runtime, too) for the object with that name. */
static void add_job(io_pods *p, const tree *job, karp_str rjob, uint64_t number, uint64_t pods)
{
    static const char name_of_topology[] = "alpha.jobset.sigs.k8s.io/exclusive-topology";
    const tree *template_ = tree_get(job, "template");
    karp_str topology = annotation(template_, name_of_topology), name = numbered(p, joined(p, p->name, rjob), number);
    if (topology.len == 0) topology = annotation(p->object, name_of_topology);
    io_pod_set *set = io_pods_add(p, tree_get(tree_get(template_, "spec"), "template"), name, pods);
    if (!set) return;
    io_job_counts c = io_job_counts_of(tree_get(template_, "spec"));
    set->runs = c.completions > 0 ? (uint64_t)c.completions : pods;
    io_set_label(p, set, "jobset.sigs.k8s.io/jobset-name", p->name);
    io_set_label(p, set, "jobset.sigs.k8s.io/replicatedjob-name", rjob);
    io_set_label(p, set, "jobset.sigs.k8s.io/job-index", io_pods_text(p, "%llu", (unsigned long long)number));
    io_set_label(p, set, "batch.kubernetes.io/job-name", name);
    io_set_label(p, set, "job-name", name);
    /* Jobs of another priority may share the domain, so that one can preempt the other. */
    const exclusive how = { "jobset.sigs.k8s.io/job-key", "jobset.sigs.k8s.io/priority", priority_of(p, template_),
                            true };
    set_exclusive(p, set, topology, &how, name);
}

static void add_replicated_job(io_pods *p, const tree *job)
{
    const tree *spec = tree_get(tree_get(job, "template"), "spec");
    karp_str rjob = tree_get_text(job, "name"), mode = tree_get_text(spec, "completionMode");
    io_job_counts c = io_job_counts_of(spec);
    int64_t replicas = integer_or(job, "replicas", 1);
    if (c.completions < 0 && !str_is(mode, "NonIndexed")) {
        io_pods_note(p,
                     "%s %.*s: %.*s has parallelism without completions; its Jobs are Indexed, which need completions, "
                     "so the API server refuses them and there are no pods",
                     p->kind->info.name, str_shown(p->name, 100), p->name.ptr, str_shown(rjob, 100), rjob.ptr);
        return;
    }
    for (int64_t i = 0; i < replicas && !p->d->status && !p->t->status; i++)
        add_job(p, job, rjob, (uint64_t)i, io_job_active(c, 0));
}

static void add_replicated_jobs(io_pods *p, const tree *spec)
{
    const tree *jobs = tree_get(spec, "replicatedJobs");
    for (size_t i = 0; i < tree_count(jobs) && !p->d->status; i++) add_replicated_job(p, tree_item(jobs, i));
    bool in_order = str_is(tree_get_text(tree_get(spec, "startupPolicy"), "startupPolicyOrder"), "InOrder");
    for (size_t i = 0; i < tree_count(jobs); i++) in_order = in_order || tree_get(tree_item(jobs, i), "dependsOn");
    if (in_order)
        io_pods_note(p, "%s %.*s: its jobs start one after another; they are planned together", p->kind->info.name,
                     str_shown(p->name, 100), p->name.ptr);
}

void io_make_job_set(io_pods *p) { add_replicated_jobs(p, tree_get(p->object, "spec")); }

/* ---- TrainJob ---------------------------------------------------------------------------------------------------- */

static const char trainer_step[] = "trainer.kubeflow.org/trainjob-ancestor-step";

/* The runtime's job with the number of nodes and the resources of the TrainJob. */
static tree *trained(io_pods *p, const tree *job, const tree *trainer, int64_t nodes)
{
    trees *t = p->t;
    tree *own = tree_deep_copy(t, job, false), *spec = tree_get(tree_get(own, "template"), "spec");
    tree *containers = tree_get(tree_get(tree_get(spec, "template"), "spec"), "containers");
    tree_set(t, spec, "parallelism", tree_new_integer(t, nodes));
    tree_set(t, spec, "completions", tree_new_integer(t, nodes));
    tree *resources = tree_get(trainer, "resourcesPerNode");
    for (size_t i = 0; i < tree_count(containers); i++) {
        tree *c = tree_item(containers, i);
        if (resources && str_is(tree_get_text(c, "name"), "node")) tree_set(t, c, "resources", resources);
    }
    return own;
}

static const tree *runtime_of(io_pods *p, karp_str *name, karp_str *kind)
{
    const tree *ref = tree_get(tree_get(p->object, "spec"), "runtimeRef");
    *name = tree_get_text(ref, "name");
    *kind = tree_get_text(ref, "kind");
    if (kind->len == 0) *kind = str("ClusterTrainingRuntime");
    if (!p->find) return NULL;
    if (str_is(*kind, "TrainingRuntime")) return p->find(p->user, "TrainingRuntime", p->namespace_, *name);
    return p->find(p->user, "ClusterTrainingRuntime", (karp_str){ "", 0 }, *name);
}

void io_make_train_job(io_pods *p)
{
    karp_str name, kind;
    const tree *trainer = tree_get(tree_get(p->object, "spec"), "trainer"), *runtime = runtime_of(p, &name, &kind);
    const tree *spec = tree_get(runtime, "spec"), *set = tree_get(tree_get(spec, "template"), "spec"),
               *jobs = tree_get(set, "replicatedJobs");
    int64_t nodes = io_pods_integer(p, "/spec/trainer/numNodes", 0, -1);
    if (nodes < 0) nodes = integer_or(tree_get(spec, "mlPolicy"), "numNodes", 1);
    if (!runtime) {
        io_pods_problem(p, "its runtime is not in the input: add %.*s %.*s (kubectl get %.*s %.*s -o yaml)",
                        str_shown(kind, 64), kind.ptr, str_shown(name, 100), name.ptr, str_shown(kind, 64), kind.ptr,
                        str_shown(name, 100), name.ptr);
        return;
    }
    for (size_t i = 0; i < tree_count(jobs) && !p->d->status; i++) {
        const tree *job = tree_item(jobs, i);
        const tree *labels = tree_get(tree_get(tree_get(job, "template"), "metadata"), "labels");
        karp_str step = tree_get_text(labels, trainer_step);
        bool nodes_here = str_is(step, "trainer") || (step.len == 0 && str_is(tree_get_text(job, "name"), "node"));
        add_replicated_job(p, nodes_here ? trained(p, job, trainer, nodes) : job);
    }
    const tree *policy = tree_get(spec, "podGroupPolicy");
    if (policy) io_pods_as_group(p, tree_get(policy, "volcano") ? KARP_GROUP_VOLCANO : KARP_GROUP_COSCHEDULING, 0, 0);
}

/* ---- LeaderWorkerSet --------------------------------------------------------------------------------------------- */

/* What its pods webhook reads of the object. */
typedef struct leader_worker {
    karp_str topology, sub_topology; /* "" = not exclusive */
    uint64_t size, sub_size; /* 0 = no subgroups */
    bool leader_excluded; /* it is in no subgroup */
} leader_worker;

static leader_worker read_leader_worker(io_pods *p, uint64_t size)
{
    const tree *policy = io_at_path(p->object, "/spec/leaderWorkerTemplate/subGroupPolicy");
    int64_t sub = 0;
    karp_str type = tree_get_text(policy, "subGroupPolicyType");
    leader_worker l = { .topology = annotation(p->object, "leaderworkerset.sigs.k8s.io/exclusive-topology"),
                        .sub_topology = annotation(p->object,
                                                   "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology"),
                        .size = size,
                        .leader_excluded = str_is(type, "LeaderExcluded") };
    if (tree_integer(tree_get(policy, "subGroupSize"), &sub) && sub > 0) l.sub_size = (uint64_t)sub;
    return l;
}

/* The subgroup of pod `index` of a group; the first one has the leader as well if the others divide without it. */
static uint64_t subgroup(const leader_worker *l, uint64_t index)
{
    bool without = l->leader_excluded || ((l->size - 1) % l->sub_size == 0 && l->size % l->sub_size != 0);
    return without && index > 0 ? (index - 1) / l->sub_size : index / l->sub_size;
}

static void label_group(io_pods *p, const io_pod_set *set, const leader_worker *l, uint64_t group, uint64_t index)
{
    static const exclusive groups = { .key = "leaderworkerset.sigs.k8s.io/group-key" },
                           subgroups = { .key = "leaderworkerset.sigs.k8s.io/subgroup-key" };
    karp_str name = numbered(p, p->name, group);
    io_set_label(p, set, "leaderworkerset.sigs.k8s.io/name", p->name);
    io_set_label(p, set, "leaderworkerset.sigs.k8s.io/group-index", io_pods_text(p, "%llu", (unsigned long long)group));
    set_exclusive(p, set, l->topology, &groups, name);
    if (l->sub_size == 0 || (index == 0 && l->leader_excluded)) return;
    if (index == 0 && equal_str(l->topology, l->sub_topology)) return; /* the leader has the terms of its group alone */
    set_exclusive(p, set, l->sub_topology, &subgroups, numbered(p, name, subgroup(l, index)));
}

/* The workers of a group: a set for each subgroup. */
static void add_workers(io_pods *p, const tree *worker, const leader_worker *l, uint64_t group)
{
    for (uint64_t i = 1, next; i < l->size && !p->d->status && !p->t->status; i = next) {
        next = l->size;
        if (l->sub_size > 0 && l->sub_topology.len > 0) {
            for (next = i + 1; next < l->size && subgroup(l, next) == subgroup(l, i);) next++;
        }
        io_pod_set *others = io_pods_add(p, worker, numbered(p, p->name, group), next - i);
        if (others) others->first = i;
        if (others) others->claims = io_at_path(p->object, "/spec/leaderWorkerTemplate/volumeClaimTemplates");
        label_group(p, others, l, group, i);
    }
}

void io_make_leader_worker_set(io_pods *p)
{
    const tree *template_ = io_at_path(p->object, "/spec/leaderWorkerTemplate");
    const tree *worker = tree_get(template_, "workerTemplate"), *leader = tree_get(template_, "leaderTemplate");
    int64_t replicas = io_pods_integer(p, "/spec/replicas", 0, 1),
            size = io_pods_integer(p, "/spec/leaderWorkerTemplate/size", 1, 1);
    leader_worker l = read_leader_worker(p, (uint64_t)(size > 0 ? size : 1));
    bool volcano = str_is(tree_get_text(tree_get(worker, "spec"), "schedulerName"), "volcano"),
         leader_ready = str_is(tree_get_text(tree_get(p->object, "spec"), "startupPolicy"), "LeaderReady");
    if (volcano)
        io_pods_note(p,
                     "LeaderWorkerSet %.*s: each of its groups is a PodGroup of Volcano, as with "
                     "gangSchedulingManagement.schedulerProvider: volcano of its controller, which is off by default",
                     str_shown(p->name, 100), p->name.ptr);
    for (int64_t group = 0; group < replicas && !p->d->status && !p->t->status; group++) {
        size_t before = p->count;
        io_pod_set *first = io_pods_add(p, leader ? leader : worker, p->name, 1);
        if (first) first->first = (uint64_t)group;
        if (first) first->claims = tree_get(template_, "volumeClaimTemplates");
        io_set_label(p, first, "leaderworkerset.sigs.k8s.io/worker-index", str("0"));
        label_group(p, first, &l, (uint64_t)group, 0);
        add_workers(p, worker, &l, (uint64_t)group);
        if (volcano)
            io_pods_as_named_group(p, KARP_GROUP_VOLCANO, numbered(p, p->name, (uint64_t)group), before,
                                   leader_ready ? 1 : l.size);
    }
}

/* ---- Kubeflow's training jobs ------------------------------------------------------------------------------------ */

static void add_replica_type(io_decoder *d, const io_found_template *found, void *user)
{
    io_pods *p = user;
    karp_str type = lower(p, found->name);
    uint64_t count = found->count;
    /* MPIJobs have no workers unless a number is stated. */
    bool mpi = strcmp(p->kind->info.name, "MPIJob") == 0;
    if (mpi && str_is(type, "worker") && !tree_get(found->element, "replicas")) {
        count = 0;
        io_pods_note(p, "MPIJob %.*s: its Worker states no replicas, so there are no workers", str_shown(p->name, 100),
                     p->name.ptr);
    }
    (void)d;
    io_pod_set *set = io_pods_add(p, found->template_, joined(p, p->name, type), count);
    if (set) set->runs = count;
    io_set_label(p, set, "training.kubeflow.org/job-name", p->name);
    io_set_label(p, set, "training.kubeflow.org/replica-type", type);
    if (str_is(type, "master") || str_is(type, "launcher") || mpi)
        io_set_label(p, set, "training.kubeflow.org/job-role", type);
}

void io_make_training_job(io_pods *p)
{
    const tree *policy = io_at_path(p->object, "/spec/runPolicy/schedulingPolicy");
    io_find_templates(p->d, p->object, &p->kind->places[0], add_replica_type, p);
    if (!policy || strcmp(p->kind->info.name, "MPIJob") != 0) return;
    io_pods_as_group(p, KARP_GROUP_COSCHEDULING, 0, (uint64_t)integer_or(policy, "minAvailable", 0));
    io_pods_note(
        p, "MPIJob %.*s: its pods are a gang, as its schedulingPolicy asks for (--gang-scheduling of the operator)",
        str_shown(p->name, 100), p->name.ptr);
}

/* ---- Volcano ----------------------------------------------------------------------------------------------------- */

static void add_task(io_decoder *d, const io_found_template *found, void *user)
{
    io_pods *p = user;
    (void)d;
    karp_str task = found->name.len ? found->name : io_pods_text(p, "default%zu", p->count);
    io_pod_set *set = io_pods_add(p, found->template_, joined(p, p->name, task), found->count);
    if (set) set->runs = found->count;
    io_set_label(p, set, "volcano.sh/job-name", p->name);
    io_set_label(p, set, "volcano.sh/task-spec", task);
}

/* The bit of an event that policies of Volcano may name; 0 = it is none of them. */
static uint32_t event_bit(karp_str name)
{
    static const char *const events[] = { "*",       "PodFailed",     "PodEvicted", "PodPending", "PodRunning",
                                          "Unknown", "TaskCompleted", "TaskFailed", "JobUpdated" };
    for (uint32_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (str_is(name, events[i])) return 1u << i;
    }
    return 0;
}

/* The webhook refuses an event in two policies, and others beside "*". */
static void check_policies(io_pods *p, const tree *policies)
{
    uint32_t before = 0;
    for (size_t i = 0; tree_is(policies, TREE_LIST) && i < tree_count(policies); i++) {
        const tree *policy = tree_item(policies, i), *list = tree_get(policy, "events");
        uint32_t now = event_bit(tree_get_text(policy, "event"));
        for (size_t k = 0; tree_is(list, TREE_LIST) && k < tree_count(list); k++)
            now |= event_bit(tree_text(tree_item(list, k)));
        bool twice = (now & before) != 0;
        before |= now;
        if (!twice && ((before & 1) == 0 || before == 1)) continue;
        io_pods_refused(p, "%s, so Volcano's webhook refuses it",
                        twice ? "two of its policies are about the same event"
                              : "its policies are about * and another event");
        return;
    }
}

enum { TASKS_COMPARED = 64 };

/* What the webhook of Volcano refuses in names, in the numbers of pods and in policies. */
static void check_volcano_job(io_pods *p)
{
    const tree *spec = tree_get(p->object, "spec"), *tasks = tree_get(spec, "tasks");
    int64_t least = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < p->count; i++)
        all = p->sets[i].count > UINT64_MAX - all ? UINT64_MAX : all + p->sets[i].count;
    if (tree_integer(tree_get(spec, "minAvailable"), &least) && least > 0 && (uint64_t)least > all)
        io_pods_refused(
            p, "its minAvailable, %lld, is more than the %llu replicas of its tasks, so Volcano's webhook refuses it",
            (long long)least, (unsigned long long)all);
    check_policies(p, tree_get(spec, "policies"));
    for (size_t i = 0; tree_is(tasks, TREE_LIST) && i < tree_count(tasks); i++) {
        const tree *task = tree_item(tasks, i);
        int64_t replicas = integer_or(task, "replicas", 0);
        karp_str name = tree_get_text(task, "name");
        if (tree_integer(tree_get(task, "minAvailable"), &least) && least > replicas)
            io_pods_refused(p, "task %.*s has minAvailable %lld and %lld replicas, so Volcano's webhook refuses it",
                            str_shown(name, 60), name.ptr, (long long)least, (long long)replicas);
        check_policies(p, tree_get(task, "policies"));
        for (size_t k = 0; k < i && name.len && i < TASKS_COMPARED; k++) {
            if (equal_str(name, tree_get_text(tree_item(tasks, k), "name")))
                io_pods_refused(p, "two of its tasks are named %.*s, so Volcano's webhook refuses it",
                                str_shown(name, 60), name.ptr);
        }
    }
}

void io_make_volcano_job(io_pods *p)
{
    const tree *spec = tree_get(p->object, "spec"), *tasks = tree_get(spec, "tasks");
    int64_t least = integer_or(spec, "minAvailable", 0);
    io_find_templates(p->d, p->object, &p->kind->places[0], add_task, p);
    check_volcano_job(p);
    for (size_t i = 0, stated = (size_t)least; stated == 0 && tree_is(tasks, TREE_LIST) && i < tree_count(tasks); i++) {
        const tree *task = tree_item(tasks, i);
        least += integer_or(task, "minAvailable", integer_or(task, "replicas", 0));
    }
    io_pods_as_group(p, KARP_GROUP_VOLCANO, 0, (uint64_t)least);
}

/* ---- ScaledJob, CronJob and other schedules ---------------------------------------------------------------------- */

void io_make_scaled_job(io_pods *p)
{
    const tree *spec = tree_get(p->object, "spec"), *job = tree_get(spec, "jobTargetRef");
    int64_t least = io_pods_integer(p, "/spec/minReplicaCount", 0, 0),
            most = io_pods_integer(p, "/spec/maxReplicaCount", 0, 100);
    least = least < most ? least : most;
    least = (int64_t)io_pods_scaled(p, str("Jobs"), (uint64_t)least, (uint64_t)least, (uint64_t)most);
    for (int64_t i = 0; i < least && !p->d->status && !p->t->status; i++) {
        uint64_t active = io_job_active(io_job_counts_of(job), 0);
        io_pod_set *set = io_pods_add(p, tree_get(job, "template"), numbered(p, p->name, (uint64_t)i), active);
        if (set) set->runs = active;
        io_set_label(p, set, "scaledjob.keda.sh/name", p->name);
    }
    io_pods_note(p, "ScaledJob %.*s: %lld %s (minReplicaCount) %s planned; its triggers may start up to %lld",
                 str_shown(p->name, 100), p->name.ptr, (long long)least, least == 1 ? "Job" : "Jobs",
                 least == 1 ? "is" : "are", (long long)most);
}

void io_make_cron_job(io_pods *p)
{
    uint64_t pods = io_job_active(io_job_counts_of(io_at_path(p->object, "/spec/jobTemplate/spec")), 0);
    p->later = io_pods_text(p,
                            "CronJob %.*s: it has no pods before its time, then %llu a run; plan for one run with the "
                            "Job of kubectl create job NAME --from=cronjob/%.*s --dry-run=client -o yaml",
                            str_shown(p->name, 100), p->name.ptr, (unsigned long long)pods, str_shown(p->name, 100),
                            p->name.ptr);
}

void io_make_by_schedule(io_pods *p)
{
    p->later = io_pods_text(p,
                            "%s %.*s: it has no pods before its time; plan for one run with the object of its template",
                            p->kind->info.name, str_shown(p->name, 100), p->name.ptr);
}
