"""The report of a tournament as a self-contained page, with each figure as a PNG. The entry is `report.write_page`."""
