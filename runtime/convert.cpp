// SPDX-License-Identifier: MIT
#include "convert.hpp"

#include "elements.hpp"
#include "runs.hpp"
#include "tensor.hpp"

/// Elements of one dtype as those of another.
namespace frisket {

AnyTensor AnyTensor::to(DType dtype) const {
    if (dtype == dtype_) return clone();
    AnyTensor result(dtype, shape_);
    dispatch(dtype_, [&]<class From>() {
        using Element = Stored<From>;
        const auto* from = static_cast<const typename Element::Type*>(data_);
        dispatch(dtype, [&]<class To>() {
            auto* to = static_cast<To*>(result.data());
            for_each_run<1>(shape_, {strides_}, [&](const Run<1>& run) {
                for (std::int64_t i = 0; i < run.count; ++i)
                    *to++ = converted<To>(Element::read(from[run.offset[0] + i * run.step[0]]));
            });
        });
    });
    return result;
}

}  // namespace frisket
