import type { Mutation } from "./mutation";

const judge = "controller/drift/judgeDrift.ts";
const tests = ["tests/unit/controller/drift/judgeDrift.test.ts"];

/** Rules of what a repair of drift may not take away. */
export const ofDrift: Mutation[] = [
    {
        name: "a repair of a label takes out what `kubectl` wrote on the object: a Secret's key, or a variable of a pod template",
        file: judge,
        find: "return loss(found, found.losses?.updated);",
        replace: "return undefined;",
        tests,
    },
    {
        name: "a ConfigMap is made anew without what others wrote on it",
        file: judge,
        find: "rule?.replaced === true ? loss(found, found.losses?.replaced)",
        replace: "rule?.replaced === true ? undefined",
        tests,
    },
    {
        name: "an object is written of which it is not known what others wrote on it",
        file: judge,
        find: "losses === undefined",
        replace: "false",
        tests,
    },
    {
        name: "what of a Secret is not known to be the program's is taken for the program's",
        file: "controller/drift/lossesOf.ts",
        find: "return isRecord(value) ? valueAt(value[name], rest) : undefined;",
        replace: 'return value === "[secret]" ? "" : isRecord(value) ? valueAt(value[name], rest) : undefined;',
        tests,
    },
    {
        name: "what `kubectl` added to a list of the program's is taken out",
        file: "controller/drift/lossesOf.ts",
        find: "live.every((one) => value.some((other) => covers(other, one)))",
        replace: "true",
        tests,
    },
    {
        name: "a ConfigMap is made anew without what another stack wrote on it",
        file: "controller/drift/lossesOf.ts",
        find: "replaced: lost(() => true)",
        replace: "replaced: lost(isOthers)",
        tests,
    },
];
