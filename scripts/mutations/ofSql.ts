import type { Mutation } from "./mutation";

const access = "components/br/sql/access.ts";
const rules = "components/br/sql/rules.ts";
const scripts = "components/br/sql/scripts.ts";
const ofSqlRules = "tests/unit/br/sql.test.ts";
const ofScripts = "tests/contract/recorders/sqlDump.test.ts";

/** Rules of Backups by Dumpling and Restores by TiDB Lightning. */
export const ofSql: Mutation[] = [
    {
        name: "a gate asks another cluster than the one that TiDB Lightning loads into",
        file: access,
        find: 'return kind === "Restore"\n',
        replace: 'return kind === "CompactBackup"\n',
        tests: [ofSqlRules],
    },
    {
        name: "a dump of one cluster is taken from another one",
        file: access,
        find: "service.name === name && service.namespace === namespace ?",
        replace: "service.name === name ?",
        tests: [ofSqlRules],
    },
    {
        name: "Dumpling serves its command line, and so the password",
        file: "components/br/sql/arguments.ts",
        find: '"--status-addr=",',
        replace: "",
        tests: [ofSqlRules, ofScripts],
    },
    {
        name: "an option moves the dump to another place",
        file: rules,
        find: "|-${switches}[ohPu])",
        replace: "|-[ohPu])",
        tests: [ofSqlRules],
    },
    {
        name: "a password in an option is in the Job, for everyone to read",
        file: rules,
        find: "^(--password(=|$)|-${switches}p)",
        replace: "^--password(=|$)",
        tests: [ofSqlRules],
    },
    {
        name: "a dump is written beside other files, which a load would take for its own",
        file: rules,
        find: '...(kind === "Backup" ? placeProblems(manifest) : [])',
        replace: "...[]",
        tests: [ofSqlRules],
    },
    {
        name: "a second attempt writes beside the files of the first",
        file: "components/backup/plannedBr.ts",
        find: 'attemptName(prefix.replace(/\\/+$/, ""), run)',
        replace: 'attemptName(prefix.replace(/\\/+$/, ""), {})',
        tests: ["tests/component/backup.test.ts"],
    },
    {
        name: "TiDB Lightning is started with a storage that it cannot read",
        file: "components/br/sql/versions.ts",
        find: "compareVersions(tool, loadsFromAzure) < 0",
        replace: "compareVersions(tool, loadsFromAzure) < -9",
        tests: [ofSqlRules],
    },
    {
        name: "everyone in the pod may read the file with the password",
        file: scripts,
        find: "umask 077\n",
        replace: "",
        tests: [ofScripts],
    },
    {
        name: "a quote ends the password in the file",
        file: scripts,
        find: "true ;; *) false ;; esac; do",
        replace: "false ;; *) false ;; esac; do",
        tests: [ofScripts],
    },
    {
        name: "the data of a full backup are deleted, although a dump is among them",
        file: "components/br/sql/job.ts",
        find: '[dumpScript, "backup", dumpUrl(manifest)',
        replace: '[dumpScript, "dump", dumpUrl(manifest)',
        tests: [ofSqlRules],
    },
];
