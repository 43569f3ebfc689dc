/* A host that does everything wrong with one FMU: instances that are none, calls in the wrong order, steps and lists that make no
 * sense, damaged states, instances in several threads, and calls of one instance from several threads at once, which FMI forbids.
 * `attacks LIBRARY GUID RESOURCES STEP INPUT OUTPUT`, the last two as value references. Each wrong call must be answered by
 * fmi2Discard or fmi2Error, and the FMU must work as before afterwards. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Unit;
typedef const unsigned *Refs;
typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks;

static Unit (*instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int);
static void (*release)(Unit);
static int (*logging)(Unit, int, size_t, const char *const *);
static int (*setup)(Unit, int, double, double, int, double);
static int (*enter)(Unit), (*leave)(Unit), (*terminate)(Unit), (*reset)(Unit), (*cancel)(Unit);
static int (*get_real)(Unit, Refs, size_t, double *), (*set_real)(Unit, Refs, size_t, const double *);
static int (*get_integer)(Unit, Refs, size_t, int *), (*set_integer)(Unit, Refs, size_t, const int *);
static int (*get_boolean)(Unit, Refs, size_t, int *), (*set_boolean)(Unit, Refs, size_t, const int *);
static int (*get_string)(Unit, Refs, size_t, const char **), (*set_string)(Unit, Refs, size_t, const char *const *);
static int (*set_derivatives)(Unit, Refs, size_t, const int *, const double *);
static int (*get_derivatives)(Unit, Refs, size_t, const int *, double *);
static int (*directional)(Unit, Refs, size_t, Refs, size_t, const double *, double *);
static int (*step)(Unit, double, double, int);
static int (*save)(Unit, void **), (*restore)(Unit, void *), (*forget)(Unit, void **);
static int (*size_of)(Unit, void *, size_t *), (*serialize)(Unit, void *, char *, size_t);
static int (*deserialize)(Unit, const char *, size_t, void **);
static int (*status_of)(Unit, int, int *), (*real_status_of)(Unit, int, double *);

static const struct {
    const char *name;
    void *place;
} FUNCTIONS[] = {
    {"fmi2Instantiate", &instantiate}, {"fmi2FreeInstance", &release}, {"fmi2SetDebugLogging", &logging},
    {"fmi2SetupExperiment", &setup}, {"fmi2EnterInitializationMode", &enter}, {"fmi2ExitInitializationMode", &leave},
    {"fmi2Terminate", &terminate}, {"fmi2Reset", &reset}, {"fmi2CancelStep", &cancel},
    {"fmi2GetReal", &get_real}, {"fmi2SetReal", &set_real}, {"fmi2GetInteger", &get_integer},
    {"fmi2SetInteger", &set_integer}, {"fmi2GetBoolean", &get_boolean}, {"fmi2SetBoolean", &set_boolean},
    {"fmi2GetString", &get_string}, {"fmi2SetString", &set_string},
    {"fmi2SetRealInputDerivatives", &set_derivatives}, {"fmi2GetRealOutputDerivatives", &get_derivatives},
    {"fmi2GetDirectionalDerivative", &directional}, {"fmi2DoStep", &step}, {"fmi2GetFMUstate", &save},
    {"fmi2SetFMUstate", &restore}, {"fmi2FreeFMUstate", &forget}, {"fmi2SerializedFMUstateSize", &size_of},
    {"fmi2SerializeFMUstate", &serialize}, {"fmi2DeSerializeFMUstate", &deserialize}, {"fmi2GetStatus", &status_of},
    {"fmi2GetRealStatus", &real_status_of},
};

enum { STEPS = 5, THREADS = 4, INSTANCES = 5, STATES = 1000, SHARED_ROUNDS = 5000 };

static const char *guid, *resources;
static double h;
static unsigned input, output, unknown = 0x7fffffff;
static int wrong_calls, failures, messages, refused_at_once;

/* Messages are text of their own, whatever stands in them. */
static void logger(void *environment, const char *name, int status, const char *category, const char *message, ...) {
    char text[8192];
    va_list rest;
    (void)environment, (void)name, (void)status, (void)category;
    va_start(rest, message);
    vsnprintf(text, sizeof text, message, rest);
    va_end(rest);
    __atomic_add_fetch(&messages, 1, __ATOMIC_RELAXED);
    if (strstr(text, "another call of this instance")) __atomic_add_fetch(&refused_at_once, 1, __ATOMIC_RELAXED);
}

static const Callbacks callbacks = {logger, calloc, free, NULL, NULL};

static void expect(int is_so, const char *what) {
    if (is_so) return;
    printf("FAILED: %s\n", what);
    failures++;
}

/* A call that makes no sense is answered by fmi2Discard or fmi2Error. */
#define WRONG(call) (wrong_calls++, expect((unsigned)((call) - 2) < 2u, #call))
#define RIGHT(call) expect((call) == 0, #call)

static Unit made(void) { return instantiate("unit", 1, guid, resources, &callbacks, 0, 0); }

static Unit ready(void) {
    Unit u = made();
    expect(u != NULL, "an instance");
    RIGHT(setup(u, 0, 0.0, 0.0, 0, 0.0));
    RIGHT(enter(u));
    RIGHT(leave(u));
    return u;
}

/* The output after some steps. */
static double run(Unit u) {
    double value = NAN;
    for (int k = 0; k < STEPS; k++) RIGHT(step(u, k * h, h, 1));
    RIGHT(get_real(u, &output, 1, &value));
    return value;
}

static void instances(void) {
    expect(!instantiate(NULL, 1, guid, resources, &callbacks, 0, 0), "an instance without a name");
    expect(!instantiate("u", 0, guid, resources, &callbacks, 0, 0), "an instance for model exchange");
    expect(!instantiate("u", 7, guid, resources, &callbacks, 0, 0), "an instance of no kind");
    expect(!instantiate("u", 1, NULL, resources, &callbacks, 0, 0), "an instance without a GUID");
    expect(!instantiate("u", 1, "{other}", resources, &callbacks, 0, 0), "an instance of another GUID");
    const char *places[] = {NULL, "", "file:///nowhere", "http://localhost/x", "file:///%zz", "\xff\xfe", "/"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        expect(!instantiate("u", 1, guid, places[i], &callbacks, 0, 0), "an instance with other resources");
    Unit silent = instantiate("u", 1, guid, resources, NULL, 0, 1);
    expect(silent != NULL, "an instance without callbacks");
    WRONG(step(silent, 0.0, h, 1));
    release(silent);
}

/* Every function, with this instance, before it is initialised or where there is none. */
static void all_calls(Unit u) {
    double real = 0.0;
    int word = 0, first = 1;
    const char *text = "text";
    void *state = NULL;
    size_t size = 0;
    WRONG(leave(u));
    WRONG(terminate(u));
    WRONG(step(u, 0.0, h, 1));
    WRONG(cancel(u));
    WRONG(get_real(u, &output, 1, &real));
    WRONG(get_derivatives(u, &output, 1, &first, &real));
    WRONG(directional(u, &output, 1, &input, 1, &real, &real));
    WRONG(get_integer(u, &unknown, 1, &word));
    WRONG(set_integer(u, &unknown, 1, &word));
    WRONG(get_boolean(u, &unknown, 1, &word));
    WRONG(set_boolean(u, &unknown, 1, &word));
    WRONG(get_string(u, &unknown, 1, &text));
    WRONG(set_string(u, &unknown, 1, &text));
    WRONG(set_real(u, &unknown, 1, &real));
    WRONG(restore(u, NULL));
    WRONG(size_of(u, NULL, &size));
    WRONG(serialize(u, NULL, (char *)&real, sizeof real));
    WRONG(deserialize(u, "state", 5, &state));
    WRONG(deserialize(u, "", 0, &state));
    WRONG(status_of(u, 99, &word));
    expect(state == NULL, "no state of nonsense");
}

static void no_instance(void) {
    double real = 0.0;
    int first = 1;
    void *state = NULL;
    all_calls(NULL);
    WRONG(setup(NULL, 0, 0.0, 0.0, 0, 0.0));
    WRONG(enter(NULL));
    WRONG(reset(NULL));
    WRONG(logging(NULL, 1, 0, NULL));
    WRONG(set_real(NULL, &input, 1, &real));
    WRONG(set_derivatives(NULL, &input, 1, &first, &real));
    WRONG(save(NULL, &state));
    release(NULL);
}

static void order(void) {
    Unit u = made();
    all_calls(u);
    WRONG(setup(u, 0, 0.0, NAN, 0, 0.0));
    WRONG(setup(u, 1, NAN, 0.0, 0, 0.0));
    WRONG(setup(u, 0, 0.0, 1.0, 1, 0.5));
    RIGHT(setup(u, 0, 0.0, 0.0, 0, 0.0));
    WRONG(leave(u));
    RIGHT(enter(u));
    WRONG(enter(u));
    WRONG(step(u, 0.0, h, 1));
    RIGHT(leave(u));
    WRONG(setup(u, 0, 0.0, 0.0, 0, 0.0));
    WRONG(enter(u));
    RIGHT(step(u, 0.0, h, 1));
    RIGHT(terminate(u));
    WRONG(step(u, h, h, 1));
    WRONG(terminate(u));
    RIGHT(reset(u));
    release(u);
}

static void steps(void) {
    const double numbers[] = {0.0, -h, NAN, INFINITY, -INFINITY, 1e-300, 1e300, 0.31 * h};
    Unit u = ready();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        /* Any length will do, but for none and nearly none. */
        if (!(numbers[i] > 0.1 * h && numbers[i] < h)) WRONG(step(u, 0.0, numbers[i], 1));
        /* Times that are not where it stands, but for rounding. */
        if (!(fabs(numbers[i]) < 1e-200)) WRONG(step(u, numbers[i], h, 1));
    }
    RIGHT(step(u, 0.0, h, 1));
    WRONG(step(u, 0.0, h, 1));
    release(u);
}

static void lists(void) {
    double reals[2] = {0.0, 0.0};
    int orders[] = {0, -1, 99};
    Unit u = ready();
    WRONG(get_real(u, NULL, 1, reals));
    WRONG(get_real(u, &output, 1, NULL));
    WRONG(get_real(u, &output, SIZE_MAX, reals));
    WRONG(set_real(u, NULL, 1, reals));
    WRONG(set_real(u, &input, 1, NULL));
    WRONG(set_real(u, &input, SIZE_MAX, reals));
    WRONG(set_real(u, &output, 1, reals));
    WRONG(get_string(u, &unknown, SIZE_MAX, NULL));
    for (int i = 0; i < 3; i++) {
        WRONG(set_derivatives(u, &input, 1, &orders[i], reals));
        WRONG(get_derivatives(u, &output, 1, &orders[i], reals));
    }
    WRONG(set_derivatives(u, &output, 1, &orders[0], reals));
    WRONG(directional(u, &output, 1, NULL, 1, reals, reals));
    WRONG(directional(u, &unknown, 1, &unknown, 1, reals, reals));
    WRONG(directional(u, &output, SIZE_MAX, &input, SIZE_MAX, reals, reals));
    WRONG(logging(u, 1, 1, NULL));
    WRONG(save(u, NULL));
    RIGHT(get_real(u, NULL, 0, NULL));
    RIGHT(set_real(u, NULL, 0, NULL));
    release(u);
}

/* States with one byte changed, cut off, or longer than they were. */
static void states(void) {
    Unit u = ready(), other = made();
    void *state = NULL, *damaged = NULL;
    size_t size = 0;
    uint64_t random = 1;
    RIGHT(step(u, 0.0, h, 1));
    RIGHT(save(u, &state));
    RIGHT(size_of(u, state, &size));
    char *bytes = calloc(size + 1, 1);
    WRONG(serialize(u, state, bytes, size - 1));
    RIGHT(serialize(u, state, bytes, size));
    for (int i = 0; i < STATES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t place = (size_t)(random >> 33) % size;
        char change = (char)(1u << (random >> 24 & 7u));
        bytes[place] ^= change;
        WRONG(deserialize(u, bytes, size, &damaged));
        bytes[place] ^= change;
        WRONG(deserialize(u, bytes, place, &damaged));
    }
    WRONG(deserialize(u, bytes, size + 1, &damaged));
    WRONG(deserialize(u, NULL, size, &damaged));
    WRONG(deserialize(u, bytes, SIZE_MAX, &damaged));
    expect(damaged == NULL, "no state of damaged bytes");
    RIGHT(deserialize(other, bytes, size, &damaged));
    RIGHT(restore(other, damaged));
    RIGHT(step(other, h, h, 1));
    RIGHT(forget(other, &damaged));
    expect(damaged == NULL, "a state that was freed");
    RIGHT(forget(u, &state));
    WRONG(restore(u, state));
    free(bytes);
    release(u);
    release(other);
}

static double expected;

static void *several(void *ignored) {
    for (int i = 0; i < INSTANCES; i++) {
        Unit u = ready();
        expect(run(u) == expected, "the same bits in a thread");
        release(u);
    }
    return ignored;
}

/* An instance that all threads use without asking one another. */
static Unit shared;

/* A refused call leaves the processor to the one that was in its way. */
static void answered(int status) {
    expect((unsigned)status < 4u, "an answer that is not fatal");
    if (status != 0) sched_yield();
}

static void *one(void *ignored) {
    enum { LAST_TIME = 2 };
    double time = 0.0, value;
    void *state = NULL;
    for (int i = 0; i < SHARED_ROUNDS; i++) {
        answered(real_status_of(shared, LAST_TIME, &time));
        answered(step(shared, time, h, 1));
        answered(set_real(shared, &input, 1, &h));
        answered(get_real(shared, &output, 1, &value));
        answered(cancel(shared));
        if (i % 10) continue;
        answered(save(shared, &state));
        if (!state) continue;
        answered(restore(shared, state));
        while (forget(shared, &state) != 0) continue;
    }
    return ignored;
}

static void threads(void *(*work)(void *)) {
    pthread_t all[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&all[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(all[i], NULL);
}

/* Whatever was refused: after a reset the instance is as good as new. */
static void at_once(void) {
    shared = ready();
    // On a machine with other work threads may take turns: they try again until two have met.
    for (int i = 0; i < 50 && refused_at_once == 0; i++) threads(one);
    expect(refused_at_once > 0, "calls that were refused because of another one");
    RIGHT(reset(shared));
    RIGHT(setup(shared, 0, 0.0, 0.0, 0, 0.0));
    RIGHT(enter(shared));
    RIGHT(leave(shared));
    expect(run(shared) == expected, "the same bits after calls at once");
    release(shared);
}

int main(int count, char **words) {
    void *library = count == 7 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return 2;
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        void *found = dlsym(library, FUNCTIONS[i].name);
        expect(found != NULL, FUNCTIONS[i].name);
        if (!found) return 2;
        memcpy(FUNCTIONS[i].place, &found, sizeof found);
    }
    guid = words[2], resources = words[3], h = strtod(words[4], NULL);
    input = (unsigned)atoi(words[5]), output = (unsigned)atoi(words[6]);

    Unit u = ready();
    expected = run(u);
    expect(expected != 0.0 && isfinite(expected), "an output that moves");
    release(u);

    instances();
    no_instance();
    order();
    steps();
    lists();
    states();
    threads(several);
    at_once();

    u = ready();
    expect(run(u) == expected, "the same bits after all that");
    release(u);
    printf("%d wrong calls, %d messages, %d failures\n", wrong_calls, messages, failures);
    return failures != 0;
}
