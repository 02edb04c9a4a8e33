// SPDX-License-Identifier: MIT
#include "sample_calls.hpp"

#include <algorithm>
#include <exception>
#include <list>
#include <optional>

#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/error.hpp"
#include "sample_tensors.hpp"

namespace frisket::aot {

namespace {

/// Masks that specify some, most, little, nothing, everything, a row, a column, and one element: extents of
/// lists that are 1 have loops of their own.
constexpr Pattern patterns[] = {
    {0.3}, {0.9}, {0.01}, {0}, {1}, {1, true}, {0.6, true}, {1, false, true}, {1, true, true}};

/// Tensors of all sample calls.
SampleTensors& tensors() {
    return runtime::made_once([] { return SampleTensors(); });
}

/// Masks of several Masked arguments: one for all, others of one pattern, or a pattern of the first or of the
/// others alone.
enum class Masks : std::uint8_t { equal, alike, first, others };

/// Arguments of a call.  Whole numbers are 0, which is in range for indices.
class Sample {
public:
    Sample(std::span<const Parameter> parameters, std::span<const Shape> shapes,
           std::span<const Layout> layouts, const Pattern& pattern, Masks masks) {
        std::size_t masked = 0;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const Parameter& parameter = parameters[i];
            if (parameter.kind == SymbolKind::masked) {
                const Layout layout = layouts[masked++];
                const bool is_usual =
                    (masks == Masks::first && masked > 1) || (masks == Masks::others && masked == 1);
                const MaskedForm form{.layout = layout,
                                      .pattern = is_usual ? patterns[0] : pattern,
                                      .seed = masks == Masks::equal ? 0 : masked};
                arguments_.push_back(
                    masked_.emplace_back(tensors().masked(i, parameter.dtype, shapes[i], form)));
            } else if (is_tensor(parameter.kind)) {
                arguments_.push_back(tensors_.emplace_back(tensors().values(i, parameter.dtype, shapes[i])));
            } else if (parameter.kind == SymbolKind::scalar_state) {
                arguments_.push_back(Argument::state(states_.emplace_back(1)));
            } else if (parameter.dtype == DType::int64) {
                arguments_.emplace_back(std::int64_t{1});
            } else {
                arguments_.emplace_back(0.5);
            }
        }
    }
    std::span<const Argument> arguments() const { return arguments_; }
    /// The arguments with their tensors on a device.
    std::span<const Argument> on(const Device& device) {
        for (Argument& argument : arguments_) {
            if (argument.kind() == Argument::Kind::tensor) argument = argument.tensor().to(device);
            if (argument.kind() == Argument::Kind::masked) argument = argument.masked().to(device);
        }
        return arguments_;
    }

private:
    std::list<AnyTensor> tensors_;
    std::list<AnyMasked> masked_;
    std::list<double> states_;
    std::vector<Argument> arguments_;
};

/// Runs all samples of a form; gives the error of the last, if all fail.
std::exception_ptr run_form(const SampledCalls& calls, const ShapeForm& form, const RunSample& run,
                            const codegen::LoopProvider& loops) {
    Tried all;
    for (const auto& extents : sample_extents(form)) {
        const Tried tried = try_calls(calls.parameters, form.shapes(extents), calls.layouts, run, loops);
        all.has_run = all.has_run || tried.has_run;
        if (tried.error) all.error = tried.error;
    }
    return all.has_run ? nullptr : all.error;
}

}  // namespace

Tried try_calls(std::span<const Parameter> parameters, std::span<const Shape> shapes,
                std::span<const std::vector<Layout>> layouts, const RunSample& run,
                const codegen::LoopProvider& loops) {
    Tried tried;
    const std::vector<std::vector<Layout>> none(1);
    const bool has_masks = !layouts.empty(), has_several = has_masks && layouts[0].size() > 1;
    for (const std::vector<Layout>& row : has_masks ? layouts : std::span(none))
        for (const Pattern& pattern : std::span(patterns).first(has_masks ? std::size(patterns) : 1))
            for (const Masks masks : {Masks::equal, Masks::alike, Masks::first, Masks::others}) {
                if (masks != Masks::equal && !has_several) continue;
                try {
                    Sample sample(parameters, shapes, row, pattern, masks);
                    run(loops.device().is_cpu() ? sample.arguments() : sample.on(loops.device()), loops);
                    tried.has_run = true;
                } catch (const Error& error) {
                    if (error.code() == ErrorCode::bug) throw;
                    tried.error = std::current_exception();
                }
            }
    return tried;
}

void try_forms(const SampledCalls& calls, bool are_usual_forms, const RunSample& run,
               const codegen::LoopProvider& loops) {
    std::exception_ptr last;
    bool has_run = false;
    for (const ShapeForm& form : calls.forms) {
        const std::exception_ptr error = run_form(calls, form, run, loops);
        if (error && !are_usual_forms) std::rethrow_exception(error);
        if (error)
            last = error;
        else
            has_run = true;
    }
    if (!has_run && last) std::rethrow_exception(last);
}

}  // namespace frisket::aot
