/* SPDX-License-Identifier: Apache-2.0 */
/* The label algebra over a handful of strings, and the laws that random requirements and sets have to obey. */
#ifndef SUPPORT_ALGEBRA_LAWS_H
#define SUPPORT_ALGEBRA_LAWS_H

#include <model/requirement.h>

enum { LAW_WORDS = 20 };

/* In the order of names, so that a string's rank is its number. */
typedef struct law_word {
    const char *text;
    int64_t number;
    int is_number;
} law_word;

extern const law_word law_words[LAW_WORDS];

typedef struct law_world {
    karp_context *context;
    algebra a;
    string_facts facts;
    uint32_t rank[LAW_WORDS], normalized[LAW_WORDS];
    string_number numbers[LAW_WORDS];
    uint8_t well_known[LAW_WORDS];
    uint32_t (*draw)(void *user, uint32_t below); /* a random number 0 … below - 1 */
    void *user;
} law_world;

/* The number of a word; NO_ID when there is none such. */
uint32_t law_word_id(const char *text);

/* `draw` is left for the caller to set. false = no memory. */
bool law_world_open(law_world *w);
void law_world_close(law_world *w);

/* Draws requirements or sets and compares every answer with one worked out value by value. NULL, or the law that does
 * not hold. */
const char *law_of_one_key(law_world *w);
const char *law_of_sets(law_world *w);

#endif
