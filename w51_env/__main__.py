"""`python -m w51_env train ...`, the same as `w51 train ...`."""

from w51_env.commands import main

if __name__ == "__main__":
    main()
