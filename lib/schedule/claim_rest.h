/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims that are as good as full. A claim without room for a class seldom has any for the next smaller ones, so it is told
 * beforehand for how many turns it may rest: a search passes over it, and over a bucket that rests as a whole, without asking.
 *
 * Turns number the classes of a round as the queue has them, the biggest first. Only size counts here, which no topology, no
 * relaxation and no other claim changes; a claim that receives a pod rests no more.
 */
#ifndef SCHEDULE_CLAIM_REST_H
#define SCHEDULE_CLAIM_REST_H

#include <schedule/scheduler.h>

/* The classes that have entered the round get their turns, where there are enough of them for it to pay. false = refused. */
bool rest_begin_round(scheduler *s, uint32_t entered);
/* The turn of a class; NO_ID = no claim rests in this round. */
uint32_t rest_turn(const scheduler *s, uint32_t class_number);

static inline bool rests(const struct rest *r, uint32_t turn) { return turn - r->from < r->to - r->from; }
/* The claim has no room for the class whose turn it is; finds out for how long that goes on. */
void rest_from_now(const scheduler *s, claim *c, uint32_t turn);
/* The first claim of the bucket that does not rest; NO_ID = all do, which the bucket remembers. */
uint32_t rest_passes(const scheduler *s, bucket *b, uint32_t turn);

#endif
