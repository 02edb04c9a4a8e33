// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "library.hpp"

/// Parts of the sources of a kernel library.
namespace frisket::aot {

std::string literal(std::string_view text);

/// "{a, b, c}"
template <class List, class Text>
std::string braced(const List& list, Text&& text) {
    std::string all;
    for (const auto& item : list) all += (all.empty() ? "" : ", ") + std::string(text(item));
    return "{" + all + "}";
}

/// A text with its @NAMES@ replaced.
std::string fill(std::string_view text,
                 std::initializer_list<std::pair<std::string_view, std::string>> values);

/// Arrays of constants, which the tables of a source refer to.
class Constants {
public:
    /// Defines an array of rows, each an initializer.  Returns its name; "{}" if rows are empty.
    std::string add(std::string_view type, const std::string& name, const std::vector<std::string>& rows);
    template <class List, class Text>
    std::string add(std::string_view type, const std::string& name, const List& list, Text&& text) {
        std::vector<std::string> rows;
        for (const auto& item : list) rows.push_back(text(item));
        return add(type, name, rows);
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// "strided, coo", or "grad=coo,mask=strided" where Masked parameters differ.
std::string layout_list(const LibraryStep& step);
/// "Made by frisket_add_kernels from steps.hpp."
std::string made_from(const Library& library);
/// Targets of processors in the order in which one tries them: the widest vectors first, then the most
/// features.
std::vector<std::size_t> best_first(const Library& library);
/// Targets that are devices.
std::vector<std::size_t> devices_of(const Library& library);
/// The name of the array of a library's devices, in the order of devices_of(); empty: it has no devices.
std::string devices_declared(const Library& library);
/// The definition of that array, which tells the runtime of them.
std::string devices_source(const Library& library);
/// The table of a step's loops for these targets.
std::string planned_targets(Constants& constants, const Library& library, const LibraryStep& step,
                            std::span<const std::size_t> targets);
/// Declarations of its functions, in C.
std::string planned_functions(const LibraryStep& step);
/// The bits of a target's features.
std::string features_text(Constants& constants, const LibraryTarget& target, const std::string& name);
/// The initializer of a SignatureTable.
std::string signature_table(Constants& constants, const Signature& signature);
/// The initializer of a Description.
std::string description_of(Constants& constants, const LibraryStep& step);
/// Declaration of the step of the user's header; empty if the step was recorded.
std::string declared_step(const Library& library, const LibraryStep& step);

/// The definition of a step's C function.
std::string c_definition(const Library& library, const LibraryStep& step);
/// The source of a planned step or a function.
std::string planned_source(const Library& library, const LibraryStep& step);
/// The function that passes all loops of a library to optimizers; empty if it has none.
std::string provider_source(const Library& library);

/// Parts of the source of a step.
struct SourceParts {
    std::string functions;   ///< declarations in C
    std::string steps = {};  ///< declarations of steps of the user's header
    std::string_view type;   ///< type of the table, in frisket::aot
    std::string table;       ///< its initializer
    std::string c_function = {};
};
std::string source_of(const Library& library, const LibraryStep& step, const Constants& constants,
                      const SourceParts& parts);

/// The initializer of a CallClassRow.
std::string class_text(const WorkloadClass& call);
/// "true" or "false".
std::string text_of(bool value);

}  // namespace frisket::aot
