/* SPDX-License-Identifier: Apache-2.0 */
/* The reader's inside. Text becomes trees (read_json.c, read_yaml.c); a tree is an object of a Snapshot, which goes into
 * the builder as it is, or a plain object, which waits as a tree, over the text that it was read from, until everything
 * that fills it in is known (finish.c). Every function returns the status and leaves the error in reader->error. */
#ifndef IO_READER_H
#define IO_READER_H

#include <io/decode.h>
#include <io/kinds.h>
#include <karp/provider.h>

/* A plain object that waits for the end of the input. */
typedef struct io_waiting {
    const io_kind_info *info;
    karp_str namespace_; /* "default" filled in; "" for kinds without */
    karp_str name;
    tree *root; /* in reader->trees */
    karp_str document;
    karp_str text; /* as in io_place: of JSON, where it lasts as long as the tree; else ptr NULL */
    uint32_t line, column;
    uint64_t offset;
    bool stated; /* of a Snapshot: nothing is filled in */
    bool held; /* likewise, and not in the builder yet, as changes may be laid over it */
    bool changed; /* a workload whose number of pods was changed (change.c) */
    bool gone; /* deleted */
    bool replaced; /* it was read as what takes the place of others */
    bool scaled; /* the caller has chosen its replicas */
} io_waiting;

/* A ReplicaSet of pods, and the Deployment that its name tells. */
typedef struct io_named_set {
    karp_str namespace_, name, deployment;
} io_named_set;

/* Objects of a sort that the decision does not use. */
typedef enum io_unused_kind_of {
    IO_UNUSED_OVERLAYS,
    IO_UNUSED_BUFFERS,
    IO_UNUSED_WORKLOADS,
    IO_UNUSED_SUSPENDED,
    IO_UNUSED_NODES,
    IO_UNUSED_KINDS
} io_unused_kind_of;

typedef struct io_unused_count {
    karp_str first;
    size_t count;
} io_unused_count;

typedef struct io_static_pool {
    karp_str name;
    int64_t replicas, most_nodes; /* most_nodes: limits.nodes, INT64_MAX = none */
    bool ready;
} io_static_pool;

/* An object as it went into the builder: one of the canonical Snapshot. */
typedef struct io_kept {
    karp_str kind;
    karp_str namespace_;
    karp_str name;
    karp_str api_version;
    karp_str text;
} io_kept;

/* The canonical Snapshot's order and digest. */
typedef struct io_canonical {
    const void **order; /* of reader->kept; NULL until it is needed */
    char digest[65]; /* "" until it is asked for */
} io_canonical;

typedef struct io_given_catalogue {
    karp_catalogue *catalogue;
    const karp_str *pools;
    size_t pool_count;
} io_given_catalogue;

/* Members of a Snapshot beside its objects; NULL = absent. */
typedef struct io_snapshot_head {
    tree *now;
    tree *settings;
    tree *labels;
    tree *state;
} io_snapshot_head;

struct karp_reader {
    karp_context *context;
    karp_builder *builder; /* lives as long as the reader: it also keeps the context alive */
    karp_reader_options options;
    uint32_t max_nesting;
    uint64_t max_aliases;
    uint64_t max_bytes;
    uint64_t max_pods;
    arena keep; /* until the reader is freed */
    arena scratch; /* until the next object */
    trees trees; /* of objects that wait; until the reader is freed */
    trees passing; /* of objects that do not; until the next one */
    karp_error error;
    bool failed;
    bool finished;
    karp_str directory; /* of the file being read: what catalogue paths start from; "" = none */

    bool has_snapshot;
    bool has_now; /* the Snapshot states it */
    int64_t now;
    uint32_t method;
    karp_str settings_text, labels_text, state_text; /* canonical, for the dump */

    bool has_catalogues; /* the Snapshot states them */
    bool own_catalogues; /* karp_reader_add_catalogue() was called */
    karp_provider *given_provider; /* karp_reader_set_provider() */
    karp_provider *provider; /* opened here; likewise below */
    karp_provider *checker; /* of node classes, before the region is known */
    bool auto_mode_here; /* the object that was looked through has labels of EKS Auto Mode */
    bool old_objects; /* v1alpha5 ones came up: labels of their time are renamed */
    io_given_catalogue *catalogues;
    size_t catalogue_count, catalogue_capacity;
    io_table catalogue_files; /* path -> index in catalogues */

    io_waiting *waiting;
    size_t waiting_count, waiting_capacity;
    io_named_set *sets;
    size_t set_count, set_capacity;
    bool only_prices; /* what is read has to be objects of that kind */
    bool plays; /* what is read changes with time: workloads are scaled, static NodePools launch */
    bool replacing; /* what is read takes the place of what was read before */
    bool changes; /* something was replaced, deleted or scaled */
    uint32_t gates; /* that decisions are made with: KARP_GATE_* */
    uint32_t gates_given, gates_on; /* of the options */
    io_unused_count unused[IO_UNUSED_KINDS];
    struct io_node_kind *node_kinds; /* node_kinds.h; likewise the next four */
    size_t node_kind_count, node_kind_capacity;
    io_table node_kind_names; /* -> index */
    double pending_vcpus; /* that pods without a node request */
    bool prices_known, commits; /* all Prices have been read; some have commitments */
    struct io_pool_values *pool_values; /* known_values.c */
    size_t pool_value_count, pool_value_capacity;
    io_static_pool *statics;
    size_t static_count, static_capacity;
    io_kept *kept;
    size_t kept_count, kept_capacity;
    io_canonical *
        canonical; /* what is made of them when it is first asked for (dump.c); its own block, as the reader is const then */

    io_table names; /* "Kind\nnamespace/name" of every object -> index in waiting, or IO_STATED */
    int64_t latest; /* the latest time stated, KARP_NO_TIME = none */
    char catalogue_title[128]; /* "" until it is asked for */
    karp_str region; /* told by labels */
    uint32_t region_rank;

    karp_str *warnings;
    size_t warning_count, warning_capacity;
    io_table warned;
    uint32_t doubts; /* doubts.c: what has been noted already */
    uint32_t unknown_fields; /* fields.c: how many have been noted */

    /* Takes the documents of YAML text instead of io_read_tree(); NULL = none. A failure is in reader->error. */
    karp_status (*take)(karp_reader *reader, tree *root, const io_place *place, void *user);
    void *take_user;
};

#define IO_STATED (UINT32_MAX - 1)

/* ---- errors and warnings ------------------------------------------------------------------------------------------ */

karp_status io_reader_nomem(karp_reader *reader);
/* Hands an error to the caller, whose struct may be smaller; returns its status. */
karp_status io_give_error(const karp_error *from, karp_error *to);
/* Takes over a decoder's failure: document, line, object and field. */
karp_status io_reader_bad(karp_reader *reader, const io_decoder *d, const io_place *place, const tree *root);
/* Names the object of reader->error. */
void io_reader_name(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name);
/* A failure at a place, with the field given or NULL. */
karp_status io_reader_fail(karp_reader *reader, karp_status status, const io_place *place, const char *field,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));
karp_status io_warn(karp_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Only the first time that this text comes up. */
karp_status io_warn_once(karp_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A copy in reader->keep; ptr NULL = no memory. */
karp_str io_keep(karp_reader *reader, karp_str text);
karp_str io_keep_json(karp_reader *reader, const tree *root);

/* ---- text to objects ------------------------------------------------------------------------------------------------ */

karp_status io_read_json(karp_reader *reader, karp_str document, karp_str text);
karp_status io_read_yaml(karp_reader *reader, karp_str document, karp_str text);
/* One document as a tree: an object, a List, a Snapshot. `stated` = inside a Snapshot. */
karp_status io_read_tree(karp_reader *reader, tree *root, const io_place *place, bool stated);
/* One element of a list; a typed list ("PodList") lends its elements their kind. */
karp_status io_read_item(karp_reader *reader, tree *item, const io_place *place, bool stated, karp_str list_kind,
                         karp_str list_api_version);

/* ---- Snapshot ------------------------------------------------------------------------------------------------------- */

karp_status io_snapshot_begin(karp_reader *reader, const io_place *place);
/* `root` has the places of the head's members. */
karp_status io_snapshot_head_read(karp_reader *reader, const io_snapshot_head *head, const io_place *place,
                                  const tree *root);
/* One entry of `catalogues`: its members without instanceTypes, and the text of those (ptr NULL = absent). */
karp_status io_snapshot_catalogue(karp_reader *reader, const tree *entry, karp_str types, const io_place *place,
                                  size_t index);

/* ---- objects --------------------------------------------------------------------------------------------------------- */

/* Decodes a tree and, when `add` is set, puts it into the builder. */
karp_status io_object_use(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place,
                          bool add);
/* Notes times and regions that the tree states. */
karp_status io_survey(karp_reader *reader, const tree *root, uint32_t region_rank);
/* The tree is one in reader->trees. */
karp_status io_wait(karp_reader *reader, const io_kind_info *info, tree *root, const io_place *place);
karp_status io_keep_object(karp_reader *reader, const io_kind_info *info, const tree *root);
/* The number under which names has an object; IO_NONE = it is not in the input. */
uint32_t io_find(const karp_reader *reader, const char *kind, karp_str namespace_, karp_str name);
uint32_t io_find_kind(const karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name);
bool io_note_name(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name, uint32_t number);

/* Finds the buffer's template and adds it. */
karp_status io_add_buffer(karp_reader *reader, io_decoder *d, const tree *root, karp_capacity_buffer *buffer);

/* v1alpha5 (convert.c): a Provisioner or AWSNodeTemplate becomes one or two waiting objects. */
karp_status io_convert(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);

/* Takes over the hold on `catalogue`. */
karp_status io_give_catalogue(karp_reader *reader, karp_catalogue *catalogue, const karp_str *pools, size_t pool_count);

/* Node classes, which the built-in provider reads (builtin.c): fails when its types are wanted and it cannot. */
karp_status io_check_node_class(karp_reader *reader, const tree *root, const io_place *place);
/* Completes the tree of a generated node class from the one it is based on. */
void io_complete_from_base(const karp_reader *reader, trees *t, const io_kind_info *info, tree *root);
/* Notes the region of a node class's subnets. */
karp_status io_survey_class(karp_reader *reader, const tree *root);

/* A document's text, and whatever a path names (files.c). */
karp_status io_reader_text(karp_reader *reader, karp_str name, karp_str text);
karp_status io_read_path(karp_reader *reader, const char *path);

/* Fills the waiting objects in, adds them and makes the snapshot (finish.c). */
karp_status io_finish(karp_reader *reader, karp_snapshot **out);

#endif
