"""The report of an arena as one page that needs nothing else, with each figure as a PNG beside it. `report.write_page` is its entry."""
