"""Columns as frames, and for every library that reads Arrow streams."""

from typing import Any

import numpy as np

from . import verbs


class Table:
    """What has columns of one length by name: arrays of numbers, of truth values, or of texts."""

    def dict(self) -> dict[str, np.ndarray]:
        """All columns by name."""
        raise NotImplementedError

    def frame(self) -> Any:
        """A frame of pandas, or of polars where there is no pandas; without both, the columns by name."""
        columns = self.dict()
        try:
            import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]
        except ImportError:
            try:
                import polars  # type: ignore[import-untyped,import-not-found,unused-ignore]
            except ImportError:
                return columns
            return polars.DataFrame(columns)
        return pandas.DataFrame(columns, copy=False)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The columns as an Arrow stream: `polars.DataFrame(run)`, `duckdb.sql("… from run")`. Needs the package nanoarrow."""
        try:
            import nanoarrow  # type: ignore[import-untyped,import-not-found,unused-ignore]
        except ImportError:
            raise verbs.error("Arrow streams need the package nanoarrow: `pip install nanoarrow`", True) from None

        def array(values: np.ndarray) -> Any:
            if values.dtype == np.bool_:
                return nanoarrow.c_array(values.tolist(), nanoarrow.bool_())
            if values.dtype == object:
                return nanoarrow.c_array([str(x) for x in values], nanoarrow.string())
            return nanoarrow.c_array(np.ascontiguousarray(values))

        columns = {name: array(values) for name, values in self.dict().items()}
        schema = nanoarrow.struct({name: nanoarrow.Schema(values.schema) for name, values in columns.items()})
        length = len(next(iter(columns.values()))) if columns else 0
        whole = nanoarrow.c_array_from_buffers(schema, length, [None], children=list(columns.values()))
        return nanoarrow.c_array_stream(whole).__arrow_c_stream__(requested_schema)
