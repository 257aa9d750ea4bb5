import { rcloneShell } from "../schedule/rcloneShell";

/**
 * Deletes a full backup of BR, if all that is there is of this one backup.
 *
 * Arguments: its folder for rclone; the first and the last second at which `backupmeta` may have been written; an id of the backup; `failed` if it failed:
 * then there must be no `backupmeta`, which BR writes last, and no file may be older than the backup. What is not only of a failed backup stays, which is no error:
 * trying it again would not change that.
 * Only names that BR writes are deleted (pingcap/tidb br/pkg/metautil, br/pkg/checkpoint; tikv components/backup), and only if there is nothing
 * else, and nothing is newer than the backup: a folder that is shared with other data is left alone. `backupmeta` goes first, so a backup that is half
 * deleted never looks complete. The mark, which goes last, says that the deletion of this backup has begun; the mark of another
 * attempt, whose deletion was killed, goes with it.
 * Nothing goes that is newer than all that was judged, by the storage's clock: a time, unlike an age, does not depend on the node's.
 */
export const cleanScript = `set -euf
store=$1 from=$2 until=$3 marks=pulumi-tidb.deleting- failed=\${5-}
mark=$marks$4
${rcloneShell("clean")}# rclone ends with 3 where there is no such folder.
all() {
    code=0
    found=$(list --recursive --files-only --format tp --separator ' ' "$store") || code=$?
    [ "$code" = 0 ] || [ "$code" = 3 ] || return "$code"
    printf '%s\\n' "$found"
}
files=$(all)
verdict=$(printf '%s\\n' "$files" | awk -v mark="$mark" -v from="$from" -v until="$until" -v failed="$failed" '
    $0 == "" { next }
    { at = $1 + 0; name = substr($0, index($0, " ") + 1) }
    name == mark { begun = 1; next }
    name ~ /^pulumi-tidb[.]deleting-[^\\/]+$/ { marked = 1; next }
    name == "backupmeta" { taken = at }
    !(name ~ /^([0-9]+\\/)?[^\\/]+[.]sst$/ || name ~ /^backupmeta([.][^\\/]+)?$/ || name == "backup.lock" || name ~ /^checkpoints\\/backup\\//) {
        if (others++ < 3) shown = shown " " name
        next
    }
    at > until && newer == "" { newer = name }
    at < from && older == "" { older = name }
    { own++; if (at > last) last = at }
    END {
        keep = failed ? "keep: " : ""
        if (failed && taken != "") print "keep: there is a backup with backupmeta"
        else if (others) print keep others " files are not of a full backup of BR:" shown
        else if (newer != "") print keep newer " was written after this backup"
        else if (failed && older != "") print keep older " was written before this backup"
        else if (failed && !own && !begun && !marked) print "keep: nothing is there"
        else if (!failed && taken == "" && !begun) print "it has no backupmeta of BR"
        else if (!failed && taken != "" && taken < from) print "its backupmeta was written before this backup"
        else printf "own %d\\n", last + 1
    }')
case $verdict in
    keep:*)
        say "$store: \${verdict#keep: }; nothing was deleted"
        exit 0
        ;;
esac
last=\${verdict#own }
[ "$last" != "$verdict" ] || fail "$store: $verdict"
[ -z "$failed" ] || lacks "$store/backupmeta" || fail "$store: it is not certain that it lacks backupmeta"
# rclone lists again, and another backup may have begun meanwhile.
until=$(date -u -d "@$last" +%Y-%m-%dT%H:%M:%SZ)

printf 'deleting\\n' | rclone rcat "$store/$mark"
case "$IFS$files$IFS" in
    *" backupmeta$IFS"*) rclone deletefile "$store/backupmeta" ;;
esac
rclone delete --use-server-modtime --min-age "$until" --include '/*.sst' --include '/{{[0-9]+}}/*.sst' --include '/backupmeta.*' --include /backup.lock --include '/checkpoints/backup/**' "$store"
left=$(list --recursive --files-only "$store")
own='' others=''
for name in $left; do
    case $name in
        "$mark") own=yes ;;
        */*) others=yes ;;
        "$marks"*) ;;
        *) others=yes ;;
    esac
done
if [ -z "$own" ] || [ -n "$others" ]; then
    say "$store still has files, and a part of the backup is deleted" >&2
    exit 1
fi
for name in $left; do
    [ "$name" = "$mark" ] || rclone deletefile "$store/$name"
done
rclone deletefile "$store/$mark"
if [ "\${RCLONE_CONFIG_STORE_TYPE-}" = local ]; then
    rclone rmdirs "$store"
fi
say "deleted the backup in $store"
`;
