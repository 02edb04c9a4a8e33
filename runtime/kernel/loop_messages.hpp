// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string>

#include "aot_tables.hpp"

/// Messages of Halide's runtime that is linked into the program, whose own handler would end the process.
namespace frisket::kernel_calls {

/// The context that loops of ready kernels are given: its address identifies a message as theirs.
void* shared_context() noexcept;
/// The last message that came with it.
std::string shared_message();

/// Takes the messages that come with a context on this thread, while it lives; scopes nest.
class MessageScope {
public:
    using Take = void (*)(void* context, const char* message);
    MessageScope(void* context, Take take) noexcept;
    MessageScope(const MessageScope&) = delete;
    MessageScope& operator=(const MessageScope&) = delete;
    ~MessageScope();

private:
    friend bool take_by_scope(void* context, const char* message);
    void* const context_;
    const Take take_;
    const MessageScope* const outer_;
};

using SetErrorHandler = aot::HalideFunctions::ErrorHandler (*)(aot::HalideFunctions::ErrorHandler);
/// Stores these messages, and passes messages of other contexts to the handler that was there before.
void keep_messages(SetErrorHandler set_error_handler) noexcept;

}  // namespace frisket::kernel_calls
