"""Agents that are language models: a server with the chat-completions protocol, or a command."""
