#!/usr/bin/env bash
# Format, static analysis, types of Python and RTL lint of the whole tree. usage: lint.sh BUILD_DIR [--quick] (configured, targets
# `generated` and `trnsim_reference` built); --quick leaves out clang-tidy, which takes most of the time.
set -euo pipefail
build=$1
jobs=${TRNSIM_JOBS:-$(nproc)}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

# check NAME COMMAND... : runs it, prints its output when it fails
check() {
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$log" 2>&1; then
        printf 'lint: %-18s ok (%d s)\n' "$name" $((SECONDS - start))
    else
        printf 'lint: %-18s FAILED\n' "$name"
        head -n 60 "$log"
        failed=1
    fi
}

mapfile -t cpp < <(git -c safe.directory="$root" ls-files '*.cpp' '*.hpp')
# What this build compiles: not the fuzzer's program, what pip builds, firmware, and what other projects build.
mapfile -t sources < <(git -c safe.directory="$root" ls-files '*.cpp' ':!tests/fuzz/fuzzer_main.cpp' ':!python' ':!firmware' \
    ':!tests/firmware/checks.cpp' ':!tests/firmware/traps_at_start.cpp' ':!tests/cmake/consumer' ':!tools/project/template')
mapfile -t scripts < <(git -c safe.directory="$root" ls-files trnsim '*.sh' '*.bash' '*.sbatch' '.ci/*')

# A Python of the lint's own has ruff, mypy, slang and clang-tidy.
python=$(cmake/lint_python.sh "$build")
own=$(dirname "$python")

check ruff "$own/ruff" check --quiet --cache-dir "$build/lint-ruff"
check "ruff format" "$own/ruff" format --quiet --check --diff --cache-dir "$build/lint-ruff"
check mypy "$own/mypy" --cache-dir "$build/lint-mypy" --python-executable "$python"
check clang-format clang-format --dry-run -Werror "${cpp[@]}"
check shellcheck shellcheck "${scripts[@]}"
check includes python3 cmake/check_includes.py
check imports python3 cmake/check_imports.py
check definitions python3 cmake/check_definitions.py
check pages python3 cmake/check_docs.py
check "generated files" python3 isa/generate.py --check
check "reference pages" "$build/bin/trnsim-reference" --check .
check "wave views" python3 waves/make_views.py --check
for config in trn1 small16; do
    mapfile -t rtl <"$build/cores/$config/sources.f"
    check "verilator $config" verilator --lint-only -Wall --top-module neuron_core "$root/rtl/lint.vlt" "${rtl[@]}"
    # As it is simulated: two models. The second has no use for most parameters of the packages.
    mapfile -t rtl <"$build/cores/$config/model.f"
    check "model $config" verilator --lint-only -Wall --top-module neuron_core "$root/rtl/lint.vlt" "${rtl[@]}"
    mapfile -t rtl <"$build/cores/$config/lower.f"
    check "lower $config" verilator --lint-only -Wall -Wno-UNUSEDPARAM --top-module pe_lower_top "${rtl[@]}"
done
for vlen in 128 256 512; do
    mapfile -t gpsimd <"$build/cores/gpsimd_vlen$vlen/sources.f"
    check "verilator gpsimd $vlen" verilator --lint-only -Wall --top-module gpsimd_cores "$root/rtl/lint.vlt" "${gpsimd[@]}"
done
check "model gpsimd" verilator --lint-only -Wall --top-module gpsimd_core "$root/rtl/lint.vlt" "${gpsimd[@]}" "$root/model/core/rtl/gpsimd_observer.sv"
# The RTL is portable.
for config in trn1 small16 small8; do
    mapfile -t rtl <"$build/cores/$config/sources.f"
    check "slang $config" "$python" cmake/check_rtl.py neuron_core "${rtl[@]}"
done
check "slang gpsimd" "$python" cmake/check_rtl.py gpsimd_cores "${gpsimd[@]}"
exec 3>&1  # for the progress
[[ ${2:-} == --quick ]] || check clang-tidy python3 cmake/tidy.py "$own/clang-tidy" "$build" "$jobs" "${sources[@]}"
exit "$failed"
