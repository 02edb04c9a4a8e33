// SPDX-License-Identifier: MIT
#include "rule_step.hpp"

#include "../codegen/loops/schedule.hpp"
#include "../optim/optim.hpp"
#include "../runtime/tensor/masked_tensor.hpp"

#include <algorithm>

namespace frisket::cli {

namespace {

DType dtype_of(const std::string& verb, const std::string& name) {
    const auto* const row = std::ranges::find(dtypes, name, &DTypeInfo::name);
    if (row == std::end(dtypes) || !row->is_float)
        throw DTypeError(verb + ": parameters are no \"" + name +
                         "\": write float32, float64, float16 or bfloat16");
    return row->dtype;
}

}  // namespace

RuleStep rule_step(const std::string& verb, const RuleSettings& settings) {
    optim::AnyRule rule = optim::rule_of(settings.step);
    for (const std::string& option : settings.options) {
        const auto equals = option.find('=');
        if (equals == option.npos)
            throw ValueError(verb + ": --option " + option +
                             ": wanted a name and a value, amsgrad=true for instance");
        rule.set(option.substr(0, equals), option.substr(equals + 1));
    }
    parse_layout(settings.layout);
    find_target({settings.target});
    element_count(settings.shape);
    const DType dtype = dtype_of(verb, settings.dtype);
    Graph graph = rule.info().graph(rule.data(), dtype, settings.shape);
    return {std::move(rule), dtype, std::move(graph)};
}

}  // namespace frisket::cli
