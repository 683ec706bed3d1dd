"""Energies, forces of vertices, centres of pressure and metrics after the step; README eq. (21) and (22)."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import rotate_vector_at, rotate_vector_back_at
from supple.math.vector_kernels import dot, length
from supple_flesh.release_kernels import find_moving_energy
from supple_flesh.tables import (
    CREEPING,
    MOVING,
    RESTING,
    EnergyState,
    FeltForces,
    LoadedContacts,
    MovedSkin,
    Parting,
    Patches,
    Skins,
    Springs,
)
from supple_skeleton.step_tables import Balance

# Columns of what is observed of a flesh, in the order that the component declares its metrics.
ACTIVE = 0
MOST_ACTIVE = 1
CREEP = 2
CONTACTS = 3
FORCE = 4
PRESSURE = 5
DISPLACEMENT = 8
DISPLACEMENT_SETTLED = 9
LOSS = 10
PRESSING = 11
PRESSING_SQUARE = 12
NORMAL_FORCE = 13
STRETCH_WORST = 14
INVERTED = 15
PEAK_FORCE = 16
BOUNCE = 17
STOP_TIME = 18
COLUMNS = 19

# What is remembered of an impact.
FALLING, SINKING, STOPPED = 0.0, 1.0, 2.0


@njit
def set_frame_twists(patch_bone, rotation, twist, twist_out):
    """Twists of the patches in the axes of their bones, from those of the bones as carriers."""
    for p in range(patch_bone.shape[0]):
        b = patch_bone[p]
        ux, uy, uz = rotate_vector_back_at(rotation, b, twist[b, 0], twist[b, 1], twist[b, 2])
        twist_out[p, 0] = ux
        twist_out[p, 1] = uy
        twist_out[p, 2] = uz
        for c in range(3, 6):
            twist_out[p, c] = twist[b, c]


@njit_inlined
def find_spring_energy(patches: Patches, springs: Springs, rotation, local, moving, i):
    """Energy of the springs of vertex i [J], without those to moving vertices before it, which count them."""
    patch_bone, patch_of, rest = patches.patch_bone, patches.patch_of, patches.rest
    first, neighbour, edge_stiffness = springs.first, springs.neighbour, springs.edge_stiffness
    b = patch_bone[patch_of[i]]
    dx, dy, dz = local[i, 0] - rest[i, 0], local[i, 1] - rest[i, 1], local[i, 2] - rest[i, 2]
    alone, energy = springs.vertex_stiffness[i], 0.0
    for e in range(first[i], first[i + 1]):
        j = neighbour[e]
        if moving[j] == 0:
            alone += edge_stiffness[e]
        elif j > i:
            ox, oy, oz = local[j, 0] - rest[j, 0], local[j, 1] - rest[j, 1], local[j, 2] - rest[j, 2]
            if patch_of[j] != patch_of[i]:
                ox, oy, oz = rotate_vector_at(rotation, patch_bone[patch_of[j]], ox, oy, oz)
                ox, oy, oz = rotate_vector_back_at(rotation, b, ox, oy, oz)
            ox, oy, oz = dx - ox, dy - oy, dz - oz
            energy += 0.5 * edge_stiffness[e] * dot(ox, oy, oz, ox, oy, oz)
    return energy + 0.5 * alone * dot(dx, dy, dz, dx, dy, dz)


@njit
def find_energies(gravity, patches: Patches, springs: Springs, now: EnergyState):
    """Kinetic and potential energy of all flesh beyond that of flesh at rest [J]: README eq. (21)."""
    patch_bone, patch_of = patches.patch_bone, patches.patch_of
    rotation, local, active = now.rotation, now.x, now.active
    kinetic, potential = 0.0, 0.0
    patch, gx, gy, gz = -1, 0.0, 0.0, 0.0
    for i in range(active.shape[0]):
        if active[i] == 0:
            continue
        if patch_of[i] != patch:
            patch = patch_of[i]
            gx, gy, gz = rotate_vector_back_at(
                rotation, patch_bone[patch], gravity[0], gravity[1], gravity[2]
            )
        more, weight = find_moving_energy(gx, gy, gz, patches, now.twist, patch, local, now.v, i)
        kinetic += more
        potential += weight + find_spring_energy(patches, springs, rotation, local, active, i)
    return kinetic, potential


@njit
def find_damping_work(h, damping, mask, relative, relative_next):
    """Work of the dampers in this step [J]."""
    work = 0.0
    for i in range(mask.shape[0]):
        if mask[i] != 0:
            for c in range(3):
                work -= 0.5 * h * damping[i] * relative_next[i, c] * (relative[i, c] + relative_next[i, c])
    return work


@njit
def find_release_work(released: Parting, twist, twist_next):
    """Work of the releases in this step [J]: the energy lost, less what the bones got back by it."""
    parting, loss = released.parting, released.loss_now
    work = 0.0
    for p in range(loss.shape[0]):
        work -= loss[p]
        for c in range(6):
            work += 0.5 * parting[p, c] * (twist_next[p, c] - twist[p, c])
    return work


@njit
def balance_flesh(
    h, gravity, patches: Patches, springs: Springs, start: EnergyState, released: Parting, twist_next, frame_twist_end,
    end_out: EnergyState, balance_out: Balance,
):  # fmt: skip
    """Adds the energies of flesh before and after the step and the work of dampers and releases.

    twist_next [patches, 6] is that with the new rates where the bones were. The twists in `end_out` are made here, from
    those of the bones as carriers.
    """
    kinetic, potential = find_energies(gravity, patches, springs, start)
    balance_out.before[0] += kinetic + potential
    set_frame_twists(patches.patch_bone, end_out.rotation, frame_twist_end, end_out.twist)
    kinetic, potential = find_energies(gravity, patches, springs, end_out)
    balance_out.kinetic[0] += kinetic
    balance_out.potential[0] += potential
    balance_out.applied[0] += find_damping_work(h, springs.damping, end_out.active, start.v, end_out.v)
    balance_out.applied[0] += find_release_work(released, start.twist, twist_next)


@njit
def follow_flesh(start, rest, before, moved: MovedSkin, displacement_out, observed_out):
    """Displacements of the vertices after the step, and what one look at them tells of every flesh.

    The vertices of part n are start[n] <= i < start[n + 1]; `before` are their places in the world before the step.
    Of every part: how many move and creep, the greatest displacement, the height of the lowest vertex, and the sum of
    the ways that all went up [m].
    """
    local, mask, position = moved.x, moved.mask, moved.position
    for part in range(observed_out.shape[0]):
        active, creep, farthest, lowest, rise = 0, 0, 0.0, math.inf, 0.0
        for i in range(start[part], start[part + 1]):
            displacement_out[i] = 0.0
            if mask[i] != RESTING:
                active += mask[i] == MOVING
                creep += mask[i] == CREEPING
                far = length(local[i, 0] - rest[i, 0], local[i, 1] - rest[i, 1], local[i, 2] - rest[i, 2])
                displacement_out[i] = far
                farthest = max(farthest, far)
            lowest = min(lowest, position[i, 1])
            rise += position[i, 1] - before[i, 1]
        observed_out[part, ACTIVE] = active
        observed_out[part, MOST_ACTIVE] = active
        observed_out[part, CREEP] = creep
        observed_out[part, DISPLACEMENT] = farthest
        observed_out[part, DISPLACEMENT_SETTLED] = farthest
        observed_out[part, BOUNCE] = lowest
        observed_out[part, STOP_TIME] = rise


@njit
def forget_forces(felt_out: FeltForces):
    """No forces and no contacts yet."""
    force_out, pressure_out = felt_out.force, felt_out.pressure
    whole_out, observed_out = felt_out.whole, felt_out.observed
    for i in range(force_out.shape[0]):
        for c in range(3):
            force_out[i, c] = 0.0
    for p in range(pressure_out.shape[0]):
        for c in range(7):
            pressure_out[p, c] = 0.0
    for part in range(whole_out.shape[0]):
        observed_out[part, CONTACTS] = 0.0
        observed_out[part, PRESSING] = 0.0
        for c in range(7):
            whole_out[part, c] = 0.0


@njit
def spread_forces(
    region_of, triangles, first_triangle, part, number, contacts: LoadedContacts, felt_out: FeltForces
):
    """Forces of the contacts of one flesh on its vertices, regions and as a whole, not yet divided: README eq. (22)."""
    surface, element, weights = contacts.surface, contacts.element, contacts.weights
    point, normal, force = contacts.point, contacts.normal, contacts.force
    force_out, pressure_out = felt_out.force, felt_out.pressure
    whole_out, observed_out = felt_out.whole, felt_out.observed
    for c in range(contacts.counts[0]):
        along = dot(force[c, 0], force[c, 1], force[c, 2], normal[c, 0], normal[c, 1], normal[c, 2])
        for side in range(2):
            if surface[c, side] != number:
                continue
            sign = 1.0 if side == 0 else -1.0
            observed_out[part, CONTACTS] += 1.0
            observed_out[part, PRESSING] += 1.0 if along > 0.0 else 0.0
            for k in range(3):
                i = triangles[first_triangle + element[c, side], k]
                p = region_of[i]
                share = weights[c, side, k]
                for axis in range(3):
                    force_out[i, axis] += sign * share * force[c, axis]
                    pressure_out[p, axis] += sign * share * force[c, axis]
                    pressure_out[p, 3 + axis] += share * along * point[c, side, axis]
                    whole_out[part, axis] += sign * share * force[c, axis]
                    whole_out[part, 3 + axis] += share * along * point[c, side, axis]
                pressure_out[p, 6] += share * along
                whole_out[part, 6] += share * along


@njit
def spread_all_forces(region_of, triangles, skins: Skins, contacts: LoadedContacts, felt_out: FeltForces):
    """`spread_forces` of every flesh."""
    for part in range(skins.number.shape[0]):
        spread_forces(
            region_of, triangles, skins.first_triangle[part], part, skins.number[part], contacts, felt_out
        )


@njit
def finish_metrics(part_of, loss_now, loss, loss_out, felt_out: FeltForces):
    """Centres of pressure from their sums, forces, and the losses so far."""
    pressure_out, whole_out, observed_out = felt_out.pressure, felt_out.whole, felt_out.observed
    for p in range(pressure_out.shape[0]):
        if pressure_out[p, 6] > 0.0:
            for axis in range(3, 6):
                pressure_out[p, axis] /= pressure_out[p, 6]
    for part in range(whole_out.shape[0]):
        observed_out[part, FORCE] = length(whole_out[part, 0], whole_out[part, 1], whole_out[part, 2])
        observed_out[part, PRESSING_SQUARE] = observed_out[part, PRESSING] ** 2
        observed_out[part, NORMAL_FORCE] = whole_out[part, 6]
        loss_out[part] = loss[part]
        for axis in range(3):
            centre = whole_out[part, 3 + axis] / whole_out[part, 6] if whole_out[part, 6] > 0.0 else math.nan
            observed_out[part, PRESSURE + axis] = centre
    for p in range(loss_now.shape[0]):
        loss_out[part_of[p]] += loss_now[p]
    for part in range(whole_out.shape[0]):
        observed_out[part, LOSS] = loss_out[part]


@njit
def watch_impacts(h, impact, impact_out, felt_inout: FeltForces):
    """How far the lowest vertex of every flesh is above where the lowest was at the first touch, and when it stopped.

    In place of these two metrics stand, before, the lowest height and the sum of the ways up, from `follow_flesh`.
    impact [parts, 3]: FALLING, SINKING since the first touch, or STOPPED because the mean height of all vertices
    fell no more; the height of the lowest vertex when it first touched [m]; the time that it sank [s].
    """
    whole, observed_inout = felt_inout.whole, felt_inout.observed
    for part in range(observed_inout.shape[0]):
        observed_inout[part, PEAK_FORCE] = observed_inout[part, FORCE]
        lowest, rise = observed_inout[part, BOUNCE], observed_inout[part, STOP_TIME]
        stage, height, time = impact[part, 0], impact[part, 1], impact[part, 2]
        if stage == FALLING and whole[part, 6] > 0.0:
            stage, height = SINKING, lowest
        if stage == SINKING:
            time += h
            if rise >= 0.0:
                stage = STOPPED
        impact_out[part, 0] = stage
        impact_out[part, 1] = height
        impact_out[part, 2] = time
        observed_inout[part, BOUNCE] = max(0.0, lowest - height) if stage != FALLING else 0.0
        observed_inout[part, STOP_TIME] = time
