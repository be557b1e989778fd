# How far a build is. Sourced by run.

# Reads ninja's output and writes to stderr: a bar on a terminal, otherwise a line every ten seconds, also while one
# long step prints nothing.
show_progress() {
  local line="" part status wait done=0 total="?" next=$((SECONDS + 10)) filled is_terminal="" shown=""
  local cells=40 bar="########################################" gap="........................................"
  [ ! -t 2 ] || is_terminal=1
  while :; do
    status=0 wait=$((next - SECONDS))
    IFS= read -r -t $((wait > 0 ? wait : 1)) part || status=$?
    line+=$part
    if [ $status -le 128 ]; then  # else the time is over, and the line has only begun
      if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
        done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        if [ -n "$is_terminal" ]; then
          filled=$((done * cells / total))
          printf '\rBuilding [%s%s] %d of %d ' "${bar:0:filled}" "${gap:filled}" "$done" "$total" >&2
          shown=1
        fi
      fi
      line=
      [ $status -eq 0 ] || break  # the output has ended
    fi
    [ $SECONDS -ge $next ] || continue
    next=$((SECONDS + 10))
    [ -n "$is_terminal" ] || echo "Building: $done of $total steps" >&2
  done
  [ -z "$shown" ] || printf '\r%*s\r' $((cells + 40)) "" >&2
}
