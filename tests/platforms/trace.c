/* Runs one FMU 2.0 library and prints its outputs after each step, bit by bit: the same text on every platform means the same
 * numbers. `trace LIBRARY GUID RESOURCES STEP STEPS`; on standard input lines `in REFERENCE START SLOPE` and `out REFERENCE`. An
 * input is START + SLOPE * k at the beginning of step k. */
#define __USE_MINGW_ANSI_STDIO 1
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#define OPEN(path) ((void *)LoadLibraryA(path))
#define FIND(library, name) ((void *)GetProcAddress((HMODULE)(library), name))
#else
#include <dlfcn.h>
#define OPEN(path) dlopen(path, RTLD_NOW | RTLD_LOCAL)
#define FIND(library, name) dlsym(library, name)
#endif

enum { MOST = 4096 };

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks;

static void logger(void *environment, const char *name, int status, const char *category, const char *message, ...) {
    va_list rest;
    (void)environment, (void)name;
    va_start(rest, message);
    fprintf(stderr, "status %d, %s: ", status, category);
    vfprintf(stderr, message, rest);
    fputc('\n', stderr);
    va_end(rest);
}

static void *find(void *library, const char *name) {
    void *found = FIND(library, name);
    if (!found) {
        fprintf(stderr, "no function %s\n", name);
        exit(2);
    }
    return found;
}

static unsigned inputs[MOST], outputs[MOST];
static double start[MOST], slope[MOST], now[MOST], values[MOST];

int main(int count, char **words) {
    char line[256];
    size_t n_in = 0, n_out = 0;
    if (count != 6) {
        fprintf(stderr, "usage: trace LIBRARY GUID RESOURCES STEP STEPS\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (n_in == MOST || n_out == MOST) {
            fprintf(stderr, "more than %d variables\n", MOST);
            return 2;
        }
        if (sscanf(line, "in %u %lf %lf", &inputs[n_in], &start[n_in], &slope[n_in]) == 3) n_in++;
        else if (sscanf(line, "out %u", &outputs[n_out]) == 1) n_out++;
    }
    void *library = OPEN(words[1]);
    if (!library) {
        fprintf(stderr, "%s: cannot be loaded\n", words[1]);
        return 2;
    }
    void *(*instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int) = find(library, "fmi2Instantiate");
    int (*setup)(void *, int, double, double, int, double) = find(library, "fmi2SetupExperiment");
    int (*enter)(void *) = find(library, "fmi2EnterInitializationMode");
    int (*leave)(void *) = find(library, "fmi2ExitInitializationMode");
    int (*set)(void *, const unsigned *, size_t, const double *) = find(library, "fmi2SetReal");
    int (*get)(void *, const unsigned *, size_t, double *) = find(library, "fmi2GetReal");
    int (*step)(void *, double, double, int) = find(library, "fmi2DoStep");
    int (*terminate)(void *) = find(library, "fmi2Terminate");
    void (*release)(void *) = find(library, "fmi2FreeInstance");

    Callbacks callbacks = {logger, calloc, free, NULL, NULL};
    double h = strtod(words[4], NULL);
    int steps = atoi(words[5]), status = 0;
    void *unit = instantiate("unit", 1, words[2], words[3], &callbacks, 0, 1);
    if (!unit) return 2;
    status |= setup(unit, 0, 0.0, 0.0, 0, 0.0) | enter(unit) | leave(unit);
    for (int k = 0; k < steps && status <= 1; k++) {
        for (size_t i = 0; i < n_in; i++) now[i] = start[i] + slope[i] * k;
        if (n_in) status |= set(unit, inputs, n_in, now);
        status |= step(unit, k * h, h, 1);
        if (n_out) status |= get(unit, outputs, n_out, values);
        printf("%d", k);
        for (size_t i = 0; i < n_out; i++) {
            uint64_t bits;
            memcpy(&bits, &values[i], sizeof bits);
            printf(" %016" PRIx64, bits);
        }
        printf("\n");
    }
    if (status <= 1) status |= terminate(unit);
    release(unit);
    if (status > 1) fprintf(stderr, "status %d\n", status);
    return status > 1;
}
