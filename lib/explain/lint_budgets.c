/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disruption budgets of NodePools, and PodDisruptionBudgets: those that never allow a disruption, and those that
 * never prevent one.
 */
#include <explain/lint.h>

#include <karp/values.h>
#include <base/bits.h>
#include <base/cron.h>
#include <model/pdbs.h>

static bool allows_none(karp_str nodes) { return str_is(nodes, "0") || str_is(nodes, "0%"); }

static void field_of_budget(linting *l, uint32_t index)
{
    strbuf_putu(&l->field, "spec.disruption.budgets[", index, "]");
}

/* The day of the week that the text begins with, as a number or a name; -1 = none. */
static int day_of(karp_str text)
{
    static const char *const names[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat" };
    for (int i = 0; i < 7 && text.len >= 3; i++) {
        if (equal_letters((karp_str){ text.ptr, 3 }, str(names[i]))) return i;
    }
    return text.len > 0 && is_digit(text.ptr[0]) ? text.ptr[0] - '0' : -1;
}

/* What is mostly wrong in a schedule that cannot be read: days of the week. */
static const char *hint_of_schedule(karp_str schedule)
{
    karp_str rest = schedule, days = schedule;
    while (rest.len > 0) days = str_until(&rest, ' ');
    for (karp_str part = days; days.len > 0;) {
        part = str_until(&days, ',');
        karp_str last = part, first = str_until(&last, '-');
        if (last.len > 0 && day_of(first) > day_of(last) && day_of(last) >= 0)
            return "days of the week count from Sunday, which is 0: a range cannot run over it, so write SAT,SUN";
    }
    if (schedule.len > 0 && schedule.ptr[schedule.len - 1] == '7') return "Sunday is 0, not 7";
    return "five fields in UTC, as in 0 9 * * 1-5";
}

static void check_schedule(linting *l, const budget *b, uint32_t index, karp_str pool)
{
    cron schedule;
    int64_t hit;
    if (!budget_scheduled(b)) return;
    bool read = cron_parse(b->schedule.ptr, b->schedule.len, &schedule);
    if (read && cron_next(&schedule, l->snapshot->raw.now, &hit)) return;
    field_of_budget(l, index);
    strbuf_adds(&l->field, ".schedule");
    const char *hint = hint_of_schedule(b->schedule);
    strbuf_put(&l->text, "the schedule ", b->schedule, "");
    if (read) strbuf_adds(&l->text, " does not fire within five years: the budget is never in force");
    else strbuf_adds(&l->text, " cannot be read: the budget allows no node");
    strbuf_adds(&l->remedy, hint);
    lint_note(l, LINT_BUDGET_NEVER_ACTIVE, "NodePool", pool);
}

/* Checks what a budget that is always active allows for all reasons. */
static void check_budget(linting *l, const budget *b, uint32_t index, karp_str pool)
{
    check_schedule(l, b, index, pool);
    if (b->has_reasons && b->reasons == 0) { /* D-Q2 */
        field_of_budget(l, index);
        strbuf_adds(&l->field, ".reasons");
        strbuf_adds(&l->text, "the list of reasons is empty: Karpenter applies the budget to no reason at all");
        strbuf_adds(&l->remedy, "leave it out for all reasons, or name them: Underutilized, Empty, Drifted");
        lint_note(l, LINT_BUDGET_NO_REASON, "NodePool", pool);
    }
    if (budget_scheduled(b) || !allows_none(b->nodes)) return;
    field_of_budget(l, index);
    strbuf_adds(&l->field, ".nodes");
    strbuf_adds(&l->text, b->has_reasons ? "for its reasons no node is ever disrupted"
                                         : "no node of the pool is ever consolidated or replaced for drift");
    strbuf_adds(&l->remedy, "give it a schedule and a duration, or allow at least one node");
    lint_note(l, LINT_BUDGET_NEVER_ALLOWS, "NodePool", pool);
}

/* Adds "no budget applies to Drifted and Empty" for the reasons in `missing`. */
static void note_unlimited(linting *l, const node_pool *pool, uint32_t missing, const char *before)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } reasons[] = { { KARP_BUDGET_UNDERUTILIZED, "Underutilized" },
                    { KARP_BUDGET_EMPTY, "Empty" },
                    { KARP_BUDGET_DRIFTED, "Drifted" } };
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if ((missing & reasons[i].bit) == 0) continue;
        strbuf_adds(&l->text, count++ == 0 ? before : " and ");
        strbuf_adds(&l->text, reasons[i].name);
    }
    if (count == 0) return;
    strbuf_adds(&l->field, "spec.disruption.budgets");
    strbuf_adds(&l->text, ": all nodes of the pool may be disrupted at once for ");
    strbuf_adds(&l->text, count == 1 ? "it" : "them");
    strbuf_adds(
        &l->remedy,
        "add a budget without reasons and schedule: Karpenter's default of 10% applies only without any budget");
    lint_note(l, LINT_BUDGET_REASON_UNLIMITED, "NodePool", name_of(l->snapshot, pool->meta.name));
}

/* Reasons that no budget applies to, or none outside schedules, are without a limit. */
static void check_reasons(linting *l, const node_pool *pool)
{
    uint32_t covered = 0, always = 0;
    for (uint32_t i = 0; i < pool->budget_count; i++) {
        uint32_t reasons = pool->budgets[i].has_reasons ? pool->budgets[i].reasons : UINT32_MAX;
        cron schedule;
        const budget *b = &pool->budgets[i];
        covered |= reasons;
        /* One whose schedule cannot be read allows no node at any time. */
        if (!budget_scheduled(b) || !cron_parse(b->schedule.ptr, b->schedule.len, &schedule)) always |= reasons;
    }
    if (pool->budget_count == 0 || covered == 0) return; /* the default; a list of reasons is empty */
    note_unlimited(l, pool, ~covered, "no budget applies to ");
    note_unlimited(l, pool, covered & ~always, "outside the schedules of its budgets none applies to ");
}

/* Who closes a NodePool by a budget of 0 wants its nodes to stay; those that expire go all the same. */
static void check_expiry(linting *l, const node_pool *pool)
{
    uint32_t closed = 0;
    while (closed < pool->budget_count &&
           (pool->budgets[closed].has_reasons || !allows_none(pool->budgets[closed].nodes)))
        closed++;
    if (closed == pool->budget_count || pool->expire_after == KARP_DURATION_UNSET ||
        pool->expire_after == KARP_DURATION_NEVER)
        return;
    char length[KARP_VALUE_TEXT];
    karp_duration_format(pool->expire_after, length);
    strbuf_adds(&l->field, "spec.template.spec.expireAfter");
    strbuf_putu(&l->text, "budgets[", closed, "");
    strbuf_put(&l->text, "] allows no node, but expiration asks no budget: a node is deleted when its expireAfter, ",
               str_short_duration(str(length)), ", is over");
    strbuf_adds(&l->remedy, "expireAfter Never; then only drift, which budgets hold back, renews nodes");
    lint_note(l, LINT_BUDGET_NOT_FOR_EXPIRY, "NodePool", name_of(l->snapshot, pool->meta.name));
}

void lint_budgets(linting *l)
{
    const karp_snapshot *s = l->snapshot;
    for (uint32_t p = 0; p < s->raw.pools.count && !l->refused; p++) {
        const node_pool *pool = &s->raw.pools.items[p];
        karp_str name = name_of(s, pool->meta.name);
        bool limited = pool->budget_count == 0; /* without budgets, Karpenter's default of 10 % applies */
        for (uint32_t i = 0; i < pool->budget_count && !l->refused; i++) {
            limited = limited || !str_is(pool->budgets[i].nodes, "100%");
            check_budget(l, &pool->budgets[i], i, name);
            /* Checking a schedule may visit the days of several years. */
            if (!mem_work(s->context, 4096)) l->refused = true;
        }
        check_reasons(l, pool);
        check_expiry(l, pool);
        if (limited) continue;
        strbuf_adds(&l->field, "spec.disruption.budgets");
        strbuf_adds(&l->text, "all nodes of the pool may be disrupted at once");
        strbuf_adds(&l->remedy, "Karpenter's own budget is 10%");
        lint_note(l, LINT_BUDGET_NO_LIMIT, "NodePool", name);
    }
}

/* ---- PodDisruptionBudgets ---------------------------------------------------------------------------------------- */

/* The pods of a PodDisruptionBudget that are not over. */
typedef struct covered {
    uint64_t count, sick;
    bool of_job;
} covered;

/* A pod that is not ready can only be evicted while enough others are, which is never here, or by its own policy. */
static void pdb_remedy(linting *l, const disruption_budget *b, const covered *pods, bool most)
{
    static const char always[] =
        "set unhealthyPodEvictionPolicy AlwaysAllow: then pods that are not ready may be evicted";
    bool held = pods->sick > 0 && !b->always_allow;
    if (pods->of_job)
        strbuf_adds(&l->remedy, "pods of Jobs: use karpenter.sh/do-not-disrupt; a PodDisruptionBudget counts such pods "
                                "only with minAvailable as a number, as Jobs have no scale subresource");
    if (held) strbuf_adds(&l->remedy, pods->of_job ? "; or " : "");
    if (held) strbuf_adds(&l->remedy, always);
    if (pods->of_job || (held && pods->sick == pods->count)) return;
    if (held) strbuf_adds(&l->remedy, "; for those that are ready, ");
    strbuf_adds(&l->remedy, most || b->min_available.is_text ? "allow one pod to be unavailable"
                                                             : "allow one pod to be unavailable, or run one more");
}

static void note_pdb(linting *l, const disruption_budget *b, enum lint_rule rule)
{
    const karp_snapshot *s = l->snapshot;
    strbuf name = strbuf_on(s->context);
    strbuf_addname(&name, text_of(s, b->meta.name_space), name_of(s, b->meta.name));
    lint_note(l, rule, "PodDisruptionBudget", (karp_str){ name.ptr, name.len });
    l->refused = l->refused || name.failed;
    strbuf_free(&name);
}

/* Budgets without pods in namespaces that have some. Daemons have none in manifests, so namespaces with a DaemonSet are
 * passed over. */
static void check_idle(linting *l, const covered *pods)
{
    const store *raw = &l->snapshot->raw;
    size_t bytes = (l->snapshot->facts.count / 64 + 1) * sizeof(uint64_t);
    uint64_t *busy = mem_zalloc(l->snapshot->context, bytes);
    l->refused = l->refused || busy == NULL || !mem_work(l->snapshot->context, raw->pods.count + 1);
    for (size_t i = 0; i < raw->pods.count && !l->refused; i++) bits_set(busy, pod_at(raw, i)->name_space);
    for (size_t i = 0; i < raw->daemon_sets.count && !l->refused; i++)
        bits_clear(busy, raw->daemon_sets.items[i].meta.name_space);
    for (size_t i = 0; i < raw->budgets.count && !l->refused; i++) {
        const disruption_budget *b = &raw->budgets.items[i];
        if (pods[i].count > 0 || !bits_test(busy, b->meta.name_space)) continue;
        strbuf_adds(&l->field, "spec.selector");
        strbuf_adds(&l->text,
                    "no pod of the namespace has the labels that it selects: it keeps none from being evicted");
        note_pdb(l, b, LINT_PDB_SELECTS_NOTHING);
    }
    mem_free(l->snapshot->context, busy, bytes);
}

static void check_pdb(linting *l, const disruption_budget *b, const covered *pods)
{
    uint64_t limit, all = pods->count;
    bool most = pods_of_amount(&b->max_unavailable, all, &limit);
    if (all == 0 || !(most ? limit == 0 : pods_of_amount(&b->min_available, all, &limit) && limit >= all)) return;
    strbuf_adds(&l->field, most ? "spec.maxUnavailable" : "spec.minAvailable");
    if (most) strbuf_adds(&l->text, "none of its ");
    else strbuf_adds(&l->text, "minAvailable covers all of them: none of its ");
    strbuf_plural(&l->text, all, " pod may be evicted", " pods may be evicted");
    if (b->always_allow && pods->sick > 0) strbuf_adds(&l->text, " while it is ready");
    strbuf_adds(&l->text, all == 1 ? ", so its node stays" : ", so their nodes stay");
    if (!b->always_allow && pods->sick > 0) {
        strbuf_putu(&l->text, "; ", pods->sick, "");
        strbuf_adds(&l->text, pods->sick == 1 ? " is not ready" : " are not ready");
    }
    pdb_remedy(l, b, pods, most);
    note_pdb(l, b, LINT_PDB_NEVER_ALLOWS);
}

void lint_pdbs(linting *l)
{
    const store *raw = &l->snapshot->raw;
    size_t bytes = (raw->budgets.count + 1) * sizeof(covered);
    covered *pods = mem_zalloc(l->snapshot->context, bytes);
    l->refused = l->refused || pods == NULL || !mem_work(l->snapshot->context, raw->pods.count + 1);
    for (size_t i = 0; raw->budgets.count > 0 && i < raw->pods.count && !l->refused; i++) {
        const pod *p = pod_at(raw, i);
        pdb_walk walk = pdbs_of(l->snapshot, p);
        bool over = p->phase == KARP_PHASE_SUCCEEDED || p->phase == KARP_PHASE_FAILED;
        for (uint32_t b; !over && (b = pdb_next(&walk)) != NO_ID;) {
            pods[b].count++;
            pods[b].sick += (p->flags & POD_NOT_READY) != 0;
            pods[b].of_job = pods[b].of_job || (p->flags & POD_OF_JOB) != 0;
        }
    }
    for (size_t i = 0; i < raw->budgets.count && !l->refused; i++) check_pdb(l, &raw->budgets.items[i], &pods[i]);
    if (raw->budgets.count > 0 && !l->refused) check_idle(l, pods);
    mem_free(l->snapshot->context, pods, bytes);
}
