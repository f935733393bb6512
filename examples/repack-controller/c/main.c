/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A controller that carries out a repack plan, on a cluster of plain arrays: each step is a command (karp/command.h),
 * validated when its time has come. A step that fails ends the plan, and the cluster as it is then gets a new one.
 *     example-repack-controller    plays a plan that goes well, a launch without capacity, and a pod that appears
 * meanwhile
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <karp/builder.h>
#include <karp/command.h>
#include <karp/karp.h>
#include <karp/lifecycle.h>
#include <karp/repack.h>

#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }

enum { MOST_NODES = 48, MOST_PODS = 48, NAME_ROOM = 24, TYPES = 3, MOST_PLANS = 9 };
enum { ALL_WELL, NO_CAPACITY, NEW_POD, STORIES };
static const int64_t start = INT64_C(1767225600) * INT64_C(1000000000);

/* ---- the cluster ------------------------------------------------------------------------------------------------- */

static const struct type {
    const char *name, *cpu, *memory;
    double price;
} types[TYPES] = { { "small", "2", "8Gi", 0.10 }, { "medium", "4", "16Gi", 0.19 }, { "large", "8", "32Gi", 0.36 } };

struct machine {
    char name[NAME_ROOM];
    int type;
    bool there, up, tainted, marked;
};

struct pod {
    char name[NAME_ROOM];
    const char *cpu;
    int node; /* -1 = it is pending */
};

typedef struct cluster {
    karp_context *context;
    karp_error error;
    struct machine machines[MOST_NODES];
    struct pod pods[MOST_PODS];
    int machine_count, pod_count;
    bool sold_out[TYPES];
    int64_t now;
    int story, steps_begun;
    bool happened;
} cluster;

static karp_str text(const char *s) { return (karp_str){ s, strlen(s) }; }

static int type_named(karp_str name)
{
    for (int t = 0; t < TYPES; t++) {
        if (strlen(types[t].name) == name.len && memcmp(types[t].name, name.ptr, name.len) == 0) return t;
    }
    return -1;
}

static struct machine *machine_named(cluster *c, karp_str name)
{
    for (int m = 0; m < c->machine_count; m++) {
        struct machine *found = &c->machines[m];
        if (found->there && strlen(found->name) == name.len && memcmp(found->name, name.ptr, name.len) == 0)
            return found;
    }
    return NULL;
}

static int add_machine(cluster *c, const char *prefix, int type, bool up)
{
    if (c->machine_count == MOST_NODES) return -1;
    struct machine *m = &c->machines[c->machine_count];
    *m = (struct machine){ .type = type, .there = true, .up = up };
    snprintf(m->name, sizeof m->name, "%s-%02d", prefix, c->machine_count);
    return c->machine_count++;
}

static void add_pod(cluster *c, const char *cpu, int node)
{
    if (c->pod_count == MOST_PODS) return;
    struct pod *p = &c->pods[c->pod_count];
    *p = (struct pod){ .cpu = cpu, .node = node };
    snprintf(p->name, sizeof p->name, "web-%02d", c->pod_count++);
}

/* ---- what is watched --------------------------------------------------------------------------------------------- */

static karp_status sell(cluster *c, karp_builder *builder)
{
    static const karp_str zone[] = { TEXT("a") }, on_demand[] = { TEXT("on-demand") }, arch[] = { TEXT("amd64") },
                          os[] = { TEXT("linux") };
    static const karp_requirement where[] = { { TEXT("topology.kubernetes.io/zone"), KARP_OP_IN, 0, zone, 1 },
                                              { TEXT("karpenter.sh/capacity-type"), KARP_OP_IN, 0, on_demand, 1 } };
    karp_instance_type list[TYPES];
    karp_offering offerings[TYPES];
    karp_requirement labels[TYPES][5];
    karp_resource capacity[TYPES][3];
    karp_str names[TYPES];
    karp_catalogue *catalogue = NULL;
    for (int t = 0; t < TYPES; t++) {
        names[t] = text(types[t].name);
        const karp_requirement own[5] = { { TEXT("node.kubernetes.io/instance-type"), KARP_OP_IN, 0, &names[t], 1 },
                                          { TEXT("kubernetes.io/arch"), KARP_OP_IN, 0, arch, 1 },
                                          { TEXT("kubernetes.io/os"), KARP_OP_IN, 0, os, 1 },
                                          where[0],
                                          where[1] };
        const karp_resource amounts[3] = { { .name = TEXT("cpu"), .text = text(types[t].cpu) },
                                           { .name = TEXT("memory"), .text = text(types[t].memory) },
                                           { .name = TEXT("pods"), .text = TEXT("20") } };
        memcpy(labels[t], own, sizeof own);
        memcpy(capacity[t], amounts, sizeof amounts);
        offerings[t] = (karp_offering){
            .requirements = where, .requirement_count = 2, .price = types[t].price, .available = !c->sold_out[t]
        };
        list[t] = (karp_instance_type){ .size = sizeof list[t],
                                        .name = names[t],
                                        .requirements = labels[t],
                                        .requirement_count = 5,
                                        .capacity = capacity[t],
                                        .capacity_count = 3,
                                        .offerings = &offerings[t],
                                        .offering_count = 1 };
    }
    karp_status status = karp_catalogue_new(c->context, list, TYPES, &catalogue, &c->error);
    if (status == KARP_OK) status = karp_builder_add_catalogue(builder, catalogue, NULL, 0, &c->error);
    karp_catalogue_unref(catalogue);
    return status;
}

static karp_status watch_pool(cluster *c, karp_builder *builder)
{
    static const karp_condition ready[] = { { TEXT("Ready"), TEXT("True"), TEXT(""), KARP_NO_TIME },
                                            { TEXT("ValidationSucceeded"), TEXT("True"), TEXT(""), KARP_NO_TIME },
                                            { TEXT("NodeClassReady"), TEXT("True"), TEXT(""), KARP_NO_TIME } };
    static const karp_budget two = { .nodes = TEXT("2"), .duration = KARP_DURATION_UNSET };
    const karp_node_pool pool = { .size = sizeof pool,
                                  .meta.name = TEXT("default"),
                                  .node_class = { TEXT("example.com"), TEXT("ExampleNodeClass"), TEXT("default") },
                                  .conditions = ready,
                                  .condition_count = 3,
                                  .budgets = &two,
                                  .budget_count = 1,
                                  .replicas = -1,
                                  .consolidate_after = 0,
                                  .expire_after = KARP_DURATION_NEVER,
                                  .termination_grace_period = KARP_DURATION_UNSET };
    return karp_builder_add_node_pool(builder, &pool, &c->error);
}

static karp_status watch_machine(cluster *c, karp_builder *builder, const struct machine *m)
{
    static const karp_condition conditions[] = { { TEXT("Launched"), TEXT("True"), TEXT(""), KARP_NO_TIME },
                                                 { TEXT("Registered"), TEXT("True"), TEXT(""), KARP_NO_TIME },
                                                 { TEXT("Initialized"), TEXT("True"), TEXT(""), KARP_NO_TIME },
                                                 { TEXT("Consolidatable"), TEXT("True"), TEXT(""), KARP_NO_TIME } };
    static const karp_condition ready = { TEXT("Ready"), TEXT("True"), TEXT(""), KARP_NO_TIME };
    static const karp_taint disrupted = { TEXT("karpenter.sh/disrupted"), TEXT(""), TEXT("NoSchedule") };
    const karp_resource amounts[] = { { .name = TEXT("cpu"), .text = text(types[m->type].cpu) },
                                      { .name = TEXT("memory"), .text = text(types[m->type].memory) },
                                      { .name = TEXT("pods"), .text = TEXT("20") } };
    const karp_label labels[] = {
        { TEXT("karpenter.sh/nodepool"), TEXT("default") },
        { TEXT("topology.kubernetes.io/zone"), TEXT("a") },
        { TEXT("karpenter.sh/capacity-type"), TEXT("on-demand") },
        { TEXT("node.kubernetes.io/instance-type"), text(types[m->type].name) },
        { TEXT("kubernetes.io/hostname"), text(m->name) },
        { TEXT("karpenter.sh/registered"), TEXT("true") },
        { TEXT("karpenter.sh/initialized"), TEXT("true") },
    };
    const karp_node_claim claim = { .size = sizeof claim,
                                    .meta = { .name = text(m->name), .labels = labels, .label_count = 4 },
                                    .provider_id = text(m->name),
                                    .node_class = { TEXT("example.com"), TEXT("ExampleNodeClass"), TEXT("default") },
                                    .capacity = amounts,
                                    .capacity_count = 3,
                                    .allocatable = amounts,
                                    .allocatable_count = 3,
                                    .conditions = conditions,
                                    .condition_count = m->up ? 4 : 1,
                                    .last_pod_event = KARP_NO_TIME,
                                    .expire_after = KARP_DURATION_NEVER,
                                    .termination_grace_period = KARP_DURATION_UNSET };
    const karp_node node = { .size = sizeof node,
                             .meta = { .name = text(m->name), .labels = labels, .label_count = 7 },
                             .provider_id = text(m->name),
                             .taints = &disrupted,
                             .taint_count = m->tainted,
                             .capacity = amounts,
                             .capacity_count = 3,
                             .allocatable = amounts,
                             .allocatable_count = 3,
                             .conditions = &ready,
                             .condition_count = 1 };
    karp_status status = karp_builder_add_node_claim(builder, &claim, &c->error);
    return status == KARP_OK && m->up ? karp_builder_add_node(builder, &node, &c->error) : status;
}

static karp_status watch_pods(cluster *c, karp_builder *builder)
{
    static const karp_condition unschedulable = { TEXT("PodScheduled"), TEXT("False"), TEXT("Unschedulable"),
                                                  KARP_NO_TIME };
    karp_status status = KARP_OK;
    for (int i = 0; i < c->pod_count && status == KARP_OK; i++) {
        const karp_resource requests[] = { { .name = TEXT("cpu"), .text = text(c->pods[i].cpu) },
                                           { .name = TEXT("memory"), .text = TEXT("1Gi") } };
        const karp_container container = { .name = TEXT("main"), .requests = requests, .request_count = 2 };
        bool bound = c->pods[i].node >= 0;
        karp_pod pod = { .size = sizeof pod,
                         .meta.name = text(c->pods[i].name),
                         .containers = &container,
                         .container_count = 1,
                         .termination_grace_seconds = -1,
                         .phase = bound ? KARP_PHASE_RUNNING : KARP_PHASE_PENDING,
                         .conditions = &unschedulable,
                         .condition_count = !bound };
        if (bound) pod.node_name = text(c->machines[c->pods[i].node].name);
        status = karp_builder_add_pod(builder, &pod, &c->error);
    }
    return status;
}

/* Nodes that are marked are said to be; a claim that was seen once is up the next time. */
static karp_status watch(cluster *c, karp_snapshot **out)
{
    karp_builder *builder = NULL;
    karp_node_state states[MOST_NODES];
    size_t count = 0;
    karp_status status = karp_builder_new(c->context, &builder, &c->error);
    if (status == KARP_OK) status = karp_builder_set_now(builder, c->now, &c->error);
    if (status == KARP_OK) status = sell(c, builder);
    if (status == KARP_OK) status = watch_pool(c, builder);
    for (int m = 0; m < c->machine_count && status == KARP_OK; m++) {
        struct machine *it = &c->machines[m];
        if (!it->there) continue;
        states[count++] = (karp_node_state){ .name = text(it->name), .marked_for_deletion = it->marked };
        status = watch_machine(c, builder, it);
    }
    if (status == KARP_OK) status = watch_pods(c, builder);
    if (status == KARP_OK) status = karp_builder_set_node_states(builder, states, count, &c->error);
    if (status == KARP_OK) status = karp_builder_finish(builder, out, &c->error);
    karp_builder_free(builder);
    for (int m = 0; m < c->machine_count; m++) c->machines[m].up = true;
    return status;
}

/* ---- what happens without the controller ------------------------------------------------------------------------- */

/* Pending pods get places as the scheduler gives them, and what provisioning launches for them. */
static karp_status bind_pods(cluster *c)
{
    karp_snapshot *snapshot = NULL;
    karp_decision *plan = NULL;
    karp_status status = watch(c, &snapshot);
    if (status == KARP_OK) status = karp_provision(snapshot, NULL, &plan, &c->error);
    for (size_t i = 0; status == KARP_OK && i < karp_decision_placement_count(plan); i++) {
        karp_placement p = { .size = sizeof p };
        status = karp_decision_placement(plan, i, &p);
        struct machine *m = machine_named(c, p.node);
        for (size_t k = 0; m != NULL && k < p.pod_count; k++) c->pods[p.pods[k]].node = (int)(m - c->machines);
    }
    for (size_t i = 0; status == KARP_OK && i < karp_decision_launch_count(plan); i++) {
        karp_launch l = { .size = sizeof l };
        status = karp_decision_launch(plan, i, &l);
        int m = add_machine(c, "extra", type_named(l.choice.instance_type), true);
        for (size_t k = 0; m >= 0 && k < l.pod_count; k++) c->pods[l.pods[k]].node = m;
        if (m >= 0) printf("  provisioning launches %s for pending pods\n", c->machines[m].name);
    }
    karp_decision_unref(plan);
    karp_snapshot_unref(snapshot);
    return status;
}

/* Between decision and validation the world goes on: in one of the stories a pod appears on a node of the third step.
 */
static void meanwhile(cluster *c, const karp_command_state *s)
{
    if (c->story != NEW_POD || c->happened || c->steps_begun != 3 || s->phase != KARP_COMMAND_PHASE_VALIDATING) return;
    struct machine *m = machine_named(c, s->nodes[0].node);
    if (m == NULL) return;
    add_pod(c, "1300m", (int)(m - c->machines));
    c->happened = true;
    printf("    %s appears on %s\n", c->pods[c->pod_count - 1].name, m->name);
}

/* The cloud: in one of the stories it has no more nodes of the type that the third step launches first. */
static int create(cluster *c, int type)
{
    if (c->story == NO_CAPACITY && !c->happened && c->steps_begun >= 3) c->sold_out[type] = c->happened = true;
    return c->sold_out[type] ? -1 : add_machine(c, "new", type, false);
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* Carries out what a step advises. What could not be seen otherwise is told to the next one. */
static karp_status act(cluster *c, const karp_advice *advice, const karp_command_state *s, karp_observation *seen,
                       size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < karp_advice_action_count(advice); i++) {
        karp_action a = { .size = sizeof a };
        karp_status status = karp_advice_action(advice, i, &a);
        if (status != KARP_OK) return status;
        struct machine *m = machine_named(c, a.object);
        if (a.kind == KARP_ACTION_CREATE_REPLACEMENT) {
            const karp_launch *l = s->replacements[a.number].launch;
            int made = create(c, type_named(l->choice.instance_type));
            if (*count == MOST_NODES) return KARP_E_INVALID;
            seen[*count] = (karp_observation){ .kind = KARP_OBSERVED_NOT_CREATED, .number = (uint32_t)a.number };
            if (made >= 0) {
                seen[*count].kind = KARP_OBSERVED_CREATED;
                seen[*count].object = text(c->machines[made].name);
                printf("    launched %s, %s\n", c->machines[made].name, l->choice.instance_type.ptr);
            } else {
                printf("    %s: insufficient capacity\n", l->choice.instance_type.ptr);
            }
            ++*count;
        } else if (m != NULL && (a.kind == KARP_ACTION_ADD_TAINT || a.kind == KARP_ACTION_REMOVE_TAINT)) {
            m->tainted = a.kind == KARP_ACTION_ADD_TAINT;
        } else if (m != NULL && (a.kind == KARP_ACTION_MARK_NODE || a.kind == KARP_ACTION_UNMARK_NODE)) {
            m->marked = a.kind == KARP_ACTION_MARK_NODE;
        } else if (m != NULL && a.kind == KARP_ACTION_DELETE_CLAIM) {
            m->there = false;
            for (int p = 0; p < c->pod_count; p++) {
                if (c->pods[p].node == (int)(m - c->machines))
                    c->pods[p].node = -1; /* evicted; its owner makes it anew */
            }
            printf("    deleted %s\n", m->name);
        }
    }
    return KARP_OK;
}

/* From its beginning to its end, DONE or GIVEN_UP. A real controller writes the state down after each step. */
static karp_status carry_out(cluster *c, const karp_decision *plan, size_t number, uint32_t *phase, uint32_t *reason)
{
    karp_step *step = NULL;
    karp_command_state s = { .size = sizeof s };
    karp_observation seen[MOST_NODES];
    size_t count = 0;
    karp_options common;
    karp_disrupt_options options;
    karp_options_init(&common, sizeof common);
    common.profile = KARP_PROFILE_KARP;
    karp_disrupt_options_init(&options, sizeof options);
    options.common = &common;
    karp_status status = karp_command_begin(plan, number, &step, &c->error);
    if (status == KARP_OK) status = karp_step_state(step, &s);
    c->steps_begun++;
    while (status == KARP_OK && s.phase < KARP_COMMAND_PHASE_DONE) {
        karp_snapshot *snapshot = NULL;
        karp_step *next = NULL;
        int64_t again = karp_advice_look_again(karp_step_advice(step));
        if (again != KARP_NO_TIME && again > c->now) c->now = again;
        meanwhile(c, &s);
        status = watch(c, &snapshot);
        if (status == KARP_OK) status = karp_command_step(snapshot, &s, &options, seen, count, &next, &c->error);
        if (status == KARP_OK) {
            karp_step_free(step);
            step = next;
            status = karp_step_state(step, &s);
        }
        if (status == KARP_OK) status = act(c, karp_step_advice(step), &s, seen, &count);
        karp_snapshot_unref(snapshot);
    }
    *phase = s.phase;
    *reason = s.reason;
    karp_step_free(step);
    return status;
}

/* ---- the controller ---------------------------------------------------------------------------------------------- */

/* The steps of the plan in their order, to the first that fails. */
static karp_status follow(cluster *c, const karp_decision *plan)
{
    size_t steps = karp_decision_command_count(plan);
    karp_status status = KARP_OK;
    for (size_t i = 0; i < steps && status == KARP_OK; i++) {
        karp_command command = { .size = sizeof command };
        uint32_t phase = 0, reason = 0;
        status = karp_decision_command(plan, i, &command);
        if (status != KARP_OK) return status;
        printf("  step %zu of %zu: %zu nodes to remove, %zu to launch, saves $%.2f/h\n", i + 1, steps,
               command.node_count, command.launch_count, command.savings);
        status = carry_out(c, plan, i, &phase, &reason);
        if (status == KARP_OK && phase == KARP_COMMAND_PHASE_GIVEN_UP) {
            printf("    given up: %s; what is left is planned again\n", karp_reason_name(reason));
            return bind_pods(c);
        }
        if (status == KARP_OK) status = bind_pods(c);
    }
    return status;
}

static karp_status control(cluster *c)
{
    karp_status status = KARP_OK;
    size_t steps = 1;
    for (int plans = 0; plans < MOST_PLANS && steps > 0 && status == KARP_OK; plans++) {
        karp_options common;
        karp_repack_options options;
        karp_repack_cost cost = { .size = sizeof cost };
        karp_snapshot *snapshot = NULL;
        karp_decision *plan = NULL;
        karp_options_init(&common, sizeof common);
        common.profile = KARP_PROFILE_KARP;
        karp_repack_options_init(&options, sizeof options);
        options.common = &common;
        status = watch(c, &snapshot);
        if (status == KARP_OK) status = karp_repack(snapshot, &options, &plan, &c->error);
        if (status == KARP_OK) status = karp_decision_repack(plan, &cost);
        if (status == KARP_OK) {
            steps = karp_decision_command_count(plan);
            printf("  plan: %zu steps, $%.2f/h to $%.2f/h\n", steps, cost.before, cost.after);
            status = follow(c, plan);
        }
        karp_decision_unref(plan);
        karp_snapshot_unref(snapshot);
    }
    return status;
}

int main(void)
{
    static const char *const titles[] = { "Everything goes well", "No capacity for the launch of step 3",
                                          "A pod appears on a node of step 3" };
    static cluster c;
    karp_status status = KARP_OK;
    for (int story = 0; story < STORIES && status == KARP_OK; story++) {
        memset(&c, 0, sizeof c);
        karp_error_init(&c.error, sizeof c.error);
        c.now = start;
        c.story = story;
        for (int i = 0; i < 10; i++) add_pod(&c, "1300m", add_machine(&c, "old", i % 2, true));
        printf("%s\n", titles[story]);
        status = karp_context_new(NULL, &c.context, &c.error);
        if (status == KARP_OK) status = control(&c);
        if (status != KARP_OK) fprintf(stderr, "%s %s: %s\n", c.error.object, c.error.field, c.error.message);
        karp_context_unref(c.context);
    }
    return status == KARP_OK ? 0 : 1;
}
