#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes each target for a time of the processor, one after the other:   fuzz/run.sh BUILD MINUTES [TARGET...]
#
# BUILD has the programs of -Dfuzzing=libfuzzer. Each works on a copy of its corpus; what it finds new goes to
# BUILD/new/TARGET and is used again by the next run, a finding to BUILD/findings. Exit status 1 when there was one.
# The minutes are those of the processor, so that they mean the same on a machine that does other work besides.
set -euo pipefail
if [ $# -lt 2 ]; then
    sed -n '4,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
seconds=$(($2 * 60))
shift 2
cd "$(dirname "${BASH_SOURCE[0]}")"
if [ $# -eq 0 ]; then
    set -- corpora/*/
fi

export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
mkdir -p "$build/findings" "$build/logs"
failed=0
for target in "$@"; do
    target=$(basename "$target")
    new=$build/new/$target log=$build/logs/$target.txt status=0 dictionary=()
    mkdir -p "$new"
    if [ -f "dict/$target.dict" ]; then
        dictionary=(-dict="dict/$target.dict")
    fi
    # The signal of the limit ends it; what it has found new is on disk by then.
    (
        ulimit -c 0
        ulimit -S -t "$seconds" # first: the other limit is not below this one
        ulimit -H -t $((seconds + 5))
        exec "$build/fuzz/fuzz_$target" -timeout=300 -rss_limit_mb=3000 -max_len=65536 "${dictionary[@]}" \
            -artifact_prefix="$build/findings/$target-" -print_final_stats=1 "$new" "corpora/$target"
    ) >"$log" 2>&1 || status=$?
    last=$(grep -aoE '^#[0-9]+.*exec/s: [0-9]+' "$log" | tail -n 1)
    if [ "$status" -eq $((128 + $(kill -l XCPU))) ]; then
        echo "$target: $((seconds / 60)) minutes without a finding, $(find "$new" -type f | wc -l) inputs new; $last"
    else
        echo "$target: ended with status $status; $last"
        tail -n 40 "$log"
        failed=1
    fi
done
exit "$failed"
