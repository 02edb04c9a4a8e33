// SPDX-License-Identifier: MIT
#include "known_arguments.hpp"

#include "../layouts/layout_traits.hpp"

#include <algorithm>

namespace frisket::kernel_calls {

namespace {

using aot::CArgument;

/// All that tensors of a call say of themselves, as numbers.
class Words {
public:
    /// False if arguments are wrong or are lists: then they are converted.
    bool add(std::initializer_list<CArgument> given) {
        return std::ranges::all_of(given, [this](const CArgument& one) {
            switch (one.kind) {
                case CArgument::Kind::tensor: return is_there(one.tensor) && add(*one.tensor);
                case CArgument::Kind::masked: return is_there(one.masked) && add(*one.masked);
                case CArgument::Kind::state: return is_there(one.state);
                default: return true;
            }
        });
    }
    std::span<const std::int64_t> words() const { return std::span(words_).first(count_); }

private:
    template <class T>
    static bool is_there(const T* pointer) {
        return pointer != nullptr && reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) == 0;
    }
    bool add(std::int64_t word) {
        if (count_ == words_.size()) return false;
        words_[count_++] = word;
        return true;
    }
    bool add(const std::int64_t* list, int count) {
        if (!is_there(list) || words_.size() - count_ < static_cast<std::size_t>(count)) return false;
        std::copy_n(list, count, words_.begin() + static_cast<std::ptrdiff_t>(count_));
        count_ += static_cast<std::size_t>(count);
        return true;
    }
    bool add(const frisket_tensor& tensor) {
        if (tensor.rank < 0 || tensor.rank > FRISKET_MAX_RANK) return false;
        if (detail::is_device_address(tensor.data)) return false;  // it is looked up whether it is held
        const bool has_strides = tensor.strides != nullptr && tensor.rank > 0;
        return add(reinterpret_cast<std::intptr_t>(tensor.data)) && add(tensor.dtype) &&
               add(tensor.rank * 2 + (has_strides ? 1 : 0)) &&
               (tensor.rank == 0 || add(tensor.shape, tensor.rank)) &&
               (!has_strides || add(tensor.strides, tensor.rank));
    }
    bool add(const frisket_masked& masked) {
        if (masked.layout < FRISKET_DENSE || masked.layout > FRISKET_BITMASK) return false;
        return add(masked.layout) && add(masked.values) &&
               (masked.layout == FRISKET_DENSE || add(masked.mask));
    }

    std::array<std::int64_t, 128> words_;
    std::size_t count_ = 0;
};

/// False if an argument holds a copy of memory of the caller, which the next call must copy again.
bool is_view(const CArgument& given, const Argument& argument) {
    const auto views = [](const frisket_tensor& from, const AnyTensor& tensor) {
        return tensor.address() == from.data;
    };
    if (given.kind == CArgument::Kind::tensor) return views(*given.tensor, argument.tensor());
    if (given.kind != CArgument::Kind::masked) return true;
    const AnyMasked& masked = argument.masked();
    return views(given.masked->values, masked.values()) &&
           (!runtime::has_mask(masked.layout()) || views(given.masked->mask, masked.mask()));
}

/// Gives the numbers of a call to the arguments of the last one.
void give_numbers(std::vector<Argument>& arguments, std::initializer_list<CArgument> given) {
    auto to = arguments.begin();
    for (const CArgument& one : given) {
        if (one.kind == CArgument::Kind::real) *to = one.real;
        if (one.kind == CArgument::Kind::integer) *to = one.integer;
        if (one.kind == CArgument::Kind::state) *to = Argument::state(*one.state);
        ++to;
    }
}

}  // namespace

const std::vector<Argument>* KnownArguments::find(const CompiledKernel& kernel,
                                                  std::initializer_list<CArgument> given) {
    Call& known = place_of(kernel);
    if (known.kernel != &kernel) return nullptr;
    Words words;
    if (!words.add(given) || !std::ranges::equal(words.words(), known.words)) return nullptr;
    give_numbers(known.arguments, given);
    return &known.arguments;
}

void KnownArguments::keep(const CompiledKernel& kernel, std::initializer_list<CArgument> given,
                          std::unique_ptr<CArguments> owner, std::vector<Argument> arguments) {
    Words words;
    if (!words.add(given) || !std::ranges::equal(given, arguments, is_view)) return;
    place_of(kernel) = {
        &kernel, {words.words().begin(), words.words().end()}, std::move(owner), std::move(arguments)};
}

}  // namespace frisket::kernel_calls
