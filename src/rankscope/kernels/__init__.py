"""Arrays in, arrays out: no ids, no files, no rankings.

Groups of different lengths (lists of queries, for example) are flat arrays with offsets: group i holds the entries from
offsets[i] to offsets[i + 1] - 1.
"""
