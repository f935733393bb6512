/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The internals of the reader. Text is parsed to trees (read_json.c, read_yaml.c). A tree is an object of a Snapshot,
 * which is added to the builder as it is, or a plain object. A plain object is deferred: its tree and its text are kept
 * until everything that is needed to fill it in is known (finish.c). Every function returns the status and leaves the
 * error in reader->error.
 */
#pragma once

#include <base/in_use.h>
#include <io/kept.h>
#include <io/pod_kinds.h>
#include <io/pod_template.h>
#include <providers/aws/retired.h>

/* A deferred object: it is not decoded and added to the builder before the end of the input. */
typedef struct io_deferred {
    const io_kind_info *info;
    karp_str namespace_; /* never empty for namespaced kinds: "default" if not stated; "" for other kinds */
    karp_str name;
    tree *root; /* in reader->trees; NULL = a pod that was added, with its tree */
    io_place place; /* its text or marks stay in memory as long as the tree */
    bool stated : 1; /* from a Snapshot: nothing is filled in */
    bool held : 1; /* from a Snapshot, and deferred because changes may be applied to it */
    bool changed : 1; /* a workload whose number of pods was changed (change.c) */
    bool gone : 1; /* deleted */
    bool replaced : 1; /* it was read as a replacement for other objects */
    bool scaled : 1; /* the caller has set its replicas */
    bool refused : 1; /* by the API server, so it has no pods */
    bool created : 1; /* a Pod that was read with a uid */
    uint16_t uid_length; /* this and the members below are known of a pod that is like others (pod_like.c) */
    uint32_t like; /* in reader->pod_likes; NO_ID = it is like none */
    const char *uid;
    int64_t creation;
} io_deferred;

/* A ReplicaSet that owns pods, and the Deployment derived from its name. */
typedef struct io_named_set {
    karp_str namespace_, name, deployment;
} io_named_set;

/* What shows the cloud of an input, in the order in which it counts. */
typedef enum io_cloud_sign {
    IO_SIGN_CLASS, /* node classes */
    IO_SIGN_REFERENCE, /* nodeClassRefs */
    IO_SIGN_PROVIDER_ID,
    IO_SIGN_LABEL, /* of nodes */
    IO_CLOUD_SIGNS
} io_cloud_sign;

enum { IO_CLOUDS_MOST = 8 };

typedef struct io_cloud {
    karp_provider *provider; /* opened by the reader, like `checker`; NULL = not yet */
    karp_str opened_for; /* its region … */
    size_t opened_zones; /* … and how many zones were noted */
    karp_provider *checker; /* reads node classes before the region is known */
    karp_str region; /* that the input names, of lowest rank */
    uint32_t region_rank; /* UINT32_MAX = there is none */
    bool used; /* by NodePools, or by the whole input if it has none (clouds.c) */
} io_cloud;

typedef struct io_zones {
    karp_str *list;
    size_t count, capacity;
    io_table names;
} io_zones;

/* Kinds of objects that the decision does not use. */
typedef enum io_unused_kind_of {
    IO_UNUSED_OVERLAYS,
    IO_UNUSED_BUFFERS,
    IO_UNUSED_WORKLOADS,
    IO_UNUSED_SUSPENDED,
    IO_UNUSED_IDLE, /* Jobs with parallelism 0 */
    IO_UNUSED_LATER,
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

/* Nodes of one instance type, zone and capacity type. */
typedef struct io_node_kind {
    karp_str type, zone, capacity_type;
    size_t count, unmanaged; /* how many of them are in no NodePool */
} io_node_kind;

/* The order and digest of the canonical Snapshot. */
typedef struct io_canonical {
    uint32_t *order; /* indices in reader->kept; NULL until needed */
    char digest[65]; /* "" until it is asked for */
} io_canonical;

typedef struct io_given_catalogue {
    karp_catalogue *catalogue;
    const karp_str *pools;
    size_t pool_count;
} io_given_catalogue;
static inline bool io_serves(const io_given_catalogue *given, karp_str pool)
{
    return given->pool_count == 0 || str_in(pool, given->pools, given->pool_count);
}

/* An object that was replaced, as it was before. */
typedef struct io_earlier {
    uint32_t number; /* in reader->deferred */
    const tree *before;
} io_earlier;
typedef struct io_replaced {
    io_earlier *list;
    size_t count, capacity;
} io_replaced;

/* The volumes that are attached to a node. */
typedef struct io_attachment {
    karp_str first;
    size_t count;
} io_attachment;
typedef struct io_attachments {
    io_table nodes; /* name -> index */
    io_attachment *list;
    size_t count, capacity;
} io_attachments;

/* Trees of pods of a List, which are freed together. */
typedef struct io_pod_batch {
    trees trees;
    size_t from, end; /* their numbers in reader->deferred; objects of other kinds may be between them */
    uint32_t pods;
    bool stays; /* objects of another kind have trees in it */
    bool mixed; /* objects of another kind are between the pods */
} io_pod_batch;
typedef struct io_pod_trees {
    io_pod_batch *list;
    size_t count, capacity, freed;
} io_pod_trees;

/* Members of a Snapshot other than its objects; NULL = absent. */
typedef struct io_snapshot_head {
    tree *now;
    tree *settings;
    tree *labels;
    tree *state;
} io_snapshot_head;

/* A part of the input that is not in the snapshot. */
typedef struct io_problem_note {
    karp_str text; /* begins with KARP_PROBLEM */
    karp_str bare; /* for a dump: without KARP_PROBLEM and the place, as a dump does not tell where objects were */
    bool in_objects; /* a dump's objects have it as well, so that the dump does not carry it */
} io_problem_note;

/* What text may have. */
typedef struct io_limits {
    uint32_t nesting;
    uint64_t aliases, bytes, pods;
} io_limits;

/* What the input says of the decision: a Snapshot, and times that objects state. */
typedef struct io_asked {
    bool snapshot; /* there is one */
    bool has_now; /* it states the time */
    int64_t now;
    int64_t latest; /* the latest time stated, KARP_NO_TIME = none */
    uint32_t method;
    karp_str settings, labels, state; /* canonical form, for the dump */
} io_asked;

/* Where nodes come from. */
typedef struct io_clouds {
    karp_provider *given; /* karp_reader_set_provider() */
    io_cloud list[IO_CLOUDS_MOST]; /* of the built-in providers, in their order, and of the one that was given */
    uint32_t count;
    uint32_t signs[IO_CLOUD_SIGNS]; /* sets of clouds: bit n = list[n] */
    io_zones zones; /* that the input names, of clouds whose provider does not assume all zones */
    io_zones asked_zones; /* and those that pods ask for */
    karp_str region; /* from labels of regions, of any cloud */
    uint32_t region_rank;
    bool cluster_api; /* some NodePool has the types of Cluster API */
    bool auto_mode_here; /* the object surveyed last has labels of EKS Auto Mode */
    const karp_node_repair *repairs; /* the provider's policies, with the gate NodeRepair; they outlive it */
    size_t repair_count;
    karp_str retired[AWS_RETIRED]; /* by row of aws_retired: a name of the input; "" = none */
} io_clouds;

typedef struct io_catalogues {
    bool stated; /* the Snapshot states some */
    bool own; /* karp_reader_add_catalogue() was called */
    io_given_catalogue *list;
    size_t count, capacity;
    io_table files; /* path -> index in list */
    bool only_prices; /* only objects of kind Prices are allowed */
    bool prices_known, commits; /* all Prices have been read; they contain commitments */
    char title[400]; /* "" until it is asked for */
    char licences[120]; /* systems whose licences the prices lack (licences.c) */
} io_catalogues;

/* How objects are read now. */
typedef struct io_mode {
    bool old; /* the input has v1alpha5 objects: old labels are renamed */
    bool plays; /* the state changes with time: workloads are scaled, static NodePools launch nodes */
    bool replacing; /* objects that are read now replace earlier ones */
    bool complete; /* objects that are read now have everything, as those of a Snapshot: nothing is filled in */
    bool changes; /* an object was replaced, deleted or scaled */
    uint32_t hook_phases; /* of Helm's hooks that are left out (helm_hooks.c) */
} io_mode;

/* Feature gates of the decisions: KARP_GATE_*. */
typedef struct io_gates {
    uint32_t on;
    uint32_t given, given_on; /* set in the options, and those of them that are on */
    uint32_t stated; /* in the settings of a Snapshot */
} io_gates;

/* What is counted of the objects (survey.c). */
typedef struct io_surveyed {
    uint64_t used; /* objects and Snapshots that were used so far */
    io_unused_count unused[IO_UNUSED_KINDS];
    io_node_kind *kinds;
    size_t kind_count, kind_capacity;
    io_table kind_names; /* name -> index */
    double pending_vcpus; /* requested by pods without a node */
    struct io_pool_values *pool_values; /* known_values.c */
    size_t pool_value_count, pool_value_capacity;
    io_static_pool *statics;
    size_t static_count, static_capacity;
} io_surveyed;

/* What the caller is told. */
typedef struct io_told {
    karp_str *warnings;
    size_t warning_count, warning_capacity;
    io_table warned;
    io_problem_note *problems;
    size_t problem_count, problem_capacity;
    uint32_t invalid_noted; /* fields.c: the kinds of notes made so far */
    uint32_t unknown_fields; /* fields.c: the number of notes made so far */
} io_told;

struct karp_reader {
    karp_context *context;
    in_use use;
    karp_builder *builder; /* lives as long as the reader, and keeps the context alive */
    karp_reader_options options;
    io_limits limits;
    arena keep; /* freed with the reader */
    arena scratch; /* reset before the next object */
    trees trees; /* of deferred objects; freed with the reader */
    trees passing; /* of other objects; reset before the next one */
    io_pod_trees pod_trees; /* of deferred pods that share values */
    io_pod_templates pod_templates;
    io_pod_likes pod_likes;
    karp_error error;
    bool failed;
    bool finished;
    karp_str directory; /* directory of the file being read, which relative catalogue paths start from; "" = none */
    io_asked asked;
    io_mode mode;
    io_gates gates;
    io_clouds clouds;
    io_catalogues catalogues;
    io_surveyed survey;
    io_told told;

    io_deferred *deferred;
    size_t deferred_count, deferred_capacity;
    io_named_set *sets;
    size_t set_count, set_capacity;
    io_table names; /* "Kind\nnamespace/name" of every object -> index in deferred, or IO_STATED */
    uint32_t unrecorded; /* the number of an object whose name is too long to be recorded */
    io_table templates; /* documents that are templates of Helm */
    karp_str made_group; /* of pods that are being made for an admission (io_pod_set); "" = as the pod says */
    uint32_t made_group_source;
    struct io_sizes *sizes; /* sizes.h; NULL = requests are not recommended */
    struct io_predictions *predictions; /* verticals.h; NULL = not read yet, or without the preview */
    io_replaced replaced; /* NodePools and node classes */
    io_attachments attachments;
    io_own_kind *own_kinds; /* in `keep`; the last rule first */
    io_kept *kept;
    size_t kept_count, kept_capacity;
    io_packing packing;
    /* computed from `kept` on first use (dump.c); allocated apart, because the reader is const then */
    io_canonical *canonical;
    strbuf *files; /* texts of files that trees of deferred objects refer to */
    size_t file_count, file_capacity;

    /* Receives the documents of YAML text instead of io_read_tree(); NULL = none. A failure is in reader->error. */
    karp_status (*take)(karp_reader *reader, tree *root, const io_place *place, void *user);
    void *take_user;
};

#define IO_STATED (UINT32_MAX - 1)

/* Where the tree of an object is allocated. That of a Snapshot's object is not needed any more when the object was
 * added, unless changes may be applied to it. */
static inline trees *io_trees(karp_reader *reader, bool stated)
{
    return stated && !reader->options.editable ? &reader->passing : &reader->trees;
}

/* Where the tree of the next pod of a List goes. NULL = out of memory. */
trees *io_pod_trees_open(karp_reader *reader);
/* The pod was read: it and what was read with it are deferred from this number on. */
void io_pod_trees_close(karp_reader *reader, size_t from);
/* The number of the first deferred object from this one on, but for pods that stand together: many objects are usually
 * pods, which most loops pass over. */
size_t io_other(const karp_reader *reader, size_t number);
/* Frees the trees of pods before this number, which have been added. */
void io_pod_trees_free(karp_reader *reader, size_t added);
void io_pod_trees_end(karp_reader *reader);

/* ---- errors and warnings ----------------------------------------------------------------------------------------- */

karp_status io_reader_nomem(karp_reader *reader);
/* Reports a decoder's failure, with document, line, object and field. */
karp_status io_reader_bad(karp_reader *reader, const io_decoder *d, const io_place *place, const tree *root);
/* Sets the object's name in reader->error. */
void io_reader_name(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name);
/* Reports a failure at a place; `field` may be NULL. */
karp_status io_reader_fail(karp_reader *reader, karp_status status, const io_place *place, const char *field,
                           const char *format, ...) __attribute__((format(printf, 5, 6)));
karp_status io_warn(karp_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Like io_warn(), but a repeated text is ignored. */
karp_status io_warn_once(karp_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a problem: what the input says is not understood, and decisions are made without it. */
karp_status io_not_understood(karp_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Likewise, after the place. */
karp_status io_not_understood_at(karp_reader *reader, const io_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Likewise, but a repeated text is ignored. */
karp_status io_not_understood_once(karp_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports that the object's pods are not in the snapshot, and why. */
karp_status io_problem(karp_reader *reader, const io_deferred *w, const char *why);
/* Adds the note that a part of a document is left out that holds an object. */
karp_status io_problem_left_out(karp_reader *reader, karp_str document, unsigned long line, const char *why);
/* Adds a problem that a dump carries, without KARP_PROBLEM. */
karp_status io_problem_carried(karp_reader *reader, karp_str text);
/* Reports that the API server would refuse the object, so that it has no pods. */
karp_status io_refused(karp_reader *reader, const io_deferred *w, const char *why);
/* A copy in reader->keep; ptr NULL = out of memory. */
karp_str io_keep(karp_reader *reader, karp_str text);
karp_str io_keep_json(karp_reader *reader, const tree *root);

/* ---- parsing text to objects ------------------------------------------------------------------------------------- */

/* `file`: the memory of the text, which the reader may take over, so that it is empty afterwards; NULL = the caller
 * keeps it. */
karp_status io_read_json(karp_reader *reader, karp_str document, karp_str text, strbuf *file);
karp_status io_read_yaml(karp_reader *reader, karp_str document, karp_str text);
/* The same of a tree of the caller's. */
karp_status io_read_values(karp_reader *reader, karp_str document, const karp_value_source *source, const void *root);
static inline bool io_is_snapshot(karp_str kind, karp_str api_version)
{
    return str_is(kind, "Snapshot") && str_is(str_before(api_version, '/'), "karp");
}
/* Members that pods of one workload have in common: all of the spec, or parts of it beside a nodeName and generated
 * names of volumes. */
enum { IO_IN_COMMON = 18 };
extern const karp_str io_in_common[IO_IN_COMMON];
/* Reads one document: an object, a List or a Snapshot. `stated` = inside a Snapshot. */
karp_status io_read_tree(karp_reader *reader, tree *root, const io_place *place, bool stated);
/* Reads one element of a list. Elements of a typed list ("PodList") have the kind of the list's name. */
karp_status io_read_item(karp_reader *reader, tree *item, const io_place *place, bool stated, karp_str list_kind,
                         karp_str list_api_version);

/* ---- Snapshot ---------------------------------------------------------------------------------------------------- */

karp_status io_snapshot_begin(karp_reader *reader, const io_place *place);
/* `root` contains the positions of the head's members. */
karp_status io_snapshot_head_read(karp_reader *reader, const io_snapshot_head *head, const io_place *place,
                                  const tree *root);
/* One entry of `catalogues`: its members except instanceTypes, and the text of instanceTypes (ptr NULL = absent). */
karp_status io_snapshot_catalogue(karp_reader *reader, const tree *entry, karp_str types, const io_place *place,
                                  size_t index);

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* Decodes an object and adds it to the builder (add_object.c). */
karp_status io_object_add(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);
/* Only decodes it. */
karp_status io_object_check(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);
/* Adds to the error about a duplicate where the first object is. */
void io_error_first(karp_reader *reader, const io_place *first);
/* Whether objects of the kind are added to the builder. The others are only checked. */
bool io_is_added(const io_kind_info *info);
/* spec.template.spec: of a NodePool, the nodes', of most workloads, the pods'. NULL = absent. */
static inline tree *io_template_spec(const tree *root)
{
    return tree_get(tree_get(tree_get(root, "spec"), "template"), "spec");
}
/* The object's name and namespace: "default" if the kind has one and none is stated. */
void io_identity(const io_kind_info *info, const tree *root, karp_str *namespace_, karp_str *name);
/* Records times and regions in the tree. */
karp_status io_survey(karp_reader *reader, const tree *root, uint32_t region_rank);
/* Count a node or pod that is added to the builder. Prices need both, whether these are read before or after them. */
karp_status io_node_kinds_add(karp_reader *reader, const karp_node *node, bool unmanaged);
void io_pending_add(karp_reader *reader, const karp_pod *pod);
/* The value of a node's label; "" = it is not there. */
karp_str io_label_of(const karp_node *node, const char *key);
/* The type and offering of these nodes. false = no catalogue has them with a price. */
bool io_node_kind_find(const karp_reader *reader, const io_node_kind *kind, const karp_instance_type **type,
                       const karp_offering **offering);
/* Adds a deferred object. The tree must be in reader->trees, and the place's text or marks must stay in memory. */
karp_status io_postpone(karp_reader *reader, const io_kind_info *info, tree *root, const io_place *place);
/* Reports the first mistake in the first `count` deferred objects. Without one, returns `status`. Called after a
 * failure, because this may follow from a mistake in an object that was not decoded yet (finish.c). */
karp_status io_first_mistake(karp_reader *reader, size_t count, karp_status status);
/* Names an object that has only generateName: "NAME-1". false = out of memory. */
bool io_name_generated(karp_reader *reader, const io_kind_info *info, tree *root);
karp_status io_keep_object(karp_reader *reader, const io_kind_info *info, const tree *root);
/* The object's number in reader->names; IO_NONE = it is not in the input. */
uint32_t io_find(const karp_reader *reader, const char *kind, karp_str namespace_, karp_str name);
uint32_t io_find_kind(const karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name);
/* The object, and its tree. NULL = it is not in the input, or only in a Snapshot. */
io_deferred *io_find_deferred(const karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name);
const tree *io_find_tree(const karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name);
/* The same, to be set until another name is recorded. NULL = out of memory. */
uint32_t *io_number_of(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name);
/* Counts with it how often the name comes. false = out of memory. */
bool io_count_name(karp_reader *reader, const char *kind, karp_str namespace_, karp_str name);
/* The kind of an object, also one for which the caller has given a rule. */
const io_kind_info *io_reader_kind(const karp_reader *reader, karp_str api_version, karp_str kind);
/* The kind by which an object is recorded, which tells kinds of different groups apart. */
enum { IO_KIND_ROOM = 208 };
karp_str io_name_of_kind(const io_kind_info *info, const tree *root, char room[IO_KIND_ROOM]);
bool io_note_name(karp_reader *reader, karp_str kind, karp_str namespace_, karp_str name, uint32_t number);

/* Finds the CapacityBuffer's pod template and adds the buffer. */
karp_status io_add_buffer(karp_reader *reader, io_decoder *d, const tree *root, karp_capacity_buffer *buffer);

/* v1alpha5 (convert.c): converts a Provisioner or AWSNodeTemplate to one or two deferred objects. */
karp_status io_convert(karp_reader *reader, const io_kind_info *info, const tree *root, const io_place *place);

/* Takes ownership of the caller's reference to `catalogue`. */
karp_status io_give_catalogue(karp_reader *reader, karp_catalogue *catalogue, const karp_str *pools, size_t pool_count);

/* Checks a node class with the built-in provider (builtin.c). Fails if the provider's types are needed and it cannot
 * read the class. */
karp_status io_check_node_class(karp_reader *reader, const tree *root, const io_place *place);
/* Completes the tree of a generated node class from its base class. */
void io_complete_from_base(const karp_reader *reader, trees *t, const io_kind_info *info, tree *root);
/* Records the region of a node class's subnets. */
karp_status io_survey_class(karp_reader *reader, const tree *root);

/* Read a document's text, and whatever a path names (files.c). `file` as for io_read_json(). */
karp_status io_reader_text(karp_reader *reader, karp_str name, karp_str text, strbuf *file);
karp_status io_read_path(karp_reader *reader, const char *path);

/* Fills in the deferred objects, adds them and creates the snapshot (finish.c). */
karp_status io_finish(karp_reader *reader, karp_snapshot **out);
