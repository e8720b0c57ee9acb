"""Networks: as policies, as files, and as they learn."""
