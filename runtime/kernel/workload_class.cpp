// SPDX-License-Identifier: MIT
#include "workload_class.hpp"

#include "../layouts/layout_traits.hpp"
#include "kernel_module.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace frisket {

namespace {

int rounded_log2(double x) { return static_cast<int>(std::lround(std::log2(x))); }

int share_class(double part, double whole) {
    if (part <= 0 || whole <= 0) return nothing_specified;
    return static_cast<int>(std::lround(2 * std::log2(std::min(part / whole, 1.0))));
}

std::string percent(int share) {
    char text[24];
    std::snprintf(text, sizeof text, "%.2g %%",
                  share == nothing_specified ? 0 : std::exp2(share / 2.0) * 100);
    return text;
}

}  // namespace

WorkloadClass class_of(const kernel_calls::DispatchQuery& query) {
    WorkloadClass call{.layout = query.layout};
    const auto elements = static_cast<double>(std::max<std::int64_t>(query.elements, 1));
    const auto length = static_cast<double>(std::max<std::int64_t>(query.row_length, 1));
    const auto specified = static_cast<double>(query.counts.specified);
    const auto words = static_cast<double>(query.counts.words);
    call.elements = rounded_log2(elements);
    call.row_length = rounded_log2(length);
    if (query.of_several_masks) {
        call.density = several_masks;
        return call;
    }
    if (!runtime::has_mask(query.layout)) return call;
    if (runtime::is_list(query.layout)) {
        const double in_entry = runtime::lists_rows(query.layout) ? length : 1;
        call.density = share_class(specified, elements / in_entry);
        return call;
    }
    call.density = share_class(specified, words * 64);
    call.lines =
        share_class(static_cast<double>(query.counts.lines_with_any), words * (64.0 / line_elements));
    return call;
}

bool is_small(const WorkloadClass& call) { return call.elements <= rounded_log2(small_call) + 1; }

std::optional<int> distance(const WorkloadClass& a, const WorkloadClass& b) {
    // A schedule is good for about a factor of two in elements, or an octave of densities.
    const int elements = std::abs(a.elements - b.elements), row = std::abs(a.row_length - b.row_length);
    const int density = std::abs(a.density - b.density), lines = std::abs(a.lines - b.lines);
    if (a.layout != b.layout || elements > 1 || row > 1 || density > 2 || lines > 2) return {};
    return elements + row + density + lines;
}

std::string to_string(const WorkloadClass& call) {
    std::string text(name_of(call.layout));
    text +=
        ", 2^" + std::to_string(call.elements) + " elements, rows of 2^" + std::to_string(call.row_length);
    if (call.density == several_masks) return text + ", several masks";
    if (!runtime::has_mask(call.layout)) return text;
    text += ", " + percent(call.density) + " specified";
    if (!runtime::is_list(call.layout)) text += ", in " + percent(call.lines) + " of the lines";
    return text;
}

}  // namespace frisket
