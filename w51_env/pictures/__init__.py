"""Views as pictures. Everything here reads a `w51_env.views.view.View`, never a state."""
