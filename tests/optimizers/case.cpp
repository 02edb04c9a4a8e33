// SPDX-License-Identifier: MIT
#include "case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace frisket;
using namespace frisket::optim;

namespace goldens {

AnyRule rule_of_case(const Json& test) {
    AnyRule rule = rule_of(test.at("optimizer").get<std::string>());
    for (const auto& [name, value] : test.at("hyper").items())
        rule.set(name, value.is_string() ? value.get<std::string>() : value.dump());
    return rule;
}

namespace {

/// Reason why a case fails or does not run.
struct Stop { Verdict verdict; };
[[noreturn]] void fail(const std::string& text) { throw Stop{{Outcome::failed, text}}; }

template <class T>
Tensor<T> tensor(const Json& numbers, const Shape& shape) {
    std::vector<T> elements;
    for (const Json& number : numbers) elements.push_back(static_cast<T>(number.get<double>()));
    return Tensor<T>(shape, elements);
}

template <class T>
AnyMasked listed(const Json& gradient, const Shape& shape) {
    const auto lists = gradient.at("indices").get<std::vector<std::vector<std::int64_t>>>();
    const Json& values = gradient.at("values");
    const auto stored = static_cast<std::int64_t>(lists.at(0).size());
    if (lists.size() == shape.size()) return AnyMasked::coo(shape, lists, tensor<T>(values, {stored}));
    Shape rows = shape;
    rows[0] = stored;
    return AnyMasked::rows(shape, lists[0], tensor<T>(values, rows));
}

/// The gradient of a step, masked or a plain tensor, with NaN where nothing is specified.
template <class T>
struct Gradient {
    std::optional<AnyMasked> masked;
    AnyTensor dense;

    Gradient(const Json& gradient, const Shape& shape, std::optional<Layout> layout) {
        const std::string stored = gradient.at("layout");
        if (stored == "strided") {
            dense = tensor<T>(gradient.at("values"), shape);
        } else if (stored == "coo") {
            masked = listed<T>(gradient, shape);
        } else {
            const auto flags = gradient.at("mask").get<std::vector<int>>();
            Tensor<T> values = tensor<T>(gradient.at("values"), shape);
            Tensor<bool> mask(shape);
            for (std::size_t i = 0; i < flags.size(); ++i) {
                mask.data()[i] = flags[i] != 0;
                if (flags[i] == 0) values.data()[i] = std::numeric_limits<T>::quiet_NaN();
            }
            masked = AnyMasked::strided(values, mask);
        }
        if (layout) convert(*layout);
    }

    void convert(Layout layout) {
        const AnyMasked given = masked ? *masked : AnyMasked::dense(dense);
        try {
            masked = given.to(layout);
        } catch (const LayoutError& error) {
            throw Stop{{Outcome::skipped, "layout " + std::string(name_of(layout)) + " cannot hold it"}};
        }
    }
    Argument argument(const Device& device) const {
        return masked ? Argument(masked->to(device)) : Argument(dense.to(device));
    }
    Tensor<bool> mask() const { return masked ? masked->mask_tensor() : full<bool>(dense.shape(), true); }
};

template <class T>
void compare(const std::string& what, const AnyTensor& found, const Json& wanted, double floor) {
    const bool is_number = wanted.is_number();
    const std::int64_t count = is_number ? 1 : static_cast<std::int64_t>(wanted.size());
    if (found.size() != count)
        fail(what + " has " + std::to_string(found.size()) + " elements, wanted " + std::to_string(count));
    const Tensor<double> numbers(found.to(Device()).to(DType::float64));
    for (std::int64_t i = 0; i < count; ++i) {
        const double x = numbers.data()[i];
        const double y = is_number ? wanted.get<double>() : wanted[static_cast<std::size_t>(i)].get<double>();
        const double allowed =
            std::is_same_v<T, double> ? 1e-12 * std::max(1.0, std::abs(y)) : std::max(1e-5, 8 * floor);
        if (std::isnan(x) ? std::isnan(y) : std::abs(x - y) <= allowed) continue;
        fail(what + "[" + std::to_string(i) + "] is " + std::to_string(x) + ", wanted " + std::to_string(y) +
             ", off by " + std::to_string(std::abs(x - y) / allowed) + " of what is allowed");
    }
}

/// Checks that elements which the gradient does not specify have the bytes they had.
template <class T>
void compare_untouched(const Tensor<T>& before, const Tensor<T>& now, const Tensor<bool>& mask) {
    for (std::int64_t i = 0; i < before.size(); ++i)
        if (!mask.data()[i] && std::memcmp(before.data() + i, now.data() + i, sizeof(T)) != 0)
            fail("param[" + std::to_string(i) + "] changed, and its gradient is unspecified");
}

template <class T>
void run(const Json& test, const Options& options) {
    const auto shape = test.at("shape").get<Shape>();
    const AnyRule rule = rule_of_case(test);
    // A dense gradient in another layout is a masked one, which some rules have no form for.
    const bool is_equivalent =
        test.at("semantics") == "dense_equivalent" || (options.layout && !rule.info().no_mask.empty());
    const Tensor<T> param = tensor<T>(test.at("param0"), shape).to(options.device);
    const Optimizer::Settings settings{
        .untouched = is_equivalent ? Untouched::dense_equivalent : Untouched::masked,
        .target = options.target,
        .interpret = options.interpret,
    };
    Optimizer optimizer(settings, rule, {{"param", param}});
    for (const auto& [name, value] : test.at("state0").items())
        compare<T>("state " + name + " at the start", optimizer.state("param", name), value, 0);
    int number = 0;
    for (const Json& step : test.at("steps")) {
        const std::string when = " after step " + std::to_string(++number);
        const Gradient<T> gradient(step.at("grad"), shape, options.layout);
        const Tensor<T> before = param.to(Device()).clone();
        optimizer.step({gradient.argument(options.device)});
        compare<T>("param" + when, param, step.at("param"), test.at("float32_floor").at("param_abs"));
        if (!is_equivalent) compare_untouched(before, param.to(Device()), gradient.mask());
        for (const auto& [name, value] : step.at("state").items())
            compare<T>("state " + name + when, optimizer.state("param", name), value,
                       test.at("float32_floor").at("state_abs"));
    }
}

}  // namespace

Verdict run_case(const Json& test, const Options& options) {
    try {
        run<double>(test, options);
        run<float>(test, options);
        return {};
    } catch (const Stop& stop) { return stop.verdict; } catch (const std::exception& error) {
        return {Outcome::failed, error.what()};
    }
}

}  // namespace goldens
