#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the fuzz targets as OSS-Fuzz asks for it:   OUT=FOLDER fuzz/oss-fuzz.sh [TARGET...]
#
# CC, CFLAGS and LIB_FUZZING_ENGINE are those of its images; without them it is clang with AddressSanitizer and libFuzzer.
# To OUT go the programs, their dictionaries (fuzz_TARGET.dict) and corpora (fuzz_TARGET_seed_corpus.zip).
set -euo pipefail
source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${OUT:?the folder for what is built}"
export CC=${CC:-clang} CFLAGS=${CFLAGS--O1 -fsanitize=address,fuzzer-no-link}
engine=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
if [ $# -eq 0 ]; then
    mapfile -t targets < <(cd "$source_root/fuzz/corpora" && printf '%s\n' *)
else
    targets=("$@")
fi
# An engine that is an archive is written in C++.
case $engine in
*.a) engine=$engine,-l$(if [[ $CFLAGS == *libc++* ]]; then echo c++; else echo stdc++; fi) ;;
esac

work=${WORK:-$(mktemp -d)}/karp
rm -rf "$work"
meson setup "$work" "$source_root" -Dbuildtype=plain -Db_lundef=false -Dprefer_static=true -Dfuzzing=libfuzzer \
    -Dfuzzing_engine="$engine"
ninja -C "$work" "${targets[@]/#/fuzz/fuzz_}"

mkdir -p "$OUT"
for target in "${targets[@]}"; do
    cp "$work/fuzz/fuzz_$target" "$OUT/"
    (cd "$source_root/fuzz/corpora/$target" && python3 -m zipfile -c "$OUT/fuzz_${target}_seed_corpus.zip" ./*)
    if [ -f "$source_root/fuzz/dict/$target.dict" ]; then
        cp "$source_root/fuzz/dict/$target.dict" "$OUT/fuzz_$target.dict"
    fi
done
