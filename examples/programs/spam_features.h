/* SPDX-License-Identifier: MIT */
/* Features of a message, hashed n-grams of letters, for text_classifier.cpp and classify_spam.c. */
#pragma once
#include <stdint.h>
#include <stdlib.h>

enum { spam_buckets = 1 << 18 }; /* weights of n-grams; one more weight is the bias */

/* The checksum of ISO 3309, as zlib's crc32. */
static uint32_t spam_crc32(const unsigned char* bytes, size_t count) {
    uint32_t sum = 0xffffffffu;
    size_t i;
    int bit;
    for (i = 0; i < count; i++)
        for (sum ^= bytes[i], bit = 0; bit < 8; bit++) sum = (sum >> 1) ^ (0xedb88320u & (0u - (sum & 1u)));
    return ~sum;
}

static int spam_compare(const void* a, const void* b) {
    const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
    return (x > y) - (x < y);
}

/* Writes the buckets of the n-grams of 3 to 5 letters, ascending, each once, and last the bucket of the bias;
 * `buckets` has room for 3 * length + 7.  Returns how many there are, or 0 without memory. */
static size_t spam_features(const char* text, size_t length, int64_t* buckets) {
    unsigned char* letters = (unsigned char*)malloc(length + 2);
    size_t i, n, count = 0, kept = 0;
    if (letters == NULL) return 0;
    letters[0] = letters[length + 1] = ' ';
    for (i = 0; i < length; i++) {
        const unsigned char letter = (unsigned char)text[i];
        letters[i + 1] = (unsigned char)(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
    }
    for (n = 3; n <= 5; n++)
        for (i = 0; i + n <= length + 2; i++) buckets[count++] = spam_crc32(letters + i, n) % spam_buckets;
    free(letters);
    qsort(buckets, count, sizeof *buckets, spam_compare);
    for (i = 0; i < count; i++)
        if (kept == 0 || buckets[i] != buckets[kept - 1]) buckets[kept++] = buckets[i];
    buckets[kept++] = spam_buckets;
    return kept;
}
