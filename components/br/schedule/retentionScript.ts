import { withinQuotes } from "../../kubernetes/shellQuote";
import { runFolder } from "../runVolume";
import { rcloneShell } from "./rcloneShell";

/** The file in a folder of a backup that says that BR succeeded: it writes `backupmeta` before it compares checksums (pingcap/tidb br/pkg/task/backup.go). */
const completeMark = "pulumi-tidb.complete";

/** rclone shows an old time where it knows none. No backup of BR is older than this: September 2018. */
const firstSecond = 1_536_000_000;

/** How far the clocks of storage and node may differ. BR may compare checksums for hours after it has written backupmeta. */
const clockSeconds = 24 * 3600;

/** How long a backup that is not complete must have been left unwritten to count as dead: a running BR refreshes its lock every 4 minutes (pingcap/tidb br/pkg/checkpoint). */
const deadSeconds = 7 * 24 * 3600;

/**
 * Runs BR with a folder of its own for this run. The arguments are what comes before and after the folder's name in the URL of the
 * storage, and then those of BR. tidb-operator names folders by the time in UTC, too.
 *
 * @param own What the names of the schedule's folders begin with.
 */
export function backupScript(own: string, isNoted: boolean): string {
    return `set -eu
run="${withinQuotes(own)}$(date -u +%Y-%m-%dt%H-%M-%S)"
${isNoted ? `printf '%s\\n' "$run" > ${runFolder}/name\n` : ""}before=$1 after=$2
shift 2
PATH="$PATH:/"
exec br "$@" "--storage=$before$run$after"
`;
}

/**
 * Marks the backup of this run as complete, then deletes old backups of its schedule. It runs only after BR has succeeded.
 *
 * Arguments: the folder of the schedule for rclone; what the names of its backups begin with; `count` or `seconds`; the limit.
 * Only the run of the newest complete backup deletes: of two that overlap, each could delete the other's otherwise.
 * No complete backup goes that another cluster of the same name has taken, as one that was destroyed and made anew: PD gives each an ID of its own. It is the first
 * field of `backupmeta`, before the version (pingcap/kvproto brpb.proto).
 * Nothing but folders with such a name and a time is ever touched. All times are those of the storage, whose clock must agree with the node's.
 * `backupmeta` goes first: a backup that is half deleted never looks complete. rclone's `purge` would delete old versions, too.
 */
export const retentionScript = `set -euf
store=$1 own=$2 by=$3 limit=$4
run=$(cat ${runFolder}/name)
mark=${completeMark}
${rcloneShell("retention")}is_run() {
    case $1 in
        "$own"[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]t[0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
        *) return 1 ;;
    esac
}
is_other() { is_run "$1" && [ "$1" != "$run" ]; }
cluster() {
    rclone cat --count 12 "$store/$1/backupmeta" | od -An -v -tx1 | tr -d ' ' | sed -n 's/^08\\(\\([89a-f].\\)*[0-7].\\)12.*/\\1/p'
}
has() {
    case $files in
        *" $1"*) ;;
        *) return 1 ;;
    esac
}
remove() {
    say "delete $1: $2"
    if has "$1/backupmeta"; then
        rclone deletefile "$store/$1/backupmeta"
    fi
    rclone delete "$store/$1"
    if [ "\${RCLONE_CONFIG_STORE_TYPE-}" = local ]; then
        rclone rmdirs "$store/$1"
    fi
}

is_run "$run" || fail "'$run' is not a name of a backup"
found=$(list --files-only --include /backupmeta "$store/$run")
[ "$found" = backupmeta ] || fail "$run has no backupmeta"
printf 'complete\\n' | rclone rcat "$store/$run/$mark"
folders=$(list --dirs-only --dir-slash=false "$store")
files=$(list --recursive --max-depth 2 --files-only --format tp --separator ' ' --include "/$own*/backupmeta" --include "/$own*/$mark" "$store")

good=$(printf '%s\\n' "$files" | awk -v mark="$mark" '
    { split(substr($0, index($0, " ") + 1), part, "/") }
    part[2] == "backupmeta" && $1 > ${firstSecond} { at[part[1]] = $1 }
    part[2] == mark { marked[part[1]] = 1 }
    END { for (name in at) if (name in marked) print at[name], name }' | sort -k1,1nr -k2,2r)
now=
for line in $good; do
    if [ "\${line#* }" = "$run" ]; then now=\${line%% *}; fi
done
[ -n "$now" ] || fail "the list of $store lacks $run"
ahead=$((now - $(date -u +%s)))
[ "\${ahead#-}" -le ${clockSeconds} ] || fail "the clock of the storage is $ahead seconds ahead of this node's"
if [ "\${good%%"$IFS"*}" != "$now $run" ]; then
    say "a newer backup is complete: its run deletes old ones"
    exit 0
fi

mine=$(cluster "$run")
kept=1
for line in $good; do
    name=\${line#* }
    age=$((now - \${line%% *}))
    is_other "$name" || continue
    if [ "$by" = count ] && [ "$kept" -ge "$limit" ]; then
        why="$limit newer ones are complete"
    elif [ "$by" = seconds ] && [ "$age" -gt "$limit" ]; then
        why="it is $age seconds older than the newest, and the limit is $limit"
    else
        kept=$((kept + 1))
        continue
    fi
    if [ -n "$mine" ] && [ "$(cluster "$name")" = "$mine" ]; then
        remove "$name" "$why"
    else
        kept=$((kept + 1))
        say "leave $name alone: its backupmeta does not say that it is of the cluster of this run. Delete it yourself if nobody needs it"
    fi
done

for name in $folders; do
    is_other "$name" || continue
    if has "$name/backupmeta"; then
        has "$name/$mark" || say "leave $name alone: nothing says that its backup succeeded"
        continue
    fi
    if [ "\${RCLONE_CONFIG_STORE_TYPE-}" = local ]; then
        say "leave $name alone: it is not complete, and on a volume the clock of a node may have written its times"
        continue
    fi
    inside=$(list --recursive --files-only --format tp --separator ' ' "$store/$name")
    newest=$(printf '%s\\n' "$inside" | sort -n | tail -n 1)
    newest=\${newest%% *}
    shown=$(printf '%s\\n' "$inside" | awk -v mark="$mark" '
        { sub(/^[0-9]+ /, "") }
        $0 == "backupmeta" || $0 == mark')
    # A backup that is half deleted has the mark in both lists.
    if [ "$shown" = "$mark" ] && has "$name/$mark"; then
        shown=
    fi
    if ! { [ "\${newest:-0}" -gt ${firstSecond} ] && [ $((now - newest)) -gt ${deadSeconds} ]; }; then
        say "leave $name alone: it is not complete, and may still run"
    elif [ -n "$shown" ] || ! lacks "$store/$name/backupmeta"; then
        say "leave $name alone: it is not certain that it lacks backupmeta"
    else
        remove "$name" "it is not complete, and nothing was written for $((now - newest)) seconds"
    fi
done
say "$kept complete backups are left"
`;
