#include "thunk/test/topology/file_tree.h"

namespace kfdcts::thunk::test {
namespace {

constexpr char kAfterSlash = '/' + 1;

}  // namespace

int FileTree::ReadFile(const std::string& path, std::string& content) {
  if (const auto refused = refused_.find(path); refused != refused_.end()) return -refused->second;
  const auto file = files_.find(path);
  if (file == files_.end()) return -ENOENT;
  content = file->second;
  ++reads_[path];
  if (after_read_) after_read_(path);
  return 0;
}

int FileTree::ListFolder(const std::string& path, std::vector<std::string>& names) {
  const std::string prefix = path + "/";
  names.clear();
  for (auto file = files_.lower_bound(prefix);
       file != files_.end() && file->first.starts_with(prefix);) {
    const std::size_t end = file->first.find('/', prefix.size());
    names.push_back(file->first.substr(prefix.size(), end - prefix.size()));
    // On to the first path after everything below this name.
    file =
        files_.lower_bound(prefix + names.back() + (end == std::string::npos ? '\0' : kAfterSlash));
  }
  return names.empty() ? -ENOENT : 0;
}

}  // namespace kfdcts::thunk::test
