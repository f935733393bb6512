/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of what containers use: CSV, whose first line names the columns, and what `kubectl top pod` prints. Texts in
 * JSON are read by size_json.c.
 */
#include <io/cells.h>
#include <io/sizes.h>

enum { CELLS_MOST = 64 };
enum { NAMESPACE, POD, OWNER, KIND, CONTAINER, TIME, CPU, MEMORY, COLUMNS };

typedef struct usage {
    karp_reader *reader;
    karp_str document, source, rest;
    uint32_t line;
    bool spaces; /* cells are separated by spaces, as kubectl prints them */
    size_t place[COLUMNS]; /* of each column; CELLS_MOST = there is none */
    karp_str cells[CELLS_MOST];
    size_t count;
} usage;

static karp_status bad(const usage *u, const char *field, const char *why)
{
    const io_place place = { .document = u->document, .line = u->line, .column = u->line ? 1 : 0 };
    return io_reader_fail(u->reader, KARP_E_INVALID, &place, field, "%s", why);
}

/* ---- lines and cells --------------------------------------------------------------------------------------------- */

static karp_str next_word(karp_str *line)
{
    size_t length = 0;
    *line = cell_trimmed(*line);
    while (length < line->len && !cell_space(line->ptr[length])) length++;
    karp_str word = { line->ptr, length };
    *line = (karp_str){ line->ptr + length, line->len - length };
    return word;
}

/* The cells of the next line that is neither empty nor a comment. *more = there was one. */
static karp_status next_line(usage *u, bool *more)
{
    *more = false;
    while (u->rest.len > 0 && !*more) {
        karp_str line = cell_trimmed(str_until(&u->rest, '\n'));
        u->line++;
        *more = line.len > 0 && line.ptr[0] != '#';
        for (u->count = 0; *more && line.len > 0; u->count++) {
            if (u->count == CELLS_MOST) return bad(u, NULL, "has more than 64 cells");
            if (u->spaces) u->cells[u->count] = next_word(&line);
            else if (!cell_next(&line, &u->cells[u->count])) return bad(u, NULL, "has a quote without its end");
        }
    }
    return KARP_OK;
}

/* ---- the first line ---------------------------------------------------------------------------------------------- */

static size_t column_of(karp_str name)
{
    static const struct {
        const char *name;
        size_t column;
    } names[] = { { "namespace", NAMESPACE }, { "pod", POD },        { "owner", OWNER },
                  { "workload", OWNER },      { "kind", KIND },      { "container", CONTAINER },
                  { "time", TIME },           { "timestamp", TIME }, { "cpu", CPU },
                  { "cpu(cores)", CPU },      { "memory", MEMORY },  { "memory(bytes)", MEMORY } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (equal_letters(name, str(names[i].name))) return names[i].column;
    }
    return COLUMNS;
}

/* kubectl's NAME is the container's with --containers, else the pod's. */
static size_t column_at(const usage *u, karp_str name)
{
    if (!u->spaces || !str_is(name, "NAME")) return column_of(name);
    return u->place[POD] < CELLS_MOST ? CONTAINER : POD;
}

static karp_status read_header(usage *u)
{
    bool more;
    karp_str unread = str("");
    size_t others = 0;
    karp_status status = next_line(u, &more);
    if (status) return status;
    if (!more) return bad(u, NULL, "is empty: a first line such as namespace,pod,container,time,cpu,memory is needed");
    for (size_t k = 0; k < COLUMNS; k++) u->place[k] = CELLS_MOST;
    for (size_t i = 0; i < u->count; i++) {
        size_t k = column_at(u, u->cells[i]);
        if (k == COLUMNS && others++ == 0) unread = u->cells[i];
        if (k == COLUMNS) continue;
        if (u->place[k] < CELLS_MOST) return bad(u, NULL, "names a column twice");
        u->place[k] = i;
    }
    if (u->place[POD] == CELLS_MOST && u->place[OWNER] == CELLS_MOST)
        return bad(u, NULL,
                   "has no column pod or owner: the first line names columns of namespace, pod, owner, kind, "
                   "container, time, cpu, memory");
    if (u->place[CPU] == CELLS_MOST && u->place[MEMORY] == CELLS_MOST)
        return bad(u, NULL, "has no column cpu or memory in its first line");
    if (others == 0) return KARP_OK;
    return io_warn(u->reader, "%.*s: %zu column%s (%.*s%s) of the table %s not read", str_shown(u->source, 100),
                   u->source.ptr, others, others == 1 ? "" : "s", str_shown(unread, 60), unread.ptr,
                   others == 1 ? "" : " …", others == 1 ? "is" : "are");
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static karp_str cell(const usage *u, size_t column)
{
    return u->place[column] < u->count ? u->cells[u->place[column]] : str("");
}

karp_str io_usage_kind(karp_str word)
{
    static const char *const kinds[] = { "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet",           "Job",
                                         "CronJob",    "Pod",         "Rollout",   "ReplicationController" };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (equal_letters(word, str(kinds[i]))) return str(kinds[i]);
    }
    return word;
}

/* The container of the row. NULL after a failure, in *status. */
static io_size *size_of(const usage *u, karp_status *status)
{
    karp_str pod = cell(u, POD), owner = cell(u, OWNER), kind = io_usage_kind(cell(u, KIND)),
             space = cell(u, NAMESPACE);
    karp_str name = owner.len ? owner : pod;
    if (name.len == 0) {
        *status = bad(u, u->place[OWNER] < CELLS_MOST ? "owner" : "pod", "is empty");
        return NULL;
    }
    const char *slash = memchr(name.ptr, '/', name.len);
    if (slash) { /* "shop/api-0" of a pod, "Deployment/api" of an owner */
        karp_str first = { name.ptr, (size_t)(slash - name.ptr) };
        name = (karp_str){ slash + 1, name.len - first.len - 1 };
        if (owner.len) kind = io_usage_kind(first);
        else space = first;
    }
    io_size *s = io_size_at(u->reader, owner.len ? kind : str(""), space.len ? space : str("default"), name,
                            owner.len == 0, cell(u, CONTAINER));
    if (!s) *status = io_reader_nomem(u->reader);
    return s;
}

static karp_status add_sample(const usage *u, io_size *s, size_t resource, karp_str text)
{
    amount value;
    if (text.len == 0 || str_is(text, "<unknown>") || str_is(text, "NaN")) return KARP_OK;
    if (!io_exact(text, &value)) return bad(u, io_size_resources[resource], "is no amount of 0 or more");
    return io_size_add_sample(u->reader, s, resource, value, u->source) ? KARP_OK : io_reader_nomem(u->reader);
}

static karp_status read_row(const usage *u)
{
    karp_status status = KARP_OK;
    io_size *s = size_of(u, &status);
    if (!s) return status;
    status = add_sample(u, s, SIZE_CPU, cell(u, CPU));
    return status ? status : add_sample(u, s, SIZE_MEMORY, cell(u, MEMORY));
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* "usage.csv" of a path. ptr NULL = out of memory. */
static karp_str source_of(karp_reader *reader, karp_str name)
{
    size_t from = name.len;
    while (from > 0 && name.ptr[from - 1] != '/') from--;
    karp_str last = { name.ptr + from, name.len - from };
    return io_keep(reader, last.len == 0 || str_is(last, "-") ? str("standard input") : last);
}

static bool is_of_kubectl(karp_str text)
{
    karp_str rest = text, line = str_until(&rest, '\n');
    return str_contains(line, str("CPU(")) && !str_contains(line, str(","));
}

static karp_status read_table(usage *u)
{
    bool more = true;
    u->spaces = is_of_kubectl(u->rest);
    karp_status status = read_header(u);
    size_t columns = u->count, rows = 0;
    while (status == KARP_OK) {
        status = next_line(u, &more);
        if (status || !more) break;
        /* kubectl top --sum ends with a line and the sums. */
        if (u->spaces && (u->count < columns || str_starts(u->cells[0], "__"))) break;
        status = read_row(u);
        rows++;
    }
    if (status == KARP_OK && rows == 0) return bad(u, NULL, "has no rows");
    return status;
}

karp_status io_usage_read(karp_reader *reader, karp_str name, karp_str text, size_t resource)
{
    usage u = { .reader = reader,
                .document = io_keep(reader, name),
                .source = source_of(reader, name),
                .rest = str_starts(text, "\xEF\xBB\xBF") ? (karp_str){ text.ptr + 3, text.len - 3 } : text };
    if (!u.document.ptr || !u.source.ptr) return io_reader_nomem(reader);
    if (text.len > reader->limits.bytes) {
        const io_place place = { .document = u.document };
        return io_reader_fail(reader, KARP_E_LIMIT, &place, NULL, "the table has %zu bytes, more than the limit",
                              text.len);
    }
    size_t i = 0;
    while (i < u.rest.len && (cell_space(u.rest.ptr[i]) || u.rest.ptr[i] == '\n')) i++;
    if (i < u.rest.len && (u.rest.ptr[i] == '{' || u.rest.ptr[i] == '['))
        return io_usage_json(reader, u.document, u.source, u.rest, resource);
    return read_table(&u);
}
