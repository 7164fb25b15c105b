#!/usr/bin/env bash
# Prints a Python that has the packages of lint-requirements.txt, in an environment of its own in the build folder, which is made
# when it is not there or the list has changed. usage: lint_python.sh BUILD_DIR
set -euo pipefail
list=$(dirname "${BASH_SOURCE[0]}")/lint-requirements.txt
home=$1/lint-python
if ! cmp -s "$list" "$home/requirements.txt"; then
    rm -rf "$home"
    python3 -m venv "$home" >&2
    "$home/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --requirement "$list" >&2
    cp "$list" "$home/requirements.txt"
fi
printf '%s\n' "$home/bin/python"
