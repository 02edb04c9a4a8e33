/* SPDX-License-Identifier: MIT */
/* Types and functions common to the C headers of kernel libraries (frisket_add_kernels): plain C99.
 *
 * Every function NAME_STEP gives 0, or one of the codes below and then has changed nothing;
 * frisket_last_error() says why.  Nothing is printed, nothing aborts, no exception leaves.  Memory stays the
 * caller's and must live through the call.  Functions may be called from any number of threads on different
 * data. */
#ifndef FRISKET_C_API_H
#define FRISKET_C_API_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results of functions: frisket_last_error() has the text. */
enum frisket_error_code {
    FRISKET_OK = 0,
    FRISKET_MASK_MISMATCH, /* two masked operands specify different elements */
    FRISKET_IDENTITY,
    FRISKET_SHAPE,       /* shapes do not broadcast, or an element count is wrong */
    FRISKET_DIM,         /* a dimension is out of range */
    FRISKET_INDEX,       /* an index is out of range */
    FRISKET_DTYPE,       /* an argument has another dtype than the step wants */
    FRISKET_VALUE,       /* a null pointer, overlap of arguments, … */
    FRISKET_UNSPECIFIED, /* an unspecified element was read as a number */
    FRISKET_LAYOUT,      /* the layout was not compiled, or its parts do not fit together */
    FRISKET_BINDING,
    FRISKET_SCHEDULE,
    FRISKET_TARGET, /* this processor cannot run what was compiled */
    FRISKET_IO,
    FRISKET_BUG /* frisket's own mistake, or no memory: see the message */
};

/* Element types. */
enum frisket_dtype {
    FRISKET_BOOL = 0, /* one byte; any but 0 is true */
    FRISKET_UINT8,
    FRISKET_INT32,
    FRISKET_INT64,
    FRISKET_FLOAT32,
    FRISKET_FLOAT64,
    FRISKET_FLOAT16, /* bits of IEEE 754 binary16 */
    FRISKET_BFLOAT16 /* the upper half of a float */
};

/* Forms of storage of a masked tensor. */
enum frisket_layout {
    FRISKET_DENSE = 0, /* values; every element is specified */
    FRISKET_STRIDED,   /* values, and mask: bool of the same shape, 1 where specified */
    FRISKET_BITMASK,   /* values, and mask: int64 words; bit i % 64 of word i / 64 is element i, row-major */
    FRISKET_COO,       /* values of `count` elements, and their indices; duplicates are summed */
    FRISKET_ROWS       /* values of `count` rows, and their numbers; duplicates are summed */
};

/* Memory of the caller's as a tensor. */
typedef struct frisket_tensor {
    void* data;
    int dtype;              /* enum frisket_dtype */
    int rank;               /* 0: one element, and shape may be null */
    const int64_t* shape;   /* rank extents, outermost first */
    const int64_t* strides; /* in elements; null: row-major without gaps */
} frisket_tensor;

/* Values and a mask of specified elements.  Parts that the layout does not have are ignored.  Shapes and
 * `count` are compared before `indices` are read. */
typedef struct frisket_masked {
    int layout;             /* enum frisket_layout */
    int rank;               /* coo, rows: of the whole tensor */
    const int64_t* shape;   /* coo, rows: of the whole tensor */
    frisket_tensor values;  /* coo: [count]; rows: [count, trailing extents…]; others: the whole tensor */
    frisket_tensor mask;    /* strided, bitmask */
    const int64_t* indices; /* coo: count of dimension 0, then count of dimension 1, …; rows: count */
    int64_t count;          /* coo, rows: stored elements or rows */
} frisket_masked;

/* Message of the last call of this thread that failed, as "frisket: …"; "" if none has.  Valid until the next
 * failure on this thread. */
const char* frisket_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
