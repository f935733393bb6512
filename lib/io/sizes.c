/* SPDX-License-Identifier: Apache-2.0 */
/* What is known about the sizes of containers, and the public functions about it. */
#include <io/sizes.h>

#include <io/files.h>
#include <karp/library.h>

const char *const io_size_resources[SIZE_RESOURCES] = { "cpu", "memory" };

/* ---- the store --------------------------------------------------------------------------------------------------- */

/* The key of a container: whose it is and its name. Names have no line feeds, or the table keeps them apart anyway. */
static bool key_of(strbuf *key, karp_str kind, karp_str namespace_, karp_str name, bool is_pod, karp_str container)
{
    strbuf_addstr(key, kind);
    strbuf_adds(key, is_pod ? "\npod " : "\n");
    strbuf_addname(key, namespace_, name);
    strbuf_addc(key, '\n');
    strbuf_addstr(key, container);
    return !key->failed;
}

io_size *io_size_at(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name, bool is_pod,
                    karp_str container)
{
    io_sizes *sizes = reader->sizes;
    strbuf key = strbuf_on(reader->context);
    bool fine = key_of(&key, kind, namespace_, name, is_pod, container);
    uint32_t *at = fine ? io_table_at(&sizes->names, (karp_str){ key.ptr, key.len }) : NULL;
    strbuf_free(&key);
    if (!at) return NULL;
    if (*at != IO_NONE) return &sizes->list[*at];
    *at = (uint32_t)sizes->count;
    if (!grow(reader->context, (void **)&sizes->list, &sizes->capacity, sizes->count + 1, sizeof *sizes->list))
        return NULL;
    io_size *s = &sizes->list[sizes->count++];
    *s = (io_size){ .kind = io_keep(reader, kind),
                    .namespace_ = io_keep(reader, namespace_),
                    .name = io_keep(reader, name),
                    .container = io_keep(reader, container),
                    .is_pod = is_pod };
    return s->kind.ptr && s->namespace_.ptr && s->name.ptr && s->container.ptr ? s : NULL;
}

bool io_size_add_sample(karp_reader *reader, io_size *s, size_t resource, amount value, karp_str source)
{
    io_size_known *k = &s->known[resource];
    if (!grow(reader->context, (void **)&k->samples, &k->room, k->count + 1, sizeof *k->samples)) return false;
    if (k->count == 0) k->of_samples = source;
    else if (!equal_str(k->of_samples, source)) k->of_samples = str("several tables");
    k->samples[k->count++] = value;
    return true;
}

void io_size_add_figure(io_size *s, size_t resource, size_t figure, amount value, karp_str source)
{
    io_size_known *k = &s->known[resource];
    if (k->has[figure]) return;
    k->has[figure] = true;
    k->figures[figure] = value;
    if (k->of_figures.len == 0) k->of_figures = source;
}

void io_sizes_free(karp_reader *reader)
{
    io_sizes *sizes = reader->sizes;
    karp_context *context = reader->context;
    if (!sizes) return;
    for (size_t i = 0; i < sizes->count; i++) {
        for (size_t r = 0; r < SIZE_RESOURCES; r++) {
            io_size_known *k = &sizes->list[i].known[r];
            mem_free(context, k->samples, k->room * sizeof *k->samples);
        }
    }
    mem_free(context, sizes->list, sizes->capacity * sizeof *sizes->list);
    mem_free(context, sizes->sized, sizes->sized_capacity * sizeof *sizes->sized);
    mem_free(context, sizes->next, sizes->next_count * sizeof *sizes->next);
    mem_free(context, sizes->changed, sizes->count * sizeof *sizes->changed);
    io_table_free(&sizes->names);
    io_table_free(&sizes->workloads);
    io_table_free(&sizes->pods);
    io_table_free(&sizes->elsewhere);
    io_table_free(&sizes->their_pods);
    mem_free(context, sizes, sizeof *sizes);
    reader->sizes = NULL;
}

/* ---- the public functions ---------------------------------------------------------------------------------------- */

void karp_request_rules_init(karp_request_rules *rules, size_t size)
{
    const karp_request_rules fresh = { 0 };
    struct_start(rules, size, &fresh, sizeof fresh);
}

static karp_status read_rules(const karp_request_rules *given, io_sizes *sizes, karp_error *error)
{
    const karp_str texts[SIZE_RESOURCES] = { given->cpu, given->memory };
    for (size_t r = 0; r < SIZE_RESOURCES; r++) {
        if (!io_size_rule_read(texts[r], r, &sizes->rules[r]))
            return fail(error, KARP_E_INVALID,
                        "%.*s is no rule for %s: p95, max, mean, target, lower, upper or keep, then +15%%, and "
                        ",min=10m,max=4",
                        str_shown(texts[r], 100), texts[r].ptr, io_size_resources[r]);
        /* Without a rule, the defaults of samples and of figures hold. */
        if (texts[r].len == 0) sizes->rules[r] = (io_size_rule){ .statistic = SIZE_OF_FIGURE };
    }
    sizes->limits = given->limits;
    return KARP_OK;
}

karp_status karp_reader_recommend_requests(karp_reader *reader, const karp_request_rules *rules, karp_error *error)
{
    if (!reader) return fail_null(error, "reader");
    karp_request_rules given;
    karp_status status = struct_check(rules, sizeof given, SIZE_THROUGH(karp_request_rules, reserved), &given,
                                      "karp_request_rules", error);
    if (!status) status = STRUCT_CHECK_TEXTS("karp_request_rules", error, &given.cpu, &given.memory);
    if (status) return status;
    if (given.reserved) return fail_reserved(error, "karp_request_rules.reserved");
    if (given.limits > KARP_LIMITS_KEEP)
        return fail(error, KARP_E_INVALID, "karp_request_rules: limits is none of KARP_LIMITS_*");
    if (!reader->options.editable || reader->survey.used > 0 || reader->deferred_count > 0 || reader->sizes ||
        reader->failed || reader->finished)
        return fail(error, KARP_E_STATE, "requests are recommended by an editable reader that has read nothing yet");
    io_sizes *sizes = mem_zalloc(reader->context, sizeof *sizes);
    if (!sizes) return karp_context_refusal(reader->context, fail_nomem(error), error);
    status = read_rules(&given, sizes, error);
    if (status) {
        mem_free(reader->context, sizes, sizeof *sizes);
        return status;
    }
    io_table_init(&sizes->names, reader->context);
    io_table_init(&sizes->workloads, reader->context);
    io_table_init(&sizes->pods, reader->context);
    io_table_init(&sizes->elsewhere, reader->context);
    io_table_init(&sizes->their_pods, reader->context);
    reader->sizes = sizes;
    return KARP_OK;
}

/* The number of a resource that a caller names; SIZE_RESOURCES = "". */
static karp_status resource_of(karp_str name, size_t *out, karp_error *error)
{
    *out = 0;
    while (*out < SIZE_RESOURCES && !str_is(name, io_size_resources[*out])) ++*out;
    if (*out == SIZE_RESOURCES && name.len > 0)
        return fail(error, KARP_E_INVALID, "%.*s is no resource of usage: cpu or memory", str_shown(name, 60),
                    name.ptr);
    return KARP_OK;
}

static karp_status end_usage(karp_reader *reader, karp_status status, karp_error *error)
{
    if (status == KARP_OK) return KARP_OK;
    reader->failed = true;
    status = karp_context_refusal(reader->context, status, &reader->error);
    reader->error.status = status;
    return error_give(&reader->error, error);
}

static karp_status check(const karp_reader *reader, karp_str resource, size_t *number, karp_error *error)
{
    karp_status status = resource_of(resource, number, error);
    if (status) return status;
    if (reader->failed || reader->finished || !reader->sizes)
        return fail(error, KARP_E_STATE, "usage is added to a reader that recommends requests, before it is finished");
    return KARP_OK;
}

karp_status karp_reader_add_usage(karp_reader *reader, karp_str name, karp_str text, karp_str resource,
                                  karp_error *error)
{
    size_t number;
    if (!reader) return fail_null(error, "reader");
    if (!str_given(name) || !str_given(text) || !str_given(resource)) return fail_null(error, "name, text or resource");
    karp_status status = check(reader, resource, &number, error);
    return status ? status : end_usage(reader, io_usage_read(reader, name, text, number), error);
}

karp_status karp_reader_add_usage_path(karp_reader *reader, const char *path, karp_str resource, karp_error *error)
{
    size_t number;
    if (!reader || !path) return fail_null(error, "reader or path");
    if (!str_given(resource)) return fail_null(error, "resource");
    karp_status status = check(reader, resource, &number, error);
    if (status) return status;
    strbuf text;
    status = io_whole_file(reader->context, str(path), &text, &reader->error);
    if (status == KARP_OK) status = io_usage_read(reader, str(path), (karp_str){ text.ptr, text.len }, number);
    strbuf_free(&text);
    return end_usage(reader, status, error);
}

size_t karp_reader_request_change_count(const karp_reader *reader)
{
    return reader && reader->sizes ? reader->sizes->changed_count : 0;
}

karp_status karp_reader_request_change(const karp_reader *reader, size_t index, karp_request_change *out)
{
    if (index >= karp_reader_request_change_count(reader)) return KARP_E_NOT_FOUND;
    if (!out) return KARP_E_INVALID;
    const io_size *s = &reader->sizes->list[reader->sizes->changed[index]];
    return struct_give(out, &s->change, sizeof s->change, SIZE_THROUGH(karp_request_change, not_resizable));
}
