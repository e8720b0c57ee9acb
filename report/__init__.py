"""Reports: results of matches and tournaments as tables, figures and a page, and the files of a folder of results."""

if __name__ == "report":  # a second copy of every module otherwise
    raise ImportError("report is the package w51_env.report: import w51_env.report")
