/* A mass on a spring under a force, x'' = (f - k x)/m, solved exactly for a force that is a line over a step. It takes derivatives of its
 * input up to order 1, as other tools' FMUs do. What it does with a call that has a higher order in it is told when it is compiled:
 * ANSWER 1 warns and ignores the whole call, ANSWER 3 errs, ANSWER 0 accepts and ignores the whole call. TAKES 0: order 1 is
 * ignored as well. ONCE: there is one instance in a process, even after it was freed. BALLAST: the state has so many bytes more, the last of
 * which counts the steps and moves x. */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifndef ANSWER
#define ANSWER 1
#endif
#ifndef TAKES
#define TAKES 1
#endif

typedef int status;
enum { OK, WARNING, DISCARD, ERROR };
typedef void (*logger)(void *, const char *, status, const char *, const char *, ...);
typedef struct {
    logger log;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, status);
    void *environment;
} callbacks;

/* Values by their references: f, x, v, m, k, x0, v0. */
enum { F, X, V, M, K, X0, V0, VALUES };
typedef struct {
    const callbacks *back;
    double value[VALUES], rate;
#ifdef BALLAST
    unsigned char ballast[BALLAST];
#endif
} slave;

const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }

static void defaults(slave *s) {
    memset(s->value, 0, sizeof s->value);
    s->value[M] = s->value[K] = 1;
    s->rate = 0;
}

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *uri, const callbacks *back, int visible, int logging) {
#ifdef ONCE
    static int made;
    if (made++) return NULL;
#endif
    slave *s = calloc(1, sizeof *s);
    (void)name, (void)type, (void)guid, (void)uri, (void)visible, (void)logging;
    s->back = back;
    defaults(s);
    return s;
}
void fmi2FreeInstance(slave *s) { free(s); }
status fmi2SetDebugLogging(slave *s, int on, size_t n, const char *const *c) { (void)s, (void)on, (void)n, (void)c; return OK; }
status fmi2SetupExperiment(slave *s, int a, double b, double c, int d, double e) { (void)s, (void)a, (void)b, (void)c, (void)d, (void)e; return OK; }
status fmi2EnterInitializationMode(slave *s) { (void)s; return OK; }
status fmi2ExitInitializationMode(slave *s) {
    s->value[X] = s->value[X0], s->value[V] = s->value[V0];
    return OK;
}
status fmi2Terminate(slave *s) { (void)s; return OK; }
status fmi2Reset(slave *s) { defaults(s); return OK; }

status fmi2SetReal(slave *s, const unsigned *vr, size_t n, const double *value) {
    for (size_t i = 0; i < n; i++) {
        s->value[vr[i]] = value[i];
        if (vr[i] == F) s->rate = 0;
    }
    return OK;
}
status fmi2GetReal(slave *s, const unsigned *vr, size_t n, double *value) {
    for (size_t i = 0; i < n; i++) value[i] = s->value[vr[i]];
    return OK;
}
status fmi2SetRealInputDerivatives(slave *s, const unsigned *vr, size_t n, const int *order, const double *value) {
    (void)vr;
    for (size_t i = 0; i < n; i++) {
        if (order[i] != 1) {
            if (ANSWER) s->back->log(s->back->environment, "mass", ANSWER, "logStatusWarning", "derivative of order %d is not supported", order[i]);
            return ANSWER;
        }
    }
    for (size_t i = 0; i < n && TAKES; i++) s->rate = value[i];
    return OK;
}

/* The exact solution: around (f + r t)/k the mass swings freely. */
status fmi2DoStep(slave *s, double t, double h, int keep) {
    double *y = s->value, w = sqrt(y[K] / y[M]), c = cos(w * h), d = sin(w * h);
    double a = y[X] - y[F] / y[K], b = (y[V] - s->rate / y[K]) / w;
    (void)t, (void)keep;
    y[F] += s->rate * h;
    y[X] = y[F] / y[K] + a * c + b * d;
#ifdef BALLAST
    y[X] += 1e-6 * s->ballast[BALLAST - 1]++;
#endif
    y[V] = s->rate / y[K] + w * (b * c - a * d);
    s->rate = 0;
    return OK;
}
status fmi2CancelStep(slave *s) { (void)s; return OK; }

status fmi2GetFMUstate(slave *s, slave **state) {
    if (!*state) *state = malloc(sizeof **state);
    **state = *s;
    return OK;
}
status fmi2SetFMUstate(slave *s, slave *state) { *s = *state; return OK; }
status fmi2FreeFMUstate(slave *s, slave **state) { (void)s; free(*state); *state = NULL; return OK; }
status fmi2SerializedFMUstateSize(slave *s, slave *state, size_t *size) { (void)s, (void)state; *size = sizeof *s; return OK; }
status fmi2SerializeFMUstate(slave *s, slave *state, char *bytes, size_t size) { (void)s; memcpy(bytes, state, size); return OK; }
status fmi2DeSerializeFMUstate(slave *s, const char *bytes, size_t size, slave **state) {
    (void)s;
    if (!*state) *state = malloc(sizeof **state);
    memcpy(*state, bytes, size);
    return OK;
}
status fmi2GetStatus(slave *s, int kind, status *value) { (void)s, (void)kind; *value = OK; return OK; }
status fmi2GetRealStatus(slave *s, int kind, double *value) { (void)s, (void)kind; *value = 0; return OK; }
status fmi2GetBooleanStatus(slave *s, int kind, int *value) { (void)s, (void)kind; *value = 0; return OK; }
