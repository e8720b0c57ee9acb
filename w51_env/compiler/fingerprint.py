"""Fingerprints of compiled code: what a cached entry depends on, and nothing else.

A fingerprint covers the bytecode of every function that an entry reaches, the values of the constants these functions
read, and the compilers. Files do not matter: a changed comment, picture or text compiles nothing anew.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from w51_env.compiler.trial import VERSIONS

# How functions are compiled and called.
_OWN = ("compile.py", "compiler.py", "primitives.py", "machine_code.py")
_LIBRARIES = ("numpy", "numba", "llvmlite", "builtins", "math")  # known by their versions


def fingerprint_and_constants(function: Callable[..., Any]) -> tuple[str, list[Any]]:
    """20 hexadecimal digits for a function and all that it reaches, but for late kernels (`compile.Late`); and what
    the functions read that are no functions: late kernels are among these values.
    """
    constants: list[Any] = []
    reached: set[FunctionType] = set()
    pending = [_python_function(function)]
    parts = [*VERSIONS, *(Path(__file__).with_name(name).read_text("utf-8") for name in _OWN)]
    while pending:
        current = pending.pop()
        if current is None or current in reached:
            continue
        reached.add(current)
        parts += _code_parts(current.__code__, current.__doc__)
        parts.append(_constant(current.__defaults__))
        for name, value in _references(current):
            if (other := _python_function(value)) is not None:
                parts.append(f"{name}: {_title(other)}")
                pending.append(other)
            else:
                parts.append(f"{name} = {_constant(value)}")
                constants.append(value)
    return hashlib.sha256("\0".join(sorted(parts)).encode()).hexdigest()[:20], constants


def _python_function(value: Any) -> FunctionType | None:
    """The Python function of a function, a kernel, an entry or a primitive; None for anything else."""
    if not isinstance(value, ModuleType):
        value = getattr(value, "py_func", value)
    is_own = isinstance(value, FunctionType) and value.__module__.partition(".")[0] not in _LIBRARIES
    return value if is_own else None


def _title(function: FunctionType) -> str:
    """The name of a function, with those of its closure, by which two functions of the same code differ."""
    closed = [_python_function(cell.cell_contents) for cell in function.__closure__ or ()]
    names = ", ".join(f"{other.__module__}.{other.__qualname__}" for other in closed if other not in (None, function))
    return f"{function.__module__}.{function.__qualname__} {names}"


def _references(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function reads of its closure and of the globals: names and values; of a module its attributes."""
    names = dict.fromkeys(_names(function.__code__))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if cell.cell_contents is not function:
            yield name, cell.cell_contents
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            yield from _attributes(value, names, set())
        elif name in function.__globals__:
            yield name, value


def _attributes(module: ModuleType, names: Iterable[str], visited: set[str]) -> Iterator[tuple[str, Any]]:
    """The attributes of these names of a module, and of its submodules among them."""
    if module.__name__ in visited or module.__name__.partition(".")[0] in _LIBRARIES:
        return
    visited.add(module.__name__)
    for name in names:
        value = getattr(module, name, None)
        if isinstance(value, ModuleType):
            yield from _attributes(value, names, visited)
        elif value is not None:
            yield f"{module.__name__}.{name}", value


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _code_parts(code: CodeType, docstring: str | None) -> list[str]:
    """What code does, without where it stands and what its docstring says."""
    constants = [constant for constant in code.co_consts if constant != docstring or docstring is None]
    inner = [part for constant in constants if isinstance(constant, CodeType) for part in _code_parts(constant, None)]
    values = [_constant(constant) for constant in constants if not isinstance(constant, CodeType)]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return [*inner, f"{code.co_qualname} {code.co_code.hex()} {values} {names}"]


def _constant(value: Any) -> str:
    """A value as text, equal in all processes; of a kind that kernels cannot read only the kind."""
    if isinstance(value, (bool, int, float, complex, str, bytes, np.generic, np.dtype)) or value is None:
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} ({', '.join(map(_constant, value))})"
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__} ({', '.join(sorted(map(_constant, value)))})"
    if isinstance(value, type) and issubclass(value, tuple):  # a record of kernels: its fields, in order
        return f"{value.__qualname__} {getattr(value, '_fields', ())}"
    return f"{type(value).__module__}.{type(value).__qualname__}"
