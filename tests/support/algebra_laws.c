/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra_laws.h"

#include <string.h>

#include <karp/objects.h>

const law_word law_words[LAW_WORDS] = {
    { "+4", 4, 1 },
    { "-3", -3, 1 },
    { "0", 0, 1 },
    { "007", 7, 1 },
    { "1", 1, 1 },
    { "1.5", 0, 0 },
    { "10", 10, 1 },
    { "2", 2, 1 },
    { "5", 5, 1 },
    { "8", 8, 1 },
    { "9", 9, 1 },
    { "9223372036854775807", INT64_MAX, 1 },
    { "a", 0, 0 },
    { "b", 0, 0 },
    { "beta.kubernetes.io/arch", 0, 0 },
    { "c", 0, 0 },
    { "k", 0, 0 },
    { "kubernetes.io/arch", 0, 0 },
    { "kubernetes.io/hostname", 0, 0 },
    { "m", 0, 0 },
};

uint32_t law_word_id(const char *text)
{
    for (uint32_t i = 0; i < LAW_WORDS; i++) {
        if (strcmp(law_words[i].text, text) == 0) return i;
    }
    return NO_ID;
}

bool law_world_open(law_world *w)
{
    memset(w, 0, sizeof *w);
    for (uint32_t i = 0; i < LAW_WORDS; i++) {
        w->rank[i] = w->normalized[i] = i;
        w->numbers[i] = (string_number){ law_words[i].number, law_words[i].is_number };
    }
    w->well_known[law_word_id("kubernetes.io/arch")] = 1;
    w->normalized[law_word_id("beta.kubernetes.io/arch")] = law_word_id("kubernetes.io/arch");
    w->facts = (string_facts){
        w->rank, w->numbers, w->well_known, w->normalized, law_word_id("kubernetes.io/hostname"), LAW_WORDS
    };
    if (karp_context_new(NULL, &w->context, NULL) != KARP_OK) return false;
    if (algebra_init(&w->a, w->context, &w->facts, NULL)) return true;
    karp_context_unref(w->context);
    return false;
}

void law_world_close(law_world *w)
{
    algebra_free(&w->a);
    karp_context_unref(w->context);
}

/* ---- one key ----------------------------------------------------------------------------------------------------- */

static uint32_t any_requirement(law_world *w, uint32_t key)
{
    enum { NUMBERS = 11 }; /* the words before this one mostly spell numbers */
    uint32_t of_range = 0, made = NO_ID;
    for (uint32_t depth = 0; depth < 8; depth++) {
        uint32_t values[4], op = KARP_OP_IN + w->draw(w->user, 8), n = w->draw(w->user, 5);
        for (uint32_t i = 0; i < n; i++) values[i] = w->draw(w->user, LAW_WORDS);
        of_range = op >= KARP_OP_GT;
        if (of_range) values[0] = w->draw(w->user, NUMBERS);
        uint32_t r = requirement_make(&w->a, key, op, values, of_range ? 1 : n, w->draw(w->user, 4));
        made = made == NO_ID ? r : requirement_meet(&w->a, made, r);
        if (w->draw(w->user, 3) != 0) break;
    }
    return made;
}

static bool allows(law_world *w, uint32_t r, uint32_t value)
{
    return requirement_has(&w->a, requirement_get(&w->a, r), value);
}

static const char *law_of_meet(law_world *w, uint32_t x, uint32_t y, uint32_t meet)
{
    const requirement *rx = requirement_get(&w->a, x), *ry = requirement_get(&w->a, y),
                      *r = requirement_get(&w->a, meet);
    if (r->min_values != (rx->min_values > ry->min_values ? rx->min_values : ry->min_values))
        return "the larger minValues stays";
    for (uint32_t v = 0; v < LAW_WORDS; v++) {
        if (requirement_has(&w->a, r, v) != (requirement_has(&w->a, rx, v) && requirement_has(&w->a, ry, v)))
            return "x ∧ y allows what x and y allow";
    }
    for (uint32_t i = 1; i < r->value_count; i++) {
        if (w->rank[r->values[i - 1]] >= w->rank[r->values[i]]) return "values are in the order of names";
    }
    return NULL;
}

const char *law_of_one_key(law_world *w)
{
    algebra *a = &w->a;
    uint32_t k = law_word_id("k"), x = any_requirement(w, k), y = any_requirement(w, k), z = any_requirement(w, k);
    uint32_t xy = requirement_meet(a, x, y), yx = requirement_meet(a, y, x);
    uint32_t left = requirement_meet(a, xy, z), right = requirement_meet(a, x, requirement_meet(a, y, z));
    bool overlap = requirement_overlap(a, x, y);
    if (a->failed) return NULL; /* memory was refused: there is nothing to judge */
    if (xy != yx) return "x ∧ y = y ∧ x";
    if (requirement_meet(a, x, x) != x) return "x ∧ x = x";
    const char *broken = law_of_meet(w, x, y, xy);
    if (broken != NULL) return broken;
    if (overlap != (requirement_op(requirement_get(a, xy)) != KARP_OP_DOES_NOT_EXIST))
        return "HasIntersection is that x ∧ y is not empty";
    if (overlap != requirement_overlap(a, y, x)) return "HasIntersection is symmetric";
    bool negative = requirement_negative(requirement_get(a, x)) && requirement_negative(requirement_get(a, y));
    if (requirement_agree(a, x, y) != (overlap || negative)) return "two agree that overlap or only exclude";
    for (uint32_t v = 0; v < LAW_WORDS; v++) {
        if (allows(w, left, v) != allows(w, right, v)) return "(x ∧ y) ∧ z = x ∧ (y ∧ z)";
    }
    return NULL;
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/* A set as a plain array by key. */
enum { KEYS = 4 };
typedef struct plain {
    uint32_t of_key[KEYS];
} plain;
static const char *const key_names[KEYS] = { "a", "k", "kubernetes.io/arch", "m" };
enum { WELL_KNOWN_KEY = 2 };

static plain any_plain(law_world *w, uint32_t *set)
{
    plain p;
    *set = EMPTY_SET;
    for (uint32_t i = 0; i < KEYS; i++) {
        p.of_key[i] = w->draw(w->user, 2) ? any_requirement(w, law_word_id(key_names[i])) : NO_ID;
        if (p.of_key[i] != NO_ID) *set = set_add(&w->a, *set, p.of_key[i]);
    }
    return p;
}

static bool plain_agree(law_world *w, const plain *x, const plain *y)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        if (x->of_key[i] != NO_ID && y->of_key[i] != NO_ID && !requirement_agree(&w->a, x->of_key[i], y->of_key[i]))
            return false;
    }
    return true;
}

static bool plain_compatible(law_world *w, const plain *supply, const plain *asked, bool lenient)
{
    for (uint32_t i = 0; i < KEYS; i++) {
        if (asked->of_key[i] == NO_ID || supply->of_key[i] != NO_ID || (lenient && i == WELL_KNOWN_KEY)) continue;
        if (!requirement_negative(requirement_get(&w->a, asked->of_key[i]))) return false;
    }
    return plain_agree(w, supply, asked);
}

static const char *law_of_set_meet(law_world *w, const plain *px, const plain *py, uint32_t x, uint32_t y)
{
    uint32_t meet = set_meet(&w->a, x, y), k = law_word_id("k");
    if (meet != set_meet(&w->a, y, x)) return "sets: x ∧ y = y ∧ x";
    for (uint32_t i = 0; i < KEYS; i++) {
        uint32_t a = px->of_key[i], b = py->of_key[i],
                 expected = a == NO_ID   ? b
                            : b == NO_ID ? a
                                         : requirement_meet(&w->a, a, b);
        if (set_get(&w->a, meet, law_word_id(key_names[i])) != expected) return "sets meet key by key";
    }
    if (set_get(&w->a, set_remove(&w->a, x, k), k) != NO_ID) return "what is removed is gone";
    if (py->of_key[1] != NO_ID && set_get(&w->a, set_replace(&w->a, x, py->of_key[1]), k) != py->of_key[1])
        return "what is replaced is there";
    return NULL;
}

const char *law_of_sets(law_world *w)
{
    uint32_t x, y;
    plain px = any_plain(w, &x), py = any_plain(w, &y);
    if (w->a.failed) return NULL;
    bool lenient = plain_compatible(w, &px, &py, true), undefined;
    if (set_agree(&w->a, x, y) != plain_agree(w, &px, &py)) return "Intersects, key by key";
    if (set_compatible(&w->a, x, y, false) != plain_compatible(w, &px, &py, false)) return "Compatible, key by key";
    if (set_compatible(&w->a, x, y, true) != lenient) return "Compatible with undefined well-known labels, key by key";
    if ((set_first_conflict(&w->a, x, y, true, &undefined) == NO_ID) != lenient)
        return "there is a first conflict where two are not compatible";
    return law_of_set_meet(w, &px, &py, x, y);
}
