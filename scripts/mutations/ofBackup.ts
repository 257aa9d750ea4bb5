import type { Mutation } from "./mutation";

const rules = "components/br/rules.ts";
const refused = "components/br/refusedFields.ts";
const storages = "components/br/storages.ts";
const userData = "provider/lifecycle/restore/userData.ts";
const mayRestore = "provider/lifecycle/restore/mayRestore.ts";
const gate = "provider/gates/restoreGate.ts";
const ofRules = "tests/unit/br/rules.test.ts";
const ofOperator = "tests/unit/br/brOfOperator.test.ts";
const ofData = "tests/unit/restore/userData.test.ts";
const ofGate = "tests/unit/gates/restoreGate.test.ts";

/** Rules of backup and restore. */
export const ofBackup: Mutation[] = [
    {
        name: "a backup to Google begins although BR has no key to send to TiKV",
        file: rules,
        find: "gcs && !gcs.secretName && br",
        replace: "gcs && gcs.secretName && br",
        tests: [ofRules],
    },
    {
        name: "a cluster whose data are not known counts as empty",
        file: mayRestore,
        find: "const until = began + unknownDataSeconds * 1000;",
        replace: 'return { kind: "pass" }; const until = began + unknownDataSeconds * 1000;',
        tests: [ofData, ofGate],
    },
    {
        name: "an answer of last week lets a restore begin today",
        file: mayRestore,
        find: "(!job.suspended || job.generation !== 1)",
        replace: "(!job.suspended || job.generation >= 1)",
        tests: [ofGate],
    },
    {
        name: "a restore whose Job is gone begins over data",
        file: gate,
        find: "if (hasBegun(job.value)) {",
        replace: "if (job.value === undefined || hasBegun(job.value)) {",
        tests: [ofGate],
    },
    {
        name: "the success of a restore counts in another Kubernetes cluster",
        file: gate,
        find: "isDeepStrictEqual(olds.access, program.access)",
        replace: "isDeepStrictEqual(program.access, program.access)",
        tests: [ofGate],
    },
    {
        name: "a restore goes into a cluster with data",
        file: mayRestore,
        find: "users.value.length === 0 ?",
        replace: "users.value.length >= 0 ?",
        tests: [ofData, ofGate],
    },
    {
        name: "a list of schemas without mysql is believed",
        file: userData,
        find: 'if (!lower.includes("mysql")) {',
        replace: "if (false) {",
        tests: [ofData],
    },
    {
        name: "tables in the schema test do not count",
        file: userData,
        find: "testTables === null || testTables.length === 0 ? [] : [testSchema]",
        replace: "true ? [] : [testSchema]",
        tests: [ofData],
    },
    {
        name: "an answer about the tables of test that is no list counts as none",
        file: userData,
        find: "if (testTables !== null && !Array.isArray(testTables)) {",
        replace: "if (false) {",
        tests: [ofData],
    },
    {
        name: "another attempt of a restore is not checked",
        file: gate,
        find: '(["namespace", "cluster", "attempt"] as const)',
        replace: '(["namespace", "cluster"] as const)',
        tests: [ofGate],
    },
    {
        name: "only the preview checks the cluster before a restore",
        file: gate,
        find: "if (inputs.allowData) {",
        replace: "if (true) {",
        tests: [ofGate],
    },
    {
        name: "a backup of a later version is restored",
        file: "components/br/versions.ts",
        find: "compareVersions(found, cluster) > 0",
        replace: "compareVersions(found, cluster) > 9",
        tests: [ofRules],
    },
    {
        name: "BR before v4.0.8 is run, which does not keep GC back",
        file: "components/br/versions.ts",
        find: "compareVersions(tool, firstVersion) < 0 ?",
        replace: "false ?",
        tests: [ofRules, ofOperator],
    },
    {
        name: "a filter that only excludes is taken",
        file: "components/br/filterRules.ts",
        find: 'filters.every((filter) => filter.startsWith("!"))',
        replace: "filters.length < 0",
        tests: [ofRules],
    },
    {
        name: "two storages are taken, and the first is used",
        file: rules,
        find: "if (given.length !== 1) {",
        replace: "if (given.length === 0) {",
        tests: [ofRules],
    },
    {
        name: "a prefix may lead out of its folder",
        file: rules,
        find: 'part === "." || part === ".."',
        replace: 'part === "..."',
        tests: [ofRules],
    },
    {
        name: "a field that this package does not do is ignored",
        file: refused,
        find: 'decrypts Secrets with KMS", harmless: false }',
        replace: 'decrypts Secrets with KMS", harmless: true }',
        tests: [ofRules],
    },
    {
        name: "a dollar in an argument is a variable of Kubernetes",
        file: "components/kubernetes/shellQuote.ts",
        find: 'return text.replaceAll("$", "$$$$");',
        replace: "return text;",
        tests: [ofRules],
    },
    {
        name: "Azure's Secret must have both kinds of keys",
        file: storages,
        find: "secretVariable(key, secretName, key, true)",
        replace: "secretVariable(key, secretName, key)",
        tests: [ofOperator],
    },
    {
        name: "BR that failed half way begins again by itself",
        file: "components/br/job.ts",
        find: "backoffLimit: 0,",
        replace: "backoffLimit: 6,",
        tests: [ofOperator],
    },
    {
        name: "two backups that perhaps write into one path are refused",
        file: "components/br/samePlace.ts",
        find: "one.seenFrom.kubernetes === other.seenFrom?.kubernetes &&",
        replace: "",
        tests: ["tests/unit/components/samePlace.test.ts"],
    },
    {
        name: "two backups below each other are refused",
        file: "components/br/samePlace.ts",
        find: "        one.path === other.path &&\n        one.sure",
        replace: "        one.sure",
        tests: ["tests/unit/components/samePlace.test.ts"],
    },
    {
        name: "a schedule and a Backup beside it are refused",
        file: "components/br/samePlace.ts",
        find: "!one.hasFolders &&\n        !other.hasFolders &&",
        replace: "",
        tests: ["tests/unit/components/samePlace.test.ts"],
    },
    {
        name: "storages with other keys are one",
        file: "components/br/samePlace.ts",
        find: "one.sure.text === other.sure.text &&",
        replace: "",
        tests: ["tests/unit/components/samePlace.test.ts"],
    },
];
