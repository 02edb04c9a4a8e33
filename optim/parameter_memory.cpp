// SPDX-License-Identifier: MIT
#include "parameter_memory.hpp"

#include <algorithm>

namespace frisket::optim {

void ParameterMemory::add(std::string name, const AnyTensor& tensor) {
    if (tensor.size() == 0) return;
    const runtime::ByteRange range = runtime::byte_range(tensor);
    const auto place = std::ranges::upper_bound(entries_, range.begin, {},
                                                [](const Entry& entry) { return entry.range.begin; });
    auto at = entries_.insert(place, Entry{range, 0, std::move(name), tensor});
    std::uintptr_t furthest = at == entries_.begin() ? 0 : std::prev(at)->furthest;
    for (; at != entries_.end(); ++at) at->furthest = furthest = std::max(furthest, at->range.end);
}

const std::string* ParameterMemory::overlapping(const AnyTensor& tensor) const {
    if (tensor.size() == 0) return nullptr;
    const runtime::ByteRange range = runtime::byte_range(tensor);
    auto at = std::ranges::lower_bound(entries_, range.end, {},
                                       [](const Entry& entry) { return entry.range.begin; });
    while (at != entries_.begin() && (--at)->furthest > range.begin)
        if (runtime::overlap(at->tensor, tensor) != runtime::Overlap::none) return &at->name;
    return nullptr;
}

}  // namespace frisket::optim
