// SPDX-License-Identifier: MIT
// The library of rules is loaded from the folder of this module.
#include "rule_loops.hpp"

#include "../../codegen/loops/linked_loops.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/error.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <memory>

namespace frisket::python {

namespace {

using codegen::LoopProvider;

/// The sources of the library as one.
class RuleLoops final : public LoopProvider {
public:
    explicit RuleLoops(RuleLibraryFunction* library) {
        const RuleImports imports{frisket_loop_malloc,     frisket_loop_free,  frisket_loop_error,
                                  frisket_loop_do_par_for, aot::make_provider, aot::check_not_chosen};
        library(imports, sources_.data());
    }

    int lanes() const noexcept override { return sources_.front()->lanes(); }
    bool is_linked() const noexcept override { return true; }
    void refuse(const Graph& body) const override { sources_.front()->refuse(body); }
    codegen::LoopCode loop(const codegen::LoopRequest& request) const override {
        codegen::LoopCode found;
        for (const LoopProvider* const source : sources_)
            if (!found && source != nullptr) found = source->loop(request);
        return found;
    }
    std::optional<CompiledKernel> kernel(const Graph& step,
                                         std::span<const Argument> arguments) const override {
        std::optional<CompiledKernel> found;
        for (const LoopProvider* const source : sources_)
            if (!found && source != nullptr) found = source->kernel(step);
        // A source says what is missing.
        return found ? found : sources_.front()->kernel(step, arguments);
    }
    std::string target() const {
        return std::string(static_cast<const codegen::LinkedLoops*>(sources_.front())->target());
    }

private:
    std::array<const LoopProvider*, rule_source_count> sources_ = {};
};

/// The loops of the library; null if the library is absent.
std::unique_ptr<RuleLoops> load() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&rule_loops), &here) == 0) return nullptr;
    const auto file = std::filesystem::path(here.dli_fname).replace_filename("libfrisket_rules.so");
    if (!std::filesystem::exists(file)) return nullptr;
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const function = library != nullptr ? dlsym(library, rule_library_function) : nullptr;
    if (function == nullptr) throw IoError(file.string() + " cannot be loaded: " + dlerror());
    return std::make_unique<RuleLoops>(reinterpret_cast<RuleLibraryFunction*>(function));
}

const RuleLoops* loaded_library() { return runtime::made_once(load).get(); }

}  // namespace

const LoopProvider* rule_loops() { return loaded_library(); }

std::string rule_target() {
    try {
        const RuleLoops* const loops = loaded_library();
        return loops == nullptr ? "" : loops->target();
    } catch (const TargetError&) { return ""; }  // FRISKET_TARGET names what this processor cannot run
}

}  // namespace frisket::python
