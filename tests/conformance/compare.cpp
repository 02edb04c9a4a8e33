// SPDX-License-Identifier: MIT
#include "compare.hpp"

#include "storage.hpp"

#include <cmath>
#include <sstream>

using namespace frisket;

namespace conformance {

namespace {

std::string got_want(const std::string& what, const auto& got, const auto& want) {
    std::ostringstream text;
    text.precision(17);
    text << std::boolalpha << what << ": got " << got << ", want " << want;
    return text.str();
}

bool is_close(double got, double want, Tolerance tolerance) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (std::isinf(want) || std::isinf(got)) return got == want;
    return std::abs(got - want) <= tolerance.atol + tolerance.rtol * std::abs(want);
}

/// Compares row-major tensors with a list of numbers, where `mask` is true; `place` names a position.
template <class T>
std::string compare(const T* got, const bool* mask, const Json& want, Tolerance tolerance,
                    const std::function<std::string(std::int64_t)>& place) {
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (!mask[i]) continue;
        const T wanted = element_of<T>(want[i]);
        const bool is_same = std::is_floating_point_v<T>
                                 ? is_close(static_cast<double>(got[i]), number_of(want[i]), tolerance)
                                 : got[i] == wanted;
        if (!is_same) return got_want("value at " + place(static_cast<std::int64_t>(i)), +got[i], +wanted);
    }
    return "";
}

std::string compare_values(const AnyTensor& got, const AnyTensor& mask, const Json& want, Tolerance tolerance,
                           const std::function<std::string(std::int64_t)>& place) {
    if (got.size() != static_cast<std::int64_t>(want.size()))
        return got_want("number of values", got.size(), want.size());
    const AnyTensor values = got.clone(), specified = mask.clone();
    const bool* is_specified = static_cast<const bool*>(specified.data());
    // A bool is its byte: any byte except 0 and 1 is wrong.
    const DType read_as = got.dtype() == DType::boolean ? DType::uint8 : got.dtype();
    return dispatch(read_as, [&]<class T>() {
        return compare(static_cast<const T*>(values.data()), is_specified, want, tolerance, place);
    });
}

AnyTensor mask_of(const Result& result) {
    if (result.mask) return *result.mask;
    return Tensor<bool>({}, {true}).broadcast_to(result.values.shape());
}

std::string compare_result(const Result& got, const Json& want, Tolerance tolerance) {
    const DType dtype = dtype_of(want);
    const Shape shape = shape_of(want);
    const bool is_masked = want.at("kind") == "masked";
    if (got.values.dtype() != dtype) return got_want("dtype", name_of(got.values.dtype()), name_of(dtype));
    if (got.values.shape() != shape)
        return got_want("shape", to_string(got.values.shape()), to_string(shape));
    if (got.mask.has_value() != is_masked)
        return got_want("result", got.mask ? "masked" : "dense", is_masked ? "masked" : "dense");
    const auto place = [&](std::int64_t i) { return to_string(unravel(i, shape)); };
    const AnyTensor mask = mask_of(got);
    const Tolerance exact;
    if (is_masked) {
        const AnyTensor all = Tensor<bool>({}, {true}).broadcast_to(shape);
        const std::string text = compare_values(mask, all, want.at("mask"), exact, place);
        if (!text.empty()) return "mask: " + text;
    }
    return compare_values(got.values, mask, want.at("data"), tolerance, place);
}

Result result_of(const AnyMasked& masked) {
    return {.values = masked.to_dense(0), .mask = masked.mask_tensor()};
}

std::string compare_storage(const AnyMasked& got, const Json& want, Tolerance tolerance) {
    const Layout layout = layout_of(want.at("layout"));
    if (got.layout() != layout) return got_want("layout", name_of(got.layout()), name_of(layout));
    if (layout == Layout::strided) return "";
    const Storage storage = storage_of(got);
    for (const auto& [name, field] : storage.fields.items())
        if (field != want.at(name)) return got_want(name, field.dump(), want.at(name).dump());
    const auto place = [](std::int64_t i) { return std::to_string(i) + " of the storage"; };
    if (want.contains("values_mask")) {
        const AnyTensor all = Tensor<bool>({}, {true}).broadcast_to(storage.values_mask.shape());
        const std::string text = compare_values(storage.values_mask, all, want.at("values_mask"), {}, place);
        if (!text.empty()) return "values_mask: " + text;
    }
    return compare_values(storage.values, storage.values_mask, want.at("values"), tolerance, place);
}

std::string compare_report(const ir::GradcheckReport& got, const Json& want, Tolerance tolerance) {
    for (const bool is_numerical : {true, false}) {
        const char* name = is_numerical ? "numerical" : "analytical";
        const Result jacobian{.values = is_numerical ? got.numerical : got.analytical};
        const std::string text = compare_result(jacobian, want.at(name), tolerance);
        if (!text.empty()) return std::string(name) + ": " + text;
    }
    const bool wanted = want.at("pass");
    return got.pass == wanted ? "" : got_want("pass", got.pass, wanted);
}

AnyMasked as_masked(const Result& result) {
    return result.mask ? AnyMasked::strided(result.values, *result.mask) : AnyMasked::dense(result.values);
}

}  // namespace

std::string difference(const Got& got, const Json& want, Tolerance tolerance) {
    const std::string kind = want.at("kind");
    if (const auto* text = std::get_if<std::string>(&got)) {
        const std::string wanted = kind == "text" ? want.at("text") : Json("something of kind " + kind);
        return *text == wanted ? "" : got_want("text", *text, wanted);
    }
    if (const auto* scalar = std::get_if<Scalar>(&got)) {
        if (kind != "scalar") return got_want("result", "a number", kind);
        const Json dense = {{"kind", "dense"},
                            {"dtype", want.at("dtype")},
                            {"shape", Json::array()},
                            {"data", {want.at("value")}}};
        return compare_result({.values = scalar->value}, dense, tolerance);
    }
    if (const auto* report = std::get_if<ir::GradcheckReport>(&got))
        return kind == "gradcheck" ? compare_report(*report, want, tolerance)
                                   : got_want("result", "Jacobians", kind);
    if (kind != "masked" && kind != "dense") return got_want("result", "a tensor", kind);
    if (const auto* result = std::get_if<Result>(&got)) return compare_result(*result, want, tolerance);
    const AnyMasked& stored = std::get<AnyMasked>(got);
    const std::string text = compare_result(result_of(stored), want, tolerance);
    return text.empty() ? compare_storage(stored, want, tolerance) : text;
}

bool same(const Got& a, const Got& b) {
    if (a.index() != b.index()) return false;
    if (const auto* text = std::get_if<std::string>(&a)) return *text == std::get<std::string>(b);
    if (const auto* scalar = std::get_if<Scalar>(&a))
        return frisket::same(scalar->value, std::get<Scalar>(b).value);
    if (const auto* result = std::get_if<Result>(&a))
        return frisket::same(as_masked(*result), as_masked(std::get<Result>(b)));
    if (const auto* report = std::get_if<ir::GradcheckReport>(&a)) {
        const auto& other = std::get<ir::GradcheckReport>(b);
        return frisket::same(report->numerical, other.numerical) &&
               frisket::same(report->analytical, other.analytical) && report->pass == other.pass;
    }
    return frisket::same(std::get<AnyMasked>(a), std::get<AnyMasked>(b));
}

}  // namespace conformance
