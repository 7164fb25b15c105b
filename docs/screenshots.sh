#!/usr/bin/env bash
# Draws the pictures of docs/tutorial.md and of the pages in docs/sweeps.md and docs/regressions.md into docs/images/, without a
# display: docs/screenshots.sh [pages]; `pages` leaves out the waveform. The views of docs/waves.md are drawn by waves/render.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

needs=(chromium:chromium gtkwave:gtkwave Xvfb:xvfb import:imagemagick)
[[ ${1:-} != pages ]] || needs=(chromium:chromium)
missing=()
for need in "${needs[@]}"; do
    command -v "${need%%:*}" >/dev/null || missing+=("${need##*:}")
done
((${#missing[@]} == 0)) || { echo "screenshots.sh needs: apt-get install ${missing[*]}" >&2; exit 2; }
./trnsim build trnsim core_trn1 core_small16

out=$PWD/build/screenshots
rm -rf "$out"
mkdir -p "$out/bin"
python3 tests/docs/tutorial_test.py build/release/bin/trnsim "$out/tutorial"
build/release/bin/trnsim sweep configs/sweeps/hundred-matmuls.yaml -o "$out/hundred" >/dev/null
cat >"$out/nightly.yaml" <<'YAML'
config: small16
tests:
  - { kernel: matmul, arguments: { M: [1, 37], K: 33, N: 70, dtype: [bf16, fp32] } }
  - { kernel: softmax, arguments: { rows: 40, cols: 96 }, max_time: 1 us }
  - { kernel: gelu, arguments: { rows: 5, cols: 7 } }
YAML
# Its softmax is ended too early. The page shows where the results are.
runs=/tmp/trnsim-runs
rm -rf "$runs"
mkdir "$runs"
trap 'rm -rf "$runs"' EXIT
(cd "$out" && TRNSIM_CONFIG_PATH=$OLDPWD/configs "$OLDPWD/build/release/bin/trnsim" regress nightly.yaml -o "$runs/nightly" >/dev/null) || (($? == 1))

# page FOLDER PICTURE desktop|phone HEIGHT [CHOICE] : the upper part of the report in FOLDER.
page() {
    python3 tests/common/browser.py "$1/report.html" "docs/images/$2.png" "${@:3}"
    echo "docs/images/$2.png"
}
page "$out/tutorial/out/first" tutorial-report desktop 1850
page "$out/hundred" sweep-report desktop 1850
page "$out/hundred" sweep-report-phone phone 1700 line.show=speed-up
page "$runs/nightly" regression-report desktop 1150
page "$runs/nightly" regression-report-phone phone 1750 state=failed
[[ ${1:-} != pages ]] || exit 0

exec 3>"$out/display"
Xvfb -displayfd 3 -screen 0 1500x1250x24 2>"$out/xvfb.log" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$runs"' EXIT  # GTKWave ends with its display
until [[ -s $out/display ]]; do sleep 0.1; done
DISPLAY=:$(<"$out/display")
export DISPLAY

# The command of the tutorial, now with a display, a window that fills it and a title that does not say where this is.
sed 's/^do_initial_zoom_fit 0/do_initial_zoom_fit 1/' waves/gtkwaverc >"$out/gtkwaverc"
echo 'initial_window_y 1250' >>"$out/gtkwaverc"
{
    echo '#!/bin/bash'
    echo "grep -v -e '^\[dumpfile\]' -e '^\[size\]' -e '^\[pos\]' \"\$1\" >$out/wave.gtkw"
    echo "exec $(command -v gtkwave) -r $out/gtkwaverc out/m.fst $out/wave.gtkw"
} >"$out/bin/gtkwave"
chmod +x "$out/bin/gtkwave"
command=$(sed -n 's/^    \$ \(\.\/trnsim wave .*\)/\1/p' docs/tutorial.md)
(cd "$out/tutorial" && PATH=$out/bin:$PATH bash -c "$command" >/dev/null)
before='' now=
# Until it stays as it is; an empty screen is a few hundred bytes.
until [[ -n $now && $now == "$before" && $(stat -c %s "$out/wave.png") -gt 10000 ]]; do
    before=$now
    sleep 1
    import -window root -strip -dither None -colors 32 "$out/wave.png"
    now=$(cksum <"$out/wave.png")
done
cp "$out/wave.png" docs/images/tutorial-wave.png
echo docs/images/tutorial-wave.png
