"""Commands of the table. `w51` lists them, and imports a module when its command is used."""

COMMANDS = {
    "play": ("w51_table.commands.play", "Play, watch and export games, in the browser or in the terminal."),
    "advise": ("w51_table.commands.advise", "Say what an agent would do at a real table, from what a player sees."),
}
