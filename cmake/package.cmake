# Debian packages and a tarball, made by cpack (packaging/package.sh).
set(packaging ${PROJECT_SOURCE_DIR}/packaging)

if(TARGET node-lifecycle-controller)
  add_custom_target(manuals
    COMMAND ${packaging}/manuals.sh $<TARGET_FILE_DIR:nlc> ${PROJECT_BINARY_DIR}/manuals
    DEPENDS node-lifecycle-controller leader-elector nlc)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/manuals/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs OPTIONAL)

foreach(program node-lifecycle-controller leader-elector nlc kubectl-nlc)
  install(FILES ${packaging}/completions/bash DESTINATION share/bash-completion/completions RENAME ${program}
          COMPONENT programs)
  install(FILES ${packaging}/completions/fish DESTINATION share/fish/vendor_completions.d RENAME ${program}.fish
          COMPONENT programs)
endforeach()
install(FILES ${packaging}/completions/zsh DESTINATION share/zsh/vendor-completions RENAME _nlc COMPONENT programs)
install(FILES ${packaging}/node-lifecycle-controller.service DESTINATION lib/systemd/system COMPONENT programs)

set(CPACK_PACKAGE_NAME node-lifecycle-controller)
set(CPACK_PACKAGE_CONTACT "node-lifecycle-controller <maintainers@node-lifecycle-controller.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Kubernetes node lifecycle controller, and the libraries it is made of")
set(CPACK_PACKAGE_FILE_NAME node-lifecycle-controller-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL programs library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION "Marks silent nodes, taints them and evicts their pods, in the place of
kube-controller-manager; with a side-car for leader election, and a workbench.")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME node-lifecycle-controller)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS ca-certificates)

# nlcConfig.cmake finds the first ones always, the others for nlc::net and nlc::election_asio.
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Leader election and informers for Kubernetes, in C++20: headers and static
libraries.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME nlc-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libsimdjson-dev, nlohmann-json3-dev, prometheus-cpp-dev, libabsl-dev")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "libboost-dev, libssl-dev, libspdlog-dev, libyaml-dev")
include(CPack)
