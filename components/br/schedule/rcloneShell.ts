/**
 * @returns the beginning of a shell script that uses rclone: `say` and `fail` for its words, `list` with the storage's own times as seconds
 * since 1970, `lacks`, and the keys in the environment unless the remote `store` has one.
 */
export function rcloneShell(word: string): string {
    return `IFS='
'
say() { printf '${word}: %s\\n' "$*"; }
fail() {
    say "$1; nothing was deleted" >&2
    exit 1
}
list() { rclone lsf --use-server-modtime --time-format unix "$@"; }
# Asks for the object itself, because a list may lack it. rclone ends with 3 where there is no such folder either.
lacks() {
    code=0
    object=$(rclone lsf "$1") || code=$?
    [ -z "$object" ] && { [ "$code" = 0 ] || [ "$code" = 3 ]; }
}
if [ -z "\${RCLONE_CONFIG_STORE_KEY-}\${RCLONE_CONFIG_STORE_ENV_AUTH-}" ]; then
    export RCLONE_CONFIG_STORE_ENV_AUTH=true
fi
`;
}
