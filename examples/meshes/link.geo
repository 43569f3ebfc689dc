// A link of 0.25 m with a bore, meshed by tetrahedra of second order: gmsh -3 link.geo -o link.inp
SetFactory("OpenCASCADE");
Box(1) = {0, -0.01, -0.015, 0.25, 0.02, 0.03};
Cylinder(2) = {0.1, -0.02, 0, 0, 0.04, 0, 0.008};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };

// Groups: the two ends become connectors, the volume is the body.
e = 1e-4;
Physical Surface("root") = Surface In BoundingBox {-e, -1, -1, e, 1, 1};
Physical Surface("tip") = Surface In BoundingBox {0.25 - e, -1, -1, 0.25 + e, 1, 1};
Physical Volume("body") = {3};

Mesh.MeshSizeMin = 0.012;
Mesh.MeshSizeMax = 0.025;
Mesh.ElementOrder = 2;
