// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "stages.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "halide_jit.hpp"
#include "loop.hpp"
#include "plan.hpp"

namespace frisket {

namespace {

/// A name that no other file has; gone at the end.
class PassingFile {
public:
    PassingFile() : path_((std::filesystem::temp_directory_path() / "frisket_XXXXXX").string()) {
        const int file = mkstemp(path_.data());
        if (file < 0) throw IoError("no file can be made in " + path_);
        close(file);
    }
    ~PassingFile() {
        std::error_code error;
        std::filesystem::remove(path_, error);
    }
    PassingFile(const PassingFile&) = delete;
    PassingFile& operator=(const PassingFile&) = delete;
    const std::string& path() const { return path_; }
    std::string text() const {
        std::stringstream text;
        text << std::ifstream(path_).rdbuf();
        return text.str();
    }

private:
    std::string path_;
};

std::string assembly(LoopNest& nest, const std::string& name, Halide::Target machine) {
    machine.set_feature(Halide::Target::JIT, false);
    machine.set_feature(Halide::Target::NoRuntime);
    const PassingFile file;
    nest.pipeline.compile_to_assembly(file.path(), nest.arguments, name, machine);
    return file.text();
}

}  // namespace

std::string stage_text(const Graph& step, Stage stage, Strategy strategy, const TargetRow& target) {
    if (stage == Stage::graph) return to_string(step);
    const Signature signature = signature_of(step);
    if (stage == Stage::plan) return plan_text(step, signature, strategy);
    if (target.gpu) check_on_device(step, target.name);
    set_up_halide();
    const HostNumbers numbers = HostNumbers::of(step);
    const Halide::Target machine = machine_of(target);
    const Schedule schedule = default_schedule(strategy, machine);
    if (stage == Stage::schedule) return to_string(schedule) + "\n";
    LoopNest nest = make_loop({step, signature, numbers, target, machine, schedule}, strategy);
    return stage == Stage::loops ? statements_of(nest, step.name, machine)
                                 : assembly(nest, step.name, machine);
}

}  // namespace frisket
