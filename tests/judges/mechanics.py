"""Judges the mechanics of crane.fmu by MuJoCo: mobility, acceleration and holding forces at the cylinders.

usage: mechanics.py crane.fmu

MuJoCo has the crane in joint coordinates: a tree of hinges and slides, three loops closed by `connect` constraints,
brakes as rigid joints. From its mass matrix M, bias force c and loop Jacobian J, with D picking the two cylinders,

    W = D (I - P) M^-1 D^T,   b = -D (I - P) M^-1 c,   P = M^-1 J^T (J M^-1 J^T)^+ J,   W lam + b = 0.

The FMU has 18 free bodies, 100 rows of joints with compliance 1e-9, and brakes as bounded rows. The two share the tables of
masses and points and nothing else. A compliance of 1e-9 in each of the rows between the cylinders adds some 1e-9 to a W of
5e-5: the two differ by 1e-4.
"""

import math
import shutil
import sys

import fmpy
import mujoco
import numpy as np
from fmpy.fmi2 import FMU2Slave

# Name, parent, joint ("y" hinge, "slide" along an axis, "" rigid), point (x, z), mass, centre (x, z), angle of the member
# above x in degrees, principal moments.
AXES = {"lift": (0.959 - 0.25, 2.320 - 0.90), "jib": (2.674 - 1.111, 3.972 - 2.903)}
LIFT, JIB = (math.degrees(math.atan2(z, x)) for x, z in AXES.values())
LEVER_1 = math.degrees(math.atan2(3.972 - 3.542, 2.674 - 2.806))
LEVER_2 = math.degrees(math.atan2(3.979 - 3.972, 3.315 - 2.674))
SYNC = math.degrees(math.atan2(1.021 - 1.152, 5.073 - 4.833))
BODIES = [
    ("pillar", None, "", (0, 0), 400, (0, 1.0), 0, (138.7, 138.7, 10.67)),
    ("boom", "pillar", "y", (0, 2.0), 420, (1.515, 2.772), 27, (3.02, 455.1, 455.1)),
    ("lift barrel", "pillar", "y", (0.25, 0.90), 45, (0.473, 1.347), LIFT, (0.11, 4.59, 4.59)),
    ("lift rod", "lift barrel", "lift", (0.25, 0.90), 25, (0.736, 1.873), LIFT, (0.015, 2.53, 2.53)),
    ("jib", "boom", "y", (3.208, 3.634), 240, (3.774, 2.935), -51, (1.2, 97.4, 97.4)),
    ("jib barrel", "boom", "y", (1.111, 2.903), 35, (1.524, 3.185), JIB, (0.063, 3.56, 3.56)),
    ("jib rod", "jib barrel", "jib", (1.111, 2.903), 18, (2.262, 3.690), JIB, (0.008, 1.82, 1.82)),
    ("lever 1", "boom", "y", (2.806, 3.542), 18, (2.740, 3.757), LEVER_1, (0.014, 0.311, 0.311)),
    ("lever 2", "lever 1", "y", (2.674, 3.972), 20, (2.995, 3.975), LEVER_2, (0.016, 0.691, 0.691)),
    ("telescope", "jib", "", (4.403, 2.158), 110, (4.403, 2.158), -51, (0.352, 23.6, 23.6)),
    ("hanger link", "telescope", "", (4.907, 1.536), 15, (4.907, 1.436), 0, (0.063, 0.063, 0.025)),
    ("gripper frame", "hanger link", "", (4.907, 1.336), 90, (4.907, 1.206), 0, (1.875, 1.875, 2.4)),
    ("claw left", "gripper frame", "", (4.787, 1.086), 50, (4.448, 0.811), -35, (2.271, 1.854, 0.604)),
    ("claw right", "gripper frame", "", (5.027, 1.086), 50, (5.366, 0.811), 35, (2.271, 1.854, 0.604)),
    ("grip barrel", "claw left", "", (4.808, 1.291), 12, (4.887, 1.291), 0, (0.010, 0.027, 0.027)),
    ("grip rod", "grip barrel", "", (4.808, 1.291), 6, (4.927, 1.291), 0, (0.001, 0.012, 0.012)),
    ("sync link", "claw left", "", (4.833, 1.152), 5, (4.953, 1.086), SYNC, (0.001, 0.035, 0.035)),
]
LOOPS = [("lift rod", "boom", (0.959, 2.320)), ("jib rod", "lever 1", (2.674, 3.972)), ("lever 2", "jib", (3.315, 3.979))]
POINT = {body[0]: body[3] for body in BODIES}


def model():
    """The crane as MJCF."""

    def element(name):
        _, parent, joint, point, mass, centre, angle, moments = next(b for b in BODIES if b[0] == name)
        origin = POINT[parent] if parent else (0, 0)
        half = -math.radians(angle) / 2
        text = f'<body name="{name}" pos="{point[0] - origin[0]} 0 {point[1] - origin[1]}">'
        text += f'<inertial mass="{mass}" pos="{centre[0] - point[0]} 0 {centre[1] - point[1]}" '
        text += f'quat="{math.cos(half)} 0 {math.sin(half)} 0" diaginertia="{moments[0]} {moments[1]} {moments[2]}"/>'
        if joint == "y":
            text += f'<joint name="{name}" type="hinge" axis="0 1 0"/>'
        elif joint:
            x, z = AXES[joint]
            text += f'<joint name="{name}" type="slide" axis="{x} 0 {z}"/>'
        return text + "".join(element(b[0]) for b in BODIES if b[1] == name) + "</body>"

    loops = ""
    for first, second, (x, z) in LOOPS:
        px, pz = POINT[first]
        loops += f'<connect body1="{first}" body2="{second}" anchor="{x - px} 0 {z - pz}"/>'
    return (
        '<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/><option gravity="0 0 -9.81"/>'
        f"<worldbody>{element('pillar')}</worldbody><equality>{loops}</equality></mujoco>"
    )


class Judge:
    def __init__(self):
        self.model = mujoco.MjModel.from_xml_string(model())
        self.data = mujoco.MjData(self.model)

    def place(self, angles, extensions):
        """Sets the joint coordinates: turned angles of the bodies about y, extensions of the cylinders."""
        for name, parent, joint, *_ in BODIES:
            if not joint:
                continue
            address = self.model.jnt_qposadr[self.model.joint(name).id]
            turned = angles[name] - angles[parent]
            self.data.qpos[address] = turned if joint == "y" else extensions[joint]

    def interface(self):
        """W, b and the violation of the loops."""
        mujoco.mj_forward(self.model, self.data)
        n = self.model.nv
        mass = np.zeros((n, n))
        mujoco.mj_fullM(self.model, self.data, mass)
        jacobian = self.data.efc_J.reshape(-1, n)
        inverse = np.linalg.inv(mass)
        projector = inverse @ jacobian.T @ np.linalg.pinv(jacobian @ inverse @ jacobian.T, rcond=1e-10) @ jacobian
        free = (np.eye(n) - projector) @ inverse
        pick = [self.model.jnt_dofadr[self.model.joint(name).id] for name in ("lift rod", "jib rod")]
        return free[np.ix_(pick, pick)], -(free @ self.data.qfrc_bias)[pick], np.abs(self.data.efc_pos).max()


class Crane:
    """crane.fmu in FMPy."""

    def __init__(self, path, step_s):
        self.folder = fmpy.extract(path)
        description = fmpy.read_model_description(path)
        self.reference = {v.name: v.valueReference for v in description.modelVariables}
        self.slave = FMU2Slave(
            guid=description.guid,
            unzipDirectory=self.folder,
            modelIdentifier=description.coSimulation.modelIdentifier,
            instanceName="judged",
        )
        self.step_s = step_s
        self.slave.instantiate()
        self.slave.setupExperiment(startTime=0.0)
        self.slave.setReal([self.reference["communication_step"]], [step_s])
        self.slave.enterInitializationMode()
        self.slave.exitInitializationMode()

    def get(self, *names):
        return np.array(self.slave.getReal([self.reference[name] for name in names]))

    def push(self, force, first, steps):
        for n in range(first, first + steps):
            self.slave.setReal([self.reference["lam_i[1]"], self.reference["lam_i[2]"]], list(force))
            self.slave.doStep(n * self.step_s, self.step_s)

    def angles(self):
        """Angle of each body about y, from its quaternion, less that at the start."""
        found = {}
        for i, (name, *_) in enumerate(BODIES):
            y, w = self.get(f"body[{i + 1}].qy", f"body[{i + 1}].qw")
            found[name] = 2 * math.atan2(y, w)
        return found

    def interface(self):
        w = self.get("W[1,1]", "W[2,1]", "W[2,2]")
        return np.array([[w[0], w[1]], [w[1], w[2]]]), self.get("b[1]", "b[2]")

    def close(self):
        self.slave.terminate()
        self.slave.freeInstance()
        shutil.rmtree(self.folder)


# Relative: what the compliance of the FMU's joints makes, twice.
TOLERANCE = 2e-4


def compare(what, found, expected):
    error = np.abs(np.asarray(found) - expected).max() / np.abs(expected).max()
    verdict = "ok" if error <= TOLERANCE else "FAILED"
    print(f"{what:46} {np.asarray(found).ravel()} against {np.asarray(expected).ravel()}: {error:.1e}  {verdict}")
    return error <= TOLERANCE


def main(path):
    judge, crane = Judge(), Crane(path, 1e-3)
    good = True
    start = crane.angles()
    judge.place({name: 0.0 for name in start}, {"lift": 0.0, "jib": 0.0})
    expected_w, expected_b, apart = judge.interface()
    w, b = crane.interface()
    holding = crane.get("lam_hold[1]", "lam_hold[2]")
    good &= compare("W at the start [1/kg]", w, expected_w)
    good &= compare("b at the start [m/s^2]", b, expected_b)
    good &= compare("forces that hold the crane [N]", holding, -np.linalg.solve(expected_w, expected_b))
    # Pushed into another configuration; W there, without contact.
    crane.push(holding * [0.98, 1.02], 0, 900)
    moved = {name: angle - start[name] for name, angle in crane.angles().items()}
    lift, jib = crane.get("s[1]", "s[2]")
    judge.place(moved, {"lift": lift, "jib": jib})
    expected_w, _, apart = judge.interface()
    w, _ = crane.interface()
    print(f"{'cylinders moved [m], loops of MuJoCo open by':46} {lift:.4f} {jib:.4f}, {apart:.1e} m")
    good &= abs(lift) > 0.01 and apart < 1e-4
    good &= compare("W there [1/kg]", w, expected_w)
    crane.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
