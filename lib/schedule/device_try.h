/* SPDX-License-Identifier: Apache-2.0 */
/* One step of the search for devices (dra.md D7, D8): adds a device to those that were chosen, or removes the last one
 * again. */
#pragma once

#include <schedule/device_run.h>

/* The position of the search: a slot of a request to be filled, or an alternative to be chosen. */
typedef struct position {
    uint32_t claim, request, slot;
    const live_request *alternative; /* the chosen alternative; NULL = the request itself */
} position;

typedef struct search_frame {
    position at;
    bool choosing; /* an alternative is being chosen, not a device */
    uint32_t next; /* the next option: an alternative, or an index in `pool` */
    uint32_t pool, slice;
    pool_views pools; /* when the frame was created */
    uint32_t pools_set; /* the requirements by which `pools` was filtered */
    uint32_t number; /* unique number of the frame; 0 is not used */
    bool some_failed; /* some kind of device failed in this search_frame */
    uint32_t began; /* answers_time() when the frame was created */
    arena_mark scratch; /* when the frame was created */
    /* Changes of the current option. */
    bool taken;
    uint32_t device, entries, constraints;
    uint32_t set;
} search_frame;

typedef struct search {
    scheduler *s;
    struct devices *d;
    allocation *a;
    uint32_t index, device_set; /* of the type; device_set NO_ID = no devices come with it */
    search_frame *frames;
    size_t depth, capacity;
    chosen *devices;
    size_t device_capacity;
    uint32_t device_count;
    entry *entries; /* amounts that the chosen devices consume */
    size_t entry_count, entry_capacity;
    pool_views pools;
    uint32_t pools_set; /* the requirements by which they were filtered */
    uint32_t set;
    uint32_t frame_count; /* number of frames created so far */
    uint32_t looked; /* number of options visited */
    uint32_t looks; /* of these, so many are not yet counted as a try */
} search;

/* The request at a position, or the alternative that was chosen for it. */
const live_request *request_at(const search *x, const position *p);
/* Whether the counters and the devices of mode All suffice for the type, as far as this is known before the search. */
bool all_devices_feasible(const search *x);
bool constraint_applies(const live_constraint *c, const live_request *r);
bool pool_exhausted(const search *x, uint32_t pool);
/* For a device that the search leaves out: whether it could be tried. If so, that counts as a visit (device_answers.h).
 */
bool note_visit(search *x, search_frame *f, uint32_t number);
/* Adds the device if it is available and its counters, capacity and constraints allow it. */
bool add_device(search *x, search_frame *f, uint32_t number);
/* Undoes it. Nothing happens if the frame has no device. */
void remove_device(search *x, search_frame *f);
