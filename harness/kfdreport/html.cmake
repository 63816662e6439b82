# The page's style and script become part of the program, and their hashes, which the page's Content-Security-Policy
# names.
set(KFDREPORT_HTML_FILES ${CMAKE_CURRENT_LIST_DIR}/html_style.css ${CMAKE_CURRENT_LIST_DIR}/html_script.js)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${KFDREPORT_HTML_FILES})
foreach(file IN LISTS KFDREPORT_HTML_FILES)
  get_filename_component(name ${file} NAME_WLE)
  string(TOUPPER ${name} name)
  file(READ ${file} ${name})
  file(SHA256 ${file} ${name}_SHA256)
  # The page is also read as XML, where these would have to be written otherwise than in HTML.
  if("${${name}}" MATCHES "[<&]")
    message(FATAL_ERROR "${file}: holds '<' or '&'")
  endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/html_assets.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp @ONLY)
set(KFDREPORT_HTML_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/html_assets.cpp)
