/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes a Command document (docs/formats.md): a command that is being executed, for karp_command_step(). */
#include <io/one_document.h>
#include "write_plan_json.h"

struct karp_command_document {
    io_document document; /* must be the first member */
    karp_command_state state;
};

enum { MOST_REASON = 1000 };

/* The number from `first` to `last` whose name is the member's word. The member is required. */
static uint32_t read_word(io_decoder *d, const tree *object, const char *name, const char *(*name_of)(uint32_t),
                          uint32_t first, uint32_t last)
{
    karp_str word = io_required_string(d, object, name);
    if (d->status) return first;
    for (uint32_t i = first; i <= last && !str_is(word, "UNKNOWN"); i++) {
        if (str_is(word, name_of(i))) return i;
    }
    io_bad_member(d, name, KARP_E_INVALID, "not one of the known words");
    return first;
}

/* Prices are strings, so that no precision is lost. */
static double read_price(io_decoder *d, const tree *object, const char *name)
{
    double value = 0;
    karp_str text = io_string(d, object, name);
    if (text.len > 0 && karp_double_parse(text, &value) != KARP_OK)
        io_bad_member(d, name, KARP_E_INVALID, "not a number");
    return value;
}

static const karp_command_node *read_nodes(io_decoder *d, const tree *root, size_t *count)
{
    const tree *array = io_array(d, root, "nodes", count);
    karp_command_node *list = io_make(d, *count, sizeof *list);
    io_push(d, "nodes");
    for (size_t i = 0; list && i < *count && !d->status; i++) {
        const tree *one = io_element(d, array, i);
        list[i].node = io_required_string(d, one, "node");
        list[i].claim = io_string(d, one, "nodeClaim");
        io_pop(d);
    }
    io_pop(d);
    return list;
}

static void read_choice(io_decoder *d, const tree *object, karp_choice *out)
{
    static const karp_str nothing = { "", 0 };
    const tree *choice = io_object(d, object, "choice");
    *out = (karp_choice){ nothing, nothing, nothing, 0 };
    if (!choice) return;
    io_push(d, "choice");
    *out = (karp_choice){ io_required_string(d, choice, "instanceType"), io_string(d, choice, "zone"),
                          io_string(d, choice, "capacityType"), read_price(d, choice, "price") };
    io_pop(d);
}

static const karp_launch *read_launch(io_decoder *d, const tree *object)
{
    karp_launch *l = io_make(d, 1, sizeof *l);
    if (!l) return NULL;
    l->size = sizeof *l;
    l->id = io_string(d, object, "id");
    l->node_pool = io_required_string(d, object, "nodePool");
    l->node_class = io_node_class_ref(d, object, "nodeClassRef");
    l->requests = io_resources(d, object, "requests", &l->request_count);
    l->claim_requirements = io_requirements(d, object, "requirements", IO_FOR_POOL, &l->claim_requirement_count);
    l->labels = io_labels(d, object, "labels", &l->label_count);
    l->annotations = io_labels(d, object, "annotations", &l->annotation_count);
    l->taints = io_taints(d, object, "taints", &l->taint_count);
    l->startup_taints = io_taints(d, object, "startupTaints", &l->startup_taint_count);
    l->instance_types = io_strings(d, object, "instanceTypes", &l->instance_type_count);
    l->expire_after = io_duration(d, object, "expireAfter", true);
    l->termination_grace_period = io_duration(d, object, "terminationGracePeriod", false);
    read_choice(d, object, &l->choice);
    l->runner_up = (karp_choice){ { "", 0 }, { "", 0 }, { "", 0 }, 0 };
    return l;
}

static const karp_replacement *read_replacements(io_decoder *d, const tree *root, size_t *count)
{
    static const io_word progress[] = { { "Wanted", KARP_REPLACEMENT_WANTED },
                                        { "Created", KARP_REPLACEMENT_CREATED },
                                        { "Seen", KARP_REPLACEMENT_SEEN },
                                        { "Initialized", KARP_REPLACEMENT_INITIALIZED } };
    const tree *array = io_array(d, root, "replacements", count);
    karp_replacement *list = io_make(d, *count, sizeof *list);
    io_push(d, "replacements");
    for (size_t i = 0; list && i < *count && !d->status; i++) {
        const tree *one = io_element(d, array, i);
        list[i].progress = io_enum(d, one, "progress", progress, 4, KARP_REPLACEMENT_WANTED);
        list[i].claim = io_string(d, one, "nodeClaim");
        list[i].launch = read_launch(d, one);
        io_pop(d);
    }
    io_pop(d);
    return list;
}

static void read_state(io_decoder *d, const tree *root, void *out)
{
    static const io_word kinds[] = { { "Command", 1 } };
    karp_command_state *s = out;
    s->size = sizeof *s;
    if (io_required_string(d, root, "kind").len > 0) (void)io_enum(d, root, "kind", kinds, 1, 1);
    s->method = read_word(d, root, "method", karp_method_name, KARP_METHOD_EMPTINESS, KARP_METHOD_REPACK);
    s->phase = read_word(d, root, "phase", karp_phase_name, KARP_COMMAND_PHASE_VALIDATING, KARP_COMMAND_PHASE_GIVEN_UP);
    if (tree_get(root, "code")) s->reason = read_word(d, root, "code", karp_reason_name, 1, MOST_REASON);
    s->decided = io_time(d, root, "decided");
    s->validate_at = io_time(d, root, "validateAt");
    s->started = io_time(d, root, "started");
    s->savings = read_price(d, root, "savings");
    s->nodes = read_nodes(d, root, &s->node_count);
    s->replacements = read_replacements(d, root, &s->replacement_count);
    s->receivers = io_strings(d, root, "receivers", &s->receiver_count);
}

static const io_document_kind kind = { "a command", sizeof(karp_command_document),
                                       offsetof(karp_command_document, state), read_state };

karp_status karp_command_read(karp_context *context, karp_str name, karp_str text, karp_command_document **out,
                              karp_error *error)
{
    return io_document_read(context, &kind, name, text, out, error);
}

karp_status karp_command_read_file(karp_context *context, const char *path, karp_command_document **out,
                                   karp_error *error)
{
    return io_document_read_file(context, &kind, path, out, error);
}

const karp_command_state *karp_command_document_state(const karp_command_document *document)
{
    return document ? &document->state : NULL;
}

void karp_command_document_free(karp_command_document *document)
{
    io_document_free(document ? &document->document : NULL);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void member_duration(json_out *j, const char *key, int64_t value)
{
    char text[KARP_VALUE_TEXT] = "Never";
    if (value == KARP_DURATION_UNSET) return;
    if (value != KARP_DURATION_NEVER) karp_duration_format(value, text);
    json_member_text(j, key, text);
}

static void write_nodes(json_out *j, const karp_command_state *state)
{
    json_member_array(j, "nodes");
    for (size_t i = 0; i < state->node_count; i++) {
        json_flat_object(j);
        json_member_str(j, "node", state->nodes[i].node);
        json_member_str(j, "nodeClaim", state->nodes[i].claim);
        json_end(j);
    }
    json_end(j);
}

static void write_launch(json_out *j, const karp_launch *l)
{
    json_member_str(j, "id", l->id);
    json_member_str(j, "nodePool", l->node_pool);
    json_member_flat_object(j, "nodeClassRef");
    json_member_str(j, "group", l->node_class.group);
    json_member_str(j, "kind", l->node_class.kind);
    json_member_str(j, "name", l->node_class.name);
    json_end(j);
    json_member_resources(j, "requests", l->requests, l->request_count);
    plan_requirements(j, l->claim_requirements, l->claim_requirement_count);
    json_member_labels(j, "labels", l->labels, l->label_count);
    json_member_labels(j, "annotations", l->annotations, l->annotation_count);
    plan_taints(j, "taints", l->taints, l->taint_count);
    plan_taints(j, "startupTaints", l->startup_taints, l->startup_taint_count);
    json_member_strings(j, "instanceTypes", l->instance_types, l->instance_type_count);
    member_duration(j, "expireAfter", l->expire_after);
    member_duration(j, "terminationGracePeriod", l->termination_grace_period);
    if (l->choice.instance_type.len > 0) json_member_choice(j, "choice", &l->choice);
}

static void write_replacements(json_out *j, write_call *call, const karp_command_state *state)
{
    static const char *const progress[] = { "Wanted", "Created", "Seen", "Initialized" };
    json_member_array(j, "replacements");
    for (size_t i = 0; i < state->replacement_count; i++) {
        const karp_replacement *r = &state->replacements[i];
        json_open_object(j);
        json_member_text(j, "progress", r->progress < 4 ? progress[r->progress] : "?");
        if (r->claim.len > 0) json_member_str(j, "nodeClaim", r->claim);
        karp_launch launch;
        if (call->buffer.status == KARP_OK)
            call->buffer.status = struct_check(r->launch, sizeof launch,
                                               SIZE_THROUGH(karp_launch, termination_grace_period), &launch,
                                               "karp_launch", call->error);
        if (call->buffer.status == KARP_OK) write_launch(j, &launch);
        json_end(j);
    }
    json_end(j);
}

karp_status karp_write_command(karp_context *context, const karp_command_state *given,
                               const karp_write_options *options, karp_text *out, karp_error *error)
{
    write_call call = { .context = context, .out = out, .error = error };
    karp_command_state own, *state = &own;
    karp_status status = write_begin(&call, options, given != NULL,
                                     "a context, a command's state and a place for the text are needed",
                                     1u << KARP_FORMAT_JSON);
    if (status == KARP_OK)
        status = struct_check(given, sizeof own, SIZE_THROUGH(karp_command_state, receiver_count), &own,
                              "karp_command_state", error);
    if (status != KARP_OK) return status;
    json_out json, *j = &json;
    json_open_document(j, &call.buffer, call.options.compact != 0, "Command");
    json_member_text(j, "method", karp_method_name(state->method));
    json_member_text(j, "reason", karp_method_reason(state->method));
    json_member_text(j, "phase", karp_phase_name(state->phase));
    if (state->reason != KARP_REASON_NONE) json_member_text(j, "code", karp_reason_name(state->reason));
    json_member_time(j, "decided", state->decided);
    json_member_time(j, "validateAt", state->validate_at);
    json_member_time(j, "started", state->started);
    json_member_price(j, "savings", state->savings);
    write_nodes(j, state);
    write_replacements(j, &call, state);
    json_member_strings(j, "receivers", state->receivers, state->receiver_count);
    json_close(j);
    return write_end(&call);
}
