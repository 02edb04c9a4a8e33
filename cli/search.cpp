// SPDX-License-Identifier: MIT
#include "search.hpp"

#include "../codegen/tuning/records/database.hpp"
#include "../codegen/tuning/search/tune.hpp"
#include "../runtime/io/file.hpp"
#include "report/measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>

namespace frisket::cli {

namespace {

volatile std::sig_atomic_t is_interrupted = 0;

bool is_terminal() {
    static const bool known = isatty(STDERR_FILENO) != 0;
    return known;
}

/// One line on a terminal, rewritten; elsewhere nothing.
void show_progress(const TuneProgress& progress) {
    if (!is_terminal()) return;
    constexpr int width = 24;
    const std::string bar(static_cast<std::size_t>(progress.done * width), '#');
    std::fprintf(stderr, "\r[%-*s] %-10s %4.0f s left, %3d candidates, default %.4g ms, best %.4g ms ", width,
                 bar.c_str(), std::string(progress.stage).c_str(), progress.left_s, progress.candidates,
                 progress.default_s * 1e3, progress.best_s * 1e3);
    std::fflush(stderr);
}

void end_progress() {
    if (is_terminal()) std::fputs("\r\033[K", stderr);
}

void print(const TuneResult& result) {
    const auto rejected = std::ranges::count_if(
        result.candidates, [](const Candidate& candidate) { return !candidate.rejected.empty(); });
    std::printf("%s: %s\n", result.step.c_str(), to_string(result.call).c_str());
    std::printf("  default   %9.4f ms  %s\n", result.default_s * 1e3,
                std::string(name_of(result.usual)).c_str());
    if (result.schedule)
        std::printf("  found     %9.4f ms  %s, %.2f times as fast in pairs\n", result.best_s * 1e3,
                    to_string(*result.schedule).c_str(), result.gain);
    else
        std::printf("  found     nothing that pairs confirm to be faster\n");
    std::printf("  noise     %.1f %%: the default against itself\n", result.noise * 100);
    std::printf("  tried     %zu schedules in %.0f s, %td of them rejected%s\n", result.candidates.size(),
                result.spent_s, rejected,
                result.is_exhausted ? "" : "; there are more: a larger --budget tries them");
    for (std::size_t i = 0; i < std::min<std::size_t>(result.candidates.size(), 5); ++i) {
        const Candidate& candidate = result.candidates[i];
        if (candidate.best_s > 0)
            std::printf("            %9.4f ms  %s\n", candidate.best_s * 1e3,
                        to_string(candidate.schedule).c_str());
    }
}

/// Stores a result in the database of the settings.  Returns the database's path; empty without a database.
std::string keep(const TuneResult& result, const SearchSettings& settings) {
    const std::string path = settings.database.empty() ? codegen::default_tuning_path() : settings.database;
    if (path.empty() || path == "off") {
        std::printf("  kept      nowhere: there is no tuning database\n");
        return "";
    }
    frisket::keep(result, path);
    std::printf("  kept      %s\n", path.c_str());
    return path;
}

/// Searches until the budget is spent or somebody says stop.
void search(const SearchSettings& settings, const std::string& target,
            const std::function<void(const TuneOptions&)>& run) {
    const auto before = std::signal(SIGINT, [](int) { is_interrupted = 1; });
    run({.seconds = settings.budget,
         .target = target,
         .database = "off",
         .progress = show_progress,
         .is_stopped = [] { return is_interrupted != 0; }});
    std::signal(SIGINT, before);
    end_progress();
}

/// The file of a page's data, or null.  Made before the search, so that an unwritable file is found at once.
std::unique_ptr<runtime::FileWriter> report_file(const SearchSettings& settings) {
    if (settings.report.empty()) return nullptr;
    const runtime::FileWriter page("tune", settings.report);
    return std::make_unique<runtime::FileWriter>("tune", data_path(settings.report));
}

/// The page of a step that is one loop nest.
Report report_of_step(const StepToTune& step, const Pattern& pattern, Layout layout,
                      const StepArguments& arguments, const TuneResult& result, double map_seconds) {
    std::printf("  report    %.0f s more, of measuring for its page\n", map_seconds + race_seconds);
    std::fflush(stdout);
    return make_report({.step = step.graph,
                        .numbers = step.numbers,
                        .dtype = step.dtype,
                        .shape = step.shape,
                        .pattern = pattern,
                        .layout = layout,
                        .target = step.target,
                        .arguments = arguments.arguments()},
                       result, map_seconds);
}

/// Shapes of a graph's tensors, for a page.
std::vector<std::pair<std::string, std::string>> facts_of(const Graph& graph) {
    std::vector<std::pair<std::string, std::string>> facts;
    for (const Symbol& symbol : graph.symbols)
        facts.emplace_back(symbol.name, std::string(info_of(symbol.dtype).name) + " " +
                                            (is_tensor(symbol.kind) ? to_string(symbol.shape) : "a number"));
    return facts;
}

/// The parts of a step with operations on whole tensors, one after another.
void tune_parts(const StepToTune& step, const StepArguments& arguments, const SearchSettings& settings) {
    if (!settings.report.empty())
        throw ValueError("tune: --report: a page is of one search, and " + step.graph.name +
                         " is tuned in parts: leave it out");
    std::vector<TuneResult> found;
    search(settings, step.target, [&](const TuneOptions& options) {
        found = frisket::tune_parts(step.graph, arguments.arguments(), options);
    });
    if (found.empty())
        std::printf("%s: with this layout it runs over listed rows, whose loops have no schedule to choose\n",
                    step.graph.name.c_str());
    for (const TuneResult& result : found) {
        print(result);
        keep(result, settings);
    }
}

}  // namespace

void tune_step(const StepToTune& step, const SearchSettings& settings) {
    const Layout layout = parse_layout(step.layout);
    const Pattern pattern = pattern_for(settings.pattern, layout);
    const StepArguments arguments(
        step.graph, step.numbers, step.shape, [&](const Shape& shape) { return mask_of(pattern, shape); },
        layout);
    const bool is_function = !step.graph.results.empty();
    if (step.graph.shaped && !is_function) return tune_parts(step, arguments, settings);
    const std::unique_ptr<runtime::FileWriter> file = report_file(settings);
    TuneResult result;
    search(settings, step.target,
           [&](const TuneOptions& options) { result = tune(step.graph, arguments.arguments(), options); });
    if (is_function) result.step = step.graph.name;
    print(result);
    const std::string kept = keep(result, settings);
    if (!file) return;
    Report report = is_function ? report_of_expression(facts_of(step.graph), result)
                                : report_of_step(step, pattern, layout, arguments, result, settings.map);
    report.next = next_steps(kept, layout, settings);
    write_report(*file, settings, report);
}

void tune_expression(const ExpressionToTune& expression, const SearchSettings& settings) {
    const std::unique_ptr<runtime::FileWriter> file = report_file(settings);
    const Layout layout = parse_layout(expression.layout);
    const Pattern pattern = pattern_for(settings.pattern, layout);
    Operands operands(expression, pattern, layout);
    TuneResult result;
    search(settings, expression.target, [&](const TuneOptions& options) {
        detail::ExpressionTuner tuner(options);
        tuner.emitter().bind_symbols([&](std::string_view name, SymbolKind kind, DType dtype) {
            return operands.bind(tuner.session(), name, kind, dtype);
        });
        tuner.add(expression.emit(tuner.emitter()));
        result = tuner.tuned();
        result.step = expression.name;
    });
    print(result);
    const std::string kept = keep(result, settings);
    if (!file) return;
    std::printf("  report\n");
    Report report = report_of_expression(operands.facts(), result);
    report.next = next_steps(kept, layout, settings);
    write_report(*file, settings, report);
}

}  // namespace frisket::cli
