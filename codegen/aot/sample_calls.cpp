// SPDX-License-Identifier: MIT
#include "sample_calls.hpp"

#include <algorithm>
#include <exception>
#include <list>
#include <optional>

#include "../../runtime/tensor/error.hpp"
#include "../../runtime/tensor/masked_tensor.hpp"

namespace frisket::aot {

namespace {

/// Elements that a mask specifies.
struct Pattern {
    double density = 1;     ///< share of those below
    bool one_row = false;   ///< in the first index of dimension 0 alone
    bool one_item = false;  ///< at the first index of all others alone
};

/// Masks that specify some, most, little, nothing, everything, a row, a column, and one element: extents of
/// lists that are 1 have loops of their own.
constexpr Pattern patterns[] = {
    {0.3}, {0.9}, {0.01}, {0}, {1}, {1, true}, {0.6, true}, {1, false, true}, {1, true, true}};

/// Number between 0 and 1, of an element.
double scattered(std::int64_t element, std::uint64_t seed) {
    std::uint64_t x =
        (static_cast<std::uint64_t>(element) + 1) * 0x9e3779b97f4a7c15U + seed * 0xbf58476d1ce4e5b9U;
    x ^= x >> 29;
    x *= 0x94d049bb133111ebU;
    x ^= x >> 32;
    return static_cast<double>(x >> 11) * 0x1p-53;
}

/// A mask that a layout can hold.
AnyTensor sample_mask(const Shape& shape, Layout layout, const Pattern& pattern, std::uint64_t seed) {
    AnyTensor mask(DType::boolean, shape);
    auto* const to = static_cast<bool*>(mask.data());
    const std::int64_t row = shape.empty() || shape[0] == 0 ? 1 : mask.size() / shape[0];
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        const bool is_by_row = layout == Layout::rows && row > 0;
        const bool is_there =
            (!pattern.one_row || i < row) && (!pattern.one_item || i % row == 0 || is_by_row);
        const bool is_chosen = is_there && scattered(is_by_row ? i / row : i, seed) < pattern.density;
        to[i] = layout == Layout::dense || (is_chosen && (layout != Layout::two_four || i % 4 < 2));
    }
    return mask;
}

/// Masks of several Masked arguments: one for all, others of one pattern, or a pattern of the first or of the
/// others alone.
enum class Masks : std::uint8_t { equal, alike, first, others };

/// Arguments of a call, of which floats are 1 and whole numbers 0, in range wherever they are indices.
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
                const AnyTensor mask = sample_mask(shapes[i], layout, is_usual ? patterns[0] : pattern,
                                                   masks == Masks::equal ? 0 : masked);
                arguments_.push_back(masked_.emplace_back(
                    AnyMasked::strided(values(parameter.dtype, shapes[i]), mask).to(layout)));
            } else if (is_tensor(parameter.kind)) {
                arguments_.push_back(tensors_.emplace_back(values(parameter.dtype, shapes[i])));
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
    static AnyTensor values(DType dtype, const Shape& shape) {
        if (!info(dtype).is_float) return {dtype, shape};
        return AnyTensor(full<float>(shape, 1)).to(dtype);
    }

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
