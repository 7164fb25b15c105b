#!/usr/bin/env bash
# Writes the Debian packages and the wheel of a build folder, whose target `packages` calls this, into BUILD_DIR/packages. The wheel
# is for Debian's Python. usage: package.sh BUILD_DIR
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath "$1")
out=$build/packages
list=$root/cmake/package-requirements.txt
python=$build/package-python/bin/python

say() { printf '[package] %s\n' "$*" >&2; }

rm -rf "$out"
mkdir -p "$out"

say "Debian packages"
(cd "$build" && cpack -B "$out/cpack") >"$out/cpack.log" 2>&1 || { cat "$out/cpack.log" >&2; exit 1; }
mv "$out"/cpack/*.deb "$out"
rm -rf "$out/cpack" "$out/cpack.log"

say "wheel"
if ! cmp -s "$list" "$build/package-python/requirements.txt"; then
    rm -rf "$build/package-python"
    /usr/bin/python3 -m venv "$build/package-python"
    "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --requirement "$list"
    cp "$list" "$build/package-python/requirements.txt"
fi
export PATH=$build/package-python/bin:$PATH
"$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$out/plain" \
    --config-settings "build-dir=$build/package-python/build" --config-settings "cmake.define.TRNSIM_BUILD=$build" \
    --config-settings cmake.define.TRNSIM_BUNDLE=ON "$root"
# Brings the libraries that not every Linux has, and names the oldest C library that it runs with.
"$python" -m auditwheel repair --wheel-dir "$out" "$out"/plain/*.whl >&2
rm -rf "$out/plain"
ls -sh "$out"/*.deb "$out"/*.whl
