/* SPDX-License-Identifier: Apache-2.0 */
#include <replay/spread.h>

#include <math.h>

static const char *const names[SPREAD_FIGURES] = { "dollars", "pendingSecondsP99", "evictions", "interruptions",
                                                   "lostPods" };

bool spread_begin(replay_result *total, karp_context *context, size_t runs)
{
    total->run_room = runs;
    for (size_t i = 0; i < SPREAD_FIGURES; i++) {
        total->runs[i] = mem_zalloc(context, runs * sizeof(double));
        if (!total->runs[i]) return false;
    }
    return true;
}

void spread_add(replay_result *total, const replay_result *run)
{
    const double values[SPREAD_FIGURES] = { run->dollars, run->wait_p99, (double)run->evictions,
                                            (double)run->interruptions, (double)run->lost_pods };
    for (size_t i = 0; i < SPREAD_FIGURES; i++) total->runs[i][total->run_count] = values[i];
    total->run_count++;
}

bool spread_end(replay_result *total, karp_context *context)
{
    for (size_t i = 0; i < SPREAD_FIGURES; i++) {
        if (!sort_stable(context, total->runs[i], total->run_count, sizeof(double), by_double, NULL)) return false;
    }
    return true;
}

void spread_free(replay_result *total, karp_context *context)
{
    for (size_t i = 0; i < SPREAD_FIGURES; i++) mem_free(context, total->runs[i], total->run_room * sizeof(double));
}

double spread_at(const replay_result *total, size_t figure, size_t percent)
{
    if (total->run_count == 0) return 0;
    size_t rank = (total->run_count * percent + 99) / 100;
    return total->runs[figure][rank > 0 ? rank - 1 : 0];
}

void spread_as_json(json_out *j, const replay_result *total)
{
    static const struct {
        const char *name;
        size_t percent;
    } shares[] = { { "p50", 50 }, { "p95", 95 }, { "max", 100 } };
    if (total->run_count == 0) return;
    json_member_object(j, "runs");
    json_member_uint(j, "count", total->run_count);
    for (size_t i = 0; i < SPREAD_FIGURES; i++) {
        json_member_flat_object(j, names[i]);
        for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++)
            json_member_double(j, shares[k].name, round(spread_at(total, i, shares[k].percent) * 1e6) / 1e6);
        json_end(j);
    }
    json_end(j);
}
