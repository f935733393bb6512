/* SPDX-License-Identifier: Apache-2.0 */
#include <providers/cloud/facts.h>

#include <base/sort.h>

static void empty(cloud_facts *f, const cloud_facts_kind *kind, karp_context *context)
{
    memset(f, 0, sizeof *f);
    scratch_init(&f->s, context);
    f->kind = kind;
    f->region = f->as_of = f->sources = str("");
}

cloud_machine *cloud_facts_at(const cloud_facts *f, size_t index)
{
    return (void *)((char *)f->list + index * f->kind->bytes);
}

void *cloud_facts_find(const cloud_facts *f, karp_str name)
{
    return cloud_find(f->list, f->count, f->kind->bytes, name);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The place of a further machine, zeroed; it is part of the list when it is counted. NULL = out of memory. */
static void *next_machine(cloud_facts *f, size_t *room)
{
    if (!scratch_grow(&f->s, &f->list, room, f->count + 1, f->kind->bytes)) return NULL;
    return memset(cloud_facts_at(f, f->count), 0, f->kind->bytes);
}

/* The text must live as long as the facts. */
static karp_status read_table(cloud_facts *f, karp_str text, karp_error *error)
{
    cloud_table t;
    cloud_row row;
    bool more = false;
    size_t room = 0;
    karp_status status = cloud_table_open(&t, f->kind->format, text, f->region, error);
    if (status) return status;
    f->as_of = t.as_of;
    f->sources = t.sources;
    if (!f->kind->read_zones(t.zones, &f->zones)) {
        cloud_row none = { .cells = { str("") } };
        return cloud_table_bad(&t, &none, "regions", error,
                               f->kind->first_zone == 'a' ? "must have letters as zones" : "must have digits as zones");
    }
    while ((status = cloud_table_next(&t, &row, &more, error)) == KARP_OK && more) {
        cloud_machine *machine = next_machine(f, &room);
        if (!machine) return fail_nomem(error);
        status = f->kind->read_row(&t, &row, f->zones, machine, error);
        if (status) return status;
        if (row.offer.len == 0) continue;
        f->count++;
        f->spot_known = f->spot_known || machine->spot >= 0;
    }
    return status;
}

/* Sorts the list, and merges entries of one type, as a list may have one for each zone. */
static bool sort_machines(cloud_facts *f)
{
    size_t kept = 0;
    if (!sort_stable(f->s.context, f->list, f->count, f->kind->bytes, by_text, NULL)) return false;
    for (size_t i = 0; i < f->count; i++) {
        const cloud_machine *again = cloud_facts_at(f, i);
        cloud_machine *last = kept > 0 ? cloud_facts_at(f, kept - 1) : NULL;
        if (last && equal_str(last->name, again->name)) last->zones |= again->zones;
        else memmove(cloud_facts_at(f, kept++), again, f->kind->bytes);
    }
    f->count = kept;
    return true;
}

karp_status cloud_read_machines(const cloud_facts *old, cloud_facts *f, karp_str text, karp_error *error)
{
    decoder d;
    tree *root = NULL;
    size_t room = 0;
    decode_begin(&d, f->s.context, &f->s, error);
    d.status = tree_read(&d.trees, str(""), text, &root, error);
    if (d.status == KARP_OK && !is_list(root)) decode_bad(&d, "", f->kind->no_list);
    for (size_t i = 0; d.status == KARP_OK && i < items_of(root); i++) {
        cloud_machine *machine = next_machine(f, &room);
        if (!machine) break;
        decode_at_element(&d, "", i);
        if (!is_map(tree_item(root, i))) decode_bad(&d, "", "must be an object");
        else if (!f->kind->read_entry(&d, f, tree_item(root, i), machine) || d.status) continue;
        const cloud_machine *known = cloud_facts_find(old, machine->name);
        machine->initial = known ? known->initial : -1;
        machine->on_demand = known ? known->on_demand : -1;
        machine->spot = known ? known->spot : -1;
        f->zones |= machine->zones;
        f->count++;
    }
    decode_at(&d, "");
    if (d.status == KARP_OK && f->count == 0 && !f->s.failed) decode_bad(&d, f->kind->where, f->kind->no_entry);
    karp_status status = d.status;
    decode_end(&d);
    if (status) return status;
    return f->s.failed || !sort_machines(f) ? fail_nomem(error) : KARP_OK;
}

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

static void facts_free(cloud_facts *facts)
{
    scratch_free(&facts->s);
    memset(facts, 0, sizeof *facts);
}

/* The built-in facts; empty for a region that is not built in. */
static karp_status facts_init(cloud_facts *facts, const cloud_facts_kind *kind, karp_context *context, karp_str region,
                              karp_error *error)
{
    karp_error own = { .size = sizeof own };
    empty(facts, kind, context);
    facts->region = scratch_text(&facts->s, region);
    karp_status status = facts->s.failed ? KARP_E_NOMEM : read_table(facts, kind->format->built_in(), &own);
    if (status == KARP_OK || status == KARP_E_NOT_FOUND) return KARP_OK;
    facts_free(facts);
    return status == KARP_E_NOMEM ? fail_nomem(error) : error_give(&own, error);
}

static void copy_machines(const cloud_facts *from, cloud_facts *to)
{
    to->zones = from->zones;
    to->list = scratch_array(&to->s, from->count, from->kind->bytes);
    to->count = to->list ? from->count : 0;
    for (size_t i = 0; i < to->count; i++) {
        cloud_machine *machine = memcpy(cloud_facts_at(to, i), cloud_facts_at(from, i), from->kind->bytes);
        machine->name = scratch_text(&to->s, machine->name);
        machine->group = scratch_text(&to->s, machine->group);
    }
}

static void copy_quotas(const cloud_facts *from, cloud_facts *to)
{
    cloud_quota *list = scratch_array(&to->s, from->quota_count, sizeof *list);
    to->quotas = list;
    to->quota_count = list ? from->quota_count : 0;
    for (size_t i = 0; i < to->quota_count; i++)
        list[i] = (cloud_quota){ scratch_text(&to->s, from->quotas[i].family), from->quotas[i].left };
}

static karp_status load_file(const cloud_facts *facts, karp_str kind, karp_str text, cloud_facts *next,
                             karp_error *error)
{
    const cloud_file *file = facts->kind->files, *end = file + facts->kind->file_count;
    while (file < end && !str_is(kind, file->kind)) file++;
    if (file == end) return provider_fail(error, KARP_E_INVALID, "kind", "%s", facts->kind->no_file);
    next->spot_known = facts->spot_known;
    next->as_of = scratch_text(&next->s, file->has == CLOUD_PRICES ? str("") : facts->as_of);
    next->sources = file->has == CLOUD_QUOTAS ? scratch_text(&next->s, facts->sources)
                                              : cloud_sources(&next->s, facts->sources, kind);
    if (file->has != CLOUD_MACHINES) copy_machines(facts, next);
    return next->s.failed ? fail_nomem(error) : file->read(facts, next, text, error);
}

/* *next = the facts with the content of a file of this kind: "all", or one of kind->files. */
static karp_status facts_load(const cloud_facts *facts, karp_str kind, karp_str text, cloud_facts *next,
                              karp_error *error)
{
    empty(next, facts->kind, facts->s.context);
    next->region = scratch_text(&next->s, facts->region);
    copy_quotas(facts, next);
    karp_status status = str_is(kind, "all") ? read_table(next, scratch_text(&next->s, text), error)
                                             : load_file(facts, kind, text, next, error);
    if (next->s.failed) status = fail_nomem(error);
    if (status) facts_free(next);
    return status;
}

/* ---- handles ----------------------------------------------------------------------------------------------------- */

uint32_t cloud_handle_begin(cloud_handle *h, const cloud_facts_kind *kind, const karp_provider_options *options,
                            karp_provider_problem *problem)
{
    karp_error error = { .size = sizeof error };
    karp_str region = options->region.len ? options->region : str(kind->format->usual_region);
    if (region.len > CLOUD_REGION_MOST)
        return provider_problem(problem, KARP_PROVIDER_NOT_FOUND, "region", "there is no such region");
    h->marks.context = h->base.context;
    karp_status status = facts_init(&h->facts, kind, h->base.context, region, &error);
    return status ? provider_problem_of(problem, &error) : KARP_PROVIDER_OK;
}

void cloud_close(void *handle)
{
    cloud_handle *h = handle;
    facts_free(&h->facts);
    cloud_marks_free(&h->marks);
    plugin_handle_free(&h->base);
}

bool cloud_setting(const karp_label *setting, double *vm_memory_overhead, bool *initial_prices, uint32_t *status,
                   karp_provider_problem *problem)
{
    *status = KARP_PROVIDER_OK;
    if (str_is(setting->key, "vmMemoryOverheadPercent")) {
        if (!cloud_decimal(setting->value, vm_memory_overhead) || *vm_memory_overhead >= 1)
            *status = provider_problem(problem, KARP_PROVIDER_INVALID, "vmMemoryOverheadPercent",
                                       "must be at least 0 and less than 1");
        return true;
    }
    if (!str_is(setting->key, "prices")) return false;
    *initial_prices = str_is(setting->value, "initial");
    if (!*initial_prices && !str_is(setting->value, "current"))
        *status = provider_problem(problem, KARP_PROVIDER_INVALID, "prices", "must be current or initial");
    return true;
}

uint32_t cloud_load_facts(void *handle, karp_str kind, const karp_provider_document *facts,
                          karp_provider_problem *problem)
{
    cloud_handle *h = handle;
    cloud_facts next;
    karp_error error = { .size = sizeof error };
    if (facts_load(&h->facts, kind, facts->text, &next, &error)) return provider_problem_of(problem, &error);
    facts_free(&h->facts);
    h->facts = next;
    h->base.generation++;
    return KARP_PROVIDER_OK;
}

uint32_t cloud_facts_info(void *handle, const karp_provider_memory *memory, karp_provider_facts_info *info,
                          karp_provider_problem *problem)
{
    const cloud_facts *f = &((cloud_handle *)handle)->facts;
    uint32_t missing = 2 | (f->count == 0);
    for (size_t i = 0; i < f->count; i++) {
        const cloud_machine *machine = cloud_facts_at(f, i);
        if (machine->initial >= 0 || machine->on_demand >= 0) missing &= ~UINT32_C(2);
    }
    return cloud_describe(memory, f->kind->format, f->kind->described, 2, missing, f->region, f->as_of, info, problem);
}

uint32_t cloud_write_facts(void *handle, const karp_provider_memory *memory, karp_str *text,
                           karp_provider_problem *problem)
{
    const cloud_facts *f = &((cloud_handle *)handle)->facts;
    cloud_writer w;
    cloud_write_begin(&w, f->s.context, f->kind->format, f->as_of, f->sources, f->region, f->zones,
                      f->kind->first_zone);
    for (size_t i = 0; i < f->count; i++) {
        f->kind->write_row(&w, f, cloud_facts_at(f, i));
        cloud_write_row(&w);
    }
    return cloud_write_end(&w, memory, text, problem);
}

void cloud_expire(void *handle, int64_t now)
{
    cloud_handle *h = handle;
    if (cloud_marks_expire(&h->marks, now)) h->base.generation++;
}
