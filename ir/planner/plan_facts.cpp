// SPDX-License-Identifier: MIT
#include "plan_facts.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/layouts/stored.hpp"
#include "../at.hpp"

#include <algorithm>
#include <utility>

namespace frisket::planning {

namespace {

/// True if two masked tensors have equal storage: one layout, with equal positions in equal order.
bool has_same_places(const AnyMasked& a, const AnyMasked& b) {
    if (a.layout() != b.layout() || a.shape() != b.shape()) return false;
    if (a.index()) return a.index() == b.index() || runtime::same_mask(a, b);
    const bool is_same_index =
        a.compressed_index() == b.compressed_index() || *a.compressed_index() == *b.compressed_index();
    return is_same_index && runtime::same_mask(a, b);
}

/// The answers of arguments.
class Answers {
public:
    explicit Answers(std::span<const Argument> arguments) : arguments_(arguments) {}
    bool operator()(const PlanTest& test) {
        const AnyMasked& masked = arguments_[ir::at(test.symbol)].masked();
        switch (test.kind) {
            case PlanTest::Kind::same_pattern:
                return has_same_places(masked, arguments_[ir::at(test.other)].masked());
            case PlanTest::Kind::stores_above: return masked.values().size() > test.limit;
            case PlanTest::Kind::specifies_above:
                if (std::exchange(counted_, test.symbol) != test.symbol) count_ = masked.specified_count();
                return count_ > test.limit;
        }
        return false;
    }

private:
    std::span<const Argument> arguments_;
    int counted_ = -1;  // symbol whose elements were counted last
    std::int64_t count_ = 0;
};

}  // namespace

bool Format::is_list() const { return is_masked() && runtime::is_list(layout); }

Format format_of(const Argument& argument) {
    switch (argument.kind()) {
        case Argument::Kind::masked: return {Format::Kind::masked, argument.masked().layout()};
        case Argument::Kind::tensor: return {Format::Kind::tensor};
        default: return {Format::Kind::number};
    }
}

std::vector<Format> formats_of(std::span<const Argument> arguments) {
    std::vector<Format> formats;
    formats.reserve(arguments.size());
    for (const Argument& argument : arguments) formats.push_back(format_of(argument));
    return formats;
}

PlanFacts::PlanFacts(std::span<const Argument> arguments)
    : formats_(formats_of(arguments)), answer_(Answers(arguments)) {}

PlanFacts noting(const PlanFacts& facts, std::vector<KnownFact>& known) {
    return {{facts.formats().begin(), facts.formats().end()}, [&facts, &known](const PlanTest& test) {
                const bool answer = facts.is(test);
                if (std::ranges::find(known, test, &KnownFact::test) == known.end())
                    known.push_back({test, answer});
                return answer;
            }};
}

bool hold(std::span<const KnownFact> known, std::span<const Argument> arguments) {
    Answers answers(arguments);
    return std::ranges::all_of(known,
                               [&](const KnownFact& fact) { return answers(fact.test) == fact.answer; });
}

}  // namespace frisket::planning
