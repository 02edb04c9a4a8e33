// SPDX-License-Identifier: MIT
#pragma once
#include "../fuzz/program.hpp"

#include <string_view>

/// Random expressions of lists, as programs of tests/fuzz: each at two sizes, with lists made by one rule.
namespace closure {

using namespace frisket;
using fuzz::Instruction;
using fuzz::Program;
using ir::Value;

/// Extents of a program, and how many elements its lists have.
struct Sizes {
    std::int64_t rows = 0, columns = 0;  ///< long dimensions
    std::int64_t ids = 0;                ///< rows or columns that are gathered
    std::int64_t places = 0;             ///< of a list
    std::int64_t hubs = 0;               ///< rows and columns that have half of the elements
};
inline constexpr Sizes large{1'000'003, 900'001, 300, 1000, 30}, small{53, 37, 19, 60, 5};
/// The least at which a dense tensor of both extents cannot be stored: bodies are interpreted in time.
inline constexpr Sizes least_large{100'003, 90'001, 300, 1000, 30};

/// A program at both sizes.
struct Sized { Program large, small; };

/// A program of this seed; without instructions if none is found.
/// `only`: it has an operation of this name (operations.hpp), if it is not empty.
Sized generate(std::uint32_t seed, const Sizes& large_sizes, std::string_view only);

/// True if no tensor of this shape can be stored whole at the large size, by its extents.
bool is_huge(const Shape& shape);

}  // namespace closure
