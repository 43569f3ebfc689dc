/* Callbacks handed to an imported FMU (FMI 2.0.5, section 2.1.5). The logger is variadic, which Rust cannot define. */

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest message that is kept, its zero included. */
#define MESSAGE_MAX 4096

/* Where messages go, in callbacks.rs. It is set before any instance is made. What an FMU says is its environment is handed
 * on as a number and never followed here: some pass another than they were given. */
typedef void (*macrostep_receiver)(void *environment, int status, const char *category, const char *text);
static macrostep_receiver receive = NULL;

void macrostep_log_to(macrostep_receiver receiver) {
    receive = receiver;
}

/* Whether every conversion in the format is one whose argument can be read without writing to it. A percent sign before
 * a blank, as in "100% done", was meant as a percent sign; "%n" would write to memory. */
static int is_format(const char *format) {
    const char *c = format;
    while ((c = strchr(c, '%')) != NULL) {
        c += 1;
        c += strspn(c, "-+0#'");
        c += strspn(c, "0123456789*");
        if (*c == '.') {
            c += 1;
            c += strspn(c, "0123456789*");
        }
        c += strspn(c, "hljztL");
        if (*c == '\0' || strchr("diouxXeEfFgGaAcsp%", *c) == NULL) {
            return 0;
        }
        c += 1;
    }
    return 1;
}

void macrostep_log(void *environment, const char *instance, int status, const char *category, const char *message, ...) {
    char text[MESSAGE_MAX];
    (void)instance;
    if (receive == NULL) {
        return;
    }
    if (message == NULL) {
        message = "";
    }
    text[0] = '\0';
    if (is_format(message)) {
        va_list arguments;
        va_start(arguments, message);
        if (vsnprintf(text, sizeof text, message, arguments) < 0) {
            text[0] = '\0';
        }
        va_end(arguments);
    } else {
        snprintf(text, sizeof text, "%s", message);
    }
    text[MESSAGE_MAX - 1] = '\0';
    receive(environment, status, category == NULL ? "" : category, text);
}

void *macrostep_allocate(size_t count, size_t size) {
    return calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
}

void macrostep_free(void *memory) {
    free(memory);
}

/* Steps are polled, so nobody waits for this; a slave whose steps run on may call it without a check. */
void macrostep_step_finished(void *environment, int status) {
    (void)environment;
    (void)status;
}
