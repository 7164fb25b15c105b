#include "python/src/whole.hpp"

#include <fmt/format.h>

namespace trnsim::python {

namespace nb = nanobind;

void refuse_whole(std::string_view name, std::string_view found, std::uint64_t most) {
    throw nb::value_error(fmt::format("{}: found {}, expected 0 to {}", name, found, most).c_str());
}

bool take_whole(nb::handle source, std::uint64_t& value, std::string& other) noexcept {
    const nb::object number = nb::steal(PyNumber_Index(source.ptr()));
    if (!number.is_valid()) {
        PyErr_Clear();
        return false;
    }
    other.clear();
    value = PyLong_AsUnsignedLongLong(number.ptr());
    if (PyErr_Occurred() == nullptr) return true;
    PyErr_Clear();
    const nb::object text = nb::steal(PyObject_Str(number.ptr()));
    const char* characters = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : nullptr;
    other = characters != nullptr ? characters : "a longer number";
    PyErr_Clear();
    return true;
}

}  // namespace trnsim::python
