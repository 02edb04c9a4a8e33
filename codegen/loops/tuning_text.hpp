// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "../../runtime/support/fork.hpp"
#include "specialization.hpp"

namespace frisket::codegen {

/// An extent as similar calls share it: 0, 1, or another power of two.
std::int64_t rounded_extent(std::int64_t extent);

/// The text by which a body's tuning results are found: its operations, the powers of two nearest to its
/// extents, the forms of its tensors in memory.  Names of symbols are left out.
std::string tuning_text(const Graph& body, const Pattern& pattern, const Specialization& form);

/// A text of tuning_text for all extents: they are 1 or 2, as patterns have them.
std::string text_of_any_extents(std::string_view text);

/// Schedules of bodies that were looked up by their texts, so that similar calls make the text once.
class TuningAnswers {
public:
    using LookUp = std::function<std::optional<Schedule>(const std::string& text)>;
    /// The schedule of a body, which `look_up` returns for its text.  Threads: any may call it.
    std::optional<Schedule> get(const Graph& body, const Pattern& pattern, const Specialization& form,
                                const LookUp& look_up);

private:
    static constexpr std::size_t most = 4096;
    runtime::Mutex mutex_;
    std::unordered_map<std::size_t, std::optional<Schedule>> by_hash_;
};

/// True for the text of a body, false for the text of a step.
bool is_text_of_body(std::string_view text);

}  // namespace frisket::codegen
