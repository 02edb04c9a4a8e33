// SPDX-License-Identifier: MIT
#include "idle_loops.hpp"

#include <HalideRuntime.h>

#include <cstring>
#include <span>
#include <vector>

#include "../loops/specialization.hpp"

namespace frisket::aot {

namespace {

class IdleExpression final : public codegen::LoopFunction {
public:
    explicit IdleExpression(const kernel_calls::LoopAbi& abi) {
        constexpr std::size_t first = 2;  // behind the module's entry and the opaque 0
        for (std::size_t i = 0; i < abi.size(); ++i)
            if (kernel_calls::is_written(abi[i].role))
                written_.push_back({first + i, abi[i].role == kernel_calls::LoopRole::output_mask ? 1 : 0});
    }
    int call(std::span<const void*> argv, codegen::LoopContext&) const override {
        for (const auto& [entry, byte] : written_) {
            const auto& buffer = *static_cast<const halide_buffer_t*>(argv[entry]);
            void* const memory =
                buffer.device != 0 ? reinterpret_cast<void*>(buffer.device) : static_cast<void*>(buffer.host);
            std::memset(memory, byte, buffer.size_in_bytes());
        }
        return 0;
    }
    std::size_t bytes() const noexcept override { return 1; }

private:
    struct Written {
        std::size_t entry;
        int byte;
    };
    std::vector<Written> written_;
};

class IdleStep final : public codegen::LoopFunction {
public:
    int call(std::span<const void*>, codegen::LoopContext&) const override { return 0; }
    std::size_t bytes() const noexcept override { return 1; }
};

}  // namespace

codegen::LoopCode idle_expression(const kernel_calls::LoopAbi& abi) {
    // Without sizes in the notes a call passes none.
    return {std::make_shared<IdleExpression>(abi), codegen::KernelMetadata().numbers()};
}

codegen::LoopCode idle_step() { return {std::make_shared<IdleStep>(), {}}; }

}  // namespace frisket::aot
