/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life cycle of a builder, the part common to all objects, and everything that is not an object: settings, clock,
 * catalogues.
 */
#include <model/builder.h>

#include <base/context.h>
#include <base/error.h>
#include <base/names.h>
#include <karp/builder.h>
#include <model/catalogue.h>
#include <model/regex.h>
#include <model/snapshot.h>
#include <model/store_pods.h>

enum { ALL_GATES = 8191 };

/* ---- creating and freeing ---------------------------------------------------------------------------------------- */

karp_builder *builder_of(karp_context *context, store *s)
{
    karp_builder *b = mem_zalloc(context, sizeof *b);
    if (b == NULL) {
        store_free(s);
        return NULL;
    }
    b->s = *s;
    b->context = context_ref(context);
    arena_init(&b->scratch, context);
    b->key.words.context = b->key.texts.context = context;
    return b;
}

karp_status karp_builder_new(karp_context *context, karp_builder **out, karp_error *error)
{
    if (context == NULL || out == NULL) return fail_null(error, "context or out");
    store empty;
    karp_status status = store_init(&empty, context, error);
    karp_builder *b = status == KARP_OK ? builder_of(context, &empty) : NULL;
    if (b == NULL) return context_nomem(context, error);
    *out = b;
    return KARP_OK;
}

void karp_builder_free(karp_builder *builder)
{
    if (builder == NULL) return;
    karp_context *context = builder->context;
    if (builder->s.context != NULL) store_free(&builder->s);
    karp_snapshot_unref(builder->before);
    list_free(context, &builder->removed, sizeof(removed_object));
    arena_free(&builder->scratch);
    word_buffer_free(&builder->key.words);
    word_buffer_free(&builder->key.texts);
    mem_free(context, builder, sizeof *builder);
    context_unref(context);
}

bool builder_ready(karp_builder *builder)
{
    return builder->s.context != NULL || store_init(&builder->s, builder->context, NULL) == KARP_OK;
}

void builder_take_store(karp_builder *builder, store *out)
{
    *out = builder->s;
    memset(&builder->s, 0, sizeof builder->s);
    builder->types = 0;
}

karp_status builder_enter(karp_builder *builder, karp_error *error)
{
    if (builder == NULL) return fail_null(error, "builder");
    return in_use_begin(&builder->use, builder->context, "builder", error);
}

karp_status builder_leave(karp_builder *builder, karp_status status)
{
    in_use_end(&builder->use);
    return status;
}

/* ---- adding an object -------------------------------------------------------------------------------------------- */

/* When the caller has released the snapshot before, nobody else can read it or get it. */
static void note_alone(karp_builder *b)
{
    if (b->alone || b->before == NULL || !snapshot_has_one_owner(b->before)) return;
    b->alone = true;
    store_alone(&b->s);
}

static void init_copier(copier *c, karp_builder *b, karp_error *error)
{
    c->context = b->context;
    c->text = &b->s.text;
    c->resources = &b->s.resources;
    c->to = &b->s.data;
    c->before = NULL;
    c->key = NULL;
    c->error = error;
    c->status = KARP_OK;
    c->depth = 0;
    if (!builder_ready(b)) copy_refuse(c);
}

uint32_t copy_name(adding *a, karp_str text) { return copy_into(&a->c, &a->b->s.names, text); }

void check_limit(adding *a, size_t count, uint64_t most, const char *what)
{
    if (a->c.status != KARP_OK || count < most) return;
    copy_blame(&a->c, fail(a->c.error, KARP_E_LIMIT, "more than %zu %s", count, what), NULL);
}

/* Validates names as the API server does. Otherwise "a/b" with "c" and "a" with "b/c" would be displayed as the same
 * pod. */
static void check_name(adding *a, karp_str name, bool label, const char *field)
{
    bool valid = label ? is_dns_label(name) : is_dns_subdomain(name);
    if (valid || a->c.status != KARP_OK) return;
    copy_blame(&a->c,
               fail(a->c.error, KARP_E_INVALID,
                    label ? "a namespace is a DNS label: at most 63 of a-z, 0-9 and -, of which - is neither the first "
                            "nor the last"
                          : "a name is a DNS subdomain: at most 253 of a-z, 0-9, - and ., with a-z or 0-9 at both ends "
                            "of each part"),
               field);
}

void adding_begin_unnamed(adding *a, karp_builder *b, enum kind kind, const char *kind_name, const karp_meta *meta,
                          enum scope scope, karp_error *error)
{
    a->b = b;
    a->kind = kind;
    a->kind_name = kind_name;
    a->name_space = NO_TEXT;
    a->name = NO_TEXT;
    a->shown_name = meta->name;
    a->shown_namespace = str("");
    karp_status status = builder_enter(b, error);
    a->entered = status == KARP_OK;
    if (!a->entered) {
        a->c = (copier){ .error = error, .status = status };
        return;
    }
    note_alone(b);
    a->mark = arena_get_mark(&b->s.data);
    init_copier(&a->c, b, error);
    if (scope == CLUSTER_WIDE) return;
    bool given = meta->namespace_.ptr != NULL && meta->namespace_.len > 0;
    a->shown_namespace = given ? meta->namespace_ : str("default");
    check_name(a, a->shown_namespace, true, "metadata.namespace");
    a->name_space = copy_into(&a->c, &b->s.text, a->shown_namespace);
}

void adding_begin(adding *a, karp_builder *b, enum kind kind, const char *kind_name, const karp_meta *meta,
                  enum scope scope, const uint32_t *more, size_t more_count, karp_error *error)
{
    bool named = meta->name.ptr != NULL && meta->name.len > 0;
    adding_begin_unnamed(a, b, kind, kind_name, meta, named ? scope : CLUSTER_WIDE, error);
    adding_name(a, meta->name, more, more_count);
}

void adding_name(adding *a, karp_str name, const uint32_t *more, size_t more_count)
{
    karp_error *error = a->c.error;
    if (!a->entered) return;
    if (name.ptr == NULL || name.len == 0) {
        copy_blame(&a->c, fail(error, KARP_E_INVALID, "every object needs a name"), "metadata.name");
        return;
    }
    check_name(a, name, a->kind == KIND_NAMESPACE, "metadata.name");
    store *s = &a->b->s;
    size_t names = s->names.count;
    a->name = copy_name(a, name);
    bool fresh = s->names.count > names; /* no object has the name */
    a->identity[0] = (uint32_t)a->kind;
    a->identity[1] = a->name_space;
    a->identity[2] = a->name;
    for (size_t i = 0; i < more_count; i++) a->identity[3 + i] = more[i];
    a->identity_count = 3 + more_count;
    if (fresh || a->c.status != KARP_OK) return;
    if (a->kind == KIND_POD && !store_index_pods(s)) copy_refuse(&a->c);
    else if (store_has(s, a->identity, a->identity_count))
        copy_blame(&a->c, fail(error, KARP_E_DUPLICATE, "the object is in the input already"), "metadata.name");
}

/* Kinds whose objects are one struct and are identified by kind, namespace and name alone. */
typedef struct given_kind {
    const char *name, *struct_name;
    size_t known, least; /* size of the struct: current, and in version 0.1 */
    enum scope scope;
} given_kind;

/* The first members of all these structs. */
typedef struct given_head {
    size_t size;
    karp_meta meta;
} given_head;

static const given_kind given_kinds[KIND_COUNT] = {
    [KIND_POD] = { "Pod", "karp_pod", sizeof(karp_pod), SIZE_THROUGH(karp_pod, container_status_count), NAMESPACED },
    [KIND_NODE] = { "Node", "karp_node", sizeof(karp_node), SIZE_THROUGH(karp_node, condition_count), CLUSTER_WIDE },
    [KIND_NODE_CLAIM] = { "NodeClaim", "karp_node_claim", sizeof(karp_node_claim),
                          SIZE_THROUGH(karp_node_claim, termination_grace_period), CLUSTER_WIDE },
    [KIND_NODE_POOL] = { "NodePool", "karp_node_pool", sizeof(karp_node_pool),
                         SIZE_THROUGH(karp_node_pool, consolidation_policy), CLUSTER_WIDE },
    [KIND_VOLUME_CLAIM] = { "PersistentVolumeClaim", "karp_persistent_volume_claim",
                            sizeof(karp_persistent_volume_claim), SIZE_THROUGH(karp_persistent_volume_claim, phase),
                            NAMESPACED },
    [KIND_VOLUME] = { "PersistentVolume", "karp_persistent_volume", sizeof(karp_persistent_volume),
                      SIZE_THROUGH(karp_persistent_volume, node_term_count), CLUSTER_WIDE },
    [KIND_STORAGE_CLASS] = { "StorageClass", "karp_storage_class", sizeof(karp_storage_class),
                             SIZE_THROUGH(karp_storage_class, binding_mode), CLUSTER_WIDE },
    [KIND_CSI_NODE] = { "CSINode", "karp_csi_node", sizeof(karp_csi_node), SIZE_THROUGH(karp_csi_node, driver_count),
                        CLUSTER_WIDE },
    [KIND_BUDGET] = { "PodDisruptionBudget", "karp_pod_disruption_budget", sizeof(karp_pod_disruption_budget),
                      SIZE_THROUGH(karp_pod_disruption_budget, always_allow), NAMESPACED },
    [KIND_NAMESPACE] = { "Namespace", "karp_namespace", sizeof(karp_namespace), SIZE_THROUGH(karp_namespace, meta),
                         CLUSTER_WIDE },
    [KIND_OVERLAY] = { "NodeOverlay", "karp_node_overlay", sizeof(karp_node_overlay),
                       SIZE_THROUGH(karp_node_overlay, weight), CLUSTER_WIDE },
    [KIND_RESOURCE_SLICE] = { "ResourceSlice", "karp_resource_slice", sizeof(karp_resource_slice),
                              SIZE_THROUGH(karp_resource_slice, all_nodes), CLUSTER_WIDE },
    [KIND_DEVICE_CLASS] = { "DeviceClass", "karp_device_class", sizeof(karp_device_class),
                            SIZE_THROUGH(karp_device_class, selector_count), CLUSTER_WIDE },
    [KIND_RESOURCE_CLAIM] = { "ResourceClaim", "karp_resource_claim", sizeof(karp_resource_claim),
                              SIZE_THROUGH(karp_resource_claim, allocated), NAMESPACED },
};

karp_status adding_open(adding *a, karp_builder *b, enum kind kind, const void *given, void *own, karp_error *error)
{
    const given_kind *k = &given_kinds[kind];
    if (b == NULL) return fail_null(error, "builder");
    karp_status status = struct_check(given, k->known, k->least, own, k->struct_name, error);
    if (status != KARP_OK) return status;
    const given_head *head = own;
    adding_begin(a, b, kind, k->name, &head->meta, k->scope, NULL, 0, error);
    return a->entered ? KARP_OK : adding_end(a);
}

/* The object's uid, or a substitute text that identifies it. May be allocated in the builder's scratch arena. */
static karp_str uid_text(adding *a, const karp_meta *meta)
{
    if (meta->uid.ptr != NULL && meta->uid.len > 0) return meta->uid;
    karp_str parts[3] = { str(a->kind_name), a->shown_namespace, a->shown_name }, out = { "", 0 };
    size_t bytes = 0;
    bool fits = true;
    for (size_t i = 0; i < 3; i++) fits = fits && size_add(bytes, parts[i].len + 1, &bytes);
    char *text = a->c.status == KARP_OK && fits ? arena_alloc_aligned(&a->b->scratch, bytes, 1) : NULL;
    if (text == NULL) {
        copy_refuse(&a->c);
        return out;
    }
    for (size_t i = 0; i < 3; i++) {
        if (parts[i].len == 0) continue;
        if (i > 0) text[out.len++] = '/';
        memcpy(text + out.len, parts[i].ptr, parts[i].len);
        out.len += parts[i].len;
    }
    out.ptr = text;
    return out;
}

object copy_meta(adding *a, const karp_meta *meta)
{
    copier *c = &a->c;
    object o = { .name_space = a->name_space, .name = a->name };
    o.uid = copy_name(a, uid_text(a, meta));
    path_enter(c, "metadata.labels");
    o.labels = copy_labels(c, meta->labels, meta->label_count);
    if (c->status != KARP_OK) return o;
    path_leave(c);
    path_enter(c, "metadata.annotations");
    o.annotations = copy_labels(c, meta->annotations, meta->annotation_count);
    if (c->status != KARP_OK) return o;
    path_leave(c);
    o.creation = meta->creation == KARP_NO_TIME ? 0 : meta->creation;
    o.deletion = copy_time(meta->deletion);
    return o;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

void karp_settings_init(karp_settings *settings, size_t size)
{
    const karp_settings fresh = { .gates = KARP_GATE_RESERVED_CAPACITY };
    struct_start(settings, size, &fresh, sizeof fresh);
}

/* The checks of Karpenter's start-up. */
static const char *wrong_repair(copier *c, const karp_node_repair *p)
{
    static const char *const statuses[] = { "True", "False", "Unknown" };
    const char *wrong = NULL;
    bool known = false;
    for (size_t i = 0; i < 3; i++) known = known || equal_str(p->status, str(statuses[i]));
    if (p->condition.len == 0) return "a repair policy without a condition";
    if (!known) return "the status of a repair policy is True, False or Unknown";
    if (p->toleration < 0 || (p->termination_grace_period < 0 && p->termination_grace_period != KARP_DURATION_UNSET))
        return "a duration of a repair policy is negative";
    if (p->priority > 100) return "the priority of a repair policy is above 100";
    if (p->action > KARP_REPAIR_REBOOT) return "the action of a repair policy is not known";
    arena a = arena_on(c->context);
    if (regex_compile(&a, p->reason, &wrong) == NULL && wrong == NULL) copy_refuse(c);
    arena_free(&a);
    return wrong == NULL ? NULL : "the regular expression of a repair policy cannot be read";
}

static void check_repairs(copier *c, const karp_settings *s)
{
    size_t fallbacks = 0;
    const char *wrong = NULL;
    for (size_t i = 0; i < s->repair_count && wrong == NULL && c->status == KARP_OK; i++) {
        wrong = wrong_repair(c, &s->repairs[i]);
        if (s->repairs[i].reason.len > 0) continue;
        fallbacks++;
        if (wrong == NULL && s->repairs[i].action != KARP_REPAIR_REPLACE)
            wrong = "the repair policy without a reason replaces the node";
    }
    if (wrong == NULL && s->repair_count > 0 && fallbacks != 1) wrong = "exactly one repair policy has no reason";
    if (wrong != NULL) copy_blame(c, fail(c->error, KARP_E_INVALID, "%s", wrong), NULL);
}

static void read_repairs(copier *c, const karp_settings *given, store *into)
{
    node_repair *list = copy_alloc_list(c, given->repairs, given->repair_count, sizeof *list);
    reboot *reboots = copy_alloc_list(c, given->reboots, given->reboot_count, sizeof *reboots);
    reservation_credit *credits = copy_alloc_list(c, given->credits, given->credit_count, sizeof *credits);
    if (c->status == KARP_OK) check_repairs(c, given);
    if (c->status != KARP_OK) return;
    for (size_t i = 0; i < given->repair_count; i++) {
        const karp_node_repair *p = &given->repairs[i];
        list[i] = (node_repair){ .condition = copy_text(c, p->condition),
                                 .status = copy_text(c, p->status),
                                 .reason = copy_string(c, p->reason),
                                 .toleration = p->toleration,
                                 .termination_grace_period = p->termination_grace_period,
                                 .priority = p->priority,
                                 .action = p->action };
    }
    for (size_t i = 0; i < given->reboot_count; i++)
        reboots[i] = (reboot){ copy_string(c, given->reboots[i].node_claim), given->reboots[i].at };
    for (size_t i = 0; i < given->credit_count; i++)
        credits[i] = (reservation_credit){ copy_text(c, given->credits[i].reservation), given->credits[i].slots };
    into->repairs = list;
    into->reboots = reboots;
    into->credits = credits;
    into->repair_count = (uint32_t)given->repair_count;
    into->reboot_count = (uint32_t)given->reboot_count;
    into->credit_count = (uint32_t)given->credit_count;
}

#ifdef KARP_NO_DEVICES
enum { MOST_DRA_REQUESTS = 0 }; /* this build has no device allocation */
#else
enum { MOST_DRA_REQUESTS = 1 };
#endif

static karp_status check_settings(const karp_settings *s, karp_error *error)
{
    const struct {
        const char *field;
        uint32_t value, most;
    } limits[] = {
        { "preference_policy", s->preference_policy, KARP_PREFERENCES_IGNORE },
        { "min_values_policy", s->min_values_policy, KARP_MIN_VALUES_BEST_EFFORT },
        { "reserved_mode", s->reserved_mode, KARP_RESERVED_FALLBACK },
        { "gates", s->gates, ALL_GATES },
        { "dra_requests", s->dra_requests, MOST_DRA_REQUESTS },
        { "consolidation_simulation", s->consolidation_simulation, 1 },
        { "legacy_node_repair", s->legacy_node_repair, 1 },
        { "other_nodes_known", s->other_nodes_known, 1 },
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (limits[i].value <= limits[i].most) continue;
        karp_status status = fail(error, KARP_E_INVALID, "%lu is not a value of this setting",
                                  (unsigned long)limits[i].value);
        error_set_object(error, "karp_settings", str(""), str(""));
        error_set_field(error, "%s", limits[i].field);
        return status;
    }
    return KARP_OK;
}

/* The checks that Karpenter makes when it starts. */
static void check_default_spread(copier *c, const karp_settings *s, spread_list copy)
{
    for (size_t i = 0; i < copy.count && c->status == KARP_OK; i++) {
        const karp_spread_constraint *given = &s->default_spread[i];
        path_at(c, i);
        if (copy.items[i].topology_key == NO_TEXT)
            copy_blame(c, fail(c->error, KARP_E_INVALID, "must not be empty"), "topologyKey");
        else if (given->label_selector != NULL || given->match_label_key_count > 0)
            copy_blame(c, fail(c->error, KARP_E_INVALID, "a default constraint has no selector"), "labelSelector");
        for (size_t j = 0; j < i && c->status == KARP_OK; j++) {
            if (copy.items[j].topology_key != copy.items[i].topology_key) continue;
            if (copy.items[j].schedule_anyway != copy.items[i].schedule_anyway) continue;
            copy_blame(c, fail(c->error, KARP_E_DUPLICATE, "the constraint is listed twice"), NULL);
        }
    }
}

/* Writes only those members of `into` that depend on settings. */
static void read_settings(copier *c, const karp_settings *given, store *into)
{
    path_enter(c, "default_spread");
    if (given->default_spread_count > 64)
        copy_blame(c, fail(c->error, KARP_E_LIMIT, "more than 64 default constraints"), NULL);
    into->default_spread = copy_spread(c, given->default_spread, given->default_spread_count);
    check_default_spread(c, given, into->default_spread);
    path_leave(c);
    path_enter(c, "well_known");
    into->well_known = copy_texts(c, given->well_known, given->well_known_count, &into->well_known_count);
    path_leave(c);
    path_enter(c, "restricted");
    into->restricted = copy_texts(c, given->restricted, given->restricted_count, &into->restricted_count);
    path_leave(c);
    path_enter(c, "restricted_domains");
    into->restricted_domains = copy_texts(c, given->restricted_domains, given->restricted_domain_count,
                                          &into->restricted_domain_count);
    path_leave(c);
    path_enter(c, "normalized");
    into->normalized = copy_labels(c, given->normalized, given->normalized_count);
    into->reservation_id = copy_text(c, given->reservation_id_label);
    path_leave(c);
    path_enter(c, "repairs");
    read_repairs(c, given, into);
}

static karp_status take_settings(karp_builder *builder, const karp_settings *settings, karp_error *error)
{
    karp_settings own;
    copier c;
    store *s = &builder->s, changed;
    karp_status status = struct_check(settings, sizeof own, SIZE_THROUGH(karp_settings, reservation_id_label), &own,
                                      "karp_settings", error);
    if (status == KARP_OK) status = STRUCT_CHECK_TEXTS("karp_settings", error, &own.reservation_id_label);
    if (status == KARP_OK && settings == NULL) karp_settings_init(&own, sizeof own);
    if (status == KARP_OK) status = check_settings(&own, error);
    if (status != KARP_OK) return status;

    init_copier(&c, builder, error);
    arena_mark mark = arena_get_mark(&s->data);
    memset(&changed, 0, sizeof changed);
    read_settings(&c, &own, &changed);
    if (c.status != KARP_OK) {
        arena_release(&s->data, mark);
        error_set_object(error, "karp_settings", str(""), str(""));
        return c.status;
    }
    store_touch(s, TOUCHED_REST);
    s->default_spread = changed.default_spread;
    s->well_known = changed.well_known;
    s->well_known_count = changed.well_known_count;
    s->restricted = changed.restricted;
    s->restricted_count = changed.restricted_count;
    s->restricted_domains = changed.restricted_domains;
    s->restricted_domain_count = changed.restricted_domain_count;
    s->normalized = changed.normalized;
    s->reservation_id = changed.reservation_id;
    s->repairs = changed.repairs;
    s->repair_count = changed.repair_count;
    s->reboots = changed.reboots;
    s->reboot_count = changed.reboot_count;
    s->credits = changed.credits;
    s->credit_count = changed.credit_count;

    karp_settings_init(&s->settings, sizeof s->settings); /* without the caller's pointers */
    s->settings.preference_policy = own.preference_policy;
    s->settings.min_values_policy = own.min_values_policy;
    s->settings.reserved_mode = own.reserved_mode;
    s->settings.gates = own.gates;
    s->settings.dra_requests = own.dra_requests;
    s->settings.consolidation_simulation = own.consolidation_simulation;
    s->settings.legacy_node_repair = own.legacy_node_repair;
    s->settings.other_nodes_known = own.other_nodes_known;
    s->settings.reservation_id_label = store_text(s, s->reservation_id);
    return KARP_OK;
}

karp_status karp_builder_set_settings(karp_builder *builder, const karp_settings *settings, karp_error *error)
{
    karp_status status = builder_enter(builder, error);
    return status != KARP_OK ? status : builder_leave(builder, take_settings(builder, settings, error));
}

static karp_status take_now(karp_builder *builder, int64_t now, karp_error *error)
{
    if (now == KARP_NO_TIME) return fail(error, KARP_E_INVALID, "the clock of a snapshot must be an instant");
    if (!builder_ready(builder)) return context_nomem(builder->context, error);
    builder->s.now = now;
    return KARP_OK;
}

karp_status karp_builder_set_now(karp_builder *builder, int64_t now, karp_error *error)
{
    karp_status status = builder_enter(builder, error);
    return status != KARP_OK ? status : builder_leave(builder, take_now(builder, now, error));
}

/* ---- Karpenter's cluster state ----------------------------------------------------------------------------------- */

/* Notes a key of a list. One that was noted before is a failure with this message. */
static void note_once(copier *c, map64 *seen, uint64_t key, const char *leaf, const char *message)
{
    if (c->status != KARP_OK) return;
    if (map64_get(seen, key) != NO_ID) copy_blame(c, fail(c->error, KARP_E_DUPLICATE, "%s", message), leaf);
    else if (!map64_put(seen, key, 1)) copy_refuse(c);
}

static karp_status take_node_states(karp_builder *builder, const karp_node_state *states, size_t count,
                                    karp_error *error)
{
    store *s = &builder->s;
    store fresh; /* only its states are used */
    map64 seen;
    copier c;
    memset(&fresh, 0, sizeof fresh);
    init_copier(&c, builder, error);
    map64_init(&seen, builder->context);
    path_enter(&c, "states");
    if (!copy_has(&c, states, count)) count = 0;
    for (size_t i = 0; i < count && c.status == KARP_OK; i++) {
        path_at(&c, i);
        if (states[i].name.ptr == NULL || states[i].name.len == 0) {
            copy_blame(&c, fail(error, KARP_E_INVALID, "a node state needs a name"), "name");
            break;
        }
        uint32_t name = copy_into(&c, &s->names, states[i].name);
        note_once(&c, &seen, name, "name", "the node has a state already");
        node_state *state = list_push(builder->context, &fresh.states, sizeof *state);
        if (state == NULL) {
            copy_refuse(&c);
            break;
        }
        state->name = name;
        state->marked = states[i].marked_for_deletion != 0;
        state->nominated = states[i].nominated != 0;
    }
    map64_free(&seen);
    if (c.status != KARP_OK) {
        list_free(builder->context, &fresh.states, sizeof(node_state));
        return c.status;
    }
    list_free(builder->context, &s->states, sizeof(node_state));
    memcpy(&s->states, &fresh.states, sizeof s->states);
    store_touch(s, TOUCHED_REST);
    s->states_given = true;
    return KARP_OK;
}

karp_status karp_builder_set_node_states(karp_builder *builder, const karp_node_state *states, size_t count,
                                         karp_error *error)
{
    karp_status status = builder_enter(builder, error);
    return status != KARP_OK ? status : builder_leave(builder, take_node_states(builder, states, count, error));
}

/* Converts "namespace/name" to the form of store.pods_to_place. */
static uint64_t read_pod_name(copier *c, store *s, karp_str text)
{
    const char *slash = text.ptr && text.len > 0 ? memchr(text.ptr, '/', text.len) : NULL;
    size_t before = slash ? (size_t)(slash - text.ptr) : 0;
    if (before == 0 || before + 1 == text.len) {
        copy_blame(c, fail(c->error, KARP_E_INVALID, "a pod is named as \"namespace/name\""), NULL);
        return 0;
    }
    uint32_t name_space = copy_into(c, &s->text, (karp_str){ text.ptr, before });
    uint32_t name = copy_into(c, &s->names, (karp_str){ text.ptr + before + 1, text.len - before - 1 });
    return pair_key(name_space, name);
}

static karp_status take_pods_to_place(karp_builder *builder, const karp_str *names, size_t count, karp_error *error)
{
    store *s = &builder->s;
    store fresh; /* only its list of pods to place is used */
    map64 seen;
    copier c;
    memset(&fresh, 0, sizeof fresh);
    init_copier(&c, builder, error);
    map64_init(&seen, builder->context);
    path_enter(&c, "podsToPlace");
    if (!copy_has(&c, names, count)) count = 0;
    for (size_t i = 0; i < count && c.status == KARP_OK; i++) {
        path_at(&c, i);
        uint64_t key = read_pod_name(&c, s, names[i]);
        note_once(&c, &seen, key, NULL, "the pod is named twice");
        uint64_t *place = list_push(builder->context, &fresh.pods_to_place, sizeof *place);
        if (place == NULL) copy_refuse(&c);
        else *place = key;
    }
    map64_free(&seen);
    if (c.status != KARP_OK) {
        list_free(builder->context, &fresh.pods_to_place, sizeof(uint64_t));
        return c.status;
    }
    list_free(builder->context, &s->pods_to_place, sizeof(uint64_t));
    memcpy(&s->pods_to_place, &fresh.pods_to_place, sizeof s->pods_to_place);
    s->pods_given = true;
    return KARP_OK;
}

karp_status karp_builder_set_pods_to_place(karp_builder *builder, const karp_str *names, size_t count,
                                           karp_error *error)
{
    karp_status status = builder_enter(builder, error);
    return status != KARP_OK ? status : builder_leave(builder, take_pods_to_place(builder, names, count, error));
}

void builder_forget_state(karp_builder *builder)
{
    store *s = &builder->s;
    karp_settings *set = &s->settings;
    if (!s->states_given && !s->pods_given && s->credit_count == 0 && set->consolidation_simulation == 0 &&
        set->other_nodes_known == 0)
        return;
    list_free(builder->context, &s->states, sizeof(node_state));
    list_free(builder->context, &s->pods_to_place, sizeof(uint64_t));
    s->states_given = s->pods_given = false;
    s->credits = NULL;
    s->credit_count = 0;
    set->consolidation_simulation = set->other_nodes_known = 0;
    store_touch(s, TOUCHED_REST);
}

/* ---- catalogues -------------------------------------------------------------------------------------------------- */

/* The number of types in all catalogues including this one; each catalogue is counted once. */
static uint64_t count_types(const karp_builder *b, const karp_catalogue *with)
{
    for (size_t i = 0; i < b->s.catalogues.count; i++) {
        if (b->s.catalogues.items[i].catalogue == with) return b->types;
    }
    return b->types + with->count;
}

static karp_status take_catalogue(karp_builder *builder, karp_catalogue *catalogue, const karp_str *pools,
                                  size_t pool_count, karp_error *error)
{
    store *s = &builder->s;
    copier c;
    if (catalogue == NULL) return fail(error, KARP_E_INVALID, "the catalogue is NULL");
    uint64_t types = count_types(builder, catalogue);
    if (types > karp_context_get_options(builder->context)->max_instance_types)
        return fail(error, KARP_E_LIMIT, "the catalogues have more instance types than the context allows");
    init_copier(&c, builder, error);
    c.text = &s->names; /* names of NodePools are object names */
    arena_mark mark = arena_get_mark(&s->data);
    catalogue_use use = { .catalogue = catalogue };
    path_enter(&c, "pools");
    use.pools = copy_texts(&c, pools, pool_count, &use.pool_count);
    if (c.status == KARP_OK && !list_reserve(builder->context, &s->catalogues, sizeof use)) copy_refuse(&c);
    if (c.status != KARP_OK) {
        arena_release(&s->data, mark);
        return c.status;
    }
    (void)karp_catalogue_ref(catalogue);
    builder->types = types;
    store_touch(s, TOUCHED_REST);
    catalogue_use *place = list_push(builder->context, &s->catalogues, sizeof use);
    if (place) *place = use;
    return KARP_OK;
}

karp_status karp_builder_add_catalogue(karp_builder *builder, karp_catalogue *catalogue, const karp_str *pools,
                                       size_t pool_count, karp_error *error)
{
    karp_status status = builder_enter(builder, error);
    return status != KARP_OK ? status
                             : builder_leave(builder, take_catalogue(builder, catalogue, pools, pool_count, error));
}
