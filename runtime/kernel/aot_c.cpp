// SPDX-License-Identifier: MIT
#include "aot_module.hpp"

#include "../support/made_once.hpp"
#include "binding.hpp"
#include "c_arguments.hpp"
#include "c_results.hpp"
#include "known_arguments.hpp"
#include "per_thread.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>

namespace frisket::aot {

namespace {

/// The text of the last error of this thread.
constinit thread_local const char* shown_error = "";

/// Keeps the text of an error; without memory for it, a text that reports this.
int set_error(ErrorCode code, const char* message) noexcept {
    static constinit kernel_calls::PerThread<std::string> texts;
    try {
        std::string& text = texts.get();
        text = message;
        shown_error = text.c_str();
    } catch (...) { shown_error = "frisket: no memory"; }
    return static_cast<int>(code);
}

/// Calls a function; returns 0, or the code of an error whose text is stored.
int reported(const auto& function) noexcept {
    try {
        function();
        return FRISKET_OK;
    } catch (const Error& error) {
        return set_error(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return set_error(ErrorCode::bug, "frisket: no memory");
    } catch (const std::exception& error) { return set_error(ErrorCode::bug, error.what()); } catch (...) {
        return set_error(ErrorCode::bug, "frisket: an exception without a message");
    }
}

void take(std::string_view step, const CStruct& given, std::byte* own, std::size_t size) {
    const std::string name(step);
    if (given.abi_version != FRISKET_ABI_VERSION)
        throw BindingError(name + ": the caller's header has FRISKET_ABI_VERSION " +
                           std::to_string(given.abi_version) + ", the library has " +
                           std::to_string(FRISKET_ABI_VERSION) + ": compile the caller with its headers");
    if (given.data == nullptr)
        throw ValueError(name + ": the arguments are a null pointer: give the address of a struct");
    if (reinterpret_cast<std::uintptr_t>(given.data) % alignof(void*) != 0)
        throw ValueError(name + ": the arguments lie at no multiple of " + std::to_string(alignof(void*)) +
                         " bytes: give aligned memory");
    const auto* const from = static_cast<const std::byte*>(given.data);
    const bool has_more =
        given.size > size &&
        std::any_of(from + size, from + given.size, [](std::byte byte) { return byte != std::byte{}; });
    if (has_more || given.size % alignof(void*) != 0)
        throw BindingError(name + ": the struct of arguments has " + std::to_string(given.size) +
                           " bytes, the library's has " + std::to_string(size) +
                           ": compile the caller with the library's header");
    std::memcpy(own, from, std::min(size, given.size));
}

template <class T>
const T& made_by(Callee<T>& callee) {
    return runtime::made_once_at(callee.made, [&] { return &callee.make(); });
}

}  // namespace

int report_errors(const std::function<void()>& function) noexcept { return reported(function); }

const char* last_error_text() noexcept { return shown_error; }

int take_struct(const char* step, const CStruct& given, void* own, std::size_t size) noexcept {
    return reported([&] { take(step, given, static_cast<std::byte*>(own), size); });
}

int call_from_c(Callee<CompiledKernel>& callee, std::initializer_list<CArgument> given) noexcept {
    return reported([&] {
        const CompiledKernel& made = made_by(callee);
        static constinit kernel_calls::PerThread<kernel_calls::KnownArguments> of_threads;
        kernel_calls::KnownArguments* const known = of_threads.find();
        const auto* const arguments = known == nullptr ? nullptr : known->find(made, given);
        if (arguments != nullptr) return made.call(*arguments);
        auto owner = std::make_unique<kernel_calls::CArguments>(made.signature());
        std::vector<Argument> converted = owner->converted(given, [&](std::span<const Shape> shapes) {
            kernel_calls::check_shapes(made.signature(), shapes);
        });
        made.call(converted);
        try {
            of_threads.get().keep(made, given, std::move(owner), std::move(converted));
        } catch (const std::bad_alloc&) {}  // without memory, the next call converts again
    });
}

int call_from_c(Callee<PlannedCall>& callee, std::initializer_list<CArgument> given) noexcept {
    return reported([&] {
        const PlannedCall& made = made_by(callee);
        kernel_calls::CArguments arguments(made.signature);
        made.call(arguments.converted(given, made.check_shapes));
    });
}

int call_from_c(Callee<PlannedValues>& callee, std::initializer_list<CArgument> given,
                Rows<frisket_result*> results) noexcept {
    return reported([&] {
        const PlannedValues& made = made_by(callee);
        kernel_calls::CResults to(made.signature.name, results);
        std::vector<ResultForm> forms;
        kernel_calls::CArguments arguments(made.signature);
        const std::vector<Argument> converted =
            arguments.converted(given, [&](std::span<const Shape> shapes) { forms = made.forms(shapes); });
        if (to.describe(forms)) return;
        to.write(made.call(converted, forms));
    });
}

}  // namespace frisket::aot
