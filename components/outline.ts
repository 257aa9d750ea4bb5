import * as pulumi from "@pulumi/pulumi";
import { components, topology } from "../topology/members";
import { members } from "./members";

/** @returns whether nothing in `value` is known only later. */
export function isPlain(value: unknown): boolean {
    if (pulumi.Output.isInstance(value) || value instanceof Promise) {
        return false;
    }
    return typeof value !== "object" || value === null || Object.values(value).every(isPlain);
}

/**
 * @returns `value` with a placeholder for each part that is known only later. Which resources exist is decided from
 * this, so that it never depends on such a part.
 * @throws Error where a part that decides it is an Output.
 */
export function outlineOf(value: unknown, path = "spec"): unknown {
    if (pulumi.Output.isInstance(value) || value instanceof Promise) {
        const field = path.slice(path.lastIndexOf(".") + 1);
        if (mustBePlain.test(path)) {
            throw new Error(`${path}: found an Output, expected a plain value: it decides which resources exist`);
        }
        return field === "config" || configPaths.includes(path) ? {} : field === "replicas" ? 1 : "1";
    }
    if (Array.isArray(value)) {
        return value.map((inner, index) => outlineOf(inner, `${path}[${index}]`));
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, outlineOf(inner, `${path}.${key}`)]));
}

/** Members with a field of their own in the spec; parts of PD are items of `pdms`. */
const withField = components.filter((component) => topology[component].partOf === undefined);

/** Configurations whose field is not called `config`. */
const configPaths = withField.flatMap((member) => members[member].configs.map((path) => `spec.${member}.${path}`));

/** The spec itself, a member and what of it decides more, whether PD has microservices and which, and whether the cluster is paused or a member suspended. */
const mustBePlain = new RegExp(
    `^spec(\\.(${[
        ...withField
            .flatMap((member) => [member, ...members[member].plain.map((path) => `${member}.${path}`)])
            .map((path) => path.replaceAll(".", "\\.")),
        "pdms(\\[\\d+\\](\\.name)?)?",
        "discovery|cluster|acrossK8s|tlsCluster|paused",
        "([a-z]+\\.|pdms\\[\\d+\\]\\.)?suspendAction(\\.suspendStatefulSet)?",
    ].join("|")}))?$`,
);
