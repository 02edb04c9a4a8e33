// SPDX-License-Identifier: MIT
#include "record.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>

#include "../../../runtime/tensor/error.hpp"

namespace frisket::codegen {

namespace {

/// The fields as bytes, each after its length: no two records have the same.
class Bytes {
public:
    void operator()(const char* /*column*/, const std::string& text) {
        add(text.size());
        bytes_ += text;
    }
    void operator()(const char* column, Layout layout) { (*this)(column, std::string(name_of(layout))); }
    void operator()(const char* /*column*/, int number) { add(static_cast<std::uint64_t>(number)); }
    void operator()(const char* /*column*/, std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
    void operator()(const char* /*column*/, double number) { add(std::bit_cast<std::uint64_t>(number)); }
    const std::string& bytes() const { return bytes_; }

private:
    void add(std::uint64_t number) {
        for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(number >> 8 * byte & 0xff);
    }
    std::string bytes_;
};

}  // namespace

std::string key_of(const TuningRecord& record) {
    Bytes all;
    each_key(record, all);
    const XXH128_hash_t hash = XXH3_128bits(all.bytes().data(), all.bytes().size());
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return text.data();
}

std::int64_t checksum_of(const TuningRecord& record, std::int64_t revision) {
    Bytes all;
    each_field(record, all);
    all("revision", revision);
    return std::bit_cast<std::int64_t>(XXH3_64bits(all.bytes().data(), all.bytes().size()));
}

void check(const TuningRecord& record) {
    for (const double number : {record.gain, record.default_s, record.best_s})
        if (!std::isfinite(number))
            throw ValueError("tuning record of target " + record.target + ": a time or gain is " +
                             std::to_string(number) + ", wanted a finite number");
}

}  // namespace frisket::codegen
