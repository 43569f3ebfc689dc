/* Equations for the tests of model exchange; MODEL chooses which. No state functions unless STATES is defined, and no
   steps unless STEPS is, by Heun's method with inputs held. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef int status;
enum { OK, WARNING, DISCARD, ERROR, FATAL };
typedef struct {
    int needed, terminate, nominals, values, timed;
    double next;
} info;

/* Models, and how many states and indicators each has. */
enum { MASS, BALL, RELAY, CLOCK, VANDERPOL, ROBERTSON, BROKEN, CHATTER, RAMP, UPPER, LOWER };
static const int counts[][2] = {{2, 0}, {2, 1}, {1, 1}, {1, 0}, {2, 0}, {3, 0}, {1, 0}, {1, 1}, {1, 1}, {2, 0}, {2, 0}};
#define STATES_N counts[MODEL][0]
#define SIGNS_N counts[MODEL][1]

/* Reals: states 0 …, derivatives 10 …, then these. Integer 0: events so far; 1: calls of fmi2GetDerivatives; 2: of
   fmi2GetDirectionalDerivative. Reals 41 and 42 are 1 and 2 of them, too. */
enum { INPUT = 20, P, Q, R, SECOND, OUTPUT = 30, REALS = 32, COUNTS = 40 };
#define GRAVITY 9.81
typedef struct {
    double t, real[REALS];
    int mode, events, calls, columns, phase;
    double next;
} slave;

/* Phases, FMI 2.0.5, section 3.2.3: a call in another one is an error. */
enum { SETUP, INITIALIZING, EVENT, CONTINUOUS };
#define ONLY_IN(which) \
    if (s->phase != which) return ERROR

const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }

static void defaults(slave *s) {
    memset(s, 0, sizeof *s);
    s->real[P] = s->real[Q] = 1;
}
void *fmi2Instantiate(const char *name, int type, const char *guid, const char *uri, const void *back, int visible, int logging) {
    slave *s;
    (void)name, (void)guid, (void)uri, (void)back, (void)visible, (void)logging;
#ifndef STEPS
    if (type != 0) return NULL;
#endif
    s = malloc(sizeof *s);
    defaults(s);
    return s;
}
void fmi2FreeInstance(slave *s) { free(s); }
status fmi2SetupExperiment(slave *s, int a, double b, double start, int c, double d) { (void)a, (void)b, (void)c, (void)d; s->t = start; return OK; }
status fmi2EnterInitializationMode(slave *s) { ONLY_IN(SETUP); s->phase = INITIALIZING; return OK; }
status fmi2ExitInitializationMode(slave *s) { ONLY_IN(INITIALIZING); s->phase = EVENT; s->mode = MODEL == RELAY || MODEL == CHATTER; return OK; }
status fmi2Terminate(slave *s) { (void)s; return OK; }
status fmi2Reset(slave *s) { defaults(s); return OK; }

static void rates(slave *s, double *dz) {
    const double *z = s->real, u = s->real[INPUT], v = s->real[SECOND], p = s->real[P], q = s->real[Q], r = s->real[R];
    switch (MODEL) {
    /* A mass p on a spring q, which hardens by r, under a force u. */
    case MASS: dz[0] = z[1], dz[1] = (u - q * z[0] - r * z[0] * z[0] * z[0]) / p; break;
    /* A ball with friction r. */
    case BALL: dz[0] = z[1], dz[1] = -9.81 - r * z[1]; break;
    /* Heating with hysteresis. */
    case RELAY: dz[0] = (s->mode ? 2 : 0) - z[0]; break;
    /* It grows as the number of ticks says, one tick each 0.1 s. */
    case CLOCK: dz[0] = s->events; break;
    case VANDERPOL: dz[0] = z[1], dz[1] = 1e6 * ((1 - z[0] * z[0]) * z[1] - z[0] + u); break;
    case ROBERTSON:
        dz[0] = -0.04 * z[0] + 1e4 * z[1] * z[2];
        dz[2] = 3e7 * z[1] * z[1];
        dz[1] = -dz[0] - dz[2];
        /* More of the first. */
        dz[0] += u;
        break;
    case BROKEN: dz[0] = s->t > 0.5 ? NAN : 1; break;
    /* It goes to 0 from both sides, without hysteresis. */
    case CHATTER: dz[0] = s->mode ? -1 : 1; break;
    /* An input that is watched. */
    case RAMP: dz[0] = u; break;
    /* A mass p on a rod q at an angle: under a force at the mass, and with a hinge that is accelerated. */
    case UPPER: dz[0] = z[1], dz[1] = ((u * cos(z[0]) + v * sin(z[0])) / p - GRAVITY * sin(z[0])) / q; break;
    case LOWER: dz[0] = z[1], dz[1] = -(u * cos(z[0]) + (v + GRAVITY) * sin(z[0])) / q; break;
    }
}

/* Outputs that follow the inputs at once. */
static void outputs(slave *s, const double *dz, double *y) {
    const double *z = s->real, u = s->real[INPUT], v = s->real[SECOND], p = s->real[P], q = s->real[Q];
    const double sine = sin(z[0]), cosine = cos(z[0]), rod = p * (v * cosine - u * sine + q * z[1] * z[1] + GRAVITY * cosine);
    y[0] = y[1] = 0;
    /* The acceleration of the mass. */
    if (MODEL == UPPER) y[0] = q * (dz[1] * cosine - z[1] * z[1] * sine), y[1] = q * (dz[1] * sine + z[1] * z[1] * cosine);
    /* The force of the rod on the hinge. */
    if (MODEL == LOWER) y[0] = rod * sine, y[1] = -rod * cosine;
}

status fmi2SetReal(slave *s, const unsigned *vr, size_t n, const double *value) {
    for (size_t i = 0; i < n; i++) {
        /* Only states and inputs change while time goes on. */
        if (s->phase == CONTINUOUS && vr[i] > INPUT && vr[i] != SECOND) return ERROR;
        s->real[vr[i]] = value[i];
    }
    return OK;
}
status fmi2GetReal(slave *s, const unsigned *vr, size_t n, double *value) {
    double dz[4], y[2];
    rates(s, dz);
    outputs(s, dz, y);
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] > COUNTS ? (vr[i] == COUNTS + 1 ? s->calls : s->columns) : vr[i] >= OUTPUT ? y[vr[i] - OUTPUT] : vr[i] >= 10 && vr[i] < 20 ? dz[vr[i] - 10] : s->real[vr[i]];
    return OK;
}
status fmi2GetInteger(slave *s, const unsigned *vr, size_t n, int *value) {
    for (size_t i = 0; i < n; i++) value[i] = vr[i] == 2 ? s->columns : vr[i] ? s->calls : s->events;
    return OK;
}

status fmi2EnterEventMode(slave *s) { ONLY_IN(CONTINUOUS); s->phase = EVENT; return OK; }
status fmi2NewDiscreteStates(slave *s, info *i) {
    ONLY_IN(EVENT);
    memset(i, 0, sizeof *i);
    switch (MODEL) {
    case BALL:
        if (s->real[0] <= 0 && s->real[1] < 0) s->real[1] *= -s->real[Q], s->events++, i->values = 1;
        break;
    case RELAY:
        if (s->mode && s->real[0] >= 1.5) s->mode = 0, s->events++;
        else if (!s->mode && s->real[0] <= 0.5) s->mode = 1, s->events++;
        break;
    case CHATTER: s->mode = s->real[0] > 0, s->events++; break;
    /* It wants the run to end where p is above 5. */
    case RAMP: s->events++, i->terminate = s->real[P] > 5; break;
    case CLOCK:
        if (s->t >= s->next) s->events++, s->next = 0.1 * s->events;
        i->timed = 1, i->next = s->next;
        break;
    }
    return OK;
}
status fmi2EnterContinuousTimeMode(slave *s) { ONLY_IN(EVENT); s->phase = CONTINUOUS; return OK; }
status fmi2CompletedIntegratorStep(slave *s, int keep, int *enter, int *terminate) { ONLY_IN(CONTINUOUS); (void)keep; *enter = *terminate = 0; return OK; }
status fmi2SetTime(slave *s, double t) { ONLY_IN(CONTINUOUS); s->t = t; return OK; }
status fmi2SetContinuousStates(slave *s, const double *z, size_t n) { ONLY_IN(CONTINUOUS); memcpy(s->real, z, n * sizeof *z); return n == STATES_N ? OK : ERROR; }
status fmi2GetContinuousStates(slave *s, double *z, size_t n) { memcpy(z, s->real, n * sizeof *z); return OK; }
status fmi2GetDerivatives(slave *s, double *dz, size_t n) { (void)n; s->calls++; rates(s, dz); return OK; }
status fmi2GetNominalsOfContinuousStates(slave *s, double *x, size_t n) {
    (void)s;
    for (size_t i = 0; i < n; i++) x[i] = MODEL == ROBERTSON && i == 1 ? 1e-4 : 1;
    return OK;
}
status fmi2GetEventIndicators(slave *s, double *g, size_t n) {
    if (n != SIGNS_N) return ERROR;
    switch (MODEL) {
    case BALL: g[0] = s->real[0]; break;
    case RELAY: g[0] = s->mode ? 1.5 - s->real[0] : s->real[0] - 0.5; break;
    case CHATTER: g[0] = s->real[0]; break;
    case RAMP: g[0] = s->real[INPUT] - 0.5; break;
    }
    return OK;
}

#ifdef STEPS
status fmi2DoStep(slave *s, double t, double h, int keep) {
    const int n = STATES_N;
    double dz[4], end[4], start[4];
    (void)keep;
    memcpy(start, s->real, n * sizeof *start);
    rates(s, dz);
    for (int i = 0; i < n; i++) s->real[i] = start[i] + h * dz[i];
    rates(s, end);
    for (int i = 0; i < n; i++) s->real[i] = start[i] + h * (dz[i] + end[i]) / 2;
    s->t = t + h;
    return OK;
}
status fmi2CancelStep(slave *s) { (void)s; return ERROR; }
status fmi2SetRealInputDerivatives(slave *s, const unsigned *vr, size_t n, const int *order, const double *value) { (void)s, (void)vr, (void)n, (void)order, (void)value; return ERROR; }
status fmi2GetRealOutputDerivatives(slave *s, const unsigned *vr, size_t n, const int *order, double *value) { (void)s, (void)vr, (void)n, (void)order, (void)value; return ERROR; }
status fmi2GetStatus(slave *s, int kind, int *value) { (void)s, (void)kind, (void)value; return DISCARD; }
status fmi2GetRealStatus(slave *s, int kind, double *value) { (void)s, (void)kind, (void)value; return DISCARD; }
#endif

#ifdef DIRECTIONAL
/* Derivatives of the model's equations, of one known after the other. */
status fmi2GetDirectionalDerivative(slave *s, const unsigned *unknown, size_t n, const unsigned *known, size_t m, const double *seed, double *out) {
    const double *z = s->real, p = s->real[P], q = s->real[Q], r = s->real[R];
    s->columns++;
#ifdef REFUSES
    /* None with respect to inputs. */
    if (known[0] == INPUT) return ERROR;
#endif
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t j = 0; j < m; j++) {
            double d = 0;
            if (unknown[i] == 10) d = known[j] == 1;
            else if (unknown[i] == 11 && MODEL == MASS)
                d = known[j] == INPUT ? 1 / p : known[j] == 0 ? -(q + 3 * r * z[0] * z[0]) / p : 0;
            else if (unknown[i] == 11 && MODEL == VANDERPOL)
                d = known[j] == 0 ? 1e6 * (-2 * z[0] * z[1] - 1) : known[j] == 1 ? 1e6 * (1 - z[0] * z[0]) : known[j] == INPUT ? 1e6 : 0;
            else if (unknown[i] < 10) d = known[j] == unknown[i];
            out[i] += d * seed[j];
        }
    }
    return OK;
}
#endif

#ifdef STATES
status fmi2GetFMUstate(slave *s, slave **state) {
    if (!*state) *state = malloc(sizeof *s);
    **state = *s;
    return OK;
}
status fmi2SetFMUstate(slave *s, slave *state) { *s = *state; return OK; }
status fmi2FreeFMUstate(slave *s, slave **state) { (void)s; free(*state); *state = NULL; return OK; }
status fmi2SerializedFMUstateSize(slave *s, slave *state, size_t *size) { (void)s, (void)state; *size = sizeof *s; return OK; }
status fmi2SerializeFMUstate(slave *s, slave *state, char *bytes, size_t size) { (void)s; memcpy(bytes, state, size); return OK; }
status fmi2DeSerializeFMUstate(slave *s, const char *bytes, size_t size, slave **state) {
    (void)s;
    *state = malloc(size);
    memcpy(*state, bytes, size);
    return OK;
}
#endif

#ifdef BARE
/* What an evaluation of the equations costs by itself [ns]: the calls of an integrator, through pointers as a program has them. */
#include <stdio.h>
#include <time.h>

int main(void) {
    status (*volatile set_time)(slave *, double) = fmi2SetTime;
    status (*volatile set_states)(slave *, const double *, size_t) = fmi2SetContinuousStates;
    status (*volatile set_real)(slave *, const unsigned *, size_t, const double *) = fmi2SetReal;
    status (*volatile get)(slave *, double *, size_t) = fmi2GetDerivatives;
    slave *s = fmi2Instantiate("bare", 0, "", "", NULL, 0, 0);
    const unsigned input = INPUT;
    double z[4] = {1}, dz[4], force = 0.5;
    const int n = 1000000;
    int failed = 0;
    struct timespec began, ended;
    s->phase = CONTINUOUS;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (int i = 0; i < n; i++) {
        failed |= set_time(s, i * 1e-6) | set_states(s, z, STATES_N) | set_real(s, &input, 1, &force) | get(s, dz, STATES_N);
        z[0] += 1e-6 * dz[0];
    }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("%f\n", ((ended.tv_sec - began.tv_sec) * 1e9 + (ended.tv_nsec - began.tv_nsec)) / n);
    fmi2FreeInstance(s);
    return failed;
}
#endif
