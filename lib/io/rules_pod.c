/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source: Kubernetes' pkg/apis/core/validation, ValidatePodTemplateSpec and what it calls, of 1.36. Values that were
 * allowed by a feature gate of 1.36 or 1.37 are allowed here. What the decoders check already, such as types and
 * quantities, is not here.
 */
#include <io/rules.h>

enum { COMPARED_MOST = 64 }; /* elements of a list that are compared with each other */

/* ---- rules about several fields ---------------------------------------------------------------------------------- */

/* A decimal number of 64 bits: no sign but "-", and no zeros before it. */
static bool is_decimal(karp_str value)
{
    bool negative = value.len > 1 && value.ptr[0] == '-';
    karp_str digits = { value.ptr + negative, value.len - negative };
    karp_str most = str(negative ? "9223372036854775808" : "9223372036854775807");
    if (digits.len == 0 || digits.len > most.len || (digits.ptr[0] == '0' && value.len > 1)) return false;
    for (size_t i = 0; i < digits.len; i++) {
        if (!is_digit(digits.ptr[i])) return false;
    }
    return digits.len < most.len || compare_str(digits, most) <= 0;
}

static void check_toleration(io_reason *r, const tree *one)
{
    karp_str op = tree_get_text(one, "operator"), value = tree_get_text(one, "value");
    bool exists = str_is(op, "Exists");
    if (tree_get_text(one, "key").len == 0 && !exists) io_wrong(r, "has no key, which needs the operator Exists");
    if (exists && value.len) io_wrong(r, "has a value, although the operator is Exists");
    if (str_in_list(op, "Gt Lt")) {
        if (!is_decimal(value)) io_wrong(r, "has the value \"%.*s\", which is no decimal number", IO_SHOWN(value));
    } else if (!exists && value.len && !is_label_name(value))
        io_wrong(r, "has the value \"%.*s\", which is no valid value of a label", IO_SHOWN(value));
    if (tree_get(one, "tolerationSeconds") && !str_is(tree_get_text(one, "effect"), "NoExecute"))
        io_wrong(r, "has tolerationSeconds, although the effect is not NoExecute");
}

/* Of a constraint of topology spread, and of a term of pod affinity. */
static void check_keys(io_reason *r, const tree *one)
{
    if (io_count_of(one, "matchLabelKeys mismatchLabelKeys") && !tree_get(one, "labelSelector"))
        io_wrong(r, "has matchLabelKeys without a labelSelector");
}

static bool selects_by(const tree *selector, karp_str key)
{
    const tree *list = tree_get(selector, "matchExpressions");
    if (tree_find_str(tree_get(selector, "matchLabels"), key)) return true;
    for (size_t i = 0; i < tree_count(list); i++) {
        if (equal_str(tree_get_text(tree_item(list, i), "key"), key)) return true;
    }
    return false;
}

static void check_spread(io_reason *r, const tree *one)
{
    const tree *keys = tree_get(one, "matchLabelKeys");
    for (size_t i = 0; i < tree_count(keys); i++) {
        karp_str key = tree_text(tree_item(keys, i));
        if (selects_by(tree_get(one, "labelSelector"), key))
            io_wrong(r, "has %.*s both in matchLabelKeys and in the labelSelector", IO_SHOWN(key));
    }
    if (tree_get(one, "minDomains") && str_is(tree_get_text(one, "whenUnsatisfiable"), "ScheduleAnyway"))
        io_wrong(r, "has minDomains, although whenUnsatisfiable is ScheduleAnyway");
    check_keys(r, one);
}

static void check_spreads(io_reason *r, const tree *list)
{
    for (size_t i = 0; i < tree_count(list) && i < COMPARED_MOST; i++) {
        karp_str key = tree_get_text(tree_item(list, i), "topologyKey"),
                 when = tree_get_text(tree_item(list, i), "whenUnsatisfiable");
        for (size_t k = 0; k < i; k++) {
            const tree *before = tree_item(list, k);
            if (equal_str(key, tree_get_text(before, "topologyKey")) &&
                equal_str(when, tree_get_text(before, "whenUnsatisfiable")))
                io_wrong(r, "have two constraints of %.*s with whenUnsatisfiable %.*s", IO_SHOWN(key), IO_SHOWN(when));
        }
    }
}

/* A volume without a source is an emptyDir. */
static void check_volume(io_reason *r, const tree *volume)
{
    size_t sources = 0;
    for (size_t i = 0; tree_is(volume, TREE_MAP) && i < tree_count(volume); i++) {
        const tree_member *m = tree_member_at(volume, i);
        sources += !str_is(tree_member_name(m), "name") && !tree_is_null(m->value);
    }
    if (sources > 1) io_wrong(r, "has %zu sources instead of one", sources);
}

static void check_variable(io_reason *r, const tree *one)
{
    karp_str name = tree_get_text(one, "name");
    if (name.len && memchr(name.ptr, '=', name.len)) io_wrong(r, "has \"=\" in its name");
    if (tree_get_text(one, "value").len && tree_get(one, "valueFrom")) io_wrong(r, "has both value and valueFrom");
}

static void check_sources(io_reason *r, const tree *one, const char *sources)
{
    size_t count = io_count_of(one, sources);
    if (count == 0) io_wrong(r, "has none of %s", sources);
    else if (count > 1) io_wrong(r, "has %zu of %s", count, sources);
}

static void check_source(io_reason *r, const tree *one) { check_sources(r, one, r->argument); }

/* argument: "1" = a probe whose successThreshold is 1 */
static void check_probe(io_reason *r, const tree *probe)
{
    int64_t successes = 1;
    check_sources(r, probe, "exec httpGet tcpSocket grpc");
    (void)tree_integer(tree_get(probe, "successThreshold"), &successes);
    if (r->argument && successes > 1) io_wrong(r, "has the successThreshold %lld instead of 1", (long long)successes);
    if (!r->argument && tree_get(probe, "terminationGracePeriodSeconds"))
        io_wrong(r, "has terminationGracePeriodSeconds, which is for the other probes");
}

/* The mountPath of each mount is another one. */
static void check_mounts(io_reason *r, const tree *list)
{
    for (size_t i = 0; i < tree_count(list) && i < COMPARED_MOST; i++) {
        karp_str path = tree_get_text(tree_item(list, i), "mountPath");
        for (size_t k = 0; k < i && path.len; k++) {
            if (equal_str(path, tree_get_text(tree_item(list, k), "mountPath")))
                io_wrong(r, "have two mounts at %.*s", IO_SHOWN(path));
        }
    }
}

static void check_mount(io_reason *r, const tree *mount)
{
    if (tree_get_text(mount, "subPath").len && tree_get_text(mount, "subPathExpr").len)
        io_wrong(r, "has both subPath and subPathExpr");
}

/* Only a privileged container may pass mounts on to its node. */
static void check_propagation(io_reason *r, const tree *container)
{
    const tree *list = tree_get(container, "volumeMounts");
    if (tree_is(tree_get(tree_get(container, "securityContext"), "privileged"), TREE_TRUE)) return;
    for (size_t i = 0; i < tree_count(list); i++) {
        if (str_is(tree_get_text(tree_item(list, i), "mountPropagation"), "Bidirectional"))
            io_wrong(r, "has the mountPropagation Bidirectional, which needs privileged: true");
    }
}

/* An init container that does not keep running has no probes and no lifecycle. */
static void check_init(io_reason *r, const tree *container)
{
    static const char *const members[] = { "lifecycle", "livenessProbe", "readinessProbe", "startupProbe" };
    if (str_is(tree_get_text(container, "restartPolicy"), "Always")) return;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (tree_get(container, members[i]))
            io_wrong(r, "has a %s, which needs the restartPolicy Always in an init container", members[i]);
    }
}

static void check_privileges(io_reason *r, const tree *context)
{
    const tree *added = tree_get(tree_get(context, "capabilities"), "add");
    if (!tree_is(tree_get(context, "allowPrivilegeEscalation"), TREE_FALSE)) return;
    if (tree_is(tree_get(context, "privileged"), TREE_TRUE))
        io_wrong(r, "is privileged, although allowPrivilegeEscalation is false");
    for (size_t i = 0; i < tree_count(added); i++) {
        if (str_is(tree_text(tree_item(added, i)), "CAP_SYS_ADMIN"))
            io_wrong(r, "has the capability CAP_SYS_ADMIN, although allowPrivilegeEscalation is false");
    }
}

/* "" is no name here, where other fields take it for none. */
static void check_runtime_class(io_reason *r, const tree *value)
{
    if (tree_is(value, TREE_STRING) && value->count == 0) io_wrong(r, "is \"\", which is no name");
    io_is_subdomain(r, value);
}

/* The API server takes the pod, which then waits for a claim that it would not take. */
static void check_claim_name(io_reason *r, const tree *value)
{
    karp_str text = tree_text(value);
    if (text.len && !is_dns_subdomain(text))
        io_wrong(r, "is \"%.*s\", and no PersistentVolumeClaim can have this name", IO_SHOWN(text));
}

static void check_address(io_reason *r, const tree *value)
{
    karp_str text = tree_text(value);
    bool digits = text.len > 0, separated = false;
    for (size_t i = 0; i < text.len; i++) {
        bool separator = text.ptr[i] == '.' || text.ptr[i] == ':';
        digits = digits && (separator || memchr("0123456789abcdefABCDEF", text.ptr[i], 22));
        separated = separated || separator;
    }
    if (!digits || !separated) io_wrong(r, "is \"%.*s\", which is no IP address", IO_SHOWN(text));
}

/* The first of the fields that says something, or NULL. */
static const char *first_of(const tree *map, const char *const *fields)
{
    for (; *fields; fields++) {
        const tree *value = tree_get(map, *fields);
        if (!tree_is_null(value) && !(tree_is(value, TREE_LIST) && tree_count(value) == 0)) break;
    }
    return *fields;
}

/* Fields that only the other operating system has. */
static void check_system(io_reason *r, const tree *spec)
{
    static const char *const shared[] = { "hostPID", "hostIPC" }; /* false is as good as absent */
    static const char *const pod[] = { "hostUsers", "shareProcessNamespace", NULL };
    static const char *const pod_context[] = {
        "appArmorProfile", "seLinuxOptions", "seccompProfile",     "fsGroup", "fsGroupChangePolicy", "sysctls",
        "runAsUser",       "runAsGroup",     "supplementalGroups", NULL
    };
    static const char *const context[] = { "appArmorProfile",
                                           "seLinuxOptions",
                                           "seccompProfile",
                                           "capabilities",
                                           "readOnlyRootFilesystem",
                                           "privileged",
                                           "allowPrivilegeEscalation",
                                           "procMount",
                                           "runAsUser",
                                           "runAsGroup",
                                           NULL };
    static const char *const of_windows[] = { "windowsOptions", NULL };
    static const char *const lists[] = { "initContainers", "containers" };
    karp_str system = tree_get_text(tree_get(spec, "os"), "name");
    bool windows = str_is(system, "windows");
    if (!windows && !str_is(system, "linux")) return;
    const char *field = windows ? first_of(spec, pod) : NULL;
    for (size_t k = 0; k < 2 && windows && !field; k++) {
        if (tree_is(tree_get(spec, shared[k]), TREE_TRUE)) field = shared[k];
    }
    if (!field) field = first_of(tree_get(spec, "securityContext"), windows ? pod_context : of_windows);
    for (size_t k = 0; k < 2 && !field; k++) {
        const tree *list = tree_get(spec, lists[k]);
        for (size_t i = 0; i < tree_count(list) && !field; i++)
            field = first_of(tree_get(tree_item(list, i), "securityContext"), windows ? context : of_windows);
    }
    if (field) io_wrong(r, "has %s, which a pod with the os.name %.*s cannot have", field, IO_SHOWN(system));
}

static void check_dns(io_reason *r, const tree *spec)
{
    if (str_is(tree_get_text(spec, "dnsPolicy"), "None") &&
        tree_count(tree_get(tree_get(spec, "dnsConfig"), "nameservers")) == 0)
        io_wrong(r, "has the dnsPolicy None, which needs dnsConfig.nameservers");
}

typedef struct host_port {
    karp_str protocol, address;
    int64_t port;
} host_port;

static void add_host_port(io_reason *r, host_port *ports, size_t *count, const tree *port, bool host)
{
    host_port p = { tree_get_text(port, "protocol"), tree_get_text(port, "hostIP"), 0 };
    int64_t own = 0;
    (void)tree_integer(tree_get(port, "containerPort"), &own);
    (void)tree_integer(tree_get(port, "hostPort"), &p.port);
    if (p.port && host && own != p.port)
        io_wrong(r, "has hostNetwork, and the hostPort %lld for containerPort %lld", (long long)p.port, (long long)own);
    if (host && p.port == 0) p.port = own;
    if (p.port == 0) return;
    if (p.protocol.len == 0) p.protocol = str("TCP");
    for (size_t i = 0; i < *count; i++) {
        if (ports[i].port == p.port && equal_str(ports[i].protocol, p.protocol) &&
            equal_str(ports[i].address, p.address))
            io_wrong(r, "has two containers with the host port %lld", (long long)p.port);
    }
    if (*count < COMPARED_MOST) ports[(*count)++] = p;
}

static void check_host_ports(io_reason *r, const tree *spec)
{
    host_port ports[COMPARED_MOST];
    bool host = tree_is(tree_get(spec, "hostNetwork"), TREE_TRUE);
    const tree *list = tree_get(spec, "containers");
    size_t count = 0;
    for (size_t i = 0; i < tree_count(list); i++) {
        const tree *of = tree_get(tree_item(list, i), "ports");
        for (size_t k = 0; k < tree_count(of); k++) add_host_port(r, ports, &count, tree_item(of, k), host);
    }
}

static void check_names(io_reason *r, const tree *spec)
{
    const tree *init = tree_get(spec, "initContainers"), *list = tree_get(spec, "containers");
    for (size_t i = 0; i < tree_count(init) && i < COMPARED_MOST; i++) {
        karp_str name = tree_get_text(tree_item(init, i), "name");
        for (size_t k = 0; k < tree_count(list) && k < COMPARED_MOST; k++) {
            if (name.len && equal_str(name, tree_get_text(tree_item(list, k), "name")))
                io_wrong(r, "has an init container and a container with the name %.*s", IO_SHOWN(name));
        }
    }
}

static void check_spec(io_reason *r, const tree *spec)
{
    check_names(r, spec);
    check_host_ports(r, spec);
    check_system(r, spec);
    check_dns(r, spec);
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

/* A container without a name or image is planned all the same: decisions do not depend on them. */
static const io_rule of_pods[] = {
    { 0, false, "metadata", IO_PLACE },
    { 1, false, "labels", IO_ONLY(io_are_labels) },
    { 1, false, "annotations", IO_ONLY(io_are_annotations) },
    { 0, false, "spec", IO_ONLY(check_spec) },
    { 1, false, "restartPolicy", io_is_one_of, "Always OnFailure Never" },
    { 1, false, "dnsPolicy", io_is_one_of, "ClusterFirst ClusterFirstWithHostNet Default None" },
    { 1, false, "preemptionPolicy", io_is_one_of, "PreemptLowerPriority Never" },
    { 1, false, "activeDeadlineSeconds", IO_ONLY(io_is_1_or_more) },
    { 1, false, "nodeSelector", IO_ONLY(io_are_labels) },
    { 1, false, "hostname|subdomain", IO_ONLY(io_is_label) },
    { 1, false, "serviceAccountName|priorityClassName|nodeName", IO_ONLY(io_is_subdomain) },
    { 1, false, "runtimeClassName", IO_ONLY(check_runtime_class) },
    { 1, false, "hostAliases[]", IO_PLACE },
    { 2, true, "ip", IO_ONLY(check_address) },
    { 1, false, "os", IO_PLACE },
    { 2, true, "name", io_is_one_of, "linux windows" },
    { 1, false, "schedulingGates[]|readinessGates[]", IO_PLACE },
    { 2, false, "name|conditionType", IO_ONLY(io_is_key) },
    { 1, false, "tolerations[]", IO_ONLY(check_toleration) },
    { 2, false, "key", IO_ONLY(io_is_key) },
    { 2, false, "operator", io_is_one_of, "Equal Exists Gt Lt" },
    { 2, false, "effect", io_is_one_of, "NoSchedule PreferNoSchedule NoExecute" },
    { 1, false, "topologySpreadConstraints", IO_ONLY(check_spreads) },
    { 1, false, "topologySpreadConstraints[]", IO_ONLY(check_spread) },
    { 2, true, "topologyKey", IO_ONLY(io_is_key) },
    { 2, false, "nodeAffinityPolicy|nodeTaintsPolicy", io_is_one_of, "Honor Ignore" },
    { 2, false, "labelSelector", IO_ONLY(io_is_selector) },
    { 2, false, "matchLabelKeys[]", IO_ONLY(io_is_key) },
    { 1, false, "affinity", IO_PLACE },
    { 2, false, "nodeAffinity", IO_PLACE },
    { 3, false, "requiredDuringSchedulingIgnoredDuringExecution", IO_PLACE },
    { 4, true, "nodeSelectorTerms", IO_ONLY(io_is_filled) },
    { 4, false, "nodeSelectorTerms[]", IO_PLACE },
    { 5, false, "matchExpressions[]", IO_ONLY(io_is_node_requirement) },
    { 6, false, "values[]", IO_ONLY(io_is_value) },
    { 3, false, "preferredDuringSchedulingIgnoredDuringExecution[]", IO_PLACE },
    { 4, true, "weight", IO_ONLY(io_is_weight) },
    { 4, false, "preference", IO_PLACE },
    { 5, false, "matchExpressions[]", IO_ONLY(io_is_node_requirement) },
    { 2, false, "podAffinity|podAntiAffinity", IO_PLACE },
    { 3, false, "requiredDuringSchedulingIgnoredDuringExecution[]", IO_ONLY(check_keys) },
    { 4, true, "topologyKey", IO_ONLY(io_is_key) },
    { 4, false, "labelSelector|namespaceSelector", IO_ONLY(io_is_selector) },
    { 4, false, "namespaces[]", IO_ONLY(io_is_label) },
    { 3, false, "preferredDuringSchedulingIgnoredDuringExecution[]", IO_PLACE },
    { 4, true, "weight", IO_ONLY(io_is_weight) },
    { 4, true, "podAffinityTerm", IO_ONLY(check_keys) },
    { 5, true, "topologyKey", IO_ONLY(io_is_key) },
    { 5, false, "labelSelector|namespaceSelector", IO_ONLY(io_is_selector) },
    { 5, false, "namespaces[]", IO_ONLY(io_is_label) },
    { 1, false, "securityContext", IO_PLACE },
    { 2, false, "fsGroupChangePolicy", io_is_one_of, "OnRootMismatch Always" },
    { 2, false, "runAsUser|runAsGroup|fsGroup", IO_ONLY(io_is_0_or_more) },
    { 2, false, "seccompProfile|appArmorProfile", IO_PLACE },
    { 3, true, "type", io_is_one_of, "Localhost RuntimeDefault Unconfined" },
    { 1, false, "volumes[]", IO_ONLY(check_volume) },
    { 2, true, "name", IO_ONLY(io_is_label) },
    { 2, false, "persistentVolumeClaim", IO_PLACE },
    { 3, true, "claimName", IO_ONLY(check_claim_name) },
    { 2, false, "configMap", IO_PLACE },
    { 3, true, "name", IO_ONLY(io_is_text) },
    { 2, false, "secret", IO_PLACE },
    { 3, true, "secretName", IO_ONLY(io_is_text) },
    { 2, false, "hostPath", IO_PLACE },
    { 3, true, "path", IO_ONLY(io_is_text) },
    { 3, false, "type", io_is_one_of, "DirectoryOrCreate Directory FileOrCreate File Socket CharDevice BlockDevice" },
    { 2, false, "csi", IO_PLACE },
    { 3, true, "driver", IO_ONLY(io_is_text) },
    { 2, false, "nfs", IO_PLACE },
    { 3, true, "server|path", IO_ONLY(io_is_text) },
    { 1, false, "initContainers[]", IO_ONLY(check_init) },
    { 1, false, "initContainers[]|containers[]", IO_ONLY(check_propagation) },
    { 2, false, "name", IO_ONLY(io_is_label) },
    { 2, false, "image", IO_ONLY(io_is_text) },
    { 2, false, "command[]|args[]", IO_ONLY(io_is_text) },
    { 2, false, "imagePullPolicy", io_is_one_of, "Always IfNotPresent Never" },
    { 2, false, "terminationMessagePolicy", io_is_one_of, "File FallbackToLogsOnError" },
    { 2, false, "restartPolicy", io_is_one_of, "Always OnFailure Never" },
    { 2, false, "env[]", IO_ONLY(check_variable) },
    { 3, true, "name", IO_ONLY(io_is_text) },
    { 3, false, "value", IO_ONLY(io_is_text) },
    { 3, false, "valueFrom", check_source, "fieldRef resourceFieldRef configMapKeyRef secretKeyRef fileKeyRef" },
    { 2, false, "envFrom[]", check_source, "configMapRef secretRef" },
    { 2, false, "ports[]", IO_PLACE },
    { 3, true, "containerPort", IO_ONLY(io_is_port_number) },
    { 3, false, "hostPort", IO_ONLY(io_is_host_port) },
    { 3, false, "protocol", io_is_one_of, "TCP UDP SCTP" },
    { 3, false, "name", IO_ONLY(io_is_port_name) },
    { 2, false, "volumeMounts", IO_ONLY(check_mounts) },
    { 2, false, "volumeMounts[]", IO_ONLY(check_mount) },
    { 3, true, "name|mountPath", IO_ONLY(io_is_text) },
    { 3, false, "mountPropagation", io_is_one_of, "None HostToContainer Bidirectional" },
    { 2, false, "resizePolicy[]", IO_PLACE },
    { 3, true, "resourceName", io_is_one_of, "cpu memory" },
    { 3, true, "restartPolicy", io_is_one_of, "NotRequired RestartContainer" },
    { 2, false, "securityContext", IO_ONLY(check_privileges) },
    { 3, false, "procMount", io_is_one_of, "Default Unmasked" },
    { 3, false, "runAsUser|runAsGroup", IO_ONLY(io_is_0_or_more) },
    { 3, false, "seccompProfile|appArmorProfile", IO_PLACE },
    { 4, true, "type", io_is_one_of, "Localhost RuntimeDefault Unconfined" },
    { 2, false, "lifecycle", IO_PLACE },
    { 3, false, "postStart|preStop", check_source, "exec httpGet tcpSocket sleep" },
    { 4, false, "exec", IO_PLACE },
    { 5, true, "command", IO_ONLY(io_is_filled) },
    { 4, false, "httpGet|tcpSocket", IO_PLACE },
    { 5, true, "port", IO_ONLY(io_is_port) },
};

/* Operators complete the probes of their templates: Knative, for one, adds the port. */
static const io_rule of_probes[] = {
    { 0, false, "spec", IO_PLACE },
    { 1, false, "initContainers[]|containers[]", IO_PLACE },
    { 2, false, "livenessProbe|startupProbe", check_probe, "1" },
    { 2, false, "readinessProbe", IO_ONLY(check_probe) },
    { 2, false, "livenessProbe|readinessProbe|startupProbe", IO_PLACE },
    { 3, false, "initialDelaySeconds|periodSeconds|timeoutSeconds|successThreshold|failureThreshold",
      IO_ONLY(io_is_0_or_more) },
    { 3, false, "terminationGracePeriodSeconds", IO_ONLY(io_is_1_or_more) },
    { 3, false, "exec", IO_PLACE },
    { 4, true, "command", IO_ONLY(io_is_filled) },
    { 3, false, "httpGet", IO_PLACE },
    { 4, true, "port", IO_ONLY(io_is_port) },
    { 4, false, "scheme", io_is_one_of, "HTTP HTTPS" },
    { 3, false, "tcpSocket", IO_PLACE },
    { 4, true, "port", IO_ONLY(io_is_port) },
    { 3, false, "grpc", IO_PLACE },
    { 4, true, "port", IO_ONLY(io_is_port_number) },
};

void io_check_pod_rules(io_reason *r, const tree *template_, bool operated)
{
    io_rules_check(r, IO_RULES(of_pods), template_);
    if (!operated) io_rules_check(r, IO_RULES(of_probes), template_);
}
