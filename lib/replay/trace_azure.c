/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Azure's packing trace, two CSV tables: vmType contains the fractions of a machine that a VM type uses, vm the run
 * times of VMs.
 */
#include <replay/trace_read.h>

#include <math.h>

#define DAY (INT64_C(86400) * 1000000000)
#define NEW_YEAR_2026 (INT64_C(1767225600) * 1000000000)

enum { TYPE, VM, START, END, CORE, MEMORY, COLUMNS, MOST_CELLS = 16 };
static const char *const columns[COLUMNS] = { "vmTypeId", "vmId", "starttime", "endtime", "core", "memory" };

typedef struct azure {
    trace *t;
    karp_error *error;
    karp_str document;
    uint32_t line;
    bool lenient;
    double cores, bytes; /* of the machine */
    uint32_t place[COLUMNS]; /* index of a column among the cells; MOST_CELLS = absent */
    karp_str cells[MOST_CELLS];
    size_t cell_count;
} azure;

static karp_status wrong(azure *a, int column, const char *why)
{
    karp_status status = fail(a->error, KARP_E_INVALID, "%s", why);
    error_set_place(a->error, a->document, a->line, 0, KARP_NO_OFFSET);
    if (column < COLUMNS) error_set_field(a->error, "%s", columns[column]);
    return status;
}

static bool split(azure *a, karp_str line)
{
    a->cell_count = 0;
    for (size_t begin = 0, i = 0; i <= line.len; i++) {
        if (i < line.len && line.ptr[i] != ',') continue;
        if (a->cell_count == MOST_CELLS) return false;
        karp_str cell = { line.ptr + begin, i - begin };
        if (cell.len >= 2 && cell.ptr[0] == '"' && cell.ptr[cell.len - 1] == '"')
            cell = (karp_str){ cell.ptr + 1, cell.len - 2 };
        a->cells[a->cell_count++] = cell;
        begin = i + 1;
    }
    return true;
}

static karp_str cell(const azure *a, int column)
{
    return a->place[column] < a->cell_count ? a->cells[a->place[column]] : (karp_str){ "", 0 };
}

static karp_status read_header(azure *a, karp_str line)
{
    if (!split(a, line)) return wrong(a, COLUMNS, "too many columns");
    for (int c = 0; c < COLUMNS; c++) {
        a->place[c] = MOST_CELLS;
        for (uint32_t i = 0; i < a->cell_count; i++) {
            if (str_is(a->cells[i], columns[c])) a->place[c] = i;
        }
    }
    bool types = a->place[CORE] < MOST_CELLS && a->place[MEMORY] < MOST_CELLS;
    bool vms = a->place[VM] < MOST_CELLS && a->place[START] < MOST_CELLS && a->place[END] < MOST_CELLS;
    if (a->place[TYPE] < MOST_CELLS && types != vms) return KARP_OK;
    return wrong(a, COLUMNS,
                 "neither the table vmType (vmTypeId, core, memory) nor vm (vmId, vmTypeId, starttime, endtime)");
}

/* Reads a type. If it fits several machines, the first one in the table counts. */
static karp_status read_type(azure *a)
{
    double core = 0, memory = 0;
    char text[512];
    if (cell(a, TYPE).len == 0) return wrong(a, TYPE, "a type without a number");
    if (karp_double_parse(cell(a, CORE), &core) || !(core >= 0 && core <= 1))
        return wrong(a, CORE, "not a part of a machine");
    if (karp_double_parse(cell(a, MEMORY), &memory) || !(memory >= 0 && memory <= 1))
        return wrong(a, MEMORY, "not a part of a machine");
    if (io_table_get(&a->t->machine_types, cell(a, TYPE)) != IO_NONE) return KARP_OK;
    strbuf pod = strbuf_on(a->t->context);
    strbuf_adds(
        &pod,
        "{\"metadata\":{\"namespace\":\"default\",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"controller\":true,"
        "\"kind\":\"ReplicaSet\",\"name\":\"recorded\",\"uid\":\"recorded\"}]},\"spec\":{\"containers\":[{\"name\":"
        "\"vm\","
        "\"resources\":{\"requests\":{\"cpu\":\"");
    size_t length = write_digits(text, (uint64_t)llround(core * a->cores * 1000));
    strbuf_add(&pod, text, length);
    strbuf_adds(&pod, "m\",\"memory\":\"");
    length = write_digits(text, (uint64_t)llround(memory * a->bytes));
    strbuf_add(&pod, text, length);
    strbuf_adds(&pod, "\"}}}]}}");
    uint32_t shape = pod.failed ? NO_ID : trace_shape(a->t, (karp_str){ pod.ptr, pod.len });
    strbuf_free(&pod);
    return shape != NO_ID && io_table_put(&a->t->machine_types, cell(a, TYPE), shape) ? KARP_OK : fail_nomem(a->error);
}

/* Days since the start of the trace; VMs may have started earlier. */
static bool read_day(karp_str text, int64_t *at)
{
    double days = 0;
    if (karp_double_parse(text, &days) || !(days > -3660 && days < 3660)) return false;
    *at = NEW_YEAR_2026 + (days > 0 ? (int64_t)llround(days * 86400) * (DAY / 86400) : 0);
    return true;
}

static karp_status read_vm(azure *a)
{
    trace_event event = {
        .kind = TRACE_POD_CREATED, .lasts = KARP_DURATION_UNSET, .document = a->document, .line = a->line
    };
    int64_t end = 0;
    bool ends = cell(a, END).len > 0 && !str_is(cell(a, END), "NULL");
    if (cell(a, VM).len == 0) return wrong(a, VM, "a VM without a number");
    if (!read_day(cell(a, START), &event.at)) return wrong(a, START, "not a number of days");
    if (ends && !read_day(cell(a, END), &end)) return wrong(a, END, "not a number of days");
    if (ends && end < event.at) return wrong(a, END, "the VM ends before it begins");
    event.shape = io_table_get(&a->t->machine_types, cell(a, TYPE));
    if (event.shape == IO_NONE)
        return wrong(a, TYPE, "a type that the table vmType, which is read first, does not have");
    event.of.pod.namespace_ = str("default");
    char name[48] = "vm-";
    size_t length = cell(a, VM).len < 40 ? cell(a, VM).len : 40;
    memcpy(name + 3, cell(a, VM).ptr, length);
    event.of.pod.name = trace_keep(a->t, (karp_str){ name, length + 3 });
    if (!event.of.pod.name.ptr || !trace_add(a->t, &event)) return fail_nomem(a->error);
    event.kind = TRACE_POD_DELETED;
    event.at = end;
    return !ends || trace_add(a->t, &event) ? KARP_OK : fail_nomem(a->error);
}

static karp_status read_machine(azure *a, karp_str machine)
{
    const char *colon = machine.len ? memchr(machine.ptr, ':', machine.len) : NULL;
    a->cores = 64;
    a->bytes = 512.0 * 1024 * 1024 * 1024;
    if (machine.len == 0) return KARP_OK;
    size_t length = colon ? (size_t)(colon - machine.ptr) : 0;
    if (colon && karp_quantity_double((karp_str){ machine.ptr, length }, &a->cores) == KARP_OK && a->cores > 0 &&
        a->cores < 1e5 &&
        karp_quantity_double((karp_str){ colon + 1, machine.len - length - 1 }, &a->bytes) == KARP_OK && a->bytes > 0 &&
        a->bytes < 1e15)
        return KARP_OK;
    return fail(a->error, KARP_E_INVALID, "a machine is given as azure-packing:64:512Gi");
}

karp_status trace_read_azure(trace *t, karp_str machine, karp_str name, karp_str text, bool lenient, karp_error *error)
{
    azure a = { .t = t, .error = error, .lenient = lenient };
    uint32_t id = strings_add(&t->documents, name.ptr, name.len);
    if (id == NO_ID) return fail_nomem(error);
    a.document = strings_get(&t->documents, id);
    karp_status status = read_machine(&a, machine);
    while (!status && text.len) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t length = end ? (size_t)(end - text.ptr) : text.len, taken = length + (end != NULL);
        karp_str line = { text.ptr, length && text.ptr[length - 1] == '\r' ? length - 1 : length };
        text = (karp_str){ text.ptr + taken, text.len - taken };
        a.line++;
        if (a.line > 1 && line.len == 0) continue;
        size_t wanted = a.cell_count;
        if (a.line == 1) status = read_header(&a, line);
        else if (!split(&a, line) || a.cell_count != wanted)
            status = wrong(&a, COLUMNS, "not as many cells as columns");
        else status = a.place[CORE] < MOST_CELLS ? read_type(&a) : read_vm(&a);
        if (a.line > 1) a.cell_count = wanted;
        if (status != KARP_E_INVALID || !lenient || a.line == 1) continue;
        t->notes++;
        status = KARP_OK;
    }
    if (!status && a.line == 0) status = wrong(&a, COLUMNS, "a table begins with the names of its columns");
    return status;
}
