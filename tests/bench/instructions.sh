#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Counts what a decision executes and holds it against instructions.txt: one in a hundred more is a failure (ten for provider). Counts are by the
# number in the name of the input: per pod, for b4 and b5 per node, for c2 per kind of pods; for b7 in hundreds, two edits. What is counted is
# karp_provision(); for provider karp_provider_catalogue() of all types of us-west-2, the first call of a process, per type; for c2 bound_fluid(), the
# bound that fractions of pods give; for b4 karp_disrupt() and karp_repack(), for b5 all calls of karp_what_if(), and for b7 two edits of one object, from
# karp_snapshot_edit() to the edited snapshot. For read it is the reading of a file of pods, to the snapshot: a List as
# kubectl prints it, and a Snapshot; for plan what karp plan does with the List before it decides: documents are kept, and hashed without the
# instructions that processors have for it, which valgrind does not know. For emit it is the writing of the plan of b1 as JSON. For
# replay it is the replay of a story of two hours, per minute, with the simple scheduler and with kube-scheduler's rules.
#
#   KARP=build/karp tests/bench/instructions.sh           compares
#   KARP=build/karp tests/bench/instructions.sh --write   writes instructions.txt anew
#
# Instructions do not depend on how busy the machine is, but on the compiler: the figures are of gcc 12 on x86-64, as the
# project builds by default, and are compared on x86-64 alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
stored=$here/instructions.txt
inputs="b1-1000 b2-plain-5000 b2-anti-1000 b2-zone-5000 b3-5000 b6-mixed-20000 b6-plain-20000 b8-required-one-2000 b8-preferred-one-2000 b8-preferred-anti-2000 b8-preferred-zone-2000 b8-preferred-never-2000 b4-multi-100 b4-repack-20 b5-nodes-100 b7-edit-20000 b7-bound-2000 b7-node-2000 c2-bound-60 c2-bound-200 c2-selectors-60 c2-selectors-200 provider-1343 read-list-5000 read-snapshot-5000 plan-list-5000 emit-1000 replay-simple-120 replay-kube-120"

[ -n "${KARP:-}" ] || { echo "KARP does not name the program"; exit 77; }
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "the figures are of x86-64"; exit 77; }
! grep -qa __asan_init "$KARP" || { echo "not with sanitizers"; exit 77; }

pods=$(mktemp -d)
trap 'rm -rf "$pods"' EXIT

for form in list snapshot; do
    awk -v n=5000 -v form=$form -f "$here/pods.awk" >"$pods/read-$form-5000"
done

python3 "$here/replay.py" write two-hours >"$pods/replay.yaml"

counted_in() {
    case $1 in
    c2-*) echo --toggle-collect=bound_fluid ;;
    b4-repack-*) echo --toggle-collect=karp_repack ;;
    b4-*) echo --toggle-collect=karp_disrupt ;;
    b5-*) echo --toggle-collect=karp_what_if ;;
    provider-*) echo --toggle-collect=karp_provider_catalogue ;;
    emit-*) echo --toggle-collect=karp_write_plan ;;
    read-*) echo --toggle-collect=karp_reader_add_path --toggle-collect=karp_reader_finish ;;
    plan-*) echo --toggle-collect=karp_reader_add_path --toggle-collect=karp_reader_finish --toggle-collect=karp_reader_digest ;;
    b7-*) echo --toggle-collect=bench_edit ;;
    replay-*) echo --toggle-collect=engine_run ;;
    *) echo --toggle-collect=karp_provision ;;
    esac
}

ask() {
    case $1 in
    provider-*) echo catalogue --provider aws --region us-west-2 -o csv ;;
    read-*) echo bench --input "$pods/$1" --runs 1 ;;
    plan-*) echo plan -o json -f "$pods/read-${1#plan-}" ;;
    replay-simple-*) echo replay "$pods/replay.yaml" --scheduler simple -o json ;;
    replay-*) echo replay "$pods/replay.yaml" -o json ;;
    emit-*) echo bench --input "b1-${1#emit-}" --runs 1 ;;
    *) echo bench --input "$1" --runs 1 ;;
    esac
}

count() {
    # callgrind says "==1234== Collected : N"; what is asked is words without spaces
    # shellcheck disable=SC2046
    valgrind --tool=callgrind --callgrind-out-file=/dev/null $(counted_in "$1") \
        "$KARP" $(ask "$1") 2>&1 >/dev/null | sed -n 's/^==.*Collected : \([0-9]*\).*/\1/p'
}

if [ "${1:-}" = --write ]; then
    echo "# Instructions, by the number in the name; written by instructions.sh --write." >"$stored.new"
fi
status=0
for input in $inputs; do
    total=$(count "$input")
    [ -n "$total" ] && [ "$total" -gt 0 ] || { echo "$input: nothing was counted"; exit 1; }
    case $input in
    b7-*) each=$((total / 100)) ;; # edits are two, however many pods there are
    *) each=$((total / ${input##*-})) ;;
    esac
    case $input in
    b2-anti-*) anti=$each ;;
    b2-zone-*) zone=$each ;;
    b8-required-one-*) one=$each ;;
    esac
    case $input in
    b8-preferred-one-*) required=$one ;;
    b8-preferred-anti-*) required=$anti ;;
    b8-preferred-zone-*) required=$zone ;;
    b8-preferred-never-*) required=$anti ;;
    *) required=0 ;;
    esac
    if [ "$required" -gt 0 ] && [ "$each" -gt $((required * 2)) ]; then
        echo "$input: $each instructions each, more than twice the $required of what is required"
        status=1
    fi
    if [ "${1:-}" = --write ]; then
        echo "$input $each" >>"$stored.new"
        echo "$input: $each instructions each"
        continue
    fi
    before=$(sed -n "s/^$input \([0-9]*\)\$/\1/p" "$stored")
    [ -n "$before" ] || { echo "$input: not in instructions.txt"; status=1; continue; }
    # The provider's types are found again by their addresses, which differ between builds.
    case $input in provider-*) most=10 ;; *) most=1 ;; esac
    if [ $((each * 100)) -gt $((before * (100 + most))) ]; then
        echo "$input: $each instructions each, $before before: more than $most % worse"
        status=1
    else
        echo "$input: $each instructions each, $before before"
    fi
done
[ "${1:-}" != --write ] || mv "$stored.new" "$stored"
exit $status
