// SPDX-License-Identifier: MIT
#pragma once
#include "../../../runtime/tensor/error.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>

namespace frisket::testing {

/// Runs `use`, which may throw only an Error with a sentence, and no Bug.
void expect_error_or_nothing(const auto& use) {
    try {
        use();
    } catch (const Error& error) {
        const std::string_view text = error.what();
        if (error.code() == ErrorCode::bug || !text.starts_with("frisket: ") || text.size() < 20) {
            std::fprintf(stderr, "an error that is none of the input: %s\n", error.what());
            std::abort();
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "an exception that is no frisket::Error: %s\n", error.what());
        std::abort();
    }
}

/// A file that holds a fuzzer's input, the same path each time.
class InputFile {
public:
    explicit InputFile(const std::string& extension) {
        const char* const folder = std::getenv("TMPDIR");
        path_ = std::string(folder != nullptr ? folder : "/tmp") + "/frisket_fuzz_" +
                std::to_string(getpid()) + extension;
    }
    ~InputFile() { (void)std::remove(path_.c_str()); }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& with(const std::uint8_t* data, std::size_t size) const {
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
        return path_;
    }

private:
    std::string path_;
};

/// Numbers out of an input, zeros after its end.
class InputNumbers {
public:
    InputNumbers(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

    std::uint8_t byte() { return left_ == 0 ? 0 : (--left_, *data_++); }
    /// Mostly small; one in eight is any number of 64 bits, or one at a limit.
    std::int64_t number() {
        constexpr std::int64_t least = INT64_MIN, most = INT64_MAX;
        constexpr std::int64_t limits[] = {least,
                                           least + 1,
                                           -1,
                                           most,
                                           most - 1,
                                           most / 8,
                                           INT64_C(1) << 62,
                                           INT64_C(1) << 61,
                                           INT64_C(1) << 32,
                                           INT32_MAX,
                                           INT32_MIN,
                                           64};
        const std::uint8_t kind = byte();
        if (kind < 224) return kind % 16 - (kind >= 208 ? 10 : 0);
        if (kind < 240) return limits[kind % std::size(limits)];
        std::uint64_t value = 0;
        for (int i = 0; i < 8; ++i) value = value << 8U | byte();
        return static_cast<std::int64_t>(value);
    }
    std::size_t left() const { return left_; }

private:
    const std::uint8_t* data_;
    std::size_t left_;
};

}  // namespace frisket::testing
