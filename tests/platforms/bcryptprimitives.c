/* The one function that Rust's standard library takes from `bcryptprimitives.dll`, which wine 8 does not have. Windows has it. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
    return RtlGenRandom(data, (ULONG)length);
}
