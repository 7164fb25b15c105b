// The functions that the compiler calls for copies and fills, as vector code.
#include <riscv_vector.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {

void* memcpy(void* to, const void* from, size_t count) {
    auto* target = static_cast<uint8_t*>(to);
    const auto* source = static_cast<const uint8_t*>(from);
    for (size_t vl; count != 0; target += vl, source += vl, count -= vl) {
        vl = __riscv_vsetvl_e8m8(count);
        __riscv_vse8_v_u8m8(target, __riscv_vle8_v_u8m8(source, vl), vl);
    }
    return to;
}

void* memmove(void* to, const void* from, size_t count) {
    auto* target = static_cast<uint8_t*>(to);
    const auto* source = static_cast<const uint8_t*>(from);
    if (reinterpret_cast<uintptr_t>(target) - reinterpret_cast<uintptr_t>(source) >= count) {
        return memcpy(to, from, count);
    }
    while (count != 0) {
        const size_t vl = __riscv_vsetvl_e8m8(count);
        count -= vl;
        __riscv_vse8_v_u8m8(target + count, __riscv_vle8_v_u8m8(source + count, vl), vl);
    }
    return to;
}

void* memset(void* to, int value, size_t count) {
    auto* target = static_cast<uint8_t*>(to);
    for (size_t vl; count != 0; target += vl, count -= vl) {
        vl = __riscv_vsetvl_e8m8(count);
        __riscv_vse8_v_u8m8(target, __riscv_vmv_v_x_u8m8(static_cast<uint8_t>(value), vl), vl);
    }
    return to;
}

int memcmp(const void* a, const void* b, size_t count) {
    const auto* left = static_cast<const uint8_t*>(a);
    const auto* right = static_cast<const uint8_t*>(b);
    for (size_t vl; count != 0; left += vl, right += vl, count -= vl) {
        vl = __riscv_vsetvl_e8m8(count);
        const vbool1_t differs =
            __riscv_vmsne(__riscv_vle8_v_u8m8(left, vl), __riscv_vle8_v_u8m8(right, vl), vl);
        const long first = __riscv_vfirst(differs, vl);
        if (first >= 0) return left[first] < right[first] ? -1 : 1;
    }
    return 0;
}

size_t strlen(const char* text) {
    size_t length = 0;
    while (text[length] != '\0') ++length;
    return length;
}

}  // extern "C"
