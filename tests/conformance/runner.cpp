// SPDX-License-Identifier: MIT
#include "runner.hpp"

#include "compare.hpp"

#include <algorithm>

using namespace frisket;

namespace conformance {

namespace {

/// The names that the cases have for kinds of errors.
std::string kind_of(ErrorCode code) {
    if (code == ErrorCode::identity) return "no_identity";
    if (code == ErrorCode::unspecified) return "undefined";
    return std::string(name_of(code));
}

std::vector<Value> inputs_of(const Json& test, const Options& options) {
    std::vector<Value> inputs;
    for (const Json& json : test.at("inputs")) {
        inputs.push_back(value_of(json));
        Value& input = inputs.back();
        if (input.kind == ValueKind::masked && options.layout) {
            input.masked = with_layout(input.masked, *options.layout);
        }
    }
    if (test.at("op") != "make") return inputs;
    Value made{.kind = ValueKind::masked, .dtype = inputs[0].dtype};
    made.masked = AnyMasked::strided(inputs[0].tensor, inputs[1].tensor);
    return {made};
}

/// The expected values, one for each result; checks first that their dtypes exist.
std::vector<Json> expected_of(const Json& test) {
    const Json& expect = test.at("expect");
    std::vector<Json> wanted;
    if (expect.at("kind") == "outputs") {
        wanted = expect.at("outputs").get<std::vector<Json>>();
    } else {
        wanted.push_back(expect);
    }
    for (const Json& want : wanted) {
        if (want.contains("dtype")) dtype_of(want);
    }
    return wanted;
}

std::string compare_all(const std::vector<Observed>& got, const std::vector<Json>& want,
                        const std::vector<std::string>& names, const Json& test) {
    const Tolerance tolerance{.rtol = test.value("rtol", 0.0), .atol = test.value("atol", 0.0)};
    for (std::size_t i = 0; i < got.size(); ++i) {
        const std::string text = difference(got[i], want[i], tolerance);
        if (!text.empty()) return names.size() == 1 ? text : names[i] + ": " + text;
    }
    return "";
}

/// What differs from the case; empty if nothing does.
std::string run_expecting(const Json& test, const Options& options) {
    const Program program = program_of(test);
    const std::vector<Json> want = expected_of(test);
    const std::vector<Value> inputs = inputs_of(test, options);
    for (std::size_t i = 0; i < program.outputs.size(); ++i) {
        const std::vector<std::string> name{program.outputs[i]};
        const Step step = step_of(program, inputs, name);
        const std::string text =
            compare_all(observe(step, inputs, options.backend), {want.at(i)}, name, test);
        if (!text.empty()) return program.outputs.size() == 1 ? text : name[0] + ": " + text;
    }
    if (program.outputs.size() == 1) return "";
    const Step fused = step_of(program, inputs, program.outputs);
    const bool one_shape =
        std::ranges::all_of(fused.shapes, [&](const Shape& s) { return s == fused.shapes[0]; });
    if (!one_shape) return "";
    const std::string text =
        compare_all(observe(fused, inputs, options.backend), want, program.outputs, test);
    return text.empty() ? "" : "as one step: " + text;
}

std::string run_expecting_error(const Json& test, const Options& options) {
    const std::string want = test.at("expect_error");
    const Program program = program_of(test);
    try {
        const std::vector<Value> inputs = inputs_of(test, options);
        observe(step_of(program, inputs, program.outputs), inputs, options.backend);
    } catch (const Error& error) {
        if (kind_of(error.code()) == want) return "";
        return "got " + kind_of(error.code()) + " (" + error.what() + "), want " + want;
    }
    if (want == "value") throw Skip{"errors that depend on values"};  // steps do not look before they write
    return "got no error, want " + want;
}

}  // namespace

Verdict run_case(const Json& test, const Options& options) {
    try {
        const std::string text =
            test.contains("expect_error") ? run_expecting_error(test, options) : run_expecting(test, options);
        return {text.empty() ? Outcome::passed : Outcome::failed, text};
    } catch (const Skip& skip) {
        return {Outcome::skipped, skip.reason};
    } catch (const std::exception& error) {
        return {Outcome::failed, std::string("got an error: ") + error.what()};
    }
}

}  // namespace conformance
