// SPDX-License-Identifier: MIT
#include "recording.hpp"

#include "gradient/gradient.hpp"

#include <charconv>
#include <map>

namespace frisket::ir {

namespace {

/// Separates values from the results of their call.
constexpr std::string_view arrow = "->";

std::string list_text(const auto& items, const auto& text) {
    std::string all;
    for (const auto& item : items) all += (all.empty() ? "" : ",") + text(item);
    return "[" + all + "]";
}

std::string digits_of(auto number) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

/// A letter for the type, and the value.
struct AttributeText {
    std::string operator()(bool flag) const { return flag ? "b1" : "b0"; }
    std::string operator()(std::int64_t whole) const { return "i" + digits_of(whole); }
    std::string operator()(double real) const { return "d" + digits_of(real); }
    std::string operator()(const std::string& text) const { return "s" + text; }
    std::string operator()(const std::vector<std::int64_t>& list) const {
        return list_text(list, [](std::int64_t item) { return digits_of(item); });
    }
    std::string operator()(const Value& value) const { return "v" + digits_of(value.id); }
};

std::string text_of(Recording::Ids ids) {
    return list_text(ids, [](NodeId id) { return digits_of(id); });
}

}  // namespace

void Recording::add_line(std::initializer_list<std::string_view> words, Ids made) {
    for (const std::string_view word : words) text_.append(word).append(" ");
    text_.append(arrow).append(" ").append(text_of(made)).append("\n");
}

void Recording::symbol(NodeId made, const Symbol& symbol, const std::optional<Extents>& extents) {
    const std::string shape = extents ? list_text(*extents, [](const auto& text) { return text; }) : "any";
    add_line({"symbol", symbol.name, name_of(symbol.kind), name_of(symbol.dtype), shape}, Ids(&made, 1));
}

void Recording::current(NodeId made, std::string_view name) { add_line({"current", name}, Ids(&made, 1)); }

void Recording::number(NodeId made, const Attribute& value) {
    add_line({"number", std::visit(AttributeText(), value)}, Ids(&made, 1));
}

void Recording::apply(Ids made, std::string_view operation, Ids operands, const Attributes& attributes) {
    text_.append("apply ").append(operation).append(" ").append(text_of(operands)).append(" ");
    for (const auto& [name, value] : attributes)
        text_.append(name).append("=").append(std::visit(AttributeText(), value)).append(" ");
    add_line({}, made);
}

void Recording::gradient(Ids made, NodeId output, Ids wrt, NodeId upstream, bool allow_unused) {
    add_line({"gradient", digits_of(output), text_of(wrt), digits_of(upstream),
              allow_unused ? "allowed" : "refused"},
             made);
}

void Recording::update(std::string_view name, NodeId value, bool everywhere) {
    add_line({"update", name, digits_of(value), everywhere ? "everywhere" : "inferred"});
}

void Recording::over(NodeId masked) { add_line({"over", digits_of(masked)}); }

void Recording::results(Ids results) { add_line({"results"}, results); }

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        parts.push_back(text.substr(0, text.find(separator)));
        text.remove_prefix(std::min(text.size(), parts.back().size() + 1));
    }
    return parts;
}

/// The items of "[a,b]".
std::vector<std::string_view> items_of(std::string_view list) {
    return split(list.substr(1, list.size() - 2), ',');
}

template <class T>
T parsed(std::string_view text) {
    T number{};
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// Makes the calls of a recording anew.
class Replay {
public:
    Replay(std::string_view name, std::span<const Shape> shapes)
        : graph_(std::string(name)), shapes_(shapes) {}

    Graph graph_of(std::string_view recording) {
        for (const std::string_view line : split(recording, '\n')) call(split(line, ' '));
        return is_function_ ? graph_.expression(results_) : graph_.finish();
    }

private:
    using Words = std::vector<std::string_view>;

    void call(const Words& words) {
        const std::string_view what = words[0];
        const std::vector<std::string_view> made = items_of(words.back());
        std::vector<Value> values;
        if (what == "symbol") values = {value(symbol(words))};
        if (what == "current") values = {value(current(words[1]))};
        if (what == "number") values = {number(words[1])};
        if (what == "apply") values = apply(words);
        if (what == "gradient")
            values = ir::gradient(known(words[1]), all_known(words[2]), upstream(words[3]),
                                  words[4] == "allowed" ? Unused::allowed : Unused::refused);
        if (what == "update")
            graph_.update(words[1], known(words[2]).id,
                          words[3] == "everywhere" ? Scope::everywhere : Scope::inferred);
        if (what == "over") graph_.over(known(words[1]).id);
        if (what == "results") {
            is_function_ = true;
            for (const std::string_view id : made) results_.push_back(known(id).id);
        }
        for (std::size_t i = 0; i < values.size(); ++i) known_[parsed<NodeId>(made[i])] = values[i].id;
    }

    NodeId symbol(const Words& words) {
        const std::string name(words[1]);
        Symbol& made = symbols_[name];
        made = {.name = name, .kind = parse_symbol_kind(words[2]), .dtype = parse_dtype(words[3])};
        is_shaped_ = words[4] != "any";
        if (is_shaped_) made.shape = shape_of(name, words[4]);
        return current(name);
    }
    NodeId current(std::string_view name) {
        const Symbol& known = symbols_.find(name)->second;
        return is_shaped_ ? graph_.symbol(known.name, known.kind, known.dtype, known.shape)
                          : graph_.symbol(known.name, known.kind, known.dtype);
    }
    Shape shape_of(const std::string& name, std::string_view form) {
        const Shape& given = shapes_[symbols_.size() - 1];
        const std::vector<std::string_view> extents = items_of(form);
        bool fits = extents.size() == given.size();
        for (std::size_t i = 0; fits && i < extents.size(); ++i) {
            const bool is_number = extents[i][0] >= '0' && extents[i][0] <= '9';
            fits = !is_number || parsed<std::int64_t>(extents[i]) == given[i];
        }
        if (!fits)
            graph_.fail(ErrorCode::shape, name + " has shape " + to_string(given) +
                                              ", and was compiled ahead of time for " + std::string(form) +
                                              ": add the shape to those of the build");
        return given;
    }

    Attribute attribute(std::string_view text) {
        const std::string_view rest = text.substr(1);
        switch (text[0]) {
            case 'b': return rest == "1";
            case 'i': return parsed<std::int64_t>(rest);
            case 'd': return parsed<double>(rest);
            case 's': return std::string(rest);
            case 'v': return known(rest);
            default: break;
        }
        std::vector<std::int64_t> list;
        for (const std::string_view item : items_of(text)) list.push_back(parsed<std::int64_t>(item));
        return list;
    }
    Value number(std::string_view text) {
        const Attributes attributes{{"value", attribute(text)}};
        return *OperationCall{.name = "number", .graph = graph_, .args = {}, .attrs = attributes}.number(
            "value");
    }
    std::vector<Value> apply(const Words& words) {
        Attributes attributes;
        for (const std::string_view word : std::span(words).subspan(3, words.size() - 5)) {
            const auto equals = word.find('=');
            attributes.emplace(word.substr(0, equals), attribute(word.substr(equals + 1)));
        }
        const std::vector<Value> operands = all_known(words[2]);
        return apply_operation({.name = words[1], .graph = graph_, .args = operands, .attrs = attributes});
    }
    std::optional<Value> upstream(std::string_view id) {
        if (parsed<NodeId>(id) == no_node) return {};
        return known(id);
    }

    Value value(NodeId id) { return {&graph_, id}; }
    Value known(std::string_view id) { return value(known_.at(parsed<NodeId>(id))); }
    std::vector<Value> all_known(std::string_view list) {
        std::vector<Value> values;
        for (const std::string_view id : items_of(list)) values.push_back(known(id));
        return values;
    }

    GraphBuilder graph_;
    const std::span<const Shape> shapes_;
    std::map<std::string, Symbol, std::less<>> symbols_;
    std::map<NodeId, NodeId> known_;  // values by the numbers of the recording
    std::vector<NodeId> results_;
    bool is_shaped_ = false, is_function_ = false;
};

}  // namespace

Graph recorded_graph(std::string_view name, std::string_view recording, std::span<const Shape> shapes) {
    return Replay(name, shapes).graph_of(recording);
}

Graph recorded_graph(std::string_view name, std::span<const std::string_view> recordings,
                     std::span<const Shape> shapes) {
    for (const std::string_view recording : recordings.first(recordings.size() - 1)) try {
            return recorded_graph(name, recording, shapes);
        } catch (const ShapeError&) { continue; }
    return recorded_graph(name, recordings.back(), shapes);
}

}  // namespace frisket::ir
