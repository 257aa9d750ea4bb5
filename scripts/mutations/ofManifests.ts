import type { Mutation } from "./mutation";

const mounts = ["tests/unit/components/dataMounts.test.ts"];

/** Rules about what a manifest may say. */
export const ofManifests: readonly Mutation[] = [
    {
        name: "data are on a volume that ends with the pod, as long as a kept one is above it",
        file: "components/validation/dataPaths.ts",
        find: "best.path.length > mount.path.length",
        replace: "isKept(best)",
        tests: mounts,
    },
    {
        name: "an emptyDir below the data folder is accepted",
        file: "components/validation/dataPaths.ts",
        find: "writable.includes(mount.passing)",
        replace: "false",
        tests: mounts,
    },
    {
        name: "a default folder of data is not looked at",
        file: "components/validation/dataFolders.ts",
        find: "own.root === undefined ?",
        replace: "own.root !== undefined ?",
        tests: mounts,
    },
    {
        name: "a volume for logs below the data folder is refused",
        file: "components/validation/dataPaths.ts",
        find: "!allowed.includes(mount)",
        replace: "true",
        tests: mounts,
    },
];
