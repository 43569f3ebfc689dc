"""Read by an interpreter when it is initialised in a process with FMUs of PythonFMU.

Their libraries tell of an exception what `repr` gives, which has no traceback. An exception that would go from the code of a slave, or from the import of
its module, into a library is given on as one whose `repr` is the whole traceback. Exceptions between Python functions stay what they are.
"""

import builtins
import functools
import os
import sys
import traceback

HERE = __file__
IMPORT, BUILD_CLASS = builtins.__import__, builtins.__build_class__


class Told(Exception):
    """Shown as its text."""

    def __repr__(self):
        return self.args[0]

    __str__ = __repr__


def text(error):
    """The traceback, without lines of this file and of importing."""
    whole = traceback.TracebackException.from_exception(error)
    part = whole
    while part is not None:
        kept = [frame for frame in part.stack if frame.filename != HERE and not frame.filename.startswith("<frozen importlib")]
        part.stack = traceback.StackSummary.from_list(kept)
        part = part.__cause__ or part.__context__
    return "".join(whole.format()).rstrip()


def told(function):
    """The function, whose exceptions are told where no Python function has called it."""

    @functools.wraps(function)
    def call(*arguments, **words):
        try:
            return function(*arguments, **words)
        except Exception as error:
            if sys._getframe().f_back is not None or isinstance(error, Told):
                raise
            raise Told(text(error)) from None

    return call


def imported(*arguments, **words):
    """In the place of `__import__`."""
    if sys._getframe().f_back is not None:
        return IMPORT(*arguments, **words)
    try:
        return IMPORT(*arguments, **words)
    except Exception as error:
        raise Told(text(error)) from None


def build_class(*arguments, **words):
    """In the place of `__build_class__`: the methods of slaves are told."""
    made = BUILD_CLASS(*arguments, **words)
    if isinstance(made, type) and any(base.__name__ in ("Fmi2Slave", "Fmi3Slave") for base in made.__mro__):
        for name, value in list(vars(made).items()):
            if callable(value) and not isinstance(value, type):
                setattr(made, name, told(value))
    return made


def others():
    """The file of this name that Python would have read without this one."""
    folder = os.path.dirname(HERE)
    sys.path[:] = [path for path in sys.path if path != folder]
    this = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", this)


builtins.__build_class__ = build_class
builtins.__import__ = imported
others()
