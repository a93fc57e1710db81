"""The properties of C programs: each property is one object, and `registry` is the only table of them.

    chosen(("shift", "no-overflow"))        signed-overflow and shift: SV-COMP's names are known, too

From these objects come ``--check`` and its help, what property files and tasks may ask, what the compiler is asked
for, what the lowering adds to the program, and how SARIF and witnesses name a violation. Another package adds one
through the entry points of the group ``cleave.properties``.
"""
