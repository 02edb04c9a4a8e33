// SPDX-License-Identifier: MIT
// The table of operations by name, with their attributes: for programs that are read at run time.
#pragma once
#include "value.hpp"

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <variant>

namespace frisket::ir {

/// An attribute of an operation: dims, a dtype by its name, a fill.  Value: a number of the graph.
using Attribute = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, Value>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

/// An operation that is added to a graph.
struct OperationCall {
    std::string_view name;
    GraphBuilder& graph;
    std::span<const Value> args;
    const Attributes& attrs;
    ValueReader reader = {};  ///< empty: operands are not evaluated while the graph is made

    /// Errors: BindingError if there are fewer operands.
    Value operator[](std::size_t i) const;
    /// An attribute; nothing if it is absent.  Errors: BindingError if it is of another type.
    template <class T>
    std::optional<T> find(std::string_view attr) const;
    /// An attribute.  Errors: BindingError if it is absent or of another type.
    template <class T>
    T get(std::string_view attr) const;
    /// An attribute that is a number, as a number of the graph.
    std::optional<Value> number(std::string_view attr) const;
    /// The reader.  Errors: ValueError without a reader.
    const ValueReader& values() const;
};

/// An operation of the table.
struct Operation {
    using Make = std::function<std::vector<Value>(const OperationCall&)>;

    std::set<std::string, std::less<>> attrs;  ///< names of its attributes
    Make make;
    /// The rows of the table of elementwise operations that it applies; absent if it moves elements or
    /// reduces.
    std::optional<std::set<std::string>> rows = {};

    bool is_elementwise() const { return rows.has_value(); }
};
using Operations = std::map<std::string, Operation, std::less<>>;

/// An operation by its name, the table's or a row of the table of elementwise operations.
/// Errors: BindingError if no operation has that name, or it lacks one of these attributes.
const Operation& find_operation(std::string_view name, const Attributes& attrs);
/// Adds an operation; the results are several only for `split`.
/// Errors: as find_operation, and the operation's errors.
std::vector<Value> apply_operation(const OperationCall& call);
/// All operations.
const Operations& operations();

/// Internal: operations that move elements, reduce, or multiply matrices.
Operations structural_operations();

}  // namespace frisket::ir
