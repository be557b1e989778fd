"""What is written about the package is true: docstrings, the page docs/python.md, type stubs, the plot."""
import ast
import doctest
import inspect
import os
import pathlib
import re
import subprocess
import sys
import unittest

import support
import bloomery
from bloomery import _bloomery

PAGE = support.ROOT / "docs" / "python.md"
STUBS = support.ROOT / "bindings" / "python" / "bloomery" / "__init__.pyi"
CLASSES = (bloomery.Filter, bloomery.Bloom, bloomery.CountingBloom, bloomery.ScalableBloom, bloomery.ConcurrentBloom)


def run_examples(text, name, first_line=0):
    """Runs a text with >>> in a namespace of its own; returns how many examples there were, and what failed."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, first_line)
    report = []
    failed, tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append)
    return tried, "".join(report) if failed else ""


class Docstrings(unittest.TestCase):
    def test_examples(self):
        places = [("bloomery", bloomery.__doc__), ("size", bloomery.size.__doc__), ("formats", bloomery.formats.__doc__)]
        for kind in (_bloomery.Filter, *CLASSES):
            places.append((kind.__name__, kind.__doc__))
            places += [(f"{kind.__name__}.{name}", inspect.getdoc(getattr(kind, name, None)) or "")
                       for name in vars(kind) if not name.startswith("_")]
        tried = 0
        for name, text in places:
            count, failed = run_examples(text, name)
            self.assertEqual(failed, "")
            tried += count
        self.assertGreater(tried, 40)

    def test_all_of_the_interface_has_one(self):
        for kind in CLASSES:
            for name in dir(kind):
                if not name.startswith("_"):
                    self.assertTrue(inspect.getdoc(getattr(kind, name)), f"{kind.__name__}.{name}")


class Page(support.InFolder):
    def sections(self):
        """(title, first line, examples) of each section of the page."""
        title, start, lines, inside = "", 0, [], False
        for number, line in enumerate(PAGE.read_text().splitlines(), 1):
            if line.startswith("## ") or line.startswith("### "):
                if lines:
                    yield title, start, "\n".join(lines) + "\n"
                title, lines = line.strip("# "), []
            elif line == "```pycon":
                inside, start = True, number if not lines else start
            elif line == "```":
                inside = False
            elif inside:
                lines.append(line)
        if lines:
            yield title, start, "\n".join(lines) + "\n"

    def test_every_task(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        counted = skipped = 0
        for title, line, text in self.sections():
            missing = [name for name in re.findall(r"^>>> import (\w+)", text, re.MULTILINE)
                       if name in ("numpy", "pandas") and not self.has(name)]
            if missing:
                print(f"skipped: {title}: there is no {missing[0]}; install python3-{missing[0]}")
                skipped += 1
                continue
            with self.subTest(title):
                tried, failed = run_examples(text, f"{PAGE.name}: {title}", line)
                self.assertEqual(failed, "")
                self.assertGreater(tried, 1)
            counted += 1
        self.assertGreaterEqual(counted + skipped, 12)

    def has(self, name):
        try:
            __import__(name)
        except ImportError:
            return False
        return True

    def test_the_plot(self):
        try:
            import matplotlib
        except ImportError:
            support.skip(self, "there is no matplotlib, which ./test --full installs (python3-matplotlib)")
        committed = support.ROOT / "docs" / "images" / "python-rate.svg"
        if f"Matplotlib v{matplotlib.__version__}," not in committed.read_text():
            support.skip(self, "the plot was made by another version of matplotlib")
        made = self.folder / "plot.svg"
        subprocess.run([sys.executable, support.ROOT / "bench" / "python_plot.py", made], check=True)
        self.assertEqual(made.read_text(), committed.read_text())


class Stubs(unittest.TestCase):
    """The .pyi against the module, name by name and parameter by parameter."""

    def setUp(self):
        self.tree = ast.parse(STUBS.read_text())

    def test_the_same_names(self):
        named = {node.name for node in self.tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))
                 if not node.name.startswith("_")}
        named |= {one.asname for node in self.tree.body if isinstance(node, ast.ImportFrom) for one in node.names
                  if one.asname}  # "import X as X" exports it
        self.assertEqual(named, set(bloomery.__all__))
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                kind = getattr(bloomery, node.name)
                self.assertEqual([base.id for base in node.bases if base.id in bloomery.__all__],
                                 [base.__name__ for base in kind.__bases__ if base.__name__ in bloomery.__all__
                                  and base.__module__ == "bloomery"])
                self.check_class(node, kind)
            elif isinstance(node, ast.FunctionDef):
                self.check_signature(node, getattr(bloomery, node.name), 0)

    def check_class(self, node, kind):
        stubs = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        for name, item in stubs.items():
            self.assertTrue(hasattr(kind, name), f"{kind.__name__}.{name} is only in the stubs")
            is_property = any(getattr(mark, "id", "") == "property" for mark in item.decorator_list)
            self.assertEqual(is_property, isinstance(inspect.getattr_static(kind, name), property), name)
            if not is_property and not name.startswith("__") or name == "__init__":
                self.check_signature(item, getattr(kind, name), 1)
        if issubclass(kind, bloomery.Filter):
            real = {name for base in (kind, *kind.__bases__) for name in vars(base) if base.__module__.startswith("bloomery")
                    if not name.startswith("_")}
            stubbed = set(stubs) | {item.name for other in self.tree.body if getattr(other, "name", "") == "Filter"
                                    for item in other.body if isinstance(item, ast.FunctionDef)}
            self.assertEqual(real - stubbed, set(), kind.__name__)

    def check_signature(self, node, function, skip):
        wanted = [(one.arg, bool(default)) for one, default in self.parameters(node.args)][skip:]
        real = [(name, parameter.default is not parameter.empty)
                for name, parameter in inspect.signature(function).parameters.items()]
        if skip and real and real[0][0] == "self":
            real = real[1:]
        self.assertEqual(real, wanted, node.name)

    def parameters(self, args):
        plain = args.posonlyargs + args.args
        defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
        yield from zip(plain, defaults)
        if args.vararg:
            yield args.vararg, None
        yield from zip(args.kwonlyargs, args.kw_defaults)
        if args.kwarg:
            yield args.kwarg, None

    def test_mypy_accepts_them(self):
        try:
            import mypy
        except ImportError:
            support.skip(self, "there is no mypy, which is not installed by ./test")
        subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, str(STUBS)], check=True)


if __name__ == "__main__":
    support.main()
