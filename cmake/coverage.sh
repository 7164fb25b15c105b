#!/usr/bin/env bash
# RTL line, branch and toggle coverage of the small core over regression lists, programs that load a core, and test benches of single
# blocks, whose counts are added up (docs/regressions.md). The exit status is 1 when a test fails or coverage is below a limit.
#
#   cmake/coverage.sh [--line PERCENT] [--branch PERCENT] [--toggle PERCENT] [LIST.yaml ...]      without lists configs/regressions/full.yaml
#
# Only tests on small16 are run. TRNSIM_JOBS: builds and tests at a time; TRNSIM_TEST_SCALE multiplies the random cases of
# programs and benches. TRNSIM_COVERAGE_PARTS chooses among "lists programs benches"; with "keep" counts of before are kept.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${TRNSIM_JOBS:-$(nproc)}
parts=${TRNSIM_COVERAGE_PARTS:-lists programs benches}
release=$root/build/release
counted=$root/build/rtl-coverage
folder=$counted/counts
limits=() lists=()
while (($#)); do
    case $1 in
        --line | --branch | --toggle) limits+=("$1" "${2:?$1 takes a percentage}"); shift 2 ;;
        -*) echo "usage: cmake/coverage.sh [--line PERCENT] [--branch PERCENT] [--toggle PERCENT] [LIST.yaml ...]" >&2; exit 2 ;;
        *) lists+=("$1"); shift ;;
    esac
done
((${#lists[@]})) || lists=("$root/configs/regressions/full.yaml")

# Programs that load cores, with the tests of theirs that use the small one.
programs=(
    "testbench/random_programs/rtl_random_test --gtest_filter=*SmallCore"
    "compiler/kernels/rtl_kernels_test --gtest_filter=*SmallCore/*:*FollowsTheSeed*"
    "compiler/kernels/rtl_matmul_test --gtest_filter=*SmallCore"
    "runtime/session/runtime_rtl_test"
    rtl/core/core_{bus,counter,gpsimd,memory,notification,numeric,port,program}_test
)
benches=(
    common/{ap_iterator,row_pkg}_test
    control/{control_{random,check,error,semaphore,port,throughput,register,loop,overlap,pins},notifications,semaphores}_test
    core/{engine_counters,numeric_errors}_test
    elementwise/elementwise_read_port_test
    fp/{fma32_lane,tensor_lane,vector_lane,convert_lane,xorwow_lane,lane_steps,nan_lane}_test
    gpsimd/gpsimd_{core,fp,engine,partitions}_test
    gpsimd/blocks/gpsimd_{dispatch,slices,access1024}_test
    memory/{ecc,read_watch,shared_port,slice_arbiter,sum_marks,upset}_test
    rounding/{rounding_unit,seed_bridge}_test
    scalar/{scalar_{bias,function,directed,random,timing},table_loader}_test
    tensor/tensor_engine_small16_test
    vector/vector_{directed,forms,refusal,random,timing,special,alu,dividers,statistics}_test
)

has() { [[ " $parts " == *" $1 "* ]]; }
say() { [[ ! -t 2 ]] || printf '\033[1m[coverage]\033[0m %s\n' "$*" >&2; }

# build PRESET TARGET... : what goes wrong is shown.
build() {
    local log preset=$1
    say "building ${*:2} ($preset)"
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

# run_test PROGRAM ARGUMENT... : the end of its log is shown when it fails.
run_test() {
    local log
    log=$folder/$(basename "$1").log
    say "  $(basename "$1")"
    "$@" >"$log" 2>&1 || { echo "$log: failed"; tail -n 20 "$log"; return 1; } >&2
}

# run_tests FOLDER PROGRAM... : `jobs` at a time.
run_tests() {
    local tests=$1 running=0 failed=0 program command
    shift
    say "running $# programs of $tests"
    for program in "$@"; do
        if ((running == jobs)); then
            wait -n || failed=1
            running=$((running - 1))
        fi
        read -ra command <<<"$program"
        run_test "$tests/${command[0]}" "${command[@]:1}" &
        running=$((running + 1))
    done
    for ((; running > 0; --running)); do wait -n || failed=1; done
    return "$failed"
}

build rtl-coverage core_small16
has keep || rm -rf "$folder"
mkdir -p "$folder"
export TRNSIM_CORE_PATH=$counted/lib/cores TRNSIM_RTL_COVERAGE_DIR=$folder TRNSIM_CONFIG_PATH=$root/configs
status=0
if has benches; then
    export TRNSIM_SPIKE=$release/spike/bin/spike
    if "$root/tests/spike/install.sh" "$release/spike"; then benches+=(gpsimd/gpsimd_cosim_test); fi
    build rtl-coverage "${benches[@]##*/}"
    run_tests "$counted/tests/rtl" "${benches[@]}" || status=1
fi
if has programs; then
    mapfile -t targets < <(printf '%s\n' "${programs[@]%% *}" | sed 's|.*/||')
    build release "${targets[@]}"
    run_tests "$release/tests" "${programs[@]}" || status=1
fi
if has lists; then
    build release trnsim
    for list in "${lists[@]}"; do
        "$release/bin/trnsim" regress "$list" --config small16 --jobs "$jobs" -o "$folder/$(basename "$list" .yaml)" || status=1
    done
fi
python3 "$root/cmake/coverage.py" "$folder" "${limits[@]}" || status=$?
exit "$status"
