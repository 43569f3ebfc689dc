"""What wheels for other platforms need of the system, and how long they are. Exit code 1 where that is more than they may."""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

BYTES_MAX = 15_000_000
GLIBC_MAX = (2, 17)
# What every Windows from 10 on has, and the library of the stable interface of Python 3.
LIBRARIES = re.compile(
    r"(advapi32|api-ms-win-.*|bcrypt|bcryptprimitives|crypt32|dbghelp|iphlpapi|kernel32|msvcrt|ntdll|ole32|oleaut32|psapi|powrprof|python3|secur32"
    r"|shell32|shlwapi|user32|userenv|ws2_32|combase|pdh|netapi32|propsys|version|winmm)\.dll",
    re.IGNORECASE,
)


def read(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def linux(library: str) -> list[str]:
    """What a library for Linux asks for: the newest glibc, other libraries, functions of Python."""
    symbols = read("readelf", "--wide", "--dyn-syms", library)
    glibc = sorted({tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_([0-9.]+)", symbols)})
    needed = re.findall(r"NEEDED.*\[(.*)\]", read("readelf", "--wide", "--dynamic", library))
    print(f"  newest glibc {'.'.join(map(str, glibc[-1]))}; needs {', '.join(needed)}")
    return [f"glibc {version}" for version in glibc if version > GLIBC_MAX] + [name for name in needed if name.startswith("libpython")]


def windows(library: str) -> list[str]:
    """What a library for Windows asks for: other libraries."""
    needed = sorted(set(re.findall(r"DLL Name: (.*)", read("x86_64-w64-mingw32-objdump", "--private-headers", library))), key=str.lower)
    print(f"  needs {', '.join(needed)}")
    return [name for name in needed if not LIBRARIES.fullmatch(name)] + ([] if "python3.dll" in needed else ["no python3.dll"])


def main(wheels: list[str]) -> int:
    wrong = 0
    for wheel in map(Path, wheels):
        size = wheel.stat().st_size
        print(f"{wheel.name}: {size} bytes")
        found = [f"{size} bytes, {BYTES_MAX} allowed"] if size > BYTES_MAX else []
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
            modules = [name for name in archive.namelist() if name.endswith((".so", ".pyd"))]
            if len(modules) != 1:
                found.append(f"modules {modules}, expected one")
            for name in modules:
                path = archive.extract(name, folder)
                found += linux(path) if name.endswith(".so") else windows(path)
        for what in found:
            print(f"  not allowed: {what}")
        wrong += len(found)
    return 1 if wrong or not wheels else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
