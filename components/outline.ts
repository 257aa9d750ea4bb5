import * as pulumi from "@pulumi/pulumi";
import { components, topology } from "../topology/members";
import { members } from "./members";

/** @returns whether `value` contains no Output and no promise. */
export function isPlain(value: unknown): boolean {
    if (pulumi.Output.isInstance(value) || value instanceof Promise) {
        return false;
    }
    return typeof value !== "object" || value === null || Object.values(value).every(isPlain);
}

/**
 * @returns `value` with a placeholder for each Output and each promise. The outline decides which resources exist, so that
 * never depends on a value that is not known yet.
 * @throws RunError if a field that decides which resources exist is an Output or a promise.
 */
export function outlineOf(value: unknown, path = "spec"): unknown {
    if (pulumi.Output.isInstance(value) || value instanceof Promise) {
        const field = path.slice(path.lastIndexOf(".") + 1);
        if (mustBePlain.test(path)) {
            throw new pulumi.RunError(
                `${path}: found an Output, expected a plain value: it decides which resources exist`,
            );
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

/** Members with their own field in the spec. The microservices of PD are items of `pdms` instead. */
const withField = components.filter((component) => topology[component].partOf === undefined);

/** Configurations in fields with another name than `config`. */
const configPaths = withField.flatMap((member) => members[member].configs.map((path) => `spec.${member}.${path}`));

/**
 * Paths that must be plain: the spec itself, each member and its `plain` fields, the names of PD's microservices, and whether
 * the cluster is paused or a member suspended.
 */
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
