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
#include "prepared_call.hpp"
#include "ready_step.hpp"

namespace frisket::codegen {

namespace {

using detail::ExpressionKey;
using detail::KeyNumber;
using detail::KeyTensor;

std::size_t hash(std::span<const std::uint64_t> words) {
    return XXH3_64bits(words.data(), words.size_bytes());
}

InputMemory memory_of(const KeyTensor& tensor) {
    return tensor.dense != nullptr ? codegen::memory_of(*tensor.dense) : codegen::memory_of(*tensor.masked);
}

bool is_of(const KeyTensor& tensor, const Argument& argument) {
    if (argument.kind() == Argument::Kind::tensor)
        return tensor.dense != nullptr && ir::is_same_memory(*tensor.dense, argument.tensor());
    return argument.kind() == Argument::Kind::masked && tensor.dense == nullptr &&
           ir::is_same_storage(*tensor.masked, argument.masked());
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

/// A plan of the calls of a key.
struct KnownPlan {
    explicit KnownPlan(std::shared_ptr<PreparedCall> prepared)
        : call(std::move(prepared)), whole(call->whole()) {}
    std::shared_ptr<PreparedCall> call;
    std::shared_ptr<const KeptLoops> whole;  // null: the plan has stages, or the loops read copies
};

/// A call that was made before.  Its plan depends on the stored elements of its masked tensors: there may be
/// several.
class KnownCall {
public:
    KnownCall(const ExpressionKey& key, std::vector<Source> sources, std::shared_ptr<PreparedCall> call)
        : words_(key.words().begin(), key.words().end()),
          sources_(std::move(sources)),
          has_numbers_(std::ranges::any_of(sources_, &Source::is_number)),
          first_(std::move(call)),
          bytes_(first_.call->bytes()) {}

    bool is_for(std::span<const std::uint64_t> words) const { return std::ranges::equal(words_, words); }
    std::size_t bytes() const noexcept { return bytes_; }

    /// Adds the plan that the last call had, in place of the oldest if there are many.
    void add(std::shared_ptr<PreparedCall> call) {
        if (call == first_.call) return;
        const std::lock_guard lock(mutex_);
        if (others_.size() == most_others) others_.erase(others_.begin());
        others_.emplace_back(std::move(call));
    }

    std::optional<std::vector<Result>> run(const ExpressionKey& key,
                                           std::span<const planning::ResultMemory> memory) const {
        if (!first_.call->reads_masks() && first_.whole != nullptr && !has_numbers_)
            return run_whole(*first_.whole, key, {}, memory);
        const std::span<const KeyTensor> tensors = key.tensors();
        const std::span<const KeyNumber> numbers = key.numbers();
        std::vector<Argument> arguments;
        arguments.reserve(sources_.size());
        for (const Source& source : sources_)
            arguments.push_back(source.is_number ? *numbers[source.place].argument
                                                 : tensors[source.place].argument());
        const auto run_by = [&](const KnownPlan& plan) {
            return plan.whole != nullptr ? run_whole(*plan.whole, key, arguments, memory)
                                         : plan.call->run(arguments, nullptr, memory);
        };
        if (!first_.call->reads_masks()) return run_by(first_);
        if (!first_.call->accepts(arguments)) return {};  // as all plans of the key
        if (first_.call->is_for(arguments)) return run_by(first_);
        for (std::size_t i = 0; i < most_others; ++i) {
            const std::optional<KnownPlan> other = this->other(i);
            if (!other) return {};
            if (other->call->is_for(arguments)) return run_by(*other);
        }
        return {};
    }

private:
    static constexpr std::size_t most_others = 3;

    std::optional<KnownPlan> other(std::size_t i) const {
        const std::lock_guard lock(mutex_);
        return i < others_.size() ? std::optional(others_[i]) : std::nullopt;
    }
    std::optional<std::vector<Result>> run_whole(const KeptLoops& loops, const ExpressionKey& key,
                                                 std::span<const Argument> arguments,
                                                 std::span<const planning::ResultMemory> memory) const {
        SmallVector<InputMemory, ExpressionKey::few_tensors> inputs;
        const std::span<const KeyTensor> tensors = key.tensors();
        for (const Source& source : sources_)
            inputs.push_back(source.is_number ? InputMemory() : memory_of(tensors[source.place]));
        loops.call().check_memory(memory);
        LoopResults found = loops.call().run(inputs, memory, arguments);
        if (found.are_refused) return {};
        return std::move(found.results);
    }

    const std::vector<std::uint64_t> words_;
    const std::vector<Source> sources_;  // source of each symbol
    const bool has_numbers_;
    const KnownPlan first_;
    const std::size_t bytes_;
    mutable runtime::Mutex mutex_;
    std::vector<KnownPlan> others_;  // the last that was added last
};

/// Known calls of this process.
class KnownCalls {
public:
    std::shared_ptr<KnownCall> find(std::span<const std::uint64_t> words) {
        return calls_.find(hash(words), [&](const KnownCall& known) { return known.is_for(words); });
    }
    /// True if a key was the last of its slot in the table already.
    bool note(std::span<const std::uint64_t> words) noexcept {
        const std::size_t key = hash(words);
        return met_[key % met_.size()].exchange(key, std::memory_order_relaxed) == key;
    }
    std::shared_ptr<KnownCall> get(std::span<const std::uint64_t> words, const auto& make) {
        return calls_.get(hash(words), [&](const KnownCall& known) { return known.is_for(words); }, make);
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

std::optional<std::vector<Result>> run_known_call(const ExpressionKey& key,
                                                  std::span<const planning::ResultMemory> memory) {
    const std::shared_ptr<KnownCall> known = known_calls().find(key.words());
    if (known == nullptr) return {};
    auto results = known->run(key, memory);
    if (results) known_calls().found.fetch_add(1, std::memory_order_relaxed);
    return results;
}

bool is_met_again(const ExpressionKey& key) noexcept { return known_calls().note(key.words()); }

void keep_call(const ExpressionKey& key, std::span<const Argument> arguments,
               std::shared_ptr<PreparedCall> call) {
    std::vector<Source> sources;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::optional<Source> source = source_of(key, call->graph().symbols[i], arguments[i]);
        if (!source) return;
        sources.push_back(*source);
    }
    const auto make = [&] { return std::make_shared<KnownCall>(key, std::move(sources), call); };
    known_calls().get(key.words(), make)->add(call);
}

std::shared_ptr<planning::ShapedFunction> known_function(std::vector<std::string_view> parameters,
                                                         planning::ShapedGraph::Describe describe,
                                                         std::function<const LoopProvider&()> loops,
                                                         std::uint64_t (*tuning_number)() noexcept) {
    static constinit std::atomic<std::uint64_t> next = 0;
    const auto call = [number = next.fetch_add(1, std::memory_order_relaxed), loops = std::move(loops),
                       tuning_number](planning::ShapedFunction& function,
                                      std::span<const Argument> arguments) {
        ExpressionKey key;
        detail::add_key(key, detail::KeyEntry::function, number);
        key.add(tuning_number());
        for (std::size_t i = 0; i < arguments.size(); ++i) key.add(function.parameters()[i], arguments[i]);
        if (key.is_complete())
            if (auto known = run_known_call(key)) return *std::move(known);
        const planning::ShapedFunction::Call bound = function.bound(arguments);
        std::shared_ptr<PreparedCall> prepared;
        const bool is_kept = key.is_complete() && is_met_again(key);
        std::vector<Result> results = evaluate_by(loops(), bound.graph->graph, bound.arguments,
                                                  {.prepared = is_kept ? &prepared : nullptr});
        if (prepared != nullptr) keep_call(key, bound.arguments, std::move(prepared));
        return results;
    };
    return std::make_shared<planning::ShapedFunction>(std::move(parameters), std::move(describe), call);
}

std::size_t known_calls_found() noexcept { return known_calls().found; }

}  // namespace frisket::codegen
