/* SPDX-License-Identifier: MIT */
#ifndef FRISKET_TESTS_KERNELS_CLIENT_H
#define FRISKET_TESTS_KERNELS_CLIENT_H
#ifdef __cplusplus
extern "C" {
#endif
/* Steps a 2 x 4 parameter by a coo gradient at (0, 2) and (1, 0); returns the code of the call. */
int step_in_c(float* param, float* sum, const float* values);
/* Gives a shape that does not fit; returns the code of the call. */
int bad_step_in_c(float* param, float* sum, const float* values);
#ifdef __cplusplus
}
#endif
#endif
