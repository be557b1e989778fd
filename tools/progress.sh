# How far a build is. Sourced by run.

# Reads ninja's output and writes to stderr: a bar on a terminal, otherwise a line every ten seconds.
show_progress() {
  local line done total next=$((SECONDS + 10)) filled is_terminal= shown=
  local cells=40 bar="########################################" gap="........................................"
  [ ! -t 2 ] || is_terminal=1
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    if [ -n "$is_terminal" ]; then
      filled=$((done * cells / total))
      printf '\rBuilding [%s%s] %d of %d ' "${bar:0:filled}" "${gap:filled}" "$done" "$total" >&2
      shown=1
    elif [ $SECONDS -ge $next ]; then
      echo "Building: $done of $total steps" >&2
      next=$((SECONDS + 10))
    fi
  done
  [ -z "$shown" ] || printf '\r%*s\r' $((cells + 40)) "" >&2
}
