"""Muscles: stress on tetrahedra, the linear map from lengths to forces, and lengths; equations in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.curve_kernels import sample_curve
from supple.math.quaternion_kernels import rotate_vector_at
from supple_muscles.tables import Bundle, Influence, Segments, Tissue
from supple_tets.element_kernels import FLATTEST, find_cofactors, find_deformation
from supple_tets.tables import Matrix


@njit_inlined
def turn_gradients(tissue: Tissue, e, normals_out):
    """normals_out [4, 3] = V det F F^-T g: gradients at the present shape times its volume. Returns det F."""
    f00, f01, f02, f10, f11, f12, f20, f21, f22 = find_deformation(
        tissue.gradient, tissue.corner, e, tissue.x
    )
    c00, c01, c02, c10, c11, c12, c20, c21, c22, J = find_cofactors(
        f00, f01, f02, f10, f11, f12, f20, f21, f22
    )
    volume, g = tissue.volume[e], tissue.gradient
    for a in range(4):
        normals_out[a, 0] = volume * (c00 * g[e, a, 0] + c01 * g[e, a, 1] + c02 * g[e, a, 2])
        normals_out[a, 1] = volume * (c10 * g[e, a, 0] + c11 * g[e, a, 1] + c12 * g[e, a, 2])
        normals_out[a, 2] = volume * (c20 * g[e, a, 0] + c21 * g[e, a, 1] + c22 * g[e, a, 2])
    return J


@njit
def add_stress(tissue: Tissue, influence: Influence, stress, factor, normals, force_out):
    """force_out += factor times the forces of these stresses [segments] along the fibres: README eq. (3), (4)."""
    for e in range(tissue.corner.shape[0]):
        if influence.first[e] == influence.first[e + 1]:
            continue
        turn_gradients(tissue, e, normals)
        t00, t11, t22, t01, t02, t12 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for p in range(influence.first[e], influence.first[e + 1]):
            k = influence.segment[p]
            size, d = influence.share[p] * stress[k], influence.direction
            x, y, z = rotate_vector_at(tissue.turn, e, d[k, 0], d[k, 1], d[k, 2])
            t00, t11, t22 = t00 + size * x * x, t11 + size * y * y, t22 + size * z * z
            t01, t02, t12 = t01 + size * x * y, t02 + size * x * z, t12 + size * y * z
        for a in range(4):
            i = tissue.corner[e, a]
            if tissue.fixed[i] == 0:
                x, y, z = normals[a, 0], normals[a, 1], normals[a, 2]
                force_out[i, 0] += factor * (t00 * x + t01 * y + t02 * z)
                force_out[i, 1] += factor * (t01 * x + t11 * y + t12 * z)
                force_out[i, 2] += factor * (t02 * x + t12 * y + t22 * z)


@njit
def add_fibre_stiffness(h, tissue: Tissue, slot, bundle: Bundle, normals, matrix_out: Matrix):
    """Add h^2 times the stiffness of the muscles along their bundles to A: README eq. (7)."""
    D, L = matrix_out.matrix_diagonal, matrix_out.matrix_lower
    for e in range(bundle.bundle.shape[0]):
        turned = False
        J = 0.0
        for g in range(bundle.bundle.shape[1]):
            k = bundle.bundle_stiffness[e, g]
            if k == 0.0:
                continue
            if not turned:
                J = turn_gradients(tissue, e, normals)
                turned = True
            if J < FLATTEST:
                break
            x, y, z = rotate_vector_at(
                tissue.turn, e, bundle.bundle[e, g, 0], bundle.bundle[e, g, 1], bundle.bundle[e, g, 2]
            )
            scale = h * h * k / (J * tissue.volume[e])
            for a in range(4):
                along = scale * (x * normals[a, 0] + y * normals[a, 1] + z * normals[a, 2])
                for b in range(a + 1):
                    both = along * (x * normals[b, 0] + y * normals[b, 1] + z * normals[b, 2])
                    if a == b:
                        q = slot[e, a]
                        D[q, 0, 0] += both * x * x
                        D[q, 1, 0] += both * y * x
                        D[q, 1, 1] += both * y * y
                        D[q, 2, 0] += both * z * x
                        D[q, 2, 1] += both * z * y
                        D[q, 2, 2] += both * z * z
                    else:
                        q = slot[e, 4 + (a * (a - 1)) // 2 + b]
                        L[q, 0, 0] += both * x * x
                        L[q, 0, 1] += both * x * y
                        L[q, 0, 2] += both * x * z
                        L[q, 1, 0] += both * y * x
                        L[q, 1, 1] += both * y * y
                        L[q, 1, 2] += both * y * z
                        L[q, 2, 0] += both * z * x
                        L[q, 2, 1] += both * z * y
                        L[q, 2, 2] += both * z * z


@njit
def add_resisted_work(h, tissue: Tissue, bundle: Bundle, normals, v, v_next, work_out):
    """work_out -= what the stiffness of `add_fibre_stiffness` takes on the mean of both velocities [J]."""
    for e in range(bundle.bundle.shape[0]):
        turned = False
        J = 0.0
        for g in range(bundle.bundle.shape[1]):
            k = bundle.bundle_stiffness[e, g]
            if k == 0.0:
                continue
            if not turned:
                J = turn_gradients(tissue, e, normals)
                turned = True
            if J < FLATTEST:
                break
            x, y, z = rotate_vector_at(
                tissue.turn, e, bundle.bundle[e, g, 0], bundle.bundle[e, g, 1], bundle.bundle[e, g, 2]
            )
            before, after = 0.0, 0.0  # rates of stretching along the bundle, times the volume
            for a in range(4):
                n = tissue.corner[e, a]
                along = x * normals[a, 0] + y * normals[a, 1] + z * normals[a, 2]
                before += along * (x * v[n, 0] + y * v[n, 1] + z * v[n, 2])
                after += along * (x * v_next[n, 0] + y * v_next[n, 1] + z * v_next[n, 2])
            work_out[0] -= 0.5 * h * h * k / (J * tissue.volume[e]) * after * (before + after)


@njit
def fill_map(tissue: Tissue, influence: Influence, stiffness, first, last, element_span, normals, map_out):
    """map_out [last - first, 3 n]: forces for a unit of the relative lengths of these segments: README eq. (5)."""
    for k in range(map_out.shape[0]):
        for c in range(map_out.shape[1]):
            map_out[k, c] = 0.0
    for e in range(element_span[0], element_span[1]):
        if influence.first[e] == influence.first[e + 1]:
            continue
        turn_gradients(tissue, e, normals)
        for p in range(influence.first[e], influence.first[e + 1]):
            k = influence.segment[p]
            if k < first or k >= last:
                continue
            d = influence.direction
            x, y, z = rotate_vector_at(tissue.turn, e, d[k, 0], d[k, 1], d[k, 2])
            size = influence.share[p] * stiffness[k]
            for a in range(4):
                i = tissue.corner[e, a]
                if tissue.fixed[i] == 0:
                    pull = size * (x * normals[a, 0] + y * normals[a, 1] + z * normals[a, 2])
                    map_out[k - first, 3 * i] += pull * x
                    map_out[k - first, 3 * i + 1] += pull * y
                    map_out[k - first, 3 * i + 2] += pull * z


@njit
def measure_lengths(segments: Segments, corner, x, point_out, length_out):
    """Ends of the segments [2 k, 3] in the world, and their lengths [m]."""
    for k in range(segments.rest_length.shape[0]):
        square = 0.0
        for axis in range(3):
            for end in range(2):
                i, place = 2 * k + end, 0.0
                for a in range(4):
                    place += segments.weight[i, a] * x[corner[segments.element[i], a], axis]
                point_out[i, axis] = place
            square += (point_out[2 * k + 1, axis] - point_out[2 * k, axis]) ** 2
        length_out[k] = math.sqrt(square)


@njit
def add_drives(h, time, number, shape, curve, curve_segment, swing, wanted_out):
    """Add the contraction at the end of the step that every drive wants of every segment it drives: README eq. (6).

    Rows: number (segment, its place in the fibre), shape, curve (first, count) or swing (mean, amplitude, period,
    phase, lag; period 0: a curve).
    """
    at = time[0] + h
    for row in range(number.shape[0]):
        if swing[row, 2] > 0.0:
            angle = 2.0 * math.pi * at / swing[row, 2] + swing[row, 3] - swing[row, 4] * number[row, 1]
            value = swing[row, 0] + swing[row, 1] * math.sin(angle)
        else:
            value, _, _ = sample_curve(shape[row], curve[row, 0], curve[row, 1], curve_segment, at)
        wanted_out[number[row, 0]] += value


@njit
def choose_lengths(h, segments: Segments, wanted, asked, length, now_out, stress_out):
    """Relative lengths asked for in this step, within their limits and rates, and the stresses that follow."""
    for k in range(asked.shape[0]):
        goal = 1.0 - wanted[k] if segments.driven[k] != 0 else asked[k]
        goal = min(max(goal, segments.lowest[k]), 1.0)
        most = h * segments.rate[k]
        now_out[k] = min(max(goal, asked[k] - most), asked[k] + most)
        stress_out[k] = segments.stiffness[k] * (now_out[k] - length[k] / segments.rest_length[k])


@njit
def scale_changes(segments: Segments, now, change, stress_out):
    """Stresses of the changes that planners ask for, as far as lengths stay within their limits; any is True."""
    changed = False
    for k in range(now.shape[0]):
        kept = min(max(now[k] + change[k], segments.lowest[k]), 1.0) - now[k]
        stress_out[k] = segments.stiffness[k] * kept
        changed = changed or kept != 0.0
    return changed


@njit
def settle(segments: Segments, now, change, asked_out):
    """What is asked for from now on."""
    for k in range(now.shape[0]):
        asked_out[k] = min(max(now[k] + change[k], segments.lowest[k]), 1.0)
