/* SPDX-License-Identifier: Apache-2.0 */
/* Members of structs in the saved state of a replay. The same rows write them (engine_save.c) and read them again
 * (engine_resume.c). */
#pragma once

#include <records/tables.h>
#include <replay/common.h>

/* Members of a replay_pod, replay_node, replay_loss, replay_backoff, replay_result and replay_point, whose first row is
 * the time. */
extern const record state_pod, state_node, state_loss, state_backoff, state_counters, state_point;
/* Members of an engine. */
extern const record state_schedule, state_meter, state_sums;

/* Adds the members of the struct `from` to a map, or their values to a list. A member that is itself a struct is a
 * list. In a map, numbers that are none and flags that are not set are left out. */
void state_write(trees *t, tree *into, const record *r, const void *from);
/* Sets the members of the struct `into`. `list` = the name of the list `from`, for errors; NULL = it is a map. A
 * failure is recorded in the engine. */
void state_read(engine *e, const tree *from, const record *r, const char *list, void *into);

/* Record that the state does not fit in this member: state_refuse() always, the others where the value is no number. */
void state_refuse(engine *e, const char *what);
int64_t state_number(engine *e, const tree *value, const char *what);
uint64_t state_count(engine *e, const tree *value, uint64_t most, const char *what); /* 0 … most */
double state_real(engine *e, const tree *value, const char *what);
