# Writes OUTPUT, the source of Build() (build.h): of SETTINGS and SOURCES, names from the folder that
# it is run in. No path of this machine is in it.
set(text "${SETTINGS}\n")
foreach(source ${SOURCES})
  file(SHA256 ${source} digest)
  string(APPEND text "${digest} ${source}\n")
endforeach()
string(SHA256 build "${text}")
file(WRITE ${OUTPUT} "#include \"server/executor/build.h\"

namespace topicwall::executor {

absl::string_view Build() { return \"${build}\"; }

}  // namespace topicwall::executor
")
