/* SPDX-License-Identifier: Apache-2.0 */
/* What the pending pods of some files need, what the cheapest nodes would cost, and what would be removed. */
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include <karp/inspect.h>
#include <karp/io.h>
#include <karp/karp.h>
#include <karp/objective.h>

template <auto End> struct Ender {
    template <typename T> void operator()(T *object) const { End(object); }
};
using Context = std::unique_ptr<karp_context, Ender<karp_context_unref>>;
using Reader = std::unique_ptr<karp_reader, Ender<karp_reader_free>>;
using Snapshot = std::unique_ptr<karp_snapshot, Ender<karp_snapshot_unref>>;
using Decision = std::unique_ptr<karp_decision, Ender<karp_decision_unref>>;

struct Problem : karp_error {
    Problem() { karp_error_init(this, sizeof(karp_error)); }
    void check(karp_status returned) const
    {
        if (returned != KARP_OK) throw std::runtime_error(std::string(object) + " " + field + ": " + message);
    }
};

template <typename Held, typename Call> static Held made(Call call)
{
    Problem problem;
    typename Held::pointer out = nullptr;
    problem.check(call(&out, &problem));
    return Held(out);
}

static void report(int count, char **paths)
{
    const auto context = made<Context>([](auto out, auto error) { return karp_context_new(nullptr, out, error); });
    const auto reader = made<Reader>(
        [&](auto out, auto error) { return karp_reader_new(context.get(), nullptr, out, error); });
    Problem problem;
    for (int i = 0; i < count; i++) problem.check(karp_reader_add_path(reader.get(), paths[i], &problem));
    const auto snapshot = made<Snapshot>(
        [&](auto out, auto error) { return karp_reader_finish(reader.get(), out, error); });

    karp_options options;
    karp_objective objective;
    karp_options_init(&options, sizeof options);
    karp_objective_init(&objective, sizeof objective);
    objective.kind = KARP_OBJECTIVE_COST;
    options.objective = &objective;
    const auto plan = made<Decision>(
        [&](auto out, auto error) { return karp_provision(snapshot.get(), nullptr, out, error); });
    const auto cheapest = made<Decision>(
        [&](auto out, auto error) { return karp_provision(snapshot.get(), &options, out, error); });
    const auto removals = made<Decision>(
        [&](auto out, auto error) { return karp_disrupt(snapshot.get(), nullptr, out, error); });

    std::printf("%zu nodes to launch\n", karp_decision_launch_count(plan.get()));
    karp_unschedulable pod = {};
    pod.size = sizeof pod;
    for (size_t i = 0; karp_decision_unschedulable(plan.get(), i, &pod) == KARP_OK; i++) {
        const karp_str name = karp_snapshot_pod_name(snapshot.get(), pod.pod);
        std::printf("pending %s %s\n", std::string(name.ptr, name.len).c_str(), karp_reason_name(pod.code));
    }
    karp_cost cost = {};
    cost.size = sizeof cost;
    problem.check(karp_decision_cost(cheapest.get(), &cost));
    std::printf("$%.4f/h, the cheapest $%.4f/h\n", cost.compatible_cost, cost.cost);
    std::printf("%zu commands\n", karp_decision_command_count(removals.get()));
    char hash[KARP_DIGEST_TEXT];
    karp_decision_hash(plan.get(), hash);
    std::puts(hash);
}

int main(int argc, char **argv)
{
    try {
        report(argc - 1, argv + 1);
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
    return 0;
}
