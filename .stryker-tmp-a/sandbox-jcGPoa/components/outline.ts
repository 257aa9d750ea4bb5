import * as pulumi from "@pulumi/pulumi";

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
        if (MUST_BE_PLAIN.test(path)) {
            throw new Error(`${path}: found an Output, expected a plain value: it decides which resources exist`);
        }
        return field === "config" || path === "spec.tiflash.config.proxy" ? {} : field === "replicas" ? 1 : "1";
    }
    if (Array.isArray(value)) {
        return value.map((inner, index) => outlineOf(inner, `${path}[${index}]`));
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, outlineOf(inner, `${path}.${key}`)]));
}

/** The spec itself, a member, whether PD has microservices and which, how many volumes TiFlash has, the Service that TiDB may have or not, whether root gets a password, and whether the cluster is paused or a member suspended. */
const MUST_BE_PLAIN = new RegExp(
    `^spec(\\.(${[
        "pd|pd\\.mode|pdms(\\[\\d+\\](\\.name)?)?|tiflash|tiflash\\.storageClaims|tikv|tidb|tidb\\.service|tidb\\.initializer(\\.createPassword)?|tiproxy|pump|ticdc|ticdc\\.config",
        "discovery|cluster|acrossK8s|tlsCluster|paused",
        "([a-z]+\\.|pdms\\[\\d+\\]\\.)?suspendAction(\\.suspendStatefulSet)?",
    ].join("|")}))?$`,
);
