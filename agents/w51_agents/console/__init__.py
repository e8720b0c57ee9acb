"""What a person writes to and reads from a console: settings and their mistakes, status lines, errors."""
