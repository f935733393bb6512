/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a repack plan in virtual time. */
#pragma once

#include <replay/engine_disrupt.h>

typedef struct replay_repack replay_repack;
karp_status repack_begin(engine *e);
void repack_free(engine *e);
bool repack_runs(const engine *e); /* no passes take place during a plan */
bool repack_owns(const engine *e, const replay_command *c); /* the command is the current step */
void repack_carried_out(engine *e, const replay_command *c); /* before its nodes are deleted */
void repack_refused(engine *e, uint32_t reason);
void repack_go_on(engine *e); /* at the end of a time */
void repack_finish(engine *e); /* at the end of the replay */
