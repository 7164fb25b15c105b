# What other projects link: trnsim::builder, trnsim::functional and so on, by add_subdirectory(), or by find_package(trnsim) from
# the build folder or from where `cmake --install` put it. Both have the package in lib/cmake/trnsim and the program in bin.
set(TRNSIM_LIBRARIES
    activation builder checkpoint chip collective_cores collectives communicator config contents core core_fast core_rtl cost dma dma_encoding estimates fabric
    files firmware_images fst functional hbm isa jobs kernels loader neff neuronlink npy numerics operands perturb places processes protocol random_programs runtime rv32 schedule
    simulation system target trial values waves)

set(package ${PROJECT_BINARY_DIR}/lib/cmake/trnsim)
set(headers ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${headers})
foreach(name IN LISTS TRNSIM_LIBRARIES)
    set(target trnsim_${name})
    add_library(trnsim::${name} ALIAS ${target})
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${headers}>")
    list(APPEND targets ${target})
    # Headers of the folder, or those that the library names.
    get_target_property(folder ${target} SOURCE_DIR)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    get_target_property(named ${target} TRNSIM_HEADERS)
    if(named)
        list(TRANSFORM named PREPEND ${folder}/ OUTPUT_VARIABLE folder)
    endif()
    list(APPEND public ${folder})
endforeach()
add_executable(trnsim::trnsim ALIAS trnsim)

# Other projects include trnsim/compiler/builder/kernel_builder.hpp and so on; no other name of the tree is on their path.
set(copied ${PROJECT_BINARY_DIR}/generated/headers.stamp)
add_custom_command(
    OUTPUT ${copied}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/public_headers.py ${PROJECT_SOURCE_DIR} ${headers} --generated ${PROJECT_BINARY_DIR}/generated/isa
            --also ${PROJECT_SOURCE_DIR}/firmware/include --stamp ${copied} ${public}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/public_headers.py ${PROJECT_BINARY_DIR}/generated/isa/isa/isa_tables.hpp
    DEPFILE ${copied}.d
    COMMENT "Headers for other projects"
    VERBATIM)
add_custom_target(trnsim_headers DEPENDS ${copied})
add_dependencies(trnsim_headers isa_generated)
foreach(target IN LISTS targets)
    add_dependencies(${target} trnsim_headers)
endforeach()

# The component `program` is what the Debian package and the wheel have: the program with all that it reads. `development` is what
# other projects compile and link, `mpi` the exchange between hosts.
set(component COMPONENT development)
install(TARGETS ${targets} systemc EXPORT trnsim ARCHIVE DESTINATION lib ${component} INCLUDES DESTINATION include)
install(TARGETS trnsim EXPORT trnsim RUNTIME DESTINATION bin COMPONENT program)
install(TARGETS trnsim_rtl_package RUNTIME DESTINATION bin ${component})
install(DIRECTORY ${headers}/trnsim DESTINATION include ${component} MESSAGE_NEVER)
if(TARGET trnsim_mpi)
    install(TARGETS trnsim_mpi LIBRARY DESTINATION lib/trnsim COMPONENT mpi)
endif()

set(component COMPONENT program)
foreach(name IN LISTS cores TRNSIM_EXTRA_CORES)
    cmake_path(GET name STEM name)
    install(TARGETS core_${name} LIBRARY DESTINATION lib/trnsim/cores ${component} OPTIONAL)
endforeach()
# Beside cores for x86-64-v3 there are those for x86-64-v4; the program takes the one that uses most of its processor.
set(further "")
if(TRNSIM_RTL_MARCH STREQUAL "x86-64-v3")
    set(folder ${PROJECT_BINARY_DIR}/x86-64-v4)
    foreach(yaml IN LISTS cores)
        cmake_path(GET yaml STEM name)
        set(core ${folder}/core_${name}.x86-64-v4.so)
        list(APPEND further ${core})
        list(APPEND copies COMMAND ${CMAKE_COMMAND} -E copy ${folder}/lib/cores/core_${name}.so ${core})
        list(APPEND ordinary core_${name})
    endforeach()
    add_custom_command(OUTPUT ${further}
        COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${folder} -G ${CMAKE_GENERATOR} -DCMAKE_BUILD_TYPE=Release
                -DTRNSIM_RTL_MARCH=x86-64-v4 -DTRNSIM_RTL_PACKAGE=$<TARGET_FILE:trnsim_rtl_package> "-DTRNSIM_EXTRA_CORES=${cores}"
        COMMAND ${CMAKE_COMMAND} --build ${folder}
        ${copies}
        DEPENDS ${ordinary}
        COMMENT "Cores for x86-64-v4"
        USES_TERMINAL VERBATIM)
endif()
install(FILES ${further} DESTINATION lib/trnsim/cores ${component} OPTIONAL)
install(DIRECTORY configs waves data DESTINATION share/trnsim ${component} MESSAGE_NEVER)
# For GpSimd cores: microcode, and what custom operators are compiled with.
install(DIRECTORY firmware/include DESTINATION share/trnsim/firmware ${component} MESSAGE_NEVER)
install(FILES firmware/runtime/operation.hpp DESTINATION share/trnsim/firmware/runtime ${component})
install(DIRECTORY ${PROJECT_BINARY_DIR}/firmware/runtime DESTINATION share/trnsim/firmware ${component} MESSAGE_NEVER PATTERN "*.d" EXCLUDE)
include(Firmware)
foreach(vlen IN LISTS TRNSIM_FIRMWARE_VLENS)
    install(FILES ${PROJECT_BINARY_DIR}/firmware/microcode_vlen${vlen}.gpsimd DESTINATION share/trnsim/firmware ${component} OPTIONAL)
endforeach()
include(Customop)

# Manual page, completion of commands, licence.
install(FILES docs/trnsim.1 DESTINATION share/man/man1 ${component})
install(FILES LICENSE DESTINATION share/doc/trnsim RENAME copyright ${component})
install(FILES README.md CHANGELOG.md DESTINATION share/doc/trnsim ${component})
set(completions tools/cli/completion)
install(FILES ${completions}/trnsim.bash DESTINATION share/bash-completion/completions RENAME trnsim ${component})
install(FILES ${completions}/_trnsim DESTINATION share/zsh/vendor-completions ${component})
install(FILES ${completions}/trnsim.fish DESTINATION share/fish/vendor_completions.d ${component})

include(CMakePackageConfigHelpers)
configure_file(${CMAKE_CURRENT_LIST_DIR}/trnsimConfig.cmake ${package}/trnsimConfig.cmake COPYONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/Customop.cmake ${package}/trnsimCustomop.cmake COPYONLY)
write_basic_package_version_file(${package}/trnsimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
export(EXPORT trnsim NAMESPACE trnsim:: FILE ${package}/trnsimTargets.cmake)
install(EXPORT trnsim NAMESPACE trnsim:: FILE trnsimTargets.cmake DESTINATION lib/cmake/trnsim COMPONENT development)
install(FILES ${package}/trnsimConfig.cmake ${package}/trnsimConfigVersion.cmake ${package}/trnsimCustomop.cmake
    DESTINATION lib/cmake/trnsim COMPONENT development)

# `cpack` in the build folder writes the Debian packages trnsim and trnsim-mpi; see docs/packages.md.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The trnsim authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "RTL-level model of a Trainium-class training accelerator")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME trnsim)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS gtkwave)
if(TARGET trnsim_mpi)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
    set(CPACK_DEBIAN_MPI_PACKAGE_NAME trnsim-mpi)
    set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "trnsim (= ${PROJECT_VERSION}), openmpi-bin")
    set(CPACK_COMPONENT_MPI_DESCRIPTION "Simulation of a server on several hosts with Open MPI")
endif()
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Runs compiled kernels on SystemVerilog of the engines, with waves, sweeps of hardware parameters, and SystemC models of HBM, DMA and links.")
if(PROJECT_IS_TOP_LEVEL)
    include(CPack)
endif()

# What the Python package links and finds: see python/CMakeLists.txt.
add_custom_target(trnsim_python_libraries)
foreach(name communicator functional kernels schedule trial waves)
    add_dependencies(trnsim_python_libraries trnsim_${name})
endforeach()
add_dependencies(trnsim_python_libraries trnsim_headers core_small16 microcode)

# Pages of the libraries and of the Python package, in the folder api.
add_custom_target(api
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/api_pages.sh ${PROJECT_BINARY_DIR}
    COMMENT "Pages of libraries and of the Python package"
    USES_TERMINAL VERBATIM)
add_dependencies(api trnsim_python_libraries)

# Debian packages and the wheel, in the folder packages.
add_custom_target(packages
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/package.sh ${PROJECT_BINARY_DIR}
    DEPENDS ${further}
    COMMENT "Packages"
    USES_TERMINAL VERBATIM)
add_dependencies(packages trnsim trnsim_firmware_runtime trnsim_python_libraries)
foreach(name IN LISTS cores)
    cmake_path(GET name STEM name)
    add_dependencies(packages core_${name})
endforeach()
if(TARGET trnsim_mpi)
    add_dependencies(packages trnsim_mpi)
endif()

# A build folder outside the tree has what the program finds above itself.
cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${PROJECT_BINARY_DIR} NORMALIZE inside)
if(NOT inside)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/firmware/runtime)
    foreach(shipped configs waves data firmware/include firmware/runtime/operation.hpp)
        file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${shipped} ${PROJECT_BINARY_DIR}/${shipped} SYMBOLIC)
    endforeach()
endif()
if(NOT PROJECT_IS_TOP_LEVEL)
    target_compile_definitions(trnsim_places INTERFACE $<BUILD_INTERFACE:TRNSIM_PROGRAM_FOLDER="${PROJECT_BINARY_DIR}/bin">)
    target_compile_options(trnsim_places INTERFACE "$<BUILD_INTERFACE:SHELL:-include trnsim/base/places/program.hpp>")
endif()
