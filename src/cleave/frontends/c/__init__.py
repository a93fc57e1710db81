"""The C front end: C in, `ir.Program` out, through Clang and LLVM's text form.

    read_c({"queue.c": b"int main(void) { … }"}, COptions(bits=32)).program

The packages, in the order in which a program passes through them:

    clang       compile (Clang), with what it is given: library (of C), annotations, asynchronous
    llvm        reader (with instructions, tokens) to the data of module, debug (places and names), link
    lowering    wrappers, threads (with exits): still in LLVM's terms
    analysis    calls, points_to, offsets, accesses, cells, storage
    lowering    lower, with function, call, memory, operators, atomic

`options` and `property_file` say what is asked for, and load none of these; `read` is the way in. docs/guide/c-input.md
says what is accepted.
"""
