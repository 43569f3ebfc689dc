/* The same slave as an FMU of FMI 3.0: the functions of slave.c under their new names, with the same macros. */

const char *fmi3GetVersion(void) { return VERSION; }

#ifdef OTHER_NAMES
#define fmi3DoStep step_of_another_name
#define fmi3GetFloat64 get_of_another_name
#endif

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *path, bool visible, bool logging, bool events, bool early,
                                  const uint32_t *required, size_t count, void *environment, logger log, void *update) {
    slave *s;
    callbacks *back;
    (void)name, (void)path, (void)visible, (void)logging, (void)events, (void)early, (void)required, (void)count, (void)update;
    AT_INSTANTIATE;
    if (strcmp(token, GUID) != 0) {
        char text[256];
        snprintf(text, sizeof text, "GUID is %s, expected %s", token, GUID);
        log(environment, ERROR, "logStatusError", text);
        return NULL;
    }
    s = calloc(1, sizeof *s);
    back = calloc(1, sizeof *back);
    back->log = log;
    back->environment = environment;
    s->back = back;
    s->u = 1;
    strcpy(s->text, "a,\"b\"");
    return s;
}

void fmi3FreeInstance(slave *s) {
    AT_FREE;
    free((void *)s->back);
    free(s);
}

status fmi3EnterInitializationMode(slave *s, bool has, double tolerance, double start, bool has_stop, double stop) {
    (void)has, (void)tolerance, (void)has_stop, (void)stop;
    AT_SETUP;
    AT_ENTER;
    s->t = start;
    return OK;
}
status fmi3ExitInitializationMode(slave *s) { (void)s; AT_EXIT; return OK; }
status fmi3Terminate(slave *s) { (void)s; AT_TERMINATE; return OK; }
status fmi3Reset(slave *s) { s->x = s->t = 0; s->steps = 0; return OK; }

status fmi3SetFloat64(slave *s, const uint32_t *vr, size_t n, const double *value, size_t count) {
    size_t i;
    (void)count;
    AT_SET;
    for (i = 0; i < n; i++) {
        if (vr[i] == 0) s->u = value[i]; else s->x = value[i];
    }
    return OK;
}
status fmi3GetFloat64(slave *s, const uint32_t *vr, size_t n, double *value, size_t count) {
    size_t i;
    (void)count;
    for (i = 0; i < n; i++) value[i] = vr[i] == 0 ? s->u : s->x;
    if (s->steps == 5) { AT_GET; }
    return OK;
}
status fmi3GetInt32(slave *s, const uint32_t *vr, size_t n, int32_t *value, size_t count) {
    size_t i;
    (void)vr, (void)count;
    for (i = 0; i < n; i++) value[i] = s->steps;
    return OK;
}
status fmi3SetInt32(slave *s, const uint32_t *vr, size_t n, const int32_t *value, size_t count) {
    (void)vr, (void)count;
    if (n) s->m = value[0];
    return OK;
}
status fmi3GetBoolean(slave *s, const uint32_t *vr, size_t n, bool *value, size_t count) {
    size_t i;
    (void)vr, (void)count;
    for (i = 0; i < n; i++) value[i] = s->b;
    return OK;
}
status fmi3SetBoolean(slave *s, const uint32_t *vr, size_t n, const bool *value, size_t count) {
    (void)vr, (void)count;
    if (n) s->b = value[0];
    return OK;
}
status fmi3GetString(slave *s, const uint32_t *vr, size_t n, const char **value, size_t count) {
    size_t i;
    (void)vr, (void)count;
    for (i = 0; i < n; i++) value[i] = s->steps == 3 ? NULL : s->text;
    return OK;
}
status fmi3SetString(slave *s, const uint32_t *vr, size_t n, const char *const *value, size_t count) {
    (void)vr, (void)count;
    if (n) strncpy(s->text, value[0], sizeof s->text - 1);
    return OK;
}

status fmi3DoStep(slave *s, double t, double h, bool keep, bool *event, bool *terminate, bool *early, double *reached) {
    status done;
    (void)keep;
    *event = *early = false;
    *terminate = TERMINATED;
    done = step(s, t, h);
    *reached = done == OK ? t + h : s->reached;
    return done;
}

/* The whole state, for descriptions that offer it. */
status fmi3GetFMUState(slave *s, slave **state) {
    if (!*state) *state = malloc(sizeof **state);
    **state = *s;
    return OK;
}
status fmi3SetFMUState(slave *s, slave *state) {
    const callbacks *back = s->back;
    AT_RESTORE;
    *s = *state;
    s->back = back;
    return OK;
}
status fmi3FreeFMUState(slave *s, slave **state) { (void)s; free(*state); *state = NULL; return OK; }
