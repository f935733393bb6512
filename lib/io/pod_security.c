/* SPDX-License-Identifier: Apache-2.0 */
/* Source: Kubernetes' Pod Security Standards, and k8s.io/pod-security-admission/policy of 1.36. */
#include <io/admission.h>

#include <io/rules.h>

/* ---- baseline ---------------------------------------------------------------------------------------------------- */

static void is_not_true(io_reason *r, const tree *value)
{
    if (tree_is(value, TREE_TRUE)) io_wrong(r, "is true");
}

static void is_no_host_port(io_reason *r, const tree *value)
{
    int64_t port = 0;
    if (tree_integer(value, &port) && port != 0) io_wrong(r, "is %lld", (long long)port);
}

static void is_not_unconfined(io_reason *r, const tree *value)
{
    if (str_is(tree_text(value), "Unconfined")) io_wrong(r, "is Unconfined");
}

static const char safe_sysctls[] =
    "kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.ip_unprivileged_port_start net.ipv4.tcp_syncookies "
    "net.ipv4.ping_group_range net.ipv4.ip_local_reserved_ports net.ipv4.tcp_keepalive_time "
    "net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes net.ipv4.tcp_rmem "
    "net.ipv4.tcp_wmem";
static const char usual_capabilities[] = "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE "
                                         "SETFCAP SETGID SETPCAP SETUID SYS_CHROOT";
static const char confined_types[] = "container_t container_init_t container_kvm_t container_engine_t";

/* Of a securityContext, of a pod and of a container alike. */
static const io_rule of_contexts[] = {
    { 0, false, "seccompProfile|appArmorProfile", IO_PLACE },
    { 1, false, "type", IO_ONLY(is_not_unconfined) },
    { 0, false, "seLinuxOptions", IO_PLACE },
    { 1, false, "type", io_is_one_of, confined_types },
    { 1, false, "user|role", io_is_not_allowed, "" },
    { 0, false, "windowsOptions", IO_PLACE },
    { 1, false, "hostProcess", IO_ONLY(is_not_true) },
};

static void is_confined(io_reason *r, const tree *value) { io_rules_check(r, IO_RULES(of_contexts), value); }

static const io_rule baseline[] = {
    { 0, false, "hostNetwork|hostPID|hostIPC", IO_ONLY(is_not_true) },
    { 0, false, "securityContext", IO_ONLY(is_confined) },
    { 1, false, "sysctls[]", IO_PLACE },
    { 2, false, "name", io_is_one_of, safe_sysctls },
    { 0, false, "volumes[]", IO_PLACE },
    { 1, false, "hostPath", io_is_not_allowed, "" },
    { 0, false, "containers[]|initContainers[]", IO_PLACE },
    { 1, false, "ports[]", IO_PLACE },
    { 2, false, "hostPort", IO_ONLY(is_no_host_port) },
    { 1, false, "securityContext", IO_ONLY(is_confined) },
    { 2, false, "privileged", IO_ONLY(is_not_true) },
    { 2, false, "procMount", io_is_one_of, "Default" },
    { 2, false, "capabilities", IO_PLACE },
    { 3, false, "add[]", io_is_one_of, usual_capabilities },
};

/* ---- restricted -------------------------------------------------------------------------------------------------- */

static void is_of_namespace(io_reason *r, const tree *volume)
{
    static const char kinds[] = "configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected secret";
    if (tree_count(volume) > 1 && io_count_of(volume, kinds) == 0) io_wrong(r, "is of another kind than %s", kinds);
}

static void is_no_root(io_reason *r, const tree *value)
{
    int64_t user = 1;
    if (tree_integer(value, &user) && user == 0) io_wrong(r, "is 0");
}

static bool drops_all(const tree *dropped)
{
    for (size_t i = 0; i < tree_count(dropped); i++) {
        if (str_is(tree_text(tree_item(dropped, i)), "ALL")) return true;
    }
    return false;
}

/* What every container states, by itself or by the pod; Windows has no such settings but the first. */
static void is_restricted(io_reason *r, const tree *spec)
{
    static const char *const lists[] = { "containers", "initContainers" };
    const tree *of_pod = tree_get(spec, "securityContext");
    bool windows = str_is(tree_get_text(tree_get(spec, "os"), "name"), "windows");
    for (size_t k = 0; k < 2; k++) {
        const tree *list = tree_get(spec, lists[k]);
        for (size_t i = 0; i < tree_count(list) && r->text[0] == '\0'; i++) {
            const tree *own = tree_get(tree_item(list, i), "securityContext"), *stated;
            const tree *capabilities = tree_get(own, "capabilities");
            r->path[0] = (struct io_rule_step){ str(lists[k]), i };
            r->depth = 1;
            stated = tree_get(own, "runAsNonRoot") ? tree_get(own, "runAsNonRoot") : tree_get(of_pod, "runAsNonRoot");
            if (!tree_is(stated, TREE_TRUE)) io_wrong(r, "does not set runAsNonRoot: true");
            if (!windows && !tree_is(tree_get(own, "allowPrivilegeEscalation"), TREE_FALSE))
                io_wrong(r, "does not set allowPrivilegeEscalation: false");
            if (!windows && !drops_all(tree_get(capabilities, "drop"))) io_wrong(r, "does not drop ALL capabilities");
            stated = tree_get(own, "seccompProfile") ? own : of_pod;
            if (!windows && !tree_get(stated, "seccompProfile")) io_wrong(r, "has no seccompProfile");
            r->depth = 0;
        }
    }
}

static const io_rule restricted[] = {
    { 0, false, "volumes[]", IO_ONLY(is_of_namespace) },
    { 0, false, "securityContext", IO_PLACE },
    { 1, false, "runAsUser", IO_ONLY(is_no_root) },
    { 0, false, "containers[]|initContainers[]", IO_PLACE },
    { 1, false, "securityContext", IO_PLACE },
    { 2, false, "runAsUser", IO_ONLY(is_no_root) },
    { 2, false, "capabilities", IO_PLACE },
    { 3, false, "add[]", io_is_one_of, "NET_BIND_SERVICE" },
};

void io_pod_security_refuses(const karp_reader *reader, const tree *spec, karp_str namespace_, char *why, size_t room)
{
    const tree *space = io_find_tree(reader, str("Namespace"), str(""), namespace_);
    karp_str level = tree_get_text(tree_get(tree_get(space, "metadata"), "labels"),
                                   "pod-security.kubernetes.io/enforce");
    bool most = str_is(level, "restricted");
    char text[300] = "";
    io_reason r = { .text = text, .room = sizeof text, .of = "of its pods" };
    if (why[0] || (!most && !str_is(level, "baseline"))) return;
    io_rules_check(&r, IO_RULES(baseline), spec);
    if (most) io_rules_check(&r, IO_RULES(restricted), spec);
    if (most) is_restricted(&r, spec);
    if (text[0])
        str_append(why, room, "namespace %.*s enforces the Pod Security level %s: %s", str_shown(namespace_, 64),
                   namespace_.ptr, most ? "restricted" : "baseline", text);
}
