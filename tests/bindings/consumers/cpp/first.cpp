/* SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <memory>
#include <string>

#include "karp-io.h"

template <typename T, void (*End)(T *)> struct Ender {
    void operator()(T *object) const { End(object); }
};
template <typename T, void (*End)(T *)> using Held = std::unique_ptr<T, Ender<T, End>>;

static std::string text(karp_str s) { return s.len ? std::string(s.ptr, s.len) : std::string(); }

int main(int argc, char **argv)
{
    karp_error error;
    karp_error_init(&error, sizeof error);
    karp_context *context = nullptr;
    karp_reader *reader = nullptr;
    karp_snapshot *snapshot = nullptr;
    karp_decision *plan = nullptr;
    karp_status status = karp_context_new(nullptr, &context, &error);
    Held<karp_context, karp_context_unref> hold_context(context);
    if (status == KARP_OK) status = karp_reader_new(context, nullptr, &reader, &error);
    Held<karp_reader, karp_reader_free> hold_reader(reader);
    for (int i = 1; i < argc && status == KARP_OK; i++) status = karp_reader_add_path(reader, argv[i], &error);
    if (status == KARP_OK) status = karp_reader_finish(reader, &snapshot, &error);
    Held<karp_snapshot, karp_snapshot_unref> hold_snapshot(snapshot);
    if (status == KARP_OK) status = karp_provision(snapshot, nullptr, &plan, &error);
    Held<karp_decision, karp_decision_unref> hold_plan(plan);
    if (status != KARP_OK) {
        std::fprintf(stderr, "%s %s: %s\n", error.document, error.object, error.message);
        return 1;
    }
    for (size_t i = 0; i < karp_decision_launch_count(plan); i++) {
        karp_launch launch = {};
        launch.size = sizeof launch;
        if (karp_decision_launch(plan, i, &launch) == KARP_OK) std::puts(text(launch.choice.instance_type).c_str());
    }
    return 0;
}
