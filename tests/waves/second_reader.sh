#!/usr/bin/env bash
# Installs an FST reader that shares no code with GTKWave's in an environment of its own, when it is not there or the list has
# changed, and reads recordings with it. usage: second_reader.sh ENVIRONMENT RECORD_WAVE_PROGRAM TRNSIM_PROGRAM
set -euo pipefail
tests=$(dirname "${BASH_SOURCE[0]}")
list=$tests/requirements.txt home=$1

skip() {
    printf 'skipped, or failed where TRNSIM_TEST_STRICT is 1: %s\n' "$1"
    [[ ${TRNSIM_TEST_STRICT:-} != 1 ]] || exit 1
    exit 77
}

if ! cmp -s "$list" "$home/requirements.txt"; then
    rm -rf "$home"
    python3 -m venv "$home" || skip "python3 -m venv does not work, expected the package python3-venv"
    "$home/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --requirement "$list" ||
        skip "pip cannot install the packages of tests/waves/requirements.txt"
    cp "$list" "$home/requirements.txt"
fi
exec "$home/bin/python" "$tests/second_reader_test.py" "${@:2}"
