"""The games where language models are evaluated and trained already: a module for each library."""
