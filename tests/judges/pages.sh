#!/bin/sh
# The pages that the program writes, opened in a real browser: everything is drawn and the console says nothing.
set -eu
cd "$(dirname "$0")/../.."
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "no browser; on Debian: apt-get install chromium" >&2
    exit 1
}
out=target/judges/pages
rm -rf "$out"
mkdir -p "$out"
program=${MACROSTEP:-target/release/macrostep}
[ -n "${MACROSTEP:-}" ] || cargo build --quiet --release --features full
"$program" run case-1 --out "$out/pair" --report --no-pictures >/dev/null
"$program" run crane --stop 2 --out "$out/crane" --report --no-pictures >/dev/null 2>&1
# As the tests have built it.
cargo build --quiet --workspace --example crane
target/debug/examples/crane --step 0.016 --out "$out/log" >/dev/null

# look PAGE WIDTH: the page after its scripts, and what the console said.
look() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader --enable-logging=stderr --virtual-time-budget=5000 \
        --window-size="$2,1200" --dump-dom "file://$PWD/$1" >"$out/dom.html" 2>"$out/console.txt"
    # What the driver of the graphics says of itself is not the page's.
    if grep "CONSOLE" "$out/console.txt" | grep -v "GL Driver Message" >"$out/said.txt"; then
        echo "$1 at $2 px: the console says" >&2
        cat "$out/said.txt" >&2
        exit 1
    fi
}

# keys PAGE WIDTH: the page worked by keys alone, in a frame of this width, because a window is never narrower than 500 px.
keys() {
    page=$({ cat "$1"; printf '<script>'; cat tests/judges/keys.js; printf '</script>'; } | base64 -w0)
    cat >"$out/keys.html" <<END
<meta charset="utf-8"><iframe id="frame" width="$2" height="1100" style="border:0"></iframe><script>
frame.srcdoc = new TextDecoder().decode(Uint8Array.from(atob("$page"), c => c.charCodeAt(0)));
setInterval(() => Object.assign(document.documentElement.dataset, frame.contentDocument?.documentElement?.dataset), 100);
</script>
END
    look "$out/keys.html" 1280
    grep -q 'data-keys="done"' "$out/dom.html" || {
        echo "$1 at $2 px, by keys: $(grep -o 'data-keys="[^"]*"' "$out/dom.html" || echo "nothing was tried")" >&2
        exit 1
    }
}

# A report has a canvas for each panel, whatever the width, and no wider page than the window.
report() {
    for width in 1280 420; do
        look "$1" "$width"
        grep -q "data-drawn=\"$2 charts, $3 tables\"" "$out/dom.html" || {
            echo "$1 at $width px: expected $2 charts and $3 tables, found $(grep -o 'data-drawn="[^"]*"' "$out/dom.html")" >&2
            exit 1
        }
        keys "$1" "$width"
    done
    echo "$1: $2 charts, $3 tables, worked by keys"
}
report "$out/pair/report.html" 3 3
look "$out/pair/report.html" 1280
grep -q 'href="laboratory.html#system=pair&amp;cut=f-s&amp;' "$out/dom.html" || {
    echo "$out/pair/report.html does not lead to the same run in the laboratory" >&2
    exit 1
}
report "$out/crane/report.html" 4 3
for width in 1280 420; do
    look "$out/log/crane.html" "$width"
    keys "$out/log/crane.html" "$width"
done
echo "$out/log/crane.html: no word on the console, worked by keys"

# A page that follows a run: it is opened while the run goes on, and has all of it when the run is over.
"$program" run case-1 --stop 4 --step 1e-2 --real-time 0.4 --watch --json >"$out/watched.json" 2>"$out/watched.txt" &
run=$!
until address=$(grep -o "http://127.0.0.1:[0-9]*/" "$out/watched.txt" 2>/dev/null); do sleep 0.05; done
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader --enable-logging=stderr --virtual-time-budget=2000000 \
    --window-size=1280,1200 --dump-dom "$address" >"$out/dom.html" 2>"$out/console.txt"
wait "$run"
if grep "CONSOLE" "$out/console.txt" | grep -v "GL Driver Message" || ! grep -q 'data-drawn="3 charts, 3 tables" data-live="over"' "$out/dom.html"; then
    echo "run --watch: expected 3 charts, 3 tables and the end of the run, found $(grep -o 'data-[a-z]*="[^"]*"' "$out/dom.html" | head -2)" >&2
    exit 1
fi
grep -q ">401<" "$out/dom.html" || {
    echo "run --watch: the last state has not 401 rows" >&2
    exit 1
}
echo "run --watch: followed to the end"

# The laboratory, as the program writes it.
"$program" lab --out "$out/laboratory" >/dev/null
cmp "$out/laboratory/laboratory.html" lab/dist/laboratory.html
python3 tests/judges/laboratory.py "$out/laboratory/laboratory.html" "$program" "$out/laboratory"
echo "5 passed, 0 failed"
