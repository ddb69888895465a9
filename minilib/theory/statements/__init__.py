"""The theorems of the chapters as statements, a module a chapter, each with

    THEOREM   the name of the theorem whose steps they are
    STEPS     statements that hold
    BROKEN    statements that were printed or are believed, and do not hold
    LIFTED    optional: for the name of a statement, a step and how what broke the step becomes an instance of it

Both lists hold `Step`s. `tools/prove.py` goes over all modules. Nothing is imported here.
"""
