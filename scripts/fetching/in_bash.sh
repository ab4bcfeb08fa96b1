# What bash reads before a recipe: the time is that of the file CLOCK, which only `sleep` moves. With KILL_AFTER, bash kills itself and
# all that it started before so many commands.

date() {
    if [ "$*" = +%s ]; then cat "$CLOCK"; else command date "$@"; fi
}

sleep() {
    echo $(($(cat "$CLOCK") + $1)) > "$CLOCK.new"
    mv "$CLOCK.new" "$CLOCK"
}

if [ -n "${KILL_AFTER-}" ]; then
    set -T
    trap '[ "$BASH_SUBSHELL" != 0 ] || [ $((KILL_AFTER -= 1)) -gt 0 ] || kill -9 -$$' DEBUG
fi
