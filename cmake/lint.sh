#!/usr/bin/env bash
# Format, static analysis and RTL lint of the whole tree. usage: lint.sh BUILD_DIR (configured and built)
set -euo pipefail
build=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
failed=0
check() {  # check NAME COMMAND... : runs it, prints its output when it fails
    local name=$1 log
    shift
    log=$(mktemp)
    if "$@" >"$log" 2>&1; then
        printf 'lint: %-24s ok\n' "$name"
    else
        printf 'lint: %-24s FAILED\n' "$name"
        head -n 60 "$log"
        failed=1
    fi
    rm -f "$log"
}

mapfile -t cpp < <(git ls-files '*.cpp' '*.hpp')
mapfile -t sources < <(git ls-files '*.cpp' | grep -v '^tlm/core_rtl/adapter.cpp$')
mapfile -t scripts < <(git ls-files trnsim '*.sh' .ci/run)

check clang-format clang-format --dry-run -Werror "${cpp[@]}"
check shellcheck shellcheck "${scripts[@]}"
check "generated files" python3 testbench/isa/generate.py --check
for config in trn1 small16; do
    check "verilator $config" verilator --lint-only -Wall --top-module neuron_core "$root/rtl/lint.vlt" \
        $(cat "$build/cores/$config/sources.f")
done
# One clang-tidy a core, each on a share of the files; unchanged files are skipped by the hash of what they include.
tidy() { printf '%s\0' "${sources[@]}" | xargs -0 -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build"; }
check clang-tidy tidy
exit "$failed"
