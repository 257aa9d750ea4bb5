import type { Mutation } from "./mutation";

const crashLoop = "provider/lifecycle/failover/crashLoop.ts";

const templateDoubt = "provider/lifecycle/failover/templateDoubt.ts";

/** Rules of a pod that crashes again and again. */
export const ofCrashLoops: Mutation[] = [
    {
        name: "a PD member's volume is deleted although it alone runs a template with a bad setting",
        file: templateDoubt,
        find: "other.revision === pod.revision &&",
        replace: "",
        tests: ["tests/unit/failover/templateDoubt.test.ts"],
    },
    {
        name: "an update with the corrected template deletes the volume of the PD member that crashed on the bad one",
        file: templateDoubt,
        find: "revisionParts(wanted).template !== revisionParts(live).template",
        replace: "false",
        tests: ["tests/unit/failover/templateDoubt.test.ts"],
    },
    {
        name: "a store is replaced before it restarts on the template that its StatefulSet has for it",
        file: templateDoubt,
        find: "if (isNewest !== true) {",
        replace: "if (isNewest === null) {",
        tests: ["tests/unit/failover/templateDoubt.test.ts"],
    },
    {
        name: "a Ready of seconds resets the clock of a failover",
        file: crashLoop,
        find: "Math.min(death.notReadyFor.value, backOff) + shownRun(pod) + earlierWaits(backOff);",
        replace: "death.notReadyFor.value;",
        tests: ["tests/unit/failover/storeDeaths.test.ts"],
    },
    {
        name: "a PD member's volume is deleted after some restarts, by a node's clock that is off",
        file: crashLoop,
        find: "Math.min(death.notReadyFor.value, backOff)",
        replace: "death.notReadyFor.value",
        tests: ["tests/unit/failover/pdFailover.test.ts"],
    },
    {
        name: "a store that has run for a whole period before it crashed is replaced at once",
        file: crashLoop,
        find: "restarts > 0 && lastRun.finishedAt - lastRun.startedAt < period",
        replace: "restarts > 0",
        tests: ["tests/unit/failover/storeDeaths.test.ts"],
    },
    {
        name: "a crash loop is never replaced if the period is longer than kubelet's waits show",
        file: crashLoop,
        find: "return Math.max(shown, watchedFor(pod, period, now));",
        replace: "return shown;",
        tests: ["tests/unit/failover/crashPeriods.test.ts"],
    },
    {
        name: "a PD member that was well for a period between two crashes loses its volume",
        file: crashLoop,
        find: "crashesSeen.filter(({ after }) => after >= period).at(-1)",
        replace: "crashesSeen.at(0)",
        tests: ["tests/unit/failover/crashPeriods.test.ts"],
    },
    {
        name: "a plan promises a replacement in seconds that never comes",
        file: "provider/lifecycle/failover/podVerdict.ts",
        find: "lasted >= needed || canShow(pod, needed)",
        replace: "true",
        tests: ["tests/unit/failover/crashPeriods.test.ts"],
    },
    {
        name: "a replacement leaves two seconds after a crash, because the node's clock is behind",
        file: "provider/cluster/observeDeath.ts",
        find: "Number.isFinite(last) ? new Date(last) : undefined",
        replace: "whole.status?.conditions?.[0]?.lastTransitionTime",
        tests: ["tests/unit/cluster/observeMembers.test.ts"],
    },
    {
        name: "a replacement leaves in the seconds in which a crashing store is Ready",
        file: "provider/lifecycle/failover/recovery.ts",
        find: "!mayCrashAgain(view, policy ?? usualPolicy) &&",
        replace: "",
        tests: ["tests/unit/failover/wayBack.test.ts"],
    },
    {
        name: "a replacement leaves although the store on record crashes again and again",
        file: "provider/lifecycle/failover/recovery.ts",
        find: "(isMoment || ready === true) && !mayCrashAgain(view, policy ?? usualPolicy)",
        replace: "isMoment || ready === true",
        tests: ["tests/unit/failover/wayBack.test.ts"],
    },
    {
        name: "a replacement that the plan has shown is dropped because its pod is Ready for seconds",
        file: "provider/lifecycle/failover/failoverMoves.ts",
        find: "isDeadToPd && mayCrashAgain(view, policy)",
        replace: "false",
        tests: ["tests/unit/failover/plannedReplacement.test.ts"],
    },
    {
        name: "a replacement is waited for although PD calls its store Up after a crash",
        file: "provider/lifecycle/failover/failoverMoves.ts",
        find: "isDeadToPd && mayCrashAgain(view, policy)",
        replace: "mayCrashAgain(view, policy)",
        tests: ["tests/unit/failover/plannedReplacement.test.ts"],
    },
    {
        name: "servers that crash together are replaced beyond the budget, because one is Ready for seconds",
        file: "provider/lifecycle/failover/findDead.ts",
        find: "mayCrashAgain(view, policy) ||",
        replace: "",
        tests: ["tests/unit/failover/tidbFailover.test.ts"],
    },
    {
        name: "a wait in the words of another container is taken for kubelet's back-off",
        file: "provider/cluster/containerState.ts",
        find: "/^back-off (\\S+) restarting failed container/",
        replace: "/(\\d+s)/",
        tests: ["tests/unit/cluster/observePod.test.ts"],
    },
    {
        name: "the record of a failure is dropped because its process has just crashed again",
        file: "provider/lifecycle/failover/findDead.ts",
        find: 'mayCrashAgain(view, policy) ? "unknown" : "alive"',
        replace: '"alive"',
        tests: ["tests/unit/failover/plannedReplacement.test.ts"],
    },
];
