/* SPDX-License-Identifier: Apache-2.0 */
#include <support/same_commands.h>

#include <karp/decision.h>
#include <string.h>

static int same_text(karp_str a, karp_str b) { return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0; }

static const char *launches_differ(const karp_decision *a, size_t first, const karp_decision *b, size_t second)
{
    karp_launch x = { .size = sizeof x }, y = { .size = sizeof y };
    if (karp_decision_launch(a, first, &x) != KARP_OK || karp_decision_launch(b, second, &y) != KARP_OK)
        return "a replacement is no launch";
    if (x.instance_type_count != y.instance_type_count) return "how many instance types a replacement has";
    for (size_t i = 0; i < x.instance_type_count; i++) {
        if (!same_text(x.instance_types[i], y.instance_types[i])) return "instance types of a replacement";
    }
    if (x.pod_count != y.pod_count || (x.pod_count > 0 && memcmp(x.pods, y.pods, x.pod_count * sizeof *x.pods) != 0))
        return "pods of a replacement";
    return NULL;
}

static const char *command_differs(const karp_decision *a, const karp_decision *b, size_t number)
{
    karp_command x = { .size = sizeof x }, y = { .size = sizeof y };
    if (karp_decision_command(a, number, &x) != KARP_OK || karp_decision_command(b, number, &y) != KARP_OK)
        return "a command is missing";
    if (x.method != y.method) return "the method";
    if (x.node_count != y.node_count) return "how many nodes are removed";
    for (size_t i = 0; i < x.node_count; i++) {
        if (!same_text(x.nodes[i], y.nodes[i])) return "which nodes are removed";
    }
    if (x.launch_count != y.launch_count) return "how many replacements there are";
    if (x.placement_count != y.placement_count) return "how many nodes receive pods";
    if (memcmp(&x.savings, &y.savings, sizeof x.savings) != 0) return "savings";
    for (size_t i = 0; i < x.launch_count; i++) {
        const char *what = launches_differ(a, x.launch_first + i, b, y.launch_first + i);
        if (what != NULL) return what;
    }
    return NULL;
}

const char *commands_differ(const karp_decision *a, const karp_decision *b)
{
    size_t count = karp_decision_command_count(a);
    if (count != karp_decision_command_count(b)) return "how many commands there are";
    for (size_t i = 0; i < count; i++) {
        const char *what = command_differs(a, b, i);
        if (what != NULL) return what;
    }
    return NULL;
}
