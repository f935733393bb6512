/* SPDX-License-Identifier: Apache-2.0 */
#include <io/notes.h>

enum { DEEPEST = 24 };

#define SHOWN(text_) str_shown(text_, 100), (text_).len ? (text_).ptr : ""

/* Objects of a cluster: its pods are in the input as they were changed. */
static bool is_of_cluster(const tree *metadata) { return tree_get(metadata, "uid") != NULL; }

/* ---- policies ---------------------------------------------------------------------------------------------------- */

/* Fields of pods and their makers that decisions read. */
static const char deciding[] =
    "affinity nodeSelector nodeName tolerations topologySpreadConstraints resources requests limits replicas "
    "priorityClassName preemptionPolicy schedulerName runtimeClassName schedulingGates overhead hostPort hostNetwork "
    "initContainers volumes";

/* The first word of the list that a path, a patch in text or an expression has; "" = none. */
static karp_str word_in(karp_str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && is_letter(text.ptr[end])) end++;
        karp_str word = { text.ptr + at, end - at };
        if (word.len && str_in_list(word, deciding)) return word;
        at = end + 1;
    }
    return (karp_str){ "", 0 };
}

/* The first deciding field that a change names: as a member, or in the text of a path or an expression. Wildcards and
 * anchors around a member's name, as in "+(tolerations)", are Kyverno's. */
static karp_str field_of_change(const tree *change, size_t depth)
{
    karp_str found = tree_is(change, TREE_STRING) ? word_in(tree_text(change)) : (karp_str){ "", 0 };
    for (size_t i = 0; depth < DEEPEST && i < tree_count(change) && found.len == 0; i++) {
        const tree_member *m = tree_is(change, TREE_MAP) ? tree_member_at(change, i) : NULL;
        if (m) found = word_in(tree_member_name(m));
        if (found.len == 0) found = field_of_change(m ? m->value : tree_item(change, i), depth + 1);
    }
    return found;
}

/* Pods, what creates them, or all kinds: "Pod", "apps/v1/Deployment", "pods", "*". */
static bool names_pods(const tree *names)
{
    static const char makers[] =
        "* */* Pod Deployment ReplicaSet StatefulSet DaemonSet Job CronJob ReplicationController "
        "pods deployments replicasets statefulsets daemonsets jobs cronjobs replicationcontrollers";
    for (size_t i = 0; i < tree_count(names); i++) {
        karp_str name = tree_text(tree_item(names, i));
        if (str_in_list(name, makers)) return true;
        while (name.len && memchr(name.ptr, '/', name.len)) {
            size_t group = str_before(name, '/').len + 1;
            name = (karp_str){ name.ptr + group, name.len - group };
        }
        if (str_in_list(name, makers)) return true;
    }
    return false;
}

/* Whether a list `member` below the value names pods. */
static bool is_for_pods(const tree *value, const char *member, size_t depth)
{
    if (names_pods(tree_get(value, member))) return true;
    for (size_t i = 0; depth < DEEPEST && i < tree_count(value); i++) {
        if (is_for_pods(tree_is(value, TREE_MAP) ? tree_member_at(value, i)->value : tree_item(value, i), member,
                        depth + 1))
            return true;
    }
    return false;
}

/* A Kyverno policy's rules: what they match, and how they change it. */
static karp_str field_of_rules(const tree *rules)
{
    karp_str found = { "", 0 };
    for (size_t i = 0; i < tree_count(rules) && found.len == 0; i++) {
        const tree *rule = tree_item(rules, i), *mutate = tree_get(rule, "mutate");
        if (mutate && is_for_pods(tree_get(rule, "match"), "kinds", 0)) found = field_of_change(mutate, 0);
    }
    return found;
}

typedef struct policy {
    const char *group, *kinds;
    const char *matched, *list; /* the field of spec that says what is changed, and its lists of names; NULL = pods */
    const char *changes; /* the field of spec that says how; NULL = all of spec */
    const char *prints; /* the program that applies it to files, if there is one */
} policy;

/* Source: the CustomResourceDefinitions of Kyverno 1.16, Gatekeeper 3.21 and OpenKruise 1.8,
 * admissionregistration.k8s.io of Kubernetes 1.36. */
static const policy policies[] = {
    { "kyverno.io", "ClusterPolicy Policy", NULL, NULL, NULL, "kyverno apply POLICY --resource FILE" },
    { "policies.kyverno.io", "MutatingPolicy NamespacedMutatingPolicy", "matchConstraints", "resources", "mutations",
      "kyverno apply POLICY --resource FILE" },
    { "admissionregistration.k8s.io", "MutatingAdmissionPolicy", "matchConstraints", "resources", "mutations", NULL },
    { "mutations.gatekeeper.sh", "Assign AssignImage ModifySet", "applyTo", "kinds", NULL,
      "gator expand --filename DIRECTORY" },
    { "apps.kruise.io", "SidecarSet", "selector", NULL, "containers", NULL },
};

/* The field of pods that the policy changes; "" = none that decisions read. */
static karp_str field_of(const policy *p, const tree *root)
{
    const tree *spec = tree_get(root, "spec");
    if (!p->matched) return field_of_rules(tree_get(spec, "rules"));
    if (p->list && !is_for_pods(tree_get(spec, p->matched), p->list, 0)) return (karp_str){ "", 0 };
    return field_of_change(p->changes ? tree_get(spec, p->changes) : tree_get(spec, "location"), 0);
}

static karp_status note_policy(karp_reader *reader, const policy *p, const tree *root, const io_place *place,
                               bool *told)
{
    karp_str kind = tree_get_text(root, "kind"), name = tree_get_text(tree_get(root, "metadata"), "name");
    karp_str field = field_of(p, root);
    *told = field.len > 0;
    if (!*told) return KARP_OK;
    return io_not_understood_at(
        reader, place,
        "%.*s %.*s changes %.*s of new pods or of what creates them, and policies are not evaluated: apply it to the "
        "files%s%s%s, or --ignore-kinds %.*s.%s if it does not concern these pods",
        SHOWN(kind), SHOWN(name), SHOWN(field), p->prints ? " first (" : " first", p->prints ? p->prints : "",
        p->prints ? ")" : "", SHOWN(kind), p->group);
}

/* ---- webhooks ---------------------------------------------------------------------------------------------------- */

static bool has_text(const tree *list, const char *text)
{
    for (size_t i = 0; i < tree_count(list); i++) {
        karp_str one = tree_text(tree_item(list, i));
        if (str_is(one, text) || str_is(one, "*")) return true;
    }
    return false;
}

/* The first webhook that is called for new pods; "" = none. */
static karp_str webhook_of_pods(const tree *root)
{
    const tree *webhooks = tree_get(root, "webhooks");
    for (size_t i = 0; i < tree_count(webhooks); i++) {
        const tree *webhook = tree_item(webhooks, i), *rules = tree_get(webhook, "rules");
        for (size_t k = 0; k < tree_count(rules); k++) {
            const tree *rule = tree_item(rules, k), *resources = tree_get(rule, "resources");
            if (has_text(tree_get(rule, "operations"), "CREATE") && has_text(tree_get(rule, "apiGroups"), "") &&
                (has_text(resources, "pods") || has_text(resources, "*/*")))
                return tree_get_text(webhook, "name");
        }
    }
    return (karp_str){ "", 0 };
}

karp_status io_note_mutator(karp_reader *reader, const tree *root, const io_place *place, bool *told)
{
    karp_str group = str_before(tree_get_text(root, "apiVersion"), '/'), kind = tree_get_text(root, "kind");
    const tree *metadata = tree_get(root, "metadata");
    *told = false;
    if (is_of_cluster(metadata)) return KARP_OK;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (str_is(group, policies[i].group) && str_in_list(kind, policies[i].kinds))
            return note_policy(reader, &policies[i], root, place, told);
    }
    if (!str_is(kind, "MutatingWebhookConfiguration") || !str_is(group, "admissionregistration.k8s.io")) return KARP_OK;
    karp_str webhook = webhook_of_pods(root), name = tree_get_text(metadata, "name");
    *told = webhook.len > 0;
    if (!*told) return KARP_OK;
    return io_warn(reader,
                   "MutatingWebhookConfiguration %.*s: its webhook %.*s may change new pods; containers and requests "
                   "that it adds are not in the plan",
                   SHOWN(name), SHOWN(webhook));
}

/* ---- sidecars ---------------------------------------------------------------------------------------------------- */

typedef struct injector {
    const char *key, *values; /* of a label or annotation; "*" = any but "false" and "disabled" */
    const char *container; /* its name begins so */
    const char *what;
    const char *prints; /* the program that adds it to files, if there is one */
} injector;

/* Source: the documentation of the projects, as of November 2026. */
static const injector injectors[] = {
    { "appmesh.k8s.aws/sidecarInjectorWebhook", "enabled", "envoy", "App Mesh", NULL },
    { "consul.hashicorp.com/connect-inject", "true", "consul-", "Consul", NULL },
    { "dapr.io/enabled", "true", "daprd", "Dapr", NULL },
    { "gke-gcsfuse/volumes", "true", "gke-gcsfuse", "Cloud Storage FUSE", NULL },
    { "istio-injection", "enabled", "istio-proxy", "Istio", "istioctl kube-inject -f FILE" },
    { "istio.io/rev", "*", "istio-proxy", "Istio", "istioctl kube-inject -f FILE" },
    { "kuma.io/sidecar-injection", "enabled true", "kuma-", "Kuma", NULL },
    { "linkerd.io/inject", "enabled ingress", "linkerd-", "Linkerd", "linkerd inject FILE" },
    { "sidecar.istio.io/inject", "true", "istio-proxy", "Istio", "istioctl kube-inject -f FILE" },
    { "sidecar.opentelemetry.io/inject", "*", "otc-container", "OpenTelemetry", NULL },
    { "vault.hashicorp.com/agent-inject", "true", "vault-agent", "Vault", NULL },
};

/* The value of a label or annotation. */
static karp_str value_of(const tree *metadata, const char *key)
{
    karp_str label = tree_get_text(tree_get(metadata, "labels"), key);
    return label.len ? label : tree_get_text(tree_get(metadata, "annotations"), key);
}

static bool asks_for(const tree *metadata, const injector *i)
{
    karp_str value = value_of(metadata, i->key);
    if (value.len == 0) return false;
    if (strcmp(i->values, "*") == 0) return !str_in_list(value, "false disabled");
    return str_in_list(value, i->values);
}

static bool has_container(const tree *spec, const char *begins)
{
    static const char *const lists[] = { "initContainers", "containers" };
    for (size_t k = 0; k < 2; k++) {
        const tree *list = tree_get(spec, lists[k]);
        for (size_t i = 0; i < tree_count(list); i++) {
            if (str_starts(tree_get_text(tree_item(list, i), "name"), begins)) return true;
        }
    }
    return false;
}

/* Of many workloads there is one note, which names the first. */
karp_status io_note_injected(karp_reader *reader, const io_deferred *w, const tree *metadata, const tree *spec)
{
    if (is_of_cluster(tree_get(w->root, "metadata"))) return KARP_OK;
    for (size_t i = 0; i < sizeof injectors / sizeof *injectors; i++) {
        const injector *of = &injectors[i];
        if (!asks_for(metadata, of) || has_container(spec, of->container)) continue;
        if (io_find(reader, "injectors", (karp_str){ "", 0 }, str(of->key)) != IO_NONE) continue;
        if (!io_note_name(reader, str("injectors"), (karp_str){ "", 0 }, str(of->key), 1))
            return io_reader_nomem(reader);
        karp_str value = value_of(metadata, of->key);
        karp_status status = io_warn(
            reader, "%s %.*s: %s: %.*s has a sidecar of %s added to new pods, whose requests are not in the plan%s%s%s",
            w->info->name, SHOWN(w->name), of->key, SHOWN(value), of->what, of->prints ? " (add it first: " : "",
            of->prints ? of->prints : "", of->prints ? ")" : "");
        if (status) return status;
    }
    return KARP_OK;
}
