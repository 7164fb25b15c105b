#!/usr/bin/env bash
# Writes the pages of the C++ libraries (Doxygen) and of the Python package (pdoc) into BUILD_DIR/api, from their comments and
# docstrings. The target `api` calls this. usage: api_pages.sh BUILD_DIR
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath "$1")
out=$build/api
environment=$build/api-python
list=$root/cmake/api-requirements.txt
version=$(sed -n 's/^project(trnsim VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")

command -v doxygen >/dev/null || { echo "there is no doxygen: ./trnsim setup docs installs it" >&2; exit 2; }
rm -rf "$out"
mkdir -p "$out"
doxygen - <<TXT
PROJECT_NAME = trnsim
PROJECT_NUMBER = $version
PROJECT_BRIEF = "Libraries of an RTL-level model of a Trainium-class accelerator"
INPUT = $build/include/trnsim
FILE_PATTERNS = *.hpp
RECURSIVE = YES
STRIP_FROM_PATH = $build/include
STRIP_FROM_INC_PATH = $build/include
INPUT_FILTER = "python3 $root/cmake/api_comments.py"
FILTER_SOURCE_FILES = NO
EXTRACT_ALL = YES
JAVADOC_AUTOBRIEF = YES
EXCLUDE_SYMBOLS = std std::*
BUILTIN_STL_SUPPORT = YES
GENERATE_LATEX = NO
HAVE_DOT = NO
QUIET = YES
WARN_IF_DOC_ERROR = YES
WARN_IF_UNDOCUMENTED = NO
OUTPUT_DIRECTORY = $out
HTML_OUTPUT = cpp
TXT

if ! cmp -s "$list" "$environment/requirements.txt"; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: --requirement "$list"
    cp "$list" "$environment/requirements.txt"
fi
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall \
    --config-settings "build-dir=$build/api-python/build" --config-settings "cmake.define.TRNSIM_BUILD=$build" "$root"
"$environment/bin/pdoc" --output-directory "$out/python" trnsim
cat >"$out/index.html" <<TXT
<!doctype html><meta charset="utf-8"><title>trnsim $version</title>
<h1>trnsim $version</h1><ul><li><a href="cpp/index.html">C++ libraries</a><li><a href="python/trnsim.html">Python package</a></ul>
TXT
echo "$out/index.html"
