// SPDX-License-Identifier: MIT
#include "host.hpp"

#include "storage.hpp"

#include <map>

using namespace frisket;

namespace conformance {

namespace {

/// The results of these keep whatever storage their input has.
Got values_of(const AnyMasked& masked) {
    return Result{.values = masked.to_dense(0), .mask = masked.mask_tensor()};
}

Got make(const std::vector<Input>& inputs, const Json&) {
    return values_of(AnyMasked::strided(inputs.at(0).tensor, inputs.at(1).tensor));
}
Got construct(const std::vector<Input>& inputs, const Json&) { return values_of(inputs.at(0).masked); }
Got coalesce(const std::vector<Input>& inputs, const Json&) { return inputs.at(0).masked.coalesce(); }
Got item(const std::vector<Input>& inputs, const Json&) {
    const AnyMasked& masked = inputs.at(0).masked;
    return dispatch(masked.dtype(), [&]<class T>() -> Got {
        return Scalar{Tensor<T>({}, {MaskedTensor<T>(masked).item()})};
    });
}
Got str(const std::vector<Input>& inputs, const Json&) { return to_string(inputs.at(0).masked); }
Got to_layout(const std::vector<Input>& inputs, const Json& attrs) {
    return inputs.at(0).masked.to(layout_of(attrs.at("layout")), blocksize_of(attrs));
}

}  // namespace

const HostOperation* find_host_operation(const std::string& name) {
    static const std::map<std::string, HostOperation> table = {
        {"make", {.run = make, .is_expression = true}},
        {"construct", {.run = construct, .is_expression = true}},
        {"coalesce", {.run = coalesce}},
        {"item", {.run = item}},
        {"str", {.run = str}},
        {"to_layout", {.run = to_layout}},
    };
    const auto found = table.find(name);
    return found == table.end() ? nullptr : &found->second;
}

}  // namespace conformance
