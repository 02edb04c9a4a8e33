// SPDX-License-Identifier: MIT
#include "evaluate_body.hpp"

#include "../../at.hpp"
#include "../body_parts.hpp"
#include "../body_stage.hpp"
#include "../memory_need.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace frisket::planning {

namespace {

using ir::at;

/// A call of a body by its parts.
class PartCalls {
public:
    PartCalls(const Backend& backend, const BodyParts& parts, std::span<const Argument> arguments)
        : backend_(backend), parts_(parts), arguments_(arguments) {
        int count = 0;
        for (std::size_t part = 0; part < parts.parts.size(); ++part) {
            for (const int made : parts.parts[part].made) count = std::max(count, made + 1);
            last_reader_.resize(at(count), 0);
            for (const int operand : parts.parts[part].operands)
                if (is_made(operand)) last_reader_[at(number(operand))] = part;
        }
        for (const int result : parts.results) last_reader_[at(result)] = parts.parts.size();
        values_.resize(at(count));
    }

    std::vector<Result> run(RunEvents* events) {
        if (backend_.scope() != PlanScope::device) prepare();
        for (std::size_t part = 0; part < parts_.parts.size(); ++part) run(part, events);
        std::vector<Result> results;
        for (const int result : parts_.results) results.push_back(values_[at(result)].value());
        return results;
    }

private:
    bool is_made(int operand) const { return at(operand) >= arguments_.size(); }
    int number(int operand) const { return operand - static_cast<int>(arguments_.size()); }

    /// Has the loops of all parts compiled at once.
    void prepare() const {
        std::vector<BodyCall> calls;
        for (const BodyPart& part : parts_.parts) {
            BodyCall& call = calls.emplace_back(BodyCall{part.graph, {}});
            for (std::size_t i = 0; i < part.operands.size(); ++i) {
                const Symbol& symbol = part.graph.symbols[i];
                call.arguments.push_back(is_made(part.operands[i])
                                             ? Argument(unmade(symbol.dtype, symbol.shape))
                                             : arguments_[at(part.operands[i])]);
            }
        }
        backend_.prepare(calls);
    }

    void run(std::size_t number_of_part, RunEvents* events) {
        const BodyPart& part = parts_.parts[number_of_part];
        std::vector<Argument> own;
        for (const int operand : part.operands)
            own.push_back(is_made(operand) ? Argument(values_[at(number(operand))]->values)
                                           : arguments_[at(operand)]);
        std::vector<Result> made = backend_.evaluate(part.graph, own, events, {}, nullptr);
        for (std::size_t i = 0; i < made.size(); ++i) values_[at(part.made[i])] = std::move(made[i]);
        if (events != nullptr) {
            auto& event = std::get<BodyEvent>(events->back());
            event.held_bytes += held_bytes();
            event.is_part = true;
        }
        for (std::size_t i = 0; i < values_.size(); ++i)
            if (last_reader_[i] <= number_of_part) values_[i].reset();
    }

    /// Bytes of the values that later parts read.
    std::int64_t held_bytes() const {
        MemoryNeed held;
        for (std::size_t i = 0; i < values_.size(); ++i)
            if (values_[i] && last_reader_[i] < parts_.parts.size())
                held.add(tensor_bytes(values_[i]->values.dtype(), values_[i]->values.shape()));
        return held.held_bytes();
    }

    const Backend& backend_;
    const BodyParts& parts_;
    const std::span<const Argument> arguments_;
    std::vector<std::size_t> last_reader_;       // the last part that reads each value
    std::vector<std::optional<Result>> values_;  // that parts have made
};

}  // namespace

std::vector<Result> evaluate_body(const Backend& backend, const Graph& body,
                                  std::span<const Argument> arguments, RunEvents* events,
                                  std::span<const ResultMemory> memory, KeptCall* kept) {
    if (kept != nullptr && *kept != nullptr) return backend.evaluate(body, arguments, events, memory, kept);
    const BodyParts parts = parts_of(body);
    if (parts.parts.empty()) return backend.evaluate(body, arguments, events, memory, kept);
    return PartCalls(backend, parts, arguments).run(events);
}

}  // namespace frisket::planning
