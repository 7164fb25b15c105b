# Images for GpSimd cores. trnsim_firmware(<name> [VLEN <bits>] SOURCES <file>...) compiles the sources with the start-up code and the
# device library and makes <build>/firmware/<name>.elf and the image <name>.gpsimd of it, as target <name>. It is for cores whose
# vector registers have as many bits: one of TRNSIM_FIRMWARE_VLENS, 512 if none is given.
#
# The compiler is Debian's clang-19 with lld-19 whatever compiles the rest, so these are commands of their own and not CMake's
# targets. ./trnsim installs both.
set(TRNSIM_FIRMWARE_COMPILER clang++-19 CACHE STRING "Compiler of firmware")
set(TRNSIM_FIRMWARE_VLENS 128 256 512)
set(TRNSIM_FIRMWARE_TARGET --target=riscv32-unknown-elf -mabi=ilp32f -mcmodel=medany)
set(TRNSIM_FIRMWARE_FLAGS -O2 -g -ffreestanding -ffp-contract=off -fno-math-errno -ffunction-sections -fdata-sections
    -Wall -Wextra -Werror)
# Symbols as clang 17 names them: the demangler of GCC 12 knows no newer names of templates with `auto` parameters.
set(TRNSIM_FIRMWARE_CXX_FLAGS -std=c++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit
    -fclang-abi-compat=17)
set(TRNSIM_FIRMWARE_LINK_FLAGS -fuse-ld=lld-19 -nostdlib -static -Wl,--gc-sections -Wl,--no-undefined -Wl,--fatal-warnings)

set(TRNSIM_FIRMWARE_ROOT ${CMAKE_CURRENT_LIST_DIR}/..)
cmake_path(NORMAL_PATH TRNSIM_FIRMWARE_ROOT)
set(TRNSIM_FIRMWARE_INCLUDES -I${TRNSIM_FIRMWARE_ROOT} -I${TRNSIM_FIRMWARE_ROOT}firmware/include)
set(TRNSIM_FIRMWARE_RUNTIME start.S custom_op.cpp dispatch.cpp heap.cpp memory.cpp print.cpp)

# What the compiler is told of the core.
function(trnsim_firmware_target vlen result)
    set(${result} ${TRNSIM_FIRMWARE_TARGET} -march=rv32imf_zve32f_zvl${vlen}b_zicsr_zifencei PARENT_SCOPE)
endfunction()

# Compiles `source` to `object`.
function(trnsim_firmware_object vlen source object)
    trnsim_firmware_target(${vlen} target)
    # Names in debug data are those from the tree's root on, wherever it is.
    file(RELATIVE_PATH relative_root ${CMAKE_CURRENT_BINARY_DIR} ${TRNSIM_FIRMWARE_ROOT})
    set(flags ${TRNSIM_FIRMWARE_FLAGS} -fdebug-compilation-dir=. -ffile-prefix-map=${TRNSIM_FIRMWARE_ROOT}=
        -ffile-prefix-map=${relative_root}=)
    if(source MATCHES "\\.cpp$")
        list(APPEND flags ${TRNSIM_FIRMWARE_CXX_FLAGS})
    endif()
    add_custom_command(OUTPUT ${object}
        COMMAND ${CCACHE} ${TRNSIM_FIRMWARE_COMPILER} ${target} ${flags} ${TRNSIM_FIRMWARE_INCLUDES}
            -MD -MF ${object}.d -c ${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d COMMENT "Firmware object ${object}" VERBATIM)
endfunction()

# What every image has: the objects of the runtime and the linker script. Their folder is in `result`.
function(trnsim_firmware_runtime vlen result)
    set(folder ${PROJECT_BINARY_DIR}/firmware/runtime/vlen${vlen})
    set(${result} ${folder} PARENT_SCOPE)
    if(TARGET trnsim_firmware_runtime_vlen${vlen})
        return()
    endif()
    if(NOT vlen IN_LIST TRNSIM_FIRMWARE_VLENS)
        message(FATAL_ERROR "trnsim_firmware: VLEN ${vlen}, expected one of ${TRNSIM_FIRMWARE_VLENS}")
    endif()
    trnsim_firmware_target(${vlen} target)
    file(MAKE_DIRECTORY ${folder})
    set(outputs "")
    foreach(source IN LISTS TRNSIM_FIRMWARE_RUNTIME)
        trnsim_firmware_object(${vlen} ${TRNSIM_FIRMWARE_ROOT}firmware/runtime/${source} ${folder}/${source}.o)
        list(APPEND outputs ${folder}/${source}.o)
    endforeach()
    set(script ${TRNSIM_FIRMWARE_ROOT}firmware/runtime/link.ld.in)
    add_custom_command(OUTPUT ${folder}/link.ld
        COMMAND ${TRNSIM_FIRMWARE_COMPILER} ${target} -E -P -x c ${TRNSIM_FIRMWARE_INCLUDES} -MD -MF ${folder}/link.ld.d
            -MT ${folder}/link.ld ${script} -o ${folder}/link.ld
        DEPENDS ${script} DEPFILE ${folder}/link.ld.d COMMENT "Firmware linker script" VERBATIM)
    add_custom_target(trnsim_firmware_runtime_vlen${vlen} DEPENDS ${outputs} ${folder}/link.ld)
    if(NOT TARGET trnsim_firmware_runtime)
        add_custom_target(trnsim_firmware_runtime)
    endif()
    add_dependencies(trnsim_firmware_runtime trnsim_firmware_runtime_vlen${vlen})
    # For `trnsim customop build`.
    list(JOIN target " " target)
    list(JOIN TRNSIM_FIRMWARE_FLAGS " " flags)
    list(JOIN TRNSIM_FIRMWARE_CXX_FLAGS " " cxx_flags)
    list(JOIN TRNSIM_FIRMWARE_LINK_FLAGS " " link_flags)
    file(CONFIGURE OUTPUT ${folder}/flags CONTENT "${target} ${flags} ${cxx_flags} ${link_flags}\n")
    list(TRANSFORM TRNSIM_FIRMWARE_RUNTIME APPEND .o OUTPUT_VARIABLE objects)
    list(JOIN objects "\n" objects)
    file(CONFIGURE OUTPUT ${folder}/objects CONTENT "${objects}\n")
endfunction()

function(trnsim_firmware name)
    cmake_parse_arguments(ARG "" "VLEN" "SOURCES" ${ARGN})
    if(NOT ARG_VLEN)
        set(ARG_VLEN 512)
    endif()
    trnsim_firmware_runtime(${ARG_VLEN} runtime)
    trnsim_firmware_target(${ARG_VLEN} target)
    set(folder ${PROJECT_BINARY_DIR}/firmware/${name}.objects)
    file(MAKE_DIRECTORY ${folder})
    set(objects "")
    foreach(source IN LISTS ARG_SOURCES)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        cmake_path(GET source FILENAME file)
        trnsim_firmware_object(${ARG_VLEN} ${source} ${folder}/${file}.o)
        list(APPEND objects ${folder}/${file}.o)
    endforeach()
    set(runtime_objects ${TRNSIM_FIRMWARE_RUNTIME})
    list(TRANSFORM runtime_objects REPLACE "(.+)" "${runtime}/\\1.o")
    set(elf ${PROJECT_BINARY_DIR}/firmware/${name}.elf)
    add_custom_command(OUTPUT ${elf}
        COMMAND ${TRNSIM_FIRMWARE_COMPILER} ${target} ${TRNSIM_FIRMWARE_LINK_FLAGS} -T ${runtime}/link.ld ${runtime_objects} ${objects} -o ${elf}
        DEPENDS trnsim_firmware_runtime_vlen${ARG_VLEN} ${runtime_objects} ${runtime}/link.ld ${objects} COMMENT "Firmware ${name}.elf" VERBATIM)
    cmake_path(REPLACE_EXTENSION elf gpsimd OUTPUT_VARIABLE image)
    add_custom_command(OUTPUT ${image} COMMAND trnsim_image ${elf} -o ${image} DEPENDS ${elf} trnsim_image
        COMMENT "Firmware image ${name}.gpsimd" VERBATIM)
    add_custom_target(${name} ALL DEPENDS ${image})
    if(NOT TARGET firmware)
        add_custom_target(firmware)
    endif()
    add_dependencies(firmware ${name})
endfunction()
