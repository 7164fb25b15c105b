// Names of the instruction set in Python: "bf16", "multiply", "vector".
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "isa/isa_tables.hpp"

namespace trnsim::python {

// The values of an enumeration, and what it is in messages.
struct Values {
    std::string_view what;
    std::span<const isa::EnumValue> values;
};

// The value called `name`. Throws builder::Error that lists the names.
std::uint8_t find(std::string_view name, const Values& values);

// The name of a value of the enumeration `E`, looked up when it is used. Element types also go by NumPy's
// names and as NumPy's or ml_dtypes' types.
template <typename E>
struct Name {
    std::string text;

    Name() = default;
    Name(E value) : text(isa::name_of(value)) {}  // NOLINT: for default arguments
    // Throws builder::Error that lists the names.
    operator E() const;  // NOLINT
};

}  // namespace trnsim::python

namespace nanobind::detail {

template <typename E>
struct type_caster<trnsim::python::Name<E>> {
    NB_TYPE_CASTER(trnsim::python::Name<E>,
                   (const_name<std::is_same_v<E, trnsim::isa::Dtype>>(const_name("typing.Any"),
                                                                      const_name("str"))))

    bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept {
        object name = borrow(source);
        for (const char* attribute : {"name", "__name__"}) {
            if (!PyUnicode_Check(name.ptr()) && hasattr(name, attribute)) name = getattr(name, attribute);
        }
        const char* text = PyUnicode_Check(name.ptr()) ? PyUnicode_AsUTF8(name.ptr()) : nullptr;
        if (text == nullptr) {
            PyErr_Clear();
            return false;
        }
        value.text = text;
        return true;
    }

    static handle from_cpp(const trnsim::python::Name<E>& name, rv_policy, cleanup_list*) noexcept {
        return PyUnicode_FromStringAndSize(name.text.data(), static_cast<Py_ssize_t>(name.text.size()));
    }
};

}  // namespace nanobind::detail
