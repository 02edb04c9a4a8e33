// SPDX-License-Identifier: MIT
#pragma once
#include "../../ir/expressions/expression_context.hpp"
#include "value.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

/// The operations of the cases, by name, as what the library calls them.
namespace conformance {

using frisket::ir::Value;

/// An operation that is added to a graph.
struct Call {
    frisket::GraphBuilder& graph;
    frisket::ir::ExpressionContext* session;  ///< null in a step
    std::span<const Value> args;
    const Json& attrs;

    /// Errors: BindingError if there are fewer.
    Value operator[](std::size_t i) const {
        if (i < args.size()) return args[i];
        throw frisket::BindingError("conformance: operand " + std::to_string(i) + " is missing");
    }
    /// An attribute; nothing if it is absent or null.
    template <class T>
    std::optional<T> find(const char* name) const {
        const auto found = attrs.find(name);
        if (found == attrs.end() || found->is_null()) return {};
        return found->template get<T>();
    }
    template <class T>
    T get(const char* name) const {
        return attrs.at(name).get<T>();
    }
    /// An attribute that is a number, as a number of the graph.
    std::optional<Value> number(const char* name) const;
};

using Make = std::function<std::vector<Value>(const Call&)>;

struct Operation {
    std::set<std::string> attrs;  ///< attributes that it has
    Make make;
    /// The rows of the table of operations that it applies; empty if it moves elements or reduces.
    std::optional<std::set<std::string>> rows = {};

    bool is_elementwise() const { return rows.has_value(); }
};
using Operations = std::map<std::string, Operation>;

/// A special operation, or a row of the library's table.
/// Errors: BindingError if there is none of that name, or it has not one of these attributes.
Operation find_operation(const std::string& name, const Json& attrs);

/// Operations that move elements, reduce, or multiply matrices.
const Operations& structural_operations();

}  // namespace conformance
