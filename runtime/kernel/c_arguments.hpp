// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <initializer_list>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aot_module.hpp"
#include "argument.hpp"
#include "signature.hpp"

namespace frisket::kernel_calls {

/// Arguments of a C function as a kernel takes them.  All shapes and counts are compared before the first
/// list of indices is read: they determine how long the lists are.
class CArguments {
public:
    explicit CArguments(const Signature& signature) : signature_(signature) {}

    /// Refers to the given structs, and to this.  `check_shapes`: takes the shapes before lists are read.
    /// Errors: Error naming the parameter.
    std::vector<Argument> converted(std::initializer_list<aot::CArgument> given,
                                    const std::function<void(std::span<const Shape>)>& check_shapes);

private:
    /// Calls of() and returns its result; errors name the parameter.
    auto named(std::size_t parameter, const auto& of);
    Argument argument(const aot::CArgument& given);
    template <class T>
    const T& present(const T* pointer) const;
    /// Structs and lists must be aligned to their types; only elements may be at any address.
    template <class T>
    const T* aligned(const T* pointer, const char* name) const;
    /// The argument's shape; [] for numbers.
    Shape shape_of(const aot::CArgument& given) const;
    Shape shape(const frisket_tensor& given) const { return shape(given.rank, given.shape); }
    Shape shape(const frisket_masked& given) const;
    Shape shape(int rank, const std::int64_t* extents) const;
    AnyTensor tensor(const frisket_tensor& given) const;
    AnyMasked masked(const frisket_masked& given) const;
    AnyMasked in_its_layout(const frisket_masked& given) const;
    /// The dtype of a list of indices.
    DType index_dtype(int dtype) const;
    /// Indices in memory of a device.
    AnyTensor there(const frisket_masked& given, const Shape& extents) const;
    void check_on_device(DType dtype, const void* data, const Shape& extents, const Strides& strides) const;
    AnyMasked listed(const frisket_masked& given, AnyTensor values) const;
    AnyMasked matrix(const frisket_masked& given, AnyTensor values) const;
    AnyMasked two_four(const frisket_masked& given, AnyTensor values,
                       const std::optional<AnyTensor>& mask) const;
    AnyMasked compressed(const frisket_masked& given, AnyTensor values,
                         const std::optional<AnyTensor>& mask) const;
    void check_stored(const frisket_masked& given, const AnyTensor& values, const Shape& stored) const;
    std::int64_t checked_count(std::int64_t count, const char* name) const;
    /// Calls use(indices) with the checked list, of either dtype.
    template <class Use>
    auto with_list(const void* data, int dtype, std::int64_t count, const char* name, const Use& use) const;
    [[noreturn]] void refuse_count(std::int64_t count) const;
    std::vector<std::int64_t> list(const void* data, int dtype, std::int64_t count, const char* name) const;

    const Signature& signature_;
    std::string where_;
    std::list<AnyTensor> tensors_;  // arguments refer to them
    std::list<AnyMasked> masked_;
};

}  // namespace frisket::kernel_calls
