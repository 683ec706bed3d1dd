"""What is well-formed in a scene and yet makes no sense, and the check of all its variants and sweeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from supple.core.entity import SceneGraph
from supple.core.registry import Registry
from supple.core.scene_files import SceneFiles
from supple.errors import Problem, SceneError, UserError, Where, suggest
from supple.scene.assemble import assemble
from supple.scene.document import Document
from supple.scene.fields import fields_of
from supple.scene.overrides import Override, make_override
from supple.scene.read_entities import Assembly, Expansions, naming_component, offers
from supple.scene.toml_scanner import one_line


def check_sense(assembly: Assembly, *, ends_early: bool = False) -> list[Problem]:
    """Problems between values that are fine each by itself. A run that ends early may miss events."""
    return [*_check_solver(assembly), *_check_times(assembly, ends_early), *_ask_components(assembly)]


def _check_solver(assembly: Assembly) -> Iterator[Problem]:
    run, solvers = assembly.run, assembly.registry.solvers
    if run is not None and run.solver not in solvers:
        what = f"unknown solver '{one_line(run.solver)}'"
        yield assembly.run_part.problem(("solver",), what, suggest(run.solver, solvers))


def _check_times(assembly: Assembly, ends_early: bool) -> Iterator[Problem]:
    run = assembly.run
    if run is None:
        return
    if run.step > run.duration:
        what = f"a step of {run.step:g} s is longer than the run of {run.duration:g} s"
        yield assembly.run_part.problem(("step",), what, "make the step shorter or the duration longer")
    for path, entity in assembly.entities.items():
        if entity.at is not None and entity.at >= run.duration and not ends_early:
            what = f"the event begins at {entity.at:g} s, but the run ends at {run.duration:g} s"
            yield assembly.parts[path].problem(("at",), what, "let it begin earlier or make the run longer")


def _ask_components(assembly: Assembly) -> Iterator[Problem]:
    """What components say about where they stand; they are asked only when all of the scene is known."""
    if assembly.broken:
        return
    graph = SceneGraph(assembly.entities)
    for path, entity in assembly.entities.items():
        for kind, component in entity.components.items():
            if not offers(component, "check"):
                continue
            with naming_component(assembly, path, kind):
                try:
                    complaints = [str(complaint) for complaint in component.check(entity, graph)]
                except UserError as error:
                    complaints = [
                        f"{problem.path}: {problem.what}; {problem.remedy}" for problem in error.problems
                    ]
            for complaint in complaints:
                what, _, remedy = complaint.partition("; ")
                # A complaint that begins with one of the component's keys (`phase.left.next`) is about that key.
                named = what.split(" ")[0].split(".")
                keys = (kind, *named) if named[0] in fields_of(type(component)) else (kind,)
                yield assembly.parts[path].problem(keys, what, remedy)


def check_files(assembly: Assembly, files: SceneFiles) -> Iterator[Problem]:
    """What components find wrong with the files that they name."""
    for path, entity in assembly.entities.items():
        for kind, component in entity.components.items():
            if not offers(component, "check_files"):
                continue
            problems: Iterable[Problem] = ()
            with naming_component(assembly, path, kind):
                try:
                    component.check_files(entity, files)
                except UserError as error:
                    problems = error.problems
            for problem in problems:
                key = problem.path.removeprefix(f"{path}.{kind}.")
                keys = (kind, key) if key in fields_of(type(component)) else (kind,)
                placed = assembly.parts[path].problem(keys, problem.what, problem.remedy)
                yield problem if problem.where else placed


def check_all(
    document: Document, registry: Registry, files: SceneFiles, expansions: Expansions
) -> tuple[dict[str, Assembly], list[Problem]]:
    """The scene as it stands (by the name "") and in every variant, and the problems of all of them.

    Of a sweep, every value of every axis is tried by itself: combinations are too many.
    """

    def attempt(overrides: Iterable[Override]) -> tuple[Assembly, list[Problem]]:
        assembly = assemble(document, overrides, registry, files, expansions)
        return assembly, [*assembly.problems, *check_sense(assembly)]

    plain, found = attempt(document.sets)
    assemblies, problems = {"": plain}, list(found)
    for name, variant in document.variants.items():
        overrides = (*document.sets, *variant.overrides)
        assemblies[name], found = attempt(overrides)
        problems.extend(_only_with(found, problems, f"variant {name}", variant.overrides))
    for override in sweep_overrides(document, problems):
        for chosen in [variant.overrides for variant in document.variants.values()] or [()]:
            _, found = attempt((*document.sets, *chosen, override))
            label = f"the sweep of {override.path}"
            problems.extend(_only_with(found, problems, label, (*chosen, override)))
    return assemblies, problems


def _only_with(
    found: list[Problem], known: list[Problem], label: str, overrides: Iterable[Override]
) -> list[Problem]:
    """The new ones among the problems; one whose line does not show what caused it says so."""
    places: set[Where] = set()
    for override in overrides:
        places |= {override.where, *override.inner.values()}
    # What a variant has besides may change the remedy; the mistake is the same.
    said = {(problem.where, problem.path, problem.what) for problem in known}
    fresh = []
    for problem in found:
        if (problem.where, problem.path, problem.what) in said:
            continue
        if problem.where not in places:
            problem = replace(problem, what=f"{problem.what} (with {label})")
        fresh.append(problem)
    return fresh


def sweep_overrides(document: Document, problems: list[Problem]) -> list[Override]:
    """Every value of every axis of the sweep."""
    found = []
    for path, values in document.sweep.table.items():
        if path == "seeds" or not isinstance(values, list):
            continue
        for index, value in enumerate(values):
            where = document.sweep.place((path, index))
            override = make_override(path, value, where, {}, problems)
            if override is None:
                break
            found.append(override)
    return found


def raise_problems(problems: Iterable[Problem], sources: Iterable[str]) -> None:
    """Raise all problems, each once, in the order of the files and their lines; return if there are none."""
    order = {source: index for index, source in enumerate(sources)}

    def rank(problem: Problem) -> tuple[int, str, int]:
        where = problem.where or Where("")
        if where.line is None:  # overrides come last, in the order they were given
            return len(order) + 1, "", 0
        return order.get(where.source, len(order)), where.source, where.line

    distinct = sorted(dict.fromkeys(problems), key=rank)
    if distinct:
        raise SceneError(_keep_on_one_line(problem) for problem in distinct)


def _keep_on_one_line(problem: Problem) -> Problem:
    """Names and words of an author may hold anything, and stand in the messages of components too."""
    return replace(
        problem, path=_escape(problem.path), what=_escape(problem.what), remedy=_escape(problem.remedy)
    )


def _escape(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
