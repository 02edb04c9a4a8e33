// SPDX-License-Identifier: MIT
#pragma once
#include "value.hpp"

#include <optional>
#include <string>

/// The layouts of the cases: their names, and the fields that hold the stored elements.
namespace conformance {

/// The layout of a case's name.  Errors: LayoutError.
frisket::Layout layout_of(const std::string& name);
/// The block size that a case or an attribute names, if it does.
std::optional<frisket::Blocksize> blocksize_of(const Json& json);

/// A masked tensor with the storage of a case, be it broken.
/// Errors: the library's.
frisket::AnyMasked masked_of(const Json& json);

/// Storage of a masked tensor, in the fields of the cases.
struct Storage {
    Json fields = Json::object();  ///< all but values and values_mask
    frisket::AnyTensor values;     ///< row-major
    frisket::AnyTensor values_mask;
};
Storage storage_of(const frisket::AnyMasked& masked);

}  // namespace conformance
