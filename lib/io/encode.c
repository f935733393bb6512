/* SPDX-License-Identifier: Apache-2.0 */
#include "encode.h"

#include "write_launch.h"
#include <base/error.h>
#include <base/money.h>
#include <math.h>

#include <karp/library.h>

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

/* A number or, of a number of flags, a bit of it. */
static uint32_t bits_of(const record_field *f, const void *member)
{
    uint32_t bits = *(const uint32_t *)member;
    return f->more != 0 ? bits & f->more : bits;
}

/* A number, as far as its sign goes. */
static double number_of(const record_field *f, const char *from)
{
    const void *member = from + f->at;
    switch (f->kind) {
    case FIELD_REAL:
    case FIELD_MONEY:
    case FIELD_PRICE:
    case FIELD_SUM: return *(const double *)member;
    case FIELD_INT64:
    case FIELD_TIME:
    case FIELD_DURATION:
    case FIELD_DURATION_OR_NEVER:
    case FIELD_SOME: return (double)*(const int64_t *)member;
    case FIELD_DIGEST:
    case FIELD_UINT64: return (double)*(const uint64_t *)member;
    case FIELD_SIZE: return (double)*(const size_t *)member;
    case FIELD_INT32: return *(const int32_t *)member;
    case FIELD_BOOL: return *(const bool *)member ? 1 : 0;
    default: return bits_of(f, member);
    }
}

static bool is_empty(const record_field *f, const char *from)
{
    const void *member = from + f->at;
    size_t count = 0;
    switch (f->kind) {
    case FIELD_TEXT:
    case FIELD_NEEDED:
    case FIELD_NAME:
    case FIELD_QUANTITY: return ((const karp_str *)member)->len == 0;
    case FIELD_POINTER: return record_pointer(from, f->at) == NULL;
    case FIELD_OBJECT: return is_empty(&f->inner->fields[0], member);
    default: break;
    }
    if (f->count == 0) return number_of(f, from) == 0;
    (void)record_list(f, from, &count);
    return count == 0;
}

static bool is_none(const record_field *f, const char *from)
{
    const void *member = from + f->at;
    if (f->kind == FIELD_TIME) return *(const int64_t *)member == KARP_NO_TIME;
    if (f->kind == FIELD_SOME) return *(const int64_t *)member == INT64_MIN;
    bool duration = f->kind == FIELD_DURATION || f->kind == FIELD_DURATION_OR_NEVER;
    return duration && *(const int64_t *)member == KARP_DURATION_UNSET;
}

static bool is_shown(const record_field *f, const char *from)
{
    const void *has = from + f->has;
    if (is_none(f, from)) return false;
    switch ((field_show)f->show) {
    case SHOW_GIVEN: return !is_empty(f, from);
    case SHOW_POSITIVE: return number_of(f, from) > 0;
    case SHOW_NOT_NEGATIVE: return number_of(f, from) >= 0;
    case SHOW_IF: return *(const uint32_t *)has != 0;
    case SHOW_IF_MORE: return number_of(f, from) > (double)*(const size_t *)has;
    case SHOW_UNLESS: return *(const uint32_t *)has == 0 && !is_empty(f, from);
    case SHOW_ALWAYS:
    case SHOW_AS_NULL: break;
    }
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void write_text(json_out *j, const record_field *f, karp_str text)
{
    if (f->show == SHOW_AS_NULL && text.ptr == NULL) json_double(j, HUGE_VAL);
    else json_str(j, text);
}

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
    node_labels labels;
    karp_status status = launch_node_labels(job->context, launch, &labels, job->error);
    keep_failure(&job->out->status, status);
    json_labels(e->json, labels.items, status == KARP_OK ? labels.count : 0);
    if (status == KARP_OK) node_labels_free(job->context, &labels);
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

/* Rows of the decision: the member is the first of them. */
static void write_range(const encoder *e, const record_field *f, const char *from, const encode_source *source)
{
    const void *first = from + f->at, *count = from + f->count;
    size_t i = *(const size_t *)first, end = i + *(const size_t *)count;
    json_open_array(e->json);
    for (; i < end; i++) encode_row(e, source, e->decision, i);
    json_end(e->json);
}

static void write_list(const encoder *e, const record_field *f, const char *from)
{
    json_out *j = e->json;
    size_t count;
    const void *list = record_list(f, from, &count);
    if (f->kind == FIELD_TEXTS && e->kept) json_kept_strings(j, list, count);
    else if (f->kind == FIELD_TEXTS) json_strings(j, list, count);
    else if (f->kind == FIELD_LABELS) json_labels(j, list, count);
    else if (f->kind == FIELD_AMOUNTS) json_resources(j, list, count);
    else if (f->kind == FIELD_PODS) write_pods(e, list, count);
    else write_structs(e, f, list, count);
}

static void write_value(const encoder *e, const record_field *f, const char *from)
{
    json_out *j = e->json;
    const void *member = from + f->at;
    switch ((field_kind)f->kind) {
    case FIELD_TEXT:
    case FIELD_NEEDED:
    case FIELD_NAME:
    case FIELD_TEXT_OR_NUMBER:
    case FIELD_QUANTITY: write_text(j, f, *(const karp_str *)member); break;
    case FIELD_INT32: json_int(j, *(const int32_t *)member); break;
    case FIELD_INT64:
    case FIELD_SOME: json_int(j, *(const int64_t *)member); break;
    case FIELD_UINT32: json_uint(j, *(const uint32_t *)member); break;
    case FIELD_UINT64: json_uint(j, *(const uint64_t *)member); break;
    case FIELD_SIZE: json_uint(j, *(const size_t *)member); break;
    case FIELD_LEAST: {
        uint32_t least = *(const uint32_t *)member;
        json_uint(j, least == KARP_MIN_VALUES_ZERO ? 0 : least);
        break;
    }
    case FIELD_BOOL:
    case FIELD_FLAG: json_bool(j, number_of(f, from) != 0); break;
    case FIELD_WORD: json_str(j, str(word_of(f->by.words, bits_of(f, member)))); break;
    case FIELD_NAMED: json_str(j, str(f->by.names->name(*(const uint32_t *)member))); break;
    case FIELD_POD: json_str(j, karp_decision_pod_name(e->decision, *(const uint32_t *)member)); break;
    case FIELD_JSON: json_value(j, *(const karp_str *)member); break;
    case FIELD_CONSTANT: json_str(j, str(f->by.text)); break;
    case FIELD_DIGEST: write_digest(j, *(const uint64_t *)member); break;
    case FIELD_TIME: write_time(j, *(const int64_t *)member); break;
    case FIELD_DURATION:
    case FIELD_DURATION_OR_NEVER: write_duration(j, *(const int64_t *)member); break;
    case FIELD_REAL:
    case FIELD_MONEY:
    case FIELD_PRICE:
    case FIELD_SUM: write_real(j, f, *(const double *)member); break;
    case FIELD_OBJECT: write_object(e, f->inner, member, f->flat); break;
    case FIELD_POINTER: write_object(e, f->inner, record_pointer(from, f->at), f->flat); break;
    case FIELD_NODE_LABELS: write_node_labels(e, (const void *)from); break;
    case FIELD_TEXTS:
    case FIELD_LABELS:
    case FIELD_AMOUNTS:
    case FIELD_LIST:
    case FIELD_PODS: write_list(e, f, from); break;
    case FIELD_LAUNCHES: write_range(e, f, from, &source_launches); break;
    case FIELD_PLACEMENTS: write_range(e, f, from, &source_placements); break;
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
            encode_given(e, f->inner, record_pointer(from, f->at));
        } else if (is_shown(f, from)) {
            json_plain_key(e->json, f->name, f->length);
            write_value(e, f, from);
        }
    }
}

karp_status write_record(write_call *call, const char *kind, const record *r, const void *given, uint32_t document)
{
    json_out json;
    const encoder e = { .json = &json, .job = &call->job, .document = document };
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
    encoder row = *e;
    row.kept = source == &source_launches; /* their lists are the decision's */
    bool fits = source->record->size <= sizeof room;
    write_refuse(e->job, fits ? source->row(of, index, &room) : KARP_E_INTERNAL, "a row cannot be read");
    write_object(&row, source->record, &room, source->flat);
}

enum { ROWS_BEFORE_GUESS = 32 };

/* The rows that are left are about as long as those before. */
static void expect_rows(write_buffer *out, size_t from, size_t rows, size_t left)
{
    size_t each = (out->text.len - from) / rows;
    if (each > 0 && left < SIZE_MAX / 2 / each) strbuf_expect(&out->text, each * left + each * left / 16);
}

void encode_some(const encoder *e, const char *key, const encode_source *source, const void *of, size_t first,
                 size_t count)
{
    json_member_array(e->json, key);
    size_t from = e->json->out->text.len;
    for (size_t i = 0; i < count; i++) {
        if (i == ROWS_BEFORE_GUESS) expect_rows(e->json->out, from, i, count - i);
        encode_row(e, source, of, first + i);
    }
    json_end(e->json);
}

void encode_all(const encoder *e, const char *key, const encode_source *source, const void *of)
{
    encode_some(e, key, source, of, 0, source->count(of));
}
