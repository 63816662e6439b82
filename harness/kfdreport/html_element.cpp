#include "harness/kfdreport/html_element.h"

namespace kfdcts::report::html {
namespace {

void Begin(std::ostream& out, const char* name, std::initializer_list<Attribute> attributes) {
  out << '<' << name;
  for (const auto& attribute : attributes) {
    if (*attribute.name == '\0') continue;
    out << ' ' << attribute.name << "=\"" << Escape(attribute.value) << '"';
  }
}

/// Blocks begin a line of their own, so that the file can be read and compared.
bool IsBlock(std::string_view name) {
  for (const char* block : {"section", "div", "table", "tr", "details", "ul", "ol", "li", "dl", "p",
                            "h2", "h3", "nav", "header", "main", "footer", "figure", "svg"}) {
    if (name == block) return true;
  }
  return false;
}

}  // namespace

Element::Element(std::ostream& out, const char* name, std::initializer_list<Attribute> attributes)
    : out_(out), name_(name) {
  if (IsBlock(name)) out << '\n';
  Begin(out, name, attributes);
  out << '>';
}

Element::~Element() { out_ << "</" << name_ << '>'; }

void Text(std::ostream& out, std::string_view text) { out << Escape(text); }

void Leaf(std::ostream& out, const char* name, std::initializer_list<Attribute> attributes,
          std::string_view text) {
  const Element element(out, name, attributes);
  Text(out, text);
}

void Void(std::ostream& out, const char* name, std::initializer_list<Attribute> attributes) {
  Begin(out, name, attributes);
  out << "/>";
}

}  // namespace kfdcts::report::html
