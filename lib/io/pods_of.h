/* SPDX-License-Identifier: Apache-2.0 */
/* The pods that the operator of a kind creates for an object: sets of equal pods. */
#pragma once

#include <io/pod_kinds.h>

/* Equal pods, named NAME-FIRST, NAME-(FIRST + 1) … */
typedef struct io_pod_set {
    tree *template_; /* metadata and spec, with what the operator adds */
    const tree *claims; /* volumeClaimTemplates; NULL = none */
    karp_str name;
    uint64_t first, count;
    uint64_t runs; /* pods that end are created until so many have succeeded; 0 = the pods stay */
    karp_str group; /* of pods that only an admission is asked for: their group; "" = as the template says */
    uint32_t group_source; /* KARP_GROUP_* */
} io_pod_set;

/* Finds another object of the input: its kind, namespace ("" = none) and name. NULL = it is not there. */
typedef const tree *io_find_object(void *user, const char *kind, karp_str namespace_, karp_str name);
/* How many pods run on the capacity of the ProvisioningRequest. */
typedef uint64_t io_count_consumers(void *user, karp_str namespace_, karp_str request);

typedef struct io_pods {
    karp_context *context;
    io_decoder *d; /* failures are recorded here, with the path of the field */
    trees *t; /* for what is made; it must live as long as the sets are used */
    io_find_object *find; /* NULL = nothing is found */
    io_count_consumers *consumers; /* NULL = there are none */
    void *user;
    int64_t now;
    const io_pod_kind *kind;
    uint32_t replicas_from; /* KARP_REPLICAS_* for what the operator scales by itself */
    bool queued; /* what waits for admission has its pods */
    const tree *object;
    karp_str namespace_, name;
    io_pod_set *sets;
    size_t count, capacity;
    karp_pod_group *groups; /* of these pods, that have no objects */
    size_t group_count, group_capacity;
    tree *notes; /* a list of texts */
    karp_str later; /* how many pods it has at its time; "" = that is now */
    karp_str problem; /* why its pods are not known; "" = they are */
    karp_str refused; /* why a webhook of its operator refuses the object; "" = it does not */
} io_pods;

/* Fills in the sets. The caller sets the members before `sets`; the others are zero. It calls io_pods_free() whatever
 * the result is, which is that of the decoder. */
karp_status io_pods_of(io_pods *p);
void io_pods_free(io_pods *p);

/* ---- for the functions of single kinds --------------------------------------------------------------------------- */

/* A text in the memory of the trees. */
karp_str io_pods_text(io_pods *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void io_pods_note(io_pods *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void io_pods_problem(io_pods *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void io_pods_refused(io_pods *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a set. Its template is a copy whose metadata, labels and spec may be changed, but nothing below them. NULL = a
 * failure. The pointer is valid until another set is added. */
io_pod_set *io_pods_add(io_pods *p, const tree *template_, karp_str name, uint64_t count);
void io_pods_add_group(io_pods *p, karp_pod_group group);
tree *io_set_spec(io_pods *p, const io_pod_set *set);
/* Adds a label, unless the template states it. */
void io_set_label(io_pods *p, const io_pod_set *set, const char *key, karp_str value);
/* Adds a container that requests these amounts; "" = none. `list` is "containers" or "initContainers". */
void io_set_container(io_pods *p, const io_pod_set *set, const char *list, const char *name, karp_str cpu,
                      karp_str memory);
/* The number of pods of what the operator scales between bounds by itself: `now`, or by the caller's choice one of the
 * bounds, with a note. `most` UINT64_MAX = there is none. */
uint64_t io_pods_scaled(io_pods *p, karp_str part, uint64_t now, uint64_t least, uint64_t most);
/* Adds a set for each template at each place of the kind, named by the object and the place. */
void io_pods_add_places(io_pods *p);
/* An integer member of the object at a path such as "/spec/parallelism"; not below `least`. */
int64_t io_pods_integer(io_pods *p, const char *path, int64_t least, int64_t absent);
