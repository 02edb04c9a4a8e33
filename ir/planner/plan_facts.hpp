// SPDX-License-Identifier: MIT
// Defines the facts of a call that choose its plan: formats of arguments and results of tests.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "../../runtime/kernel/argument.hpp"

/// Facts of a call on which plans depend, in addition to the graph: formats of arguments and answers to
/// tests.
namespace frisket::planning {

/// The plans that a call may have.
enum class PlanScope : std::uint8_t {
    device,  ///< by rules that read no list: lists are read as whole tensors
    ahead,   ///< those that are enumerated ahead of time
    any,     ///< all: loops are compiled when a plan needs them
};

/// The form of an argument.
struct Format {
    enum class Kind : std::uint8_t { number, tensor, masked };
    Kind kind = Kind::tensor;
    Layout layout = Layout::dense;  ///< the layout of a masked tensor

    bool is_masked() const noexcept { return kind == Kind::masked; }
    /// True for a masked tensor that may leave elements out.
    bool has_mask() const noexcept { return is_masked() && layout != Layout::dense; }
    /// True for a masked tensor that stores indices, or blocks or rows of them.
    bool is_list() const;
    bool operator==(const Format&) const = default;
};
Format format_of(const Argument& argument);
std::vector<Format> formats_of(std::span<const Argument> arguments);

/// A question about masked arguments: each answer has a plan of its own.
struct PlanTest {
    enum class Kind : std::uint8_t {
        same_pattern,     ///< `symbol` and `other` store equal positions in one layout
        stores_above,     ///< `symbol` stores more than `limit` elements, duplicates counted
        specifies_above,  ///< `symbol` specifies more than `limit` elements
    };
    Kind kind = Kind::same_pattern;
    int symbol = 0;
    int other = -1;
    std::int64_t limit = 0;
    bool operator==(const PlanTest&) const = default;
};

/// The lack of an answer to a test.
struct UnknownFact { PlanTest test; };

/// Formats of the arguments of a call, and an answer to every test of them.
class PlanFacts {
public:
    using Answer = std::function<bool(const PlanTest&)>;

    /// The facts of arguments, to which they refer.
    explicit PlanFacts(std::span<const Argument> arguments);
    /// Facts without arguments: the facts of all calls in which the tests have these answers.
    PlanFacts(std::vector<Format> formats, Answer answer)
        : formats_(std::move(formats)), answer_(std::move(answer)) {}

    /// Format of each symbol's argument.
    std::span<const Format> formats() const noexcept { return formats_; }
    const Format& operator[](int symbol) const { return formats_[static_cast<std::size_t>(symbol)]; }
    /// Cost: linear in the stored elements of the masked arguments.
    /// Errors: the errors of the answer: UnknownFact where nobody knows it.
    bool is(const PlanTest& test) const { return answer_(test); }

private:
    std::vector<Format> formats_;
    Answer answer_;
};

/// An answer on which a plan depends.
struct KnownFact {
    PlanTest test;
    bool answer = false;
};
/// The facts, which adds each answer that is asked for to `known`.  Refers to both.
PlanFacts noting(const PlanFacts& facts, std::vector<KnownFact>& known);
/// True if the tests have the same answers for these arguments.
/// Cost: linear in the stored elements of the masked arguments.
bool hold(std::span<const KnownFact> known, std::span<const Argument> arguments);

}  // namespace frisket::planning
