/* SPDX-License-Identifier: Apache-2.0 */
#include <support/questions.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <karp/builder.h>
#include <karp/columns.h>
#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/library.h>
#include <karp/objective.h>
#include <karp/passes.h>
#include <karp/repack.h>
#include <karp/what_if.h>
#include <base/context.h>
#include <support/fault.h>

/* What is asked about. */
typedef struct given {
    fault f; /* behind the context */
    karp_context *context;
    const char *const *documents;
    size_t document_count;
    karp_catalogue *catalogue;
    karp_snapshot *snapshot;
    karp_decision *plan, *disruption;
    uint32_t profile; /* KARP_PROFILE_* */
} given;

/* One question. On KARP_OK a digest of the answer, which is freed again. */
typedef struct question {
    const char *name;
    karp_status (*ask)(const given *g, uint64_t *digest);
} question;

enum { HOUR = 3600 };
static const int64_t SECOND = INT64_C(1000000000);

/* ---- digests of answers ------------------------------------------------------------------------------------------ */

static void take_bytes(uint64_t *digest, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) *digest = (*digest ^ byte[i]) * UINT64_C(1099511628211);
}

static void take_text(uint64_t *digest, karp_str text)
{
    take_bytes(digest, &text.len, sizeof text.len);
    if (text.len > 0) take_bytes(digest, text.ptr, text.len);
}

/* Takes what was written, and frees it. */
static karp_status take_written(uint64_t *digest, karp_status status, karp_text *text)
{
    if (status == KARP_OK) take_bytes(digest, text->ptr, text->len);
    karp_text_free(text);
    return status;
}

static karp_status take_table(uint64_t *digest, karp_status status, karp_table *table)
{
    for (size_t i = 0; status == KARP_OK && i < karp_table_column_count(table); i++) {
        karp_column c = { .size = sizeof c };
        status = karp_table_column(table, i, &c);
        take_bytes(digest, &c.row_count, sizeof c.row_count);
        if (c.type == KARP_COLUMN_UINT32 || c.type == KARP_COLUMN_DICTIONARY)
            take_bytes(digest, c.values, c.value_count * 4);
        else take_bytes(digest, c.values, c.value_count * (c.type == KARP_COLUMN_TEXT ? 1 : 8));
    }
    karp_table_free(table);
    return status;
}

/* Takes the actions, and frees them. */
static karp_status take_advice(uint64_t *digest, karp_status status, karp_advice *advice)
{
    for (size_t i = 0; status == KARP_OK && i < karp_advice_action_count(advice); i++) {
        karp_action a = { .size = sizeof a };
        status = karp_advice_action(advice, i, &a);
        take_bytes(digest, &a.kind, sizeof a.kind);
        take_text(digest, a.object);
        take_text(digest, a.subject);
        take_text(digest, a.value);
    }
    karp_advice_free(advice);
    return status;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

static karp_options options_of(const given *g)
{
    karp_options options;
    karp_options_init(&options, sizeof options);
    options.profile = g->profile;
    options.explain = KARP_EXPLAIN_FULL;
    return options;
}

/* `common` is of the caller, and what the options point to. */
static karp_disrupt_options disrupt_options_of(const given *g, karp_options *common)
{
    karp_disrupt_options options;
    karp_disrupt_options_init(&options, sizeof options);
    *common = options_of(g);
    options.common = common;
    return options;
}

bool document_is_path(const char *document)
{
    size_t length = strlen(document);
    return length > 5 && (strcmp(document + length - 5, ".yaml") == 0 || strcmp(document + length - 5, ".json") == 0);
}

static karp_str as_str(const char *text) { return (karp_str){ text, strlen(text) }; }

static karp_status read_documents(const given *g, uint64_t *digest, karp_snapshot **out, karp_error *error)
{
    karp_reader *reader = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_reader_options keep;
    karp_reader_options_init(&keep, sizeof keep);
    keep.keep_documents = 1;
    karp_status status = karp_reader_new(g->context, &keep, &reader, error);
    if (status == KARP_OK && g->catalogue != NULL) status = karp_reader_add_catalogue(reader, g->catalogue, error);
    for (size_t i = 0; i < g->document_count && status == KARP_OK; i++) {
        if (document_is_path(g->documents[i])) status = karp_reader_add_path(reader, g->documents[i], error);
        else status = karp_reader_add(reader, as_str("test"), as_str(g->documents[i]), error);
    }
    if (status == KARP_OK) status = karp_reader_finish(reader, out, error);
    if (status == KARP_OK) status = take_written(digest, karp_reader_dump(reader, &text, error), &text);
    karp_reader_free(reader);
    return status;
}

static karp_status reading(const given *g, uint64_t *digest)
{
    karp_snapshot *snapshot = NULL;
    karp_status status = read_documents(g, digest, &snapshot, NULL);
    karp_snapshot_unref(snapshot);
    return status;
}

/* Everything is taken over from the snapshot; a pod goes, and all is finished anew. */
static karp_status editing(const given *g, uint64_t *digest)
{
    karp_builder *builder = NULL;
    karp_snapshot *snapshot = NULL;
    karp_table *table = NULL;
    karp_str name = karp_snapshot_pod_name(g->snapshot, 0);
    const char *slash = name.len > 0 ? memchr(name.ptr, '/', name.len) : NULL;
    karp_status status = karp_snapshot_edit(g->snapshot, &builder, NULL);
    if (status == KARP_OK && slash != NULL) {
        karp_str space = { name.ptr, (size_t)(slash - name.ptr) }, own = { slash + 1, name.len - space.len - 1 };
        status = karp_builder_remove(builder, (karp_str){ "Pod", 3 }, space, own, NULL);
    }
    if (status == KARP_OK) status = karp_builder_finish(builder, &snapshot, NULL);
    if (status == KARP_OK) status = karp_snapshot_table(snapshot, KARP_TABLE_SNAPSHOT_PODS, &table, NULL);
    if (status == KARP_OK) status = take_table(digest, status, table);
    karp_snapshot_unref(snapshot);
    karp_builder_free(builder);
    return status;
}

static karp_status provisioning(const given *g, uint64_t *digest)
{
    karp_options options = options_of(g);
    karp_decision *d = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_provision(g->snapshot, &options, &d, NULL);
    if (status == KARP_OK)
        status = take_written(digest, karp_write_plan(g->context, d, g->disruption, NULL, &text, NULL), &text);
    karp_decision_unref(d);
    d = NULL;
    if (status == KARP_OK) status = karp_launch_static_pools(g->snapshot, &options, &d, NULL);
    if (status == KARP_OK)
        status = take_written(digest, karp_write_plan(g->context, d, NULL, NULL, &text, NULL), &text);
    karp_decision_unref(d);
    return status;
}

/* Every method is asked by itself, and all of them in their order with what a pass before has left. */
static karp_status disrupting(const given *g, uint64_t *digest)
{
    karp_status status = KARP_OK;
    karp_memory memory;
    karp_memory_init(&memory, sizeof memory);
    for (uint32_t method = KARP_METHOD_ANY; method <= KARP_METHOD_EXPIRATION && status == KARP_OK; method++) {
        karp_options common;
        karp_disrupt_options options = disrupt_options_of(g, &common);
        karp_decision *d = NULL;
        karp_text text = { NULL, 0, NULL };
        options.method = method;
        options.memory = method == KARP_METHOD_ANY ? &memory : NULL;
        status = karp_disrupt(g->snapshot, &options, &d, NULL);
        if (status == KARP_OK)
            status = take_written(digest, karp_write_disruption(g->context, d, NULL, &text, NULL), &text);
        karp_decision_unref(d);
    }
    return status;
}

static karp_status losing_and_paying(const given *g, uint64_t *digest)
{
    karp_options options = options_of(g);
    karp_decision *d = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_change changes[2] = { { .kind = KARP_CHANGE_SCALE_PRICE, .name = { "", 0 }, .factor = 1.5 },
                               { .kind = KARP_CHANGE_REMOVE_NODE, .name = karp_snapshot_node_name(g->snapshot, 0) } };
    karp_status status = karp_what_if(g->snapshot, changes, changes[1].name.len > 0 ? 2 : 1, &options, &d, NULL);
    if (status == KARP_OK)
        status = take_written(digest, karp_write_plan(g->context, d, NULL, NULL, &text, NULL), &text);
    karp_decision_unref(d);
    return status;
}

static karp_status repacking(const given *g, uint64_t *digest)
{
    karp_options common = options_of(g);
    karp_objective objective;
    karp_repack_options options;
    karp_decision *d = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_objective_init(&objective, sizeof objective);
    objective.effort = 300;
    common.objective = &objective;
    karp_repack_options_init(&options, sizeof options);
    options.common = &common;
    options.certificate = 1;
    karp_status status = karp_repack(g->snapshot, &options, &d, NULL);
    if (status == KARP_OK) status = take_written(digest, karp_write_repack(g->context, d, NULL, &text, NULL), &text);
    const karp_certificate *proof = status == KARP_OK ? karp_decision_certificate(d) : NULL;
    if (proof != NULL)
        status = take_written(digest, karp_write_certificate(g->context, proof, NULL, &text, NULL), &text);
    if (proof != NULL && status == KARP_OK) status = karp_certificate_check(g->snapshot, &common, proof, NULL);
    karp_decision_unref(d);
    return status;
}

/* ---- explanations ------------------------------------------------------------------------------------------------ */

static karp_status why_pods_wait(const given *g, uint64_t *digest)
{
    karp_options options = options_of(g);
    karp_status status = KARP_OK;
    for (size_t i = 0; i < karp_decision_unschedulable_count(g->plan) && i < 3 && status == KARP_OK; i++) {
        karp_pod_explanation *e = NULL;
        karp_text text = { NULL, 0, NULL };
        karp_unschedulable row = { .size = sizeof row };
        status = karp_decision_unschedulable(g->plan, i, &row);
        if (status == KARP_OK)
            status = karp_explain_pod(g->snapshot, &options, karp_decision_pod_name(g->plan, row.pod), &e, NULL);
        if (status == KARP_OK)
            status = take_written(digest, karp_write_pod_explanation(g->context, e, NULL, &text, NULL), &text);
        karp_pod_explanation_free(e);
    }
    return status;
}

static karp_status why_nodes_stay(const given *g, uint64_t *digest)
{
    karp_options common;
    karp_disrupt_options options = disrupt_options_of(g, &common);
    karp_status status = KARP_OK;
    for (size_t i = 0; i < 3 && karp_snapshot_node_name(g->snapshot, i).len > 0 && status == KARP_OK; i++) {
        karp_node_explanation *e = NULL;
        karp_text text = { NULL, 0, NULL };
        status = karp_explain_node(g->snapshot, &options, karp_snapshot_node_name(g->snapshot, i), &e, NULL);
        if (status == KARP_OK)
            status = take_written(digest, karp_write_node_explanation(g->context, e, NULL, &text, NULL), &text);
        karp_node_explanation_free(e);
    }
    return status;
}

static karp_status blocking(const given *g, uint64_t *digest)
{
    karp_options common;
    karp_disrupt_options options = disrupt_options_of(g, &common);
    karp_blockers *found = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_find_blockers(g->snapshot, &options, &found, NULL);
    if (status == KARP_OK)
        status = take_written(digest, karp_write_blockers(g->context, found, NULL, &text, NULL), &text);
    karp_blockers_free(found);
    return status;
}

static karp_status preferring(const given *g, uint64_t *digest)
{
    karp_options options = options_of(g);
    karp_preferences *found = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_write_options write;
    karp_write_options_init(&write, sizeof write);
    karp_status status = karp_find_preferences(g->snapshot, &options, (karp_str){ "", 0 }, &found, NULL);
    write.preferences = found;
    if (status == KARP_OK)
        status = take_written(digest, karp_write_plan(g->context, g->plan, NULL, &write, &text, NULL), &text);
    karp_preferences_free(found);
    return status;
}

static karp_status linting(const given *g, uint64_t *digest)
{
    karp_lint *found = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_write_options options;
    karp_write_options_init(&options, sizeof options);
    options.format = KARP_FORMAT_SARIF;
    karp_status status = karp_lint_snapshot(g->snapshot, &found, NULL);
    if (status == KARP_OK)
        status = take_written(digest, karp_write_lint(g->context, found, &options, &text, NULL), &text);
    karp_lint_free(found);
    return status;
}

static karp_status verifying(const given *g, uint64_t *digest)
{
    karp_verification *v = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_verify_decision(g->snapshot, g->plan, &v, NULL);
    if (status == KARP_OK)
        status = take_written(digest, karp_write_verification(g->context, v, NULL, &text, NULL), &text);
    karp_verification_free(v);
    return status;
}

/* The plan with everything in the wrong place: the launches' pods on the first node, those of the nodes nowhere. */
static karp_status verifying_nonsense(const given *g, uint64_t *digest)
{
    karp_verification *v = NULL;
    karp_text text = { NULL, 0, NULL };
    karp_str pods[16];
    size_t count = 0;
    for (; count < 16 && karp_snapshot_pod_name(g->snapshot, count).len > 0; count++)
        pods[count] = karp_snapshot_pod_name(g->snapshot, count);
    karp_str first_type = { "no-such-type", 12 }, pool = { "no-such-pool", 12 };
    karp_launch launch = { .size = sizeof launch };
    if (karp_decision_launch(g->plan, 0, &launch) == KARP_OK) pool = launch.node_pool;
    karp_plan_launch launches[1] = { { { "new-1", 5 }, pool, pods, count, &first_type, 1, NULL, 0 } };
    karp_plan_placement placements[1] = { { karp_snapshot_node_name(g->snapshot, 0), pods, count } };
    karp_plan plan = { .size = sizeof plan,
                       .launches = launches,
                       .launch_count = 1,
                       .placements = placements,
                       .placement_count = placements[0].node.len > 0 ? 1 : 0,
                       .profile = g->profile };
    karp_status status = karp_verify(g->snapshot, &plan, &v, NULL);
    if (status == KARP_OK)
        status = take_written(digest, karp_write_verification(g->context, v, NULL, &text, NULL), &text);
    karp_verification_free(v);
    v = NULL;
    karp_str gone = karp_snapshot_node_name(g->snapshot, 1);
    const karp_plan_step step = {
        .size = sizeof step, .plan = &plan, .nodes = &gone, .node_count = gone.len > 0, .saving = 1, .cost_after = 2
    };
    if (status == KARP_OK)
        status = karp_verify_steps(g->snapshot, &step, 1, 3, KARP_VERIFY_EVICTIONS_AT_ONCE, &v, NULL);
    if (status == KARP_OK)
        status = take_written(digest, karp_write_verification(g->context, v, NULL, &text, NULL), &text);
    karp_verification_free(v);
    return status;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static karp_status tabulating(const given *g, uint64_t *digest)
{
    karp_status status = KARP_OK;
    for (uint32_t t = KARP_TABLE_SNAPSHOT_PODS; t <= KARP_TABLE_SNAPSHOT_NODES && status == KARP_OK; t++) {
        karp_table *table = NULL;
        status = karp_snapshot_table(g->snapshot, t, &table, NULL);
        status = take_table(digest, status, table);
    }
    for (uint32_t t = KARP_TABLE_PODS; t <= KARP_TABLE_KEPT && status == KARP_OK; t++) {
        karp_table *table = NULL;
        status = karp_decision_table(t < KARP_TABLE_CANDIDATES ? g->plan : g->disruption, t, &table, NULL);
        status = take_table(digest, status, table);
    }
    for (uint32_t t = KARP_TABLE_INSTANCE_TYPES; g->catalogue != NULL && t <= KARP_TABLE_OFFERINGS && status == KARP_OK;
         t++) {
        karp_table *table = NULL;
        status = karp_catalogue_table(g->catalogue, t, &table, NULL);
        status = take_table(digest, status, table);
    }
    return status;
}

/* ---- advice ------------------------------------------------------------------------------------------------------ */

enum { ADVICE_KINDS = 13 };

static karp_status advise(const given *g, unsigned kind, karp_advice **out)
{
    static const karp_repair_policy policy = { { "Ready", 5 }, { "False", 5 }, 0 };
    int64_t later = karp_snapshot_now(g->snapshot) + 3 * HOUR * SECOND;
    karp_options common;
    karp_disrupt_options options = disrupt_options_of(g, &common);
    karp_str node = karp_snapshot_node_name(g->snapshot, 0), nothing = { "", 0 };
    karp_reboot_answer reboot = { .claim = node, .boot_id = node, .asked = KARP_NO_TIME };
    karp_interruption message = { node, KARP_INTERRUPTION_SPOT, 0 };
    switch (kind) {
    case 0: return karp_advise_conditions(g->snapshot, later, NULL, 0, out, NULL);
    case 1: return karp_advise_expiration(g->snapshot, later, out, NULL);
    case 2: return karp_advise_repair(g->snapshot, later, &policy, 1, out, NULL);
    case 3: return karp_advise_timeouts(g->snapshot, later, out, NULL);
    case 4: return karp_advise_initialization(g->snapshot, later, out, NULL);
    case 5: return karp_advise_pod_events(g->snapshot, g->snapshot, &options, out, NULL);
    case 6: return karp_advise_garbage(g->snapshot, later, &nothing, 1, out, NULL);
    case 7: return karp_advise_static_pools(g->snapshot, later, out, NULL);
    case 8: return karp_advise_interruptions(g->snapshot, later, &message, 1, out, NULL);
    case 9: return karp_advise_termination(g->snapshot, later, &nothing, 1, out, NULL);
    case 10: return karp_advise_cleanup(g->snapshot, NULL, 0, out, NULL);
    case 11: return karp_advise_reboots(g->snapshot, later, &reboot, 1, out, NULL);
    default: return karp_advise_hashes(g->snapshot, out, NULL);
    }
}

static karp_status advising(const given *g, uint64_t *digest)
{
    karp_status status = KARP_OK;
    for (unsigned kind = 0; kind < ADVICE_KINDS && status == KARP_OK; kind++) {
        karp_advice *advice = NULL;
        status = advise(g, kind, &advice);
        status = take_advice(digest, status, advice);
    }
    return status;
}

static karp_status draining(const given *g, uint64_t *digest)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; karp_snapshot_node_name(g->snapshot, i).len > 0 && status == KARP_OK; i++) {
        karp_str node = karp_snapshot_node_name(g->snapshot, i);
        karp_str volumes[1] = { { "pv", 2 } };
        karp_advice *drain = NULL, *detachment = NULL;
        status = karp_advise_drain(g->snapshot, node, 0, &drain, NULL);
        status = take_advice(digest, status, drain);
        if (status != KARP_OK) break;
        status = karp_advise_detachment(g->snapshot, node, 0, volumes, 1, &detachment, NULL);
        status = take_advice(digest, status, detachment);
    }
    return status;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static karp_status take_step(const given *g, uint64_t *digest, const karp_step *step)
{
    karp_command_state state = { .size = sizeof state };
    karp_text text = { NULL, 0, NULL };
    karp_status status = karp_step_state(step, &state);
    if (status == KARP_OK)
        status = take_written(digest, karp_write_command(g->context, &state, NULL, &text, NULL), &text);
    return status;
}

/* Each command is looked at again, begun, and taken the first steps; what is advised is carried out by nobody. */
static karp_status commanding(const given *g, uint64_t *digest)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < karp_decision_command_count(g->disruption) && status == KARP_OK; i++) {
        karp_options common;
        karp_disrupt_options options = disrupt_options_of(g, &common);
        karp_validation valid = { .size = sizeof valid };
        karp_step *step = NULL;
        status = karp_disrupt_validate(g->snapshot, &options, g->disruption, i, NULL, &valid, NULL);
        take_bytes(digest, &valid.code, sizeof valid.code);
        if (status == KARP_OK) status = karp_command_begin(g->disruption, i, &step, NULL);
        for (int taken = 0; taken < 4 && status == KARP_OK; taken++) {
            karp_step *next = NULL;
            karp_command_state state = { .size = sizeof state };
            common.now = karp_advice_look_again(karp_step_advice(step));
            if (common.now == KARP_NO_TIME) common.now = 0;
            status = karp_step_state(step, &state);
            if (status == KARP_OK) status = karp_command_step(g->snapshot, &state, &options, NULL, 0, &next, NULL);
            if (status == KARP_OK) status = take_step(g, digest, next);
            karp_step_free(step);
            step = next;
        }
        karp_step_free(step);
    }
    return status;
}

static const question questions[] = {
    { "reading", reading },
    { "editing", editing },
    { "provisioning", provisioning },
    { "disrupting", disrupting },
    { "what if", losing_and_paying },
    { "repacking", repacking },
    { "why pods wait", why_pods_wait },
    { "why nodes stay", why_nodes_stay },
    { "blocking", blocking },
    { "linting", linting },
    { "preferring", preferring },
    { "verifying", verifying },
    { "verifying nonsense", verifying_nonsense },
    { "tables", tabulating },
    { "advice", advising },
    { "draining", draining },
    { "commands", commanding },
};

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static karp_status open_given(given *g, const char *catalogue, karp_error *error)
{
    karp_options options = options_of(g);
    karp_options common;
    karp_disrupt_options pass = disrupt_options_of(g, &common);
    uint64_t ignored = 0;
    karp_status status = KARP_OK;
    if (catalogue != NULL && document_is_path(catalogue))
        status = karp_catalogue_read_file(g->context, catalogue, &g->catalogue, error);
    else if (catalogue != NULL)
        status = karp_catalogue_read(g->context, as_str("types"), as_str(catalogue), &g->catalogue, error);
    if (status == KARP_OK) status = read_documents(g, &ignored, &g->snapshot, error);
    if (status == KARP_OK) status = karp_provision(g->snapshot, &options, &g->plan, error);
    if (status == KARP_OK) status = karp_disrupt(g->snapshot, &pass, &g->disruption, error);
    return status;
}

static bool close_given(given *g)
{
    karp_decision_unref(g->plan);
    karp_decision_unref(g->disruption);
    karp_snapshot_unref(g->snapshot);
    karp_catalogue_unref(g->catalogue);
    karp_context_unref(g->context);
    bool clean = g->f.live_blocks == 0 && g->f.wrong_sizes == 0;
    if (!clean)
        fprintf(stderr, "%zu blocks are left, %zu were given back under a wrong size\n", g->f.live_blocks,
                g->f.wrong_sizes);
    return clean;
}

static karp_status ask(given *g, const question *q, size_t refuse_at, bool keep_failing, uint64_t *digest)
{
    *digest = UINT64_C(14695981039346656037);
    fault_arm(&g->f, refuse_at, keep_failing);
    return q->ask(g, digest);
}

static bool same_without(given *g, const question *q, size_t refuse_at, bool keep_failing, karp_status expected,
                         uint64_t wanted)
{
    uint64_t digest;
    size_t blocks = g->f.live_blocks, bytes = g->f.live_bytes;
    karp_status status = ask(g, q, refuse_at, keep_failing, &digest);
    bool refused = g->f.refused > 0, leaked = g->f.live_blocks != blocks || g->f.live_bytes != bytes;
    bool right = (status == expected && (status != KARP_OK || digest == wanted)) || (status == KARP_E_NOMEM && refused);
    if (!right || leaked)
        fprintf(stderr, "%s, request %zu refused%s: status %d instead of %d, answer %s%s\n", q->name, refuse_at,
                keep_failing ? " and all later ones" : "", (int)status, (int)expected,
                digest == wanted ? "the same" : "another one", leaked ? ", and something leaked" : "");
    return right && !leaked;
}

/* The ceiling of a context is what it was made with; here it moves. */
static void set_ceiling(given *g, uint64_t bytes) { g->context->options.max_memory = bytes; }

/* Under ceilings from what is there already up to what is enough, KARP_E_LIMIT is the only failure. */
static bool limited_question(given *g, const question *q, karp_status expected, uint64_t wanted)
{
    enum { RUNGS = 40 };
    uint64_t before = karp_context_memory(g->context), digest, room = 16;
    for (int i = 0; i < RUNGS; i++, room += room / 2) {
        size_t blocks = g->f.live_blocks;
        set_ceiling(g, before + room);
        karp_status status = ask(g, q, 0, false, &digest);
        set_ceiling(g, UINT64_MAX);
        bool right = status == KARP_E_LIMIT || (status == expected && (status != KARP_OK || digest == wanted));
        if (right && g->f.live_blocks == blocks && karp_context_memory(g->context) == before) continue;
        fprintf(stderr,
                "%s with room for %llu bytes: status %d instead of %d, %llu bytes are counted instead of %llu\n",
                q->name, (unsigned long long)room, (int)status, (int)expected,
                (unsigned long long)karp_context_memory(g->context), (unsigned long long)before);
        return false;
    }
    return true;
}

/* Whoever wants to stop is heard, and told so. */
static bool stopped_question(given *g, const question *q, karp_status expected, uint64_t wanted)
{
    uint64_t digest;
    for (g->f.stop_at = 1; g->f.stop_at < 1000; g->f.stop_at += 1 + g->f.stop_at / 8) {
        size_t blocks = g->f.live_blocks;
        g->f.polls = 0;
        karp_status status = ask(g, q, 0, false, &digest);
        bool done = g->f.polls < g->f.stop_at;
        bool right = status == (done ? expected : KARP_E_CANCELED) && (status != KARP_OK || digest == wanted);
        if (!right || g->f.live_blocks != blocks) {
            fprintf(stderr, "%s stopped at poll %zu: status %d\n", q->name, g->f.stop_at, (int)status);
            return false;
        }
        if (done) break;
    }
    g->f.stop_at = 0;
    return true;
}

static size_t refuse_question(given *g, const question *q, size_t most)
{
    uint64_t wanted;
    karp_status expected = ask(g, q, 0, false, &wanted);
    size_t requests = g->f.calls, dense = most == 0 ? requests : most / 2, refused = 0;
    size_t stride = most == 0 || requests <= most ? 1 : (requests - dense) / (most - dense) + 1;
    for (size_t at = 1; at <= requests; at += at < dense ? 1 : stride) {
        for (int keep = 0; keep < 2; keep++, refused++) {
            if (!same_without(g, q, at, keep != 0, expected, wanted)) return 0;
        }
    }
    if (!limited_question(g, q, expected, wanted) || !stopped_question(g, q, expected, wanted)) return 0;
    if (!same_without(g, q, 0, false, expected, wanted)) return 0; /* the snapshot is as good as before */
    return refused + 1;
}

size_t refuse_questions(const char *catalogue, const char *const *documents, size_t document_count, uint32_t profile,
                        size_t most)
{
    given g = { .documents = documents, .document_count = document_count, .profile = profile };
    size_t refused = 0;
    karp_error error;
    karp_error_init(&error, sizeof error);
    g.context = fault_context_with(&g.f, UINT64_MAX);
    if (g.context == NULL) return 0;
    karp_status status = open_given(&g, catalogue, &error);
    bool good = status == KARP_OK;
    if (!good)
        fprintf(stderr, "%s: %s %s %s: %s\n", karp_status_name(status), error.document, error.object, error.field,
                error.message);
    for (size_t q = 0; q < sizeof questions / sizeof *questions && good; q++) {
        size_t count = refuse_question(&g, &questions[q], most);
        good = count > 0;
        refused += count;
    }
    return close_given(&g) && good ? refused : 0;
}

bool refuse_if_wanted(const char *catalogue, const char *const *documents, size_t document_count)
{
    const char *most = getenv("KARP_REFUSALS");
    return most == NULL ||
           refuse_questions(catalogue, documents, document_count, KARP_PROFILE_KARPENTER, strtoul(most, NULL, 10)) > 0;
}
