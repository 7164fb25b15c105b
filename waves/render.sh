#!/usr/bin/env bash
# Records kernels on the 16 x 16 core and draws the views into docs/images/, without a display.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

missing=()
for need in gtkwave:gtkwave Xvfb:xvfb import:imagemagick; do
    command -v "${need%%:*}" >/dev/null || missing+=("${need##*:}")
done
((${#missing[@]} == 0)) || { echo "render.sh needs: apt-get install ${missing[*]}" >&2; exit 2; }

out=build/waves
mkdir -p "$out" docs/images
waves/example_inputs.py "$out"

# record KERNEL "BUILD OPTIONS" "TENSOR=FILE..." [RUN OPTION...]
record() {
    local inputs=() input
    # shellcheck disable=SC2086  # words
    ./trnsim kernel build "$1" $2 --config small16 -o "$out/$1.neff"
    for input in $3; do inputs+=(--input "${input%%=*}=$out/${input##*=}.npy"); done
    ./trnsim run "$out/$1.neff" --config small16 "${inputs[@]}" --wave "$out/$1.fst" "${@:4}"
}
record mlp "--batch 64 --inputs 32 --hidden 32 --outputs 16" "x=x w1=w1 b1=b1 w2=w2 b2=b2"
record layernorm "--rows 16 --cols 64" "x=rows gamma=ones beta=zeros"
record softmax "--rows 16 --cols 64" "x=scores"
record cast "--rows 16 --cols 64" "x=steps" --stochastic-rounding --seed 7

exec 3>"$out/display"
Xvfb -displayfd 3 -screen 0 1500x1450x24 2>"$out/xvfb.log" &
server=$!
viewer=
trap 'kill $viewer $server 2>/dev/null || true' EXIT
until [[ -s $out/display ]]; do sleep 0.1; done
DISPLAY=:$(<"$out/display")
export DISPLAY

# draw PICTURE VIEW KERNEL SIGNAL WHICH BEFORE LENGTH [HEIGHT] : LENGTH ns from BEFORE ns before the signal's rise.
draw() {
    local from wave=$out/$3.fst picture=docs/images/$1.png height=${8:-1250} before now=
    from=$(($(waves/event_time.py "$wave" "$4" "$5") - $6 * 1000))
    DISPLAY='' WAYLAND_DISPLAY='' ./trnsim wave "$wave" --view "$2"
    {
        waves/make_views.py --print "$2" "$from:$((from + $7 * 1000)):1180" | grep -e '^\[timestart\]' -e '^\*'
        grep -v -e '^\[dumpfile\]' -e '^\[timestart\]' -e '^\[size\]' -e '^\[pos\]' -e '^\*' "${wave%.fst}.$2.gtkw"
    } >"$out/$1.gtkw"
    { cat waves/gtkwaverc; echo "initial_window_y $height"; } >"$out/gtkwaverc"
    gtkwave -r "$out/gtkwaverc" "$wave" "$out/$1.gtkw" >"$out/gtkwave.log" 2>&1 &
    viewer=$!
    sleep 2
    until [[ -n $now && $now == "$before" ]]; do
        before=$now
        sleep 1
        import -window root -crop "1500x$height+0+0" +repage -strip -dither None -colors 32 "$picture"
        now=$(cksum <"$picture")
    done
    kill "$viewer"
    wait "$viewer" 2>/dev/null || true
    viewer=
    echo "$picture"
}

draw core core mlp sync.issue 1 330 2600
draw tensor tensor mlp tensor.start_load 1 10 200
draw tensor_lanes tensor mlp tensor.start_load 3 1 9
draw vector vector layernorm vector.unit_result 1 6 18 1450
draw scalar scalar softmax scalar.through 1 9 16
draw dma dma mlp sync.issue 1 -1200 1200
draw rounding rounding cast rounding.vector_result 1 1 14
