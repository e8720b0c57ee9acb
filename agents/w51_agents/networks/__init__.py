"""Networks: a room for each form, with its modules, its agent, how it plays and learns fast; and their checkpoints.

`network` has the reference in PyTorch, `form` what others need of a form, `making` all forms by name, `learning` how
any network learns; `fast` compiled code that forms share.
"""
