// SPDX-License-Identifier: MIT
#include "known_calls.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "../../ir/expressions/expression_context.hpp"
#include "../../ir/planner/planner.hpp"
#include "../../runtime/kernel/binding.hpp"
#include "../../runtime/support/lru_cache.hpp"
#include "../../runtime/support/made_once.hpp"
#include "bound_call.hpp"

namespace frisket::codegen {

namespace {

using detail::ExpressionKey;
using detail::KeyNumber;
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
    return argument.kind() == Argument::Kind::masked && tensor.dense == nullptr &&
           building::is_same_storage(*tensor.masked, argument.masked());
}

/// Source of a symbol's argument: a tensor or a number of the key.
struct Source {
    bool is_number = false;
    std::size_t place = 0;
};

/// The source of an argument of a graph; nothing if the key has none.
std::optional<Source> source_of(const ExpressionKey& key, const Symbol& symbol, const Argument& argument) {
    const auto tensor =
        std::ranges::find_if(key.tensors(), [&](const KeyTensor& one) { return is_of(one, argument); });
    if (tensor != key.tensors().end())
        return Source{.place = static_cast<std::size_t>(tensor - key.tensors().begin())};
    const auto number = std::ranges::find(key.numbers(), std::string_view(symbol.name), &KeyNumber::symbol);
    if (number == key.numbers().end()) return {};
    return Source{.is_number = true, .place = static_cast<std::size_t>(number - key.numbers().begin())};
}

/// A call that was made before.
class KnownCall {
public:
    KnownCall(const ExpressionKey& key, const Graph& graph, std::vector<Source> sources,
              std::shared_ptr<const BoundCall> call)
        : words_(key.words().begin(), key.words().end()),
          sources_(std::move(sources)),
          has_numbers_(std::ranges::any_of(sources_, &Source::is_number)),
          call_(std::move(call)) {
        const bool has_reductions =
            std::ranges::any_of(graph.nodes, [](const Node& node) { return node.kind == NodeKind::reduce; });
        if (has_reductions || !graph.equal_masks.empty()) graph_ = graph;
        if (graph_) signature_ = signature_of(*graph_);
    }

    bool is_for(std::span<const std::uint64_t> words) const { return std::ranges::equal(words_, words); }
    std::size_t bytes() const noexcept { return call_->loops().bytes(); }

    std::optional<std::vector<Result>> run(const ExpressionKey& key) const {
        std::vector<Argument> arguments;
        if (graph_ || has_numbers_)
            for (const Source& source : sources_)
                arguments.push_back(source.is_number ? *key.numbers()[source.place].argument
                                                     : argument_of(key.tensors()[source.place]));
        if (graph_ && !is_one_body(arguments)) return {};
        std::array<InputMemory, ExpressionKey::most_tensors + ExpressionKey::most_numbers> inputs;
        for (std::size_t i = 0; i < sources_.size(); ++i)
            inputs[i] = sources_[i].is_number ? InputMemory() : memory_of(key.tensors()[sources_[i].place]);
        call_->check_memory({});
        LoopResults found = call_->run({inputs.data(), sources_.size()}, {}, arguments);
        if (found.are_refused) return {};
        return std::move(found.results);
    }

private:
    /// True if masks that meet are equal, and the graph is one body for these masks too.
    bool is_one_body(std::span<const Argument> arguments) const {
        const std::vector<planning::ValueId> operands = planning::argument_values(arguments.size());
        try {
            kernel_calls::check_call(signature_, arguments);
        } catch (const MaskMismatch&) { return false; }  // the message names operands of the graph
        const auto count = static_cast<planning::ValueId>(operands.size());
        const bool reads_lists = std::ranges::none_of(arguments, kernel_calls::lives_on_device);
        return !planning::plan_call({*graph_, planning::PlanFacts(arguments), operands, count}, reads_lists);
    }

    std::vector<std::uint64_t> words_;
    std::vector<Source> sources_;  // source of each symbol
    bool has_numbers_;
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
    auto results = known->run(key);
    if (results) known_calls().found.fetch_add(1, std::memory_order_relaxed);
    return results;
}

void keep_call(const ExpressionKey& key, const Graph& graph, std::span<const Argument> arguments,
               std::shared_ptr<const BoundCall> call) {
    if (!known_calls().note(key.words())) return;
    std::vector<Source> sources;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::optional<Source> source = source_of(key, graph.symbols[i], arguments[i]);
        if (!source) return;
        sources.push_back(*source);
    }
    known_calls().keep(key.words(), [&] {
        return std::make_shared<KnownCall>(key, graph, std::move(sources), std::move(call));
    });
}

std::vector<Result> call_function(ExpressionKey& key, planning::ShapedFunction& function,
                                  std::span<const Argument> arguments, const EvaluateBound& evaluate) {
    for (std::size_t i = 0; i < arguments.size(); ++i) key.add(function.parameters()[i], arguments[i]);
    if (key.is_complete())
        if (auto known = run_known_call(key)) return *std::move(known);
    const planning::ShapedFunction::Call call = function.bound(arguments);
    std::shared_ptr<const BoundCall> bound;
    std::vector<Result> results =
        evaluate(call.graph->graph, call.arguments, key.is_complete() ? &bound : nullptr);
    if (bound != nullptr) keep_call(key, call.graph->graph, call.arguments, std::move(bound));
    return results;
}

std::uint64_t next_function() noexcept {
    static constinit std::atomic<std::uint64_t> next = 0;
    return next.fetch_add(1, std::memory_order_relaxed);
}

std::size_t known_calls_found() noexcept { return known_calls().found; }

}  // namespace frisket::codegen
