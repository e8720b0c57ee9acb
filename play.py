"""Play, watch and export games: `python play.py` serves a web page; `python play.py --help` has the commands."""

from w51_env.console.loading import loading

with loading():
    from w51_env.commands.play import app

if __name__ == "__main__":
    app()
