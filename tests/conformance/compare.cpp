// SPDX-License-Identifier: MIT
#include "compare.hpp"

#include <cmath>
#include <sstream>

using namespace frisket;

namespace conformance {

namespace {

std::string got_want(const std::string& what, const auto& got, const auto& want) {
    std::ostringstream text;
    text.precision(17);
    text << what << ": got " << got << ", want " << want;
    return text.str();
}

bool is_close(double got, double want, Tolerance tolerance) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (std::isinf(want) || std::isinf(got)) return got == want;
    return std::abs(got - want) <= tolerance.atol + tolerance.rtol * std::abs(want);
}

}  // namespace

std::string difference(const Observed& got, const Json& want, Tolerance tolerance) {
    const std::string kind = want.at("kind");
    if (kind != "masked" && kind != "dense") throw Skip{"result of kind " + kind};
    const DType dtype = dtype_of(want);
    const Shape shape = shape_of(want);
    if (!got.fault.empty()) return got.fault;
    if (got.dtype != dtype) return got_want("dtype", name_of(got.dtype), name_of(dtype));
    if (got.shape != shape) return got_want("shape", to_string(got.shape), to_string(shape));
    if (got.is_masked != (kind == "masked")) {
        return got_want("result", got.is_masked ? "masked" : "dense", kind.c_str());
    }
    const Json& data = want.at("data");
    for (std::size_t i = 0; i < got.values.size(); ++i) {
        const bool specified = kind == "dense" || number_of(want.at("mask")[i]) != 0;
        const std::string place = to_string(unravel(static_cast<std::int64_t>(i), shape));
        if (got.written[i] != specified) {
            return got_want("mask at " + place, static_cast<bool>(got.written[i]), specified);
        }
        if (specified && !is_close(got.values[i], number_of(data[i]), tolerance)) {
            return got_want("value at " + place, got.values[i], number_of(data[i]));
        }
    }
    return "";
}

}  // namespace conformance
