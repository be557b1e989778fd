#!/usr/bin/env python3
"""Checks that what the documents name exists, how they spell, and how they wrap.

usage: check_docs.py [PATH-OF-BLOOMERY] [--root FOLDER]

In every *.md file of the repository:
  links     relative links lead to a file, and their anchors to a heading of it
  paths     paths and names of source files in `code`, in blocks and in #include lines exist; NAME stands for any name
  maps      in a table row that begins with `folder/`, each `name` of the second cell is a file of that folder
  code      a ```cpp block below a link to a .cc file is part of that file; a line `...` leaves lines out
  presets   CMake presets exist, and so do the presets of build/PRESET/... paths
  names     BLOOMERY_XYZ (CMake options, environment variables) occurs in a file that is not a document
  width     prose wraps at 100 characters; tables, code, headings and HTML do not
  spelling  prose is British: colour, recognise; code keeps its own
  options   options of the command exist for the subcommand they stand with; alone, for any subcommand or script

Options are taken from `bloomery --help`; without the program they are not checked, and the last line says so.
"""
import fnmatch
import html
import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE_NAME = re.compile(r"^[\w.+-]+\.(h|cc|py|md|cmake|sh|t)$")
PATH = re.compile(r"^[\w.+@*-]+(/[\w.+@*-]+)+/?$")
# Text that has the form of a path and is none: keys of records, includes of other projects, files of other systems.
NOT_PATHS = ("bloomery/adaptive/", "bloomery/columns/", "leveldb/db.h", "rocksdb/", "redismodule.h",
             "c++/main.cc")
# Where a short path may begin, beside the repository's root and the page's own folder.
PREFIXES = ("bloomery", "apps", "apps/leveldb/include", "bindings/c", "tests", "docs")
AMERICAN = re.compile(
    r"\b[A-Z]?[a-z]*(?:(?:behavi|neighb|col|fav|hon|lab)or(?!at|iz)"
    r"|(?:recogn|organ|normal|optim|summar|initial|special|minim|maxim)iz(?:e|ing|ation)"
    r"|cancel(?:ed|ing)|label(?:ed|ing)|analyz(?:e|ing))[a-z]*\b")
WIDTH = 100
NOT_WRAPPED = {"bench/RESULTS.md"}
OTHER_BUILD_FOLDERS = {"reports"}
OTHER_PROGRAMS_OPTIONS = {"--inode-file-handles", "--blocks-output"}  # virtiofsd, ethereum-etl
NOT_CONSTANTS = {"BLOOMERY_UPPER"}  # how macros are spelled


class Page:
    """One document: its prose, its `code` spans and its fenced blocks, each with line numbers."""

    def __init__(self, name, text):
        self.name, self.prose, self.spans, self.blocks, self.anchors = name, [], [], [], set()
        block, counts = None, {}
        for number, line in enumerate(text.split("\n"), 1):
            fence = re.match(r"\s*```(\w*)", line)
            if fence and block is None:
                block = fence[1] or "text"
            elif fence:
                block = None
            elif block is not None:
                self.blocks.append((number, block, line))
            else:
                self.spans += [(number, span) for span in re.findall(r"`([^`]+)`", line)]
                self.prose.append((number, re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]), line), line))
                heading = re.match(r"#{1,6} +(.*?)\s*$", line)
                if heading:
                    anchor = slug(heading[1])
                    counts[anchor] = counts.get(anchor, -1) + 1
                    self.anchors.add(anchor + (f"-{counts[anchor]}" if counts[anchor] else ""))
                self.anchors |= set(re.findall(r'<a (?:id|name)="([^"]+)"', line))


def slug(heading):
    """The anchor that GitHub gives a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", html.unescape(heading).replace("`", "")).lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def braces(text):
    """`a.{h,cc}` as a.h and a.cc."""
    found = re.search(r"\{([^{}]*)\}", text)
    if not found:
        return [text]
    return [one for part in found[1].split(",") for one in braces(text[:found.start()] + part + text[found.end():])]


class Repository:
    def __init__(self, root):
        self.root = root
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True,
                                text=True, check=True).stdout.splitlines()
        self.files = {name for name in listed if (root / name).exists()}
        self.folders = {str(parent) for name in self.files for parent in pathlib.PurePath(name).parents} - {"."}
        self.names = {name.rsplit("/", 1)[-1] for name in self.files}
        self.tops = {name.split("/", 1)[0] for name in self.files if "/" in name}
        self.pages = {name: Page(name, self.read(name)) for name in sorted(self.files) if name.endswith(".md")}
        endings = (".txt", ".cmake", ".cc", ".h", ".py", ".sh", ".json", ".in")
        code = "\n".join(self.read(name) for name in self.files if name.endswith(endings) or name in ("run", "test"))
        self.constants = set(re.findall(r"\bBLOOMERY_[A-Z0-9_]+", code))
        self.script_options = set(re.findall(r"""["' (](--[a-z][a-z0-9-]*)""", "\n".join(
            self.read(name) for name in self.files
            if name in ("run", "test", "tools/make_deb", "tools/release") or re.match(r"(tools|bench|tests/e2e/peers)/[^/]*\.(py|sh|cc)$", name))))
        self.presets = set()
        if "CMakePresets.json" in self.files:
            self.presets = {one["name"] for one in json.loads(self.read("CMakePresets.json"))["configurePresets"]}

    def read(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    def has(self, path):
        path = path.rstrip("/")
        if "*" in path:
            return any(fnmatch.fnmatch(name, path) for name in self.files | self.folders)
        return path in self.files or path in self.folders

    def finds(self, path, page):
        folder = os.path.dirname(page)
        if any(self.has(os.path.normpath(os.path.join(start, path))) for start in ("", folder, *PREFIXES)):
            return True
        # A page about one app names its files from the app's folder on.
        return path.split("/", 1)[0] not in self.tops and any(name.endswith("/" + path) for name in self.files)


class Command:
    """Subcommands of the program and the options of each, as its help names them."""

    def __init__(self, program):
        self.options = {}
        self.program = program
        self.ask(())

    def ask(self, words):
        text = subprocess.run([self.program, *words, "--help"], capture_output=True, text=True, timeout=60).stdout
        self.options[words] = set(re.findall(r"(?<![\w-])(--?[A-Za-z][A-Za-z0-9-]*)", text))
        # Only the group of subcommands, and only one level below it: `bloomery eth` has no commands of a third level.
        group = re.search(r"^(?:Subcommands|Commands)[^\n]*:\n((?:[ \t]+[^\n]*\n)+)", text, re.MULTILINE)
        if group and len(words) < 2:
            for name in re.findall(r"^  ([a-z][a-z-]*)\b", group[1], re.MULTILINE):
                self.ask((*words, name))

    def split(self, words):
        """The longest subcommand at the beginning of the words, and the words after it."""
        for length in (2, 1):
            if len(words) >= length and tuple(words[:length]) in self.options:
                return tuple(words[:length]), words[length:]
        return (), words

    def problem(self, words):
        """What is wrong with the words after `bloomery`, or None."""
        words = [word for word in words if word]
        position = 0
        while position < len(words) and words[position].startswith("-"):
            position += 1
        name, rest = self.split(words[position:])
        known = self.options[name] | self.options[()]
        first = words[position] if position < len(words) else ""
        if not name and re.fullmatch(r"[a-z][a-z-]+", first):
            return f"`bloomery {first}` is not a subcommand"
        for word in words[:position] + rest:
            option = re.match(r"(--[a-z][a-z0-9-]*|-[A-Za-z](?![\w-]))", word)
            if option and option[1] not in known:
                return f"`bloomery {' '.join(name)}` has no option {option[1]}".replace(" `", "`")
        return None

    def is_option(self, option):
        return any(option in options for options in self.options.values())


def check_links(repository, page):
    for number, line, _ in page.prose:
        targets = re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"|^\[[^\]]+\]:\s+(\S+)", line)
        for target in ("".join(found) for found in targets):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(page.name), path)) if path else page.name
            if not repository.has(file):
                yield number, f"links to {target}, which does not exist"
            elif anchor and (file not in repository.pages or anchor not in repository.pages[file].anchors):
                yield number, f"links to {target}, but {file} has no heading for #{anchor}"


def check_paths(repository, page):
    words = [(number, word, False) for number, span in page.spans for word in span.split()]
    words += [(number, word, True) for number, kind, line in page.blocks if kind != "console" for word in line.split()]
    for number, kind, line in page.blocks:
        included = re.match(r'\s*#include ["<](bloomery/[^">]+)[">]', line)
        if included:
            words.append((number, included[1], False))
    for number, word, in_block in words:
        word = re.sub(r"(?<=\w):\d+$", "", word.strip("'\"(),;:")).removeprefix("./")
        if "<" in word or "…" in word or any(word.startswith(other) for other in NOT_PATHS):
            continue
        for path in braces(re.sub(r"\bNAME\b|(?<=_)NAME\b|\bNAME(?=_)", "*", word)):
            is_path = PATH.match(path) and path.split("/", 1)[0] in repository.tops
            short = PATH.match(path) and re.search(r"\.(h|cc|py|md|cmake|sh)$", path)
            if (is_path or (short and not in_block)) and not repository.finds(path, page.name):
                yield number, f"names the path {path}, which does not exist"
            elif not in_block and SOURCE_NAME.match(path) and path not in repository.names:
                yield number, f"names the file {path}, which does not exist"


def check_maps(repository, page):
    for number, _, line in page.prose:  # with its code spans
        cells = line.split("|")
        folder = re.fullmatch(r"\s*`([\w./-]+)/`\s*", cells[1]) if len(cells) > 3 else None
        if not folder or folder[1] not in repository.folders:
            continue
        stems = {pathlib.PurePath(name).stem for name in repository.files if os.path.dirname(name) == folder[1]}
        for span in re.findall(r"`([^`]+)`", cells[2]):
            for name in braces(span):
                if re.fullmatch(r"[a-z][a-z0-9_]*", name) and name not in stems:
                    yield number, f"names {name} in {folder[1]}/, which has no such file"


def check_code(repository, page):
    """The tests compile the file; here the block is compared with it."""
    linked = {number: re.findall(r"\]\(([^)\s]+\.cc)\)", line) for number, line, _ in page.prose}
    blocks = {}
    for number, kind, line in page.blocks:
        if kind == "cpp":
            first = number if number - 1 not in blocks else blocks[number - 1][0]
            blocks[number] = (first, line)
    for first in sorted({first for first, _ in blocks.values()}):
        above = next((linked[number] for number in range(first - 2, max(0, first - 6), -1) if linked.get(number)), None)
        if not above:
            continue
        file = os.path.normpath(os.path.join(os.path.dirname(page.name), above[-1]))
        source = [line.strip() for line in repository.read(file).splitlines()] if file in repository.files else []
        shown = [line.strip() for number, (start, line) in sorted(blocks.items()) if start == first]
        at = 0
        for run in "\n".join(shown).split("\n...\n"):
            lines = run.split("\n")
            found = next((i for i in range(at, len(source)) if source[i:i + len(lines)] == lines), None)
            if found is None:
                yield first, f"shows code that is not in {file}: {lines[0]}"
                break
            at = found + len(lines)


def check_presets(repository, page):
    lines = [(number, line) for number, _, line in page.prose] + [(number, line) for number, _, line in page.blocks]
    for number, line in lines:
        named = re.findall(r"--preset[ =](\w+)", line)
        for group in re.findall(r"[Pp]resets?:? ((?:`[\w ]+`(?:, and|,| and| or)? ?)+)", line):
            named += re.findall(r"\w+", " ".join(re.findall(r"`([\w ]+)`", group)))
        named += re.findall(r"`(\w+)` preset", line)
        named += [one for one in re.findall(r"(?<![\w/])build/(\w+)", line) if one not in OTHER_BUILD_FOLDERS]
        for preset in named:
            if preset not in repository.presets:
                yield number, f"names the preset {preset}, which CMakePresets.json does not have"
        for constant in re.findall(r"\bBLOOMERY_[A-Z0-9_]*[A-Z0-9]\b", line):
            if constant not in repository.constants | NOT_CONSTANTS:
                yield number, f"names {constant}, which no source or CMake file has"


def check_width(page):
    for number, _, line in page.prose:
        if len(line) > WIDTH and page.name not in NOT_WRAPPED and not re.match(r"\||#|\s*<| {4}", line):
            yield number, f"has {len(line)} characters in a line; prose wraps at {WIDTH}"


def check_spelling(page):
    for number, line, _ in page.prose:
        for word in AMERICAN.findall(re.sub(r"\]\([^)]*\)|<[^>]*>", "", line)):
            yield number, f"spells {word} the American way"


def commands_of(line):
    """The simple commands of a shell line."""
    return [part.split() for part in re.split(r"\|\|?|&&|;|\$\(|\bdo\b|\bthen\b|\bif\b|#", line)]


def check_options(repository, page, command):
    for number, kind, line in page.blocks:
        if kind not in ("console", "sh", "bash") or (kind == "console" and not line.startswith("$ ")):
            continue
        for words in commands_of(line.removeprefix("$ ")):
            while words and (words[0] == "sudo" or "=" in words[0]):
                words = words[1:]
            if words and words[0] in ("bloomery", "./run"):
                why = command.problem(words[1:])
                if why:
                    yield number, why
            elif words and words[0] == "./test":
                for word in words[1:]:
                    if word.startswith("--") and word not in repository.script_options:
                        yield number, f"./test has no option {word}"
    for number, span in page.spans:
        words = span.split()
        if not words:
            continue
        name, _ = command.split(words)
        if words[0] in ("bloomery", "./run"):
            why = command.problem(words[1:])
        elif name and any(word.startswith("-") for word in words):
            why = command.problem(words)
        elif re.match(r"--[a-z]", words[0]):
            others = repository.script_options | OTHER_PROGRAMS_OPTIONS
            missing = [option for option in re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", span)
                       if not command.is_option(option) and option not in others]
            why = f"names the option {missing[0]}, which no subcommand and no script has" if missing else None
        else:
            why = None
        if why:
            yield number, why


def main():
    words = sys.argv[1:]
    root = pathlib.Path(__file__).resolve().parent.parent
    if "--root" in words:
        at = words.index("--root")
        root = pathlib.Path(words[at + 1]).resolve()
        del words[at:at + 2]
    repository = Repository(root)
    program = words[0] if words else ""
    command = Command(os.path.abspath(program)) if program and os.access(program, os.X_OK) else None
    wrong = 0
    for page in repository.pages.values():
        found = [*check_links(repository, page), *check_paths(repository, page), *check_maps(repository, page),
                 *check_code(repository, page), *check_presets(repository, page), *check_spelling(page), *check_width(page)]
        found += check_options(repository, page, command) if command else []
        for number, why in sorted(set(found)):
            wrong += 1
            print(f"{page.name}:{number}: {why}")
    print(f"documents: {len(repository.pages)} pages, {wrong} untrue")
    if not command:
        print(f"options were not checked: {program + ' is not built' if program else 'no path of bloomery was given'}")
    return 1 if wrong else 0


sys.exit(main())
