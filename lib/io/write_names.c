/* SPDX-License-Identifier: Apache-2.0 */
/* Writes pod names for people: pods of one workload share a pair of braces. */
#include "write_rows.h"

#include <base/sort.h>

#include <karp/library.h>

typedef struct split_name {
    karp_str head; /* up to and including the last '-' */
    karp_str tail;
    bool is_number; /* of at most nine digits, without leading zeros */
    bool is_suffix; /* a number, or a ReplicaSet's suffix of five letters and digits */
    uint32_t number;
} split_name;

static split_name split(karp_str name)
{
    size_t dash = name.len;
    if (name.len == 0) {
        return (split_name){ .head = { "", 0 }, .tail = { "", 0 } };
    }
    while (dash > 0 && name.ptr[dash - 1] != '-') dash--;
    split_name s = { .head = { name.ptr, dash }, .tail = { name.ptr + dash, name.len - dash } };
    if (dash == 0 || s.tail.len == 0) return s;
    bool digits = s.tail.len <= 9 && (s.tail.len == 1 || s.tail.ptr[0] != '0');
    bool word = s.tail.len == 5;
    for (size_t i = 0; i < s.tail.len; i++) {
        char c = s.tail.ptr[i];
        bool digit = c >= '0' && c <= '9';
        digits = digits && digit;
        word = word && (digit || (c >= 'a' && c <= 'z'));
        s.number = digits ? s.number * 10 + (uint32_t)(c - '0') : 0;
    }
    s.is_number = digits;
    s.is_suffix = digits || word;
    return s;
}

karp_str text_workload(karp_str pod)
{
    split_name name = split(pod);
    return name.is_suffix ? (karp_str){ name.head.ptr, name.head.len - 1 } : pod;
}

static size_t digit_count(uint32_t number)
{
    char digits[20];
    return write_digits(digits, number);
}

/* The number of names from pods[first] on that share one pair of braces. */
static size_t run_length(const karp_decision *decision, const uint32_t *pods, size_t first, size_t count)
{
    split_name head = split(karp_decision_pod_name(decision, pods[first]));
    size_t length = 1;
    while (head.is_suffix && first + length < count) {
        split_name next = split(karp_decision_pod_name(decision, pods[first + length]));
        if (!next.is_suffix || next.is_number != head.is_number || !equal_str(next.head, head.head)) break;
        length++;
    }
    return length;
}

/* Begins a piece of a brace list. The first piece is preceded by the head and '{'. */
static bool open_piece(text_flow *flow, karp_str head, bool is_first, size_t columns)
{
    write_buffer *b = flow->t->out;
    bool spaced = is_first && flow->column > flow->indent;
    size_t size = columns + 1 + (is_first ? text_columns(head) + 1 : 0);
    if (!flow_fits(flow, size + (spaced ? 1 : 0))) return false;
    if (spaced && !flow->wrapped) buffer_char(b, ' ');
    if (is_first) {
        text_clean(b, head);
        buffer_char(b, '{');
    }
    return true;
}

static size_t write_numbers(text_flow *flow, karp_str head, const uint32_t *numbers, size_t count)
{
    write_buffer *b = flow->t->out;
    size_t at = 0;
    while (at < count) {
        size_t end = at + 1;
        while (end < count && numbers[end] == numbers[end - 1] + 1) end++;
        bool range = end - at >= 3;
        end = range ? end : at + 1;
        size_t columns = digit_count(numbers[at]) + (range ? 2 + digit_count(numbers[end - 1]) : 0);
        if (!open_piece(flow, head, at == 0, columns)) return at;
        buffer_uint(b, numbers[at]);
        if (range) {
            buffer_between_u(b, "..", numbers[end - 1], "");
        }
        buffer_char(b, end == count ? '}' : ',');
        at = end;
    }
    return count;
}

static size_t write_suffixes(text_flow *flow, const karp_decision *decision, const uint32_t *pods, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        split_name name = split(karp_decision_pod_name(decision, pods[i]));
        if (!open_piece(flow, name.head, i == 0, text_columns(name.tail))) return i;
        text_clean(flow->t->out, name.tail);
        buffer_char(flow->t->out, i + 1 == count ? '}' : ',');
    }
    return count;
}

static size_t write_single(text_flow *flow, karp_str name)
{
    bool spaced = flow->column > flow->indent;
    if (!flow_fits(flow, text_columns(name) + (spaced ? 1 : 0))) return 0;
    if (spaced && !flow->wrapped) buffer_char(flow->t->out, ' ');
    text_clean(flow->t->out, name);
    return 1;
}

void text_pods(text_flow *flow, const write_job *job, const karp_decision *decision, const uint32_t *pods, size_t count)
{
    uint32_t *numbers = write_array(job, count, sizeof(*numbers));
    if (numbers == NULL) return;
    size_t done = 0;
    while (done < count) {
        size_t length = run_length(decision, pods, done, count);
        split_name head = split(karp_decision_pod_name(decision, pods[done]));
        size_t written;
        if (length == 1) {
            written = write_single(flow, karp_decision_pod_name(decision, pods[done]));
        } else if (head.is_number) {
            for (size_t i = 0; i < length; i++)
                numbers[i] = split(karp_decision_pod_name(decision, pods[done + i])).number;
            if (!sort_numbers(job->context, numbers, length)) flow->t->out->text.failed = true;
            written = write_numbers(flow, head.head, numbers, length);
        } else {
            written = write_suffixes(flow, decision, pods + done, length);
        }
        done += written;
        if (written < length) {
            buffer_between_u(flow->t->out, " \xe2\x80\xa6 and ", count - done, " more");
            break;
        }
    }
    karp_free(job->context, numbers, (count == 0 ? 1 : count) * sizeof(*numbers));
}
