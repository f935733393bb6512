/* SPDX-License-Identifier: Apache-2.0 */
#include "encode.h"

#include "write_launch.h"
#include <base/error.h>
#include <base/money.h>
#include <math.h>
#include <string.h>

enum { ROW_BYTES = 512 }; /* the largest struct of a row */

_Static_assert(sizeof(karp_launch) <= ROW_BYTES, "a launch fits");

typedef union row_room {
    size_t size; /* structs of rows begin with it */
    int64_t integer;
    double real;
    void *pointer;
    char bytes[ROW_BYTES];
} row_room;

/* ---- which members are written ----------------------------------------------------------------------------------- */

static const void *pointer_at(const char *from, size_t at)
{
    const void *pointer;
    memcpy(&pointer, from + at, sizeof pointer);
    return pointer;
}

static size_t size_at(const char *from, size_t at)
{
    size_t size;
    memcpy(&size, from + at, sizeof size);
    return size;
}

static int64_t integer_at(const char *from, size_t at)
{
    int64_t integer;
    memcpy(&integer, from + at, sizeof integer);
    return integer;
}

static uint32_t word_at(const char *from, size_t at)
{
    uint32_t word;
    memcpy(&word, from + at, sizeof word);
    return word;
}

static double real_at(const char *from, size_t at)
{
    double real;
    memcpy(&real, from + at, sizeof real);
    return real;
}

static karp_str text_at(const char *from, size_t at)
{
    karp_str text;
    memcpy(&text, from + at, sizeof text);
    return text;
}

/* A number or, of a number of flags, a bit of it. */
static uint32_t bits_at(const record_field *f, const char *from)
{
    return f->more != 0 ? word_at(from, f->at) & f->more : word_at(from, f->at);
}

/* A number, as far as its sign goes. */
static double number_of(const record_field *f, const char *from)
{
    switch (f->kind) {
    case FIELD_REAL:
    case FIELD_MONEY:
    case FIELD_PRICE:
    case FIELD_SUM: return real_at(from, f->at);
    case FIELD_INT64:
    case FIELD_TIME:
    case FIELD_DURATION:
    case FIELD_DURATION_OR_NEVER:
    case FIELD_SOME: return (double)integer_at(from, f->at);
    case FIELD_DIGEST:
    case FIELD_UINT64: return (double)(uint64_t)integer_at(from, f->at);
    case FIELD_SIZE: return (double)size_at(from, f->at);
    case FIELD_INT32: return (double)(int32_t)word_at(from, f->at);
    case FIELD_BOOL: return *(const bool *)(from + f->at) ? 1 : 0;
    default: return bits_at(f, from);
    }
}

static bool is_empty(const record_field *f, const char *from)
{
    switch (f->kind) {
    case FIELD_TEXT:
    case FIELD_NEEDED:
    case FIELD_NAME:
    case FIELD_QUANTITY: return text_at(from, f->at).len == 0;
    case FIELD_POINTER: return pointer_at(from, f->at) == NULL;
    case FIELD_OBJECT: return is_empty(&f->inner->fields[0], from + f->at);
    default: return f->count > 0 ? size_at(from, f->count) == 0 : number_of(f, from) == 0;
    }
}

static bool is_none(const record_field *f, const char *from)
{
    if (f->kind == FIELD_TIME) return integer_at(from, f->at) == KARP_NO_TIME;
    if (f->kind == FIELD_SOME) return integer_at(from, f->at) == INT64_MIN;
    bool duration = f->kind == FIELD_DURATION || f->kind == FIELD_DURATION_OR_NEVER;
    return duration && integer_at(from, f->at) == KARP_DURATION_UNSET;
}

static bool is_shown(const record_field *f, const char *from)
{
    if (is_none(f, from)) return false;
    switch ((field_show)f->show) {
    case SHOW_GIVEN: return !is_empty(f, from);
    case SHOW_POSITIVE: return number_of(f, from) > 0;
    case SHOW_NOT_NEGATIVE: return number_of(f, from) >= 0;
    case SHOW_IF: return word_at(from, f->has) != 0;
    case SHOW_IF_MORE: return number_of(f, from) > (double)size_at(from, f->has);
    case SHOW_UNLESS: return word_at(from, f->has) == 0 && !is_empty(f, from);
    case SHOW_ALWAYS:
    case SHOW_AS_NULL: break;
    }
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void write_duration(json_out *j, int64_t value)
{
    char text[KARP_VALUE_TEXT] = "Never";
    if (value != KARP_DURATION_NEVER) karp_duration_format(value, text);
    json_str(j, str(text));
}

static void write_time(json_out *j, int64_t value)
{
    char text[KARP_VALUE_TEXT];
    karp_time_format(value, text);
    json_str(j, str(text));
}

static void write_digest(json_out *j, uint64_t value)
{
    char text[17] = { 0 };
    for (int i = 0; i < 16; i++) text[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    json_str(j, str(text));
}

static const char *word_of(const record_words *words, uint32_t value)
{
    for (size_t i = 0; i < words->count; i++) {
        if (words->list[i].value == value) return words->list[i].word;
    }
    return "?";
}

static void write_real(json_out *j, const record_field *f, double value)
{
    if (f->kind == FIELD_MONEY || f->kind == FIELD_SUM) value = money_without_noise(value);
    if (f->show == SHOW_AS_NULL && value < 0) value = HUGE_VAL;
    if (f->kind == FIELD_PRICE || f->kind == FIELD_SUM) json_price(j, value);
    else json_double(j, value);
}

static void write_node_labels(const encoder *e, const karp_launch *launch)
{
    const write_job *job = e->job;
    karp_label *labels = NULL;
    size_t count = 0, bytes = 0;
    keep_failure(&job->out->status, launch_node_labels(job->context, launch, &labels, &count, &bytes, job->error));
    json_labels(e->json, labels, count);
    karp_free(job->context, labels, bytes);
}

static void write_pods(const encoder *e, const uint32_t *pods, size_t count)
{
    json_flat_array(e->json);
    for (size_t i = 0; i < count; i++) json_str(e->json, karp_decision_pod_name(e->decision, pods[i]));
    json_end(e->json);
}

static void write_object(const encoder *e, const record *r, const void *from, bool flat)
{
    if (flat) json_flat_object(e->json);
    else json_open_object(e->json);
    encode_members(e, r, from);
    json_end(e->json);
}

void encode_object(const encoder *e, const record *r, const void *from) { write_object(e, r, from, false); }

static void write_structs(const encoder *e, const record_field *f, const char *list, size_t count)
{
    const record *r = f->inner;
    json_open_array(e->json);
    for (size_t i = 0; i < count; i++, list += r->size) {
        if (r->skip == NULL || !r->skip(list)) write_object(e, r, list, f->flat);
    }
    json_end(e->json);
}

static void write_range(const encoder *e, const encode_source *source, size_t first, size_t count)
{
    json_open_array(e->json);
    for (size_t i = first; i < first + count; i++) encode_row(e, source, e->decision, i);
    json_end(e->json);
}

static void write_list(const encoder *e, const record_field *f, const char *from)
{
    json_out *j = e->json;
    size_t count = size_at(from, f->count);
    if (f->kind == FIELD_LAUNCHES) write_range(e, &source_launches, size_at(from, f->at), count);
    else if (f->kind == FIELD_PLACEMENTS) write_range(e, &source_placements, size_at(from, f->at), count);
    else if (f->kind == FIELD_TEXTS) json_strings(j, pointer_at(from, f->at), count);
    else if (f->kind == FIELD_LABELS) json_labels(j, pointer_at(from, f->at), count);
    else if (f->kind == FIELD_AMOUNTS) json_resources(j, pointer_at(from, f->at), count);
    else if (f->kind == FIELD_PODS) write_pods(e, pointer_at(from, f->at), count);
    else write_structs(e, f, pointer_at(from, f->at), count);
}

static void write_value(const encoder *e, const record_field *f, const char *from)
{
    json_out *j = e->json;
    switch ((field_kind)f->kind) {
    case FIELD_TEXT:
    case FIELD_NEEDED:
    case FIELD_NAME:
    case FIELD_TEXT_OR_NUMBER:
    case FIELD_QUANTITY: json_str(j, text_at(from, f->at)); break;
    case FIELD_INT32: json_int(j, (int32_t)word_at(from, f->at)); break;
    case FIELD_INT64:
    case FIELD_SOME: json_int(j, integer_at(from, f->at)); break;
    case FIELD_UINT32: json_uint(j, word_at(from, f->at)); break;
    case FIELD_UINT64: json_uint(j, (uint64_t)integer_at(from, f->at)); break;
    case FIELD_SIZE: json_uint(j, size_at(from, f->at)); break;
    case FIELD_LEAST: json_uint(j, word_at(from, f->at) == KARP_MIN_VALUES_ZERO ? 0 : word_at(from, f->at)); break;
    case FIELD_BOOL:
    case FIELD_FLAG: json_bool(j, number_of(f, from) != 0); break;
    case FIELD_WORD: json_str(j, str(word_of(f->by.words, bits_at(f, from)))); break;
    case FIELD_NAMED: json_str(j, str(f->by.names->name(word_at(from, f->at)))); break;
    case FIELD_POD: json_str(j, karp_decision_pod_name(e->decision, word_at(from, f->at))); break;
    case FIELD_CONSTANT: json_str(j, str(f->by.text)); break;
    case FIELD_DIGEST: write_digest(j, (uint64_t)integer_at(from, f->at)); break;
    case FIELD_TIME: write_time(j, integer_at(from, f->at)); break;
    case FIELD_DURATION:
    case FIELD_DURATION_OR_NEVER: write_duration(j, integer_at(from, f->at)); break;
    case FIELD_REAL:
    case FIELD_MONEY:
    case FIELD_PRICE:
    case FIELD_SUM: write_real(j, f, real_at(from, f->at)); break;
    case FIELD_OBJECT: write_object(e, f->inner, from + f->at, f->flat); break;
    case FIELD_POINTER: write_object(e, f->inner, pointer_at(from, f->at), f->flat); break;
    case FIELD_NODE_LABELS: write_node_labels(e, (const void *)from); break;
    case FIELD_TEXTS:
    case FIELD_LABELS:
    case FIELD_AMOUNTS:
    case FIELD_LIST:
    case FIELD_PODS:
    case FIELD_LAUNCHES:
    case FIELD_PLACEMENTS: write_list(e, f, from); break;
    case FIELD_NOTHING:
    case FIELD_INT_OR_STRING:
    case FIELD_MAP:
    case FIELD_ARRAY:
    case FIELD_CALL:
    case FIELD_SHARED: json_double(j, HUGE_VAL); break; /* never: input objects are not written by their rows */
    }
}

/* The struct may be of a version that has fewer members. */
static void encode_given(const encoder *e, const record *r, const void *given)
{
    const write_job *job = e->job;
    row_room room;
    if (job->out->status == KARP_OK)
        job->out->status = struct_check(given, r->size, r->first, &room, r->type, job->error);
    if (job->out->status == KARP_OK) encode_members(e, r, &room);
}

void encode_members(const encoder *e, const record *r, const void *from)
{
    for (const record_field *f = r->fields, *end = f + r->count; f < end; f++) {
        if (!row_in(f, e->document)) continue;
        if (f->kind == FIELD_SHARED) {
            encode_given(e, f->inner, pointer_at(from, f->at));
        } else if (is_shown(f, from)) {
            json_plain_key(e->json, f->name, f->length);
            write_value(e, f, from);
        }
    }
}

karp_status write_record(write_call *call, const char *kind, const record *r, const void *given, uint32_t document)
{
    json_out json;
    const write_job job = { call->context, NULL, NULL, &call->options, &call->buffer, call->error };
    const encoder e = { .json = &json, .job = &job, .document = document };
    json_open_document(&json, &call->buffer, call->options.compact != 0, kind);
    encode_given(&e, r, given);
    json_close(&json);
    return write_end(call);
}

/* ---- rows of decisions ------------------------------------------------------------------------------------------- */

SOURCE_ROWS(launches, karp_decision_launch_count, karp_decision_launch)
const encode_source source_launches = SOURCE(launches, record_launch, false);
SOURCE_ROWS(placements, karp_decision_placement_count, karp_decision_placement)
const encode_source source_placements = SOURCE(placements, record_placement, false);
SOURCE_ROWS(unschedulable, karp_decision_unschedulable_count, karp_decision_unschedulable)
const encode_source source_unschedulable = SOURCE(unschedulable, record_unschedulable, false);
SOURCE_ROWS(ignored, karp_decision_ignored_count, karp_decision_ignored)
const encode_source source_ignored = SOURCE(ignored, record_ignored, false);
SOURCE_ROWS(commands, karp_decision_command_count, karp_decision_command)
const encode_source source_commands = SOURCE(commands, record_command, false);
SOURCE_ROWS(kept, karp_decision_kept_count, karp_decision_kept)
const encode_source source_kept = SOURCE(kept, record_kept, false);
SOURCE_ROWS(candidates, karp_decision_candidate_count, karp_decision_candidate)
const encode_source source_candidates = SOURCE(candidates, record_candidate, false);

void encode_row(const encoder *e, const encode_source *source, const void *of, size_t index)
{
    row_room room = { .size = source->record->size };
    bool fits = source->record->size <= sizeof room;
    write_refuse(e->job, fits ? source->row(of, index, &room) : KARP_E_INTERNAL, "a row cannot be read");
    write_object(e, source->record, &room, source->flat);
}

void encode_some(const encoder *e, const char *key, const encode_source *source, const void *of, size_t first,
                 size_t count)
{
    json_member_array(e->json, key);
    for (size_t i = first; i < first + count; i++) encode_row(e, source, of, i);
    json_end(e->json);
}

void encode_all(const encoder *e, const char *key, const encode_source *source, const void *of)
{
    encode_some(e, key, source, of, 0, source->count(of));
}
