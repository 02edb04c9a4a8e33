// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

std::string cpp_name(DType dtype);
std::string cpp_name(SymbolKind kind);
std::string cpp_name(Layout layout);

/// "strided, coo", or "grad=coo,mask=strided" where Masked parameters differ.
std::string layout_list(const LibraryStep& step);
/// "Made by frisket_add_kernels from steps.hpp."
std::string made_from(const Library& library);
/// Targets of processors in the order in which one tries them: the widest vectors first, then the most
/// features.
std::vector<std::size_t> best_first(const Library& library);
/// Targets that are devices.
std::vector<std::size_t> devices_of(const Library& library);
/// The name of the array of a library's devices, in the order of devices_of(); empty: there are none.
std::string devices_declared(const Library& library);
/// The definition of that array, which tells the runtime of them.
std::string devices_source(const Library& library);
/// The tables of a step's loops for these targets, as an initializer, and what it refers to: declarations of
/// functions of C, and notes.
std::string planned_targets(const Library& library, const LibraryStep& step,
                            std::span<const std::size_t> targets);
std::string planned_functions(const LibraryStep& step);
std::string planned_notes(const LibraryStep& step);
/// A signature as an initializer.
std::string signature_text(const Signature& signature);

/// The C function of a step: its definition, which calls `callee`, a lambda that gives what it calls.
std::string c_definition(const Library& library, const LibraryStep& step, std::string_view callee);
/// The type of what makes a planned step or a function.
std::string planned_type(const LibraryStep& step);
/// The source of a planned step or a function.
std::string planned_source(const Library& library, const LibraryStep& step);
/// The function that gives all loops of a library to optimizers; empty if it has none.
std::string provider_source(const Library& library);

/// A class of calls.
std::string class_text(const WorkloadClass& call);

}  // namespace frisket::aot
