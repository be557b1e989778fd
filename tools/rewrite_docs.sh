#!/usr/bin/env bash
# Writes again what documents show of the command's output: pages, man pages, pictures. Read the difference before you
# commit it. Usage: tools/rewrite_docs.sh PATH-OF-BLOOMERY
set -euo pipefail
[ $# -eq 1 ] && [ -x "$1" ] || { echo "usage: tools/rewrite_docs.sh PATH-OF-BLOOMERY" >&2; exit 2; }
program=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for page in README.md docs/{tour,recipes,index_of_filters,documents,ethereum,ethlog_data,ethlog_output,tracker_tour}.md; do
  # It fails where something differed, which is what is mended here.
  python3 tools/check_readme.py "$program" --write "$page" >/dev/null || true
  python3 tools/check_readme.py "$program" "$page"
  sed -i "s|/tmp/tmp[^ ]*/photos|/home/you/photos|" "$page"
done
python3 tools/make_man.py "$program" docs/man
python3 tools/record_session.py "$program" --check || python3 tools/record_session.py "$program"
python3 bench/pictures.py
git status --short README.md docs
