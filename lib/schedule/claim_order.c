/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which open claims are tried: by pod count; among equals, who received a pod last comes first, new claims
 * come last. Buckets by count, each a linked list. */
#include <schedule/claim_order.h>

static bool bucket_of(scheduler *s, uint32_t pods)
{
    while (s->buckets.count <= pods) {
        bucket *b = list_push(s->context, &s->buckets, sizeof *b);
        if (b == NULL) {
            s->failed = true;
            return false;
        }
        *b = (bucket){ NO_ID, NO_ID };
    }
    if (pods > s->fullest) s->fullest = pods;
    return true;
}

void claim_unlink(scheduler *s, uint32_t number)
{
    claim *c = &s->claims.items[number];
    bucket *b = &s->buckets.items[c->pods];
    if (c->prev == NO_ID) b->first = c->next;
    else s->claims.items[c->prev].next = c->next;
    if (c->next == NO_ID) b->last = c->prev;
    else s->claims.items[c->next].prev = c->prev;
}

void claim_link_front(scheduler *s, uint32_t number)
{
    claim *c = &s->claims.items[number];
    if (!bucket_of(s, c->pods)) return;
    bucket *b = &s->buckets.items[c->pods];
    c->prev = NO_ID;
    c->next = b->first;
    if (b->first == NO_ID) b->last = number;
    else s->claims.items[b->first].prev = number;
    b->first = number;
}

void claim_link_back(scheduler *s, uint32_t number)
{
    claim *c = &s->claims.items[number];
    if (!bucket_of(s, c->pods)) return;
    bucket *b = &s->buckets.items[c->pods];
    c->next = NO_ID;
    c->prev = b->last;
    if (b->last == NO_ID) b->first = number;
    else s->claims.items[b->last].next = number;
    b->last = number;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

/* A refusal holds for the rest of the run when nothing but the claim itself decides: domains of other keys than the host
 * name change with every placement, wherever it is, and so do reservations. */
static bool may_run(const scheduler *s, const view *v)
{
    if (shape_of(s->snapshot, v->class_)->has_claims) return false; /* devices come free when another claim loses a type */
    return v->settled && !v->elsewhere && s->reservations.count == 0 && !s->kins.items[s->classes[v->class_].kin].barred_elsewhere;
}

void claim_run_begin(scheduler *s, uint32_t view_number, uint32_t *count, uint32_t *next)
{
    if (s->run.view == view_number) {
        *count = s->run.count;
        *next = s->run.next;
        return;
    }
    s->run.view = NO_ID;
    s->run.only = false;
    *count = 1;
    *next = s->fullest > 0 ? s->buckets.items[1].first : NO_ID;
}

void claim_run_placed(scheduler *s, uint32_t view_number, uint32_t count, uint32_t next)
{
    if (!may_run(s, &s->views.items[view_number])) {
        s->run.view = NO_ID;
        return;
    }
    s->run.view = view_number;
    if (s->run.only) return; /* still the same claim */
    s->run.count = count;
    s->run.next = next;
}

void claim_run_opened(scheduler *s, uint32_t view_number, uint32_t number)
{
    s->run.view = may_run(s, &s->views.items[view_number]) ? view_number : NO_ID;
    s->run.only = true;
    s->run.next = number;
}

void claim_run_end(scheduler *s)
{
    s->run.view = NO_ID;
    s->run.only = false;
}
