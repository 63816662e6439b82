#pragma once

#include <initializer_list>
#include <ostream>
#include <string_view>

#include "harness/kfdreport/html_text.h"

namespace kfdcts::report::html {

/// Name and value; the value is escaped when it is written. One with an empty name is left out.
struct Attribute {
  const char* name;
  std::string_view value;
};

/// An element from its construction to its destruction. Names come from the program, never from a
/// report, and all else is escaped: nothing that a report says can become markup.
class Element {
 public:
  Element(std::ostream& out, const char* name, std::initializer_list<Attribute> attributes = {});
  ~Element();
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

 private:
  std::ostream& out_;
  const char* name_;
};

/// Text between tags.
void Text(std::ostream& out, std::string_view text);

/// An element with nothing but text in it.
void Leaf(std::ostream& out, const char* name, std::initializer_list<Attribute> attributes,
          std::string_view text);

/// An element that has no end: <meta/>, <input/>, <rect/>.
void Void(std::ostream& out, const char* name, std::initializer_list<Attribute> attributes);

}  // namespace kfdcts::report::html
