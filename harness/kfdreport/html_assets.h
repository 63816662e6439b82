#pragma once

#include <string_view>

namespace kfdcts::report::html {

/// html_style.css and html_script.js as the page holds them, without '<' and '&', and the hashes of
/// exactly these bytes, in hexadecimal digits.
extern const std::string_view kHtmlStyle;
extern const std::string_view kHtmlStyleSha256;
extern const std::string_view kHtmlScript;
extern const std::string_view kHtmlScriptSha256;

}  // namespace kfdcts::report::html
