/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What containers use, or should request, in JSON: Prometheus' answers to queries, the reports of KRR, and the summary
 * of Goldilocks.
 */
#include <io/sizes.h>

typedef struct report {
    karp_reader *reader;
    karp_str document, source;
    size_t resource; /* of Prometheus' series; SIZE_RESOURCES = their names say it */
    uint64_t found;
} report;

static karp_status bad(const report *r, const char *field, const char *why)
{
    const io_place place = { .document = r->document };
    return io_reader_fail(r->reader, KARP_E_INVALID, &place, field, "%s", why);
}

static karp_str first_text(const tree *map, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        karp_str text = tree_get_text(map, names[i]);
        if (text.len > 0) return text;
    }
    return str("");
}
#define FIRST_TEXT(map, ...)                                                                                           \
    first_text(map, (const char *const[]){ __VA_ARGS__ },                                                              \
               sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* ---- Prometheus -------------------------------------------------------------------------------------------------- */

/* What the numbers of a series are, by its name. SIZE_RESOURCES = it does not say. */
static karp_status resource_of(const report *r, const tree *metric, size_t *resource)
{
    karp_str name = tree_get_text(metric, "__name__");
    *resource = r->resource;
    if (str_is(name, "container_cpu_usage_seconds_total") || str_is(name, "process_cpu_seconds_total"))
        return bad(r, "metric.__name__",
                   "is a counter of seconds: query rate(container_cpu_usage_seconds_total[5m]) instead");
    if (*resource == SIZE_RESOURCES && str_contains(name, str("memory"))) *resource = SIZE_MEMORY;
    if (*resource == SIZE_RESOURCES && str_contains(name, str("cpu"))) *resource = SIZE_CPU;
    if (*resource == SIZE_RESOURCES)
        return bad(r, "metric.__name__",
                   "does not say whether the series is of cpu or memory: say it, as in --usage cpu=FILE");
    return KARP_OK;
}

/* The container of a series. NULL = it is of none, or *status is a failure. */
static io_size *size_of_series(const report *r, const tree *metric, karp_status *status)
{
    karp_str pod = FIRST_TEXT(metric, "pod", "pod_name", "kubernetes_pod_name");
    karp_str owner = FIRST_TEXT(metric, "workload", "owner_name", "controller");
    karp_str kind = io_usage_kind(FIRST_TEXT(metric, "workload_type", "owner_kind", "controller_kind"));
    karp_str space = FIRST_TEXT(metric, "exported_namespace", "namespace", "kubernetes_namespace");
    karp_str container = FIRST_TEXT(metric, "container", "container_name");
    if (str_is(container, "POD")) return NULL; /* the pause container */
    if (pod.len == 0 && owner.len == 0) {
        *status = bad(r, "metric", "has no label pod or workload, by which its series could be that of a container");
        return NULL;
    }
    io_size *s = io_size_at(r->reader, pod.len ? str("") : kind, space.len ? space : str("default"),
                            pod.len ? pod : owner, pod.len > 0, container);
    if (!s) *status = io_reader_nomem(r->reader);
    return s;
}

static karp_status add_value(const report *r, io_size *s, size_t resource, const tree *pair)
{
    amount value;
    karp_str text = tree_text_or_digits(tree_item(pair, 1));
    if (str_is(text, "NaN")) return KARP_OK; /* a staleness marker, or 0/0 */
    if (!io_exact(text, &value)) return bad(r, "value", "is no amount of 0 or more");
    return io_size_add_sample(r->reader, s, resource, value, r->source) ? KARP_OK : io_reader_nomem(r->reader);
}

static karp_status read_series(report *r, const tree *series)
{
    const tree *metric = tree_get(series, "metric"), *values = tree_get(series, "values"),
               *value = tree_get(series, "value");
    size_t resource;
    karp_status status = resource_of(r, metric, &resource);
    if (status) return status;
    if (!values && !value) return bad(r, "result", "has a series without values");
    io_size *s = size_of_series(r, metric, &status);
    for (size_t i = 0; s && !status && i < tree_count(values); i++)
        status = add_value(r, s, resource, tree_item(values, i));
    if (s && !status && !values) status = add_value(r, s, resource, value);
    return status;
}

static karp_status read_query(report *r, const tree *result)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(result) && !status; i++) status = read_series(r, tree_item(result, i));
    r->found = tree_count(result);
    return status;
}

/* ---- KRR --------------------------------------------------------------------------------------------------------- */

/* A number, "?" where KRR knows none, or an object with it. */
static karp_status add_figure(const report *r, io_size *s, size_t resource, size_t figure, const tree *value)
{
    amount is;
    if (tree_is(value, TREE_MAP)) value = tree_get(value, "value");
    karp_str text = tree_text_or_digits(value);
    if (text.len == 0 || str_is(text, "?")) return KARP_OK;
    if (!io_exact(text, &is)) return bad(r, io_size_resources[resource], "is no amount of 0 or more");
    io_size_add_figure(s, resource, figure, is, r->source);
    return KARP_OK;
}

static karp_status read_scan(report *r, const tree *scan)
{
    const tree *object = tree_get(scan, "object"), *requests = tree_get(tree_get(scan, "recommended"), "requests");
    karp_str name = tree_get_text(object, "name"), space = tree_get_text(object, "namespace");
    karp_status status = KARP_OK;
    if (name.len == 0) return bad(r, "scans.object.name", "is missing");
    io_size *s = io_size_at(r->reader, io_usage_kind(tree_get_text(object, "kind")), space.len ? space : str("default"),
                            name, false, tree_get_text(object, "container"));
    if (!s) return io_reader_nomem(r->reader);
    for (size_t i = 0; i < SIZE_RESOURCES && !status; i++)
        status = add_figure(r, s, i, SIZE_TARGET, tree_get(requests, io_size_resources[i]));
    r->found++;
    return status;
}

static karp_status read_scans(report *r, const tree *scans)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(scans) && !status; i++) status = read_scan(r, tree_item(scans, i));
    return status;
}

/* ---- Goldilocks -------------------------------------------------------------------------------------------------- */

static karp_status read_container(report *r, karp_str space, karp_str kind, karp_str name, const tree *container)
{
    static const char *const figures[SIZE_FIGURES] = { "target", "lowerBound", "upperBound" };
    karp_str own = tree_get_text(container, "containerName");
    karp_status status = KARP_OK;
    if (own.len == 0) return KARP_OK; /* the workload lacks a container of the recommendation */
    io_size *s = io_size_at(r->reader, kind, space, name, false, own);
    if (!s) return io_reader_nomem(r->reader);
    for (size_t f = 0; f < SIZE_FIGURES; f++) {
        const tree *list = tree_get(container, figures[f]);
        for (size_t i = 0; i < SIZE_RESOURCES && !status; i++)
            status = add_figure(r, s, i, f, tree_get(list, io_size_resources[i]));
    }
    r->found++;
    return status;
}

static karp_status read_workload(report *r, karp_str space, karp_str key, const tree *workload)
{
    karp_str name = FIRST_TEXT(workload, "controllerName", "workloadName", "deploymentName");
    karp_str kind = FIRST_TEXT(workload, "controllerType", "workloadType");
    const tree *containers = tree_get(workload, "containers");
    karp_status status = KARP_OK;
    for (size_t i = 0; tree_is(containers, TREE_MAP) && i < tree_count(containers) && !status; i++)
        status = read_container(r, space, kind.len ? io_usage_kind(kind) : str("Deployment"), name.len ? name : key,
                                tree_member_at(containers, i)->value);
    return status;
}

static karp_status read_namespaces(report *r, const tree *namespaces)
{
    karp_status status = KARP_OK;
    for (size_t i = 0; i < tree_count(namespaces) && !status; i++) {
        const tree_member *space = tree_member_at(namespaces, i);
        const tree *list = tree_get(space->value, "workloads");
        if (!list) list = tree_get(space->value, "deployments");
        for (size_t k = 0; tree_is(list, TREE_MAP) && k < tree_count(list) && !status; k++)
            status = read_workload(r, tree_member_name(space), tree_member_name(tree_member_at(list, k)),
                                   tree_member_at(list, k)->value);
    }
    return status;
}

/* ---- which of them ----------------------------------------------------------------------------------------------- */

static karp_status read_root(report *r, const tree *root)
{
    const tree *data = tree_get(root, "data"), *result = tree_get(data, "result"), *scans = tree_get(root, "scans"),
               *namespaces = tree_get(root, "Namespaces");
    if (str_is(tree_get_text(root, "status"), "error"))
        return bad(r, "status", "is error: Prometheus refused the query");
    if (tree_is(result, TREE_LIST)) return read_query(r, result);
    if (tree_is(root, TREE_LIST) && tree_get(tree_item(root, 0), "metric")) return read_query(r, root);
    if (tree_is(scans, TREE_LIST)) return read_scans(r, scans);
    if (tree_is(namespaces, TREE_MAP)) return read_namespaces(r, namespaces);
    return bad(r, NULL,
               "is neither Prometheus' answer to a query (data.result), nor a report of KRR (scans), nor Goldilocks' "
               "summary (Namespaces)");
}

karp_status io_usage_json(karp_reader *reader, karp_str document, karp_str source, karp_str text, size_t resource)
{
    report r = { .reader = reader, .document = document, .source = source, .resource = resource };
    tree *root = NULL;
    trees t = trees_on(reader->context);
    karp_status status = tree_read(&t, document, text, &root, &reader->error);
    if (status == KARP_OK) status = read_root(&r, root);
    trees_free(&t);
    if (status == KARP_OK && r.found == 0)
        status = io_warn(reader, "%.*s: has no series and no recommendations", str_shown(source, 100), source.ptr);
    return status;
}
