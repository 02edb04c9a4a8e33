// SPDX-License-Identifier: MIT
// Reads and writes the headers of .safetensors files.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "../tensor/dtype.hpp"
#include "../tensor/shape.hpp"

/// The header of a .safetensors file: JSON, of which no more is read than such headers hold.
namespace frisket::safetensors {

/// Bytes that a header may have.
inline constexpr std::uint64_t max_header = 100'000'000;

struct Entry {
    std::string name;
    DType dtype = DType::float32;
    Shape shape = {};
    std::uint64_t begin = 0, end = 0;  ///< range of the tensor's bytes, counted from the header's end
    std::string foreign_dtype = {};    ///< the format's name of a dtype that frisket lacks; else empty
};

struct Header {
    std::vector<Entry> entries;
    std::map<std::string, std::string> metadata;
};

/// Errors: IoError beginning with `where` and naming the byte of the file that is wrong.
Header parse_header(std::string_view text, const std::string& where);
/// The format's names of frisket's dtypes, "BOOL, U8, …".
std::string dtype_names();
std::string format_header(const Header& header);

}  // namespace frisket::safetensors
