"""`python -m w51_env train ...`, the same as `w51 train ...`."""

from w51_env.engine.imports import import_object

if __name__ == "__main__":
    import_object("w51_agents.console.w51:main")()
