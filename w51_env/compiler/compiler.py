"""Entries to machine code. With `primitives` the only module that imports Numba, when there is something to compile.

What it does otherwise than `numba.njit`, and why:

- Kernels are lowered to LLVM IR and no further. Numba would optimise each function with all that it calls, at every
  level of the call graph, and emit machine code and two Python wrappers for each.
- All kernels of an entry are linked once, into the entry. Numba links them again at each level.
- What a first step does not need is compiled apart, when it is called first: bots, the end of a game (`compile.Late`).
- Python's garbage collector is off meanwhile: it takes a tenth of the time and finds little.
- The records that a kernel takes share no memory, and LLVM is told so: a step is a quarter faster.
- Kernels use no index below 0, so all are taken for unsigned; NUMBA_BOUNDSCHECK=1 makes it an error. Numba would add
  the length to those below: a step of 1,024 games takes a quarter longer.
- A loop takes one register of numbers at a time, and not several (interleaving): most are as short as a game has seats
  or relics. Games of bots are 3 % faster.
- Arrays belong to the caller, so no references are counted; memory of a kernel is on the stack (`compile.scratch`).
- An entry is called with one address: a block with the address and the shape of each array.
- Its parts are loaded side by side (`machine_code.SIDE_BY_SIDE`), so code reaches its constants and functions by a
  distance of 32 bits and not by an address of 64: steps of 1,024 games are 6 % faster.
- The result is an object file. It names symbols of the C library and of CPython only, so it is loaded without Numba,
  unless a kernel allocates an array.

These are not interfaces that Numba promises to keep, so a version that nobody tried is tried first (`trial.py`).
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import cgutils, config, typed_passes, types
from numba.core import ir as numba_ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import cpu_target
from numba.np.numpy_support import from_dtype

from w51_env.compiler.machine_code import FUNCTION, NOT_LINKED, SIDE_BY_SIDE, Objects
from w51_env.compiler.primitives import POINTER, WORD, arguments_of, late_kernels, widen

# What code that allocates an array calls, and functions in the place of those that count references.
_ALLOCATE = ("NRT_Allocate", "NRT_Allocate_External", "NRT_MemInfo_alloc", "NRT_MemInfo_alloc_aligned")
_COUNT = ("NRT_incref", "NRT_decref")
_NO_REFERENCES = "".join(f"define void @{name}(i8* %counted) {{ ret void }}\n" for name in _COUNT)

# Arguments of kernels of which no two share memory: stores to one record leave what was read of another as it was.
_APART = (types.Record, types.Number, types.Boolean)


_ERRORS = ("a kernel could not be compiled, as the log says", "index is out of bounds")  # texts of errors of entries


# ---- kernels


class _Library(JITCodeLibrary):
    """Functions in LLVM IR, which is neither optimised nor made machine code."""

    def finalize(self) -> None:
        self._finalized = True

    def _optimize_functions(self, module: llvm.ModuleRef) -> None:
        module.data_layout = self._codegen._data_layout


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(typed_passes.NativeLowering):
    """Lower a function to LLVM IR and stop."""

    _name = "w51_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.calltypes = {key: _with_unsigned_index(key, value) for key, value in state.calltypes.items()}
        state.flags.no_compile = True
        state.flags.noalias = all(isinstance(kind, _APART) for kind in state.args)
        super().run_pass(state)
        lowered = state["cr"]
        unique: list = []
        # A dispatcher needs a built-in function as the key by which other code finds the kernel; it is never called.
        key = unique.append
        state.targetctx.insert_user_function(key, lowered.fndesc, [library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


def _with_unsigned_index(statement: Any, signature: Any) -> Any:
    """The types of a statement whose index of an array is taken for unsigned."""
    if isinstance(statement, numba_ir.SetItem) or getattr(statement, "op", None) == "getitem":
        array, index, *value = signature.args
        if isinstance(array, types.Buffer):
            return signature.replace(args=(array, _unsigned(index), *value))
    return signature


def _unsigned(index: Any) -> Any:
    if isinstance(index, types.BaseTuple):
        return types.Tuple([_unsigned(part) for part in index])
    return types.uint64 if isinstance(index, types.Integer) else index


class _Compiler(CompilerBase):
    def define_pipelines(self) -> list:
        passes = PassManager("w51")
        for part in (DefaultPassBuilder.define_untyped_pipeline, DefaultPassBuilder.define_typed_pipeline):
            passes.passes += part(self.state).passes
        passes.add_pass(typed_passes.IRLegalization, "legal IR")
        passes.add_pass(_Lowering, "LLVM IR")
        passes.add_pass(typed_passes.NoPythonBackend, "result")
        passes.finalize()
        return [passes]


_dispatcher: Callable[[Callable[..., Any]], Any] = numba.njit(
    error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_Compiler
)


def dispatcher_of_kernel(function: Callable[..., Any]) -> Any:
    """Numba's dispatcher of a kernel; it passes all integers as int64."""
    dispatcher = _dispatcher(function)
    compile_exactly = dispatcher.compile
    dispatcher.compile = lambda signature: compile_exactly(widen(signature))
    return dispatcher


# ---- entries


_compiling = False


@contextmanager
def _of_an_entry() -> Iterator[None]:
    """Kernels can be called in what is compiled now, without Python's garbage collector."""
    global _compiling
    with global_compiler_lock:
        before = _compiling
        _compiling = True
        collected = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            _compiling = before
            if collected:
                gc.enable()


def check_compiling(name: str) -> None:
    """Refuse a kernel in what others compile: its code is not complete without that of an entry.

    Raises:
        TypeError: No entry is being compiled.
    """
    if not _compiling:
        raise TypeError(f"kernel {name}: called by code of numba.njit, but only entries and kernels can call it")


@_of_an_entry()
def compile_entry(function: Callable[..., Any], argument_types: tuple) -> Objects:
    """The object file of an entry with arguments of these types: (dtype, number of dimensions) of each array."""
    takes_number = function.__code__.co_argcount > len(argument_types)
    arguments, called = arguments_of(argument_types, takes_number), _dispatcher(function)

    def call(block, number):  # type: ignore[no-untyped-def]
        return called(*arguments(block, number))

    return _compiled(call, (types.int64, types.int64), _python_function)


@_of_an_entry()
def compile_late(function: Callable[..., Any], argument_types: tuple) -> Objects:
    """The object file of a kernel that compiled code calls by its address; types: dtypes of records, and of numbers."""
    return _compiled(function, tuple([from_dtype(kind) for kind in argument_types]), _late_function)


def _compiled(function: Callable[..., Any], signature: tuple, caller: Callable[[Any], ir.Module]) -> Objects:
    """The object file of a function, all that it calls, and the one that calls it: FUNCTION, which alone is visible."""
    dispatcher = _dispatcher(function)
    dispatcher.compile(signature)
    compiled = dispatcher.overloads[signature]
    module, library = llvm.parse_assembly(str(caller(compiled.fndesc))), compiled.library
    codegen = cpu_target.target_context.codegen()
    module.data_layout, module.triple = codegen._data_layout, codegen._tm.triple
    modules = [linked._final_module for linked in _libraries(library, set())]
    allocates = any(function.name in _ALLOCATE for linked in modules for function in linked.functions)
    if not allocates:
        module.link_in(llvm.parse_assembly(_NO_REFERENCES))
        modules = [_with_weak_references(linked) for linked in modules]
    for linked in modules:
        module.link_in(linked, preserve=True)
    for defined in module.functions:
        if not defined.is_declaration and defined.name != FUNCTION:
            defined.linkage = "internal"
    _optimise(module, codegen)
    called = [function.name for function in module.functions if function.is_declaration]
    unknown = [name for name in called if not name.startswith("llvm.") and not llvm.address_of_symbol(name)]
    assert not unknown, f"nothing is known by these names, which compiled code calls: {unknown}"
    needs_numba = any(name.startswith(("NRT_", "numba_")) for name in called)
    late = [(one.name, *late_kernels[one.name]) for one in module.global_variables if one.name in late_kernels]
    return Objects(needs_numba, late, bytes(_target_machine(codegen).emit_object(module)))


def _optimise(module: llvm.ModuleRef, codegen: Any) -> None:
    """LLVM's passes as Numba runs them, but for those that prune references, and for interleaving."""
    options = llvm.create_pipeline_tuning_options(config.OPT)
    options.loop_vectorization, options.slp_vectorization = bool(config.LOOP_VECTORIZE), bool(config.SLP_VECTORIZE)
    options.loop_interleaving = False
    builder = llvm.create_pass_builder(codegen._tm, options)
    builder.getModulePassManager().run(module, builder)


def _target_machine(codegen: Any) -> llvm.TargetMachine:
    """What writes object files: Numba's own, but for code whose parts are side by side."""
    if not SIDE_BY_SIDE:
        return codegen._tm
    where = {"reloc": "pic", "codemodel": "small"}
    target, settings = llvm.Target.from_triple(codegen._tm.triple), {"opt": config.OPT, "jit": True, **where}
    return target.create_target_machine(codegen._get_host_cpu_name(), codegen._tm_features, **settings)


def _with_weak_references(module: llvm.ModuleRef) -> llvm.ModuleRef:
    """The module, such that functions of other modules replace its own that count references."""
    counting = [function.name for function in module.functions if function.name in _COUNT]
    counting = [name for name in counting if not module.get_function(name).is_declaration]
    module = module.clone() if counting else module
    for name in counting:
        module.get_function(name).linkage = "linkonce_odr"
    return module


def _libraries(library: Any, visited: set) -> Iterator[Any]:
    """A library and all that it calls, each once."""
    if library not in visited:
        visited.add(library)
        yield library
        for other in library._linking_libraries:
            yield from _libraries(other, visited)


def _python_function(described: Any) -> ir.Module:
    """The function that CPython calls: PyObject *FUNCTION(PyObject *address, PyObject *number).

    It runs the entry without the interpreter lock. The errors of an entry are an index out of bounds, which it notices
    with NUMBA_BOUNDSCHECK=1, and a late kernel that cannot be compiled.
    """
    module = ir.Module()
    context = cpu_target.target_context
    entry_type = context.call_conv.get_function_type(described.restype, described.argtypes)
    called = ir.Function(module, entry_type, described.mangled_name)

    def python(name: str, result: ir.Type, *arguments: ir.Type) -> ir.Function:
        return ir.Function(module, ir.FunctionType(result, arguments), name)

    as_number = python("PyLong_AsLongLong", WORD, POINTER)
    function = python(FUNCTION, POINTER, POINTER, POINTER)
    builder = ir.IRBuilder(function.append_basic_block())
    address, number = (builder.call(as_number, [argument]) for argument in function.args)
    error = builder.call(python("PyErr_Occurred", POINTER), [])
    with builder.if_then(builder.icmp_unsigned("!=", error, POINTER(None))):
        builder.ret(POINTER(None))
    state = builder.call(python("PyEval_SaveThread", POINTER), [])
    status, result = context.call_conv.call_function(
        builder, called, described.restype, described.argtypes, [address, number]
    )
    builder.call(python("PyEval_RestoreThread", ir.VoidType(), POINTER), [state])
    with builder.if_then(status.is_error, likely=False):
        not_linked = builder.icmp_signed("==", status.code, status.code.type(NOT_LINKED))
        kinds = builder.inttoptr(address, POINTER.as_pointer())
        kind = builder.load(builder.gep(kinds, [builder.zext(not_linked, WORD)]))
        texts = [context.insert_const_string(module, text) for text in _ERRORS]
        text = builder.select(not_linked, *texts)
        builder.call(python("PyErr_SetString", ir.VoidType(), POINTER, POINTER), [kind, text])
        builder.ret(POINTER(None))
    integer = result if isinstance(described.restype, types.Integer) else WORD(0)
    builder.ret(builder.call(python("PyLong_FromLongLong", POINTER, WORD), [integer]))
    return module


def _late_function(described: Any) -> ir.Module:
    """The function that other code calls by its address: the kernel with an int64 as result, 0 if it has none."""
    module, context = ir.Module(), cpu_target.target_context
    kinds, convention = described.argtypes, context.call_conv
    called = ir.Function(module, convention.get_function_type(described.restype, kinds), described.mangled_name)
    function = ir.Function(module, convention.get_function_type(types.int64, kinds), FUNCTION)
    convention.decorate_function(function, [f"arg{index}" for index in range(len(kinds))], kinds)
    builder = ir.IRBuilder(function.append_basic_block())
    arguments = convention.get_arguments(function)
    status, result = convention.call_function(builder, called, described.restype, kinds, arguments)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    nothing = described.restype == types.none
    convention.return_value(
        builder, WORD(0) if nothing else context.cast(builder, result, described.restype, types.int64)
    )
    return module
