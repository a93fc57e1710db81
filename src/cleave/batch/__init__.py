"""Many tasks at once: collect them, run each as a process with limits, keep a row of each, and sum them up.

task        what a task is, and the limits of one
collect     tasks from folders, patterns, task definitions, lists; project has cleave.toml, definitions has BenchExec's
reading     the files that a task reads
attempt     one task as a process that is watched from outside
rows        what became of a task; all rows are kept in a file that survives any crash
schedule    N at a time, on this machine or on Ray
summary, page    the results as text, CSV, JUnit XML and a page of HTML
"""
