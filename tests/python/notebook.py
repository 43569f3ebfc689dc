"""Executes a notebook as Jupyter would, and fails where a cell does, or shows something else than the notebook has: `notebook.py FILE`. What the
cells print goes to standard output. With `MACROSTEP_WRITE=1` the outputs are written to the file."""

import copy
import os
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat


def said(cell) -> list[tuple[str, str]]:
    """Texts that a cell shows, and the kinds of pictures and pages."""
    out = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        out += [("text", output["text"])] if "text" in output else []
        out += [(kind, data[kind] if kind == "text/plain" else "") for kind in sorted(data)]
    return out


path = Path(sys.argv[1])
written = nbformat.read(path, as_version=4)
notebook = copy.deepcopy(written)
with tempfile.TemporaryDirectory() as folder:
    client = nbclient.NotebookClient(notebook, timeout=300, record_timing=False, resources={"metadata": {"path": folder}})
    client.execute()
# Warnings name files of this machine. What a cell prints comes in as many pieces as there was time for.
for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
    outputs = []
    for output in (output for output in cell.outputs if output.get("name") != "stderr"):
        if outputs and "text" in output and "text" in outputs[-1]:
            outputs[-1]["text"] += output["text"]
        else:
            outputs.append(output)
    cell.outputs = outputs
shown = 0
for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
    for output in cell.outputs:
        data = output.get("data", {})
        shown += "text/html" in data or "image/svg+xml" in data
        print(output.get("text") or data.get("text/plain", ""), end="\n")
print(f"{path.name}: {len(notebook.cells)} cells, {shown} pictures and pages")
if os.environ.get("MACROSTEP_WRITE"):
    # What differs from one machine to the next is left out.
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)
    sys.exit()
for i, (old, new) in enumerate(zip(written.cells, notebook.cells)):
    if said(old) != said(new):
        sys.exit(f"{path}: cell {i} shows\n{said(new)}\nand has in the file\n{said(old)}\nMACROSTEP_WRITE=1 writes the outputs anew")
