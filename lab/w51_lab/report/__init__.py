"""Reports: results of matches and tournaments as tables, figures and a page, and the files of a folder of results."""
