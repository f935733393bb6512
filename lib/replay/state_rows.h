/* SPDX-License-Identifier: Apache-2.0 */
/* Members of structs in the saved state of a replay. The same rows write them (engine_save.c) and read them again
 * (engine_resume.c). */
#ifndef REPLAY_STATE_ROWS_H
#define REPLAY_STATE_ROWS_H

#include <replay/common.h>

typedef enum state_kind {
    STATE_INT64,
    STATE_SOME, /* int64_t; INT64_MIN means "none" everywhere and is left out */
    STATE_UINT32,
    STATE_UINT64,
    STATE_REAL, /* double */
    STATE_FLAG, /* bool; false is left out */
    STATE_TEXT /* karp_str */
} state_kind;

typedef struct state_row {
    const char *name; /* NULL in a list */
    size_t offset;
    state_kind kind;
} state_row;

typedef struct state_rows {
    const state_row *rows;
    size_t count;
    const char *list; /* they are written as a list of this name; NULL = as a map */
} state_rows;

/* Members of a replay_pod, replay_node, replay_loss, replay_result and replay_point, whose first row is the time. */
extern const state_rows state_pod, state_node, state_loss, state_counters, state_point;
/* Members of an engine. */
extern const state_rows state_schedule, state_meter, state_sums;

/* Adds the members of the struct `from` to a map, or their values to a list. */
void state_write(trees *t, tree *into, const state_rows *rows, const void *from);
/* Sets the members of the struct `into`. A failure is recorded in the engine. */
void state_read(engine *e, const tree *from, const state_rows *rows, void *into);

/* Record that the state does not fit in this member: state_refuse() always, the others where the value is no number. */
void state_refuse(engine *e, const char *what);
int64_t state_number(engine *e, const tree *value, const char *what);
uint64_t state_count(engine *e, const tree *value, uint64_t most, const char *what); /* 0 … most */
double state_real(engine *e, const tree *value, const char *what);

#endif
