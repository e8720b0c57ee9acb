"""Views as text and pictures. Everything here reads a `core.view.View`, never a state."""
