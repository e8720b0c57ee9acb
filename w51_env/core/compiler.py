"""Entries to machine code: the only module that imports Numba, and only when there is something to compile.

What it does otherwise than `numba.njit`, and why:

- Kernels are lowered to LLVM IR and no further. Numba would optimise each function with all that it calls, at every
  level of the call graph, and emit machine code and two Python wrappers for each.
- All kernels of an entry are linked once, into the entry. Numba links them again at each level.
- Python's collector of circles is off meanwhile: it takes a tenth of the time and finds little.
- The records that a kernel takes share no memory, and LLVM is told so: a step is a quarter faster.
- Arrays belong to the caller, so no references are counted; memory of a kernel is on the stack (`compile.scratch`).
- An entry is called with one address: a block with the address and the shape of each array.
- The result is an object file. It names symbols of the C library and of CPython only, so it is loaded without Numba,
  unless a kernel allocates an array.

These are not interfaces that Numba promises to keep, so `pyproject.toml` admits the versions that were tried, 0.62 to
0.68. To admit a new one: run the fast tests with it, and `tests/core/test_compile.py` with the slow ones.
"""

import gc
import inspect
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba.core import bytecode, cgutils, sigutils, typed_passes, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.typing.templates import make_intrinsic_template
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from w51_env.core.machine_code import FUNCTION, NEEDS_NUMBA

# Numba names a compiled function by its number in this process and the numbers of its record types. A random number
# keeps apart functions of equal names.
bytecode.FunctionIdentity._unique_ids = iter(lambda: secrets.randbits(62), None)

# What code that allocates an array calls, and functions in the place of those that count references.
_ALLOCATE = ("NRT_Allocate", "NRT_Allocate_External", "NRT_MemInfo_alloc", "NRT_MemInfo_alloc_aligned")
_COUNT = ("NRT_incref", "NRT_decref")
_NO_REFERENCES = "".join(f"define void @{name}(i8* %counted) {{ ret void }}\n" for name in _COUNT)

_POINTER, _WORD = ir.IntType(8).as_pointer(), ir.IntType(64)

# Arguments of kernels of which no two share memory: stores to one record leave what was read of another as it was.
_APART = (types.Record, types.Number, types.Boolean)


# ---- kernels


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(typed_passes.NativeLowering):
    """Lower a function to LLVM IR and stop."""

    _name = "w51_lowering"

    def run_pass(self, state: Any) -> bool:
        library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library.finalize = lambda: setattr(library, "_finalized", True)
        library._optimize_functions = lambda module: setattr(module, "data_layout", library._codegen._data_layout)
        state.library = library
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


class _Compiler(CompilerBase):
    def define_pipelines(self) -> list:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(_Lowering, typed_passes.NativeLowering)
        pipeline.passes = [step for step in pipeline.passes if step[0] is not typed_passes.NativeLowering]
        pipeline.finalize()
        return [pipeline]


def dispatcher_of_kernel(function: Callable[..., Any]) -> Any:
    """Numba's dispatcher of a kernel; it passes all integers as int64."""
    dispatcher = _dispatcher(function)
    compile_exactly = dispatcher.compile
    dispatcher.compile = lambda signature: compile_exactly(_widen(signature))
    return dispatcher


def _dispatcher(function: Callable[..., Any]) -> Any:
    return numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_Compiler)(
        function
    )


def _widen(signature: Any) -> tuple:
    arguments, _ = sigutils.normalize_signature(signature)
    return tuple(
        types.int64 if isinstance(argument, types.Integer) and argument != types.uint64 else argument
        for argument in map(types.unliteral, arguments)
    )


# ---- entries


_compiling = False


@contextmanager
def _of_an_entry() -> Iterator[None]:
    """Kernels can be called in what is compiled now. The garbage collector is off meanwhile: it would find nothing."""
    global _compiling
    was_compiling, was_on = _compiling, gc.isenabled()
    _compiling = True
    gc.disable()
    try:
        yield
    finally:
        _compiling = was_compiling
        if was_on:
            gc.enable()


def check_compiling(name: str) -> None:
    """Refuse a kernel in what others compile: its code is not complete without that of an entry.

    Raises:
        TypeError: No entry is being compiled.
    """
    if not _compiling:
        raise TypeError(f"kernel {name}: called by code of numba.njit, but only entries and kernels can call it")


@_of_an_entry()
def compile_entry(function: Callable[..., Any], array_types: tuple) -> bytes:
    """The object file of an entry with arrays of these types, (dtype, number of dimensions) each."""
    takes_number = function.__code__.co_argcount > len(array_types)
    arguments, called = _arguments(array_types, takes_number), _dispatcher(function)

    def call(block, number):  # type: ignore[no-untyped-def]
        return called(*arguments(block, number))

    signature = (types.int64, types.int64)
    dispatcher = _dispatcher(call)
    dispatcher.compile(signature)
    compiled = dispatcher.overloads[signature]
    return _object_file(llvm.parse_assembly(str(_python_function(compiled.fndesc))), compiled.library)


@_of_an_entry()
def compile_late(function: Callable[..., Any], argument_types: tuple) -> bytes:
    """The object file of a kernel that compiled code calls by its address; types: dtypes of records, and of numbers."""
    dispatcher = _dispatcher(function)
    signature = tuple([from_dtype(np.dtype(kind)) for kind in argument_types])
    dispatcher.compile(signature)
    compiled = dispatcher.overloads[signature]
    return _object_file(llvm.parse_assembly(str(_late_function(compiled.fndesc))), compiled.library)


def _object_file(module: llvm.ModuleRef, library: Any) -> bytes:
    """The object file of a module linked with a library and all that it calls; FUNCTION can be called, and no other."""
    codegen = cpu_target.target_context.codegen()
    module.data_layout, module.triple = codegen._data_layout, codegen._tm.triple
    modules = [linked._final_module for linked in _libraries(library, {})]
    allocates = any(function.name in _ALLOCATE for linked in modules for function in linked.functions)
    if not allocates:
        module.link_in(llvm.parse_assembly(_NO_REFERENCES))
        modules = [_with_weak_references(linked) for linked in modules]
    for linked in modules:
        module.link_in(linked, preserve=True)
    for defined in module.functions:
        if not defined.is_declaration and defined.name != FUNCTION:
            defined.linkage = "internal"
    passes, builder = codegen._module_pass_manager()
    passes.run(module, builder)
    called = [function.name for function in module.functions if function.is_declaration]
    unknown = [name for name in called if not name.startswith("llvm.") and not llvm.address_of_symbol(name)]
    assert not unknown, f"nothing is known by these names, which compiled code calls: {unknown}"
    needs_numba = any(name.startswith(("NRT_", "numba_")) for name in called)
    return (NEEDS_NUMBA if needs_numba else b"") + bytes(codegen._tm.emit_object(module))


def _with_weak_references(module: llvm.ModuleRef) -> llvm.ModuleRef:
    """The module, such that functions of other modules replace its own that count references."""
    counting = [function.name for function in module.functions if function.name in _COUNT]
    counting = [name for name in counting if not module.get_function(name).is_declaration]
    module = module.clone() if counting else module
    for name in counting:
        module.get_function(name).linkage = "linkonce_odr"
    return module


def provide_runtime() -> None:
    """Make known to the loader what code that allocates arrays calls: Numba's runtime."""
    rtsys.initialize(cpu_target.target_context)


def _libraries(library: Any, found: dict) -> Iterator[Any]:
    """A library and all that it calls, each once."""
    if library not in found:
        found[library] = None
        yield library
        for other in library._linking_libraries:
            yield from _libraries(other, found)


def _python_function(described: Any) -> ir.Module:
    """The function that CPython calls: PyObject *FUNCTION(PyObject *address, PyObject *number).

    It runs the entry without the interpreter lock. The only error of an entry is an index out of bounds, which it
    notices with NUMBA_BOUNDSCHECK=1.
    """
    module = ir.Module()
    context = cpu_target.target_context
    entry_type = context.call_conv.get_function_type(described.restype, described.argtypes)
    called = ir.Function(module, entry_type, described.mangled_name)

    def python(name: str, result: ir.Type, *arguments: ir.Type) -> ir.Function:
        return ir.Function(module, ir.FunctionType(result, arguments), name)

    as_number = python("PyLong_AsLongLong", _WORD, _POINTER)
    function = python(FUNCTION, _POINTER, _POINTER, _POINTER)
    builder = ir.IRBuilder(function.append_basic_block())
    address, number = (builder.call(as_number, [argument]) for argument in function.args)
    error = builder.call(python("PyErr_Occurred", _POINTER), [])
    with builder.if_then(builder.icmp_unsigned("!=", error, _POINTER(None))):
        builder.ret(_POINTER(None))
    state = builder.call(python("PyEval_SaveThread", _POINTER), [])
    status, result = context.call_conv.call_function(
        builder, called, described.restype, described.argtypes, [address, number]
    )
    builder.call(python("PyEval_RestoreThread", ir.VoidType(), _POINTER), [state])
    with builder.if_then(status.is_error, likely=False):
        kind = builder.load(builder.inttoptr(address, _POINTER.as_pointer()))
        text = context.insert_const_string(module, "index is out of bounds")
        builder.call(python("PyErr_SetString", ir.VoidType(), _POINTER, _POINTER), [kind, text])
        builder.ret(_POINTER(None))
    integer = result if isinstance(described.restype, types.Integer) else _WORD(0)
    builder.ret(builder.call(python("PyLong_FromLongLong", _POINTER, _WORD), [integer]))
    return module


def _late_function(described: Any) -> ir.Module:
    """The function that other code calls by its address: the kernel with an int64 as result."""
    module, context = ir.Module(), cpu_target.target_context
    kinds, convention = described.argtypes, context.call_conv
    called = ir.Function(module, convention.get_function_type(described.restype, kinds), described.mangled_name)
    function = ir.Function(module, convention.get_function_type(types.int64, kinds), FUNCTION)
    convention.decorate_function(function, [f"arg{index}" for index in range(len(kinds))], kinds)
    builder = ir.IRBuilder(function.append_basic_block())
    given = convention.get_arguments(function)
    status, result = convention.call_function(builder, called, described.restype, kinds, given)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    convention.return_value(builder, context.cast(builder, result, described.restype, types.int64))
    return module


def _arguments(array_types: tuple, takes_number: bool) -> Any:
    """The function (block, number) -> the arrays in the block, and the number if it is taken."""
    kinds = [types.Array(from_dtype(dtype), dimensions, "C") for dtype, dimensions in array_types]
    result = types.Tuple([*kinds, types.int64] if takes_number else kinds)

    @intrinsic
    def arguments(typing_context: Any, block: Any, number: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            words = builder.inttoptr(given[0], _WORD.as_pointer())
            places = count(1)  # after the address of the error

            def next_word() -> Any:
                return builder.load(builder.gep(words, [_WORD(next(places))]))

            values = [_array(context, builder, kind, next_word) for kind in kinds]
            return context.make_tuple(builder, result, [*values, given[1]] if takes_number else values)

        return result(types.int64, types.int64), generate

    return arguments


def _array(context: Any, builder: Any, kind: Any, next_word: Callable[[], Any]) -> Any:
    """An array of contiguous memory whose address and shape are the next words."""
    array = context.make_array(kind)(context, builder)
    address, shape = next_word(), [next_word() for _ in range(kind.ndim)]
    item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides, items = [_WORD(item)], _WORD(1)
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    for length in shape:
        items = builder.mul(items, length)
    array.data = builder.inttoptr(address, array.data.type)
    array.nitems, array.itemsize = items, _WORD(item)
    array.shape, array.strides = (_packed(builder, numbers) for numbers in (shape, strides))
    array.meminfo, array.parent = _POINTER(None), _POINTER(None)
    return array._getvalue()


def _packed(builder: Any, numbers: list) -> Any:
    packed = ir.ArrayType(_WORD, len(numbers))(ir.Undefined)
    for index, number in enumerate(numbers):
        packed = builder.insert_value(packed, number, index)
    return packed


# ---- primitives


def _atomic_add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.atomic_rmw("add", _element(context, builder, signature, arguments), arguments[2], "seq_cst")


def _atomic_load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.load_atomic(_element(context, builder, signature, arguments), "seq_cst", 8)


def _atomic_store(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    builder.store_atomic(arguments[2], _element(context, builder, signature, arguments), "seq_cst", 8)
    return context.get_dummy_value()


def _element(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


# Of each the type of the result, and how it is written; arguments: an int64 array, and int64 numbers.
ATOMIC = {
    "atomic_add": (types.int64, _atomic_add),
    "atomic_load": (types.int64, _atomic_load),
    "atomic_store": (types.void, _atomic_store),
}


def type_of_atomic(function: Callable[..., Any]) -> Any:
    """The Numba type of an atomic operation of the name and the parameters of a function."""
    result, generate = ATOMIC[function.__name__]

    def typing(typing_context: Any, array: Any, *numbers: Any) -> Any:
        return result(array, *_widen(numbers)), generate

    return _function_type(typing, _parameters(function))


def type_of_scratch(function: Callable[..., Any], count: int, dtype: type) -> Any:
    """The Numba type of a function that gives an array on the stack."""
    kind = types.Array(from_dtype(np.dtype(dtype)), 1, "C")

    def typing(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            memory = cgutils.alloca_once(builder, context.get_data_type(kind.dtype), _WORD(count))
            words = iter([builder.ptrtoint(memory, _WORD), _WORD(count)])
            return _array(context, builder, kind, lambda: next(words))

        return kind(), generate

    return _function_type(typing, [])


def type_of_late(function: Callable[..., Any]) -> Any:
    """The Numba type of a `Late` kernel: a function of the record with the address, and the kernel's arguments."""

    def typing(typing_context: Any, slot: Any, *arguments: Any) -> Any:
        kinds = _widen(arguments)

        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            address = builder.load(builder.bitcast(given[0], _WORD.as_pointer()))
            kernel = context.call_conv.get_function_type(types.int64, kinds)
            pointer = builder.inttoptr(address, kernel.as_pointer())
            status, result = context.call_conv.call_function(builder, pointer, types.int64, kinds, given[1:])
            with cgutils.if_unlikely(builder, status.is_error):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return types.int64(slot, *kinds), generate

    return _function_type(typing, ["slot", *_parameters(function)])


def _parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


def _function_type(typing: Any, parameters: list[str]) -> Any:
    """The Numba type of a function that the compiler writes; `typing` takes any number of arguments."""
    named = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in parameters]
    context = inspect.Parameter("typing_context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    typing.__signature__ = inspect.Signature([context, *named])
    return types.Function(make_intrinsic_template(typing, typing, typing.__qualname__))
