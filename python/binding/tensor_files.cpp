// SPDX-License-Identifier: MIT
#include "tensor_files.hpp"

#include "../../runtime/io/tensor_files.hpp"
#include "arguments.hpp"

#include <nanobind/stl/map.h>

#include <map>
#include <string>
#include <vector>

namespace frisket::python {

namespace {

using Texts = std::map<std::string, std::string>;

/// (tensors by name, texts by name).
nb::tuple load_tensors(const std::string& path) {
    nb::dict tensors;
    Safetensors found = load_safetensors(path);
    for (NamedTensor& one : found.tensors) tensors[one.name.c_str()] = array_of(std::move(one.tensor));
    return nb::make_tuple(tensors, found.metadata);
}

void save_tensors(const std::string& path, const nb::dict& tensors, const Texts& metadata) {
    std::vector<NamedTensor> named;
    for (const auto& [name, tensor] : tensors)
        named.push_back({.name = nb::cast<std::string>(name), .tensor = hold(tensor)});
    save_safetensors(path, named, metadata);
}

}  // namespace

void add_tensor_files(nb::module_& module) {
    module.def("load_tensors", &load_tensors);
    module.def("save_tensors", &save_tensors);
    module.def("load_npy", [](const std::string& path) { return array_of(load_npy(path)); });
    module.def("save_npy",
               [](const std::string& path, const nb::object& tensor) { save_npy(path, hold(tensor)); });
}

}  // namespace frisket::python
