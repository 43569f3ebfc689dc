/* The steps of many runs of a pair, by hand: what they cost at least. The FMUs are loaded once and brought back by fmi2Reset.

   usage: bare RUNS STEPS LIBRARY GUID LIBRARY GUID, then the value references of xi, xi_dot, x, v, micro_step, integrator of each */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*set_real)(void *, const unsigned *, size_t, const double *);
typedef int (*get_real)(void *, const unsigned *, size_t, double *);
typedef int (*set_integer)(void *, const unsigned *, size_t, const int *);
typedef int (*do_step)(void *, double, double, int);

typedef struct {
    void *library, *c;
    unsigned in[2], out[2], micro, integrator;
    set_real set;
    get_real get;
    do_step step;
} side;

static void *symbol(side *s, const char *name) {
    void *found = dlsym(s->library, name);
    if (!found) exit(2);
    return found;
}

static void logged(void *e, const char *n, int s, const char *c, const char *m, ...) { (void)e, (void)n, (void)s, (void)c, (void)m; }
static struct { void *log, *allocate, *release, *finished, *environment; } callbacks = {logged, calloc, free, NULL, NULL};

/* Parameters and initialisation of a run. */
static void begin(side *s) {
    double h = 1e-4;
    int one = 1;
    s->set(s->c, &s->micro, 1, &h);
    ((set_integer)symbol(s, "fmi2SetInteger"))(s->c, &s->integrator, 1, &one);
    ((int (*)(void *, int, double, double, int, double))symbol(s, "fmi2SetupExperiment"))(s->c, 0, 0, 0, 0, 0);
    ((int (*)(void *))symbol(s, "fmi2EnterInitializationMode"))(s->c);
    ((int (*)(void *))symbol(s, "fmi2ExitInitializationMode"))(s->c);
}

int main(int n, char **a) {
    side sides[2];
    double y[2], z[2], top = 0;
    long run, k, runs, steps;
    int i;
    if (n != 19) return 2;
    runs = atol(a[1]), steps = atol(a[2]);
    for (i = 0; i < 2; i++) {
        side *s = &sides[i];
        char **r = a + 7 + 6 * i;
        s->library = dlopen(a[3 + 2 * i], RTLD_NOW);
        if (!s->library) return 2;
        s->set = (set_real)symbol(s, "fmi2SetReal"), s->get = (get_real)symbol(s, "fmi2GetReal"), s->step = (do_step)symbol(s, "fmi2DoStep");
        s->in[0] = atoi(r[0]), s->in[1] = atoi(r[1]), s->out[0] = atoi(r[2]), s->out[1] = atoi(r[3]);
        s->micro = atoi(r[4]), s->integrator = atoi(r[5]);
        s->c = ((void *(*)(const char *, int, const char *, const char *, void *, int, int))symbol(s, "fmi2Instantiate"))(
            "bare", 1, a[4 + 2 * i], NULL, &callbacks, 0, 0);
        if (!s->c) return 2;
    }
    for (run = 0; run < runs; run++) {
        for (i = 0; i < 2; i++) {
            if (run) ((int (*)(void *))symbol(&sides[i], "fmi2Reset"))(sides[i].c);
            begin(&sides[i]);
        }
        sides[0].get(sides[0].c, sides[0].out, 2, y);
        sides[1].get(sides[1].c, sides[1].out, 2, z);
        for (k = 0; k < steps; k++) {
            sides[0].set(sides[0].c, sides[0].in, 2, z);
            sides[1].set(sides[1].c, sides[1].in, 2, y);
            if (sides[0].step(sides[0].c, k * 1e-3, 1e-3, 1) || sides[1].step(sides[1].c, k * 1e-3, 1e-3, 1)) return 1;
            sides[0].get(sides[0].c, sides[0].out, 2, y);
            sides[1].get(sides[1].c, sides[1].out, 2, z);
            if (z[0] > top) top = z[0];
        }
    }
    printf("%.17g\n", top);
    return 0;
}
