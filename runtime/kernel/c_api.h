/* SPDX-License-Identifier: MIT */
/* Types common to the C headers of kernel libraries (frisket_add_kernels): plain C99.
 *
 * Every function NAME_STEP takes its arguments by name, in a struct NAME_STEP_args of which all members that
 * are not named are null or 0:
 *     NAME_STEP(&(NAME_STEP_args){.param = &p, .grad = &g, .lr = 0.1})
 * It returns 0, or one of the codes below with nothing changed; NAME_last_error() returns the reason, for the
 * last call of this thread that failed.  Nothing is printed, nothing aborts, no exception leaves.  Memory
 * stays the caller's and must live through the call.  Functions may be called from any number of threads on
 * different data, also after fork.
 * NAME_from_dlpack(t, &p) makes a tensor of DLPack's, the DLTensor* t, one of ours that refers to its memory,
 * shape and strides.
 * NAME_STEP is inline and passes the size of the struct and FRISKET_ABI_VERSION to NAME_STEP_sized, the
 * function that a library exports: structs may grow at their end, and members that an older caller does not
 * know are null or 0. */
#ifndef FRISKET_C_API_H
#define FRISKET_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Number of the layout of the structs below; functions take it, and refuse a caller of another one. */
#define FRISKET_ABI_VERSION 2
/* Marks functions that shared libraries export. */
#if defined(__GNUC__)
#define FRISKET_EXPORT __attribute__((visibility("default")))
#else
#define FRISKET_EXPORT
#endif
/* The most dimensions of a tensor. */
#define FRISKET_MAX_RANK 8

/* Results of functions: NAME_last_error() has the text. */
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
    FRISKET_TARGET, /* this processor cannot run the compiled loops */
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
    FRISKET_ROWS,      /* values of `count` rows, and their numbers; duplicates are summed */
    FRISKET_CSR,       /* matrices: pointers of rows, `count` columns and values */
    FRISKET_CSC,       /* matrices: pointers of columns, `count` rows and values */
    FRISKET_BSR,       /* matrices: as csr, of `count` blocks */
    FRISKET_BSC,       /* matrices: as csc, of `count` blocks */
    FRISKET_TWO_FOUR   /* matrices: for each row and four columns two slots, 0 to 3: `count` slots */
};

/* Memory of the caller's as a tensor. */
typedef struct frisket_tensor {
    void* data;
    int dtype;              /* enum frisket_dtype */
    int rank;               /* 0: one element, and shape may be null */
    const int64_t* shape;   /* rank extents, outermost first */
    const int64_t* strides; /* in elements; null: row-major without gaps */
} frisket_tensor;

/* Values and a mask of specified elements.  Parts that the layout does not have are ignored.  Shapes, and
 * counts of entries and of pointers, are compared before lists are read. */
typedef struct frisket_masked {
    int layout;            /* enum frisket_layout */
    int rank;              /* lists (coo and below): the whole tensor's */
    const int64_t* shape;  /* lists: the whole tensor's */
    frisket_tensor values; /* coo, csr, csc: [count]; rows: [count, trailing extents...]; bsr, bsc: [count,
                              block_rows, block_columns]; two_four: [rows, columns / 2]; other layouts: all */
    frisket_tensor mask;   /* strided, bitmask; csr and below: bool of the values' shape, 0 where there is
                              no entry, data null: all are entries */
    const void* indices;   /* coo: count of dimension 0, then count of dimension 1, ...; others: count */
    int64_t count;         /* stored elements, rows, blocks or slots */
    int index_dtype;       /* dtype of indices and pointers: FRISKET_INT64 (or 0), FRISKET_INT32 */
    const void* pointers;  /* csr, csc, bsr, bsc: where each row (column) begins in `indices`, and the end */
    int64_t pointer_count; /* their number: rows (columns), or rows (columns) of blocks, and 1 */
    int64_t block_rows;    /* bsr, bsc: extents of a block */
    int64_t block_columns;
} frisket_masked;

/* Memory for a result of a function, which it fills; `values` null: the call returns the size of a result and
 * evaluates nothing unless a list's count is asked for. */
typedef struct frisket_result {
    int layout;           /* in: a masked result's: FRISKET_STRIDED (or 0), FRISKET_COO or FRISKET_ROWS */
    void* values;         /* in: memory, for values row-major without gaps, of dtype `dtype` */
    int64_t values_bytes; /* in: its size */
    uint8_t* mask;        /* in: strided: memory for a byte an element: 1 where specified */
    int64_t mask_bytes;
    int64_t* indices;     /* in: coo: for rank x count indices, dimension 0 first; rows: count */
    int64_t indices_bytes;
    int dtype;            /* out: dtype, rank, shape of the whole tensor */
    int rank;
    int64_t shape[FRISKET_MAX_RANK];
    int64_t count;        /* out: elements of `values`: the tensor's, or stored; rows: stored rows */
} frisket_result;

#ifdef __cplusplus
}
#endif

#endif
