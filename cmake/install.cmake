# The libraries that others may link: find_package(nlc), then nlc::election, nlc::informer or nlc::election_asio. Headers
# keep their paths from the root of this tree.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(NLC_CORE runtime metrics api client informer election)
set(NLC_REAL yaml net election_asio)
set(NLC_HEADERS ${CMAKE_INSTALL_INCLUDEDIR}/nlc)
set(NLC_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/nlc)

foreach(library ${NLC_CORE} ${NLC_REAL})
  set_target_properties(nlc_${library} PROPERTIES EXPORT_NAME ${library})
endforeach()
set_target_properties(nlc_options PROPERTIES EXPORT_NAME options)

list(TRANSFORM NLC_CORE PREPEND nlc_ OUTPUT_VARIABLE core_targets)
list(TRANSFORM NLC_REAL PREPEND nlc_ OUTPUT_VARIABLE real_targets)
install(TARGETS nlc_options ${core_targets} EXPORT core COMPONENT library)
install(TARGETS ${real_targets} EXPORT real COMPONENT library)
foreach(part core real)
  install(EXPORT ${part} NAMESPACE nlc:: FILE nlc-${part}.cmake DESTINATION ${NLC_PACKAGE} COMPONENT library)
endforeach()
foreach(folder runtime metrics api client informer election yaml net)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${NLC_HEADERS} COMPONENT library
          FILES_MATCHING PATTERN "*.h")
endforeach()

write_basic_package_version_file(${PROJECT_BINARY_DIR}/nlcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/nlcConfig.cmake ${PROJECT_BINARY_DIR}/nlcConfigVersion.cmake
        DESTINATION ${NLC_PACKAGE} COMPONENT library)

foreach(program node-lifecycle-controller leader-elector nlc)
  if(TARGET ${program})
    install(TARGETS ${program} COMPONENT programs)
  endif()
endforeach()

# `kubectl nlc why` runs it.
install(FILES $<TARGET_FILE_DIR:nlc>/kubectl-nlc DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
