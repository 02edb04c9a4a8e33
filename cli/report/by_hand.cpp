// SPDX-License-Identifier: MIT
#include "by_hand.hpp"

#include "../../codegen/jit_graph.hpp"
#include "../../codegen/tuning/workload.hpp"
#include "../../dsl/describe.hpp"
#include "../../optim/adagrad.hpp"
#include "../../runtime/bits.hpp"
#include "../../runtime/call/loop_threads.hpp"
#include "../../runtime/layouts/layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <thread>

namespace frisket::cli {

namespace {

/// The tensors of the step, and its numbers.
struct Adagrad {
    explicit Adagrad(Workload own) : memory(std::move(own)) {}

    Workload memory;
    float* param = nullptr;
    float* sum = nullptr;
    float rate = 0, eps = 0;
    std::int64_t count = 0;
    Tensor<float> values;
    Tensor<bool> mask;
    std::vector<std::uint64_t> words;
    std::vector<std::int64_t> positions;

    void update(std::int64_t i, float g) const {
        sum[i] += g * g;
        param[i] -= rate * (g / (std::sqrt(sum[i]) + eps));
    }
};

std::shared_ptr<Adagrad> adagrad_of(const Graph& step, std::span<const Argument> arguments) {
    const Signature signature = signature_of(step);
    const auto at = [&](std::string_view name) { return static_cast<std::size_t>(signature.find(name)); };
    const auto number = [&](std::string_view name) { return arguments[at(name)].number(); };
    auto made = std::make_shared<Adagrad>(Workload(signature, arguments));
    const std::span<const Argument> own = made->memory.arguments();
    made->param = static_cast<float*>(own[at("param")].tensor().data());
    made->sum = static_cast<float*>(own[at("sum")].tensor().data());
    made->rate = static_cast<float>(number("lr") / (1 + (number("t") - 1) * number("lr_decay")));
    made->eps = static_cast<float>(number("eps"));
    const AnyMasked& grad = own[at("grad")].masked();
    made->count = grad.size();
    if (grad.layout() == Layout::coo) {
        const Coordinates list = coordinates_of(grad);
        made->values = Tensor<float>(list.values);
        for (std::int64_t k = 0; k < list.positions.size(); ++k) made->positions.push_back(list.positions[k]);
        return made;
    }
    made->values = Tensor<float>(grad.values());
    if (grad.layout() == Layout::strided) made->mask = Tensor<bool>(grad.mask());
    if (grad.layout() != Layout::bitmask) return made;
    made->words.resize(static_cast<std::size_t>(words_for(made->count)));
    bits_of(grad, made->words.data());
    return made;
}

/// Runs body(begin, end) on every thread that kernels have.
template <class Body>
void on_threads(std::int64_t count, Body body) {
    const std::int64_t threads = thread_count();
    std::vector<std::jthread> others;
    for (std::int64_t i = 1; i < threads; ++i)
        others.emplace_back([=] { body(count * i / threads, count * (i + 1) / threads); });
    body(0, count / threads);
}

void if_byte(const Adagrad& s, std::int64_t begin, std::int64_t end) {
    const bool* const mask = s.mask.data();
    const float* const values = s.values.data();
    for (std::int64_t i = begin; i < end; ++i)
        if (mask[i]) s.update(i, values[i]);
}

void select_byte(const Adagrad& s, std::int64_t begin, std::int64_t end) {
    float* const __restrict param = s.param;
    float* const __restrict sum = s.sum;
    const float* const __restrict grad = s.values.data();
    const auto* const __restrict mask = reinterpret_cast<const unsigned char*>(s.mask.data());
    const float rate = s.rate, eps = s.eps;
    for (std::int64_t i = begin; i < end; ++i) {
        const float g = grad[i], total = sum[i] + g * g,
                    moved = param[i] - rate * (g / (std::sqrt(total) + eps));
        sum[i] = mask[i] != 0 ? total : sum[i];
        param[i] = mask[i] != 0 ? moved : param[i];
    }
}

void if_bit(const Adagrad& s, std::int64_t begin, std::int64_t end) {
    const float* const values = s.values.data();
    for (std::int64_t i = begin; i < end; ++i)
        if (((s.words[static_cast<std::size_t>(i / 64)] >> (i % 64)) & 1) != 0) s.update(i, values[i]);
}

/// `begin` and `end` count words.
void set_bits_of_words(const Adagrad& s, std::int64_t begin, std::int64_t end) {
    const float* const values = s.values.data();
    for (std::int64_t at = begin; at < end; ++at)
        for (std::uint64_t word = s.words[static_cast<std::size_t>(at)]; word != 0; word &= word - 1) {
            const std::int64_t i = 64 * at + std::countr_zero(word);
            s.update(i, values[i]);
        }
}

void listed(const Adagrad& s, std::int64_t begin, std::int64_t end) {
    const float* const values = s.values.data();
    for (std::int64_t k = begin; k < end; ++k) s.update(s.positions[static_cast<std::size_t>(k)], values[k]);
}

using Body = void (*)(const Adagrad&, std::int64_t, std::int64_t);

struct Made {
    Layout layout;
    const char *name, *is;
    bool on_one_thread;
    Body body;
};
constexpr Made made_loops[] = {
    {Layout::strided, "naive loop", "for every i: if (mask[i]); C++, one thread", true, if_byte},
    {Layout::strided, "by hand: if", "the same on all threads", false, if_byte},
    {Layout::strided, "by hand: select", "C++ without a branch, vectors by the compiler, all threads", false,
     select_byte},
    {Layout::bitmask, "naive loop", "for every i: if the bit is set; C++, one thread", true, if_bit},
    {Layout::bitmask, "by hand: if", "the same on all threads", false, if_bit},
    {Layout::bitmask, "by hand: words", "C++, the set bits of each word, all threads", false,
     set_bits_of_words},
    {Layout::coo, "naive loop", "for every position of the list; C++, one thread", true, listed},
    {Layout::coo, "by hand: list", "the same on all threads", false, listed},
};

}  // namespace

int thread_count() {
    const int wanted = wanted_threads();
    return std::max(wanted > 0 ? wanted : static_cast<int>(std::thread::hardware_concurrency()), 1);
}

std::vector<Contender> loops_by_hand(const Graph& step, std::span<const Argument> arguments) {
    if (!(step == describe(optim::adagrad))) return {};
    const Signature signature = signature_of(step);
    const Argument& grad = arguments[static_cast<std::size_t>(signature.find("grad"))];
    if (arguments[static_cast<std::size_t>(signature.find("weight_decay"))].number() != 0) return {};
    const bool is_known = std::ranges::any_of(
        made_loops, [&](const Made& made) { return made.layout == grad.masked().layout(); });
    if (!is_known) return {};
    Workload right(signature, arguments);
    jit(step).call(right.arguments());
    const std::shared_ptr<Adagrad> memory = adagrad_of(step, arguments);
    const auto is_same = [](const AnyTensor& x, const AnyTensor& y) { return same(x, y); };
    std::vector<Contender> loops;
    for (const Made& made : made_loops) {
        if (made.layout != grad.masked().layout()) continue;
        const std::int64_t count = made.body == listed              ? std::ssize(memory->positions)
                                   : made.body == set_bits_of_words ? std::ssize(memory->words)
                                                                    : memory->count;
        loops.push_back({made.name, made.is, [memory, count, &made] {
                             if (made.on_one_thread) return made.body(*memory, 0, count);
                             on_threads(count, [&memory, &made](std::int64_t begin, std::int64_t end) {
                                 made.body(*memory, begin, end);
                             });
                         }});
        memory->memory.reset();
        loops.back().run();
        if (!std::ranges::equal(memory->memory.written(), right.written(), is_same))
            throw Bug(std::string("the loop that compares with ours, ") + made.name + ", gives other bytes");
    }
    return loops;
}

}  // namespace frisket::cli
