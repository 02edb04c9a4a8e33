// SPDX-License-Identifier: MIT
#include "dtype.hpp"

#include "elements.hpp"
#include "runs.hpp"
#include "tensor.hpp"

/// Elements of one dtype converted to another.
namespace frisket {

using namespace runtime;

AnyTensor AnyTensor::to(DType dtype) const {
    check_not_moved("to");
    if (dtype == dtype_) return clone();
    AnyTensor result(dtype, shape());
    dispatch(dtype_, [&]<class From>() {
        const Reader<From> from(data());
        dispatch(dtype, [&]<class To>() {
            auto* to = static_cast<To*>(result.data());
            for_each_run<1>(shape(), {strides()}, [&](const Run<1>& run) {
                for (std::int64_t i = 0; i < run.count; ++i)
                    *to++ = converted<To>(from[run.offset[0] + i * run.step[0]]);
            });
        });
    });
    return result;
}

}  // namespace frisket
