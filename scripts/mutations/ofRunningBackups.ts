import type { Mutation } from "./mutation";

const stages = "provider/lifecycle/stages/runningBackups.ts";
const running = "provider/lifecycle/backups/runningBackups.ts";
const upgrade = "provider/lifecycle/backups/beforeUpgrade.ts";
const upgradeGate = "provider/gates/beforeUpgradeGate.ts";
const ofUpgrade = ["tests/unit/lifecycle/beforeUpgrade.test.ts", "tests/unit/gates/beforeUpgradeGate.test.ts"];
const tests = ["tests/unit/lifecycle/runningBackups.test.ts"];

/** Rules of backups that hold restarts and removals back, and of two backups in one place. */
export const ofRunningBackups: Mutation[] = [
    {
        name: "backups that were not read count as none",
        file: stages,
        find: "return { look: { backups: true } };",
        replace: "return true;",
        tests,
    },
    {
        name: "a store that PD does not hear for a moment is removed beside a backup",
        file: stages,
        find: "store === undefined || !wasUpRecently(store)",
        replace: 'store?.state !== "Up"',
        tests,
    },
    {
        name: "a store whose leaders are leaving already is held back",
        file: stages,
        find: "openEvictionOf(view) !== undefined ||",
        replace: "",
        tests,
    },
    {
        name: "a batch that is only on record begins beside a backup",
        file: stages,
        find: "(!isServing(one.pod) || openEvictionOf(one) !== undefined);",
        replace: 'one.podName !== "";',
        tests,
    },
    {
        name: "the other member of a batch waits for a backup while one is down",
        file: stages,
        find: "!isServing(one.pod) || openEvictionOf(one)",
        replace: "openEvictionOf(one)",
        tests,
    },
    {
        name: "the other store of a batch waits for a backup while the leaders of one leave",
        file: stages,
        find: "isInBatch(one) && (!isServing(one.pod) || openEvictionOf(one) !== undefined)",
        replace: "isInBatch(one) && !isServing(one.pod)",
        tests,
    },
    {
        name: "a wait for a backup lets the restart go on at its end",
        file: stages,
        find: 'then: "fail",',
        replace: 'then: "go-on",',
        tests,
    },
    {
        name: "a backup whose pod has not begun does not count",
        file: running,
        find: 'return phase === "Succeeded" || phase === "Failed";',
        replace: 'return phase !== "Running";',
        tests,
    },
    {
        name: "the Job of a log backup holds a roll back",
        file: running,
        find: " && works.some((word) => args.includes(word))",
        replace: "",
        tests,
    },
    {
        name: "a store restarts while a restore into it runs",
        file: running,
        find: "const works = [backupWord, restoreWord];",
        replace: "const works = [backupWord];",
        tests,
    },
    {
        name: "the pods of restores are not listed",
        file: "provider/cluster/observeBackups.ts",
        find: " in (${backupWord},${restoreWord})",
        replace: "=${backupWord}",
        tests,
    },
    {
        name: "a backup of another cluster holds a roll back",
        file: running,
        find: "args.includes(own) && ",
        replace: "",
        tests,
    },
    {
        name: "the backup of an earlier upgrade between the same versions counts for a later one",
        file: upgrade,
        find: "was.generation === now.generation",
        replace: "true",
        tests: ofUpgrade,
    },
    {
        name: "the backup of an upgrade counts for another version",
        file: upgrade,
        find: "was.to === now.to &&",
        replace: "",
        tests: ofUpgrade,
    },
    {
        name: "the backup of a cluster counts for one of its name that was made anew",
        file: upgrade,
        find: "was.uid === now.uid &&",
        replace: "",
        tests: ofUpgrade,
    },
    {
        name: "an upgrade does not wait for its backup",
        file: upgradeGate,
        find: "runJob(target, true,",
        replace: "runJob(target, false,",
        tests: ofUpgrade,
    },
    {
        name: "a backup that failed is taken again by itself",
        file: upgrade,
        find: "return attempt === wanted.attempt && of",
        replace: "return attempt !== wanted.attempt && of",
        tests: ofUpgrade,
    },
    {
        name: "a backup in another storage counts for an upgrade",
        file: upgrade,
        find: "of === wanted.of && ",
        replace: "",
        tests: ofUpgrade,
    },
    {
        name: "two backups of one Pulumi name write to one path",
        file: "components/br/samePlace.ts",
        find: "one.storage === place.storage && doClash(one, place)",
        replace: "one.of !== place.of && one.storage === place.storage && doClash(one, place)",
        tests: ["tests/component/backup.test.ts"],
    },
    {
        name: "half a dump is loaded as a whole one",
        file: "components/backup/plannedBr.ts",
        find: " || claim.loading(from)",
        replace: "",
        tests: ["tests/component/backup.test.ts"],
    },
    {
        name: "two backups of one program write to one path",
        file: "components/br/samePlace.ts",
        find: "one.path === other.path ||",
        replace: "",
        tests: ["tests/unit/components/samePlace.test.ts"],
    },
    {
        name: "a dump writes below another one, and both are loaded",
        file: "components/br/samePlace.ts",
        find: "(isWithin(one, other) || isWithin(other, one))",
        replace: "false",
        tests: ["tests/unit/components/samePlace.test.ts"],
    },
];
