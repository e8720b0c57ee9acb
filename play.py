"""Play, watch and export games: `python play.py` serves a web page; `python play.py --help` has the commands."""

from w51_env.commands.loading import loading

with loading():
    from w51_table.commands.play import app

if __name__ == "__main__":
    app()
