/* SPDX-License-Identifier: MIT */
/* classify_spam WEIGHTS < MESSAGES: the spam filter in C, with a kernel that was compiled ahead of time.
 * WEIGHTS is what text_classifier --save wrote.  A line with a label, "ham", "spam" and a tab, is counted;
 * another line is printed with its probability. */
#include <math.h>
#include <spam.h>
#include <stdio.h>
#include <string.h>

#include "spam_features.h"

enum { weights = spam_buckets + 1, longest = 4096 };

/* Reads the array of a .npy file, float32 of [weights, 1]; returns whether it is one. */
static int read_weights(const char* path, float* w) {
    unsigned char start[10];
    char header[512];
    FILE* file = fopen(path, "rb");
    size_t length;
    int is_read;
    if (file == NULL) return 0;
    is_read = fread(start, 1, sizeof start, file) == sizeof start && memcmp(start, "\x93NUMPY\x01", 7) == 0;
    length = is_read ? start[8] + 256u * start[9] : 0;
    is_read = is_read && length < sizeof header && fread(header, 1, length, file) == length;
    header[is_read ? length : 0] = '\0';
    is_read = is_read && strstr(header, "'<f4'") != NULL && strstr(header, "(262145, 1)") != NULL &&
              fread(w, sizeof *w, weights, file) == weights;
    fclose(file);
    return is_read;
}

/* The probability that a message is spam; negative after an error. */
static float probability_of(const char* text, size_t length, float* w) {
    static int64_t buckets[3 * longest + 7];
    static float values[3 * longest + 7];
    const int64_t shape[] = {1, weights}, w_shape[] = {weights, 1};
    const size_t count = spam_features(text, length, buckets);
    const int64_t stored[] = {(int64_t)count}, pointers[] = {0, (int64_t)count};
    const frisket_tensor weight = {w, FRISKET_FLOAT32, 2, w_shape, NULL};
    const frisket_masked message = {.layout = FRISKET_CSR,
                                    .rank = 2,
                                    .shape = shape,
                                    .values = {values, FRISKET_FLOAT32, 1, stored, NULL},
                                    .indices = buckets,
                                    .count = (int64_t)count,
                                    .pointers = pointers,
                                    .pointer_count = 2};
    float found = 0;
    frisket_result result = {.values = &found, .values_bytes = sizeof found};
    size_t i;
    for (i = 0; i < count; i++) values[i] = 1 / sqrtf((float)count);
    if (spam_probability(&(spam_probability_args){.x = &message, .w = &weight, .results = {&result}}) ==
        FRISKET_OK)
        return found;
    fprintf(stderr, "%s\n", spam_last_error());
    return -1;
}

int main(int argc, char** argv) {
    static float w[weights];
    static char line[longest];
    int labelled = 0, right = 0;
    if (argc != 2 || !read_weights(argv[1], w)) {
        fprintf(stderr, "usage: classify_spam WEIGHTS < MESSAGES, with the file of text_classifier --save\n");
        return 2;
    }
    while (fgets(line, sizeof line, stdin) != NULL) {
        const int is_ham = strncmp(line, "ham\t", 4) == 0, is_spam = strncmp(line, "spam\t", 5) == 0;
        const char* text = line + (is_ham ? 4 : is_spam ? 5 : 0);
        const float probability = probability_of(text, strcspn(text, "\r\n"), w);
        if (probability < 0) return 1;
        if (!is_ham && !is_spam) printf("%.3f %s", (double)probability, text);
        labelled += is_ham || is_spam;
        right += (is_spam && probability > 0.5F) || (is_ham && probability <= 0.5F);
    }
    if (labelled > 0) printf("accuracy: %.4f\n", (double)right / labelled);
    return 0;
}
