# Compiles a target's sources several at a time where BLOOMERY_UNITY is on: each header is then read fewer times.

# Large units make GCC collect its garbage again and again: a twelfth of the time, for some hundred MiB of memory.
if(BLOOMERY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=786432)
endif()

# One unit per folder of the target: a name in an unnamed namespace is unique in its folder. After TOGETHER: lists of
# folders that are small and share no such name, each one unit. After APART: files that are compiled alone.
function(bloomery_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "" "TOGETHER;APART")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${BLOOMERY_UNITY} UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    set(group "${folder}")
    foreach(joined IN LISTS of_TOGETHER)
      separate_arguments(folders UNIX_COMMAND "${joined}")
      if(folder IN_LIST folders)
        set(group "${joined}")
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "${target}_${group}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}")
  endforeach()
  set_source_files_properties(${of_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Batches of sources in their order, for a target whose folders are too large for one unit and whose sources have no
# such name twice.
function(bloomery_unity_batches target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${BLOOMERY_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
