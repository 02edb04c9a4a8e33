// SPDX-License-Identifier: MIT
#include "../../runtime/support/fused.hpp"
#include "../../runtime/tensor/sum_of_products.hpp"
#include "tensor_kernels.hpp"
#include "tensor_kernels_walk.hpp"

#include "dynamic_scalar.hpp"

namespace frisket::tensor_kernels {

using runtime::SumOfProducts;

AnyTensor contract(const AnyTensor& a, const AnyTensor& b, const std::optional<AnyTensor>& mask,
                   std::span<const std::int64_t> dims) {
    const AnyTensor specified = whole(mask, a.shape());
    const auto [kept, reduced] = parts_of(a.shape(), dims);
    const auto [kept_a, reduced_a] = parts_of(a.strides(), dims);
    const auto [kept_b, reduced_b] = parts_of(b.strides(), dims);
    const auto [kept_mask, reduced_mask] = parts_of(specified.strides(), dims);
    AnyTensor made(a.dtype(), kept);
    dispatch_numbers(a.dtype(), [&]<class T>() {
        runtime::fused([&] {
            walk<4>(kept, {made.strides(), kept_a, kept_b, kept_mask}, [&](const auto& slice) {
                SumOfProducts<T> sum;
                std::int64_t position = 0;
                walk<3>(reduced, {reduced_a, reduced_b, reduced_mask}, [&](const auto& at) {
                    if (element<bool>(specified, slice[3] + at[2]))
                        sum.add(element<T>(a, slice[1] + at[0]), element<T>(b, slice[2] + at[1]), position);
                    ++position;
                });
                ir::store(made.data(), slice[0], a.dtype(), ir::DynamicScalar::of(sum.result()));
            });
        });
    });
    return made;
}

}  // namespace frisket::tensor_kernels
