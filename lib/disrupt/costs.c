/* SPDX-License-Identifier: Apache-2.0 */
#include <base/civil.h>
#include <disrupt/costs.h>
#include <base/str.h>

#include <decision/node_rows.h>
#include <math.h>
#include <model/decimal.h>

enum { COST_TEXT = 128 };

static bool infinite(karp_str t, double *out)
{
    karp_str word = t;
    if (t.len > 0 && (t.ptr[0] == '+' || t.ptr[0] == '-')) word = (karp_str){ t.ptr + 1, t.len - 1 };
    if (!equal_letters(word, str("inf")) && !equal_letters(word, str("infinity"))) return false;
    *out = t.ptr[0] == '-' ? -HUGE_VAL : HUGE_VAL;
    return true;
}

/* Parses as Karpenter does: decimals with an exponent, "Inf", and "_" between digits. */
static bool read_cost(karp_str t, double *out)
{
    char plain[COST_TEXT];
    size_t n = 0;
    if (infinite(t, out)) return true;
    if (t.len == 0 || t.len > sizeof plain) return false;
    for (size_t i = 0; i < t.len; i++) {
        if (t.ptr[i] != '_') plain[n++] = t.ptr[i];
        else if (i == 0 || i + 1 == t.len || !is_digit(t.ptr[i - 1]) || !is_digit(t.ptr[i + 1])) return false;
    }
    return decimal_parse(plain, n, out) == DECIMAL_OK;
}

/* Parses as Karpenter 1.15 does: a decimal int32 with an optional sign. */
static bool read_whole(karp_str t, double *out)
{
    size_t i = t.len > 0 && (t.ptr[0] == '+' || t.ptr[0] == '-') ? 1 : 0;
    int64_t value = 0;
    if (i == t.len) return false;
    for (; i < t.len; i++) {
        if (!is_digit(t.ptr[i]) || value > (INT64_C(1) << 31)) return false;
        value = value * 10 + (t.ptr[i] - '0');
    }
    if (t.ptr[0] == '-') value = -value;
    *out = (double)value;
    return value >= INT32_MIN && value <= INT32_MAX;
}

double eviction_cost_of(karp_str text, bool whole, bool has_priority, int32_t priority)
{
    double cost = 1.0, value;
    if (text.ptr != NULL && (whole ? read_whole(text, &value) : read_cost(text, &value))) cost += value / 134217728.0;
    if (has_priority) cost += (double)priority / 33554432.0;
    return cost < -10.0 ? -10.0 : cost > 10.0 ? 10.0 : cost;
}

cost_reading costs_read(const karp_snapshot *s, uint32_t profile, uint64_t rules)
{
    bool whole = rule_of(rules, RULE_WHOLE_EVICTION_COSTS);
    bool gate = (s->raw.settings.gates & KARP_GATE_POD_DELETION_COST) != 0;
    return (cost_reading){ .whole = whole,
                           .managed = whole && gate && rule_of(rules, RULE_DELETION_COST_GATE),
                           .proposal = profile == KARP_PROFILE_KARP };
}

/* The annotation in effect, NO_ID = none; an annotation with an invalid value is in effect, too (K15-6). */
static uint32_t cost_text(const pod_marks *marks, cost_reading how)
{
    if (how.whole && marks->disruption_cost != NO_ID) return marks->disruption_cost;
    if (how.proposal && marks->autoscaling_cost != NO_ID) return marks->autoscaling_cost;
    return how.managed ? NO_ID : marks->deletion_cost;
}

double eviction_cost(const karp_snapshot *s, cost_reading how, uint32_t pod_number)
{
    const pod *p = pod_at(&s->raw, pod_number);
    const shape *h = &s->raw.shapes.items[p->shape];
    uint32_t text = cost_text(store_marks(&s->raw, p), how);
    return eviction_cost_of(text == NO_ID ? (karp_str){ NULL, 0 } : text_of(s, text), how.whole, h->has_priority,
                            h->priority);
}

/* Rounds as Go's Duration.Seconds() does. */
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

double incremental_cost(const karp_snapshot *s, cost_reading how, const state_node *n)
{
    double cost = 1.0;
    for (uint32_t i = 0; i < n->pod_count; i++) {
        if (pod_at(&s->raw, n->pods[i])->flags & POD_OF_DAEMON_SET) continue;
        cost = cost_with(cost, eviction_cost(s, how, n->pods[i]));
    }
    return cost;
}

/* ---- prices of nodes --------------------------------------------------------------------------------------------- */

static uint32_t reservation_of(const karp_snapshot *s, label_list labels, bool reservations)
{
    return reservations && s->raw.reservation_id != NO_TEXT ? label_get(labels, s->raw.reservation_id) : NO_ID;
}

double labels_price(const karp_snapshot *s, uint32_t pool, label_list labels, bool reservations)
{
    return offering_price(s, pool, type_of_labels(s, pool, labels), label_get(labels, s->known.zone),
                          label_get(labels, s->known.capacity_type), reservation_of(s, labels, reservations));
}

double type_price(const karp_snapshot *s, const state_node *n, uint32_t type, bool reservations)
{
    return offering_price(s, n->pool, type, n->zone, n->capacity_type, reservation_of(s, n->labels, reservations));
}
