// The linker puts these in the place of the functions with which compiled code registers the destructors of static and
// thread_local objects, within libwarplens_runtime.so alone: they never run (CMakeLists.txt says why).
extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }
extern "C" int __wrap___cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
