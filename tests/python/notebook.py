"""Executes a notebook as Jupyter would, and fails where a cell does: `notebook.py FILE`. What the cells print goes to standard output."""

import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat

path = Path(sys.argv[1])
notebook = nbformat.read(path, as_version=4)
if any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells):
    sys.exit(f"{path}: found outputs of cells, expected none; clear them before it is committed")
with tempfile.TemporaryDirectory() as folder:
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
shown = 0
for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
    for output in cell.outputs:
        data = output.get("data", {})
        shown += "text/html" in data or "image/svg+xml" in data
        print(output.get("text") or data.get("text/plain", ""), end="\n")
print(f"{path.name}: {len(notebook.cells)} cells, {shown} pictures and pages")
if len(sys.argv) > 2:
    nbformat.write(notebook, sys.argv[2])
