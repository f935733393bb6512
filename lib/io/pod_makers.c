/* SPDX-License-Identifier: Apache-2.0 */
#include <io/pod_makers.h>

#include <io/notes.h>
#include <io/owner.h>

#include <stdio.h>

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

/* The first row of a group in a table that is sorted by group, or where it would be. */
static size_t first_row(const void *rows, size_t count, size_t size, karp_str group)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *const *name = (const void *)((const char *)rows + middle * size); /* a row begins with its group */
        if (compare_str(str(*name), group) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* NULL = the kind is not known. */
static const io_maker *maker_of(karp_str api_version, karp_str kind)
{
    karp_str group = str_before(api_version, '/');
    size_t i = first_row(io_makers, io_maker_count, sizeof *io_makers, group);
    for (; i < io_maker_count && kind.len > 0 && str_is(group, io_makers[i].group); i++) {
        if (str_in_list(kind, io_makers[i].kinds)) return &io_makers[i];
    }
    return NULL;
}

static bool has_row(karp_str group, karp_str kind)
{
    size_t i = first_row(io_harmless_kinds, io_harmless_count, sizeof *io_harmless_kinds, group);
    if (i == io_harmless_count || !str_is(group, io_harmless_kinds[i].group)) return false;
    return strcmp(io_harmless_kinds[i].kinds, "*") == 0 || str_in_list(kind, io_harmless_kinds[i].kinds);
}

bool io_is_harmless(karp_str api_version, karp_str kind)
{
    karp_str group = str_before(api_version, '/');
    char below[256];
    if (maker_of(api_version, kind) || kind.len == 0) return false;
    if (has_row(group, kind)) return true;
    for (size_t at = 0; at < group.len && group.len < sizeof below - 1; at++) {
        if (group.ptr[at] != '.') continue;
        below[0] = '\0';
        str_append(below, sizeof below, "*%.*s", (int)(group.len - at), group.ptr + at);
        if (has_row(str(below), kind)) return true;
    }
    return false;
}

bool io_is_scaler(const tree *root)
{
    const io_maker *maker = maker_of(tree_get_text(root, "apiVersion"), tree_get_text(root, "kind"));
    return maker && maker->on == IO_ON_SCALING;
}

/* ---- pod templates ----------------------------------------------------------------------------------------------- */

enum { DEEPEST = 16, PATH_ROOM = 200 };

static bool is_containers(const tree *list)
{
    const tree *first = tree_item(list, 0);
    return tree_get(first, "image") || (tree_get(first, "name") && tree_get(first, "resources"));
}

/* Finds the first pod template below the value, or pod spec without one. `path` receives where it is, such as
 * "/spec/template". A list's elements are written "*". */
static bool find_template(const tree *value, size_t depth, char path[PATH_ROOM])
{
    size_t length = strlen(path);
    if (depth == DEEPEST) return false;
    if (depth > 0 && is_containers(tree_get(tree_get(value, "spec"), "containers"))) return true;
    if (is_containers(tree_get(value, "containers"))) return true;
    for (size_t i = 0; i < tree_count(value); i++) {
        const tree_member *m = tree_is(value, TREE_MAP) ? tree_member_at(value, i) : NULL;
        karp_str name = m ? tree_member_name(m) : str("*");
        if (m && depth == 0 && (str_is(name, "status") || str_is(name, "metadata"))) continue;
        str_append(path, PATH_ROOM, "/%.*s", str_shown(name, PATH_ROOM), name.ptr);
        if (find_template(m ? m->value : tree_item(value, i), depth + 1, path)) return true;
        path[length] = '\0';
    }
    return false;
}

/* Whether it has amounts of cpu or memory. A pattern of a policy, as "?*", is none. */
static bool has_amounts(const tree *amounts)
{
    karp_str cpu = tree_text_or_digits(tree_get(amounts, "cpu")),
             memory = tree_text_or_digits(tree_get(amounts, "memory"));
    return (cpu.len && karp_quantity_check(cpu) == KARP_OK) || (memory.len && karp_quantity_check(memory) == KARP_OK);
}

/* Whether resources of containers are stated below the value: an operator makes pods with them. */
static bool states_resources(const tree *value, size_t depth)
{
    const tree *resources = tree_get(value, "resources");
    if (has_amounts(tree_get(resources, "requests")) || has_amounts(tree_get(resources, "limits"))) return true;
    for (size_t i = 0; depth < DEEPEST && i < tree_count(value); i++) {
        const tree *part = tree_is(value, TREE_MAP) ? tree_member_at(value, i)->value : tree_item(value, i);
        if (states_resources(part, depth + 1)) return true;
    }
    return false;
}

/* Whether it says how many there are of something that has what pods have. */
static bool states_count(const tree *root)
{
    static const char *const counts[] = { "instances", "numberOfInstances", "replicaCount", "replicas" };
    static const char *const of_pods[] = { "affinity", "image",       "imageName", "nodeSelector", "serviceAccountName",
                                           "storage",  "tolerations", "version",   "volume" };
    bool has = false;
    const tree *spec = tree_get(root, "spec");
    int64_t count = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && count == 0; i++)
        (void)tree_integer(tree_get(spec, counts[i]), &count);
    for (size_t i = 0; i < sizeof of_pods / sizeof *of_pods; i++) has = has || tree_get(spec, of_pods[i]);
    return has && count > 0;
}

/* Whether the controller of a Gateway's class runs a proxy for it: Istio, Envoy Gateway, kgateway, NGINX and Contour
 * do. Those of clouds do not, and some use what runs already. A Gateway with addresses is one that runs already.
 * Source: the documentation of the implementations that gateway-api.sigs.k8s.io lists. */
static bool has_proxies(const tree *root)
{
    static const char *const without[] = {
        "amazon-", "aws-", "azure-", "cilium", "gke-", "haproxy", "kong", "traefik"
    };
    const tree *spec = tree_get(root, "spec");
    karp_str class_ = tree_get_text(spec, "gatewayClassName");
    if (class_.len == 0 || tree_count(tree_get(spec, "addresses")) > 0) return false;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        if (str_starts(class_, without[i])) return false;
    }
    return true;
}

bool io_makes_pods(const tree *root)
{
    karp_str api_version = tree_get_text(root, "apiVersion"), kind = tree_get_text(root, "kind");
    char path[PATH_ROOM] = "";
    if (str_is(kind, "Gateway") && str_is(str_before(api_version, '/'), "gateway.networking.k8s.io"))
        return has_proxies(root);
    if (io_is_harmless(api_version, kind)) return false;
    return maker_of(api_version, kind) || find_template(root, 0, path) || states_resources(tree_get(root, "spec"), 0) ||
           states_count(root);
}

/* ---- what the input has of them ---------------------------------------------------------------------------------- */

#define MADE_BY "made by "

static karp_str made_key(karp_str kind, char key[80])
{
    key[0] = '\0';
    str_append(key, 80, MADE_BY "%.*s", str_shown(kind, 63), kind.len ? kind.ptr : "");
    return str(key);
}

bool io_note_made(karp_reader *reader, const tree *root)
{
    const tree *owners = tree_get(tree_get(root, "metadata"), "ownerReferences");
    bool ok = true;
    for (size_t i = 0; i < tree_count(owners) && ok; i++) {
        const tree *owner = tree_item(owners, i);
        char key[80];
        ok = io_note_name(reader, made_key(tree_get_text(owner, "kind"), key), io_namespace(root),
                          tree_get_text(owner, "name"), 1);
    }
    return ok;
}

/* Operators set their object's name as a label of its pods. */
static bool has_label_of(const tree *pod, karp_str name)
{
    const tree *labels = tree_get(tree_get(pod, "metadata"), "labels");
    for (size_t i = 0; tree_is(labels, TREE_MAP) && i < tree_count(labels); i++) {
        if (equal_str(tree_text(tree_member_at(labels, i)->value), name)) return true;
    }
    return false;
}

bool io_has_made(const karp_reader *reader, const io_deferred *maker)
{
    char key[80];
    if (io_find_kind(reader, made_key(tree_get_text(maker->root, "kind"), key), maker->namespace_, maker->name) !=
        IO_NONE)
        return true;
    if (!tree_get(tree_get(maker->root, "metadata"), "uid")) return false;
    for (size_t i = 0; i < reader->deferred_count; i++) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind == IO_KIND_POD && equal_str(w->namespace_, maker->namespace_) &&
            tree_get(tree_get(w->root, "metadata"), "uid") && has_label_of(w->root, maker->name))
            return true;
    }
    return false;
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

/* One object of each kind: what helps is the same for all of them. */
static karp_status report_unknown(karp_reader *reader, const io_deferred *w)
{
    karp_str kind = tree_get_text(w->root, "kind"), group = str_before(tree_get_text(w->root, "apiVersion"), '/');
    char full[200] = "", name[100];
    str_append(full, sizeof full, "%.*s.%.*s", str_shown(kind, 80), kind.ptr, str_shown(group, 100), group.ptr);
    if (io_find(reader, "unknown kinds", (karp_str){ "", 0 }, str(full)) != IO_NONE) return KARP_OK;
    if (!io_note_name(reader, str("unknown kinds"), (karp_str){ "", 0 }, str(full), 1)) return io_reader_nomem(reader);
    str_shorten(name, sizeof name, w->name);
    return io_not_understood_at(
        reader, &w->place,
        "kind %.*s of %.*s is not known (%s): whether it creates pods is not known; --pods-from %s=/PATH/OF/TEMPLATE "
        "says where its pods are, --ignore-kinds %s that it has none",
        str_shown(kind, 80), kind.ptr, str_shown(group, 100), group.ptr, name, full, full);
}

static karp_status report(karp_reader *reader, const io_deferred *w)
{
    char path[PATH_ROOM] = "", why[400] = "";
    karp_str api_version = tree_get_text(w->root, "apiVersion"), kind = tree_get_text(w->root, "kind");
    karp_str group = str_before(api_version, '/');
    const io_kind_info *meant = io_kind_meant(api_version, kind);
    const io_maker *maker = maker_of(api_version, kind);
    if (meant)
        str_append(why, sizeof why, "%.*s of %.*s is not read; did you mean %s of %s%s%s?", str_shown(kind, 64),
                   kind.ptr, str_shown(api_version, 64), api_version.ptr, meant->name, meant->group,
                   meant->group[0] ? "/" : "", meant->version);
    else if (maker && maker->on == IO_ON_RENDERING)
        str_append(why, sizeof why, "render what it installs (helm template, kustomize build) and add that");
    else if (!maker && find_template(w->root, 0, path))
        str_append(
            why, sizeof why,
            "karp has no rule for this kind; its pod template is %s (--pods-from %.*s.%.*s=%s, and after a comma "
            "the path of the number of pods)",
            path, str_shown(kind, 64), kind.ptr, str_shown(group, 64), group.ptr, path);
    else
        str_append(why, sizeof why,
                   "its operator decides on them; add the pods or workloads that it creates (kubectl get "
                   "statefulsets,deployments,pods -o yaml)");
    return io_problem(reader, w, why);
}

karp_status io_settle_makers(karp_reader *reader)
{
    karp_status status = KARP_OK;
    size_t first = reader->told.problem_count;
    for (size_t i = io_other(reader, 0); i < reader->deferred_count && status == KARP_OK; i = io_other(reader, i + 1)) {
        const io_deferred *w = &reader->deferred[i];
        if (w->info->kind != IO_KIND_POD_MAKER || w->gone || io_is_scaler(w->root) || io_has_made(reader, w)) continue;
        status = io_makes_pods(w->root) ? report(reader, w) : report_unknown(reader, w);
    }
    for (size_t i = first; i < reader->told.problem_count; i++) reader->told.problems[i].in_objects = true;
    return status;
}
