// SPDX-License-Identifier: MIT
// Reads and writes the headers of .npy files.
#pragma once
#include <string>
#include <string_view>

#include "../tensor/dtype.hpp"
#include "../tensor/shape.hpp"

/// The header of an .npy file: magic bytes, a version, a length, and a Python dict as text.
namespace frisket::npy {

/// Contents of the header's dict.
struct Header {
    DType dtype = DType::float32;
    bool is_fortran_order = false;
    Shape shape;
};

inline constexpr std::string_view magic = "\x93NUMPY";
/// The lengths that fit in two bytes; longer headers, of formats 2.0 and 3.0, describe arrays that no frisket
/// tensor can be.
inline constexpr std::size_t max_text = 65535;

/// Parses the dict with its padding and its newline.  `where` begins the sentence of an error, `begin` is the
/// text's offset in the file.
/// Errors: IoError.
Header parse_header(std::string_view text, std::size_t begin, const std::string& where);

/// A whole header of format 1.0, C order, padded to a multiple of 64 bytes.
/// Errors: IoError if the shape has more dimensions than the format can say, DTypeError if NumPy has no such
/// dtype.
std::string format_header(DType dtype, const Shape& shape, const std::string& where);

}  // namespace frisket::npy
