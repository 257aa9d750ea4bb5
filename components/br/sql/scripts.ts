/** Dumpling takes the password only as an argument (pingcap/tidb#61041), so only the script in the pod makes it one. */
export const dumpScript = `set -eu
PATH="$PATH:/"
output=$1
shift
exec dumpling --output="$output" --password="\${TIDB_PASSWORD-}" "$@"
`;

/**
 * TiDB Lightning reads the password from a file, in which each character that TOML does not take as it is stands as its code. Everything else is in its
 * arguments, which count more.
 */
export function loadScript(file: string): string {
    return `set -eu
umask 077
PATH="$PATH:/"
source=$1
shift
rest=\${TIDB_PASSWORD-}
unset TIDB_PASSWORD
text=
while case $rest in *[\\\\\\"[:cntrl:]]*) true ;; *) false ;; esac; do
    before=\${rest%%[\\\\\\"[:cntrl:]]*}
    rest=\${rest#"$before"}
    after=\${rest#?}
    text=$text$before$(printf '\\\\u%04X' "'\${rest%"$after"}")
    rest=$after
done
printf '[tidb]\\npassword = "%s"\\n' "$text$rest" > ${file}
exec tidb-lightning --config ${file} -d "$source" "$@"
`;
}
