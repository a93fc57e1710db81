"""Evidence for other tools: verification witnesses (`witness`) and SARIF logs (`sarif`).

Both are made of a `verdict.Result` and of the text of the input files, whichever engine found it. Nothing here prints
or writes files.
"""
