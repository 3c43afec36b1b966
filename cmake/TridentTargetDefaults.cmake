# trident_target_defaults(target): what every target of the project shares. Warnings and sanitizers stay
# private; a user of an installed Trident sees only the C++ standard.

function(trident_target_defaults target)
  target_compile_features(${target} PUBLIC cxx_std_${TRIDENT_CXX_STANDARD})
  set_target_properties(${target} PROPERTIES CXX_STANDARD ${TRIDENT_CXX_STANDARD}
                                             CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                           -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # -Wmaybe-uninitialized: false alarms from KokkosKernels' headers, whose functions are inlined into ours, and
    # where sanitizers hide what is initialised.
    target_compile_options(${target} PRIVATE -Wduplicated-cond -Wlogical-op -Wno-maybe-uninitialized)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12 AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # False alarm on std::string's operator+ in C++20 (GCC bug 105651).
      target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
  endif()
  # A sum has the same bits whichever loop takes it; where a processor multiplies and adds at once, compilers
  # would do so in some loops and not in others.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang,IntelLLVM>:-ffp-contract=off>)
  if(TRIDENT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(TRIDENT_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  if(TRIDENT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TRIDENT_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${TRIDENT_SANITIZE})
  endif()
endfunction()
