#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/log.h"

namespace nlc::workbench {

inline constexpr int exit_failed = 1;  ///< what was asked for failed
inline constexpr int exit_usage = 2;   ///< its flags or files are wrong

/// What a command of nlc says: to stdout, one line at a time, at once.
void say(std::string_view line);
/// The same of whole lines, each with its end. When stdout takes no more, that is complained of
/// once and the program ends, as on SIGTERM where it has a way of its own for that.
void say_text(std::string_view text);
/// Something that was said did not get through: the exit code must not be 0.
bool output_is_lost();
/// What went wrong: to stderr, as a line of the form "nlc: …", whatever is in it.
void complain(std::string_view line);
/// Complains of what is wrong, if anything is. True: nothing is.
bool is_well(std::string_view wrong);

/// Words that are no answer, while stdout carries one: to stderr as they are.
void say_aside(std::string_view line);
/// Replaces the line, or the lines, in which stderr shows how far something has come; an empty text
/// takes them away, as does whatever else is said. Shows nothing where stderr is no terminal.
void show_progress(std::string_view text);

/// Log lines of the parts beneath as complaints; what is less than a warning is left out.
class ConsoleLog final : public Log {
 public:
  void write(LogLevel level, std::string_view message, Fields fields) override;
};

bool stdout_is_terminal();

/// False when it could not be written, which was complained of. A file without a name is not
/// wanted.
bool write_file(const std::string& file, const std::string& text);
/// The same at its end.
bool append_file(const std::string& file, const std::string& text);
/// Whether all of these can be written, asked before long work; complains of the first that cannot.
/// None may be one of the files that are `read`, nor two the same. What was not there is not there
/// afterwards; one without a name is not wanted.
bool can_write(const std::vector<std::string>& files, const std::vector<std::string>& read);

/// Writes a kubeconfig for a server without TLS and without credentials, over nothing but one that
/// nlc wrote. Empty when it was written, else why not, which names the file.
std::string write_kubeconfig(const std::string& file, const std::string& server);

}  // namespace nlc::workbench
