// SPDX-License-Identifier: MIT
#include "loop_messages.hpp"

#include "../support/fork.hpp"
#include "../support/made_once.hpp"

#include <atomic>
#include <mutex>

namespace frisket::kernel_calls {

namespace {

using Handler = aot::HalideFunctions::ErrorHandler;

struct SharedContext {
    runtime::Mutex mutex;
    std::string message;
    std::atomic<Handler> other{nullptr};  // handler of pipelines that are not ours
};

SharedContext& shared() {
    return runtime::made_once([] { return SharedContext(); });
}

thread_local const MessageScope* innermost = nullptr;

}  // namespace

bool take_by_scope(void* context, const char* message) {
    for (const MessageScope* scope = innermost; scope != nullptr; scope = scope->outer_)
        if (scope->context_ == context) {
            scope->take_(context, message);
            return true;
        }
    return false;
}

namespace {

void keep_message(void* context, const char* message) {
    if (take_by_scope(context, message)) return;
    SharedContext& ours = shared();
    if (context != &ours) {
        if (const auto other = ours.other.load()) other(context, message);
        return;
    }
    const std::lock_guard lock(ours.mutex);
    try {
        ours.message = message;
    } catch (...) { ours.message.clear(); }  // without memory, without a message
}

}  // namespace

void* shared_context() noexcept { return &shared(); }

std::string shared_message() {
    const std::lock_guard lock(shared().mutex);
    return shared().message;
}

MessageScope::MessageScope(void* context, Take take) noexcept
    : context_(context), take_(take), outer_(innermost) {
    innermost = this;
}

MessageScope::~MessageScope() { innermost = outer_; }

void keep_messages(SetErrorHandler set_error_handler) noexcept {
    if (const Handler before = set_error_handler(keep_message); before != keep_message)
        shared().other = before;
}

}  // namespace frisket::kernel_calls
