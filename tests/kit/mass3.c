/* A mass m on a spring k under a force f, as an FMU of FMI 3.0 that asks for f inside its steps. ASKS chooses how:
 * 0 at every point of its quadrature; 1 never; 2 after the step; 3 from another thread; 4 at a time outside of the step; 5 again inside the
 * answer; 6 without the environment it was given, which still is its own. EARLY: it returns early at every multiple of 0.07 s. */

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef ASKS
#define ASKS 0
#endif
#define NODES 32
#define MICRO_S 2.5e-3

typedef int status;
enum { OK, WARNING, DISCARD, ERROR, FATAL };
typedef void (*update)(void *, double, bool, bool, bool, bool, bool *, double *);
typedef struct {
    double t, x, v, f, m, k, x0, v0;
    double node[2][NODES + 1];
    int64_t nodes, steps, asked;
    bool initial;
    void *environment;
    update ask;
} slave;

enum { F = 1, X, V, M, K, X0, V0, DENSE, STEPS, ASKED, NODE = 100, VECTOR = 200 };

const char *fmi3GetVersion(void) { return "3.0"; }

static void defaults(slave *s) {
    s->t = s->x = s->v = s->f = s->x0 = s->v0 = 0;
    s->m = s->k = 1;
    s->nodes = s->steps = s->asked = 0;
    memset(s->node, 0, sizeof s->node);
}

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *path, bool visible, bool logging, bool events, bool early,
                                  const uint32_t *required, size_t count, void *environment, void *log, update ask) {
    slave *s = calloc(1, sizeof *s);
    if (strcmp(token, "{mass}") != 0 || count > 0 && required[0] != F) return NULL;
    defaults(s);
    s->environment = environment;
    s->ask = ask;
    return s;
}
void fmi3FreeInstance(slave *s) { free(s); }
status fmi3EnterInitializationMode(slave *s, bool a, double b, double start, bool c, double d) { s->t = start; s->initial = true; return OK; }
status fmi3ExitInitializationMode(slave *s) { s->x = s->x0, s->v = s->v0, s->initial = false; return OK; }
status fmi3Terminate(slave *s) { return OK; }
status fmi3Reset(slave *s) { defaults(s); return OK; }

static double *place(slave *s, uint32_t r) {
    switch (r) {
    case F: return &s->f;
    case X: return s->initial ? &s->x0 : &s->x;
    case V: return s->initial ? &s->v0 : &s->v;
    case M: return &s->m;
    case K: return &s->k;
    case X0: return &s->x0;
    case V0: return &s->v0;
    }
    return r >= NODE && r < NODE + 2 * (NODES + 1) ? &s->node[(r - NODE) / (NODES + 1)][(r - NODE) % (NODES + 1)] : NULL;
}
status fmi3SetFloat64(slave *s, const uint32_t *r, size_t n, const double *values, size_t count) {
    for (size_t i = 0; i < n; i++) {
        double *p = place(s, r[i]);
        if (p == NULL) return ERROR;
        *p = values[i];
    }
#if ASKS == 5
    { bool early = false; double when = 0; if (s->steps > 0 && s->ask) s->ask(s->environment, s->t, true, false, false, false, &early, &when); }
#endif
    return OK;
}
status fmi3GetFloat64(slave *s, const uint32_t *r, size_t n, double *values, size_t count) {
    for (size_t i = 0; i < n; i++) {
        double *p = place(s, r[i]);
        if (p == NULL) return ERROR;
        values[i] = *p;
    }
    return OK;
}
status fmi3SetInt64(slave *s, const uint32_t *r, size_t n, const int64_t *values, size_t count) {
    for (size_t i = 0; i < n; i++) {
        if (r[i] != DENSE || values[i] < 0 || values[i] > NODES) return ERROR;
        s->nodes = values[i];
    }
    return OK;
}
status fmi3GetInt64(slave *s, const uint32_t *r, size_t n, int64_t *values, size_t count) {
    for (size_t i = 0; i < n; i++) values[i] = r[i] == DENSE ? s->nodes : r[i] == STEPS ? s->steps : s->asked;
    return OK;
}
#ifndef NO_STATES
status fmi3GetFMUState(slave *s, slave **kept) {
    if (*kept == NULL) *kept = malloc(sizeof *s);
    memcpy(*kept, s, sizeof *s);
    return OK;
}
status fmi3SetFMUState(slave *s, slave *kept) {
    int64_t steps = s->steps;
    void *environment = s->environment;
    update ask = s->ask;
    memcpy(s, kept, sizeof *s);
    s->steps = steps, s->environment = environment, s->ask = ask;
    return OK;
}
status fmi3FreeFMUState(slave *s, slave **kept) { free(*kept); *kept = NULL; return OK; }
status fmi3SerializedFMUStateSize(slave *s, slave *kept, size_t *size) { *size = sizeof *s; return OK; }
status fmi3SerializeFMUState(slave *s, slave *kept, unsigned char *bytes, size_t size) { memcpy(bytes, kept, sizeof *s); return OK; }
status fmi3DeserializeFMUState(slave *s, const unsigned char *bytes, size_t size, slave **kept) {
    if (size != sizeof *s) return ERROR;
    *kept = malloc(sizeof *s);
    memcpy(*kept, bytes, sizeof *s);
    return OK;
}
#endif

static void call(slave *s, double t) {
    bool early = false;
    double when = 0;
    if (s->ask == NULL) return;
    s->asked++;
#if ASKS == 4
    t += 100;
#endif
    s->ask(ASKS == 6 ? NULL : s->environment, t, true, true, false, false, &early, &when);
    if (early) abort();
}
#if ASKS == 2 || ASKS == 3
static struct { slave *s; double t; } later;
static void *elsewhere(void *none) { call(later.s, later.t); return none; }
#endif

/* One micro step of length h by variation of constants, its integral by Gauss with four points. */
static void micro(slave *s, double h) {
    static const double G[] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629};
    static const double W[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693};
    double w = sqrt(s->k / s->m), dx = 0, dv = 0, x = s->x, v = s->v;
    for (int i = 0; i < 4; i++) {
#if ASKS == 0 || ASKS == 4 || ASKS == 5 || ASKS == 6
        call(s, s->t + G[i] * h);
#endif
        double rest = h * (1 - G[i]), a = W[i] * h * s->f / s->m;
        dx += a * sin(w * rest) / w, dv += a * cos(w * rest);
    }
    s->x = x * cos(w * h) + v * sin(w * h) / w + dx;
    s->v = -x * w * sin(w * h) + v * cos(w * h) + dv;
    s->t += h;
}

static void to(slave *s, double end) {
    int n = (int)ceil((end - s->t) / MICRO_S - 1e-9);
    double h = (end - s->t) / (n < 1 ? 1 : n), from = s->t;
    for (int i = 0; i < n; i++) micro(s, h), s->t = from + (i + 1) * h;
    s->t = end;
}

status fmi3DoStep(slave *s, double t, double step, bool keep, bool *event, bool *terminate, bool *early, double *reached) {
    double end = t + step;
    *event = *terminate = *early = false;
    s->steps++;
    s->t = t;
#ifdef EARLY
    double stop = 0.07 * (floor(t / 0.07 + 1e-9) + 1);
    if (stop < end - 1e-9) end = stop, *early = true;
#endif
    s->node[0][0] = s->x, s->node[1][0] = s->v;
    for (int i = 1; i <= s->nodes; i++) {
        to(s, t + (1 - cos(M_PI * i / s->nodes)) / 2 * (end - t));
        s->node[0][i] = s->x, s->node[1][i] = s->v;
    }
    to(s, end);
    *reached = end;
#if ASKS == 3
    {
        pthread_t thread;
        later.s = s, later.t = t;
        pthread_create(&thread, NULL, elsewhere, NULL);
        pthread_join(thread, NULL);
    }
#endif
    return OK;
}

status fmi3GetBoolean(slave *s, const uint32_t *r, size_t n, bool *values, size_t count) {
#if ASKS == 2
    /* Reading is after the step, and no time to ask. */
    later.s = s, later.t = s->t;
    elsewhere(NULL);
#endif
    for (size_t i = 0; i < count; i++) values[i] = true;
    return OK;
}
