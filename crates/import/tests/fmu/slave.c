/* A slave for the tests of the importer: y' = u by Euler's rule, and the manners its instance name asks for. */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef int status;
enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING };

typedef void (*logger)(void *, const char *, status, const char *, const char *, ...);
typedef struct {
    logger log;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, status);
    void *environment;
} callbacks;

typedef struct {
    double u, y, t;
    const callbacks *back;
    char manner[32];
    char uri[512];
    int polls, fatal;
} slave;

/* States not yet freed, of all instances. */
static int states;

#define IS(name) (strcmp(s->manner, name) == 0)

const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return NULL; }

static void talk(slave *s) {
    logger log = s->back->log;
    void *e = s->back->environment;
    log(e, s->manner, OK, "a", "%s is %d of %5.2f", "x", 7, 1.5);
    log(e, s->manner, WARNING, NULL, "100% done, #r12# left");
    log(e, s->manner, OK, "b", "%n");
    log(e, s->manner, 42, "c", NULL);
    log(e, NULL, OK, "d", "%s", (char *)NULL);
    log(e, s->manner, OK, "e", "%9000d|", 1);
}

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *uri, const callbacks *back, int visible,
                      int logging) {
    slave *s;
    (void)visible;
    (void)logging;
    if (type != 1 || uri == NULL || strncmp(uri, "file:///", 8) != 0 || strcmp(guid, "{slave}") != 0) {
        return NULL;
    }
    if (strcmp(name, "null") == 0) {
        back->log(back->environment, name, ERROR, "logStatusError", "not in the %s", "mood");
        return NULL;
    }
    s = back->allocate(1, sizeof *s);
    s->back = back;
    strncpy(s->manner, name, sizeof s->manner - 1);
    strncpy(s->uri, uri, sizeof s->uri - 1);
    if (IS("talk")) talk(s);
    return s;
}

void fmi2FreeInstance(slave *s) {
    if (s->fatal) abort();
    s->back->release(s);
}

status fmi2SetDebugLogging(slave *s, int on, size_t n, const char *const *categories) {
    (void)s, (void)on;
    return n == 1 && strcmp(categories[0], "known") == 0 ? OK : ERROR;
}
status fmi2SetupExperiment(slave *s, int has_tolerance, double tolerance, double start, int has_stop, double stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    s->t = start;
    return OK;
}
status fmi2EnterInitializationMode(slave *s) { return IS("42") ? 42 : OK; }
status fmi2ExitInitializationMode(slave *s) { (void)s; return OK; }
status fmi2Terminate(slave *s) { if (s->fatal) abort(); return OK; }
status fmi2Reset(slave *s) { s->u = s->y = s->t = 0; return OK; }

status fmi2SetReal(slave *s, const unsigned *vr, size_t n, const double *value) {
    size_t i;
    if (s->fatal) abort();
    for (i = 0; i < n; i++) {
        if (vr[i] != 0) return ERROR;
        s->u = value[i];
    }
    return IS("warn") ? WARNING : OK;
}
status fmi2GetReal(slave *s, const unsigned *vr, size_t n, double *value) {
    size_t i;
    for (i = 0; i < n; i++) value[i] = vr[i] == 0 ? s->u : vr[i] == 1 ? s->y : cos(s->t);
    return OK;
}
status fmi2GetInteger(slave *s, const unsigned *vr, size_t n, int *value) {
    (void)s, (void)vr;
    if (n > 0) value[0] = states;
    return OK;
}
status fmi2GetBoolean(slave *s, const unsigned *vr, size_t n, int *value) {
    size_t i;
    (void)s;
    for (i = 0; i < n; i++) value[i] = vr[i] == 0 ? 7 : 0;
    return OK;
}
status fmi2GetString(slave *s, const unsigned *vr, size_t n, const char **value) {
    size_t i;
    for (i = 0; i < n; i++) value[i] = vr[i] == 0 ? s->uri : NULL;
    return OK;
}

status fmi2DoStep(slave *s, double t, double h, int keep) {
    (void)keep;
    if (s->fatal) abort();
    if (IS("fatal")) { s->fatal = 1; return FATAL; }
    if (IS("discard")) return DISCARD;
    if (IS("fail")) { s->back->log(s->back->environment, "s", ERROR, "x", "step of %g", h); return ERROR; }
    s->y += h * s->u;
    s->t = t + h;
    if (IS("soon") || IS("never")) { s->polls = 0; return PENDING; }
    return OK;
}
status fmi2CancelStep(slave *s) { (void)s; return OK; }
status fmi2GetStatus(slave *s, int kind, status *value) {
    (void)kind;
    *value = IS("soon") && ++s->polls > 3 ? OK : PENDING;
    return OK;
}
status fmi2GetRealStatus(slave *s, int kind, double *value) {
    (void)kind;
    *value = s->t + 0.25;
    return OK;
}
status fmi2GetBooleanStatus(slave *s, int kind, int *value) { (void)s, (void)kind; *value = 1; return OK; }

status fmi2GetFMUstate(slave *s, void **state) {
    if (*state == NULL) { *state = malloc(sizeof *s); states++; }
    memcpy(*state, s, sizeof *s);
    return OK;
}
status fmi2SetFMUstate(slave *s, void *state) { memcpy(s, state, sizeof *s); return OK; }
status fmi2FreeFMUstate(slave *s, void **state) {
    (void)s;
    if (*state != NULL) states--;
    free(*state);
    *state = NULL;
    return OK;
}
status fmi2SerializedFMUstateSize(slave *s, void *state, size_t *size) {
    (void)state;
    *size = IS("huge") ? (size_t)-1 : 3 * sizeof(double);
    return OK;
}
status fmi2SerializeFMUstate(slave *s, void *state, char *bytes, size_t size) {
    (void)s;
    memcpy(bytes, state, size);
    return OK;
}
status fmi2DeSerializeFMUstate(slave *s, const char *bytes, size_t size, void **state) {
    if (size != 3 * sizeof(double)) return ERROR;
    fmi2GetFMUstate(s, state);
    memcpy(*state, bytes, size);
    return OK;
}

