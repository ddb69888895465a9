"""The theorems of the chapters as statements, a module a chapter, each with

    THEOREMS   {title: its steps}, which hold. The title is that of the chapter's ledger, a step's name its row there.
    BROKEN     {title: statements that were printed or are believed, and do not hold}
    EXEMPT     optional: {title: {row of the ledger: why it cannot be attacked}}
    LIFTED     optional: for the name of a statement, a step and how what broke the step becomes an instance of it

`tools/prove.py` goes over all modules. Nothing is imported here.
"""
