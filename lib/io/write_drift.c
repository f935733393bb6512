/* SPDX-License-Identifier: Apache-2.0 */
/* How nodes that have drifted are replaced, in the same words everywhere. */
#include "encode.h"
#include "write_plan_json.h"
#include "write_rows.h"

#include <base/error.h>
#include <base/money.h>
#include <karp/settle.h>
#include <karp/values.h>
#include <records/rows.h>

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
    const int64_t second = 1000000000, took = drift->ends - drift->begins; /* as documents have it */
    karp_duration_format(took < second ? took : took - took % second, length);
    (void)money_rate(drift->cost_before, false, money[0]);
    (void)money_rate(drift->cost_during, false, money[1]);
    (void)money_rate(drift->cost_after, false, money[2]);
    bool together = drift->at_once >= gone, replaced = drift->held == 0 && drift->cost_during > drift->cost_before;
    const char *how = gone <= 1 || !together ? "" : drift->left > 0 ? " at once," : ", all at once";
    const char *most = drift->held > 0 ? "at most " : "", *what = replaced ? "replaced" : "gone";
    if (gone > 1 && !together)
        str_append(out, KARP_DRIFT_TEXT, ", %zu at a time by %s", drift->at_once,
                   drift->limited != 0 ? "limits.nodes" : "budget");
    if (drift->left > 0)
        str_append(out, KARP_DRIFT_TEXT, "; %zu %s %s%s after %s%s, %zu %s", gone, gone == 1 ? "is" : "are", what, how,
                   most, length, drift->left, drift->left == 1 ? "stays" : "stay");
    else str_append(out, KARP_DRIFT_TEXT, "%s, %s after %s%s", how, what, most, length);
    if (drift->held > 0) {
        str_append(out, KARP_DRIFT_TEXT, " (pods that cannot be evicted hold ");
        if (gone == 1) str_append(out, KARP_DRIFT_TEXT, "it");
        else str_append(out, KARP_DRIFT_TEXT, "%zu of them", drift->held);
        str_append(out, KARP_DRIFT_TEXT, " until terminationGracePeriod is over, and need a place only then)");
    }
    str_append(out, KARP_DRIFT_TEXT, ": %s before, up to %s meanwhile, %s after", money[0], money[1], money[2]);
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

/* The course, as documents have it. */
typedef struct shown_drift {
    karp_drift drift;
    int64_t seconds;
    uint32_t played, ends; /* 0 = it is not known */
} shown_drift;

static const record drift_costs = { OPEN(
    { SUM("before", shown_drift, drift.cost_before), IN(IN_PLAN) },
    { SUM("during", shown_drift, drift.cost_during), WHEN(shown_drift, ends), IN(IN_PLAN) },
    { SUM("after", shown_drift, drift.cost_after), IN(IN_PLAN) },
    { MONEY("before", shown_drift, drift.cost_before), IN(IN_COMPARISON) },
    { MONEY("during", shown_drift, drift.cost_during), WHEN(shown_drift, ends), IN(IN_COMPARISON) },
    { MONEY("after", shown_drift, drift.cost_after), IN(IN_COMPARISON) }) };

static const record record_drift = { OPEN(
    { SIZE("nodes", shown_drift, drift.nodes) }, { SIZE("left", shown_drift, drift.left), WHEN(shown_drift, played) },
    { SIZE("atOnce", shown_drift, drift.at_once), WHEN(shown_drift, played) },
    { INT64("seconds", shown_drift, seconds), WHEN(shown_drift, ends) },
    { SIZE("held", shown_drift, drift.held), GIVEN }, { OBJECT("cost", drift_costs), WHEN(shown_drift, played) }) };

void drift_as_json(json_out *j, const karp_drift *drift, uint32_t document)
{
    if (drift == NULL || drift->nodes == 0) return;
    bool ends = drift->played != 0 && drift->ends != KARP_NO_TIME;
    const shown_drift shown = { *drift, ends ? (drift->ends - drift->begins) / 1000000000 : 0, drift->played != 0,
                                ends };
    const encoder e = { .json = j, .document = document };
    json_member_flat_object(j, "driftCourse");
    encode_members(&e, &record_drift, &shown);
    json_end(j);
}
