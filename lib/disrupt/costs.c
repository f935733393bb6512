/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/costs.h>

#include <math.h>
#include <model/decimal.h>
#include <model/instant.h>
#include <schedule/movable.h>

enum { COST_TEXT = 128 };

static bool letters(karp_str t, const char *word, size_t length)
{
    if (t.len != length) return false;
    for (size_t i = 0; i < length; i++) {
        char c = t.ptr[i] >= 'A' && t.ptr[i] <= 'Z' ? (char)(t.ptr[i] - 'A' + 'a') : t.ptr[i];
        if (c != word[i]) return false;
    }
    return true;
}

static bool infinite(karp_str t, double *out)
{
    karp_str word = t;
    if (t.len > 0 && (t.ptr[0] == '+' || t.ptr[0] == '-')) word = (karp_str){ t.ptr + 1, t.len - 1 };
    if (!letters(word, "inf", 3) && !letters(word, "infinity", 8)) return false;
    *out = t.ptr[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
}

static bool digit(char c) { return c >= '0' && c <= '9'; }

/* As Karpenter reads it: decimals with an exponent, "Inf", and "_" between digits. */
static bool read_cost(karp_str t, double *out)
{
    char plain[COST_TEXT];
    size_t n = 0;
    if (infinite(t, out)) return true;
    if (t.len == 0 || t.len > sizeof plain) return false;
    for (size_t i = 0; i < t.len; i++) {
        if (t.ptr[i] != '_') plain[n++] = t.ptr[i];
        else if (i == 0 || i + 1 == t.len || !digit(t.ptr[i - 1]) || !digit(t.ptr[i + 1])) return false;
    }
    return decimal_parse(plain, n, out) == DECIMAL_OK;
}

double eviction_cost_of(karp_str deletion_cost, bool has_priority, int32_t priority)
{
    double cost = 1.0, value;
    if (deletion_cost.ptr != NULL && read_cost(deletion_cost, &value)) cost += value / 134217728.0;
    if (has_priority) cost += (double)priority / 33554432.0;
    return cost < -10.0 ? -10.0 : cost > 10.0 ? 10.0 : cost;
}

double eviction_cost(const karp_snapshot *s, uint32_t pod_number)
{
    const pod *p = pod_at(&s->raw, pod_number);
    const shape *h = &s->raw.shapes.items[p->shape];
    uint32_t text = store_marks(&s->raw, p)->deletion_cost;
    return eviction_cost_of(text == NO_ID ? (karp_str){ NULL, 0 } : text_of(s, text), h->has_priority, h->priority);
}

/* As Go's Duration.Seconds() rounds. */
static double seconds(int64_t duration)
{
    return (double)(duration / SECOND_NS) + (double)(duration % SECOND_NS) / 1e9;
}

double lifetime_remaining(int64_t creation, int64_t expire_after, int64_t now)
{
    if (expire_after == KARP_DURATION_UNSET || expire_after == KARP_DURATION_NEVER) return 1.0;
    if (expire_after <= 0 || creation == KARP_NO_TIME) return 0.0;
    int64_t age;
    if (__builtin_sub_overflow(now, creation, &age)) age = now < creation ? INT64_MIN : INT64_MAX;
    double life = seconds(expire_after), left = (life - seconds(age)) / life;
    return left < 0.0 ? 0.0 : left > 1.0 ? 1.0 : left;
}

double disruption_cost_of(const karp_snapshot *s, const uint32_t *pods, uint32_t count)
{
    double cost = 1.0;
    for (uint32_t i = 0; i < count; i++) {
        double one = eviction_cost(s, pods[i]);
        if (one > 0.0) cost += one;
    }
    return cost;
}

double incremental_cost(const karp_snapshot *s, const state_node *n)
{
    double cost = 1.0;
    for (uint32_t i = 0; i < n->pod_count; i++) {
        if (pod_at(&s->raw, n->pods[i])->flags & POD_OF_DAEMON_SET) continue;
        double one = eviction_cost(s, n->pods[i]);
        if (one > 0.0) cost += one;
    }
    return cost;
}
