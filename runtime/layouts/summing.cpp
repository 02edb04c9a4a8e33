// SPDX-License-Identifier: MIT
#include "summing.hpp"

#include "../limits.hpp"
#include "../tensor/elements.hpp"

#include <algorithm>
#include <cstring>

namespace frisket::runtime {

namespace {

/// Adds in pieces whose length is known, which compilers make vectors of.
template <class T>
[[gnu::always_inline]] inline void add_all(Summing<T>* sum, Reader<T> more, std::int64_t length) {
    constexpr std::int64_t piece = limits::summed_at_once;
    const auto add_one = [&](std::int64_t i) { sum[i] = added(sum[i], static_cast<Summing<T>>(more[i])); };
    std::int64_t i = 0;
    for (; i + piece <= length; i += piece)
        for (std::int64_t k = 0; k < piece; ++k) add_one(i + k);
    for (; i < length; ++i) add_one(i);
}

template <class T>
void add(Summing<T>* sum, Reader<T> more, std::int64_t length) {
    add_all(sum, more, length);
}

#if defined(__x86_64__) && defined(__GNUC__)

__attribute__((target("avx2"))) void add_in_avx2(float* sum, Reader<float> more, std::int64_t length) {
    add_all(sum, more, length);
}

// The sums of embedding gradients: wider vectors where the processor has them.
template <>
void add(float* sum, Reader<float> more, std::int64_t length) {
    const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
    has_avx2 ? add_in_avx2(sum, more, length) : add_all(sum, more, length);
}

#endif

}  // namespace

void begin_sum(DType dtype, void* sum, const void* first, std::int64_t length) {
    if (dtype != DType::boolean && !has_16_bits(dtype)) {
        std::memcpy(sum, first, static_cast<std::size_t>(length * bytes_of(dtype)));
        return;
    }
    if (dtype == DType::boolean)
        std::memset(sum, 0, static_cast<std::size_t>(length));
    else
        std::fill_n(static_cast<float*>(sum), length, -0.0f);  // which keeps the sign of a first -0
    add_to_sum(dtype, sum, first, length);
}

void add_to_sum(DType dtype, void* sum, const void* more, std::int64_t length) {
    if (dtype == DType::boolean) {
        auto* to = static_cast<std::uint8_t*>(sum);
        const auto* from = static_cast<const std::uint8_t*>(more);
        for (std::int64_t i = 0; i < length; ++i) to[i] |= static_cast<std::uint8_t>(from[i] != 0);
        return;
    }
    dispatch(dtype, [&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>) add(static_cast<Summing<T>*>(sum), Reader<T>(more), length);
    });
}

void end_sum(DType dtype, void* elements, const void* sum, std::int64_t length) {
    dispatch(dtype, [&]<class T>() {
        if constexpr (has_16_bits(dtype_of<T>)) {
            const auto* const from = static_cast<const float*>(sum);
            const Writer<T> to(elements);
            for (std::int64_t i = 0; i < length; ++i) to[i] = static_cast<T>(from[i]);
        } else {
            std::memcpy(elements, sum, static_cast<std::size_t>(length * bytes_of(dtype)));
        }
    });
}

}  // namespace frisket::runtime
