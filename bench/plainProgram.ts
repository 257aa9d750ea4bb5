import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import type { KubernetesObject } from "../components/kubernetes/object";

const repository = path.resolve(__dirname, "..");

/** Returns a TypeScript program that declares each object as a plain resource of `@pulumi/kubernetes`. */
export function plainProgram(objects: readonly KubernetesObject[]): string {
    const namespace = objects.find(({ kind }) => kind === "Namespace");
    const lines = objects.map((object, index) => {
        const { apiVersion, kind, ...fields } = object;
        const text = JSON.stringify(fields, undefined, 4);
        const inNamespace =
            namespace && object !== namespace
                ? text.replace(`"namespace": "${namespace.metadata.name}"`, `"namespace": namespace.metadata.name`)
                : text;
        const variable = object === namespace ? "const namespace = " : "";
        const name = JSON.stringify(`${object.metadata.name}-${index}`);
        return `${variable}new k8s.${modulePath(apiVersion)}.${kind}(${name}, ${inNamespace});`;
    });
    return [`import * as k8s from "@pulumi/kubernetes";`, "", ...lines, ""].join("\n");
}

/** Returns the SDK's module of an API version: `rbac.v1` for `rbac.authorization.k8s.io/v1`, `core.v1` for `v1`. */
function modulePath(apiVersion: string): string {
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
    return `${group.split(".")[0]}.${version}`;
}

/** Writes a program into a folder, with the `tsconfig.json` of the program `like` and this package's dependencies. */
export function writeProgram(folder: string, like: string, text: string): void {
    mkdirSync(folder, { recursive: true });
    cpSync(path.join(like, "tsconfig.json"), path.join(folder, "tsconfig.json"));
    symlinkSync(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
    writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "plain", private: true }));
    writeFileSync(path.join(folder, "Pulumi.yaml"), "name: plain\nruntime: nodejs\n");
    writeFileSync(path.join(folder, "index.ts"), text);
}
