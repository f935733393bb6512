/* SPDX-License-Identifier: Apache-2.0 */
/* How nodes that have drifted are replaced, in the same words everywhere. */
#include "write_plan_json.h"
#include "write_rows.h"

#include <base/error.h>
#include <base/money.h>
#include <karp/settle.h>
#include <karp/values.h>

karp_status karp_drift_text(const karp_drift *given, char out[KARP_DRIFT_TEXT])
{
    karp_drift copy;
    const karp_drift *drift = &copy;
    char money[3][MONEY_TEXT], length[KARP_VALUE_TEXT] = "";
    if (given == NULL || out == NULL) return KARP_E_INVALID;
    out[0] = '\0';
    karp_status status = struct_check(given, sizeof copy, SIZE_THROUGH(karp_drift, played), &copy, "karp_drift", NULL);
    if (status != KARP_OK || drift->nodes == 0) return status;
    size_t gone = drift->nodes > drift->left ? drift->nodes - drift->left : 0;
    str_append(out, KARP_DRIFT_TEXT, "%zu %s", drift->nodes, drift->nodes == 1 ? "node drifts" : "nodes drift");
    if (drift->played == 0) {
        str_append(out, KARP_DRIFT_TEXT, "; karp plan --settle plays their replacement");
        return KARP_OK;
    }
    if (drift->ends == KARP_NO_TIME || gone == 0) {
        str_append(out, KARP_DRIFT_TEXT, "; none is replaced (karp explain node NAME says why)");
        return KARP_OK;
    }
    karp_duration_format(drift->ends - drift->begins, length);
    (void)money_rate(drift->cost_before, false, money[0]);
    (void)money_rate(drift->cost_during, false, money[1]);
    (void)money_rate(drift->cost_after, false, money[2]);
    str_append(out, KARP_DRIFT_TEXT, ", %zu at a time by budget", drift->at_once);
    if (drift->left > 0)
        str_append(out, KARP_DRIFT_TEXT, "; %zu %s replaced after %s, %zu %s", gone, gone == 1 ? "is" : "are", length,
                   drift->left, drift->left == 1 ? "stays" : "stay");
    else str_append(out, KARP_DRIFT_TEXT, ", replaced after %s", length);
    str_append(out, KARP_DRIFT_TEXT, ": %s now, up to %s meanwhile, %s after", money[0], money[1], money[2]);
    return KARP_OK;
}

void drift_line(write_buffer *b, const write_job *job, bool paragraph)
{
    char text[KARP_DRIFT_TEXT];
    if (job->options->drift == NULL || karp_drift_text(job->options->drift, text) || text[0] == '\0') return;
    buffer_text(b, paragraph ? "\nDrift: " : "Drift: ");
    buffer_text(b, text);
    buffer_text(b, ".\n");
}

void drift_as_json(json_out *j, const karp_drift *drift)
{
    if (drift == NULL || drift->nodes == 0) return;
    json_member_flat_object(j, "driftCourse");
    json_member_uint(j, "nodes", drift->nodes);
    if (drift->played != 0) {
        json_member_uint(j, "left", drift->left);
        json_member_uint(j, "atOnce", drift->at_once);
        if (drift->ends != KARP_NO_TIME) json_member_int(j, "seconds", (drift->ends - drift->begins) / 1000000000);
        json_member_flat_object(j, "cost");
        json_member_sum(j, "before", drift->cost_before);
        if (drift->ends != KARP_NO_TIME) json_member_sum(j, "during", drift->cost_during);
        json_member_sum(j, "after", drift->cost_after);
        json_end(j);
    }
    json_end(j);
}
