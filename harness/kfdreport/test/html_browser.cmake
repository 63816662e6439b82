# The page as a browser shows it, on a desktop and on a phone. It needs Chromium and the npm registry, which is not on
# every machine: Debian's packages chromium, nodejs and npm.
add_test(NAME kfdreport.html_browser
         COMMAND ${CMAKE_CURRENT_LIST_DIR}/html_browser.sh $<TARGET_FILE:kfdreport>
                 ${CMAKE_CURRENT_LIST_DIR}/html_browser.mjs ${CMAKE_CURRENT_BINARY_DIR}/html_browser
                 ${CMAKE_CURRENT_LIST_DIR}/html_data/page.xml ${CMAKE_CURRENT_LIST_DIR}/html_data/other.xml)
set_tests_properties(kfdreport.html_browser PROPERTIES LABELS long SKIP_RETURN_CODE 77 TIMEOUT 300)
