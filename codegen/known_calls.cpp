// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "known_calls.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "../ir/planner/planner.hpp"
#include "../ir/tensor_ops/expression_context.hpp"
#include "../runtime/kernel/binding.hpp"
#include "../runtime/support/lru_cache.hpp"
#include "../runtime/support/made_once.hpp"
#include "loops/bound_call.hpp"

namespace frisket::codegen {

namespace {

using detail::ExpressionKey;
using detail::KeyTensor;

std::size_t hash(std::span<const std::uint64_t> words) {
    return XXH3_64bits(words.data(), words.size_bytes());
}

InputMemory memory_of(const KeyTensor& tensor) {
    if (tensor.dense != nullptr) return {.values = tensor.dense->data()};
    const AnyMasked& masked = *tensor.masked;
    if (masked.layout() == Layout::dense) return {.values = masked.values().data()};
    return {.values = masked.values().data(), .mask = masked.mask().data(), .lender = &masked};
}

Argument argument_of(const KeyTensor& tensor) {
    return tensor.dense != nullptr ? Argument::borrow(*tensor.dense) : Argument::borrow(*tensor.masked);
}

bool is_of(const KeyTensor& tensor, const Argument& argument) {
    if (argument.kind() == Argument::Kind::tensor)
        return tensor.dense != nullptr && building::is_same_memory(*tensor.dense, argument.tensor());
    return tensor.dense == nullptr && building::is_same_storage(*tensor.masked, argument.masked());
}

/// A call that was made before.
class KnownCall {
public:
    KnownCall(const ExpressionKey& key, const Graph& graph, std::vector<std::size_t> tensors,
              std::shared_ptr<const BoundCall> call)
        : words_(key.words().begin(), key.words().end()),
          tensors_(std::move(tensors)),
          call_(std::move(call)) {
        const bool has_reductions =
            std::ranges::any_of(graph.nodes, [](const Node& node) { return node.kind == NodeKind::reduce; });
        if (has_reductions || !graph.equal_masks.empty()) graph_ = graph;
        if (graph_) signature_ = signature_of(*graph_);
    }

    bool is_for(std::span<const std::uint64_t> words) const { return std::ranges::equal(words_, words); }
    std::size_t bytes() const noexcept { return call_->loops().bytes(); }

    std::optional<std::vector<Result>> run(std::span<const KeyTensor> tensors) const {
        if (graph_ && !is_usual(tensors)) return {};
        std::array<InputMemory, ExpressionKey::most_tensors> inputs;
        for (std::size_t i = 0; i < tensors_.size(); ++i) inputs[i] = memory_of(tensors[tensors_[i]]);
        call_->check_memory({});
        LoopResults found = call_->run({inputs.data(), tensors_.size()}, {});
        if (found.are_refused) return {};
        return std::move(found.results);
    }

private:
    /// True if masks that meet are equal, and the graph is one body for these masks too.
    bool is_usual(std::span<const KeyTensor> tensors) const {
        std::vector<Argument> arguments;
        std::vector<planning::ValueId> operands;
        for (const std::size_t tensor : tensors_) {
            operands.push_back(static_cast<planning::ValueId>(arguments.size()));
            arguments.push_back(argument_of(tensors[tensor]));
        }
        try {
            kernel_calls::check_call(signature_, arguments);
        } catch (const MaskMismatch&) { return false; }  // the message names operands of the graph
        const auto count = static_cast<planning::ValueId>(operands.size());
        const bool reads_lists = std::ranges::none_of(arguments, kernel_calls::lives_on_device);
        return !planning::plan_call({*graph_, planning::PlanFacts(arguments), operands, count}, reads_lists);
    }

    std::vector<std::uint64_t> words_;
    std::vector<std::size_t> tensors_;  // tensor of each symbol
    std::shared_ptr<const BoundCall> call_;
    std::optional<Graph> graph_;  // if plans depend on masks: rules look at lists, which no key has, and at
                                  // how much is specified where something is reduced
    Signature signature_;
};

/// Known calls of this process.
class KnownCalls {
public:
    std::shared_ptr<KnownCall> find(std::span<const std::uint64_t> words) {
        return calls_.find(hash(words), [&](const KnownCall& known) { return known.is_for(words); });
    }
    /// True if a key was the last of its place in the table already.
    bool note(std::span<const std::uint64_t> words) noexcept {
        const std::size_t key = hash(words);
        return met_[key % met_.size()].exchange(key, std::memory_order_relaxed) == key;
    }
    void keep(std::span<const std::uint64_t> words, const auto& make) {
        calls_.get(hash(words), [&](const KnownCall& known) { return known.is_for(words); }, make);
    }
    std::atomic<std::size_t> found = 0;

private:
    static constexpr std::size_t most = 512, most_bytes = std::size_t{1} << 29;
    runtime::LruCache<KnownCall> calls_{most, most_bytes};
    std::array<std::atomic<std::size_t>, 1024> met_ = {};
};

KnownCalls& known_calls() {
    return runtime::made_once([] { return KnownCalls(); });
}

}  // namespace

std::optional<std::vector<Result>> run_known_call(const ExpressionKey& key) {
    const std::shared_ptr<KnownCall> known = known_calls().find(key.words());
    if (known == nullptr) return {};
    auto results = known->run(key.tensors());
    if (results) known_calls().found.fetch_add(1, std::memory_order_relaxed);
    return results;
}

void keep_call(const ExpressionKey& key, const Graph& graph, std::span<const Argument> arguments,
               std::shared_ptr<const BoundCall> call) {
    if (!known_calls().note(key.words())) return;
    std::vector<std::size_t> tensors;
    for (const Argument& argument : arguments) {
        const auto of = std::ranges::find_if(
            key.tensors(), [&](const KeyTensor& tensor) { return is_of(tensor, argument); });
        if (of == key.tensors().end()) return;
        tensors.push_back(static_cast<std::size_t>(of - key.tensors().begin()));
    }
    known_calls().keep(key.words(), [&] {
        return std::make_shared<KnownCall>(key, graph, std::move(tensors), std::move(call));
    });
}

std::size_t known_calls_found() noexcept { return known_calls().found; }

}  // namespace frisket::codegen
