"""Tests of the rules of Warehouse 51. Each cites the rules it holds in a comment on its first line: `# T5`."""
