/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of pods: a line with the names of the columns, then a line for each pod (docs/replay.md). Alibaba's trace of
 * GPU clusters ("openb") is such a table with other names and units.
 */
#include <replay/objects.h>
#include <replay/trace_read.h>

#include <replay/common.h>

#define NEW_YEAR_2026 (INT64_C(1767225600) * SECOND)

enum { NAME, NAMESPACE, START, END, DURATION, CPU, MEMORY, GPU, LABELS, OWNER, SCHEDULED, COLUMNS, NO_COLUMN };

typedef struct table_format {
    const char *columns[COLUMNS]; /* their names; NULL = the table has no such column */
    const char *others[5]; /* columns that a replay ignores */
    const char *cpu_unit, *memory_unit; /* suffixes of its numbers */
} table_format;

static const table_format csv = { .columns = { "name", "namespace", "start", "end", "duration", "cpu", "memory", "gpu",
                                               "labels", "owner", NULL },
                                  .cpu_unit = "",
                                  .memory_unit = "" };

static const table_format openb = { .columns = { [NAME] = "name",
                                                 [START] = "creation_time",
                                                 [END] = "deletion_time",
                                                 [CPU] = "cpu_milli",
                                                 [MEMORY] = "memory_mib",
                                                 [GPU] = "num_gpu",
                                                 [SCHEDULED] = "scheduled_time" },
                                    .others = { "gpu_milli", "gpu_spec", "qos", "pod_phase" },
                                    .cpu_unit = "m",
                                    .memory_unit = "Mi" };

enum { CELLS_MOST = 64 };

typedef struct table_reader {
    trace *t;
    const table_format *format;
    karp_error *error;
    karp_str document;
    karp_str text; /* the unread part */
    uint32_t line;
    uint32_t columns[CELLS_MOST]; /* the column of each cell */
    size_t column_count;
    karp_str cells[COLUMNS];
    trees trees;
    bool lenient;
} table_reader;

static karp_status wrong(table_reader *r, uint32_t column, const char *why)
{
    karp_status status = fail(r->error, KARP_E_INVALID, "%s", why);
    error_set_place(r->error, r->document, r->line, 0, KARP_NO_OFFSET);
    if (column < COLUMNS) error_set_field(r->error, "%s", r->format->columns[column]);
    return status;
}

/* ---- lines and cells --------------------------------------------------------------------------------------------- */

/* The next line without its line end; false = no more lines. */
static bool next_line(table_reader *r, karp_str *line)
{
    if (r->text.len == 0) return false;
    const char *end = memchr(r->text.ptr, '\n', r->text.len);
    size_t length = end ? (size_t)(end - r->text.ptr) : r->text.len, taken = length + (end != NULL);
    *line = (karp_str){ r->text.ptr, length };
    if (length && line->ptr[length - 1] == '\r') line->len--;
    r->text = (karp_str){ r->text.ptr + taken, r->text.len - taken };
    r->line++;
    return true;
}

/* The next cell, without quotes around it; quotes inside are not supported. false = the end of the line. */
static bool next_cell(karp_str *line, bool *more, karp_str *cell)
{
    if (!*more) return false;
    size_t begin = 0, end = 0, next = 0;
    if (line->len && line->ptr[0] == '"') {
        const char *quote = memchr(line->ptr + 1, '"', line->len - 1);
        begin = 1;
        end = quote ? (size_t)(quote - line->ptr) : line->len;
        next = end < line->len ? end + 1 : line->len;
    } else {
        while (end < line->len && line->ptr[end] != ',') end++;
        next = end;
    }
    *cell = (karp_str){ line->ptr + begin, end - begin };
    *more = next < line->len && line->ptr[next] == ',';
    next += *more;
    *line = (karp_str){ line->ptr + next, line->len - next };
    return true;
}

/* Whether the line begins with an unterminated quoted cell. */
static bool torn_cell(karp_str line)
{
    return line.len > 0 && line.ptr[0] == '"' && !memchr(line.ptr + 1, '"', line.len - 1);
}

static bool other_column(const table_format *format, karp_str name)
{
    for (size_t i = 0; format->others[i]; i++) {
        if (str_is(name, format->others[i])) return true;
    }
    return false;
}

static uint32_t column_of(const table_format *format, karp_str name)
{
    uint32_t column = 0;
    while (column < COLUMNS && !(format->columns[column] && str_is(name, format->columns[column]))) column++;
    return column;
}

static karp_status read_header(table_reader *r)
{
    karp_str line, cell;
    bool more = true, named = false, started = false;
    if (!next_line(r, &line)) return wrong(r, NO_COLUMN, "a table begins with the names of its columns");
    while (next_cell(&line, &more, &cell)) {
        uint32_t column = column_of(r->format, cell);
        if (column == COLUMNS && !r->lenient && !other_column(r->format, cell))
            return wrong(r, NO_COLUMN,
                         r->format == &csv
                             ? "an unknown column: name, namespace, start, end, duration, cpu, memory, gpu, "
                               "labels and owner are known"
                             : "a column that Alibaba's openb_pod_list does not have");
        if (r->column_count == CELLS_MOST) return wrong(r, NO_COLUMN, "too many columns");
        r->columns[r->column_count++] = column;
        named = named || column == NAME;
        started = started || column == START;
    }
    if (named && started) return KARP_OK;
    return wrong(r, named ? START : NAME, "a column that is needed is not there");
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* RFC 3339, or a number of seconds: since 1970 if it is at least a billion, otherwise since the start of 2026. */
static bool read_time(karp_str text, int64_t *at)
{
    double seconds = 0;
    if (karp_time_parse(text, at) == KARP_OK) return true;
    if (karp_double_parse(text, &seconds) || !(seconds >= -1e9 && seconds < 9e9)) return false;
    *at = (int64_t)(seconds * 1e9) + (seconds >= 1e9 ? 0 : NEW_YEAR_2026);
    return true;
}

/* A duration such as 90s, or a number of seconds. */
static bool read_duration(karp_str text, int64_t *lasts)
{
    double seconds = 0;
    if (karp_duration_parse(text, lasts) == KARP_OK) return *lasts >= 0;
    if (karp_double_parse(text, &seconds) || !(seconds >= 0 && seconds < 4e9)) return false;
    *lasts = (int64_t)(seconds * 1e9);
    return true;
}

static karp_status add_request(table_reader *r, uint32_t column, const char *resource, const char *unit, tree *requests)
{
    char text[64];
    karp_str amount = r->cells[column];
    size_t length = strlen(unit);
    if (amount.len == 0) return KARP_OK;
    if (length) { /* no machine has a longer number */
        if (amount.len + length > sizeof text) return wrong(r, column, "not a number");
        memcpy(text, amount.ptr, amount.len);
        memcpy(text + amount.len, unit, length);
        amount = (karp_str){ text, amount.len + length };
    }
    if (amount.ptr[0] == '-' || karp_quantity_check(amount))
        return wrong(r, column, length ? "not a number" : "not an amount like 500m or 2Gi");
    tree_set_text(&r->trees, requests, resource, amount);
    return KARP_OK;
}

/* KEY=VALUE pairs, separated by semicolons. */
static karp_status add_labels(table_reader *r, tree *metadata)
{
    karp_str rest = r->cells[LABELS];
    if (rest.len == 0) return KARP_OK;
    tree *labels = tree_get_or_make(&r->trees, metadata, "labels");
    while (rest.len) {
        const char *end = memchr(rest.ptr, ';', rest.len);
        size_t length = end ? (size_t)(end - rest.ptr) : rest.len;
        const char *sign = memchr(rest.ptr, '=', length);
        if (!sign || sign == rest.ptr) return wrong(r, LABELS, "not labels like app=web;tier=front");
        size_t key = (size_t)(sign - rest.ptr);
        tree_set_named(&r->trees, labels, (karp_str){ rest.ptr, key },
                       tree_new_text(&r->trees, (karp_str){ sign + 1, length - key - 1 }));
        rest = (karp_str){ rest.ptr + length + (end != NULL), rest.len - length - (end != NULL) };
    }
    return KARP_OK;
}

static karp_status read_shape(table_reader *r, uint32_t *shape)
{
    trees *t = &r->trees;
    trees_clear(t);
    tree *pod = tree_new(t, TREE_MAP), *metadata = tree_get_or_make(t, pod, "metadata");
    tree *container = tree_new(t, TREE_MAP), *containers = tree_new(t, TREE_LIST);
    tree *requests = tree_get_or_make(t, tree_get_or_make(t, container, "resources"), "requests");
    tree_set_text(t, metadata, "namespace", r->cells[NAMESPACE].len ? r->cells[NAMESPACE] : str("default"));
    tree_set_text(t, container, "name", str("main"));
    tree_append(t, containers, container);
    tree_set(t, tree_get_or_make(t, pod, "spec"), "containers", containers);
    tree_set(t, metadata, "ownerReferences",
             replay_owners(t, str("ReplicaSet"), r->cells[OWNER].len ? r->cells[OWNER] : str("recorded")));
    karp_status status = add_labels(r, metadata);
    if (!status) status = add_request(r, CPU, "cpu", r->format->cpu_unit, requests);
    if (!status) status = add_request(r, MEMORY, "memory", r->format->memory_unit, requests);
    if (!status) status = add_request(r, GPU, "nvidia.com/gpu", "", requests);
    if (status) return status;
    *shape = trace_shape_of(r->t, t, pod);
    return *shape == NO_ID ? fail_nomem(r->error) : KARP_OK;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

/* A scheduled pod runs as long as it did then, whenever it starts; a pod that was never scheduled is deleted at its end
 * time. */
static karp_status read_schedule(table_reader *r, trace_event *event, int64_t end)
{
    int64_t scheduled = 0;
    if (r->cells[SCHEDULED].len == 0) return KARP_OK;
    if (!read_time(r->cells[SCHEDULED], &scheduled)) return wrong(r, SCHEDULED, "not a time, nor a number of seconds");
    if (scheduled < event->at) return wrong(r, SCHEDULED, "the pod is scheduled before it is created");
    if (r->cells[END].len == 0) return KARP_OK;
    if (end < scheduled) return wrong(r, END, "the pod ends before it is scheduled");
    event->lasts = end - scheduled;
    r->cells[END].len = 0;
    return KARP_OK;
}

static karp_status read_pod(table_reader *r)
{
    trace_event event = {
        .kind = TRACE_POD_CREATED, .lasts = KARP_DURATION_UNSET, .document = r->document, .line = r->line
    };
    int64_t end = 0;
    if (r->cells[NAME].len == 0) return wrong(r, NAME, "a pod without a name");
    if (!read_time(r->cells[START], &event.at)) return wrong(r, START, "not a time, nor a number of seconds");
    if (r->cells[DURATION].len && !read_duration(r->cells[DURATION], &event.lasts))
        return wrong(r, DURATION, "not a duration like 90s, nor a number of seconds");
    if (r->cells[END].len && !read_time(r->cells[END], &end))
        return wrong(r, END, "not a time, nor a number of seconds");
    if (r->cells[END].len && end < event.at) return wrong(r, END, "the pod ends before it begins");
    karp_status status = read_schedule(r, &event, end);
    if (!status) status = read_shape(r, &event.shape);
    if (status) return status;
    event.of.pod.namespace_ = trace_keep(r->t, r->cells[NAMESPACE].len ? r->cells[NAMESPACE] : str("default"));
    event.of.pod.name = trace_keep(r->t, r->cells[NAME]);
    if (!event.of.pod.namespace_.ptr || !event.of.pod.name.ptr || !trace_add(r->t, &event)) return fail_nomem(r->error);
    if (r->cells[END].len == 0) return KARP_OK;
    event.kind = TRACE_POD_DELETED;
    event.lasts = KARP_DURATION_UNSET;
    event.at = end;
    return trace_add(r->t, &event) ? KARP_OK : fail_nomem(r->error);
}

static karp_status read_line(table_reader *r, karp_str line)
{
    karp_str cell;
    bool more = true;
    size_t count = 0;
    memset(r->cells, 0, sizeof r->cells);
    while (!torn_cell(line) && next_cell(&line, &more, &cell)) {
        if (count == r->column_count) return wrong(r, NO_COLUMN, "more cells than columns");
        if (r->columns[count] < COLUMNS) r->cells[r->columns[count]] = cell;
        count++;
    }
    if (torn_cell(line))
        return wrong(r, count < r->column_count ? r->columns[count] : NO_COLUMN, "a quote without its end");
    if (count < r->column_count) return wrong(r, NO_COLUMN, "fewer cells than columns");
    return read_pod(r);
}

static karp_status read_table(table_reader *r)
{
    karp_str line;
    karp_status status = read_header(r);
    while (!status && next_line(r, &line)) {
        if (line.len == 0) continue;
        status = read_line(r, line);
        if (status != KARP_E_INVALID || !r->lenient) continue;
        r->t->notes++;
        status = KARP_OK;
    }
    return status;
}

karp_status trace_read_csv(trace *t, bool alibaba, karp_str name, karp_str text, bool lenient, karp_error *error)
{
    table_reader r = { .t = t, .format = alibaba ? &openb : &csv, .error = error, .text = text, .lenient = lenient };
    uint32_t id = strings_add(&t->documents, name.ptr, name.len);
    if (id == NO_ID) return fail_nomem(error);
    r.document = strings_get(&t->documents, id);
    trees_init(&r.trees, t->context);
    karp_status status = read_table(&r);
    trees_free(&r.trees);
    return status;
}
