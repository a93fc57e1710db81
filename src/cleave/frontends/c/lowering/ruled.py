"""Functions of the C library without a model whose results follow rules: a violation that depends on one may be none.

    assert(sqrt(4.0) == 2.0);           unknown, not unsafe

What other functions without a body return is taken to be any value: nothing is known about them.
"""

from __future__ import annotations

_MATHEMATICS = """
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 log log10 log2 log1p logb ilogb
    pow sqrt cbrt hypot fmod remainder remquo round lround llround rint lrint llrint nearbyint modf ldexp scalbn frexp
    nextafter fma erf erfc tgamma lgamma
"""
_OTHERS = """
    ferror ferror_unlocked feof_unlocked fileno fputc putc putchar fputs puts fwrite ftell fgetpos
    __fpending __fbufsize __freading __fwriting __freadable __fwritable __flbf
    sprintf snprintf vsprintf vsnprintf asprintf strtod strtof strtold atof difftime strftime strerror
    strcoll strxfrm wcslen wcscmp wcsncmp mbtowc wctomb mblen mbstowcs wcstombs getopt getopt_long
    strtoll strtoull strtoimax strtoumax div ldiv lldiv memmem strcasestr strverscmp strchrnul rawmemchr
"""
RULED = frozenset((*_OTHERS.split(), *(name + suffix for name in _MATHEMATICS.split() for suffix in ("", "f", "l"))))
