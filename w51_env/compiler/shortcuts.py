"""Shortcuts through Numba: passes that are left out, and what is replaced in it while kernels are compiled.

None changes what compiled code does. Beside each is what it is for.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from numba.core import base, event, ir, transforms, types
from numba.core.compiler_machinery import PassManager
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.np import arrayobj, linalg

# Passes that change nothing in kernels, or that the lowering of `compiler` stands for.
_LEFT_OUT = (
    *("NativeLowering", "WithLifting", "RewriteDynamicRaises", "InlineInlinables", "FindLiterallyCalls"),
    *("LiteralUnroll", "LiteralPropagationSubPipelinePass", "NoPythonSupportedFeatureValidation", "AnnotateTypes"),
    *("DumpParforDiagnostics", "NopythonRewrites"),
)

# Types of variables whose references nobody counts.
_UNCOUNTED = (
    *(types.Number, types.Boolean, types.Record, types.NestedArray, types.Callable, types.Module, types.NoneType),
    *(types.RangeType, types.RangeIteratorType, types.SliceType, types.StringLiteral, types.DType, types.NumberClass),
)
_PLAIN = frozenset([str, int, bool, type(None), ir.Loc, ir.Scope])  # in the IR: what holds no variables


class _Passes(PassManager):
    """Passes that nothing listens to, and whose results nobody checks."""

    def _runPass(self, index: int, step: Any, state: Any) -> None:  # noqa: N802
        step.analysis = self._analysis
        step.run_initialization(state)
        step.run_pass(state)
        step.run_finalizer(state)


def shorten(passes: PassManager) -> None:
    """Leave out of Numba's passes what kernels do not need."""
    passes.__class__ = _Passes
    passes.passes = [step for step in passes.passes if step[0].__name__ not in _LEFT_OUT]


def counts_references(typemap: dict[str, Any]) -> bool:
    """Whether a function has variables of these types, by name, whose references may have to be counted."""
    return not all(_is_uncounted(kind) for kind in typemap.values())


def _is_uncounted(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return all(_is_uncounted(part) for part in kind)
    if isinstance(kind, types.Pair):
        return _is_uncounted(kind.first_type) and _is_uncounted(kind.second_type)
    return isinstance(kind, _UNCOUNTED)


# ---- replacements


def _ignore(*details: Any, **more: Any) -> None:
    """In the place of what tells the timers of each function of every entry into LLVM."""


_run_post_processor = PostProcessor.run


def _tidy_up(self: PostProcessor, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """In the place of `PostProcessor.run`, which finds what is live in each block, for generators alone."""
    code = self.func_ir
    if code.is_generator:
        _run_post_processor(self, emit_dels, extend_lifetimes)
        return
    code.blocks = transforms.canonicalize_cfg(code.blocks)
    code.variable_lifetime = VariableLifetime(code.blocks)
    code.generator_info = None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)


_find_variables = ir.Inst._rec_list_vars


def _variables(self: ir.Inst, value: Any) -> list[ir.Var]:
    """In the place of `Inst._rec_list_vars`: most values are a variable, or hold none."""
    if type(value) is ir.Var:
        return [value]
    found: list[ir.Var] = [] if type(value) in _PLAIN else _find_variables(self, value)
    return found


_measure = base.BaseContext.get_abi_sizeof
_sizes: dict[str, int] = {}


def _size(self: Any, kind: Any) -> int:
    """In the place of `BaseContext.get_abi_sizeof`, for which LLVM parses a module with the type each time."""
    key = str(kind)
    if key not in _sizes:
        _sizes[key] = _measure(self, kind)
    return _sizes[key]


def _ensure_blas() -> None:
    """In the place of the function that imports SciPy while Numba is imported: this one looks whether it is there."""
    if find_spec("scipy") is None:
        raise ImportError("no scipy")


def _index_as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """In the place of Numba's function, which adds the size to an index below 0: kernels use none."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


_REPLACED = (
    (event, "start_event", _ignore),
    (event, "end_event", _ignore),
    (PostProcessor, "run", _tidy_up),
    (ir.Inst, "_rec_list_vars", _variables),
    (base.BaseContext, "get_abi_sizeof", _size),
    (linalg, "ensure_blas", _ensure_blas),
    (arrayobj, "fix_integer_index", _index_as_it_is),
)


@contextmanager
def taken() -> Iterator[None]:
    """Numba with all replacements, and without Python's garbage collector, which would find nothing."""
    before = [getattr(owner, name) for owner, name, _ in _REPLACED]
    collected = gc.isenabled()
    gc.disable()
    for owner, name, replacement in _REPLACED:
        setattr(owner, name, replacement)
    try:
        yield
    finally:
        for (owner, name, _), original in zip(_REPLACED, before, strict=True):
            setattr(owner, name, original)
        if collected:
            _collect_later()


def _collect_later() -> None:
    """Switch the collector on; it takes what was made meanwhile for old, instead of looking at all of it at once."""
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
    gc.enable()
