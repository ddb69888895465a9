"""A chapter as files: its pair of source and notebook, its first cell, its rules, and which run made its outputs."""
