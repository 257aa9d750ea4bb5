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
 * Arguments: the folder of the schedule for rclone; the prefix of its backups' names; `count` or `seconds`; the limit.
 * Folders with such names may belong to several clusters: to a twin in another Kubernetes cluster, or to a predecessor that was destroyed. So the script
 * first decides whose a backup is, by the cluster ID of PD in the first field of `backupmeta` (pingcap/kvproto brpb.proto), before the version.
 * Only own backups count, and only they are deleted. An incomplete backup has no ID: it is own only if every `backupmeta` of the schedule is.
 * Only the run of the newest own backup deletes: of two that overlap, each could delete the other's otherwise. So that one always stays.
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
# Sets owner: own, other or unknown. It remembers what it has read, because that backup may be deleted by now.
owners=$IFS
find_owner() {
    case $owners in
        *"$IFS$1 "*)
            owner=\${owners#*"$IFS$1 "}
            owner=\${owner%%"$IFS"*}
            return
            ;;
    esac
    id=$(cluster "$1")
    owner=other
    [ "$id" != "$mine" ] || owner=own
    [ -n "$id" ] && [ -n "$mine" ] || owner=unknown
    owners="$owners$1 $owner$IFS"
}
# Sets stranger: the name of a backup that is not certainly own, empty if there is none.
find_stranger() {
    for stranger in $folders; do
        is_run "$stranger" && has "$stranger/backupmeta" || continue
        find_owner "$stranger"
        [ "$owner" = own ] || return 0
    done
    stranger=
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

mine=$(cluster "$run")
kept=0 others=0
for line in $good; do
    name=\${line#* }
    age=$((now - \${line%% *}))
    is_run "$name" || continue
    if [ "$name" = "$run" ]; then
        kept=1
    elif [ "$kept" = 0 ]; then
        find_owner "$name"
        [ "$owner" != other ] || continue
        say "a newer backup is complete: its run deletes old ones"
        exit 0
    elif [ "$by" = seconds ] && [ "$age" -le "$limit" ]; then
        kept=$((kept + 1))
    elif find_owner "$name" && [ "$owner" != own ]; then
        others=$((others + 1))
        if [ "$by" = seconds ] || [ "$kept" -ge "$limit" ]; then
            say "leave $name alone: its backupmeta does not say that it is of the cluster of this run. Delete it yourself if nobody needs it"
        fi
    elif [ "$by" = seconds ]; then
        remove "$name" "it is $age seconds older than the newest, and the limit is $limit"
    elif [ "$kept" -ge "$limit" ]; then
        remove "$name" "$limit newer ones are complete"
    else
        kept=$((kept + 1))
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
    elif find_stranger && [ -n "$stranger" ]; then
        say "leave $name alone: it is not complete, and like $stranger it may be of another cluster. Delete it yourself if nobody needs it"
    else
        remove "$name" "it is not complete, and nothing was written for $((now - newest)) seconds"
    fi
done
say "$kept complete backups are left"
[ "$others" = 0 ] || say "$others more do not count: they are not certainly of the cluster of this run"
`;
