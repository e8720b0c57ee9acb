"""Views as text and pictures. Everything here reads a `views.view.View`, never a state."""
