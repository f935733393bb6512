/* SPDX-License-Identifier: Apache-2.0 */
#include "picture.h"

#include "write_launch.h"

/* Collects a picture. Pods are indices of the snapshot's table. */
typedef struct collector {
    picture *s;
    const write_job *job;
    const karp_decision *plan, *disruption; /* one of the two may be NULL */
    karp_table *pods, *nodes;
    size_t pod_count, node_count;
    const double *cpu, *memory; /* requests by pod; NULL = no pod requests any */
    karp_column bound; /* by node: pods that run there */
    const uint32_t *cordoned; /* by node */
    picture_owners owners;
    uint32_t *workload_of; /* by pod */
    bool *moved; /* by pod: it is elsewhere afterwards */
    bool *planned; /* by pod: the plan places it; then the placement in the disruption's simulation is not shown */
    node_fate *fates; /* by node */
    /* by workload, for pods that stay and for those that move: index of its run on the current node, + 1 */
    uint32_t *stamp;
    io_table launches; /* launches of the disruption, by id: later steps of a repack plan place pods on them */
    picture_node *next; /* the next free node of the current row */
} collector;

/* Some pods of a borrowed list. */
typedef struct pod_run {
    const uint32_t *pods;
    size_t count;
} pod_run;

static karp_status no_memory(const collector *c) { return fail_nomem(c->job->error); }

/* ---- tables of the snapshot -------------------------------------------------------------------------------------- */

static const double *amounts(const karp_table *table, const char *name)
{
    karp_column column = { .size = sizeof(column) };
    karp_status status = karp_table_find(table, str(name), &column);
    return status == KARP_OK ? column.values : NULL;
}

static karp_status open_tables(collector *c, const karp_snapshot *snapshot)
{
    karp_status status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_PODS, &c->pods, c->job->error);
    if (status == KARP_OK) status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_NODES, &c->nodes, c->job->error);
    if (status != KARP_OK) return status;
    c->cpu = amounts(c->pods, "requests.cpu");
    c->memory = amounts(c->pods, "requests.memory");
    c->pod_count = karp_table_row_count(c->pods);
    c->node_count = karp_table_row_count(c->nodes);
    c->bound = (karp_column){ .size = sizeof(c->bound) };
    karp_column cordoned = { .size = sizeof(cordoned) };
    status = karp_table_find(c->nodes, str("cordoned"), &cordoned);
    if (status != KARP_OK) return status;
    c->cordoned = cordoned.values;
    status = picture_owners_open(&c->owners, c->pods);
    return status == KARP_OK ? karp_table_find(c->nodes, str("pods"), &c->bound) : status;
}

/* ---- workloads --------------------------------------------------------------------------------------------------- */

static karp_str keep(collector *c, karp_str text)
{
    char *kept = arena_array(&c->s->arena, text.len + 1, 1);
    if (kept != NULL && text.len > 0) memcpy(kept, text.ptr, text.len);
    return (karp_str){ kept, kept != NULL ? text.len : 0 };
}

static karp_status find_workloads(collector *c, const karp_snapshot *snapshot)
{
    picture *s = c->s;
    s->workloads = arena_array(&s->arena, c->pod_count, sizeof(*s->workloads));
    c->workload_of = arena_array(&s->arena, c->pod_count, sizeof(*c->workload_of));
    c->moved = arena_array(&s->arena, c->pod_count, sizeof(*c->moved));
    c->planned = arena_array(&s->arena, c->pod_count, sizeof(*c->planned));
    c->stamp = arena_array(&s->arena, c->pod_count, 2 * sizeof(*c->stamp));
    if (s->workloads == NULL || c->workload_of == NULL || c->moved == NULL || c->planned == NULL || c->stamp == NULL)
        return no_memory(c);
    io_table names;
    io_table_init(&names, s->arena.context);
    strbuf room = strbuf_on(s->arena.context);
    bool good = true;
    for (size_t i = 0; i < c->pod_count && good; i++) {
        karp_str name = picture_workload_of(&c->owners, i, karp_snapshot_pod_name(snapshot, i), &room);
        uint32_t number = io_table_get(&names, name);
        if (number == IO_NONE) {
            number = (uint32_t)s->workload_count++;
            s->workloads[number].name = keep(c, name);
            good = !room.failed && s->workloads[number].name.ptr != NULL && io_table_put(&names, name, number);
        }
        c->workload_of[i] = number;
    }
    strbuf_free(&room);
    io_table_free(&names);
    return good ? KARP_OK : no_memory(c);
}

static int larger_first(const void *a, const void *b)
{
    const picture_workload *x = a, *y = b;
    /* Sorts by running pods first, so that pages about changes of one cluster use the same colours. */
    if (x->running != y->running) return x->running > y->running ? -1 : 1;
    if (x->cpu != y->cpu) return x->cpu > y->cpu ? -1 : 1;
    return compare_str(x->name, y->name);
}

static karp_status rank_workloads(collector *c)
{
    picture *s = c->s;
    const void **order = arena_array(&s->arena, s->workload_count, sizeof(*order));
    picture_workload *sorted = arena_array(&s->arena, s->workload_count, sizeof(*sorted));
    if (order == NULL || sorted == NULL) return no_memory(c);
    for (size_t i = 0; i < s->workload_count; i++) order[i] = &s->workloads[i];
    if (!sort_pointers(c->job->context, order, s->workload_count, larger_first)) return no_memory(c);
    for (size_t i = 0; i < s->workload_count; i++) {
        const picture_workload *workload = order[i];
        s->workloads[workload - s->workloads].rank = (uint32_t)i;
    }
    picture_give_colours(s);
    return KARP_OK;
}

/* ---- pods on nodes ----------------------------------------------------------------------------------------------- */

static picture_run *run_of(collector *c, picture_node *node, uint32_t workload, bool moved)
{
    uint32_t *stamp = &c->stamp[2 * (size_t)workload + moved];
    /* A stamp from another node refers to a run that does not exist or belongs to another workload. */
    if (*stamp == 0 || *stamp > node->run_count || node->runs[*stamp - 1].workload != workload ||
        node->runs[*stamp - 1].moved != moved) {
        node->runs[node->run_count] = (picture_run){ .workload = workload, .moved = moved };
        *stamp = (uint32_t)++node->run_count;
    }
    return &node->runs[*stamp - 1];
}

static void count_pod(collector *c, picture_node *node, uint32_t pod)
{
    double cpu = c->cpu != NULL ? c->cpu[pod] : 0, memory = c->memory != NULL ? c->memory[pod] : 0;
    node->pods++;
    node->cpu_used += cpu;
    node->memory_used += memory;
    if (picture_of_daemon(&c->owners, pod)) {
        node->daemon_cpu += cpu;
        node->daemon_memory += memory;
        return;
    }
    picture_run *run = run_of(c, node, c->workload_of[pod], c->moved[pod]);
    run->pods++;
    run->cpu += cpu;
    run->memory += memory;
    c->s->workloads[c->workload_of[pod]].cpu += cpu;
}

/* Allocates the largest number of runs that the node's pods may need. */
static bool make_runs(collector *c, picture_node *node, size_t most)
{
    node->runs = arena_array(&c->s->arena, most, sizeof(*node->runs));
    return node->runs != NULL;
}

static size_t bound_count(const collector *c, size_t node)
{
    return (size_t)(c->bound.offsets[node + 1] - c->bound.offsets[node]);
}

static const uint32_t *bound_pods(const collector *c, size_t node)
{
    return (const uint32_t *)c->bound.values + c->bound.offsets[node];
}

/* ---- outcomes for nodes and pods --------------------------------------------------------------------------------- */

static void mark_moved(collector *c, bool planned, const uint32_t *pods, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (pods[i] < c->pod_count) {
            c->moved[pods[i]] = true;
            c->planned[pods[i]] |= planned;
        }
    }
}

/* Whether this decision determines the pod's place. */
static bool decides_place(const collector *c, const karp_decision *d, uint32_t pod)
{
    return pod < c->pod_count && (d == c->plan || !c->planned[pod]);
}

static void mark_moves(collector *c, const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_launch_count(d); i++) {
        karp_launch launch;
        get_launch(c->job, d, i, &launch);
        mark_moved(c, d == c->plan, launch.pods, launch.pod_count);
    }
    for (size_t i = 0; i < karp_decision_placement_count(d); i++) {
        karp_placement placement;
        get_placement(c->job, d, i, &placement);
        mark_moved(c, d == c->plan, placement.pods, placement.pod_count);
    }
}

static void fates_of_commands(collector *c)
{
    const karp_decision *d = c->disruption;
    for (size_t i = 0; d != NULL && i < karp_decision_command_count(d); i++) {
        karp_command command;
        get_command(c->job, d, i, &command);
        for (size_t k = 0; k < command.node_count; k++) {
            karp_node_use use;
            size_t node = get_node_named(c->job, d, command.nodes[k], &use);
            if (node != SIZE_MAX) c->fates[node] = command.replaces ? FATE_REPLACED : FATE_GONE;
        }
    }
}

static void fates_of_receivers(collector *c, const karp_decision *d)
{
    for (size_t i = 0; i < karp_decision_placement_count(d); i++) {
        karp_placement placement;
        karp_node_use use;
        get_placement(c->job, d, i, &placement);
        size_t node = get_node_named(c->job, d, placement.node, &use);
        if (node != SIZE_MAX && c->fates[node] == FATE_STAYS) c->fates[node] = FATE_RECEIVES;
    }
}

static karp_status find_fates(collector *c)
{
    const karp_decision *any = c->plan != NULL ? c->plan : c->disruption;
    c->fates = arena_array(&c->s->arena, c->node_count, sizeof(*c->fates));
    if (c->fates == NULL) return no_memory(c);
    for (size_t i = 0; i < c->node_count; i++) {
        karp_node_use node;
        get_node(c->job, any, i, &node);
        c->fates[i] = node.marked ? FATE_GONE : FATE_STAYS;
    }
    const karp_decision *both[] = { c->plan, c->disruption };
    fates_of_commands(c);
    for (size_t i = 0; i < 2; i++) {
        if (both[i] != NULL) mark_moves(c, both[i]);
        if (both[i] != NULL) fates_of_receivers(c, both[i]);
    }
    return KARP_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static karp_status node_of(collector *c, size_t index, size_t most_pods, picture_node *out)
{
    karp_node_use node;
    get_node(c->job, c->plan != NULL ? c->plan : c->disruption, index, &node);
    *out = (picture_node){ .fate = c->fates[index],
                           .name = node.node,
                           .node_pool = node.node_pool,
                           .instance_type = node.instance_type,
                           .zone = node.zone,
                           .capacity_type = node.capacity_type,
                           .price = node.price,
                           .cpu = node.cpu_allocatable,
                           .memory = node.memory_allocatable,
                           .cordoned = c->cordoned[index] != 0,
                           .copies = 1 };
    return make_runs(c, out, most_pods) ? KARP_OK : no_memory(c);
}

static karp_status collect_before(collector *c)
{
    picture_row *row = &c->s->before;
    row->nodes = arena_array(&c->s->arena, c->node_count, sizeof(*row->nodes));
    if (row->nodes == NULL) return no_memory(c);
    for (size_t i = 0; i < c->node_count; i++) {
        picture_node *node = &row->nodes[row->count++];
        karp_status status = node_of(c, i, bound_count(c, i), node);
        if (status != KARP_OK) return status;
        for (size_t k = 0; k < bound_count(c, i); k++) count_pod(c, node, bound_pods(c, i)[k]);
    }
    for (size_t i = 0; i < c->s->workload_count; i++) c->s->workloads[i].running = c->s->workloads[i].cpu;
    return KARP_OK;
}

/* Notes the first extended resource that is requested: the node is launched for it. */
static void note_scarce(picture_node *node, const karp_launch *launch)
{
    for (size_t i = 0; i < launch->request_count; i++) {
        karp_str name = launch->requests[i].name;
        double all = 0;
        if (name.len == 0 || memchr(name.ptr, '/', name.len) == NULL) continue;
        for (size_t k = 0; k < launch->allocatable_count; k++) {
            if (equal_str(launch->allocatable[k].name, name))
                (void)karp_quantity_double(launch->allocatable[k].text, &all);
        }
        node->scarce = name;
        node->scarce_all = all;
        (void)karp_quantity_double(launch->requests[i].text, &node->scarce_used);
        return;
    }
}

/* `later`: pods that later steps of the same decision place there. */
static karp_status launch_of(collector *c, const karp_decision *d, size_t index, pod_run later, picture_node *out)
{
    karp_launch launch;
    get_launch(c->job, d, index, &launch);
    bool chosen = launch.choice.instance_type.len > 0;
    *out = (picture_node){ .fate = d == c->plan ? FATE_NEW : FATE_REPLACES,
                           .name = launch.id,
                           .node_pool = launch.node_pool,
                           .instance_type = chosen ? launch.choice.instance_type : str("any type"),
                           .zone = launch.choice.zone,
                           .capacity_type = launch.choice.capacity_type,
                           .price = chosen ? launch.choice.price : 0,
                           .copies = 1,
                           .cpu = resource_amount(launch.allocatable, launch.allocatable_count, "cpu"),
                           .memory = resource_amount(launch.allocatable, launch.allocatable_count, "memory") };
    if (!make_runs(c, out, launch.pod_count + later.count)) return no_memory(c);
    for (size_t i = 0; i < launch.pod_count; i++) {
        if (decides_place(c, d, launch.pods[i])) count_pod(c, out, launch.pods[i]);
    }
    for (size_t i = 0; i < later.count; i++) count_pod(c, out, later.pods[i]);
    double cpu = resource_amount(launch.requests, launch.request_count, "cpu");
    double memory = resource_amount(launch.requests, launch.request_count, "memory");
    double daemons = cpu > out->cpu_used * (1 + 1e-9) ? cpu - out->cpu_used : 0; /* more than rounding errors */
    out->daemon_cpu += daemons;
    out->cpu_used += daemons;
    if (memory > out->memory_used) {
        out->daemon_memory += memory - out->memory_used;
        out->memory_used = memory;
    }
    note_scarce(out, &launch);
    return KARP_OK;
}

static size_t launch_count(const karp_decision *d) { return d != NULL ? karp_decision_launch_count(d) : 0; }

static karp_status list_launches(collector *c)
{
    for (size_t i = 0; i < launch_count(c->disruption); i++) {
        karp_launch launch;
        get_launch(c->job, c->disruption, i, &launch);
        if (!io_table_put(&c->launches, launch.id, (uint32_t)i)) return no_memory(c);
    }
    return KARP_OK;
}

/* Finds the place of placed pods: existing nodes come first, then the disruption's launches. false = neither. */
static bool find_place(const collector *c, const karp_decision *d, karp_str name, size_t *at)
{
    karp_node_use node;
    *at = get_node_named(c->job, d, name, &node);
    if (*at != SIZE_MAX) return true;
    uint32_t launch = d == c->disruption ? io_table_get(&c->launches, name) : IO_NONE;
    *at = c->node_count + launch;
    return launch != IO_NONE;
}

/* Collects the pods of a decision's placements. First, with `pods` NULL, it counts in `ends` how many pods each place
 * receives. Then it writes each place's pods before ends[place], which is decreased to their beginning. */
static void receive(collector *c, const karp_decision *d, size_t *ends, uint32_t *pods)
{
    for (size_t i = 0; d != NULL && i < karp_decision_placement_count(d); i++) {
        karp_placement placement;
        size_t at = 0;
        get_placement(c->job, d, i, &placement);
        if (!find_place(c, d, placement.node, &at)) continue;
        for (size_t k = placement.pod_count; k > 0; k--) {
            if (!decides_place(c, d, placement.pods[k - 1])) continue;
            if (pods == NULL) ends[at]++;
            else pods[--ends[at]] = placement.pods[k - 1];
        }
    }
}

/* Computes the list of all received pods and where each place's pods begin in it. *begins has a number for each place,
 * and one more. */
static karp_status receive_all(collector *c, size_t **begins, uint32_t **pods)
{
    const karp_decision *both[] = { c->plan, c->disruption };
    size_t places = c->node_count + launch_count(c->disruption);
    size_t *ends = *begins = arena_array(&c->s->arena, places + 1, sizeof(*ends));
    if (ends == NULL) return no_memory(c);
    karp_status status = list_launches(c);
    for (size_t i = 0; i < 2 && status == KARP_OK; i++) receive(c, both[i], ends, NULL);
    for (size_t i = 1; i < places; i++) ends[i] += ends[i - 1];
    ends[places] = places > 0 ? ends[places - 1] : 0;
    *pods = arena_array(&c->s->arena, ends[places], sizeof(**pods));
    if (status == KARP_OK && *pods == NULL) status = no_memory(c);
    for (size_t i = 2; i > 0 && status == KARP_OK; i--) receive(c, both[i - 1], ends, *pods);
    return status;
}

/* The pods that a place receives. */
static pod_run received_at(const size_t *begins, const uint32_t *pods, size_t place)
{
    return (pod_run){ pods + begins[place], begins[place + 1] - begins[place] };
}

static karp_status kept_after(collector *c, size_t index, pod_run received)
{
    picture_node *node = &c->s->after.nodes[c->s->after.count++];
    karp_status status = node_of(c, index, bound_count(c, index) + received.count, node);
    if (status != KARP_OK) return status;
    for (size_t k = 0; k < bound_count(c, index); k++) {
        if (!c->moved[bound_pods(c, index)[k]]) count_pod(c, node, bound_pods(c, index)[k]);
    }
    for (size_t k = 0; k < received.count; k++) count_pod(c, node, received.pods[k]);
    return KARP_OK;
}

static karp_status collect_after(collector *c)
{
    picture_row *row = &c->s->after;
    size_t launches = launch_count(c->plan) + launch_count(c->disruption);
    size_t *begins = NULL;
    uint32_t *received = NULL;
    row->nodes = arena_array(&c->s->arena, launches + c->node_count, sizeof(*row->nodes));
    karp_status status = row->nodes != NULL ? receive_all(c, &begins, &received) : no_memory(c);
    for (size_t i = 0; i < c->node_count && status == KARP_OK; i++) {
        pod_run here = received_at(begins, received, i);
        /* The disruption is computed for the current cluster, so it may remove a node on which the plan places pods. */
        bool goes = c->fates[i] == FATE_GONE || c->fates[i] == FATE_REPLACED;
        if (!goes || here.count > 0) status = kept_after(c, i, here);
    }
    for (size_t i = 0; i < launch_count(c->plan) && status == KARP_OK; i++) {
        status = launch_of(c, c->plan, i, (pod_run){ NULL, 0 }, &row->nodes[row->count++]);
    }
    for (size_t i = 0; i < launch_count(c->disruption) && status == KARP_OK; i++) {
        pod_run later = received_at(begins, received, c->node_count + i);
        status = launch_of(c, c->disruption, i, later, &row->nodes[row->count++]);
    }
    return status;
}

/* Sets the reasons of kept nodes. Both lists are sorted by name; a node that the disruption does not mention has no
 * reason. */
static karp_status find_kept(collector *c)
{
    picture_row *row = &c->s->after;
    size_t at = 0;
    for (size_t i = 0; c->disruption != NULL && i < karp_decision_kept_count(c->disruption); i++) {
        karp_kept kept;
        get_kept(c->job, c->disruption, i, &kept);
        while (at < row->count && compare_str(row->nodes[at].name, kept.node) < 0) at++;
        if (at == row->count || !equal_str(row->nodes[at].name, kept.node)) continue;
        row->nodes[at].kept = kept.code;
        row->nodes[at].kept_detail = kept.detail;
    }
    return KARP_OK;
}

karp_status picture_collect(picture *s, const write_job *job, const karp_decision *plan,
                            const karp_decision *disruption)
{
    *s = (picture){ 0 };
    arena_init(&s->arena, job->context);
    collector c = { .s = s, .job = job, .plan = plan, .disruption = disruption };
    io_table_init(&c.launches, job->context);
    const karp_snapshot *snapshot = karp_decision_snapshot(plan != NULL ? plan : disruption);
    karp_status status = open_tables(&c, snapshot);
    karp_status (*const steps[])(collector *) = { find_fates, collect_before, collect_after, find_kept,
                                                  rank_workloads };
    if (status == KARP_OK) status = find_workloads(&c, snapshot);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == KARP_OK; i++) status = steps[i](&c);
    picture_add_up(&s->before);
    picture_add_up(&s->after);
    if (status == KARP_OK && !(picture_share_costs(s, job->context) && picture_fold(s, &s->before, job->context) &&
                               picture_fold(s, &s->after, job->context))) {
        status = no_memory(&c);
    }
    io_table_free(&c.launches);
    karp_table_free(c.pods);
    karp_table_free(c.nodes);
    return status;
}

void picture_free(picture *s) { arena_free(&s->arena); }
