// SPDX-License-Identifier: MIT
#include "tools.hpp"

#include "../../codegen/disk_cache/loop_folder.hpp"
#include "../../codegen/loops/schedule.hpp"
#include "../../codegen/loops/threads.hpp"
#include "../../codegen/tuning/records/database.hpp"
#include "../../codegen/tuning/records/machine.hpp"

#include <algorithm>
#include <string>

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

nb::dict as_dict(const TuneResult& result) {
    nb::dict made;
    made["name"] = result.step;
    made["schedule"] = result.schedule ? nb::cast(to_string(*result.schedule)) : nb::none();
    made["gain"] = result.gain;
    made["default_s"] = result.default_s;
    made["best_s"] = result.best_s;
    made["noise"] = result.noise;
    made["tried"] = result.candidates.size();
    made["spent_s"] = result.spent_s;
    return made;
}

}  // namespace

nb::list tune_results(double seconds, std::uint64_t seed,
                      const std::function<std::vector<TuneResult>(const TuneOptions&)>& search) {
    bool is_interrupted = false;
    TuneOptions options{.seconds = seconds, .seed = seed};
    options.is_stopped = [&] {
        const nb::gil_scoped_acquire acquired;
        is_interrupted = is_interrupted || PyErr_CheckSignals() != 0;
        PyErr_Clear();
        return is_interrupted;
    };
    const std::vector<TuneResult> found = released_if(true, [&] { return search(options); });
    nb::list made;
    for (const TuneResult& result : found) made.append(as_dict(result));
    return made;
}

void add_tools(nb::module_& module) {
    module.def("machine", &machine);
    module.def("clear_loops", &clear_loops);
}

}  // namespace frisket::python
