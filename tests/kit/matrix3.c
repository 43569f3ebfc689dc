/* x[2] with x' = A u for inputs u[2] that are held, and a parameter A[2,2], as an FMU of FMI 3.0 whose variables are arrays. */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int status;
enum { OK, WARNING, DISCARD, ERROR };
enum { U = 1, X, A };
typedef struct { double u[2], x[2], a[4]; } slave;

const char *fmi3GetVersion(void) { return "3.0"; }
void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *path, bool visible, bool logging, bool events, bool early,
                                  const uint32_t *required, size_t count, void *environment, void *log, void *update) {
    slave *s = calloc(1, sizeof *s);
    s->a[0] = s->a[3] = 1;
    return s;
}
void fmi3FreeInstance(slave *s) { free(s); }
status fmi3EnterInitializationMode(slave *s, bool a, double b, double start, bool c, double d) { return OK; }
status fmi3ExitInitializationMode(slave *s) { return OK; }
status fmi3Terminate(slave *s) { return OK; }
status fmi3Reset(slave *s) { return ERROR; }

static double *place(slave *s, uint32_t r, size_t *n) {
    *n = r == A ? 4 : 2;
    return r == U ? s->u : r == X ? s->x : r == A ? s->a : NULL;
}
status fmi3SetFloat64(slave *s, const uint32_t *r, size_t n, const double *values, size_t count) {
    for (size_t i = 0, at = 0, size; i < n; i++, at += size) {
        double *p = place(s, r[i], &size);
        if (p == NULL || at + size > count) return ERROR;
        memcpy(p, values + at, size * sizeof *p);
    }
    return OK;
}
status fmi3GetFloat64(slave *s, const uint32_t *r, size_t n, double *values, size_t count) {
    for (size_t i = 0, at = 0, size; i < n; i++, at += size) {
        double *p = place(s, r[i], &size);
        if (p == NULL || at + size > count) return ERROR;
        memcpy(values + at, p, size * sizeof *p);
    }
    return OK;
}
status fmi3DoStep(slave *s, double t, double h, bool no, bool *event, bool *end, bool *early, double *last) {
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) s->x[i] += h * s->a[2 * i + k] * s->u[k];
    *event = *end = *early = false;
    *last = t + h;
    return OK;
}
