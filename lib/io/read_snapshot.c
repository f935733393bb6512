/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the parts of a Snapshot other than its objects: time, settings, label tables, remembered state, catalogues. */
#include <io/notes.h>

#include <karp/library.h>

karp_status io_snapshot_begin(karp_reader *reader, const io_place *place)
{
    if (reader->asked.snapshot)
        return io_reader_fail(reader, KARP_E_DUPLICATE, place, NULL, "the input has a Snapshot already");
    reader->asked.snapshot = true;
    return KARP_OK;
}

static karp_status bad(karp_reader *reader, const io_decoder *d, const io_place *place, const tree *root)
{
    karp_status status = io_reader_bad(reader, d, place, root);
    if (status != KARP_E_NOMEM) io_reader_name(reader, str("Snapshot"), (karp_str){ "", 0 }, (karp_str){ "", 0 });
    return status;
}

/* Warns about unknown members, which are most likely misspelt. */
static karp_status warn_unknown(karp_reader *reader, const tree *object, const char *where, const char *const *known)
{
    for (size_t n = 0; tree_is(object, TREE_MAP) && n < tree_count(object); n++) {
        karp_str key = tree_member_name(tree_member_at(object, n));
        size_t i = 0;
        while (known[i] && !str_is(key, known[i])) i++;
        if (known[i]) continue;
        karp_status status = io_warn(reader, "Snapshot: %s.%.*s is not known and has no effect", where,
                                     str_shown(key, 100), key.ptr);
        if (status) return status;
    }
    return KARP_OK;
}

/* ---- settings and labels ----------------------------------------------------------------------------------------- */

static void read_gates(io_decoder *d, const tree *settings, karp_settings *into)
{
    const tree *given = io_enter(d, settings, "featureGates");
    uint32_t bit = 0;
    for (size_t i = 0; io_gate_name(i, &bit); i++) {
        bool on = io_boolean(d, given, io_gate_name(i, &bit), (into->gates & bit) != 0);
        into->gates = on ? into->gates | bit : into->gates & ~bit;
    }
    io_pop(d);
}

static void repair_policy(io_decoder *d, const tree *value, void *into)
{
    static const record_word actions[] = { { "ReplaceNode", KARP_REPAIR_REPLACE },
                                           { "RebootNode", KARP_REPAIR_REBOOT } };
    karp_node_repair *out = into;
    out->condition = io_required_string(d, value, "conditionType");
    out->status = io_required_string(d, value, "conditionStatus");
    out->reason = io_string(d, value, "reasonRegex");
    out->toleration = io_duration(d, value, "tolerationDuration", false);
    if (out->toleration == KARP_DURATION_UNSET) out->toleration = 0;
    out->termination_grace_period = io_duration(d, value, "terminationGracePeriod", false);
    out->priority = (uint32_t)io_integer(d, value, "priority", 0, 100, 0);
    out->action = io_enum(d, value, "action", actions, 2, KARP_REPAIR_REPLACE);
}

static void read_default_spread(io_decoder *d, const tree *settings, karp_settings *into)
{
    const tree *config = io_enter(d, settings, "schedulerConfig");
    const tree *spread = io_enter(d, config, "podTopologySpread");
    into->default_spread = io_spread(d, spread, "defaultConstraints", &into->default_spread_count);
    for (size_t i = 0; i < into->default_spread_count && !d->status; i++) {
        const karp_spread_constraint *c = &into->default_spread[i];
        io_push(d, "defaultConstraints");
        io_push_index(d, i);
        if (c->label_selector || c->match_label_key_count)
            io_bad(d, KARP_E_INVALID, "a default constraint has no selector of its own");
        io_pop(d);
        io_pop(d);
    }
    io_pop(d);
    io_pop(d);
}

static void read_settings(io_decoder *d, const tree *settings, karp_settings *into)
{
    static const record_word preferences[] = { { "Respect", KARP_PREFERENCES_RESPECT },
                                               { "Ignore", KARP_PREFERENCES_IGNORE } };
    static const record_word minimums[] = { { "Strict", KARP_MIN_VALUES_STRICT },
                                            { "BestEffort", KARP_MIN_VALUES_BEST_EFFORT } };
    static const record_word modes[] = { { "Strict", KARP_RESERVED_STRICT }, { "Fallback", KARP_RESERVED_FALLBACK } };
    io_push(d, "settings");
    into->preference_policy = io_enum(d, settings, "preferencePolicy", preferences, 2, KARP_PREFERENCES_RESPECT);
    into->min_values_policy = io_enum(d, settings, "minValuesPolicy", minimums, 2, KARP_MIN_VALUES_STRICT);
    into->reserved_mode = io_enum(d, settings, "reservedOfferingMode", modes, 2, KARP_RESERVED_STRICT);
    into->dra_requests = !io_boolean(d, settings, "ignoreDRARequests", true);
    into->legacy_node_repair = io_boolean(d, settings, "legacyNodeRepair", false);
    into->repairs = io_elements(d, settings, "repairPolicies", sizeof(karp_node_repair), repair_policy,
                                &into->repair_count);
    read_gates(d, settings, into);
    read_default_spread(d, settings, into);
    io_pop(d);
}

static void read_labels(io_decoder *d, const tree *labels, karp_settings *into)
{
    io_push(d, "labels");
    into->well_known = io_strings(d, labels, "wellKnown", &into->well_known_count);
    into->restricted = io_strings(d, labels, "restricted", &into->restricted_count);
    into->restricted_domains = io_strings(d, labels, "restrictedDomains", &into->restricted_domain_count);
    into->normalized = io_labels(d, labels, "normalized", &into->normalized_count);
    into->reservation_id_label = io_string(d, labels, "reservationID");
    io_pop(d);
}

/* ---- state ------------------------------------------------------------------------------------------------------- */

static void node_state(io_decoder *d, const tree *value, void *into)
{
    karp_node_state *out = into;
    out->name = io_required_string(d, value, "name");
    out->marked_for_deletion = io_boolean(d, value, "markedForDeletion", false);
    out->nominated = io_boolean(d, value, "nominated", false);
}

struct claim_reboots {
    karp_str claim;
    const karp_str *at;
    size_t count;
};

static void reboots_of_claim(io_decoder *d, const tree *value, void *into)
{
    struct claim_reboots *out = into;
    out->claim = io_required_string(d, value, "nodeClaim");
    out->at = io_strings(d, value, "at", &out->count);
}

/* A row for each reboot time of each claim. */
static const karp_reboot *read_reboots(io_decoder *d, const tree *state, size_t *count)
{
    size_t claims = 0, all = 0, n = 0;
    const struct claim_reboots *given = io_elements(d, state, "reboots", sizeof *given, reboots_of_claim, &claims);
    for (size_t i = 0; given && i < claims; i++) all += given[i].count;
    karp_reboot *list = all > 0 ? io_make(d, all, sizeof *list) : NULL;
    for (size_t i = 0; list && i < claims; i++) {
        for (size_t k = 0; k < given[i].count; k++, n++) {
            list[n].node_claim = given[i].claim;
            if (karp_time_parse(given[i].at[k], &list[n].at) == KARP_OK) continue;
            io_bad_member(d, "reboots", KARP_E_INVALID, "a time is not an RFC 3339 time between 1678 and 2261");
        }
    }
    *count = list ? n : 0;
    return list;
}

/* {reservation: slots} */
static const karp_reservation_credit *read_credits(io_decoder *d, const tree *state, size_t *count)
{
    const tree *given = io_enter(d, state, "reservationCredit");
    size_t all = tree_count(given), n = 0;
    karp_reservation_credit *list = all > 0 ? io_make(d, all, sizeof *list) : NULL;
    for (; list && n < all; n++) {
        list[n].reservation = tree_member_name(tree_member_at(given, n));
        list[n].slots = io_integer(d, given, io_c_string(d, list[n].reservation), 0, INT32_MAX, 0);
    }
    io_pop(d);
    *count = n;
    return list;
}

/* Decoding failures are recorded in the decoder, the builder's in reader->error. */
static karp_status read_state(karp_reader *reader, io_decoder *d, const tree *state, karp_settings *settings)
{
    record_word methods[32];
    size_t count = 0;
    for (uint32_t i = 1; count < 32 && karp_method_name(i)[0] != '\0'; i++) {
        if ((karp_method_flags(i) & (KARP_METHOD_FLAG_PASS | KARP_METHOD_FLAG_REPACK)) != 0)
            methods[count++] = (record_word){ karp_method_name(i), i };
    }
    io_push(d, "state");
    settings->consolidation_simulation = io_boolean(d, state, "consolidationSimulation", false);
    reader->asked.method = io_enum(d, state, "method", methods, count, KARP_METHOD_ANY);
    settings->other_nodes_known = reader->asked.method !=
                                  KARP_METHOD_ANY; /* a disruption pass knows the whole cluster */
    size_t node_count = 0, pod_count = 0;
    const karp_node_state *nodes = io_elements(d, state, "nodes", sizeof(karp_node_state), node_state, &node_count);
    const karp_str *pods = io_strings(d, state, "pods", &pod_count);
    settings->reboots = read_reboots(d, state, &settings->reboot_count);
    settings->credits = read_credits(d, state, &settings->credit_count);
    str_shorten(reader->catalogues.licences, sizeof reader->catalogues.licences,
                io_string(d, state, "withoutLicences"));
    size_t problem_count = 0;
    const karp_str *problems = io_strings(d, state, "problems", &problem_count);
    io_pop(d);
    if (d->status) return d->status;
    for (size_t i = 0; i < problem_count; i++) {
        karp_status kept = io_problem_carried(reader, problems[i]);
        if (kept) return kept;
    }
    karp_status status = KARP_OK;
    if (nodes) status = karp_builder_set_node_states(reader->builder, nodes, node_count, &reader->error);
    if (status == KARP_OK && pods)
        status = karp_builder_set_pods_to_place(reader->builder, pods, pod_count, &reader->error);
    return status;
}

static bool keep_text(karp_reader *reader, const tree *root, karp_str *into)
{
    if (!reader->options.keep_documents || !root) return true;
    *into = io_keep_json(reader, root);
    return into->ptr != NULL;
}

static void set_seconds(trees *t, tree *object, const char *name, int64_t duration)
{
    char text[32] = "";
    if (duration == KARP_DURATION_UNSET) return;
    str_append(text, sizeof text, "%llds", (long long)(duration / 1000000000));
    tree_set_text(t, object, name, str(text));
}

/* The provider's policies as settings.repairPolicies. */
static tree *repairs_of(trees *t, const karp_reader *reader)
{
    tree *list = tree_new(t, TREE_LIST);
    for (size_t i = 0; i < reader->clouds.repair_count; i++) {
        const karp_node_repair *p = &reader->clouds.repairs[i];
        tree *one = tree_new(t, TREE_MAP);
        tree_set_text(t, one, "conditionType", p->condition);
        tree_set_text(t, one, "conditionStatus", p->status);
        if (p->reason.len) tree_set_text(t, one, "reasonRegex", p->reason);
        set_seconds(t, one, "tolerationDuration", p->toleration);
        set_seconds(t, one, "terminationGracePeriod", p->termination_grace_period);
        if (p->priority) tree_set(t, one, "priority", tree_new_integer(t, p->priority));
        tree_set_text(t, one, "action", str(p->action == KARP_REPAIR_REBOOT ? "RebootNode" : "ReplaceNode"));
        tree_append(t, list, one);
    }
    return list;
}

/* Keeps the settings for the dump, with those of the options in place of the stated ones. */
static bool keep_settings(karp_reader *reader, const tree *settings)
{
    if (!io_settings_chosen(reader)) return keep_text(reader, settings, &reader->asked.settings);
    trees *t = &reader->passing;
    tree *copy = tree_copy_or_new(t, settings, TREE_MAP);
    tree *gates = reader->gates.given ? tree_own(t, copy, "featureGates", TREE_MAP) : NULL;
    uint32_t bit = 0;
    if (reader->options.preferences != KARP_READ_PREFERENCES_GIVEN)
        tree_set_text(t, copy, "preferencePolicy",
                      str(reader->options.preferences == KARP_READ_PREFERENCES_IGNORE ? "Ignore" : "Respect"));
    if (reader->options.dra_requests != KARP_READ_DRA_GIVEN)
        tree_set(t, copy, "ignoreDRARequests",
                 tree_new(t, reader->options.dra_requests == KARP_READ_DRA_PLAN ? TREE_FALSE : TREE_TRUE));
    if (reader->options.legacy_node_repair) tree_set(t, copy, "legacyNodeRepair", tree_new(t, TREE_TRUE));
    for (size_t i = 0; gates && io_gate_name(i, &bit); i++) {
        const char *name = io_gate_name(i, &bit);
        if (reader->gates.given & bit)
            tree_set(t, gates, name, tree_new(t, reader->gates.given_on & bit ? TREE_TRUE : TREE_FALSE));
    }
    if (reader->clouds.repair_count > 0) tree_set(t, copy, "repairPolicies", repairs_of(t, reader));
    return t->status == KARP_OK && keep_text(reader, copy, &reader->asked.settings);
}

karp_status io_settle_gates(karp_reader *reader)
{
    if (!io_settings_chosen(reader) || reader->asked.snapshot) return KARP_OK;
    return keep_settings(reader, NULL) ? KARP_OK : io_reader_nomem(reader);
}

static int compare_states(const void *a, const void *b, const void *user)
{
    (void)user;
    const tree *const *x = a, *const *y = b;
    return compare_str(tree_get_text(*x, "name"), tree_get_text(*y, "name"));
}

/* Keeps the state for the dump, with nodes sorted by name: their order has no meaning and must not affect the
 * digest. */
static bool keep_state(karp_reader *reader, const tree *state)
{
    trees *t = &reader->passing;
    tree *copy = tree_copy(t, state), *nodes = tree_copy(t, tree_get(state, "nodes"));
    if (t->status) return false;
    tree_remove(t, copy, "problems"); /* the reader's own list has them */
    if (tree_is(nodes, TREE_LIST)) {
        if (!sort_stable(reader->context, nodes->of.items, nodes->count, sizeof *nodes->of.items, compare_states, NULL))
            return false;
        tree_set(t, copy, "nodes", nodes);
    }
    return t->status == KARP_OK && keep_text(reader, copy, &reader->asked.state);
}

static karp_status warn_members(karp_reader *reader, const tree *settings, const tree *labels, const tree *state)
{
    static const char *const in_settings[] = { "preferencePolicy", "minValuesPolicy",   "reservedOfferingMode",
                                               "featureGates",     "ignoreDRARequests", "schedulerConfig",
                                               "legacyNodeRepair", "repairPolicies",    NULL };
    static const char *const in_labels[] = { "wellKnown",  "restricted",    "restrictedDomains",
                                             "normalized", "reservationID", NULL };
    static const char *const in_state[] = { "nodes",           "pods",     "consolidationSimulation",
                                            "method",          "reboots",  "reservationCredit",
                                            "withoutLicences", "problems", NULL };
    const char *gate_names[33] = { NULL }; /* one for each bit of 32, and NULL */
    uint32_t bit = 0;
    for (size_t i = 0; i < 32; i++) gate_names[i] = io_gate_name(i, &bit);
    karp_status status = warn_unknown(reader, settings, "settings", in_settings);
    if (status == KARP_OK)
        status = warn_unknown(reader, tree_get(settings, "featureGates"), "settings.featureGates", gate_names);
    if (status == KARP_OK) status = warn_unknown(reader, labels, "labels", in_labels);
    return status ? status : warn_unknown(reader, state, "state", in_state);
}

karp_status io_snapshot_head_read(karp_reader *reader, const io_snapshot_head *head, const io_place *place,
                                  const tree *root)
{
    io_decoder d;
    arena_release(&reader->scratch, (arena_mark){ NULL, NULL });
    io_decoder_init(&d, &reader->scratch);
    const struct {
        const char *name;
        const tree *root;
    } parts[] = {
        { "settings", head->settings },
        { "labels", head->labels },
        { "state", head->state },
    };
    for (size_t i = 0; i < 3; i++) {
        bool fits = !parts[i].root || tree_is(parts[i].root, TREE_MAP) || tree_is(parts[i].root, TREE_NULL);
        if (!fits) io_bad_member(&d, parts[i].name, KARP_E_INVALID, "must be an object");
    }
    if (head->now && !tree_is(head->now, TREE_NULL)) {
        karp_str text = tree_text(head->now);
        karp_status status = tree_is(head->now, TREE_STRING) ? karp_time_parse(text, &reader->asked.now)
                                                             : KARP_E_INVALID;
        if (status) io_bad_member(&d, "now", status, "is not an RFC 3339 time between 1678 and 2261");
        reader->asked.has_now = true;
    }
    karp_settings settings;
    karp_settings_init(&settings, sizeof settings);
    read_settings(&d, head->settings, &settings);
    read_labels(&d, head->labels, &settings);
    karp_status status = read_state(reader, &d, head->state, &settings);
    if (d.status) return bad(reader, &d, place, root);
    io_options_apply(reader, &settings);
    reader->gates.on = settings.gates;
    uint32_t bit = 0;
    for (size_t i = 0; io_gate_name(i, &bit); i++)
        if (tree_get(tree_get(head->settings, "featureGates"), io_gate_name(i, &bit))) reader->gates.stated |= bit;
    if (status == KARP_OK) status = karp_builder_set_settings(reader->builder, &settings, &reader->error);
    if (status) {
        if (status != KARP_E_NOMEM) io_error_place(&reader->error, place);
        return status;
    }
    if (!keep_settings(reader, head->settings) || !keep_text(reader, head->labels, &reader->asked.labels) ||
        !keep_state(reader, head->state)) {
        return io_reader_nomem(reader);
    }
    return warn_members(reader, head->settings, head->labels, head->state);
}

/* ---- catalogues -------------------------------------------------------------------------------------------------- */

karp_status io_give_catalogue(karp_reader *reader, karp_catalogue *catalogue, const karp_str *pools, size_t pool_count)
{
    void *list = reader->catalogues.list;
    karp_str *copy = arena_array(&reader->keep, pool_count, sizeof *copy);
    bool ok = copy && grow(reader->context, &list, &reader->catalogues.capacity, reader->catalogues.count + 1,
                           sizeof(io_given_catalogue));
    for (size_t i = 0; ok && i < pool_count; i++) {
        copy[i] = io_keep(reader, pools[i]);
        ok = copy[i].ptr != NULL;
    }
    if (list) reader->catalogues.list = list;
    if (!ok) {
        karp_catalogue_unref(catalogue);
        return io_reader_nomem(reader);
    }
    reader->catalogues.list[reader->catalogues.count++] = (io_given_catalogue){ catalogue, copy, pool_count };
    return KARP_OK;
}

static karp_status from_file(karp_reader *reader, io_decoder *d, karp_str path, karp_catalogue **out)
{
    strbuf full = strbuf_on(reader->context);
    if (reader->directory.len == 0) {
        io_bad_member(d, "path", KARP_E_INVALID, "a path needs a file, or a base directory, to be relative to");
        return d->status;
    }
    if (memchr(path.ptr, '\0', path.len)) {
        io_bad_member(d, "path", KARP_E_INVALID, "has a NUL in it");
        return d->status;
    }
    if (path.ptr[0] != '/') {
        strbuf_add(&full, reader->directory.ptr, reader->directory.len);
        strbuf_addc(&full, '/');
    }
    strbuf_add(&full, path.ptr, path.len);
    karp_str key = { full.ptr, full.len };
    karp_status status = full.failed ? io_reader_nomem(reader) : KARP_OK;
    uint32_t known = full.failed ? IO_NONE : io_table_get(&reader->catalogues.files, key);
    if (known != IO_NONE && known < reader->catalogues.count) {
        *out = karp_catalogue_ref(reader->catalogues.list[known].catalogue);
    } else if (status == KARP_OK) {
        status = karp_catalogue_read_file(reader->context, full.ptr, out, &reader->error);
        if (status == KARP_OK && !io_table_put(&reader->catalogues.files, key, (uint32_t)reader->catalogues.count)) {
            karp_catalogue_unref(*out);
            status = io_reader_nomem(reader);
        }
    }
    strbuf_free(&full);
    return status;
}

karp_status io_snapshot_catalogue(karp_reader *reader, const tree *entry, karp_str types, const io_place *place,
                                  size_t index)
{
    if (reader->catalogues.own || reader->options.provider.len) return KARP_OK;
    io_decoder d;
    arena_release(&reader->scratch, (arena_mark){ NULL, NULL });
    io_decoder_init(&d, &reader->scratch);
    size_t pool_count = 0;
    io_push(&d, "catalogues");
    io_push_index(&d, index);
    if (!tree_is(entry, TREE_MAP)) io_bad(&d, KARP_E_INVALID, "must be an object");
    const karp_str *pools = io_strings(&d, entry, "nodePools", &pool_count);
    karp_str path = io_string(&d, entry, "path");
    if (!path.len == !types.ptr) io_bad(&d, KARP_E_INVALID, "needs either path or instanceTypes");
    karp_catalogue *catalogue = NULL;
    karp_status status = d.status;
    if (status == KARP_OK && types.ptr)
        status = karp_catalogue_read(reader->context, place->document, types, &catalogue, &reader->error);
    else if (status == KARP_OK) status = from_file(reader, &d, path, &catalogue);
    if (d.status) {
        io_place at = *place;
        io_place_refine(&at, entry, d.path + 2, d.depth - 2);
        at.text.ptr = NULL;
        return bad(reader, &d, &at, NULL);
    }
    if (status) {
        reader->error.status = status;
        return status;
    }
    return io_give_catalogue(reader, catalogue, pools, pool_count);
}
