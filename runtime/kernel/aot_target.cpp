// SPDX-License-Identifier: MIT
#include "aot_target.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "../support/joined.hpp"
#include "../tensor/error.hpp"

namespace frisket::kernel_calls {

std::size_t best_target(std::string_view who, std::span<const TargetFeatures> targets,
                        int (*can_use_target_features)(int count, const std::uint64_t* features)) {
    const auto fits = [&](const TargetFeatures& target) {
        return can_use_target_features(static_cast<int>(target.features.size()), target.features.data()) != 0;
    };
    const char* const wanted = std::getenv("FRISKET_TARGET");
    const auto named =
        std::ranges::find(targets, std::string_view(wanted ? wanted : ""), &TargetFeatures::name);
    if (named != targets.end() && fits(*named)) return static_cast<std::size_t>(named - targets.begin());
    const auto best = std::ranges::find_if(targets, fits);
    if (named == targets.end() && best != targets.end())
        return static_cast<std::size_t>(best - targets.begin());
    const std::string names = runtime::joined(targets, &TargetFeatures::name);
    if (named != targets.end())
        throw TargetError(std::string(who) + ": this processor cannot run target " + wanted +
                          ", which FRISKET_TARGET names: leave it out, or name another of " + names);
    throw TargetError(std::string(who) + ": was compiled for " + names +
                      ", which this processor cannot run: add a plainer one, x86-64 for instance, to TARGETS "
                      "of frisket_add_kernels");
}

}  // namespace frisket::kernel_calls
