#!/usr/bin/env bash
# Fuzzes every target, or those named, one after the other: tests/fuzz/run.sh [SECONDS [TARGET...]]
#
# Seconds a target (60). What is found and not yet in corpus/ is kept in build/fuzz/found/TARGET and used by the next run; an input
# that crashes, hangs or violates a target's promise ends up in build/fuzz/failed and fails the run. Copy it to
# corpus/TARGET with the fix.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:-60}
targets=("${@:2}")
((${#targets[@]})) || targets=(config firmware neff npy filter descriptor hlo)
compiler=clang++-14
hang=20       # seconds an input may take
memory=2048   # MB

command -v "$compiler" >/dev/null || { echo "$compiler is missing: ./trnsim setup fuzz installs it" >&2; exit 2; }
cd "$root"
[[ -f build/fuzz/build.ninja ]] || cmake --preset fuzz >/dev/null
ninja -C build/fuzz "${targets[@]/#/fuzz_}" >build/fuzz/build.log 2>&1 || { tail -n 40 build/fuzz/build.log >&2; exit 2; }
mkdir -p build/fuzz/failed
status=0
for target in "${targets[@]}"; do
    mkdir -p "build/fuzz/found/$target"
    log=build/fuzz/$target.log
    result=clean
    "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout="$hang" -rss_limit_mb="$memory" -print_final_stats=1 \
        -artifact_prefix="build/fuzz/failed/$target-" "build/fuzz/found/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1 || result=failed
    [[ $result == clean ]] || status=1
    awk -v target="$target" -v result="$result" -v seconds="$seconds" -v log_file="$log" '
        /number_of_executed_units/ { units = $2 } /new_units_added/ { added = $2 } /^SUMMARY|Test unit written/ { print target ": " $0 }
        END { printf "%s: %s, %d units in %d s, %d kept (%s)\n", target, result, units, seconds, added, log_file }' "$log"
done
exit $status
