"""Arrays in, arrays out: no ids, no files, no rankings."""
