// SPDX-License-Identifier: MIT
#include "compiled_kernel.hpp"

#include <algorithm>

#include "bits.hpp"
#include "call/check.hpp"
#include "call/frame.hpp"
#include "layouts/layout.hpp"

namespace frisket {

namespace {

Frame& frame_of_thread() {
    thread_local Frame frame;
    return frame;
}

/// Lets go of what a call has kept alive, however it ends.
struct Release {
    Frame& frame;
    ~Release() { frame.kept.clear(); }
};

/// Whether all tensors lie row-major without gaps over the whole space, so that one index serves all.
bool is_plain(const Call& call) {
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        const Layout layout = call.layout(i);
        if (call.shape(i) != call.space) return false;
        const bool has_dense_values =
            layout == Layout::dense || layout == Layout::strided || layout == Layout::bitmask;
        if (has_dense_values && !call.values(i).is_contiguous()) return false;
        if (layout == Layout::strided && !call.arguments[i].masked().mask().is_contiguous()) return false;
    }
    return true;
}

/// Bit words of a Masked argument; a bit mask without stray bits past the end is taken as it is.
const std::uint64_t* words_of(const Call& call, int i) {
    constexpr std::int64_t words_per_task = 4096;
    const AnyMasked& masked = call.arguments[i].masked();
    const std::int64_t word_count = words_for(call.count);
    if (masked.layout() == Layout::bitmask && masked.mask().is_contiguous()) {
        const auto* words = static_cast<const std::uint64_t*>(masked.mask().data());
        const auto tail = call.count % 64;
        if (tail == 0 || words[word_count - 1] >> tail == 0) return words;
    }
    auto& words = call.frame.words[i];
    words.resize(static_cast<std::size_t>(word_count));
    if (masked.layout() != Layout::strided) {
        bits_of(masked, words.data());
        return words.data();
    }
    const auto* bytes = static_cast<const std::uint8_t*>(masked.mask().data());
    if (word_count <= words_per_task) {
        pack_bits(bytes, 0, word_count, call.count, words.data());
        return words.data();
    }
    const auto tasks = static_cast<int>((word_count + words_per_task - 1) / words_per_task);
    parallel_for(call.source, tasks, [&](int task) {
        const std::int64_t begin = task * words_per_task;
        pack_bits(bytes, begin, std::min(begin + words_per_task, word_count), call.count, words.data());
    });
    return words.data();
}

void run_plain(const Call& call) {
    auto& operands = call.frame.flat;
    bool all_dense = true;
    for (int i = 0; i < call.parameter_count(); ++i)
        all_dense &= !call.is_masked(i) || call.layout(i) == Layout::dense;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        const Layout layout = call.layout(i);
        operands[i].words = nullptr;
        if (layout == Layout::coo || layout == Layout::rows) {
            operands[i].values = call.frame.keep(dense_values(call.arguments[i].masked()));
        } else {
            operands[i].values = call.values(i).data();
        }
        if (all_dense || !call.is_masked(i)) continue;
        if (layout == Layout::dense) {
            auto& words = call.frame.words[i];
            words.assign(static_cast<std::size_t>(words_for(call.count)), ~std::uint64_t{0});
            if (call.count % 64) words.back() >>= 64 - call.count % 64;
            operands[i].words = words.data();
        } else {
            operands[i].words = words_of(call, i);
        }
    }
    run_flat(call);
}

/// COO and rows are walked by their lists where the arguments allow it.
void run(const Call& call) {
    if (call.signature.domain >= 0) {
        const Layout layout = call.layout(call.signature.domain);
        if (layout == Layout::coo && run_listed(call)) return;
        if (layout == Layout::rows && run_rows(call)) return;
    }
    is_plain(call) ? run_plain(call) : run_any(call);
}

}  // namespace

CompiledKernel::CompiledKernel(std::shared_ptr<LoopSource> source) : source_(std::move(source)) {}

const Signature& CompiledKernel::signature() const noexcept { return source_->signature(); }

void CompiledKernel::call(std::span<const Argument> arguments) const {
    const Signature& signature = source_->signature();
    const Shape& space = check_call(signature, arguments);
    Frame& frame = frame_of_thread();
    const Release release{frame};
    frame.fit(signature, source_->number_count());
    source_->evaluate(arguments, frame.numbers.data());
    Call call{*source_, signature, arguments, space, element_count(space), frame};
    {
        constexpr int few = 32;
        std::array<Layout, few> layouts;
        int count = 0;
        for (int i = 0; i < call.parameter_count() && count < few; ++i)
            if (call.is_masked(i)) layouts[count++] = call.layout(i);
        source_->meet({layouts.data(), static_cast<std::size_t>(count)});
    }
    if (call.count > 0) run(call);
    source_->store_states(arguments, frame.numbers.data());
}

void CompiledKernel::operator()(std::initializer_list<NamedArgument> arguments) const {
    (*this)(std::span(arguments.begin(), arguments.size()));
}

void CompiledKernel::operator()(std::span<const NamedArgument> named) const {
    std::vector<Argument> arguments(signature().parameters.size());
    bind_names(signature(), named, arguments);
    call(arguments);
}

void CompiledKernel::warm_up(std::span<const Layout> layouts) const {
    int masked = 0;
    for (const Parameter& parameter : signature().parameters) masked += parameter.kind == SymbolKind::masked;
    for (const Layout layout : layouts) {
        const std::vector<Layout> all(static_cast<std::size_t>(masked), layout);
        source_->require(all);
        const auto wanted = strategies_for(signature(), all);
        source_->prepare(wanted);
    }
}

void CompiledKernel::warm_up(std::initializer_list<Layout> layouts) const {
    warm_up(std::span(layouts.begin(), layouts.size()));
}

std::vector<Strategy> strategies_for(const Signature& signature, std::span<const Layout> layouts) {
    if (signature.updates.empty()) return {};  // numbers alone: the host's work
    const bool all_dense =
        std::all_of(layouts.begin(), layouts.end(), [](Layout l) { return l == Layout::dense; });
    if (all_dense) return {Strategy::dense};
    if (signature.domain < 0) return {Strategy::blend};
    int masked = -1;
    bool coo = true, rows = true;
    for (int i = 0; i < static_cast<int>(signature.parameters.size()); ++i) {
        if (signature.parameters[i].kind != SymbolKind::masked) continue;
        ++masked;
        if (!shares_domain(signature, i)) continue;
        coo &= layouts[masked] == Layout::coo;
        rows &= layouts[masked] == Layout::rows;
    }
    if (coo) return {Strategy::gather};
    if (rows) return {Strategy::rows};
    return {Strategy::skip, Strategy::blend, Strategy::gather};
}

}  // namespace frisket
