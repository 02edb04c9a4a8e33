// SPDX-License-Identifier: MIT
#include "tuning_text.hpp"

#include <algorithm>
#include <bit>

namespace frisket::codegen {

namespace {

constexpr std::string_view beginning = "expression ";

std::string form_text(const InputForm& form) {
    if (form.is_ranked) return "list";
    std::string text = form.values_are_rows ? "rows" : "strided rows";
    if (form.has_mask)
        text += std::string(", mask of ") + (form.mask_is_bits ? "bits" : "bytes") +
                (form.mask_is_in_line ? " in line" : "") + (form.mask_is_rows ? "" : ", strided");
    return text;
}

/// A line of a graph's text, whose extents follow its last colon: "%2 = add %0 %1: float32[4096, 64]".
std::string with_any_extents(std::string_view line) {
    const auto colon = line.rfind(": ");
    const auto begin = colon == line.npos ? colon : line.find('[', colon);
    const auto end = begin == line.npos ? begin : line.find(']', begin);
    if (end == line.npos) return std::string(line);
    std::string text(line.substr(0, begin + 1));
    for (std::size_t at = begin + 1; at < end;) {
        const std::size_t stop = std::min(line.find(", ", at), end);
        text += line.substr(at, stop - at) == "1" ? "1" : "2";
        if (stop < end) text += ", ";
        at = stop < end ? stop + 2 : end;
    }
    return text + std::string(line.substr(end));
}

/// A number for calls whose texts are equal, and most likely only for these.
std::size_t hash_of_text(const Graph& body, const Pattern& pattern, const Specialization& form) {
    std::size_t all = hash(pattern.graph);
    const auto mix = [&](std::size_t one) { all = (all ^ one) * 0x9e3779b97f4a7c15U + (all >> 29); };
    for (const Node& node : body.nodes)
        for (const std::int64_t extent : node.shape) mix(static_cast<std::size_t>(rounded_extent(extent)));
    for (const auto& [has_mask, is_bits, is_in_line, is_ranked, values_are_rows, mask_is_rows, of_list,
                      by_list] : form.inputs)
        mix(has_mask + 2U * is_bits + 4U * values_are_rows + 8U * mask_is_rows + 16U * by_list +
            32U * of_list + 64U * is_in_line + 128U * is_ranked);
    return all;
}

}  // namespace

std::int64_t rounded_extent(std::int64_t extent) {
    if (extent <= 2) return std::max<std::int64_t>(extent, 0);
    const auto above = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
    // The power of two that is nearer as a ratio.
    const bool is_above = static_cast<double>(extent) * static_cast<double>(extent) >= above * above / 2;
    return static_cast<std::int64_t>(is_above ? above : above / 2);
}

std::string tuning_text(const Graph& body, const Pattern& pattern, const Specialization& form) {
    Pattern nameless = pattern;
    for (std::size_t i = 0; i < nameless.graph.symbols.size(); ++i)
        nameless.graph.symbols[i].name = "x" + std::to_string(i);
    Graph named = nameless.named();
    for (std::size_t i = 0; i < body.nodes.size(); ++i) {
        named.nodes[i].shape = body.nodes[i].shape;
        for (std::int64_t& extent : named.nodes[i].shape) extent = rounded_extent(extent);
    }
    const std::string all = to_string(named);
    std::string text = std::string(beginning) + nameless.title() + all.substr(all.find('\n'));
    for (std::size_t i = 0; i < form.inputs.size(); ++i)
        text += "  form of x" + std::to_string(i) + ": " + form_text(form.inputs[i]) + "\n";
    return text;
}

std::string text_of_any_extents(std::string_view text) {
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        all += with_any_extents(text.substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return all;
}

std::optional<Schedule> TuningAnswers::get(const Graph& body, const Pattern& pattern,
                                           const Specialization& form, const LookUp& look_up) {
    const std::size_t key = hash_of_text(body, pattern, form);
    const std::lock_guard lock(mutex_);
    if (const auto known = by_hash_.find(key); known != by_hash_.end()) return known->second;
    if (by_hash_.size() >= most) by_hash_.clear();
    return by_hash_[key] = look_up(tuning_text(body, pattern, form));
}

bool is_text_of_body(std::string_view text) { return text.starts_with(beginning); }

}  // namespace frisket::codegen
