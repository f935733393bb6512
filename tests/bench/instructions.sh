#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Counts what karp_provision() executes, per pod, and holds it against instructions.txt: two in a hundred more is a failure.
#
#   KARP=build/karp tests/bench/instructions.sh           compares
#   KARP=build/karp tests/bench/instructions.sh --write   writes instructions.txt anew
#
# Instructions do not depend on how busy the machine is, but on the compiler: the figures are of gcc 12 on x86-64, as the
# project builds by default, and are compared on x86-64 alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
stored=$here/instructions.txt
inputs="b1-1000 b2-plain-5000 b2-anti-1000 b2-zone-5000 b3-5000 b6-mixed-20000"

[ -n "${KARP:-}" ] || { echo "KARP does not name the program"; exit 77; }
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "the figures are of x86-64"; exit 77; }
! grep -qa __asan_init "$KARP" || { echo "not with sanitizers"; exit 77; }

count() {
    # callgrind says "==1234== Collected : N"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=karp_provision \
        "$KARP" bench --input "$1" --runs 1 2>&1 >/dev/null | sed -n 's/^==.*Collected : \([0-9]*\).*/\1/p'
}

if [ "${1:-}" = --write ]; then
    echo "# Instructions of karp_provision() per pod; written by instructions.sh --write." >"$stored.new"
fi
status=0
for input in $inputs; do
    total=$(count "$input")
    [ -n "$total" ] && [ "$total" -gt 0 ] || { echo "$input: nothing was counted"; exit 1; }
    each=$((total / ${input##*-}))
    if [ "${1:-}" = --write ]; then
        echo "$input $each" >>"$stored.new"
        echo "$input: $each instructions per pod"
        continue
    fi
    before=$(sed -n "s/^$input \([0-9]*\)\$/\1/p" "$stored")
    [ -n "$before" ] || { echo "$input: not in instructions.txt"; status=1; continue; }
    if [ $((each * 100)) -gt $((before * 102)) ]; then
        echo "$input: $each instructions per pod, $before before: more than 2 % worse"
        status=1
    else
        echo "$input: $each instructions per pod, $before before"
    fi
done
[ "${1:-}" != --write ] || mv "$stored.new" "$stored"
exit $status
