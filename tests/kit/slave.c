/* A slave that misbehaves where it is told to when it is compiled: x' = u by Euler's rule, and the macros AT_LOAD,
 * AT_INSTANTIATE, AT_SETUP, AT_ENTER and AT_EXIT (of initialisation), AT_SET (reals), AT_EVERY_STEP, AT_STEP (the fifth one), AT_GET
 * (after the fifth step), AT_RESTORE, AT_TERMINATE and AT_FREE. An FMU of FMI 2.0, or with the macro THREE of FMI 3.0. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef AT_LOAD
#define AT_LOAD
#endif
#ifndef AT_INSTANTIATE
#define AT_INSTANTIATE
#endif
#ifndef AT_STEP
#define AT_STEP
#endif
#ifndef AT_SETUP
#define AT_SETUP
#endif
#ifndef AT_ENTER
#define AT_ENTER
#endif
#ifndef AT_EXIT
#define AT_EXIT
#endif
#ifndef AT_EVERY_STEP
#define AT_EVERY_STEP
#endif
#ifndef AT_SET
#define AT_SET
#endif
#ifndef AT_GET
#define AT_GET
#endif
#ifndef AT_RESTORE
#define AT_RESTORE
#endif
#ifndef AT_TERMINATE
#define AT_TERMINATE
#endif
#ifndef AT_FREE
#define AT_FREE
#endif
#ifndef PLATFORM
#define PLATFORM "default"
#endif
#ifndef VERSION
#define VERSION "2.0"
#endif
#ifndef TERMINATED
#define TERMINATED 0
#endif
#ifndef GUID
#define GUID "{hostile}"
#endif

typedef int status;
enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING };

/* SAY gives a text as it is, TELL a format and its values. */
#ifdef THREE
typedef void (*logger)(void *, status, const char *, const char *);
#define SAY(status, category, text) s->back->log(s->back->environment, status, category, text)
#define TELL(status, ...) told(s, status, __VA_ARGS__)
#else
typedef void (*logger)(void *, const char *, status, const char *, const char *, ...);
#define SAY(status, category, text) s->back->log(s->back->environment, "s", status, category, text)
#define TELL(status, ...) s->back->log(s->back->environment, "s", status, "e", __VA_ARGS__)
#endif
typedef struct {
    logger log;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, status);
    void *environment;
} callbacks;

typedef struct {
    const callbacks *back;
    double u, x, t, reached;
    int steps, b, m;
    char text[64];
} slave;

/* For bottomless recursion that no compiler takes away. */
volatile int depth;
int deeper(int n) {
    volatile char room[4096];
    room[n % 4096] = (char)n;
    return n == depth ? room[0] : deeper(n + 1) + room[1];
}

/* For slaves that write. */
FILE *file;

void *sleeper(void *nothing) {
    (void)nothing;
    for (;;) pause();
    return NULL;
}

void *crash(void *nothing) {
    (void)nothing;
    raise(SIGSEGV);
    return NULL;
}

__attribute__((constructor)) static void loaded(void) { AT_LOAD; }

#ifdef THREE
/* A format with its values: FMI 3.0 takes a text that is complete. */
static void told(slave *s, status kind, const char *format, ...) {
    char text[256];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    s->back->log(s->back->environment, kind, "e", text);
}
#endif

/* A step, and where it ended if it did not succeed. */
static status step(slave *s, double t, double h) {
    AT_EVERY_STEP;
    if (++s->steps == 5) { AT_STEP; }
    s->x += h * s->u;
    s->t = t + h;
    return OK;
}

#ifdef THREE
#include "slave3.h"
#else
const char *fmi2GetVersion(void) { return VERSION; }
const char *fmi2GetTypesPlatform(void) { return PLATFORM; }

#ifdef OTHER_NAMES
#define fmi2DoStep step_of_another_name
#define fmi2GetReal get_of_another_name
#endif

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *uri, const callbacks *back, int visible,
                      int logging) {
    slave *s;
    (void)name, (void)type, (void)uri, (void)visible, (void)logging;
    AT_INSTANTIATE;
    if (strcmp(guid, GUID) != 0) {
        back->log(back->environment, name, ERROR, "logStatusError", "GUID is %s, expected %s", guid, GUID);
        return NULL;
    }
    s = back->allocate(1, sizeof *s);
    s->back = back;
    s->u = 1;
    strcpy(s->text, "a,\"b\"");
    return s;
}

void fmi2FreeInstance(slave *s) {
    AT_FREE;
    s->back->release(s);
}

status fmi2SetDebugLogging(slave *s, int on, size_t n, const char *const *c) { (void)s, (void)on, (void)n, (void)c; return OK; }
status fmi2SetupExperiment(slave *s, int has, double tolerance, double start, int has_stop, double stop) {
    (void)has, (void)tolerance, (void)has_stop, (void)stop;
    AT_SETUP;
    s->t = start;
    return OK;
}
status fmi2EnterInitializationMode(slave *s) { (void)s; AT_ENTER; return OK; }
status fmi2ExitInitializationMode(slave *s) { (void)s; AT_EXIT; return OK; }
status fmi2Terminate(slave *s) { (void)s; AT_TERMINATE; return OK; }
status fmi2Reset(slave *s) { s->x = s->t = 0; s->steps = 0; return OK; }

status fmi2SetReal(slave *s, const unsigned *vr, size_t n, const double *value) {
    size_t i;
    AT_SET;
    for (i = 0; i < n; i++) {
        if (vr[i] == 0) s->u = value[i]; else s->x = value[i];
    }
    return OK;
}
status fmi2GetReal(slave *s, const unsigned *vr, size_t n, double *value) {
    size_t i;
    for (i = 0; i < n; i++) value[i] = vr[i] == 0 ? s->u : s->x;
    if (s->steps == 5) { AT_GET; }
    return OK;
}
status fmi2GetInteger(slave *s, const unsigned *vr, size_t n, int *value) {
    size_t i;
    (void)vr;
    for (i = 0; i < n; i++) value[i] = s->steps;
    return OK;
}
status fmi2SetInteger(slave *s, const unsigned *vr, size_t n, const int *value) { (void)vr; if (n) s->m = value[0]; return OK; }
status fmi2GetBoolean(slave *s, const unsigned *vr, size_t n, int *value) {
    size_t i;
    (void)vr;
    for (i = 0; i < n; i++) value[i] = s->b;
    return OK;
}
status fmi2SetBoolean(slave *s, const unsigned *vr, size_t n, const int *value) { (void)vr; if (n) s->b = value[0]; return OK; }
status fmi2GetString(slave *s, const unsigned *vr, size_t n, const char **value) {
    size_t i;
    (void)vr;
    for (i = 0; i < n; i++) value[i] = s->steps == 3 ? NULL : s->text;
    return OK;
}
status fmi2SetString(slave *s, const unsigned *vr, size_t n, const char *const *value) {
    (void)vr;
    if (n) strncpy(s->text, value[0], sizeof s->text - 1);
    return OK;
}

status fmi2DoStep(slave *s, double t, double h, int keep) { (void)keep; return step(s, t, h); }
status fmi2CancelStep(slave *s) { (void)s; return OK; }
status fmi2GetStatus(slave *s, int kind, status *value) { (void)s, (void)kind; *value = PENDING; return OK; }
status fmi2GetRealStatus(slave *s, int kind, double *value) { (void)kind; *value = s->reached; return OK; }
status fmi2GetBooleanStatus(slave *s, int kind, int *value) { (void)s, (void)kind; *value = TERMINATED; return OK; }

/* The whole state, for descriptions that offer it; callbacks stay those of the instance. */
status fmi2GetFMUstate(slave *s, slave **state) {
    if (!*state) *state = malloc(sizeof **state);
    **state = *s;
    return OK;
}
status fmi2SetFMUstate(slave *s, slave *state) {
    const callbacks *back = s->back;
    AT_RESTORE;
    *s = *state;
    s->back = back;
    return OK;
}
status fmi2FreeFMUstate(slave *s, slave **state) { (void)s; free(*state); *state = NULL; return OK; }
status fmi2SerializedFMUstateSize(slave *s, slave *state, size_t *size) { (void)s, (void)state; *size = sizeof *s; return OK; }
status fmi2SerializeFMUstate(slave *s, slave *state, char *bytes, size_t size) {
    (void)s;
    memcpy(bytes, state, size);
    return OK;
}
status fmi2DeSerializeFMUstate(slave *s, const char *bytes, size_t size, slave **state) {
    (void)s;
    if (!*state) *state = malloc(sizeof **state);
    memcpy(*state, bytes, size);
    return OK;
}
#endif
