// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../runtime/kernel/signature.hpp"
#include "../../runtime/tensor/shape.hpp"

namespace frisket::aot {

/// Shapes for which a step is compiled: names or numbers of each parameter's extents.
struct ShapeForm {
    std::vector<std::vector<std::string>> extents;  ///< extents of each parameter; host scalars have none

    /// Names of extents, in the order in which they appear.
    std::vector<std::string> names() const;
    /// The shapes for values of these names.
    std::vector<Shape> shapes(const std::map<std::string, std::int64_t>& values) const;
};

/// The words of SHAPES that are meant for a step: words without a step's name, and words that begin with this
/// step's name, "loss: u=rows,rank …"; nothing for words of another step.
std::optional<std::string_view> words_for(std::string_view step, std::string_view words);
/// A form from words of frisket_add_kernels, "param=rows,dim grad=rows,dim state_sum=rows,1".
/// Errors: ShapeError if a word does not name a tensor parameter once, or one is left out.
ShapeForm shape_form(std::string_view words, std::span<const Parameter> parameters);
/// Forms of a step that names none: all tensors have one shape of 1 to 4 dimensions.
std::vector<ShapeForm> usual_forms(std::span<const Parameter> parameters);

/// Values of a form's names, whose plans have loops of their own.
struct ExtentClass {
    std::map<std::string, std::int64_t> extents;
    bool has_threads = true;  ///< calls of these extents have loops with threads, where these pay
};
/// The classes of a form's extents: small and large extents, whole words of a bit mask, long rows, 0 and 1.
std::vector<ExtentClass> extent_classes(const ShapeForm& form);

}  // namespace frisket::aot
