"""Commands of the agents. `w51` lists them, and imports a module when its command is used."""

COMMANDS = {
    "export": ("w51_agents.commands.export", "Write the policy of a network as a file of torch.export or ONNX."),
}
