import { type Mutation, testsOf } from "./mutation";

const tests = testsOf.lifecycle("smoothUpgrade");
const file = "provider/lifecycle/stages/smoothUpgrade.ts";

/** Rules about TiDB's smooth upgrade. */
export const ofUpgrade: readonly Mutation[] = [
    {
        name: "TiDB restarts into a later version although nobody knows whether it was told",
        file,
        find: "        if (!state.known) {\n            return lacksFact(",
        replace: "        if (!state.known) {\n            return true || lacksFact(",
        tests,
    },
    {
        name: "TiDB restarts into a later version without being told",
        file,
        find: 'if (state.value.state !== "upgrading") {\n            return { lacks',
        replace: "if (state.value.state === undefined) {\n            return { lacks",
        tests,
    },
    {
        name: "the smooth upgrade ends while old pods run",
        file,
        find: "(pod.revision !== statefulSet.updateRevision || pod.terminating) &&",
        replace: "pod.terminating &&",
        tests,
    },
    {
        name: "the smooth upgrade ends before the StatefulSet's newest template was seen",
        file,
        find: "statefulSet?.updateRevision === undefined || !statefulSet.settled",
        replace: "statefulSet?.updateRevision === undefined",
        tests,
    },
    {
        name: "the smooth upgrade is forgotten before its end was read back",
        file,
        find: '    if (state.value.state !== "upgrading") {\n        return { action',
        replace: '    if (state.value.state === "upgrading") {\n        return { action',
        tests,
    },
    {
        name: "somebody else's smooth upgrade is finished",
        file,
        find: "if (observation.records.smoothUpgrade === undefined || target?.replicas === 0) {",
        replace: "if (target?.replicas === 0) {",
        tests,
    },
    {
        name: "the smooth upgrade begins before it is on record",
        file: "provider/lifecycle/vocabulary/actionRecords.ts",
        find: "before: (records, { from, to }, now) => ({ ...records, smoothUpgrade: { begunAt: now, from, to } }),",
        replace: "",
        tests,
    },
    {
        name: "an answer that TiDB does not give while it upgrades counts as its normal state",
        file: "provider/cluster/tidbUpgrade.ts",
        find: "            return shown;\n",
        replace: '            return { state: "normal" };\n',
        tests: testsOf.cluster("tidbUpgrade"),
    },
    {
        name: "the smooth upgrade ends while TiDB of another TidbCluster on the PD runs the earlier version",
        file,
        find: "return servers.percent === 100 || differ.length === 0",
        replace: "return differ.length >= 0",
        tests,
    },
    {
        name: "the smooth upgrade stays open because of a killed server of this cluster that TiDB still lists",
        file,
        find: "!isOurs && !version.endsWith(",
        replace: "!version.endsWith(",
        tests,
    },
    {
        name: "a server of another TidbCluster with the same version keeps the smooth upgrade open",
        file,
        find: "!isOurs && !version.endsWith(`-${imageTag(image)}`)",
        replace: "!isOurs && version !== image",
        tests,
    },
    {
        name: "a killed server of this cluster counts as one of another TidbCluster",
        file,
        find: "return list.some(({ isOurs }) => !isOurs);",
        replace: "return list.length > 2;",
        tests,
    },
    {
        name: "a TiDB server of another namespace counts as one of this cluster",
        file: "provider/cluster/tidbUpgrade.ts",
        find: "isOurs: podOfHost(String(ip), service, this.id) !== undefined,",
        replace: "isOurs: String(ip).includes(service),",
        tests: testsOf.cluster("tidbUpgrade"),
    },
    {
        name: "a list of no TiDB servers is an answer",
        file: "provider/cluster/tidbUpgrade.ts",
        find: "return list?.length ?",
        replace: "return list ?",
        tests: testsOf.cluster("tidbUpgrade"),
    },
    {
        name: "TiDB leaves while its smooth upgrade is open",
        file: "provider/lifecycle/walks/scale.ts",
        find: "? lifecycle.beforeNoneLeft?.(observation) : undefined;",
        replace: "? undefined : undefined;",
        tests,
    },
    {
        name: "a destroy ends the smooth upgrade while servers of two versions run",
        file,
        find: "images.size === 1 &&",
        replace: "images.size > 0 &&",
        tests,
    },
];
