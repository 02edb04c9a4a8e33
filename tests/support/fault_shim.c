/* SPDX-License-Identifier: MIT */
/* Preloaded into a test: lets a call of the system fail, of those that a thread makes after it asks for it
   (faults.hpp).  A write that fails has written half; a file whose close fails is closed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static _Thread_local long to_go;        /* calls up to the one that fails; 0: none does */
static _Thread_local int error_given;   /* errno of the call that fails */
static _Thread_local int is_lasting;    /* all after it fail as well */
static _Thread_local const char* found; /* the call that failed first */

void frisket_fault_arm(long nth, int error, int lasting) {
    to_go = nth;
    error_given = error;
    is_lasting = lasting;
    found = NULL;
}

const char* frisket_fault_disarm(void) {
    to_go = 0;
    return found;
}

static int fails(const char* name) {
    if (to_go == 0) return 0;
    if (to_go > 1) {
        --to_go;
        return 0;
    }
    if (!is_lasting) to_go = 0;
    if (found == NULL) found = name;
    errno = error_given;
    return 1;
}

/* The function of that name behind this one. */
#define NEXT(result, name, ...)                                                                              \
    static result (*next)(__VA_ARGS__);                                                                      \
    if (next == NULL) next = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);                               \
    const int is_failing = fails(#name)

#define MODE(flags)                                                                                          \
    mode_t mode = 0;                                                                                         \
    if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) {                                                          \
        va_list more;                                                                                        \
        va_start(more, flags);                                                                               \
        mode = va_arg(more, mode_t);                                                                         \
        va_end(more);                                                                                        \
    }

#define OPEN(name)                                                                                           \
    int name(const char* path, int flags, ...) {                                                             \
        MODE(flags)                                                                                          \
        NEXT(int, name, const char*, int, ...);                                                              \
        return is_failing ? -1 : next(path, flags, mode);                                                    \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                         \
    int name(int folder, const char* path, int flags, ...) {                                                 \
        MODE(flags)                                                                                          \
        NEXT(int, name, int, const char*, int, ...);                                                         \
        return is_failing ? -1 : next(folder, path, flags, mode);                                            \
    }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name)                                                                                          \
    FILE* name(const char* path, const char* mode) {                                                         \
        NEXT(FILE*, name, const char*, const char*);                                                         \
        return is_failing ? NULL : next(path, mode);                                                         \
    }
FOPEN(fopen)
FOPEN(fopen64)

ssize_t write(int file, const void* from, size_t bytes) {
    NEXT(ssize_t, write, int, const void*, size_t);
    if (!is_failing) return next(file, from, bytes);
    if (next(file, from, bytes / 2) < 0) return -1;
    errno = error_given;
    return -1;
}

#define PWRITE(name)                                                                                         \
    ssize_t name(int file, const void* from, size_t bytes, off_t at) {                                       \
        NEXT(ssize_t, name, int, const void*, size_t, off_t);                                                \
        if (!is_failing) return next(file, from, bytes, at);                                                 \
        if (next(file, from, bytes / 2, at) < 0) return -1;                                                  \
        errno = error_given;                                                                                 \
        return -1;                                                                                           \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

int close(int file) {
    NEXT(int, close, int);
    const int code = next(file);
    if (!is_failing) return code;
    errno = error_given;
    return -1;
}

#define OF_FILE(name)                                                                                        \
    int name(int file) {                                                                                     \
        NEXT(int, name, int);                                                                                \
        return is_failing ? -1 : next(file);                                                                 \
    }
OF_FILE(fsync)
OF_FILE(fdatasync)

#define TRUNCATE(name)                                                                                       \
    int name(int file, off_t bytes) {                                                                        \
        NEXT(int, name, int, off_t);                                                                         \
        return is_failing ? -1 : next(file, bytes);                                                          \
    }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int rename(const char* from, const char* to) {
    NEXT(int, rename, const char*, const char*);
    return is_failing ? -1 : next(from, to);
}

int renameat(int folder, const char* from, int other, const char* to) {
    NEXT(int, renameat, int, const char*, int, const char*);
    return is_failing ? -1 : next(folder, from, other, to);
}

int mkdir(const char* path, mode_t mode) {
    NEXT(int, mkdir, const char*, mode_t);
    return is_failing ? -1 : next(path, mode);
}

int fchmod(int file, mode_t mode) {
    NEXT(int, fchmod, int, mode_t);
    return is_failing ? -1 : next(file, mode);
}

int flock(int file, int operation) {
    NEXT(int, flock, int, int);
    return is_failing ? -1 : next(file, operation);
}
