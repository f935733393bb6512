/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes trees to the structs of objects.h. The first failure is recorded with the path of its field. After that
 * every function returns its "absent" value, so that decoding code needs only one check at its end. Strings are
 * borrowed from the tree; arrays are allocated in the arena.
 */
#pragma once

#include <io/scan.h>
#include <records/record.h>

enum { IO_PATH_MOST = 40 };

typedef struct io_decoder {
    arena *arena;
    karp_status status;
    karp_error error;
    io_step path[IO_PATH_MOST];
    size_t depth;
    bool template_; /* decoding a pod template: requests are left as stated, names may be missing */
    uint32_t document; /* IN_…: only rows of this document are read; 0 = input objects, whose rows all are */
    const tree *pod; /* the pod being decoded; NULL in a template */
} io_decoder;

void io_decoder_init(io_decoder *d, arena *memory);

/* Records a failure with a message at the current path. Later failures are ignored. */
void io_bad(io_decoder *d, karp_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
void io_bad_member(io_decoder *d, const char *name, karp_status status, const char *message);
/* Writes the path as text, e.g. "spec.containers[0].name". */
void io_path_text(const io_step *path, size_t depth, char *into, size_t room);

/* The position of the field "spec.template.spec" of `root`, or as close to it as is known. */
io_place io_place_of_field(const io_place *place, const tree *root, const char *field);

void io_push(io_decoder *d, const char *name);
void io_push_key(io_decoder *d, karp_str key); /* must stay valid until io_pop() */
void io_push_index(io_decoder *d, size_t index);
void io_pop(io_decoder *d);

/* A NUL-terminated copy. "" after a failure, which is NOMEM. */
const char *io_c_string(io_decoder *d, karp_str text);

/* A zeroed array in the arena. The only failure is NOMEM. */
void *io_make(io_decoder *d, size_t count, size_t elem);

/* Convert the value of the member `name`. A wrong type is a failure; NULL means absent. */
const tree *io_as_object(io_decoder *d, const tree *value, const char *name);
const tree *io_as_array(io_decoder *d, const tree *value, const char *name);
karp_str io_as_string(io_decoder *d, const tree *value, const char *name);
int64_t io_as_integer(io_decoder *d, const tree *value, const char *name, int64_t least, int64_t most);
bool io_as_boolean(io_decoder *d, const tree *value, const char *name);

/* Members by name. Absent and null are the same. Most members are absent, so these functions are inline to avoid a
 * call then. */
static inline const tree *io_member(const io_decoder *d, const tree *object, const char *name)
{
    return d->status ? NULL : tree_get(object, name);
}
static inline const tree *io_object(io_decoder *d, const tree *object, const char *name)
{
    const tree *value = io_member(d, object, name);
    return value ? io_as_object(d, value, name) : NULL;
}
static inline const tree *io_array(io_decoder *d, const tree *object, const char *name, size_t *count)
{
    const tree *value = io_member(d, object, name);
    if (value) value = io_as_array(d, value, name);
    *count = tree_count(value);
    return value;
}
static inline karp_str io_string(io_decoder *d, const tree *object, const char *name)
{
    const tree *value = io_member(d, object, name);
    return tree_is(value, TREE_STRING) ? tree_text(value) : value ? io_as_string(d, value, name) : (karp_str){ "", 0 };
}
static inline int64_t io_integer(io_decoder *d, const tree *object, const char *name, int64_t least, int64_t most,
                                 int64_t absent)
{
    const tree *value = io_member(d, object, name);
    return value ? io_as_integer(d, value, name, least, most) : absent;
}
static inline bool io_boolean(io_decoder *d, const tree *object, const char *name, bool absent)
{
    const tree *value = io_member(d, object, name);
    return value ? io_as_boolean(d, value, name) : absent;
}
karp_str io_required_string(io_decoder *d, const tree *object, const char *name);
int64_t io_as_time(io_decoder *d, const tree *value, const char *name);
static inline int64_t io_time(io_decoder *d, const tree *object, const char *name) /* KARP_NO_TIME when absent */
{
    const tree *value = io_member(d, object, name);
    return value ? io_as_time(d, value, name) : KARP_NO_TIME;
}
int64_t io_as_duration(io_decoder *d, const tree *value, const char *name, bool never);
static inline int64_t io_duration(io_decoder *d, const tree *object, const char *name, bool never) /* KARP_DURATION_* */
{
    const tree *value = io_member(d, object, name);
    return value ? io_as_duration(d, value, name, never) : KARP_DURATION_UNSET;
}

/* One of the listed words; any other is a failure. */
uint32_t io_as_enum(io_decoder *d, const tree *value, const char *name, const record_word *choices, size_t count,
                    uint32_t absent);
static inline uint32_t io_enum(io_decoder *d, const tree *object, const char *name, const record_word *choices,
                               size_t count, uint32_t absent)
{
    const tree *value = io_member(d, object, name);
    return value ? io_as_enum(d, value, name, choices, count, absent) : absent;
}

/* Returns the member, which must be an object, and pushes its name on the path; the caller pops it. NULL when it is
 * absent. */
static inline const tree *io_enter(io_decoder *d, const tree *object, const char *name)
{
    const tree *value = io_object(d, object, name);
    io_push(d, name);
    return value;
}

/* Decodes each element of a list, which must be objects, into an array. NULL and a count of 0 when the list is
 * absent. */
typedef void io_decode_element(io_decoder *d, const tree *value, void *into);
const void *io_as_elements(io_decoder *d, const tree *value, const char *name, size_t elem, io_decode_element *decode,
                           size_t *count);
static inline const void *io_elements(io_decoder *d, const tree *object, const char *name, size_t elem,
                                      io_decode_element *decode, size_t *count)
{
    const tree *value = io_member(d, object, name);
    *count = 0;
    return value ? io_as_elements(d, value, name, elem, decode, count) : NULL;
}

/* The same for the members of an object, whose values can have any type. */
typedef void io_decode_member(io_decoder *d, karp_str key, const tree *value, void *into);
const void *io_as_members(io_decoder *d, const tree *value, const char *name, size_t elem, io_decode_member *decode,
                          size_t *count);
static inline const void *io_members(io_decoder *d, const tree *object, const char *name, size_t elem,
                                     io_decode_member *decode, size_t *count)
{
    const tree *value = io_member(d, object, name);
    *count = 0;
    return value ? io_as_members(d, value, name, elem, decode, count) : NULL;
}

/* An element of a list that must be an object; NULL after a failure. Its index is pushed on the path; the caller pops
 * it. */
const tree *io_element(io_decoder *d, const tree *array, size_t index);

/* ---- parts shared by many objects (decode_common.c) -------------------------------------------------------------- */

enum { IO_FOR_POD, IO_FOR_POOL }; /* selects the allowed operators */

const karp_str *io_strings(io_decoder *d, const tree *object, const char *name, size_t *count);
/* A number, or its text, as amounts of money are. false = it is neither. */
bool io_amount(const tree *value, double *out);
const karp_label *io_labels(io_decoder *d, const tree *object, const char *name, size_t *count);
const karp_resource *io_resources(io_decoder *d, const tree *object, const char *name, size_t *count);
/* The quantity in a tree node: a string, or a number converted to text. */
karp_str io_quantity(io_decoder *d, const tree *value);
const karp_requirement *io_requirements(io_decoder *d, const tree *object, const char *name, int for_what,
                                        size_t *count);
const karp_selector *io_selector(io_decoder *d, const tree *object, const char *name);
const karp_taint *io_taints(io_decoder *d, const tree *object, const char *name, size_t *count);
/* metadata. A name is required except in a template. */
karp_meta io_meta(io_decoder *d, const tree *object, bool namespaced);
/* KARP_BUDGET_* of a word; 0 = it is none of them. */
uint32_t io_budget_reason(karp_str word);
const karp_spread_constraint *io_spread(io_decoder *d, const tree *object, const char *name, size_t *count);

/* ---- objects ----------------------------------------------------------------------------------------------------- */

void io_decode_pod(io_decoder *d, const tree *object, karp_pod *pod);
/* The parts of a pod that pods of one workload share: labels, annotations, owners, spec; not names of generated claims.
 */
void io_decode_shared_pod(io_decoder *d, const tree *object, karp_pod *pod);
/* The other parts: name, uid, times, and the status. The members that have no field are left unchanged. */
void io_decode_own_meta(io_decoder *d, const tree *object, karp_pod *pod);
void io_decode_pod_status(io_decoder *d, const tree *object, karp_pod *pod);
/* A pod template: metadata and spec below `object`. */
void io_decode_template(io_decoder *d, const tree *object, karp_pod *pod);
void io_decode_selecting(io_decoder *d, const tree *object, uint32_t kind, karp_selecting *selecting);
