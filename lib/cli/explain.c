/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <base/nearest.h>

#include <karp/inspect.h>
#include <karp/library.h>

/* The name of the object to explain. */
static karp_str subject(cli_answer *answer)
{
    answer->subject = answer->options->words.items[1];
    return str(answer->subject);
}

/* Returns NAMESPACE/NAME. A name without a namespace is in this one. To be freed; NULL = out of memory. */
static char *full_name(const cli_options *options, const char *given, karp_str space, size_t *room)
{
    size_t before = strchr(given, '/') == NULL ? space.len + 1 : 0;
    *room = before + strlen(given) + 1;
    char *name = karp_alloc(options->context, *room);
    if (name != NULL) {
        if (before > 0) {
            memcpy(name, space.ptr, space.len);
            name[space.len] = '/';
        }
        memcpy(name + before, given, strlen(given) + 1);
    }
    return name;
}

/* Whether the pod's name is one that a controller gives to pods of the workload: "web-0", "web-6d4f8b9c7-4czgq". A
 * workload without a namespace matches any. */
static bool is_pod_of(karp_str pod, karp_str workload)
{
    size_t dashes = 0;
    if (memchr(workload.ptr, '/', workload.len) == NULL) pod = str_after(pod, '/');
    if (pod.len <= workload.len + 1 || !str_has_prefix(pod, workload) || pod.ptr[workload.len] != '-') return false;
    for (size_t i = workload.len; i < pod.len; i++) dashes += pod.ptr[i] == '-';
    return dashes <= 2;
}

/* The namespace of a name that is given without one: that of -n, or "default", as in kubectl. If nothing there has the
 * name, and it exists in a single other namespace, that one, with a note. */
static karp_str space_of(const cli_answer *answer, const char *given, bool workload)
{
    karp_str name = str(given), found = { NULL, 0 }, pod;
    if (answer->options->pod_namespace != NULL) return str(answer->options->pod_namespace);
    if (strchr(given, '/') != NULL) return str("default");
    for (size_t i = 0; (pod = karp_snapshot_pod_name(answer->input.snapshot, i)).ptr != NULL; i++) {
        karp_str base = str_after(pod, '/'), space = { pod.ptr, pod.len - base.len - (base.len < pod.len) };
        if (workload ? !is_pod_of(pod, name) : !equal_str(base, name)) continue;
        if (str_is(space, "default") || (found.ptr != NULL && !equal_str(found, space))) return str("default");
        found = space;
    }
    if (found.ptr == NULL) return str("default");
    char text[200];
    (void)snprintf(text, sizeof(text), "%.80s is in the namespace %.*s", given, str_shown(found, 80), found.ptr);
    print_note(str(text));
    return found;
}

static size_t most(const karp_decision *plan, const uint32_t *pods, size_t count, karp_str workload, karp_str *first)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        karp_str pod = karp_decision_pod_name(plan, pods[i]);
        if (is_pod_of(pod, workload)) *first = found++ == 0 ? pod : *first;
    }
    return found;
}

/* Chooses a pod of the workload to explain: an unschedulable one, else one on the node that gets most of them. Counts
 * the pods of both kinds. len 0 = the workload has no pending pods. */
static karp_str pod_of(const karp_decision *plan, karp_str workload, size_t *left, size_t *placed)
{
    karp_str first = { NULL, 0 }, found = { NULL, 0 };
    size_t best = 0;
    *left = *placed = 0;
    for (size_t i = 0; i < karp_decision_unschedulable_count(plan); i++) {
        karp_unschedulable u = { .size = sizeof(u) };
        if (karp_decision_unschedulable(plan, i, &u) == KARP_OK && most(plan, &u.pod, 1, workload, &found) > 0)
            first = (*left)++ == 0 ? found : first;
    }
    for (size_t i = 0; i < karp_decision_launch_count(plan) + karp_decision_placement_count(plan); i++) {
        size_t launches = karp_decision_launch_count(plan);
        karp_launch l = { .size = sizeof(l) };
        karp_placement p = { .size = sizeof(p) };
        karp_status status = i < launches ? karp_decision_launch(plan, i, &l)
                                          : karp_decision_placement(plan, i - launches, &p);
        size_t count = status != KARP_OK ? 0
                       : i < launches    ? most(plan, l.pods, l.pod_count, workload, &found)
                                         : most(plan, p.pods, p.pod_count, workload, &found);
        *placed += count;
        if (count > best && *left == 0) {
            first = found;
            best = count;
        }
    }
    return first;
}

/* The name of the pod without what a controller appends: "web" of "shop/web-0" and of "shop/web-6d4f8b9c7-4czgq". */
static void offer_workloads(nearest *near, karp_str pod)
{
    karp_str name = str_after(pod, '/');
    for (size_t dashes = 0; dashes < 2; dashes++) {
        while (name.len > 0 && name.ptr[name.len - 1] != '-') name.len--;
        if (name.len < 2) return;
        name.len--;
        nearest_offer(near, name);
    }
}

/* The workload of pods of the plan whose name is most like this one; "" = none is. */
static karp_str near_workload(const karp_decision *plan, karp_str wanted)
{
    nearest near = { .wanted = wanted, .distance = 2 };
    for (size_t i = 0; i < karp_decision_unschedulable_count(plan); i++) {
        karp_unschedulable u = { .size = sizeof(u) };
        if (karp_decision_unschedulable(plan, i, &u) == KARP_OK)
            offer_workloads(&near, karp_decision_pod_name(plan, u.pod));
    }
    for (size_t i = 0; i < karp_decision_launch_count(plan); i++) {
        karp_launch l = { .size = sizeof(l) };
        if (karp_decision_launch(plan, i, &l) != KARP_OK) continue;
        for (size_t k = 0; k < l.pod_count; k++) offer_workloads(&near, karp_decision_pod_name(plan, l.pods[k]));
    }
    for (size_t i = 0; i < karp_decision_placement_count(plan); i++) {
        karp_placement p = { .size = sizeof(p) };
        if (karp_decision_placement(plan, i, &p) != KARP_OK) continue;
        for (size_t k = 0; k < p.pod_count; k++) offer_workloads(&near, karp_decision_pod_name(plan, p.pods[k]));
    }
    return near.best.ptr != NULL ? near.best : (karp_str){ "", 0 };
}

/* There are no pods of that name. A workload in another namespace may be meant. */
static karp_status no_pods(karp_error *error, const karp_decision *plan, karp_str name)
{
    size_t left = 0, placed = 0;
    karp_str base = str_after(name, '/'), pod = pod_of(plan, base, &left, &placed);
    karp_str space = { pod.ptr, pod.len > 0 ? pod.len - str_after(pod, '/').len : 0 }; /* including the slash */
    karp_str near = near_workload(plan, base);
    if (space.len == 0 && near.len > 0)
        return fail(error, KARP_E_NOT_FOUND,
                    "no pending pod of a workload of that name is in the input; did you mean %.*s?",
                    str_shown(near, 100), near.ptr);
    if (space.len == 0 || space.len + base.len > 200)
        return fail(error, KARP_E_NOT_FOUND, "no pending pod of a workload of that name is in the input");
    return fail(error, KARP_E_NOT_FOUND,
                "no pending pod of a workload of that name is in the input; did you mean %.*s%.*s?", (int)space.len,
                space.ptr, (int)base.len, base.ptr);
}

/* A pod of the workload, of which the plan places none and leaves none over: they run, or the plan does not consider
 * them. len 0 = the input has none. */
static karp_str pod_outside(const karp_snapshot *snapshot, karp_str workload)
{
    karp_str pod, first = { NULL, 0 };
    size_t count = 0;
    for (size_t i = 0; (pod = karp_snapshot_pod_name(snapshot, i)).ptr != NULL; i++) {
        if (is_pod_of(pod, workload)) first = count++ == 0 ? pod : first;
    }
    char text[300];
    (void)snprintf(text, sizeof(text), "%zu %s, of which the plan places none; shown is %.*s%s", count,
                   count == 1 ? "pod" : "pods", str_shown(first, 100), first.len ? first.ptr : "",
                   count > 1 ? ", and karp explain pod NAMESPACE/NAME shows another" : "");
    if (count > 0) print_note(str(text));
    return first;
}

/* The pod that represents a workload, with a note; the workload's name if there is none. */
static karp_status stand_in(cli_answer *answer, const karp_options *common, karp_decision **plan, karp_str *name)
{
    karp_status status = karp_provision(answer->input.snapshot, common, plan, &answer->error);
    size_t left = 0, placed = 0;
    karp_str pod = status == KARP_OK ? pod_of(*plan, *name, &left, &placed) : (karp_str){ NULL, 0 };
    if (status != KARP_OK) return status;
    if (pod.len == 0) {
        pod = pod_outside(answer->input.snapshot, *name);
        if (pod.len == 0) return no_pods(&answer->error, *plan, *name);
        *name = pod;
        return KARP_OK;
    }
    char text[200];
    (void)snprintf(text, sizeof(text), "%zu pending %s: %zu placed, %zu not; shown is %.*s", left + placed,
                   left + placed == 1 ? "pod" : "pods", placed, left, str_shown(pod, 100), pod.ptr);
    print_note(str(text));
    *name = pod;
    return KARP_OK;
}

/* Whether a problem is about the object: "KIND NAME is not planned …", with the namespace if the object states it. */
static bool is_about(karp_str problem, karp_str kind, karp_str name)
{
    karp_str rest = str_after(problem, ' '), of = str_before(rest, ' ');
    return equal_str(str_before(problem, ' '), kind) &&
           (equal_str(of, name) || (str_starts(name, "default/") && equal_str(of, str_after(name, '/'))));
}

/* What a note says of the Job: that it is suspended. The note names the first such Job, and counts the others. */
static bool is_suspended(karp_str note, karp_str job)
{
    static const karp_str said = { ": suspended (spec.suspend)", 26 };
    karp_str named = str_before(str_after(note, ' '), ':');
    return str_starts(note, "Job ") && str_contains(note, said) &&
           (equal_str(named, str_after(job, '/')) || str_contains(named, (karp_str){ " and ", 5 }));
}

/* Replaces the error about an object by what the reader noted about it, such as scheduling gates of a pod, or why the
 * API server refuses it. */
static void use_note(cli_answer *answer, karp_str kind, karp_str name)
{
    const karp_reader *reader = answer->input.reader;
    for (size_t i = 0; i < karp_reader_warning_count(reader); i++) {
        karp_str note = karp_reader_warning(reader, i), rest = note;
        if (is_problem(&note) && is_about(note, kind, name)) {
            (void)fail(&answer->error, KARP_E_NOT_FOUND, "%.*s", str_shown(note, 900), note.ptr);
            return;
        }
        if (str_is(kind, "Job") && is_suspended(note, name)) {
            (void)fail(&answer->error, KARP_E_NOT_FOUND,
                       "no pod of it is in the input. %.*s; karp explain group %.*s says where they would go",
                       str_shown(note, 400), note.ptr, str_shown(name, 200), name.ptr);
            return;
        }
        if (!str_is(kind, "Pod") || !str_has_prefix(note, str("Pod "))) continue;
        rest = (karp_str){ note.ptr + 4, note.len - 4 };
        if (!str_has_prefix(rest, name) || rest.len < name.len + 2 || rest.ptr[name.len] != ':') continue;
        (void)fail(&answer->error, KARP_E_NOT_FOUND, "%.*s", (int)(rest.len - name.len - 2), rest.ptr + name.len + 2);
        return;
    }
}

static karp_status explain_pod(cli_answer *answer, void *own, int *result)
{
    const karp_str *kind = own; /* as Kubernetes writes it */
    bool workload = !str_is(*kind, "Pod");
    (void)result;
    karp_options common = decision_options(answer->options);
    karp_pod_explanation *explanation = NULL;
    karp_decision *plan = NULL;
    karp_str given = subject(answer);
    size_t room;
    char *name = full_name(answer->options, given.ptr, space_of(answer, given.ptr, workload), &room);
    if (name == NULL) {
        answer->error.status = KARP_E_NOMEM;
        return KARP_E_NOMEM;
    }
    progress_begin("trying changes");
    karp_str pod = { name, room - 1 };
    karp_status status = workload ? stand_in(answer, &common, &plan, &pod) : KARP_OK;
    if (status == KARP_OK)
        status = karp_explain_pod(answer->input.snapshot, &common, pod, &explanation, &answer->error);
    progress_end();
    if (status == KARP_E_NOT_FOUND) use_note(answer, pod.ptr == name ? *kind : str("Pod"), pod);
    karp_decision_unref(plan);
    karp_free(answer->options->context, name, room);
    karp_preferences *preferences = NULL;
    if (status == KARP_OK)
        status = find_preferences(answer, karp_pod_explanation_decision(explanation),
                                  karp_pod_explanation_pod(explanation), &preferences);
    answer->write.preferences = preferences;
    if (status == KARP_OK) {
        status = karp_write_pod_explanation(answer->options->context, explanation, &answer->write, &answer->text,
                                            &answer->error);
    }
    karp_preferences_free(preferences);
    karp_pod_explanation_free(explanation);
    return status;
}

static karp_status explain_node(cli_answer *answer, void *own, int *result)
{
    (void)own;
    (void)result;
    karp_options common = decision_options(answer->options);
    karp_disrupt_options disrupt;
    karp_node_explanation *explanation = NULL;
    common.explain = KARP_EXPLAIN_FULL;
    karp_disrupt_options_init(&disrupt, sizeof(disrupt));
    disrupt.common = &common;
    disrupt.method = karp_reader_method(answer->input.reader);
    if (disrupt.method == KARP_METHOD_REPACK) { /* repacking uses the candidates of consolidation */
        disrupt.method = KARP_METHOD_ANY;
    }
    karp_table *nodes = NULL;
    karp_str name = subject(answer);
    karp_status status = karp_snapshot_table(answer->input.snapshot, KARP_TABLE_SNAPSHOT_NODES, &nodes, &answer->error);
    karp_error unnamed = { .status = KARP_OK };
    if (status == KARP_OK) (void)find_node_name(nodes, &name, &unnamed);
    if (unnamed.status == KARP_E_NOT_FOUND) name = subject(answer); /* it may be the name of a NodeClaim */
    else status = unnamed.status != KARP_OK ? (answer->error = unnamed).status : status;
    if (status == KARP_OK) {
        progress_begin("simulating");
        status = karp_explain_node(answer->input.snapshot, &disrupt, name, &explanation, &answer->error);
        progress_end();
    }
    if (status == KARP_E_NOT_FOUND && unnamed.status != KARP_OK) answer->error = unnamed;
    karp_table_free(nodes);
    karp_drift drift = { .size = sizeof drift };
    bool drifted = status == KARP_OK && karp_node_explanation_drift(explanation).len > 0;
    if (drifted) status = drift_course(answer->options, answer->input.snapshot, &drift, NULL, &answer->error);
    answer->write.drift = &drift;
    if (status == KARP_OK && karp_node_explanation_disrupted(explanation) != 0)
        status = nomination_note(answer, &common, karp_node_explanation_decision(explanation),
                                 karp_node_explanation_node(explanation));
    else if (status == KARP_OK) status = pair_note(answer, &common, explanation);
    if (status == KARP_OK) {
        status = karp_write_node_explanation(answer->options->context, explanation, &answer->write, &answer->text,
                                             &answer->error);
    }
    karp_node_explanation_free(explanation);
    return status;
}

/* The answer of karp admit for one group or workload of the queue. */
static karp_status explain_group(cli_answer *answer, void *own, int *result)
{
    (void)own;
    (void)result;
    karp_admission *found = NULL;
    karp_str given = subject(answer);
    size_t room;
    const char *space = answer->options->pod_namespace;
    char *name = full_name(answer->options, given.ptr, str(space != NULL ? space : "default"), &room);
    if (name == NULL) return answer->error.status = KARP_E_NOMEM;
    karp_status status = admit_queue(answer, (karp_str){ name, room - 1 }, &found);
    karp_free(answer->options->context, name, room);
    if (status == KARP_OK)
        status = karp_write_admission(answer->options->context, found, &answer->write, &answer->text, &answer->error);
    karp_admission_free(found);
    if (status == KARP_OK && answer->options->format == KARP_FORMAT_TEXT && !print_made_by(answer, "explain"))
        return answer->error.status = KARP_E_NOMEM;
    return status;
}

/* A group is decided on as karp admit does: everything that waits is read, in profile karp. */
static int run_explain_group(const cli_options *options)
{
    cli_options own = *options;
    if (options->profiles.count > 0 && options->profile != KARP_PROFILE_KARP)
        return problem_of_use("explain group: --profile",
                              "Karpenter knows no groups, so they are decided on in profile karp, as "
                              "by karp admit: leave --profile out. karp explain pod says what "
                              "Karpenter does with a pod of the group");
    own.queued = true;
    own.profile = KARP_PROFILE_KARP;
    own.changes = 1;
    return answer_input(&own, true, false, explain_group, NULL);
}

/* A misspelt kind, or a pod's name without its kind: "web-0", "shop/web-0". */
static int no_kind(const char *kind, const char *name, bool slashed)
{
    static const char *const kinds[] = { "pod", "deployment", "statefulset", "replicaset", "job", "node", "group" };
    nearest meant = { .wanted = str(kind), .distance = 2 }; /* two letters may be wrong */
    char text[400];
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) nearest_offer(&meant, str(kinds[i]));
    bool near = meant.best.ptr != NULL;
    static const char known[] =
        "only a pod, a deployment, statefulset, replicaset or job, a group, or a node can be explained";
    if (equal_letters(str(kind), str("nodepool")) || equal_letters(str(kind), str("pool"))) {
        (void)snprintf(
            text, sizeof(text),
            "%s; karp explain pod NAMESPACE/NAME says of each NodePool why it takes the pod or not, and karp lint "
            "what is wrong with a NodePool",
            known);
    } else {
        (void)snprintf(text, sizeof(text), "%s; did you mean karp explain %s %.100s%s%.100s?%s", known,
                       near ? meant.best.ptr : "pod", near ? name : kind, slashed && !near ? "/" : "",
                       slashed && !near ? name : "",
                       near ? "" : " Of another workload, name one of its pods, which karp plan lists");
    }
    return problem_of_use(kind, text);
}

static int run_explain(const cli_options *options)
{
    static const struct {
        const char *word, *kind;
    } kinds[] = {
        { "pod", "Pod" },
        { "po", "Pod" },
        { "deployment", "Deployment" },
        { "deploy", "Deployment" },
        { "statefulset", "StatefulSet" },
        { "sts", "StatefulSet" },
        { "replicaset", "ReplicaSet" },
        { "rs", "ReplicaSet" },
        { "job", "Job" },
    };
    const char *word = options->words.items[0];
    karp_str kind = { NULL, 0 };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(word, kinds[i].word) == 0) kind = str(kinds[i].kind);
    }
    if (strcmp(word, "group") == 0 || strcmp(word, "podgroup") == 0) return run_explain_group(options);
    if (kind.len == 0 && strcmp(word, "node") != 0 && strcmp(word, "no") != 0)
        return no_kind(word, options->words.items[1], options->slashed);
    return answer_input(options, true, false, kind.len > 0 ? explain_pod : explain_node, &kind);
}

const cli_verb verb_explain = {
    .name = "explain",
    .arguments = "pod|deployment|group [NAMESPACE/]NAME | node NAME [FILE...]",
    .summary = "why a pod or group is pending or was placed there; why a node is kept",
    .details =
        "For a pod: the node it goes to, and why no other NodePool launches for it; or, if it is unschedulable, why\n"
        "each NodePool rejects it, how many instance types are left after each step, and the smallest change that\n"
        "would place it. For a deployment: the same for one of its pods. For a group of pods that start together, or\n"
        "any other workload of the queue: the answer of karp admit. For a node: the command that removes it, or\n"
        "everything that keeps it, and what would become of its pods.",
    .first_words = "pod deployment statefulset replicaset job group node",
    .word_count = 2,
    .slash_words = true,
    .options = CLI_OPTION_INPUT | CLI_OPTION_CATALOGUE | CLI_OPTION_DECISION | CLI_OPTION_OUTPUT |
               CLI_OPTION_NAMESPACE | CLI_OPTION_UNAVAILABLE,
    .formats = 1u << KARP_FORMAT_JSON | 1u << KARP_FORMAT_TEXT,
    .default_format = KARP_FORMAT_TEXT,
    .run = run_explain,
};
