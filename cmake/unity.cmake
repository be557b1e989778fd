# Compiles a target's sources several at a time where BLOOMERY_UNITY is on. Apart stay files that use a name which
# another file of the target has for something else.
function(bloomery_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${BLOOMERY_UNITY} UNITY_BUILD_BATCH_SIZE 6)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# The same for a target whose sources have no name twice: larger batches, and fewer times the same headers.
function(bloomery_unity_whole target)
  bloomery_unity(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
endfunction()
