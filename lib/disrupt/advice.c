/* SPDX-License-Identifier: Apache-2.0 */
#include <disrupt/advice.h>

#include <base/context.h>
#include <base/error.h>
#include <base/sort.h>
#include <model/instant.h>

static const char termination_key[] = "karpenter.sh/nodeclaim-termination-timestamp";

karp_advice *advice_new(const karp_snapshot *snapshot, int64_t now)
{
    karp_advice *a = made_new(snapshot->context, sizeof *a);
    if (a == NULL) return NULL;
    a->snapshot = snapshot_hold(snapshot);
    a->now = now != 0 ? now : snapshot->raw.now;
    a->look_again = KARP_NO_TIME;
    return a;
}

karp_status advice_start(const karp_snapshot *snapshot, int64_t now, karp_advice **out, karp_advice **started,
                         karp_error *error)
{
    if (snapshot == NULL || out == NULL)
        return fail(error, KARP_E_INVALID, "a snapshot and a place for the advice are needed");
    *started = advice_new(snapshot, now);
    return *started != NULL ? KARP_OK : context_nomem(snapshot->context, error);
}

void karp_advice_free(karp_advice *advice)
{
    if (advice == NULL) return;
    list_free(advice->context, &advice->actions, sizeof(karp_action));
    list_free(advice->context, &advice->found, sizeof(karp_str));
    karp_snapshot_unref(advice->snapshot);
    made_free(advice, sizeof *advice);
}

void advise(karp_advice *a, karp_action action)
{
    static const karp_str none = { "", 0 };
    karp_action *slot = a->failed ? NULL : list_push(a->context, &a->actions, sizeof *slot);
    if (slot == NULL) {
        a->failed = true;
        return;
    }
    action.size = sizeof action;
    if (action.object_kind == KARP_MEANS_NOTHING) action.object_kind = action_object_kind(action.kind);
    if (action.subject.ptr == NULL) action.subject = none;
    if (action.value.ptr == NULL) action.value = none;
    *slot = action;
}

karp_str advice_text(karp_advice *a, const char *text, size_t length)
{
    const char *copy = arena_string(&a->data, text, length);
    if (copy == NULL) a->failed = true;
    return copy != NULL ? (karp_str){ copy, length } : (karp_str){ "", 0 };
}

void advice_found(karp_advice *a, karp_str claim)
{
    karp_str *slot = a->failed ? NULL : list_push(a->context, &a->found, sizeof *slot);
    if (slot != NULL) *slot = claim;
    else a->failed = true;
}

void advice_look_again(karp_advice *a, int64_t instant)
{
    if (a->look_again == KARP_NO_TIME || instant < a->look_again) a->look_again = instant;
}

static int by_object(const void *x, const void *y, const void *user)
{
    (void)user;
    return compare_str(((const karp_action *)x)->object, ((const karp_action *)y)->object);
}

karp_status advice_finish(karp_advice *a, karp_advice **out, karp_error *error)
{
    if (!a->failed &&
        !sort_stable(a->context, a->actions.items, a->actions.count, sizeof(karp_action), by_object, NULL))
        a->failed = true;
    if (a->failed) {
        karp_status status = context_nomem(a->context, error);
        karp_advice_free(a);
        return status;
    }
    *out = a;
    return KARP_OK;
}

size_t karp_advice_action_count(const karp_advice *advice) { return advice->actions.count; }
size_t karp_advice_found_count(const karp_advice *advice) { return advice->found.count; }
karp_str karp_advice_found(const karp_advice *advice, size_t index)
{
    return index < advice->found.count ? advice->found.items[index] : (karp_str){ NULL, 0 };
}
int64_t karp_advice_look_again(const karp_advice *advice) { return advice->look_again; }
uint32_t karp_advice_finished(const karp_advice *advice) { return advice->finished; }

karp_status karp_advice_action(const karp_advice *advice, size_t index, karp_action *out)
{
    if (out == NULL) return KARP_E_INVALID;
    if (index >= advice->actions.count) return KARP_E_NOT_FOUND;
    return struct_give(out, &advice->actions.items[index], sizeof *out, SIZE_THROUGH(karp_action, number));
}

void advise_termination_now(karp_advice *a, uint32_t claim_number) { advise_termination_at(a, claim_number, a->now); }

void advise_termination_at(karp_advice *a, uint32_t claim_number, int64_t instant)
{
    const karp_snapshot *s = a->snapshot;
    char text[INSTANT_TEXT];
    int64_t set;
    karp_str old = annotation(s, &s->raw.claims.items[claim_number].meta, termination_key);
    if (old.ptr != NULL && instant_parse(old.ptr, old.len, &set) && set < instant) return;
    size_t length = instant_format(floor_divide(instant, SECOND_NS) * SECOND_NS, text);
    advise(a, (karp_action){ .kind = KARP_ACTION_ANNOTATE_CLAIM,
                             .object = claim_name(s, claim_number),
                             .subject = str(termination_key),
                             .value = advice_text(a, text, length) });
}

/* ---- helpers of advice functions --------------------------------------------------------------------------------- */

uint32_t claim_named(const karp_snapshot *s, karp_str name)
{
    uint32_t id = strings_find(&s->raw.names, name.ptr, name.len);
    return id == NO_ID ? NO_ID : store_find(&s->raw, KIND_NODE_CLAIM, NO_TEXT, id);
}

static int by_claim_name(uint32_t x, uint32_t y, const void *user)
{
    return compare_str(claim_name(user, x), claim_name(user, y));
}

uint32_t *claims_by_name(karp_advice *a)
{
    size_t count = a->snapshot->raw.claims.count;
    uint32_t *order = arena_array(&a->data, count + 1, sizeof *order);
    for (uint32_t i = 0; i < count && order != NULL; i++) order[i] = i;
    if (order == NULL || !sort_ids(a->context, order, count, by_claim_name, a->snapshot))
        return mem_refused_null(&a->failed);
    return order;
}

uint32_t *nodes_of_claims(karp_advice *a)
{
    const karp_snapshot *s = a->snapshot;
    uint32_t *nodes = arena_array(&a->data, s->raw.claims.count + 1, sizeof *nodes);
    if (nodes == NULL) return mem_refused_null(&a->failed);
    for (size_t i = 0; i < s->raw.claims.count; i++) nodes[i] = NO_ID;
    for (uint32_t i = 0; i < s->node_count; i++) {
        if (s->nodes[i].claim != NO_ID) nodes[s->nodes[i].claim] = i;
    }
    return nodes;
}

const condition *condition_named(const karp_snapshot *s, condition_list list, const char *type)
{
    uint32_t id = strings_find(&s->raw.text, type, strlen(type));
    return id == NO_ID ? NULL : condition_find(list, id);
}

bool condition_is_true(const karp_snapshot *s, condition_list list, const char *type)
{
    const condition *c = condition_named(s, list, type);
    return c != NULL && str_is(text_of(s, c->status), "True");
}

karp_str annotation(const karp_snapshot *s, const object *o, const char *key)
{
    uint32_t id = strings_find(&s->raw.text, key, strlen(key)),
             value = id == NO_ID ? NO_ID : label_get(o->annotations, id);
    return value == NO_ID ? (karp_str){ NULL, 0 } : text_of(s, value);
}

uint32_t pool_of_labels(const karp_snapshot *s, label_list labels)
{
    uint32_t value = label_get(labels, s->known.node_pool);
    return value == NO_ID ? NO_ID : pool_named(s, text_of(s, value));
}

bool names_known(const karp_snapshot *s, const karp_str *list, size_t count, map64 *out)
{
    map64_init(out, s->context);
    for (size_t i = 0; i < count; i++) {
        uint32_t id = strings_find(&s->raw.names, list[i].ptr, list[i].len);
        if (id != NO_ID && !map64_put(out, id, 1)) return false;
    }
    return true;
}
