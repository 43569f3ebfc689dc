"""FMUs for the tests: those of the program, and one of each way to end a process."""

import shutil
import signal
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def script() -> str:
    """The console script of the wheel."""
    return str(Path(sysconfig.get_path("scripts")) / "macrostep")


@pytest.fixture(scope="session")
def fmus(script, tmp_path_factory) -> Path:
    """The FMUs of the program as files."""
    folder = tmp_path_factory.mktemp("fmus")
    subprocess.run([script, "fmus", "--out", str(folder)], check=True, stdout=subprocess.DEVNULL)
    shutil.copy(folder / "oscillator1_displacement.fmu", folder / "mass1.fmu")
    shutil.copy(folder / "oscillator2_force.fmu", folder / "mass2.fmu")
    return folder


SLAVE = r"""
#include <stdlib.h>
#include <unistd.h>
typedef void *C; typedef unsigned int R; typedef int S;
typedef struct { void *logger, *allocate, *release, *finished, *environment; } Callbacks;
const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
C fmi2Instantiate(const char *n, int k, const char *g, const char *r, const Callbacks *c, int v, int l) { return malloc(8); }
void fmi2FreeInstance(C c) { free(c); }
S fmi2SetupExperiment(C c, int d, double t, double s, int e, double p) { return 0; }
S fmi2EnterInitializationMode(C c) { return 0; }
S fmi2ExitInitializationMode(C c) { return 0; }
S fmi2Terminate(C c) { return 0; }
S fmi2Reset(C c) { return 0; }
S fmi2GetReal(C c, const R *r, size_t n, double *v) { for (size_t i = 0; i < n; i++) v[i] = 1.0; return 0; }
S fmi2DoStep(C c, double t, double h, int k) { if (t > 0.45) { WAY; } return 0; }
#define NOTHING(name) S name(void) { return 3; }
NOTHING(fmi2SetReal) NOTHING(fmi2GetInteger) NOTHING(fmi2SetInteger) NOTHING(fmi2GetBoolean) NOTHING(fmi2SetBoolean)
NOTHING(fmi2GetString) NOTHING(fmi2SetString) NOTHING(fmi2SetDebugLogging) NOTHING(fmi2GetFMUstate) NOTHING(fmi2SetFMUstate)
NOTHING(fmi2FreeFMUstate) NOTHING(fmi2SerializedFMUstateSize) NOTHING(fmi2SerializeFMUstate)
NOTHING(fmi2DeSerializeFMUstate) NOTHING(fmi2GetDirectionalDerivative) NOTHING(fmi2SetRealInputDerivatives)
NOTHING(fmi2GetRealOutputDerivatives) NOTHING(fmi2CancelStep) NOTHING(fmi2GetStatus) NOTHING(fmi2GetRealStatus)
NOTHING(fmi2GetIntegerStatus) NOTHING(fmi2GetBooleanStatus) NOTHING(fmi2GetStringStatus)
"""

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="bad" guid="{1}" numberOfEventIndicators="0">
  <CoSimulation modelIdentifier="bad" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables>
    <ScalarVariable name="y" valueReference="0" causality="output" variability="continuous"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>
"""

WAYS = {
    "segfault": "*(volatile int *)8 = 1",
    "abort": "abort()",
    "exit": "_exit(0)",
    "hang": "for (;;) usleep(1000)",
    "error": "return 3",
}


@pytest.fixture(scope="session")
def bad(tmp_path_factory):
    """An FMU that ends so at t = 0.5 s."""
    folder = tmp_path_factory.mktemp("bad")

    def made(way: str) -> Path:
        path = folder / f"{way}.fmu"
        if path.exists():
            return path
        source, library = folder / f"{way}.c", folder / f"{way}.so"
        source.write_text(SLAVE)
        subprocess.run(["cc", "-shared", "-fPIC", f"-DWAY={WAYS[way]}", "-o", str(library), str(source)], check=True)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("modelDescription.xml", DESCRIPTION)
            archive.write(library, "binaries/linux64/bad.so")
        return path

    return made


@pytest.fixture
def program(script):
    """Runs the program; what it printed."""

    def run(*arguments, code: int = 0) -> str:
        done = subprocess.run([script, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done.stdout

    return run


# A shell starts what runs in the background with interrupts ignored; these tests are about them.
signal.signal(signal.SIGINT, signal.default_int_handler)

assert sys.platform == "linux", "isolation, which most of these tests need, is for Linux"
