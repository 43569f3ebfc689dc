"""Makes the matrices of this folder with scipy, as HBMAT of ANSYS would: a block of two linear bricks, rows in an order of their own.

    pip install scipy==1.17.1 && python make.py

`block.rsa` has the lower triangle of the stiffness, `block.rua` the whole mass, `block.mapping` the equations, `block.inp` the nodes,
`frequencies.txt` the elastic frequencies of the free block (Hz) by `scipy.linalg.eigh`. Nothing here comes from macrostep.
"""

import itertools
from pathlib import Path

import numpy as np
from scipy.io import hb_write
from scipy.io._harwell_boeing.hb import HBInfo, HBMatrixType
from scipy.linalg import eigh
from scipy.sparse import csc_matrix, tril

YOUNG, POISSON, DENSITY = 2.1e11, 0.3, 7850.0  # Pa, 1, kg/m³
SIZE = np.array([0.2, 0.06, 0.04])  # m
CORNERS = np.array([(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)])


def shapes(at):
    """Values and natural gradients of the eight corners."""
    ones = 1 + CORNERS * at
    values = ones.prod(axis=1) / 8
    gradients = np.array([[c[d] * np.delete(o, d).prod() / 8 for d in range(3)] for c, o in zip(CORNERS, ones)])
    return values, gradients


def element(nodes):
    """Stiffness and mass of a brick by 2 × 2 × 2 points."""
    lame, shear = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)), YOUNG / (2 * (1 + POISSON))
    elasticity = np.diag([2 * shear] * 3 + [shear] * 3)
    elasticity[:3, :3] += lame
    stiffness, mass = np.zeros((24, 24)), np.zeros((24, 24))
    for at in itertools.product([-(3**-0.5), 3**-0.5], repeat=3):
        values, gradients = shapes(np.array(at))
        jacobian = gradients.T @ nodes
        x, y, z = np.linalg.solve(jacobian, gradients.T)
        strain = np.zeros((6, 24))
        strain[0, 0::3], strain[1, 1::3], strain[2, 2::3] = x, y, z
        strain[3, 0::3], strain[3, 1::3] = y, x
        strain[4, 1::3], strain[4, 2::3] = z, y
        strain[5, 0::3], strain[5, 2::3] = z, x
        volume = np.linalg.det(jacobian)
        stiffness += volume * strain.T @ elasticity @ strain
        mass += volume * DENSITY * np.kron(np.outer(values, values), np.eye(3))
    return stiffness, mass


def main():
    # Two bricks along x; nodes are labelled from 101 in steps of 3.
    grid = {p: i for i, p in enumerate(itertools.product(range(3), range(2), range(2)))}
    nodes = np.array(list(grid)) * SIZE / [2, 1, 1]
    labels = [101 + 3 * i for i in range(len(nodes))]
    size = 3 * len(nodes)
    stiffness, mass = np.zeros((size, size)), np.zeros((size, size))
    for first in range(2):
        own = [grid[(first + (c[0] + 1) // 2, (c[1] + 1) // 2, (c[2] + 1) // 2)] for c in CORNERS]
        rows = [3 * n + d for n in own for d in range(3)]
        k, m = element(nodes[own])
        stiffness[np.ix_(rows, rows)] += k
        mass[np.ix_(rows, rows)] += m
    stiffness, mass = (stiffness + stiffness.T) / 2, (mass + mass.T) / 2
    frequencies = np.sqrt(eigh(stiffness, mass, eigvals_only=True)[6:]) / (2 * np.pi)
    # Equations in an order of their own, as a solver that reorders would have them.
    order = np.random.default_rng(7).permutation(size)
    k, m = (a[np.ix_(order, order)] for a in (stiffness, mass))
    here = Path(__file__).parent
    lower = csc_matrix(tril(k))
    info = HBInfo.from_data(lower, title="stiffness of a block, lower triangle", key="K")
    info.mxtype = HBMatrixType("real", "symmetric", "assembled")
    hb_write(here / "block.rsa", lower, info)
    hb_write(here / "block.rua", csc_matrix(m), HBInfo.from_data(csc_matrix(m), title="mass of a block", key="M"))
    names = ["UX", "UY", "UZ"]
    rows = [f"{e + 1:12}{labels[row // 3]:12}  {names[row % 3]}" for e, row in enumerate(order)]
    (here / "block.mapping").write_text("\n".join([" Matrix Eqn        Node  DOF", *rows]) + "\n")
    table = [f"{label}, {x:.17g}, {y:.17g}, {z:.17g}" for label, (x, y, z) in zip(labels, nodes)]
    ends = [", ".join(str(labels[i]) for p, i in grid.items() if p[0] == end) for end in (0, 2)]
    (here / "block.inp").write_text("\n".join(["*NODE", *table, "*NSET, NSET=ROOT", ends[0], "*NSET, NSET=TIP", ends[1]]) + "\n")
    (here / "frequencies.txt").write_text("".join(f"{f:.15g}\n" for f in frequencies))


main()
