# Custom operators of GpSimd cores, for other projects as well. trnsim_customop(<name> [VLEN <bits>] SOURCES <file>...) compiles C++
# sources to <name>.lib in the current binary folder, as target <name>, again when they or headers change. It is for cores with vector
# registers of so many bits, 512 if none are given. It needs clang-19 and lld-19.
function(trnsim_customop name)
    cmake_parse_arguments(ARG "" "VLEN" "SOURCES" ${ARGN})
    if(NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "trnsim_customop(${name}): expected SOURCES and files")
    endif()
    set(library ${CMAKE_CURRENT_BINARY_DIR}/${name}.lib)
    set(needed trnsim::trnsim)
    set(options --depfile ${library}.d)
    if(ARG_VLEN)
        list(APPEND options --vlen ${ARG_VLEN})
    endif()
    if(TARGET trnsim_firmware_runtime) # in the tree
        list(APPEND needed trnsim_firmware_runtime)
    endif()
    add_custom_command(OUTPUT ${library} COMMAND trnsim::trnsim -q customop build ${ARG_SOURCES} -o ${library} ${options}
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} DEPENDS ${ARG_SOURCES} ${needed} DEPFILE ${library}.d
        COMMENT "Custom operators ${name}.lib" VERBATIM)
    add_custom_target(${name} ALL DEPENDS ${library})
endfunction()
