/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <stdlib.h>

#include "devices.h"
#include "memory.h"
#include "scheduler.h"

static char *decide(const json_t *doc, const char *base_dir)
{
    struct scheduler *s = ref_alloc(sizeof *s);
    s->world = ref_world_read(doc);
    ref_pools_read(s, base_dir);
    if (ref_fault_text() != NULL) {
        return NULL;
    }
    if (s->pool_count > 0) {
        ref_solve(s);
    } else {
        ref_ignore_all(s->world); /* (1) step 5 */
    }
    char *text = ref_print(s);
    if (ref_fault_text() != NULL) {
        free(text);
        text = NULL;
    }
    return text;
}

char *reference_plan(json_t *snapshot, const char *base_dir)
{
    ref_fault_clear();
    ref_keep_document(json_incref(snapshot));
    char *text = decide(snapshot, base_dir);
    ref_drop_documents();
    ref_free_all();
    return text;
}

static _Thread_local unsigned followed = 1015;

void reference_follow(unsigned version) { followed = version; }

bool ref_since(unsigned version) { return followed >= version; }

static _Thread_local bool remembers = true;

void reference_remember_selectors(bool remember) { remembers = remember; }

bool ref_remembers_selectors(void) { return remembers; }

const char *reference_error(void) { return ref_fault_text(); }
