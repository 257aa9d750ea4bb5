import type { Mutation } from "./mutation";

const script = "components/br/schedule/retentionScript.ts";
const rules = "components/br/schedule/rules.ts";
const render = "components/br/schedule/renderSchedule.ts";
const status = "status/schedules/scheduleStatus.ts";
const ofRetention = "tests/contract/backupSchedule/retention.test.ts";
const ofSchedule = "tests/unit/br/schedule.test.ts";
const ofStatus = "tests/unit/status/schedules/scheduleStatus.test.ts";

/** Rules of backup schedules. */
export const ofSchedules: Mutation[] = [
    {
        name: "retention runs although this run's backup is not complete",
        file: script,
        find: '[ "$found" = backupmeta ] || fail "$run has no backupmeta"',
        replace: "true",
        tests: [ofRetention],
    },
    {
        name: "a backup counts although nothing says that BR succeeded",
        file: script,
        find: "END { for (name in at) if (name in marked) print",
        replace: "END { for (name in at) print",
        tests: [ofRetention],
    },
    {
        name: "retention deletes the backups of an earlier cluster of the same name",
        file: script,
        find: '[ "$id" != "$mine" ] || owner=own',
        replace: "owner=own",
        tests: [ofRetention],
    },
    {
        name: "a cluster that is not known counts as the same as another",
        file: script,
        find: '[ -n "$id" ] && [ -n "$mine" ] || owner=unknown',
        replace: ":",
        tests: [ofRetention],
    },
    {
        name: "retention deletes folders with other names",
        file: script,
        find: "*) return 1 ;;\n    esac\n}\nis_other",
        replace: "*) ;;\n    esac\n}\nis_other",
        tests: [ofRetention],
    },
    {
        name: "retention deletes the backup of its own run",
        file: script,
        find: 'is_other() { is_run "$1" && [ "$1" != "$run" ]; }',
        replace: 'is_other() { is_run "$1"; }',
        tests: [ofRetention],
    },
    {
        name: "two runs that overlap delete each other's backup",
        file: script,
        find: '[ "$owner" != other ] || continue\n        say "a newer backup',
        replace: 'continue\n        say "a newer backup',
        tests: [ofRetention],
    },
    {
        name: "an unfinished backup that may still run is deleted",
        file: script,
        find: "[ $((now - newest)) -gt ${deadSeconds} ]",
        replace: "true",
        tests: [ofRetention],
    },
    {
        name: "on a volume a node's clock decides what is dead",
        file: script,
        find: '"\\${RCLONE_CONFIG_STORE_TYPE-}" = local ]; then\n        say',
        replace: '"" = local ]; then\n        say',
        tests: [ofRetention],
    },
    {
        name: "a good backup goes because one list lacks its backupmeta",
        file: script,
        find: '[ -n "$shown" ] || ! lacks "$store/$name/backupmeta"',
        replace: "false",
        tests: [ofRetention],
    },
    {
        name: "a storage whose clock has jumped decides what is old",
        file: script,
        find: '[ "\\${ahead#-}" -le ${clockSeconds} ]',
        replace: "true",
        tests: [ofRetention],
    },
    {
        name: "a list that fails counts as an empty one",
        file: script,
        find: "`set -euf\nstore=$1",
        replace: "`set -uf\nstore=$1",
        tests: [ofRetention],
    },
    {
        name: "an incremental backup loses its base",
        file: rules,
        find: "[/^--(lastbackupts|backupts)\\b/",
        replace: "[/^--(nothing)\\b/",
        tests: [ofSchedule],
    },
    {
        name: "two backups run at once",
        file: render,
        find: 'concurrencyPolicy: "Forbid"',
        replace: 'concurrencyPolicy: "Allow"',
        tests: [ofSchedule],
    },
    {
        name: "retention runs beside BR",
        file: render,
        find: "initContainers: [backupRun], containers: [retention] }",
        replace: "containers: [backupRun, retention] }",
        tests: [ofSchedule],
    },
    {
        name: "nobody hears that no backup succeeds any more",
        file: status,
        find: "const isTooOld = !isPaused &&",
        replace: "const isTooOld = false &&",
        tests: [ofStatus],
    },
    {
        name: "nobody hears that the last backup failed",
        file: status,
        find: 'const isFailed = newest?.is === "failed";',
        replace: "const isFailed = false;",
        tests: [ofStatus],
    },
];
