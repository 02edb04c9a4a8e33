// SPDX-License-Identifier: MIT
// Identifies expressions that are evaluated in the same way.
#pragma once
#include "../runtime/kernel/argument.hpp"
#include "node.hpp"
#include "tensor_ops.hpp"
#include "tensor_ops/gradients.hpp"
#include "tensor_ops/indexing.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace frisket::detail {

/// A tensor of an expression: a dense or a masked one, referred to.
struct KeyTensor {
    const AnyTensor* dense;
    const AnyMasked* masked;  // if dense is null

    const AnyTensor& values() const noexcept { return dense != nullptr ? *dense : masked->values(); }
    /// Refers to the tensor.
    Argument argument() const noexcept {
        return dense != nullptr ? Argument::borrow(*dense) : Argument::borrow(*masked);
    }
};

/// A number of a call of a function: its kind is part of the key, its value is not.
struct KeyNumber {
    std::string_view symbol;
    const Argument* argument;
};

/// All that decides how expressions over tensors are evaluated, as words: operations, numbers, dtypes,
/// layouts, shapes, strides, and which tensors are the same memory; of lists neither how many elements they
/// store nor which.  Expressions of one key have one graph, over the tensors that each brings, and one plan
/// if the plan's tests of these have the same answers.  A key of ordinary length allocates nothing.
class ExpressionKey {
public:
    static constexpr std::size_t few_tensors = 12;

    [[gnu::always_inline]] void add(std::uint64_t word) { words_.push_back(word); }
    void add(std::string_view text);
    void add(const AnyTensor& tensor);
    void add(const AnyMasked& masked);
    /// The argument of a symbol of a function.  Of a number the kind alone is added.
    void add(std::string_view symbol, const Argument& argument);
    /// The dtype, shape and strides of a tensor to which the value is written.
    void add_target(const AnyTensor& tensor);

    /// Refuses tensors that share memory, unless they are one: what is made of them depends on where they
    /// lie.
    void refuse_shared_memory();

    /// False of expressions of tensors on a device, or that were moved from.
    bool is_complete() const noexcept { return is_plain_; }
    std::span<const std::uint64_t> words() const noexcept { return words_; }
    /// The tensors, each once, in the order of the source.
    std::span<const KeyTensor> tensors() const noexcept { return tensors_; }
    /// The numbers, in the order of the call.
    std::span<const KeyNumber> numbers() const noexcept { return numbers_; }

private:
    bool add_known(const KeyTensor& tensor);
    void add_layout(const AnyTensor& tensor);

    SmallVector<std::uint64_t, 160> words_;
    SmallVector<KeyTensor, few_tensors> tensors_;
    SmallVector<KeyNumber, 12> numbers_;
    bool is_plain_ = true;
};

/// Meanings of the first word of an entry of a key.
enum class KeyEntry : std::uint8_t {
    number = 1,
    operation,
    on,
    to_dense,
    tensor_operation,
    tensor,
    function,
    argument,
    target,
    list
};

inline void add_key(ExpressionKey& key, KeyEntry entry, std::uint64_t what) {
    key.add(std::uint64_t{static_cast<std::uint8_t>(entry)} << 56U | what);
}

/// True for expressions that have a key: their graphs do not depend on values.
template <class E>
inline constexpr bool has_key = TypedTensor<E>;
template <class Handle>
inline constexpr bool has_key<Leaf<Handle>> = true;
template <class T>
inline constexpr bool has_key<Constant<T>> = true;
template <class E>
inline constexpr bool has_key<std::vector<E>> = has_key<E>;
template <class Op, class A>
inline constexpr bool has_key<Unary<Op, A>> = has_key<A>;
template <class Op, class A, class B>
inline constexpr bool has_key<Binary<Op, A, B>> = has_key<A> && has_key<B>;
template <class Op, class A, class B, class C>
inline constexpr bool has_key<Ternary<Op, A, B, C>> = has_key<A> && has_key<B> && has_key<C>;
template <class Op, class... Operands>
inline constexpr bool has_key<WholeNode<Op, Operands...>> =
    !Op::info.needs_eval && (has_key<Operands> && ...);
template <class Op, class... Parts>
inline constexpr bool has_key<WholeOf<Op, Parts...>> = !Op::info.needs_eval && (has_key<Parts> && ...);
template <class Op, class Part>
inline constexpr bool has_key<WholeOfMany<Op, Part>> = !Op::info.needs_eval && has_key<Part>;

/// An attribute of an operation on whole tensors.
template <std::integral Number>
void add_attribute(ExpressionKey& key, Number number) {
    key.add(static_cast<std::uint64_t>(number));
}
inline void add_attribute(ExpressionKey& key, double number) {
    key.add(std::bit_cast<std::uint64_t>(number));
}
inline void add_attribute(ExpressionKey& key, const Dims& dims) {
    dims.see_all([&](auto number) { add_attribute(key, number); });
}
template <class T>
void add_attribute(ExpressionKey& key, const std::optional<T>& attribute) {
    key.add(attribute.has_value());
    if (attribute) add_attribute(key, *attribute);
}
inline void add_attribute(ExpressionKey& key, const IndexSpec& index) {
    key.add(static_cast<std::uint64_t>(index.kind));
    add_attribute(key, index.start);
    add_attribute(key, index.end);
    add_attribute(key, index.step);
}
template <class T>
void add_attribute(ExpressionKey& key, const InlineVector<T>& list) {
    key.add(list.size());
    for (const T& item : list) add_attribute(key, item);
}

/// The parameters of the type of an operation on whole tensors, and its members.
template <class Op>
void add_operation(ExpressionKey& key, const Op& op) {
    std::uint64_t parameter = 0;
    if constexpr (requires { typename Op::Element; })
        parameter = static_cast<std::uint64_t>(dtype_of<typename Op::Element>);
    if constexpr (requires { typename Op::Operation; })
        parameter = static_cast<std::uint64_t>(op_id<typename Op::Operation>);
    add_key(key, KeyEntry::tensor_operation, parameter);
    key.add(Op::info.name);
    const auto add = [&](const auto&... attributes) { (add_attribute(key, attributes), ...); };
    if constexpr (Op::attribute_count == 0) {
        static_assert(std::is_empty_v<Op>, "TensorOp<Row, n>: n is the number of the row's members");
    } else if constexpr (Op::attribute_count == 1) {
        const auto& [a] = op;
        add(a);
    } else if constexpr (Op::attribute_count == 2) {
        const auto& [a, b] = op;
        add(a, b);
    } else if constexpr (Op::attribute_count == 3) {
        const auto& [a, b, c] = op;
        add(a, b, c);
    } else {
        const auto& [a, b, c, d] = op;
        add(a, b, c, d);
    }
}

template <TypedTensor Handle>
void add_key(ExpressionKey& key, const Handle& tensor) {
    key.add(tensor);
}

template <class Handle>
void add_key(ExpressionKey& key, const Leaf<Handle>& leaf) {
    key.add(leaf.tensor);
}

template <class T>
void add_key(ExpressionKey& key, const Constant<T>& constant) {
    add_key(key, KeyEntry::number, static_cast<std::uint64_t>(dtype_of<T>));
    key.add(std::bit_cast<std::uint64_t>(constant.value));
}

template <class Node>
    requires requires { typename Node::WholeOperation; }
void add_key(ExpressionKey& key, const Node& node);

template <class Node>
    requires requires { typename Node::Operation; }
void add_key(ExpressionKey& key, const Node& node) {
    using Op = typename Node::Operation;
    if constexpr (std::is_same_v<Op, op::On>)
        add_key(key, KeyEntry::on, 0);
    else if constexpr (std::is_same_v<Op, op::ToDense>)
        add_key(key, KeyEntry::to_dense, 0);
    else
        add_key(key, KeyEntry::operation, static_cast<std::uint64_t>(op_id<Op>));
    add_key(key, node.a);
    if constexpr (requires { node.b; }) add_key(key, node.b);
    if constexpr (requires { node.c; }) add_key(key, node.c);
}

template <class Node>
    requires requires { typename Node::WholeOperation; }
void add_key(ExpressionKey& key, const Node& node) {
    add_operation(key, node.op);
    std::size_t count = 0;
    for_each_operand(node, [&](const auto& /*operand*/) { ++count; });
    key.add(count);
    for_each_operand(node, [&](const auto& operand) { add_key(key, operand); });
    if constexpr (std::is_same_v<typename Node::WholeOperation, op::Gradient>) key.refuse_shared_memory();
}

/// Expressions of a list.
template <class E>
void add_key(ExpressionKey& key, const std::vector<E>& list) {
    add_key(key, KeyEntry::list, list.size());
    for (const E& expression : list) add_key(key, expression);
}

}  // namespace frisket::detail
