// SPDX-License-Identifier: MIT
// Reads and writes elements of any dtype as bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "dtype.hpp"
#include "error.hpp"

namespace frisket::runtime {

/// Calls `body.template operator()<U>()` with the unsigned integer as wide as `dtype`.  What only moves
/// elements moves these: every bit of a NaN arrives.
template <class Body>
decltype(auto) dispatch_width(DType dtype, Body&& body) {
    switch (bytes_of(dtype)) {
        case 1: return body.template operator()<std::uint8_t>();
        case 2: return body.template operator()<std::uint16_t>();
        case 4: return body.template operator()<std::uint32_t>();
        default: return body.template operator()<std::uint64_t>();
    }
}

/// Calls body.operator()<T>() for the C++ type that values of a dtype are computed in.
template <class Body>
decltype(auto) dispatch_values(DType dtype, Body&& body) {
    switch (dtype) {
        case DType::boolean: return body.template operator()<bool>();
        case DType::int32: return body.template operator()<std::int32_t>();
        case DType::int64: return body.template operator()<std::int64_t>();
        case DType::float32: return body.template operator()<float>();
        case DType::float64: return body.template operator()<double>();
        default: throw Bug("values of " + std::string(name_of(dtype)) + " are not computed with");
    }
}

/// As dispatch_values, for a dtype that is not bool.
template <class Body>
void dispatch_numbers(DType dtype, Body&& body) {
    dispatch_values(dtype, [&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>) body.template operator()<T>();
    });
}

/// Type by which elements of T are stored in memory: a bool as its byte, any but 0 being true.
template <class T>
struct Stored {
    using Type = T;
    static T read(T stored) { return stored; }
};
template <>
struct Stored<bool> {
    using Type = std::uint8_t;
    static bool read(std::uint8_t stored) { return stored != 0; }
};

/// Elements of a type in memory of any alignment, to be read: `from[i]`.
template <class T>
class Reader {
public:
    explicit Reader(const void* first) : first_(static_cast<const std::byte*>(first)) {}
    T operator[](std::int64_t i) const {
        typename Stored<T>::Type stored;
        std::memcpy(&stored, first_ + i * bytes, sizeof stored);
        return Stored<T>::read(stored);
    }
    Reader operator+(std::int64_t elements) const { return Reader(first_ + elements * bytes); }
    const void* first() const { return first_; }

private:
    static constexpr std::int64_t bytes = sizeof(T);
    const std::byte* first_;
};

/// A typed view of elements to write: `to[i] = x`.
template <class T>
class Writer {
public:
    explicit Writer(void* first) : first_(static_cast<std::byte*>(first)) {}
    class Place {
    public:
        void operator=(T x) const {
            const auto stored = static_cast<typename Stored<T>::Type>(x);
            std::memcpy(at_, &stored, sizeof stored);
        }

    private:
        explicit Place(std::byte* at) : at_(at) {}
        std::byte* at_;
        friend class Writer;
    };
    Place operator[](std::int64_t i) const { return Place(first_ + i * bytes); }
    Writer operator+(std::int64_t elements) const { return Writer(first_ + elements * bytes); }
    void* first() const { return first_; }

private:
    static constexpr std::int64_t bytes = sizeof(T);
    std::byte* first_;
};

}  // namespace frisket::runtime
