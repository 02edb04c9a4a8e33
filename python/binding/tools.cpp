// SPDX-License-Identifier: MIT
// Facts about this machine, its cache of loops and its schedules, for the module that has the compiler.

#include "../../codegen/disk_cache/loop_folder.hpp"
#include "../../codegen/jit/compilations.hpp"
#include "../../codegen/loops/schedule.hpp"
#include "../../codegen/loops/threads.hpp"
#include "../../codegen/tuning/records/database.hpp"
#include "../../codegen/tuning/records/machine.hpp"
#include "../../codegen/tuning/records/record_text.hpp"
#include "../../codegen/tuning/records/tuned.hpp"
#include "compiler.hpp"
#include "rule_loops.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

namespace frisket::python {

namespace {

/// The folder of compiled loops: its path, how many there are, and their bytes.
nb::tuple kept_loops() {
    const std::string path = codegen::loop_folder_path();
    if (path.empty()) return nb::make_tuple("", 0, 0);
    std::int64_t bytes = 0;
    const auto files = codegen::LoopFolder(path).files();
    for (const codegen::LoopFolder::File& file : files) bytes += file.bytes;
    return nb::make_tuple(path, files.size(), bytes);
}

/// The database of schedules: its path, how many records there are, and how many are of this machine.
nb::tuple kept_schedules() {
    const std::string path = codegen::default_tuning_path();
    if (path.empty()) return nb::make_tuple("", 0, 0);
    const auto all = codegen::TuningDatabase(path, codegen::TuningDatabase::Access::read).records();
    return nb::make_tuple(path, all.size(), std::ranges::count_if(all, codegen::is_found_here));
}

nb::dict machine() {
    nb::dict found;
    found["frisket"] = codegen::frisket_version();
    found["halide"] = codegen::halide_version();
    found["processor"] = codegen::machine_name();
    found["rules"] = rule_target();
    found["threads"] = codegen::thread_count();
    nb::dict targets, devices;
    for (const TargetRow& row : known_targets()) {
        targets[std::string(row.name).c_str()] = why_absent(row);
        if (row.devices == nullptr) continue;
        for (const runtime::DriverDevice& device : row.devices())
            devices[device.name.c_str()] = static_cast<std::int64_t>(device.bytes);
    }
    found["targets"] = targets;
    found["devices"] = devices;
    found["loops"] = kept_loops();
    found["schedules"] = kept_schedules();
    return found;
}

int clear_loops() {
    const std::string path = codegen::loop_folder_path();
    return path.empty() ? 0 : codegen::LoopFolder(path).clear();
}

/// Compilations that the function of fk.on_compile has not been called with.
struct ToldLater {
    std::mutex mutex;
    std::vector<codegen::Compilation> waiting;
    nb::object function;
};

ToldLater& told_later() {
    static auto* const all = new ToldLater;  // threads may compile while the process ends
    return *all;
}

/// Calls the function.  Returns 0, or -1 with Python's error.
int tell(void* /*unused*/) noexcept {
    ToldLater& all = told_later();
    std::vector<codegen::Compilation> waiting;
    {
        const std::lock_guard lock(all.mutex);
        waiting.swap(all.waiting);
    }
    const nb::object function = all.function;
    try {
        for (const codegen::Compilation& one : waiting)
            if (function.is_valid() && !function.is_none())
                function(one.name, one.loops, one.target, one.seconds, one.is_read);
    } catch (nb::python_error& error) {
        error.restore();
        return -1;
    }
    return 0;
}

/// A thread that holds the GIL may wait for threads that compile: the function is called later, on the main
/// thread.
void on_compile(const nb::object& function) {
    told_later().function = function;
    if (function.is_none()) return codegen::on_compilation({});
    codegen::on_compilation([](const codegen::Compilation& done) {
        ToldLater& all = told_later();
        const std::lock_guard lock(all.mutex);
        all.waiting.push_back(done);
        Py_AddPendingCall(&tell, nullptr);
    });
}

/// The user's database of schedules.  Errors: IoError if there is none, or if it cannot be written to.
codegen::TuningDatabase tuning_database(codegen::TuningDatabase::Access access) {
    const std::string path = codegen::default_tuning_path();
    if (path.empty()) throw IoError("tuning: there is no database: write fk.tuning.path = \"tuning.db\"");
    codegen::TuningDatabase database(path, access);
    if (access == codegen::TuningDatabase::Access::write && !database.can_write())
        throw IoError("tuning: " + database.messages().at(0));
    return database;
}

nb::list tuning_records() {
    nb::list found;
    for (const codegen::TuningRecord& one :
         tuning_database(codegen::TuningDatabase::Access::read).records()) {
        const std::string first = one.step.substr(0, one.step.find('\n'));
        found.append(nb::make_tuple(first, std::string(name_of(one.call.layout)), one.call.elements,
                                    one.target, one.schedule, one.gain, codegen::is_found_here(one)));
    }
    return found;
}

std::size_t export_tuning(const std::string& file) {
    const auto all = tuning_database(codegen::TuningDatabase::Access::read).records();
    if (all.empty()) throw IoError("tuning: there are no records: nothing is written");
    codegen::write_export(file, all);
    return all.size();
}

int merge_tuning(const std::string& file) {
    return tuning_database(codegen::TuningDatabase::Access::write).merge(file);
}

std::size_t clear_tuning() {
    codegen::TuningDatabase database = tuning_database(codegen::TuningDatabase::Access::write);
    const std::size_t count = database.records().size();
    database.clear();
    return count;
}

}  // namespace

void add_tools(nb::module_& module) {
    module.def("machine", &machine);
    module.def("clear_loops", &clear_loops);
    module.def("on_compile", &on_compile, nb::arg("function").none());
    module.def("tuning_records", &tuning_records);
    module.def("export_tuning", &export_tuning);
    module.def("merge_tuning", &merge_tuning);
    module.def("clear_tuning", &clear_tuning);
    module.def("reread_tuning", &codegen::reread_tuned_expressions);
}

}  // namespace frisket::python
