/* An importer of FMI 3.0 that sets the one input of an FMU inside its steps: f(t) = sin(W t), and 1 more from JUMP on.
 *
 *     inside LIBRARY RESOURCES TOKEN INPUT OUTPUT STEP STOP        prints the output at the end and how often it was asked */

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define W 60.0
#define JUMP 0.7371

typedef void *instance;
typedef void (*update)(void *, double, bool, bool, bool, bool, bool *, double *);
typedef void (*logger)(void *, int, const char *, const char *);
static int (*set_float64)(instance, const uint32_t *, size_t, const double *, size_t);
static uint32_t input;
static instance fmu;
static long asked;
static double from, to;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void say(void *environment, int status, const char *category, const char *message) { fprintf(stderr, "%s\n", message); }

static void inside(void *environment, double t, bool set, bool get, bool finished, bool early, bool *returns, double *returns_at) {
    double value = sin(W * t) + (t > JUMP);
    asked++;
    if (!set || t < from || t > to) fail("asked at a wrong time");
    if (set_float64(fmu, &input, 1, &value, 1) != 0) fail("the input was not taken");
}

int main(int count, char **text) {
    void *library = count == 8 ? dlopen(text[1], RTLD_NOW) : NULL;
    if (!library) fail(dlerror());
    instance (*instantiate)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *, logger, update) =
        dlsym(library, "fmi3InstantiateCoSimulation");
    int (*enter)(instance, bool, double, double, bool, double) = dlsym(library, "fmi3EnterInitializationMode");
    int (*leave)(instance) = dlsym(library, "fmi3ExitInitializationMode");
    int (*step)(instance, double, double, bool, bool *, bool *, bool *, double *) = dlsym(library, "fmi3DoStep");
    int (*get)(instance, const uint32_t *, size_t, double *, size_t) = dlsym(library, "fmi3GetFloat64");
    set_float64 = dlsym(library, "fmi3SetFloat64");
    input = atoi(text[4]);
    uint32_t output = atoi(text[5]);
    double h = atof(text[6]), stop = atof(text[7]), value;
    fmu = instantiate("one", text[3], text[2], false, false, false, false, &input, 1, NULL, say, inside);
    if (!fmu || enter(fmu, false, 0, 0, false, 0) != 0 || leave(fmu) != 0) fail("not initialised");
    long steps = lround(stop / h);
    for (long k = 0; k < steps; k++) {
        bool events, end, early;
        double last;
        from = k * h, to = k * h + h;
        if (step(fmu, from, h, true, &events, &end, &early, &last) != 0 || fabs(last - to) > 1e-12 || early) fail("a step failed");
    }
    if (get(fmu, &output, 1, &value, 1) != 0) fail("no output");
    printf("%.17g %ld\n", value, asked);
    return 0;
}
