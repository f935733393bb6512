/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file provider.h  Clouds (libkarp-io): what a provider plugin implements, and how a host uses one.
 *
 * A provider turns facts about a cloud and a node class into instance types, says how the cloud would choose among them,
 * and when a node has drifted. It is a table of functions, built in or in a shared object of its own that links nothing
 * of libkarp: everything it needs comes through this header. It is a pure function of what the host hands it; files,
 * network, clocks and credentials stay with the host.
 *
 * Strings go by their length on both sides. What a plugin is given need not end with NUL, the texts of instance types do; what
 * it answers need not either, but a host that prints it as a C string will be glad of one.
 *
 * A plugin gets node classes and facts as text, and as a list of leaves when it asks for that (KARP_PROVIDER_WANTS_FIELDS), so
 * that it needs no JSON reader of its own; the tree that libkarp-io has of them is its own affair.
 *
 * Since 0.1. Until 1.0 the table may change with KARP_PROVIDER_ABI. docs/providers.md is the guide.
 */
#ifndef KARP_PROVIDER_H
#define KARP_PROVIDER_H

#include <karp/catalogue.h>
#include <karp/snapshot.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what plugin and host exchange --------------------------------------------------------------------------------- */

/** The version of the table below. A plugin states the one it was compiled with; others are refused. */
enum { KARP_PROVIDER_ABI = 1 };

/** How a call of a plugin ended. */
enum {
    KARP_PROVIDER_OK = 0,
    KARP_PROVIDER_INVALID = 1, /**< an option, fact, class or argument: `field` and `message` say what */
    KARP_PROVIDER_NOT_FOUND = 2, /**< the region, the node … */
    KARP_PROVIDER_NO_CAPACITY = 3, /**< InsufficientCapacity: the claim goes, and its pods are placed anew */
    KARP_PROVIDER_CLASS_NOT_READY = 4,
    KARP_PROVIDER_CREATE_FAILED = 5, /**< `reason` is for the claim's condition */
    KARP_PROVIDER_RETRY = 6, /**< try again later */
    KARP_PROVIDER_NO_MEMORY = 7,
    KARP_PROVIDER_UNSUPPORTED = 8 /**< the provider does not do that */
};

/** Filled by the plugin when a call fails; the host zeroes it before. Texts end with NUL. */
typedef struct karp_provider_problem {
    size_t size;
    uint32_t kind; /**< as returned: KARP_PROVIDER_* */
    uint32_t line; /**< of a text that is not JSON; 1-based, 0 = unknown */
    char reason[64]; /**< of KARP_PROVIDER_CREATE_FAILED, in camel case */
    char object[128]; /**< the instance type, subnet … or "" */
    char field[128]; /**< as in karp_provider_field.path, or "" */
    char message[256]; /**< one line of English */
} karp_provider_problem;

/** Memory for results: pieces are aligned for anything and live as long as the host keeps the memory; none is given back. */
typedef struct karp_provider_memory {
    size_t size;
    void *(*alloc)(size_t bytes, void *user); /**< NULL = out of memory; bytes > 0 */
    void *user;
} karp_provider_memory;

enum {
    KARP_FIELD_NULL = 0,
    KARP_FIELD_BOOLEAN = 1, /**< "true", "false" */
    KARP_FIELD_NUMBER = 2, /**< as it was written */
    KARP_FIELD_TEXT = 3,
    KARP_FIELD_OBJECT = 4, /**< an empty one; so with lists */
    KARP_FIELD_LIST = 5
};

/** One leaf of a JSON document. */
typedef struct karp_provider_field {
    karp_str path; /**< spec.kubelet.maxPods, status.subnets[0].zone, spec.tags["a.b/c"] */
    karp_str value; /**< text without its quotes */
    uint32_t kind; /**< KARP_FIELD_* */
    uint32_t reserved;
} karp_provider_field;

/** A document for a plugin. Borrowed: valid during the call. */
typedef struct karp_provider_document {
    size_t size;
    karp_str name; /**< of the file, for messages */
    karp_str text; /**< node classes: compact JSON; facts: as given */
    const karp_provider_field *fields; /**< its leaves in the order of the text, with #KARP_PROVIDER_WANTS_FIELDS */
    size_t field_count;
} karp_provider_document;

/** What karp_provider_plugin.open gets. */
typedef struct karp_provider_options {
    size_t size;
    karp_str region; /**< "" = the provider's usual one */
    const karp_label *settings; /**< by name, as the provider's guide has them: vmMemoryOverheadPercent = "0.075" */
    size_t setting_count;
} karp_provider_options;

/** The label tables of a provider, and what else it has words for. Lists live as long as the handle. */
typedef struct karp_provider_labels {
    size_t size;
    const karp_str *
        well_known; /**< label keys that its types or offerings have, beside those of Kubernetes and Karpenter: pods and pools may ask for them */
    size_t well_known_count;
    const karp_str *restricted_domains;
    size_t restricted_domain_count;
    const karp_label *normalized; /**< key → the key it stands for */
    size_t normalized_count;
    karp_str reservation_id; /**< the label of a reserved offering's id; "" = there are none */
    const karp_str *resources; /**< extended resources that its types may have */
    size_t resource_count;
    const karp_str *exotic; /**< those for whose sake nobody launches a type without asking for them */
    size_t exotic_count;
} karp_provider_labels;

/** One way to launch: an offering of a type, both by index. */
typedef struct karp_provider_candidate {
    uint32_t type;
    uint32_t offering;
    uint32_t usable; /**< 1 = it is available, agrees with the requirements and holds the requests */
    uint32_t reserved;
} karp_provider_candidate;

/** A launch: what is asked for, and what could serve. */
typedef struct karp_provider_launch {
    size_t size;
    const karp_requirement *requirements; /**< with minValues */
    size_t requirement_count;
    const karp_resource *requests;
    size_t request_count;
    const karp_instance_type *const *types; /**< all types of the class; candidates point into it */
    size_t type_count;
    /** In order of types and, within, offerings. On entry of filter_launch: every offering of every type that has a usable
     * one; on exit what is left. */
    karp_provider_candidate *candidates;
    size_t candidate_count;
    uint32_t min_values_policy; /**< KARP_MIN_VALUES_* */
    uint32_t price_from_overlay; /**< 1 = a NodeOverlay set a price */
    karp_str capacity_type; /**< out: what will be launched */
    karp_str tenancy; /**< out; "" = the provider has none */
} karp_provider_launch;

/** A machine as the provider sees it. */
typedef struct karp_provider_node {
    size_t size;
    karp_str provider_id, instance_type, image_id, subnet_id, reservation_id, phase;
    const karp_str *security_groups;
    size_t security_group_count;
    const karp_label *labels; /**< of the node and its claim */
    size_t label_count;
    const karp_label *annotations; /**< of the claim: the class's hash when it was launched … */
    size_t annotation_count;
    const karp_resource *capacity;
    size_t capacity_count;
    const karp_resource *allocatable;
    size_t allocatable_count;
    const karp_taint *taints; /**< that the provider adds */
    size_t taint_count;
    int64_t launched; /**< instant, or #KARP_NO_TIME */
    karp_str kubelet_version; /**< as the Node's status has it, "v1.34.2"; "" = not known. Since 0.1. */
} karp_provider_node;

/** Of what the cloud has none for a while. An empty part means any; what can be combined is the provider's to say. */
typedef struct karp_provider_scope {
    size_t size;
    karp_str capacity_type, instance_type, zone, group, partition, subnet, family;
    karp_str reservation; /**< its id. Since 0.1. */
} karp_provider_scope;

/** A host's network, for the optional half of a provider. */
typedef struct karp_provider_http {
    size_t size;
    /** Sends one request and fills the answer from @p memory. KARP_PROVIDER_OK whatever the server answers; RETRY when it
     * cannot be reached. Signing and retries are the host's. */
    uint32_t (*send)(karp_str method, karp_str url, const karp_label *headers, size_t header_count, karp_str body,
                     const karp_provider_memory *memory, uint32_t *http_status, karp_str *answer, void *user);
    void *user;
} karp_provider_http;

/** A kind of facts that load_facts takes. Since 0.1. */
typedef struct karp_provider_facts_kind {
    karp_str kind; /**< the word for load_facts */
    karp_str file; /**< a usual name for the file: "types.json" */
    karp_str command; /**< prints them for the region, for a POSIX shell; "" = the cloud's own tools do not */
    karp_str what; /**< what it is, in a few words, or where else it is to be had */
    karp_str missing; /**< why there are no types with prices as long as these are not loaded; "" = there are */
    uint32_t optional; /**< 1 = decisions can do without */
    uint32_t reserved;
} karp_provider_facts_kind;

/** What is known of a provider's facts, and how others are had. Since 0.1. */
typedef struct karp_provider_facts_info {
    size_t size;
    karp_str region; /**< of the open provider */
    karp_str built_in; /**< the regions that are built in, "a, b, c" */
    karp_str as_of; /**< dates of the built-in facts, in words */
    karp_str sources; /**< where those are from: lines, each with its newline */
    const karp_provider_facts_kind *kinds; /**< in the order to load them */
    size_t kind_count;
} karp_provider_facts_info;

/** Of karp_provider_plugin.flags. */
enum {
    KARP_PROVIDER_WANTS_FIELDS = 1, /**< node classes come with `fields` */
    KARP_PROVIDER_WANTS_FACT_FIELDS = 2, /**< facts, too, which then have to be JSON */
    /** What instance_types hands out is, with all that it points to, in the memory it got or in constants: nothing of it is the
     * handle's or the class's. The host may then keep it instead of a copy. Since 0.1. */
    KARP_PROVIDER_TYPES_STAND = 4
};

/**
 * A provider. `open`, `close` and `instance_types` must be there; NULL elsewhere means what is said. Calls return
 * KARP_PROVIDER_* and fill @p problem when that is not OK; `handle` is what `open` made, `node_class` what class_parse did,
 * or NULL: the provider's defaults. One handle is used by one thread at a time; two handles share nothing. Members that
 * follow in later versions are read only as far as `size` reaches.
 */
typedef struct karp_provider_plugin {
    uint32_t abi_version; /**< KARP_PROVIDER_ABI */
    uint32_t flags; /**< KARP_PROVIDER_WANTS_*, KARP_PROVIDER_TYPES_STAND */
    size_t size; /**< sizeof(karp_provider_plugin) */
    const char *name; /**< "aws" */
    const char *class_group; /**< "karpenter.k8s.aws"; NULL = it has no node classes */
    const char *class_kind; /**< "EC2NodeClass" */

    /** @p allocator serves until close. */
    uint32_t (*open)(const karp_allocator *allocator, const karp_provider_options *options, void **handle,
                     karp_provider_problem *problem);
    void (*close)(void *handle);

    /** Takes facts over that replace those known; @p kind is the provider's word ("types", "spot-prices"). A failure leaves
     * the facts as they were. NULL = they are built in. */
    uint32_t (*load_facts)(void *handle, karp_str kind, const karp_provider_document *facts,
                           karp_provider_problem *problem);
    /** A number that differs after anything that changes instance types. NULL = they never change. */
    uint64_t (*generation)(const void *handle);

    /** Reads and checks a node class. NULL = it has none. */
    uint32_t (*class_parse)(void *handle, const karp_provider_document *document, void **node_class,
                            karp_provider_problem *problem);
    void (*class_free)(void *handle, void *node_class);
    /** A number for what drift compares; other versions are not compared. NULL = nothing drifts by it. */
    uint32_t (*class_hash)(void *handle, const void *node_class, const karp_provider_memory *memory, karp_str *version,
                           karp_str *hash, karp_provider_problem *problem);
    /** 1 = the instance types of both are the same. NULL = of equal documents they are. */
    uint32_t (*class_equal)(const void *handle, const void *a, const void *b);
    /** The document with defaults filled in, as JSON. NULL = there are none. */
    uint32_t (*class_defaults)(void *handle, const karp_provider_document *document, const karp_provider_memory *memory,
                               karp_str *completed, karp_provider_problem *problem);

    /** All types, available or not, by name; offerings by zone, then capacity type. */
    uint32_t (*instance_types)(void *handle, const void *node_class, const karp_provider_memory *memory,
                               const karp_instance_type **types, size_t *count, karp_provider_problem *problem);
    /** Fills @p labels, which is zeroed. NULL = Karpenter's own labels serve. */
    uint32_t (*labels)(const void *handle, karp_provider_labels *labels, karp_provider_problem *problem);
    /** Requirements that a pool gets beside its own. NULL = none. */
    uint32_t (*pool_defaults)(const void *handle, const karp_requirement *requirements, size_t count,
                              const karp_provider_memory *memory, const karp_requirement **added, size_t *added_count,
                              karp_provider_problem *problem);

    /** The provider's own filters, in its order, and its limit on types. NULL = the cheapest capacity type of the order
     * reserved, spot, on-demand, and no limit. */
    uint32_t (*filter_launch)(void *handle, const void *node_class, const karp_provider_memory *memory,
                              karp_provider_launch *launch, karp_provider_problem *problem);
    /** What the cloud would take, for simulations: one of the candidates. NULL = the cheapest, then by name and zone. */
    uint32_t (*pick)(void *handle, const void *node_class, const karp_provider_launch *launch,
                     karp_provider_candidate *picked, karp_provider_problem *problem);
    /** What a node of a candidate will look like. What it leaves NULL of capacity and allocatable, the host fills in from the
     * type. NULL = every label with one value. */
    uint32_t (*node)(void *handle, const void *node_class, const karp_provider_launch *launch,
                     karp_provider_candidate candidate, const karp_provider_memory *memory, karp_provider_node *node,
                     karp_provider_problem *problem);

    /** The cloud's request as data, for a host that sends it itself. NULL = it has none. */
    uint32_t (*launch_request)(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str claim,
                               const karp_provider_memory *memory, karp_str *request, karp_provider_problem *problem);
    /** What the cloud's answer says: the machine. Marks what there was none of. */
    uint32_t (*launch_result)(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str answer,
                              int64_t now, const karp_provider_memory *memory, karp_provider_node *node,
                              karp_provider_problem *problem);

    /** Notes that there is none of it till @p now + @p ttl (nanoseconds; 0 = the provider's own time). NULL = always there. */
    uint32_t (*mark)(void *handle, const karp_provider_scope *scope, int64_t now, int64_t ttl,
                     karp_provider_problem *problem);
    /** Forgets marks that ended. */
    void (*expire)(void *handle, int64_t now);

    /** Why the node no longer is what the class says; an empty @p reason = it is. NULL = never. */
    uint32_t (*drift)(void *handle, const void *node_class, const karp_provider_node *node,
                      const karp_provider_memory *memory, karp_str *reason, karp_provider_problem *problem);
    /** NULL = none. */
    uint32_t (*repair_policies)(const void *handle, const karp_repair_policy **policies, size_t *count);

    /* The optional half: for hosts that let the plugin act. NULL = the host acts itself. */

    /** Starts a machine; @p launch is filtered. RETRY = begun, not done; a repeated call starts no second one. */
    uint32_t (*create)(void *handle, const void *node_class, const karp_provider_launch *launch, karp_str claim,
                       const karp_provider_http *http, const karp_provider_memory *memory, karp_provider_node *node,
                       karp_provider_problem *problem);
    /** Stops it. NOT_FOUND = it is gone. */
    uint32_t (*delete_)(void *handle, karp_str provider_id, const karp_provider_http *http,
                        const karp_provider_memory *memory, karp_provider_problem *problem);
    uint32_t (*get)(void *handle, karp_str provider_id, const karp_provider_http *http,
                    const karp_provider_memory *memory, karp_provider_node *node, karp_provider_problem *problem);
    uint32_t (*list)(void *handle, const karp_provider_http *http, const karp_provider_memory *memory,
                     const karp_provider_node **nodes, size_t *count, karp_provider_problem *problem);

    /** Fills @p info, which is zeroed but for its size. NULL = the provider has nothing to say of its facts. Since 0.1. */
    uint32_t (*facts_info)(void *handle, const karp_provider_memory *memory, karp_provider_facts_info *info,
                           karp_provider_problem *problem);
    /** All facts of the region as one text, which load_facts takes as the kind "all". NULL = it has no such text. Since 0.1. */
    uint32_t (*facts_write)(void *handle, const karp_provider_memory *memory, karp_str *text,
                            karp_provider_problem *problem);
} karp_provider_plugin;

/** The only function of a plugin's shared object that the host looks for: "karp_provider_entry". The table lives for ever. */
typedef const karp_provider_plugin *(*karp_provider_entry_function)(void);

/* ---- the host's side ----------------------------------------------------------------------------------------------- */

/** The providers that can be opened by name: the built-in ones, and those added. Exclusive use. */
typedef struct karp_provider_registry karp_provider_registry;
/** An open provider. Exclusive use; keeps its context and, if it was loaded, its shared object. */
typedef struct karp_provider karp_provider;
/** A node class that a provider has read. Must be freed before its provider is closed. */
typedef struct karp_provider_class karp_provider_class;

/**
 * Makes a registry with the built-in providers. Errors: NOMEM.
 *
 * Failures of the functions below: a plugin's own problem comes with its name in `message`, with its object and field, and
 * as INVALID, NOT_FOUND, NOMEM, UNSUPPORTED or, for what only providers have, PROVIDER; karp_provider_last_problem() has
 * all of it. What a plugin answers is checked: an impossible answer is PROVIDER, too.
 */
KARP_API karp_status karp_provider_registry_new(karp_context *context, karp_provider_registry **out, karp_error *error);
/** Frees it; what was opened stays open. NULL is allowed. */
KARP_API void karp_provider_registry_free(karp_provider_registry *registry);
/** Adds a table of this process. Errors: NOMEM, DUPLICATE, ABI_OLD, ABI_NEW, ABI_SIZE, INVALID. */
KARP_API karp_status karp_provider_registry_add(karp_provider_registry *registry, const karp_provider_plugin *plugin,
                                                karp_error *error);
/** Loads a shared object, by path, and adds its provider; @p name (may be NULL) receives its name. Also: IO. */
KARP_API karp_status karp_provider_registry_load(karp_provider_registry *registry, const char *path, karp_str *name,
                                                 karp_error *error);
/** How many there are, and their names in the order they were added; {NULL,0} beyond the end. Borrowed. */
KARP_API size_t karp_provider_registry_count(const karp_provider_registry *registry);
/** Name @p index; {NULL,0} beyond the end. Borrowed. */
KARP_API karp_str karp_provider_registry_name(const karp_provider_registry *registry, size_t index);

/** Zeroes @p options and sets its size. */
KARP_API void karp_provider_options_init(karp_provider_options *options, size_t size);
/** Opens the provider of that name. @p options may be NULL. Errors: NOT_FOUND, NOMEM, ABI_*, the plugin's. */
KARP_API karp_status karp_provider_registry_open(karp_provider_registry *registry, karp_str name,
                                                 const karp_provider_options *options, karp_provider **out,
                                                 karp_error *error);
/** The same in one step, without a registry: @p name is a built-in provider's, or the path of a shared object when it has
 * a slash or ends in ".so". Also: IO. */
KARP_API karp_status karp_provider_open(karp_context *context, karp_str name, const karp_provider_options *options,
                                        karp_provider **out, karp_error *error);
/** NULL is allowed. */
KARP_API void karp_provider_close(karp_provider *provider);
/** Borrowed; likewise below. */
KARP_API karp_str karp_provider_name(const karp_provider *provider);
/** Group and kind of its node classes; "" = it has none. */
KARP_API karp_str karp_provider_class_group(const karp_provider *provider);
/** Likewise the kind. */
KARP_API karp_str karp_provider_class_kind(const karp_provider *provider);
/** What the plugin said when a call failed last; valid until the next call. */
KARP_API const karp_provider_problem *karp_provider_last_problem(const karp_provider *provider);

/** Gives the provider facts; @p name is their file's, for messages. Errors: UNSUPPORTED, SYNTAX, LIMIT, NOMEM, the plugin's. */
KARP_API karp_status karp_provider_load_facts(karp_provider *provider, karp_str kind, karp_str name, karp_str text,
                                              karp_error *error);
/** The same from a file, or standard input ("-"). Also: IO. */
KARP_API karp_status karp_provider_load_facts_file(karp_context *context, karp_provider *provider, karp_str kind,
                                                   const char *path, karp_error *error);

/** What is known of the provider's facts, and how others are had: which commands print them, and which are missing. The size of
 * @p out must be set. Errors: UNSUPPORTED, ABI_SIZE, NOMEM, the plugin's. Since 0.1. */
KARP_API karp_status karp_provider_get_facts_info(karp_provider *provider, const karp_provider_memory *memory,
                                                  karp_provider_facts_info *out, karp_error *error);
/** The facts of the region, built in or loaded, as one text that karp_provider_load_facts() takes as the kind "all".
 * Errors: UNSUPPORTED, NOT_FOUND (facts are missing: the error's field is their kind), NOMEM, the plugin's. Since 0.1. */
KARP_API karp_status karp_provider_write_facts(karp_provider *provider, const karp_provider_memory *memory,
                                               karp_str *text, karp_error *error);

/** Reads a node class, one Kubernetes object in JSON. Errors: UNSUPPORTED, SYNTAX, LIMIT, NOMEM, the plugin's. */
KARP_API karp_status karp_provider_class_new(karp_provider *provider, karp_str name, karp_str text,
                                             karp_provider_class **out, karp_error *error);
/**
 * The same from a document as a reader takes it: YAML or JSON, with one object that is a node class; of an old kind, too. The
 * error has its line. @p context serves for the reading.
 */
KARP_API karp_status karp_provider_class_read(karp_context *context, karp_provider *provider, karp_str name,
                                              karp_str text, karp_provider_class **out, karp_error *error);
/** NULL is allowed. */
KARP_API void karp_provider_class_free(karp_provider_class *node_class);
/** 1 = both make the same instance types; NULL is the provider's default class. */
KARP_API uint32_t karp_provider_class_equal(const karp_provider *provider, const karp_provider_class *a,
                                            const karp_provider_class *b);

/**
 * The instance types under a class (NULL = the provider's defaults), as the caller's own hold on a catalogue. Answered from
 * memory as long as facts and class stay the same. Errors: NOMEM, LIMIT, the plugin's.
 */
KARP_API karp_status karp_provider_catalogue(karp_provider *provider, const karp_provider_class *node_class,
                                             karp_catalogue **out, karp_error *error);
/** Sets the label tables of @p into, whose size must be set, and nothing else; they live as long as the provider.
 * Errors: ABI_SIZE, the plugin's. */
KARP_API karp_status karp_provider_settings(karp_provider *provider, karp_settings *into, karp_error *error);
/** The tables themselves; the size of @p out must be set. Errors: ABI_SIZE, the plugin's. */
KARP_API karp_status karp_provider_get_labels(karp_provider *provider, karp_provider_labels *out, karp_error *error);

/** Memory for the results of the functions below, which live until it is freed. Errors: NOMEM. */
KARP_API karp_status karp_provider_memory_new(karp_context *context, karp_provider_memory **out, karp_error *error);
/** NULL is allowed. */
KARP_API void karp_provider_memory_free(karp_provider_memory *memory);

/** The class's hash and its version. Errors: UNSUPPORTED, NOMEM, the plugin's. */
KARP_API karp_status karp_provider_class_hash(karp_provider *provider, const karp_provider_class *node_class,
                                              const karp_provider_memory *memory, karp_str *version, karp_str *hash,
                                              karp_error *error);
/** The class's document with its defaults filled in: canonical JSON, members by name, where the provider has defaults. */
KARP_API karp_status karp_provider_class_defaults(karp_provider *provider, karp_str name, karp_str text,
                                                  const karp_provider_memory *memory, karp_str *out, karp_error *error);
/** Requirements that the provider's old API added to a pool that says no more than these. */
KARP_API karp_status karp_provider_pool_defaults(karp_provider *provider, const karp_requirement *requirements,
                                                 size_t count, const karp_provider_memory *memory,
                                                 const karp_requirement **added, size_t *added_count,
                                                 karp_error *error);

/**
 * What would be launched for a claim: @p launch has requirements, requests and policy (and its size); the rest is filled in.
 * Errors: PROVIDER (no type can be had: KARP_PROVIDER_NO_CAPACITY), NOMEM, INVALID, the plugin's.
 */
KARP_API karp_status karp_provider_launch_filter(karp_provider *provider, const karp_provider_class *node_class,
                                                 const karp_provider_memory *memory, karp_provider_launch *launch,
                                                 karp_error *error);
/** The candidate of a filtered launch that the cloud would take. */
KARP_API karp_status karp_provider_launch_pick(karp_provider *provider, const karp_provider_class *node_class,
                                               const karp_provider_launch *launch, karp_provider_candidate *out,
                                               karp_error *error);
/** What a node of a candidate will look like. @p node has its size. */
KARP_API karp_status karp_provider_launch_node(karp_provider *provider, const karp_provider_class *node_class,
                                               const karp_provider_launch *launch, karp_provider_candidate candidate,
                                               const karp_provider_memory *memory, karp_provider_node *node,
                                               karp_error *error);

/** The cloud's request for a filtered launch, and what its answer says. Errors: UNSUPPORTED, the plugin's. */
KARP_API karp_status karp_provider_launch_request(karp_provider *provider, const karp_provider_class *node_class,
                                                  const karp_provider_launch *launch, karp_str claim,
                                                  const karp_provider_memory *memory, karp_str *request,
                                                  karp_error *error);
/** What the cloud's answer to such a request means: the node that came of it. Errors: UNSUPPORTED, the plugin's. */
KARP_API karp_status karp_provider_launch_result(karp_provider *provider, const karp_provider_class *node_class,
                                                 const karp_provider_launch *launch, karp_str answer, int64_t now,
                                                 const karp_provider_memory *memory, karp_provider_node *node,
                                                 karp_error *error);

/** There is none of @p scope till @p now + @p ttl (0 = as long as the provider thinks). Errors: UNSUPPORTED, the plugin's. */
KARP_API karp_status karp_provider_mark(karp_provider *provider, const karp_provider_scope *scope, int64_t now,
                                        int64_t ttl, karp_error *error);
/** Forgets marks that ended by @p now. */
KARP_API void karp_provider_expire(karp_provider *provider, int64_t now);
/** Why a node has drifted; "" = it has not. */
KARP_API karp_status karp_provider_drift(karp_provider *provider, const karp_provider_class *node_class,
                                         const karp_provider_node *node, const karp_provider_memory *memory,
                                         karp_str *reason, karp_error *error);
/** When nodes are repaired; none at all is an empty list. Borrowed. */
KARP_API karp_status karp_provider_repair_policies(karp_provider *provider, const karp_repair_policy **out,
                                                   size_t *count, karp_error *error);

/** The optional half; UNSUPPORTED when the plugin has none. The host's http is called from within. */
KARP_API karp_status karp_provider_create(karp_provider *provider, const karp_provider_class *node_class,
                                          const karp_provider_launch *launch, karp_str claim,
                                          const karp_provider_http *http, const karp_provider_memory *memory,
                                          karp_provider_node *out, karp_error *error);
/** Ends a machine. Errors: as karp_provider_create(). */
KARP_API karp_status karp_provider_delete(karp_provider *provider, karp_str provider_id, const karp_provider_http *http,
                                          const karp_provider_memory *memory, karp_error *error);
/** One machine as it is. Errors: as karp_provider_create(), and NOT_FOUND. */
KARP_API karp_status karp_provider_get(karp_provider *provider, karp_str provider_id, const karp_provider_http *http,
                                       const karp_provider_memory *memory, karp_provider_node *out, karp_error *error);
/** All machines, each as many bytes as its size says behind the one before, as the plugin made them. Errors: as
 * karp_provider_create(). */
KARP_API karp_status karp_provider_list(karp_provider *provider, const karp_provider_http *http,
                                        const karp_provider_memory *memory, const karp_provider_node **out,
                                        size_t *count, karp_error *error);

#ifdef __cplusplus
}
#endif
#endif
