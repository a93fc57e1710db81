/* errno: each thread has its own, and it is 0 when the program starts. */

#include "model.h"

static _Thread_local int __cleave_errno;

int *__errno_location(void) { return &__cleave_errno; }
