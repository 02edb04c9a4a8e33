// SPDX-License-Identifier: MIT
#include "runner.hpp"

#include "compare.hpp"
#include "expression.hpp"
#include "host.hpp"
#include "observe.hpp"
#include "program.hpp"
#include "target.hpp"

#include <algorithm>
#include <array>

using namespace frisket;

namespace conformance {

namespace {

/// The names that the cases have for kinds of errors.
std::string kind_of(ErrorCode code) {
    if (code == ErrorCode::identity) return "no_identity";
    if (code == ErrorCode::unspecified) return "undefined";
    return std::string(name_of(code));
}

/// The inputs of a case; the gradient of its output, if it has one, is last.
std::vector<Input> inputs_of(const Json& test, const Options& options) {
    std::vector<Json> sources = test.at("inputs");
    if (const Json upstream = test.at("attrs").value("upstream", Json()); !upstream.is_null())
        sources.push_back(upstream);
    std::vector<Input> inputs;
    for (const Json& json : sources) {
        inputs.push_back(value_of(json));
        Input& input = inputs.back();
        if (input.kind == ValueKind::masked && options.layout)
            input.masked = with_layout(input.masked, *options.layout);
    }
    return inputs;
}

std::vector<Input> poisoned(std::vector<Input> inputs) {
    for (Input& input : inputs)
        if (input.kind == ValueKind::masked)
            input.masked = frisket::testing::poison(input.masked.clone(), Poison::signalling);
    return inputs;
}

/// Runs twice, with the case's own unspecified values and with signalling NaN: no bit may differ.
std::vector<Got> with_poisons(const Json& test, const Options& options,
                              const std::function<std::vector<Got>(const std::vector<Input>&)>& run) {
    const std::vector<Input> inputs = inputs_of(test, options);
    std::vector<Got> got = run(inputs);
    const std::vector<Got> again = run(poisoned(inputs));
    if (!std::ranges::equal(got, again, [](const Got& a, const Got& b) { return same(a, b); }))
        throw Fault("results depend on what unspecified values are");
    return got;
}

/// A way to carry out a case; all that apply must return the results that it expects.
struct Way {
    const char* name;
    bool (*applies)(const Json& test);
    std::vector<Got> (*run)(const Json& test, const Options& options);
};

const HostOperation* host_operation(const Json& test) { return find_host_operation(test.at("op")); }

bool is_host(const Json& test) { return host_operation(test) != nullptr; }

std::vector<Got> run_host(const Json& test, const Options& options) {
    return with_poisons(test, options, [&](const std::vector<Input>& inputs) {
        return std::vector<Got>{host_operation(test)->run(inputs, test.at("attrs"))};
    });
}

bool is_expression(const Json& test) { return !is_host(test) || host_operation(test)->is_expression; }

std::vector<Got> run_as_expression(const Json& test, const Options& options) {
    return with_poisons(test, options, [&](const std::vector<Input>& inputs) {
        return run_expression(test, inputs, options.backend);
    });
}

bool is_elementwise(const Json& test) {
    const std::string op = test.at("op");
    return is_expression(test) && op != "backward" && op != "gradcheck" &&
           is_step(program_of(test), test.at("inputs"));
}

/// A step for each result.
std::vector<Got> run_steps(const Json& test, const Options& options) {
    const Program program = program_of(test);
    const std::vector<Input> inputs = inputs_of(test, options);
    std::vector<Got> got;
    for (const std::string& output : program.outputs)
        got.push_back(observe(step_of(program, inputs, {output}), inputs, options.backend).at(0));
    return got;
}

/// True if a case has several results, all of one shape.
bool is_fused(const Json& test) {
    if (!is_elementwise(test) || !test.contains("expect") || !test.at("expect").contains("outputs"))
        return false;
    const Json& outputs = test.at("expect").at("outputs");
    return std::ranges::all_of(outputs,
                               [&](const Json& one) { return one.at("shape") == outputs[0].at("shape"); });
}

/// One step for all results.
std::vector<Got> run_fused(const Json& test, const Options& options) {
    const Program program = program_of(test);
    const std::vector<Input> inputs = inputs_of(test, options);
    return observe(step_of(program, inputs, program.outputs), inputs, options.backend);
}

constexpr std::array<Way, 4> ways{{
    {"runtime", is_host, run_host},
    {"expression", is_expression, run_as_expression},
    {"step", is_elementwise, run_steps},
    {"one step", is_fused, run_fused},
}};

std::string compare_all(const std::vector<Got>& got, const Json& test) {
    const Json& expect = test.at("expect");
    const bool several = expect.at("kind") == "outputs";
    const Json wanted = several ? expect.at("outputs") : Json::array({expect});
    const Tolerance tolerance{.rtol = test.value("rtol", 0.0), .atol = test.value("atol", 0.0)};
    if (got.size() != wanted.size())
        return "got " + std::to_string(got.size()) + " results, want " + std::to_string(wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        const std::string text = difference(got[i], wanted[i], tolerance);
        if (!text.empty()) return several ? "result " + std::to_string(i) + ": " + text : text;
    }
    return "";
}

/// Difference from the case when it is carried out in one way; empty if all are equal.
std::string judge(const Way& way, const Json& test, const Options& options) {
    const std::string wanted = test.value("expect_error", "");
    try {
        const std::vector<Got> got = way.run(test, options);
        return wanted.empty() ? compare_all(got, test) : "got no error, want " + wanted;
    } catch (const TargetError&) {
        throw Skip{"operations that loops of the device lack"};
    } catch (const Error& error) {
        const std::string kind = kind_of(error.code());
        if (kind == wanted) return "";
        return "got " + kind + " (" + error.what() + "), want " + (wanted.empty() ? "a result" : wanted);
    } catch (const std::exception& error) { return std::string("got an error: ") + error.what(); }
}

/// The first `most` ways that apply.
Verdict run_ways(const Json& test, const Options& options, std::size_t most) {
    bool ran = false;
    std::string missing;
    try {
        for (const Way& way : ways) {
            if (most == 0 || !way.applies(test)) continue;
            --most;
            try {
                const std::string text = judge(way, test, options);
                if (!text.empty()) return {Outcome::failed, "as " + std::string(way.name) + ": " + text};
                ran = true;
            } catch (const Skip& skip) { missing = skip.reason; }
        }
    } catch (const std::exception& error) { return {Outcome::failed, error.what()}; }
    return ran ? Verdict{} : Verdict{Outcome::skipped, missing};
}

}  // namespace

Verdict run_case(const Json& test, const Options& options) { return run_ways(test, options, ways.size()); }

Verdict run_meaning(const Json& test, const Options& options) { return run_ways(test, options, 1); }

}  // namespace conformance
