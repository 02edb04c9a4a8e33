// SPDX-License-Identifier: MIT
// Describes the parameters of a kernel.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "../tensor/dtype.hpp"

namespace frisket {

/// Kinds of named symbols of a step.
enum class SymbolKind : std::uint8_t {
    in_out,        ///< a dense tensor that is read and written
    in,            ///< a dense tensor that is read
    masked,        ///< a masked tensor that is read
    scalar,        ///< a host scalar
    scalar_state,  ///< a host scalar that the step updates
    let,           ///< a named intermediate; no parameter of a kernel
};

/// True if a call binds a tensor, dense or masked.
constexpr bool is_tensor(SymbolKind kind) { return kind <= SymbolKind::masked; }
/// "InOut", "In", … as users write it.
std::string_view name_of(SymbolKind kind);
/// The kind of a name.  Errors: ValueError if no kind has this name.
SymbolKind parse_symbol_kind(std::string_view name);

/// A parameter of a kernel.
struct Parameter {
    std::string name;
    SymbolKind kind;
    DType dtype;  ///< scalars: float64 or int64
    /// Elements of a row may share one address; written elements take the same value there.
    bool is_repeated = false;
    bool operator==(const Parameter&) const = default;
};

/// An update of a step, as far as a call must know it.
struct UpdateRule {
    int target;                 ///< index of a parameter
    std::vector<int> operands;  ///< tensors (In, InOut, Masked) that its value and its mask read
    bool operator==(const UpdateRule&) const = default;
};

/// Parameters of a kernel, and the facts about its step that a call checks before it runs.
struct Signature {
    std::string name;  ///< name of the step
    std::vector<Parameter> parameters;
    std::vector<UpdateRule> updates;
    std::vector<std::array<int, 2>> equal_masks;  ///< Masked parameters that must specify the same elements
    /// The Masked parameter of which only specified elements are written, or -1 if the step writes all
    /// elements or elements of several masks.
    int domain = -1;
    /// The parameters that are written, in the order in which loops take and store them: a parameter that the
    /// new value of a second one reads comes after the second one, unless each new value reads the other
    /// parameter.
    std::vector<int> outputs;
    /// True if shapes of tensors are fixed by the signature: a call need not compare them with each other.
    bool has_shapes = false;
    /// True if a stored value depends on the position of its element in the tensor.
    bool needs_positions = false;
    bool operator==(const Signature&) const = default;

    /// True if the step writes a parameter.
    bool writes(int parameter) const;
    /// Index of a parameter, or -1.
    int find(std::string_view parameter_name) const;
};

}  // namespace frisket
