"""From a scene file to a blueprint, and from there to a world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.core.beginning import find_early_warnings
from supple.core.blueprint import Blueprint
from supple.core.entity import SceneGraph
from supple.core.registry import Registry
from supple.core.scene_files import SceneFiles
from supple.core.settings import Run
from supple.errors import Problem, SceneError, UserError, Where, suggest
from supple.plugin import Plugins, load_plugins
from supple.scene.assemble import assemble
from supple.scene.checks import check_all, check_files, check_sense, raise_problems
from supple.scene.claims_tables import Claim, Expectation, read_claims, read_expectations
from supple.scene.document import Document, read_document
from supple.scene.include import read_files
from supple.scene.overrides import Override, as_plain, make_override, read_assignments
from supple.scene.read_entities import Expansions
from supple.scene.sweep import Cell, check_sweep, expand_sweep, split_sweep
from supple.scene.toml_scanner import KeyPath, one_line

if TYPE_CHECKING:
    from supple.core.world import World


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene that was read and checked, in all its variants and cells.

    `variants` are the names of its variants, none if it has none; "" always means the scene as it stands.
    `cells` are the runs of its sweep: one without overrides if it has none.
    """

    source: str
    text: str
    about: str
    variants: tuple[str, ...]
    cells: tuple[Cell, ...]
    claims: tuple[Claim, ...]
    expectations: tuple[Expectation, ...]
    document: Document = field(repr=False)
    registry: Registry = field(repr=False)
    allow_outside: bool = False

    def blueprint(
        self,
        *,
        variant: str = "",
        overrides: Mapping[str, Any] | Sequence[str | Override] = (),
        cell: Cell | None = None,
        seed: int | None = None,
        until: float | None = None,
        expansions: Expansions | None = None,
    ) -> Blueprint:
        """The scene in one variant and one cell, with overrides such as `["walker.body.mass=3"]`.

        The later of these wins: the file, its [set], the variant, the cell, the overrides, `seed` and `until`
        [s], which ends the run. Raises `SceneError` with everything that is wrong. With the `expansions` of earlier
        readings the files that prefabs read are not listed.
        """
        problems: list[Problem] = []
        layers = [
            *self.document.sets,
            *self._variant_overrides(variant),
            *self._cell_overrides(cell, problems),
            *read_assignments(overrides, problems),
        ]
        if seed is not None:
            layers.append(Override("run", ("seed",), as_plain(seed), Where(f"--seed {seed}")))
        if until is not None:
            layers.append(Override("run", ("duration",), as_plain(until), Where(f"--until {until}")))
        files = SceneFiles(self.source, self.allow_outside)
        assembly = assemble(self.document, layers, self.registry, files, expansions)
        problems.extend(assembly.problems)
        problems.extend(check_sense(assembly, ends_early=until is not None))
        raise_problems(problems, self.document.sources)
        run: Run | None = assembly.run
        assert run is not None, "a run that cannot be read is a problem"
        return Blueprint(
            graph=SceneGraph(assembly.entities),
            run=run,
            seed=run.seed,
            settings=assembly.settings,
            source=self.source,
            text=self.text,
            variant=variant,
            allow_outside=self.allow_outside,
            imported=frozenset(files.found),
        )

    def locate(self, path: str) -> Where | None:
        """Where `walker` or `walker.biped.toes[2]` was written; None for what is not in the files."""
        target, *names = path.split(".")
        keys: list[str | int] = []
        for name in names:
            name, *indices = name.removesuffix("]").split("[")
            keys += [name, *(int(index) if index.isdecimal() else index for index in indices)]
        parts = {"run": self.document.run, **self.document.entities, **self.document.events}
        while target not in parts and "/" in target:
            target, keys = target.rpartition("/")[0], []
        return parts[target].place(tuple(keys)) if target in parts else None

    def check_files(self, expansions: Expansions | None = None) -> list[Problem]:
        """What is wrong with the files that components name, in the scene as it stands and in its variants."""
        files = SceneFiles(self.source, self.allow_outside)
        found: list[Problem] = []
        for variant in ("", *self.variants):
            layers = (*self.document.sets, *self._variant_overrides(variant))
            found += check_files(assemble(self.document, layers, self.registry, files, expansions), files)
        return list(dict.fromkeys(found))

    def check_builds(self, expansions: Expansions | None = None) -> list[Problem]:
        """What compiling refuses, in the scene as it stands and in its variants."""
        # Compiling needs numba, which whatever is wrong in the file itself need not wait for.
        from supple.core.build import Build, run_compilers
        from supple.core.metrics import compile_metrics

        found: list[Problem] = []
        for variant in ("", *self.variants):
            try:
                blueprint = self.blueprint(variant=variant, expansions=expansions)
                build = Build(blueprint, self.registry)
                run_compilers(build)
                compile_metrics(build)
            except UserError as error:
                found += self.place(error)
        return list(dict.fromkeys(found))

    def place(self, error: UserError) -> list[Problem]:
        """The problems of an error, with their lines in the file where it does not know them."""
        return [replace(each, where=each.where or self.locate(each.path)) for each in error.problems]

    def find_warnings(self, expansions: Expansions | None = None) -> list[Problem]:
        """What looks wrong with how the scene begins, as far as it is known without building a world."""
        found: list[Problem] = []
        for variant in self.variants or ("",):
            blueprint = self.blueprint(variant=variant, expansions=expansions)
            found += find_early_warnings(blueprint, self.registry)
        return [replace(each, where=each.where or self.locate(each.path)) for each in dict.fromkeys(found)]

    def _variant_overrides(self, name: str) -> tuple[Override, ...]:
        if not name:
            return ()
        if name not in self.document.variants:
            what = f"there is no variant '{one_line(name)}'"
            remedy = suggest(name, self.variants) if self.variants else "the scene has no variants"
            raise SceneError(Problem(Where(self.source), "variants", what, remedy))
        return self.document.variants[name].overrides

    def _cell_overrides(self, cell: Cell | None, problems: list[Problem]) -> list[Override]:
        if cell is None:
            return []
        sweep = self.document.sweep
        made = [
            make_override(path, value, sweep.place((path,)), {}, problems) for path, value in cell.overrides
        ]
        made.sort(key=lambda override: len(override.keys) if override else 0)
        # A cell of a sweep without seeds carries the seed of the file, and must not undo that of a variant.
        if "seeds" in sweep.table or cell.seed != self.cells[0].seed:
            made.append(Override("run", ("seed",), cell.seed, sweep.place(("seeds",))))
        return [override for override in made if override is not None]


def read_scene(
    path: str | Path, plugins: Plugins, *, allow_outside: bool = False, expansions: Expansions | None = None
) -> Scene:
    """Read a scene and check all of it. Raises `SceneError` with every problem, each with its place.

    Whoever goes on to check the scene hands in `Expansions`, here and there, so that nothing is read twice.
    """
    path = Path(path)
    problems: list[Problem] = []
    root = read_files(path, allow_outside=allow_outside, problems=problems)
    document = read_document(root, problems)
    problems.extend(_check_sweep(document))
    files = SceneFiles(root.source, allow_outside)
    assemblies, found = check_all(document, plugins.registry, files, expansions or Expansions())
    problems.extend(found)
    claims = read_claims(document, assemblies, problems)
    expectations = read_expectations(document, assemblies, problems)
    raise_problems(problems, document.sources)
    run: Run | None = assemblies[""].run
    assert run is not None, "a run that cannot be read is a problem"
    return Scene(
        source=root.source,
        text=path.read_text(encoding="utf-8-sig"),
        about=document.about,
        variants=tuple(document.variants),
        cells=expand_sweep(*split_sweep(document.sweep.table, run.seed)),
        claims=claims,
        expectations=expectations,
        document=document,
        registry=plugins.registry,
        allow_outside=allow_outside,
    )


def _check_sweep(document: Document) -> tuple[Problem, ...]:
    def where_of(keys: KeyPath) -> Where:
        return document.sweep.place(keys[1:])

    return check_sweep(dict(document.sweep.table), where_of)


def load(
    path: str | Path,
    *,
    variant: str = "",
    overrides: Mapping[str, Any] | Sequence[str] = (),
    seed: int | None = None,
    until: float | None = None,
    plugins: Sequence[str | Path] = (),
    allow_outside: bool = False,
) -> World:
    """Read a scene and build its world, ready to be stepped.

        world = supple.load("scenes/push.toml", variant="soft", overrides={"walker.body.mass": 70.0})
        world.step(250)
        print(world["walker/torso"].position)

    `overrides` change values of the scene by their paths, `seed` its noise, `until` [s] the end of the run.
    `plugins` are Python files to load besides the installed plugins. Files that the scene includes from
    outside its folder need `allow_outside`. Raises `SceneError` with every problem of the scene.
    """
    loaded = load_plugins([Path(file) for file in plugins])
    scene = read_scene(path, loaded, allow_outside=allow_outside)
    blueprint = scene.blueprint(variant=variant, overrides=overrides, seed=seed, until=until)
    return build_world(scene, blueprint, loaded)


def build_world(scene: Scene, blueprint: Blueprint, plugins: Plugins) -> World:
    """The world of a blueprint of this scene; what compiling complains about gets its line in the file."""
    # numba is imported here and not before, so that checking a scene stays light.
    from supple.core.world import World

    try:
        world = World(blueprint, plugins.registry)
    except UserError as error:
        if type(error) not in (UserError, SceneError):
            raise
        raise SceneError(scene.place(error)) from error
    world.locate = scene.locate
    plugins.tell("supple_world_built", world=world)
    return world
