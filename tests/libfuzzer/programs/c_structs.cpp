// SPDX-License-Identifier: MIT
#include "../../../runtime/kernel/aot_module.hpp"
#include "../../../runtime/kernel/kernel_module.hpp"
#include "input.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

using namespace frisket;
using namespace frisket::kernel_calls;
using namespace frisket::testing;

namespace {

/// The step `param -= lr * grad` without loops: all that a call does before and around them.
const Signature sgd{.name = "sgd",
                    .parameters = {{"param", SymbolKind::in_out, DType::float32},
                                   {"grad", SymbolKind::masked, DType::float32},
                                   {"lr", SymbolKind::scalar, DType::float64}},
                    .updates = {{.target = 0, .operands = {0, 1}}},
                    .equal_masks = {},
                    .domain = 1,
                    .outputs = {0}};

class NoLoops final : public KernelModule {
public:
    NoLoops()
        : KernelModule({.signature = sgd,
                        .abis = LoopAbis(sgd, std::array{DType::float32}),
                        .number_count = 1,
                        .evaluate = [](std::span<const Argument> arguments, double* numbers) {
                            numbers[0] = arguments[2].number();
                        }}) {}

    void run(const Variant& /*variant*/, std::span<const void*> argv) override {
        if (argv.size() < 4) std::abort();
    }
    void parallel_for(int tasks, void (*task)(void* closure, int i), void* closure) const override {
        for (int i = 0; i < tasks; ++i) task(closure, i);
    }
};

constinit aot::Callee<CompiledKernel> step{[]() -> const CompiledKernel& {
    static const CompiledKernel made{std::make_shared<NoLoops>()};
    return made;
}};

constexpr std::int64_t most_bytes = 1 << 14;

/// A tensor struct as an input has it, with memory of just the size that it specifies. A size larger than is
/// tried has one byte where the struct has to be refused before it is read, as no memory is so large or the
/// step's tensors are small, and else no memory at all.
class GivenTensor {
public:
    /// `is_bounded`: an input with more elements than the step's tensors is refused; bits may have more
    /// words.
    GivenTensor(InputNumbers& input, bool is_bounded) {
        const std::uint8_t dtype = input.byte();
        tensor.dtype = dtype < 160   ? FRISKET_FLOAT32
                       : dtype < 240 ? dtype % 8
                                     : static_cast<std::int8_t>(input.byte());
        const std::int64_t rank = input.byte() < 200 ? input.byte() % 4 : input.number();
        tensor.rank = static_cast<int>(rank);
        const auto listed = static_cast<std::size_t>(std::clamp<std::int64_t>(tensor.rank, 0, 16));
        for (std::size_t d = 0; d < listed; ++d) {
            shape_.push_back(input.number());
            strides_.push_back(input.number());
        }
        const std::uint8_t given = input.byte();
        tensor.shape = given < 240 ? shape_.data() : nullptr;
        tensor.strides = given % 4 == 0 ? strides_.data() : nullptr;
        make_memory(input, is_bounded);
    }

    frisket_tensor tensor{};

private:
    void make_memory(InputNumbers& input, bool is_bounded) {
        const bool has_dtype = tensor.dtype >= 0 && tensor.dtype < 8;
        const std::int64_t width = has_dtype ? bytes_of(static_cast<DType>(tensor.dtype)) : 1;
        constexpr std::int64_t most_elements = 1 << 12, no_memory = std::int64_t{1} << 57;
        std::int64_t begin = 0, end = width, elements = 1, span = width;
        const bool has_rank = tensor.rank >= 0 && tensor.rank <= 8;
        bool is_empty = false, is_refused = !has_rank;
        for (int d = has_rank ? tensor.rank : 0; d-- > 0;) {
            const auto place = static_cast<std::size_t>(d);
            const std::int64_t extent = shape_[place], stride = tensor.strides ? strides_[place] : elements;
            is_empty |= extent == 0;
            std::int64_t reach = 0;
            is_refused |= extent < 0 || __builtin_mul_overflow(extent - 1, stride, &reach) ||
                          __builtin_mul_overflow(reach, width, &reach) ||
                          __builtin_add_overflow(reach < 0 ? begin : end, reach, reach < 0 ? &begin : &end) ||
                          __builtin_sub_overflow(end, begin, &span) ||
                          __builtin_mul_overflow(elements, std::max<std::int64_t>(extent, 1), &elements) ||
                          span > no_memory || (is_bounded && elements > most_elements);
            if (is_refused) break;
        }
        const bool is_tried = !is_refused && span <= most_bytes;
        memory_.resize(static_cast<std::size_t>(is_empty ? 0 : is_tried ? span : 1));
        for (std::uint8_t& byte : memory_) byte = input.byte();
        const bool is_given = input.byte() < 240 && (is_tried || is_refused);
        tensor.data = is_given ? memory_.data() + (is_tried && !is_empty ? -begin : 0) : nullptr;
    }

    std::vector<std::int64_t> shape_, strides_;
    std::vector<std::uint8_t> memory_;
};

/// A masked struct, whose list of indices has just the length that it specifies, or none where that is more
/// than is tried.
class GivenMasked {
public:
    explicit GivenMasked(InputNumbers& input) : values_(input, true), mask_(input, false) {
        const std::uint8_t layout = input.byte();
        masked.layout = layout < 240
                            ? std::array<std::int8_t, 5>{FRISKET_DENSE, FRISKET_STRIDED, FRISKET_BITMASK,
                                                         FRISKET_COO, FRISKET_ROWS}[layout % 5]
                            : static_cast<std::int8_t>(input.byte());
        masked.rank = static_cast<int>(input.byte() < 220 ? input.byte() % 4 : input.number());
        for (int d = 0; d < std::clamp(masked.rank, 0, 16); ++d) shape_.push_back(input.number());
        masked.shape = input.byte() < 240 ? shape_.data() : nullptr;
        masked.values = values_.tensor;
        masked.mask = mask_.tensor;
        const bool is_matching = input.byte() < 160 && masked.values.rank > 0 && masked.values.rank <= 16 &&
                                 masked.values.shape != nullptr;
        masked.count = is_matching ? masked.values.shape[0] : input.number();
        const std::int64_t lists = masked.layout == FRISKET_ROWS ? 1 : std::clamp(masked.rank, 0, 8);
        const std::int64_t count = std::clamp<std::int64_t>(masked.count, 0, 1024) * lists;
        for (std::int64_t i = 0; i < count; ++i) indices_.push_back(input.number());
        // The struct must not be valid with more indices than there are: a list is read then.
        if (masked.count > 1024 && masked.values.rank > 0 && masked.values.shape != nullptr &&
            masked.values.rank <= 16 && masked.values.shape[0] == masked.count)
            masked.count = 0;
        masked.indices = input.byte() < 240 ? indices_.data() : nullptr;
    }

    frisket_masked masked{};

private:
    GivenTensor values_, mask_;
    std::vector<std::int64_t> shape_, indices_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    InputNumbers input(data, size);
    const int rank = input.byte() % 4;
    std::vector<std::int64_t> shape;
    std::size_t elements = 1;
    for (int d = 0; d < rank; ++d) {
        shape.push_back(input.byte() % 6);
        elements *= static_cast<std::size_t>(shape.back());
    }
    std::vector<float> values(elements, 1.0F);
    const frisket_tensor param{values.data(), FRISKET_FLOAT32, rank, shape.data(), nullptr};
    const GivenMasked grad(input);
    const int code = aot::call_from_c(step, {&param, &grad.masked, 0.5});
    const std::string_view said = code == FRISKET_OK ? "frisket: " : aot::last_error_text();
    if (code == FRISKET_BUG || !said.starts_with("frisket: ")) {
        std::fprintf(stderr, "code %d: %s\n", code, aot::last_error_text());
        std::abort();
    }
    if (std::ranges::any_of(values, [](float value) { return value != 1.0F; })) std::abort();
    return 0;
}
