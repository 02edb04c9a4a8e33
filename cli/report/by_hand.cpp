// SPDX-License-Identifier: MIT
#include "by_hand.hpp"

#include "../../codegen/jit/jit.hpp"
#include "../../codegen/loops/threads.hpp"
#include "../../codegen/tuning/records/workload.hpp"
#include "../../dsl/describe.hpp"
#include "../../optim/rules/adagrad.hpp"
#include "../../runtime/layouts/layout.hpp"
#include "../../runtime/tensor/bitmask_ops.hpp"
#include "../hand_loops/hand_loops.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace frisket::cli {

namespace {

/// The tensors of the step, its numbers, and its mask or list as loops take it.
struct Memory {
    explicit Memory(codegen::Workload own) : workload(std::move(own)) {}

    codegen::Workload workload;
    hand::Adagrad step{};
    std::int64_t count = 0;
    Tensor<float> values;
    Tensor<bool> mask;
    std::vector<std::uint64_t> words;
    std::vector<std::int32_t> positions;

    const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(mask.data()); }
};

std::shared_ptr<Memory> memory_of(const Graph& step, std::span<const Argument> arguments) {
    const Signature signature = signature_of(step);
    const auto at = [&](std::string_view name) { return static_cast<std::size_t>(signature.find(name)); };
    const auto number = [&](std::string_view name) { return arguments[at(name)].number(); };
    auto made = std::make_shared<Memory>(codegen::Workload(signature, arguments));
    const std::span<const Argument> own = made->workload.arguments();
    const auto data = [&](std::string_view name) {
        return static_cast<float*>(own[at(name)].tensor().data());
    };
    made->step = {.param = data("param"),
                  .sum = data("sum"),
                  .grad = nullptr,
                  .rate = static_cast<float>(number("lr") / (1 + (number("t") - 1) * number("lr_decay"))),
                  .eps = static_cast<float>(number("eps"))};
    const AnyMasked& grad = own[at("grad")].masked();
    made->count = grad.size();
    if (grad.layout() == Layout::coo) {
        const runtime::Coordinates list = runtime::coordinates_of(grad);
        made->values = Tensor<float>(list.values);
        made->count = list.positions.size();
        for (std::int64_t k = 0; k < made->count; ++k)
            made->positions.push_back(static_cast<std::int32_t>(list.positions[k]));
        return made;
    }
    made->values = Tensor<float>(grad.values());
    made->step.grad = made->values.data();
    if (grad.layout() == Layout::strided) made->mask = Tensor<bool>(grad.mask());
    if (grad.layout() != Layout::bitmask) return made;
    made->words.resize(static_cast<std::size_t>(runtime::words_for(made->count)));
    runtime::bits_of(grad, made->words.data());
    return made;
}

/// Runs body(begin, end) on every thread that kernels have; parts are of whole words.
template <class Body>
void on_threads(std::int64_t count, const Body& body) {
    struct Parts {
        const Body& body;
        std::int64_t count, words;
        int threads;
    } parts{body, count, runtime::words_for(count), codegen::thread_count()};
    const auto part = [](void* /*context*/, int i, std::uint8_t* closure) {
        const Parts& all = *reinterpret_cast<const Parts*>(closure);
        const auto begin_of = [&](int k) { return std::min(all.words * k / all.threads * 64, all.count); };
        all.body(begin_of(i), begin_of(i + 1));
        return 0;
    };
    codegen::run_tasks(nullptr, part, 0, parts.threads, reinterpret_cast<std::uint8_t*>(&parts));
}

using Run = void (*)(const Memory&, std::int64_t, std::int64_t);

struct Made {
    Layout layout;
    const char *name, *is;
    bool on_one_thread;
    Run run;
};
constexpr Run if_byte = [](const Memory& m, std::int64_t begin, std::int64_t end) {
    hand::loops().branch(m.step, m.bytes(), begin, end);
};
constexpr Run if_bit = [](const Memory& m, std::int64_t begin, std::int64_t end) {
    hand::loops().branch_bits(m.step, m.words.data(), begin, end);
};
constexpr Run listed = [](const Memory& m, std::int64_t begin, std::int64_t end) {
    hand::loops().index_list(m.step, m.positions.data(), m.values.data(), begin, end);
};
constexpr Made made_loops[] = {
    {Layout::strided, "naive loop", "for every i: if (mask[i]); one thread", true, if_byte},
    {Layout::strided, "by hand: if", "the same on all threads", false, if_byte},
    {Layout::strided, "by hand: select", "without a branch, vectors by the compiler, all threads", false,
     [](const Memory& m, std::int64_t begin, std::int64_t end) {
         hand::loops().blend(m.step, m.bytes(), begin, end);
     }},
    {Layout::strided, "by hand: vectors",
     "vectors under a mask, 64 elements without any skipped, all threads", false,
     [](const Memory& m, std::int64_t begin, std::int64_t end) {
         hand::loops().vector_bytes(m.step, m.bytes(), begin, end);
     }},
    {Layout::bitmask, "naive loop", "for every i: if the bit is set; one thread", true, if_bit},
    {Layout::bitmask, "by hand: if", "the same on all threads", false, if_bit},
    {Layout::bitmask, "by hand: words", "the set bits of each word, all threads", false,
     [](const Memory& m, std::int64_t begin, std::int64_t end) {
         hand::loops().scan_bits(m.step, m.words.data(), begin, end);
     }},
    {Layout::bitmask, "by hand: vectors", "vectors under the bits, words of zero skipped, all threads", false,
     [](const Memory& m, std::int64_t begin, std::int64_t end) {
         hand::loops().vector_bits(m.step, m.words.data(), begin, end);
     }},
    {Layout::coo, "naive loop", "for every position of the list; one thread", true, listed},
    {Layout::coo, "by hand: list", "the same on all threads", false, listed},
};

}  // namespace

std::vector<Contender> loops_by_hand(const Graph& step, std::span<const Argument> arguments) {
    if (!(step == describe(optim::adagrad))) return {};
    const Signature signature = signature_of(step);
    const Argument& grad = arguments[static_cast<std::size_t>(signature.find("grad"))];
    if (arguments[static_cast<std::size_t>(signature.find("weight_decay"))].number() != 0) return {};
    const bool is_known = std::ranges::any_of(
        made_loops, [&](const Made& made) { return made.layout == grad.masked().layout(); });
    if (!is_known || grad.masked().size() > std::numeric_limits<std::int32_t>::max()) return {};
    codegen::Workload right(signature, arguments);
    jit(step).call(right.arguments());
    const std::shared_ptr<Memory> memory = memory_of(step, arguments);
    const auto is_same = [](const AnyTensor& x, const AnyTensor& y) { return same(x, y); };
    std::vector<Contender> loops;
    for (const Made& made : made_loops) {
        if (made.layout != grad.masked().layout()) continue;
        loops.push_back({made.name, made.is, [memory, &made] {
                             if (made.on_one_thread) return made.run(*memory, 0, memory->count);
                             on_threads(memory->count, [&](std::int64_t begin, std::int64_t end) {
                                 made.run(*memory, begin, end);
                             });
                         }});
        memory->workload.reset();
        loops.back().run();
        if (!std::ranges::equal(memory->workload.written(), right.written(), is_same))
            throw Bug(std::string("the loop that compares with ours, ") + made.name + ", gives other bytes");
    }
    return loops;
}

}  // namespace frisket::cli
