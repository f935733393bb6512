/* SPDX-License-Identifier: Apache-2.0 */
#include "typed_source.h"

#include <string.h>

enum { MOST_ITEMS = 4 };

uint32_t draw(source *s, uint32_t below) { return s->next < s->end ? *s->next++ % below : 0; }

karp_str draw_text(source *s)
{
    static const char *const words[] = {
        "",
        "a",
        "b",
        "z1",
        "z2",
        "default",
        "default",
        "n1",
        "n2",
        "cpu",
        "memory",
        "pods",
        "hugepages-2Mi",
        "1",
        "2",
        "100m",
        "1Gi",
        "9223372036854775807",
        "-1",
        "1e30",
        "x",
        "10%",
        "100%",
        "* * * * *",
        "@daily",
        "True",
        "False",
        "Ready",
        "Initialized",
        "Consolidatable",
        "Drifted",
        "ValidationSucceeded",
        "NodeClassReady",
        "Registered",
        "NoSchedule",
        "NoExecute",
        "kubernetes.io/hostname",
        "topology.kubernetes.io/zone",
        "karpenter.sh/capacity-type",
        "karpenter.sh/nodepool",
        "node.kubernetes.io/instance-type",
        "kubernetes.io/arch",
        "spot",
        "on-demand",
        "reserved",
        "aws:///1",
        "aws:///2",
        "TCP",
        "0.0.0.0",
        "::1",
        "karpenter.sh/do-not-disrupt",
        "true",
        "DaemonSet",
        "ReplicaSet",
        "amd64",
    };
    uint32_t which = draw(s, 64);
    if (which < sizeof words / sizeof words[0]) return fuzz_str(words[which]);
    size_t length = draw(s, 12), left = (size_t)(s->end - s->next);
    karp_str piece = { (const char *)s->next, length < left ? length : left };
    s->next += piece.len;
    return piece;
}

int64_t draw_number(source *s)
{
    static const int64_t edges[] = { 0,
                                     1,
                                     -1,
                                     2,
                                     100,
                                     INT32_MAX,
                                     INT32_MIN,
                                     INT64_MAX,
                                     INT64_MIN,
                                     INT64_C(1800000000000000000),
                                     INT64_C(1792584000000000000),
                                     INT64_C(60000000000) };
    uint32_t which = draw(s, 16);
    return which < sizeof edges / sizeof edges[0] ? edges[which] : (int64_t)draw(s, 256) - 20;
}

void *draw_room(source *s, size_t *count, size_t size)
{
    size_t bytes = (*count * size + 15) / 16 * 16;
    if (bytes == 0 || bytes > s->size - s->used) {
        *count = 0;
        return NULL;
    }
    void *room = s->room + s->used;
    s->used += bytes;
    memset(room, 0, bytes);
    return room;
}

/* Room for a list of a drawn length. */
static void *list(source *s, size_t *count, size_t size)
{
    *count = draw(s, MOST_ITEMS);
    return draw_room(s, count, size);
}

const karp_str *draw_texts(source *s, size_t *count)
{
    karp_str *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) out[i] = draw_text(s);
    return out;
}

const karp_label *draw_labels(source *s, size_t *count)
{
    karp_label *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].key = draw_text(s);
        out[i].value = draw_text(s);
    }
    return out;
}

const karp_resource *draw_resources(source *s, size_t *count)
{
    karp_resource *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].name = draw_text(s);
        if (draw(s, 2)) {
            out[i].text = draw_text(s);
        } else {
            out[i].value = draw_number(s);
            out[i].scale = (int32_t)draw(s, 32) - 11;
        }
    }
    return out;
}

const karp_requirement *draw_requirements(source *s, size_t *count)
{
    karp_requirement *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].key = draw_text(s);
        out[i].op = draw(s, 10);
        out[i].min_values = draw(s, 8) == 0 ? draw(s, 4) : 0;
        out[i].values = draw_texts(s, &out[i].value_count);
    }
    return out;
}

const karp_selector *draw_selector(source *s)
{
    size_t one = draw(s, 4) != 0;
    karp_selector *out = draw_room(s, &one, sizeof *out);
    if (out != NULL) {
        out->match_labels = draw_labels(s, &out->match_label_count);
        out->expressions = draw_requirements(s, &out->expression_count);
    }
    return out;
}

const karp_taint *draw_taints(source *s, size_t *count)
{
    karp_taint *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].key = draw_text(s);
        out[i].value = draw_text(s);
        out[i].effect = draw_text(s);
    }
    return out;
}

const karp_toleration *draw_tolerations(source *s, size_t *count)
{
    karp_toleration *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].key = draw_text(s);
        out[i].value = draw_text(s);
        out[i].effect = draw_text(s);
        out[i].op = draw(s, 6);
    }
    return out;
}

const karp_condition *draw_conditions(source *s, size_t *count)
{
    karp_condition *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].type = draw_text(s);
        out[i].status = draw_text(s);
        out[i].last_transition = draw_number(s);
    }
    return out;
}

const karp_node_term *draw_node_terms(source *s, size_t *count)
{
    karp_node_term *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].expressions = draw_requirements(s, &out[i].expression_count);
        out[i].has_fields = draw(s, 16) == 1;
        out[i].weight = (int32_t)draw(s, 8) - 1;
    }
    return out;
}

karp_meta draw_meta(source *s)
{
    karp_meta m = { .name = draw_text(s) };
    m.namespace_ = draw_text(s);
    m.labels = draw_labels(s, &m.label_count);
    m.annotations = draw_labels(s, &m.annotation_count);
    karp_owner *owners = list(s, &m.owner_count, sizeof *owners);
    for (size_t i = 0; i < m.owner_count; i++) {
        owners[i].api_version = draw_text(s);
        owners[i].kind = draw_text(s);
        owners[i].name = draw_text(s);
        owners[i].controller = draw(s, 2);
    }
    m.owners = owners;
    m.creation = draw_number(s);
    m.deletion = draw(s, 8) == 1 ? draw_number(s) : KARP_NO_TIME;
    return m;
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static const karp_pod_term *draw_pod_terms(source *s, size_t *count)
{
    karp_pod_term *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].topology_key = draw_text(s);
        out[i].namespaces = draw_texts(s, &out[i].namespace_count);
        out[i].namespace_selector = draw_selector(s);
        out[i].label_selector = draw_selector(s);
        out[i].weight = (int32_t)draw(s, 8) - 1;
    }
    return out;
}

static const karp_spread_constraint *draw_spread(source *s, size_t *count)
{
    karp_spread_constraint *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].topology_key = draw_text(s);
        out[i].label_selector = draw_selector(s);
        out[i].match_label_keys = draw_texts(s, &out[i].match_label_key_count);
        out[i].max_skew = (int32_t)draw(s, 6) - 1;
        out[i].min_domains = (int32_t)draw(s, 6) - 1;
        out[i].when_unsatisfiable = draw(s, 3);
        out[i].node_affinity_policy = draw(s, 4);
        out[i].node_taints_policy = draw(s, 4);
    }
    return out;
}

static const karp_host_port *draw_ports(source *s, size_t *count)
{
    karp_host_port *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].host_ip = draw_text(s);
        out[i].protocol = draw_text(s);
        out[i].port = (int32_t)draw_number(s) % 70000;
    }
    return out;
}

static const karp_container *draw_containers(source *s, size_t *count)
{
    karp_container *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].name = draw_text(s);
        out[i].requests = draw_resources(s, &out[i].request_count);
        out[i].limits = draw_resources(s, &out[i].limit_count);
        out[i].ports = draw_ports(s, &out[i].port_count);
        out[i].claims = draw_texts(s, &out[i].claim_count);
        out[i].restart_always = draw(s, 2);
    }
    return out;
}

static const karp_pod_volume *draw_volumes(source *s, size_t *count)
{
    karp_pod_volume *out = list(s, count, sizeof *out);
    for (size_t i = 0; i < *count; i++) {
        out[i].name = draw_text(s);
        out[i].claim_name = draw_text(s);
        out[i].kind = draw(s, 4);
    }
    return out;
}

karp_pod draw_pod(source *s)
{
    karp_pod p = { .size = sizeof p, .meta = draw_meta(s) };
    p.node_name = draw(s, 2) ? draw_text(s) : fuzz_str("");
    p.containers = draw_containers(s, &p.container_count);
    p.phase = draw(s, 7);
    p.conditions = draw_conditions(s, &p.condition_count);
    p.termination_grace_seconds = -1;
    if (draw(s, 2)) {
        p.node_selector = draw_labels(s, &p.node_selector_count);
        p.required_node_terms = draw_node_terms(s, &p.required_node_term_count);
        p.preferred_node_terms = draw_node_terms(s, &p.preferred_node_term_count);
        p.tolerations = draw_tolerations(s, &p.toleration_count);
    }
    if (draw(s, 2)) {
        p.required_affinity = draw_pod_terms(s, &p.required_affinity_count);
        p.preferred_affinity = draw_pod_terms(s, &p.preferred_affinity_count);
        p.required_anti_affinity = draw_pod_terms(s, &p.required_anti_affinity_count);
        p.preferred_anti_affinity = draw_pod_terms(s, &p.preferred_anti_affinity_count);
        p.spread = draw_spread(s, &p.spread_count);
    }
    if (draw(s, 2)) {
        p.init_containers = draw_containers(s, &p.init_container_count);
        p.overhead = draw_resources(s, &p.overhead_count);
        p.pod_requests = draw_resources(s, &p.pod_request_count);
        p.volumes = draw_volumes(s, &p.volume_count);
        p.termination_grace_seconds = draw_number(s);
        p.has_priority = draw(s, 2);
        p.priority = (int32_t)draw_number(s);
        p.nominated_node_name = draw_text(s);
        p.start_time = draw_number(s);
    }
    return p;
}
