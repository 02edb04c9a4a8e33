// SPDX-License-Identifier: MIT
#pragma once
#include "../../runtime/kernel/strategy.hpp"
#include "generate.hpp"

#include <array>

namespace fuzz {

inline constexpr DType all_dtypes[] = {DType::boolean, DType::int32,   DType::int64,   DType::float32,
                                       DType::float32, DType::float64, DType::boolean, DType::int32,
                                       DType::int64,   DType::float32, DType::float32, DType::float64,
                                       DType::uint8,   DType::float16, DType::bfloat16};
inline constexpr std::int64_t most_elements = 6000;
/// Number of the form with this name.
int form_named(std::string_view name);

/// Makes one program, instruction by instruction, each tried by the interpreter.
class Generator {
public:
    /// The programs that are made.
    enum class Kind : std::uint8_t {
        any,
        differentiable,  ///< an expression of float64 inputs
    };
    Generator(std::uint32_t seed, int instructions, Kind kind = Kind::any);
    Program make();
    /// A program that users write; without results if this one cannot be.
    Program make_idiom();

private:
    using Wants = Form::Wants;

    std::int64_t below(std::int64_t bound) { return random_.below(bound); }
    bool one_in(std::int64_t n) { return below(n) == 0; }
    int count() const { return static_cast<int>(program_.instructions.size()); }
    template <class T, std::size_t N>
    T any_of(const T (&list)[N]) {
        return list[below(N)];
    }
    bool is_kernel() const { return program_.as == RunAs::kernel; }
    bool is_differentiable() const { return kind_ == Kind::differentiable; }
    DType any_dtype() { return is_differentiable() ? DType::float64 : any_of(all_dtypes); }
    bool may_stand(const Form& form) const;
    std::int64_t weight_of(const Form& form) const;

    std::int64_t any_extent(std::size_t rank);
    void make_inputs();
    Shape any_shape();
    void spread_out(AnyTensor& tensor);
    int add_input(DType dtype, const Shape& shape, std::int64_t bound = 0);
    void add_number(Takes takes);
    void add_alias();
    Layout any_layout(const Shape& shape, const AnyTensor& mask);

    void try_one();
    Outcome try_last() const;
    bool is_good();
    int any_form();
    /// Recent values more often than inputs.
    int any_value();
    /// One for which `fits` holds, if there is one.
    template <class Fits>
    std::optional<int> value_where(Fits&& fits) {
        for (int tries = 0; tries < 8; ++tries)
            if (const int value = any_value(); fits(value)) return value;
        return {};
    }

    // generate_operands.cpp
    bool fill(Instruction& one, const Building& known);
    void fill_shapes(Instruction& one, Wants wants, Value x);
    bool fill_more(Instruction& one, Wants wants, const Building& known, int first);
    bool fill_product(Instruction& one, Wants wants, Value x);
    void fill_mode(Instruction& one, const Building& known);
    OpId any_op(int arity);
    std::optional<int> index_into(const Value& x, const Shape& shape, int dim);

    // generate_steps.cpp
    void add_targets();
    bool add_target(int value, bool is_early);
    std::optional<int> known_target(const Value& x) const;
    void add_state_update();
    bool add_state_update(int input, bool is_early);
    void choose_rounding();
    void choose_skip();
    std::vector<Strategy> legal_for_call() const;
    void choose_schedule();
    bool is_runnable() const;
    void choose_results();

    // generate_idioms.cpp
    int add(std::string_view form, std::vector<int> operands, Instruction with = {});
    int add_op(OpId op, int x, int y);
    int add_op(OpId op, int x, double y);
    int add_dense(const Shape& shape);
    int add_masked(const Shape& shape);
    int add_tensor(DType dtype, const Shape& shape, bool is_masked);
    int add_mask(int value, const Shape& batches, std::int64_t rows, std::int64_t columns);
    int add_epilogue(int value, std::int64_t columns);
    int add_gradient(int value);
    std::int64_t any_size();
    Shape any_batches();
    int embedding();
    int attention();
    int layer_norm();
    int loss();
    int any_product();
    int long_product();
    int long_sum();
    int sampled();
    int running_sum();
    int broadcasts();
    int perceptron();
    int of_lists();
    bool row_step();

    testing::Random random_;
    std::uint32_t seed_;
    int wanted_;
    Kind kind_;
    bool is_step_ = false;
    Flavour flavour_;
    DType dtype_ = DType::float32;  ///< dtype of an idiom
    bool is_large_ = false;         ///< some extents of it are large enough for threads
    Program program_;
    std::int64_t known_inputs_ = 0;  ///< inputs that the instruction being chosen can read
    Shape base_;
    AnyTensor base_mask_;
};

}  // namespace fuzz
