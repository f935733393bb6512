/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the cluster that kubectl points to: all resources that affect decisions, with `kubectl get -o json`. */
#include "cli.h"

enum { WORDS_MOST = 32, PATIENCE_FACTOR = 10 };

static const char default_timeout[] = "60s";

/* The resources to read. Workloads are not needed, because the pods of a cluster exist already. */
typedef struct wanted {
    const char *name; /* as `kubectl api-resources -o name` prints it */
    bool needed; /* without this resource every answer would be wrong */
} wanted;

static const wanted resources[] = {
    { "pods", true },
    { "nodes", true },
    { "nodepools.karpenter.sh", true },
    { "nodeclaims.karpenter.sh", true },
    { "nodeoverlays.karpenter.sh", false },
    { "provisioners.karpenter.sh", false },
    { "awsnodetemplates.karpenter.k8s.aws", false },
    { "daemonsets.apps", false },
    { "poddisruptionbudgets.policy", false },
    { "priorityclasses.scheduling.k8s.io", false },
    { "persistentvolumeclaims", false },
    { "persistentvolumes", false },
    { "storageclasses.storage.k8s.io", false },
    { "csinodes.storage.k8s.io", false },
    { "namespaces", false },
    { "services", false },
    { "podtemplates", false },
    { "capacitybuffers.autoscaling.x-k8s.io", false },
    { "resourceclaims.resource.k8s.io", false },
    { "resourceclaimtemplates.resource.k8s.io", false },
    { "resourceslices.resource.k8s.io", false },
    { "deviceclasses.resource.k8s.io", false },
};

/* Read for --requests recommended alone. */
static const char verticals[] = "verticalpodautoscalers.autoscaling.k8s.io";

enum { RESOURCE_COUNT = sizeof(resources) / sizeof(resources[0]) };

static const char *const option_names[KUBECTL_OPTIONS] = {
    [KUBECTL_CONTEXT] = "--context", [KUBECTL_KUBECONFIG] = "--kubeconfig",
    [KUBECTL_CLUSTER] = "--cluster", [KUBECTL_USER] = "--user",
    [KUBECTL_AS] = "--as",           [KUBECTL_REQUEST_TIMEOUT] = "--request-timeout",
};

typedef struct asking {
    const cli_options *options;
    cli_input *input; /* NULL = nothing is read into a reader */
    strbuf served; /* names, each NUL-terminated */
    size_t served_count;
    bool failed; /* the failure has been printed */
} asking;

static bool no_memory(asking *a)
{
    print_problem(NULL, "out of memory");
    a->failed = true;
    return false;
}

static bool note(asking *a, const char *about, const char *what)
{
    if (!a->input) return true;
    strbuf *notes = &a->input->notes;
    a->input->note_count++;
    strbuf_adds(notes, about);
    strbuf_adds(notes, ": ");
    strbuf_add(notes, what, strlen(what) + 1);
    return !notes->failed || no_memory(a);
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* How long kubectl may write nothing: it reads in pages and writes at the end. */
static int64_t patience_of(const cli_options *options)
{
    const char *timeout = options->kubectl[KUBECTL_REQUEST_TIMEOUT];
    int64_t limit = 0;
    if (timeout == NULL) timeout = default_timeout;
    /* An invalid duration is rejected by kubectl itself; zero means no timeout. */
    if (karp_duration_parse(str(timeout), &limit) != KARP_OK || limit <= 0 || limit > INT64_MAX / PATIENCE_FACTOR)
        return INT64_MAX;
    return limit * PATIENCE_FACTOR;
}

/* The command: kubectl with some arguments, and the options that are passed on. A watch goes on without a timeout. */
static void command_of(const cli_options *options, const char *const *words, size_t count, const char *timeout,
                       const char *all[WORDS_MOST])
{
    size_t used = 0;
    all[used++] = "kubectl";
    for (size_t i = 0; i < count; i++) all[used++] = words[i];
    for (size_t i = 0; i < KUBECTL_OPTIONS; i++) {
        const char *value = options->kubectl[i];
        if (i == KUBECTL_REQUEST_TIMEOUT && (value == NULL || timeout == NULL)) value = timeout;
        if (value != NULL) {
            all[used++] = option_names[i];
            all[used++] = value;
        }
    }
    all[used] = NULL;
}

static void kubectl(const cli_options *options, const char *const *words, size_t count, cli_process *process)
{
    const char *all[WORDS_MOST];
    command_of(options, words, count, default_timeout, all);
    process_run(options, all, patience_of(options), process);
}

static const char *reason_of(const cli_process *process)
{
    return process->said[0] != '\0' ? process->said : "it failed without a message";
}

/* ---- available resources ----------------------------------------------------------------------------------------- */

static bool serves(const asking *a, const char *name)
{
    const char *at = a->served.ptr;
    for (size_t i = 0; i < a->served_count; i++, at += strlen(at) + 1) {
        if (strcmp(at, name) == 0) return true;
    }
    return false;
}

/* Whether the resource is a node class of any provider. The name becomes an argument of a command, so its characters
 * are checked. */
static bool is_node_class(const char *name)
{
    return name[0] != '-' && str_ends(str_before(str(name), '.'), "nodeclasses") &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") == strlen(name);
}

static void split_lines(asking *a)
{
    for (size_t i = 0; i < a->served.len; i++) {
        if (a->served.ptr[i] == '\n') {
            a->served.ptr[i] = '\0';
            a->served_count++;
        }
    }
}

static bool list_served_kinds(asking *a)
{
    static const char *const words[] = { "api-resources", "--verbs=list", "-o", "name" };
    cli_process process;
    kubectl(a->options, words, sizeof(words) / sizeof(words[0]), &process);
    a->served = process.out;
    split_lines(a);
    /* kubectl fails if the server of an API group is down, but it lists the other groups. */
    bool some = process.status >= 0 && serves(a, "pods") && serves(a, "nodes");
    if (process.status != 0 && some) return note(a, "kubectl api-resources", reason_of(&process));
    if (!some) {
        print_problem(process.status < 0 ? "kubectl" : "kubectl api-resources",
                      process.status != 0 ? reason_of(&process) : "it lists no pods or no nodes");
        a->failed = true;
    }
    return some;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* Reads the objects of some resources, whose names are separated by commas. false when kubectl fails; then `process`
 * has the reason. */
static bool get(asking *a, const char *names, cli_process *process)
{
    const char *const words[] = { "get", names, "--all-namespaces", "-o", "json" };
    kubectl(a->options, words, sizeof(words) / sizeof(words[0]), process);
    return process->status == 0;
}

static void give(asking *a, const cli_process *process)
{
    karp_error error = { .size = sizeof error };
    const karp_str name = { "kubectl get", 11 };
    if (karp_reader_add(a->input->reader, name, (karp_str){ process->out.ptr, process->out.len }, &error) != KARP_OK) {
        print_error(&error);
        a->failed = true;
    }
}

/* Reads one resource. If it is not needed, a failure is only noted. */
static void get_one(asking *a, const char *name, bool needed)
{
    cli_process process;
    if (get(a, name, &process)) {
        give(a, &process);
    } else if (needed) {
        char what[64];
        (void)snprintf(what, sizeof(what), "kubectl get %.40s", name);
        print_problem(what, reason_of(&process));
        a->failed = true;
    } else {
        char what[sizeof(process.said) + 64];
        (void)snprintf(what, sizeof(what), "not read, decided as if there were none: %s", reason_of(&process));
        (void)note(a, name, what);
    }
    strbuf_free(&process.out);
}

/* Calls `visit` for each resource to read, except pods. */
static void for_each(asking *a, void (*visit)(asking *a, const char *name, bool needed, strbuf *list), strbuf *list)
{
    for (size_t i = 0; i < RESOURCE_COUNT && !a->failed; i++) {
        if (strcmp(resources[i].name, "pods") != 0 && serves(a, resources[i].name))
            visit(a, resources[i].name, resources[i].needed, list);
    }
    if (!a->failed && a->options->requests.recommended != 0 && serves(a, verticals)) visit(a, verticals, false, list);
    const char *at = a->served.ptr;
    for (size_t i = 0; i < a->served_count && !a->failed; i++, at += strlen(at) + 1) {
        if (is_node_class(at)) visit(a, at, false, list);
    }
}

static void visit_name(asking *a, const char *name, bool needed, strbuf *list)
{
    (void)needed;
    if (list->len > 0) strbuf_addc(list, ',');
    strbuf_adds(list, name);
    if (list->failed) (void)no_memory(a);
}

static void visit_alone(asking *a, const char *name, bool needed, strbuf *list)
{
    (void)list;
    get_one(a, name, needed);
}

/* Reads everything except pods in one call. If that fails, reads one by one, to find the resource that fails. */
static void get_all_but_pods(asking *a)
{
    strbuf list = { .context = a->options->context };
    cli_process process = { 0 };
    for_each(a, visit_name, &list);
    if (!a->failed) {
        bool good = get(a, list.ptr, &process);
        if (good) {
            give(a, &process);
        } else if (process.status < 0) {
            print_problem("kubectl get", reason_of(&process));
            a->failed = true;
        }
        strbuf_free(&process.out);
        if (!good) for_each(a, visit_alone, NULL);
    }
    strbuf_free(&list);
}

bool cluster_read(const cli_options *options, cli_input *input)
{
    asking a = { .options = options, .input = input };
    strbuf_init(&input->notes, options->context);
    if (list_served_kinds(&a) && !serves(&a, "nodepools.karpenter.sh") && !serves(&a, "provisioners.karpenter.sh"))
        (void)note(&a, "nodepools.karpenter.sh", "the cluster serves none: is Karpenter installed there?");
    if (!a.failed) get_all_but_pods(&a);
    if (!a.failed) get_one(&a, "pods", true);
    strbuf_free(&a.served);
    return !a.failed;
}

/* ---- looks ------------------------------------------------------------------------------------------------------- */

bool cluster_begin(const cli_options *options, cli_cluster *cluster)
{
    asking a = { .options = options };
    *cluster = (cli_cluster){ .options = options, .names = { .context = options->context } };
    if (list_served_kinds(&a)) for_each(&a, visit_name, &cluster->names);
    strbuf_free(&a.served);
    if (!a.failed && cluster->names.len == 0) print_problem("kubectl api-resources", "it lists nothing to record");
    return !a.failed && cluster->names.len > 0;
}

static bool look_at(cli_cluster *cluster, const char *const *words, size_t count)
{
    cli_process process;
    kubectl(cluster->options, words, count, &process);
    if (process.status == 0) {
        cluster->texts[cluster->count++] = process.out;
        return true;
    }
    (void)snprintf(cluster->said, sizeof cluster->said, "kubectl get %.30s: %.300s", words[1], reason_of(&process));
    strbuf_free(&process.out);
    return false;
}

bool cluster_look(cli_cluster *cluster)
{
    const char *const all[] = { "get", cluster->names.ptr, "--all-namespaces", "-o", "json" },
                      *const pods[] = { "get", "pods", "--all-namespaces", "-o", "json" },
                      *const events[] = { "get", "events", "--all-namespaces", "--field-selector", "source=karpenter",
                                          "-o",  "json" };
    cluster_looked(cluster);
    if (!look_at(cluster, all, sizeof all / sizeof *all) || !look_at(cluster, pods, sizeof pods / sizeof *pods))
        return false;
    bool first = cluster->looks++ == 0;
    if (cluster->without_events || look_at(cluster, events, sizeof events / sizeof *events)) return true;
    if (!first) return false;
    print_problem(cluster->said, "the recording has no events");
    cluster->without_events = true;
    return true;
}

void cluster_looked(cli_cluster *cluster)
{
    for (size_t i = 0; i < cluster->count; i++) strbuf_free(&cluster->texts[i]);
    cluster->count = 0;
}

/* ---- watches ----------------------------------------------------------------------------------------------------- */

static bool watch_one(cli_cluster *cluster, const char *name)
{
    const char *words[] = { "get", name,   "--all-namespaces", "--watch-only",    "--output-watch-events",
                            "-o",  "json", "--field-selector", "source=karpenter" };
    bool events = strcmp(name, "events") == 0;
    const char *all[WORDS_MOST];
    if (cluster->stream_count == STREAMS_MOST) {
        (void)snprintf(cluster->said, sizeof cluster->said, "more than %d kinds of objects", STREAMS_MOST);
        return false;
    }
    command_of(cluster->options, words, sizeof words / sizeof *words - (events ? 0 : 2), NULL, all);
    cli_stream *stream = &cluster->streams[cluster->stream_count++];
    if (stream_start(cluster->options, all, stream)) return true;
    (void)snprintf(cluster->said, sizeof cluster->said, "kubectl: %.300s", stream->process.said);
    return false;
}

bool cluster_watch(cli_cluster *cluster)
{
    cluster->failed = false;
    bool good = watch_one(cluster, "pods") && (cluster->without_events || watch_one(cluster, "events"));
    strbuf name = strbuf_on(cluster->options->context);
    for (size_t i = 0, end = 0; good && i < cluster->names.len; i = end + 1) {
        for (end = i; end < cluster->names.len && cluster->names.ptr[end] != ',';) end++;
        strbuf_clear(&name);
        strbuf_add(&name, cluster->names.ptr + i, end - i);
        good = !name.failed && watch_one(cluster, name.ptr);
    }
    strbuf_free(&name);
    return good;
}

bool cluster_wait(cli_cluster *cluster, int64_t milliseconds)
{
    bool good = streams_wait(cluster->streams, cluster->stream_count, milliseconds);
    for (size_t i = 0; !good && i < cluster->stream_count; i++) {
        const cli_stream *s = &cluster->streams[i];
        if (s->runs) continue;
        cluster->failed = s->process.status != 0;
        (void)snprintf(cluster->said, sizeof cluster->said, "kubectl get --watch-only: %.300s",
                       s->process.said[0] ? s->process.said : "it ended");
        break;
    }
    return good;
}

/* The length of the first JSON object; 0 = it is not there as a whole. */
static size_t object_length(const char *text, size_t length)
{
    bool quoted = false;
    size_t depth = 0;
    for (size_t i = 0; i < length; i++) {
        if (quoted && text[i] == '\\') i++;
        else if (text[i] == '"') quoted = !quoted;
        else if (!quoted && text[i] == '{') depth++;
        else if (!quoted && text[i] == '}' && depth > 0 && --depth == 0) return i + 1;
    }
    return 0;
}

void cluster_events(cli_cluster *cluster, void (*take)(karp_str event, void *user), void *user)
{
    for (size_t i = 0; i < cluster->stream_count; i++) {
        cli_stream *s = &cluster->streams[i];
        for (size_t length; (length = object_length(s->process.out.ptr + s->taken, s->process.out.len - s->taken)) > 0;
             s->taken += length)
            take((karp_str){ s->process.out.ptr + s->taken, length }, user);
    }
}

void cluster_forget_events(cli_cluster *cluster)
{
    for (size_t i = 0; i < cluster->stream_count; i++) {
        cli_stream *s = &cluster->streams[i];
        if (s->taken == 0) continue;
        memmove(s->process.out.ptr, s->process.out.ptr + s->taken, s->process.out.len - s->taken);
        s->process.out.len -= s->taken;
        s->taken = 0;
    }
}

void cluster_unwatch(cli_cluster *cluster)
{
    for (size_t i = 0; i < cluster->stream_count; i++) stream_end(&cluster->streams[i]);
    cluster->stream_count = 0;
}

void cluster_end(cli_cluster *cluster)
{
    cluster_unwatch(cluster);
    cluster_looked(cluster);
    strbuf_free(&cluster->names);
}
