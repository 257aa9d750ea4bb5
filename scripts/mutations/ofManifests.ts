import type { Mutation } from "./mutation";

const addresses = ["tests/unit/components/listenAddresses.test.ts"];
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
    {
        name: "a server that listens on loopback only is accepted",
        file: "components/validation/addresses.ts",
        find: "address.port === port && isEveryInterface(address.host)",
        replace: "address.port === port",
        tests: addresses,
    },
    {
        name: "a member may name the PD of another namespace",
        file: "components/validation/addresses.ts",
        find: "rest[0] === namespace",
        replace: "true",
        tests: addresses,
    },
    {
        name: "an overridden address is refused",
        file: "components/validation/fixedSettings.ts",
        find: "!ignored.has(key) && isWrong(key)",
        replace: "isWrong(key)",
        tests: addresses,
    },
];
