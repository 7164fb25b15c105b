#!/usr/bin/env bash
# RTL line and toggle coverage of the small core over regression lists and the random programs (docs/regressions.md).
#
#   cmake/coverage.sh [LIST.yaml ...]      without lists configs/regressions/full.yaml
#
# Only tests on small16 are run. TRNSIM_JOBS: builds and tests at a time. TRNSIM_COVERAGE_PROGRAMS=0 leaves out the random
# programs; TRNSIM_TEST_SCALE multiplies them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${TRNSIM_JOBS:-$(nproc)}
release=$root/build/release
counted=$root/build/rtl-coverage
folder=$counted/rtl
lists=("$@")
((${#lists[@]})) || lists=("$root/configs/regressions/full.yaml")

# build PRESET TARGET... : what goes wrong is shown.
build() {
    local log preset=$1
    log=$(mktemp)
    if ! {
        { [[ -f $root/build/$preset/build.ninja ]] || (cd "$root" && cmake --preset "$preset"); } &&
            ninja -C "$root/build/$preset" -j "$jobs" "${@:2}"
    } >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        exit 2
    fi
    rm -f "$log"
}

build release trnsim
build rtl-coverage core_small16
rm -rf "$folder"
mkdir -p "$folder"
export TRNSIM_CORE_PATH=$counted/lib/cores TRNSIM_RTL_COVERAGE_DIR=$folder TRNSIM_CONFIG_PATH=$root/configs
status=0
for list in "${lists[@]}"; do
    "$release/bin/trnsim" regress "$list" --config small16 --jobs "$jobs" -o "$folder/$(basename "$list" .yaml)" || status=1
    python3 "$root/cmake/coverage.py" merge "$folder"
done
if [[ ${TRNSIM_COVERAGE_PROGRAMS:-1} != 0 ]]; then
    build release rtl_random_test
    "$release/tests/testbench/lane_programs/rtl_random_test" --gtest_filter='*mall*' >"$folder/rtl_random_test.log" 2>&1 || status=1
    python3 "$root/cmake/coverage.py" merge "$folder"
fi
python3 "$root/cmake/coverage.py" report "$folder"
exit "$status"
