#!/usr/bin/env bash
# Installs the Python package in a virtual environment and runs its tests. usage: run.sh TREE BUILD ENVIRONMENT [nki_rtl]
# With nki_rtl it runs those of tests/python/nki, and every kernel of theirs on the RTL of trn1 as well.
# Exits with 77 where an environment or the packages from the index cannot be had.
set -euo pipefail
tree=$1 build=$2 environment=$3 part=${4:-all}
list=$tree/tests/python/requirements.txt

skip() {
    printf 'skipped, or failed where TRNSIM_TEST_STRICT is 1: %s\n' "$1"
    [[ ${TRNSIM_TEST_STRICT:-} != 1 ]] || exit 1
    exit 77
}

headers=$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))') || skip "there is no python3"
[[ -f $headers/Python.h ]] || skip "there is no $headers/Python.h, expected the package python3-dev"
if ! cmp -s "$list" "$environment/requirements.txt"; then
    rm -rf "$environment"
    python3 -m venv "$environment" || skip "python3 -m venv does not work, expected the package python3-venv"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --requirement "$list" ||
        skip "pip cannot install the packages of tests/python/requirements.txt"
    cp "$list" "$environment/requirements.txt"
fi
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    --config-settings "build-dir=$build/python" --config-settings "cmake.define.TRNSIM_BUILD=$build" "$tree"
# Nothing but the wheel says where cores and configurations are.
unset TRNSIM_CORE_PATH TRNSIM_CONFIG_PATH
export TRNSIM_PROGRAM=$build/bin/trnsim  # for what is compiled with it
export OPENBLAS_NUM_THREADS=1            # products of tiles are small: on a busy machine the threads wait for each other
cd "$environment"
if [[ $part == nki_rtl ]]; then  # one process simulates one configuration: trn1 here, small16 in the others
    TRNSIM_NKI_RTL=1 exec bin/python -m pytest -q -p no:cacheprovider --confcutdir="$tree/tests/python/nki" "$tree/tests/python/nki"
fi
exec bin/python -m pytest -q -p no:cacheprovider "$tree/tests/python"
