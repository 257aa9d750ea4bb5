import type { Container, Pod } from "./objects";
import { parseQuantity } from "../../../topology/quantity";

/** Amounts of resources, in billionths. */
export type Amounts = Readonly<Record<string, bigint>>;

const billion = 1_000_000_000n;
const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** @returns quantities as amounts. What is not a quantity is left out. */
export function amountsOf(quantities: Readonly<Record<string, string | undefined>> = {}): Record<string, bigint> {
    return Object.fromEntries(
        Object.entries(quantities).flatMap(([resource, quantity]) => {
            const parsed = parseQuantity(quantity);
            return parsed === undefined ? [] : [[resource, parsed.billionths] as const];
        }),
    );
}

/** @returns the sum of amounts. */
export function sumOf(all: readonly Amounts[]): Record<string, bigint> {
    return combined(all, (one, other) => one + other);
}

function combined(all: readonly Amounts[], join: (one: bigint, other: bigint) => bigint): Record<string, bigint> {
    const result: Record<string, bigint> = {};
    for (const [resource, amount] of all.flatMap((one) => Object.entries(one))) {
        result[resource] = join(result[resource] ?? 0n, amount);
    }
    return result;
}

/**
 * @returns what a pod requests of its node, as the scheduler counts it: its containers and its sidecars together; or, if that is
 * more, an init container and the sidecars that start before it; and its overhead
 * (https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/#resource-sharing-within-containers). Requests of the
 * pod as a whole replace those of its containers.
 */
export function requestsOf({ spec }: Pod): Record<string, bigint> {
    const requests = ({ resources }: Container) => amountsOf(resources?.requests);
    let sidecars: Record<string, bigint> = {};
    const starting: Amounts[] = [];
    for (const container of spec?.initContainers ?? []) {
        const now = sumOf([sidecars, requests(container)]);
        starting.push(now);
        sidecars = container.restartPolicy === "Always" ? now : sidecars;
    }
    const running = sumOf([...(spec?.containers ?? []).map(requests), sidecars]);
    const most = combined([running, ...starting], (one, other) => (one > other ? one : other));
    return sumOf([{ ...most, ...amountsOf(spec?.resources?.requests) }, amountsOf(spec?.overhead)]);
}

/** @returns an amount of a resource for people: `1.5 CPU`, `64Gi of memory`. */
export function amountWords(resource: string, billionths: bigint): string {
    if (resource === "cpu") {
        return `${decimal(billionths)} CPU`;
    }
    return isBytes(resource)
        ? `${bytes(billionths)} of ${resourceName(resource)}`
        : `${decimal(billionths)} ${resource}`;
}

/** @returns the amount alone: `1.5`, `64Gi`. */
export function amountText(resource: string, billionths: bigint): string {
    return isBytes(resource) ? bytes(billionths) : decimal(billionths);
}

/** @returns a resource's name for people. */
export function resourceName(resource: string): string {
    return resource === "cpu" ? "CPU" : resource.replace(/-/g, " ");
}

function isBytes(resource: string): boolean {
    return /(memory|storage|hugepages-.*)$/.test(resource);
}

function decimal(billionths: bigint): string {
    return String(Number(billionths / 1_000_000n) / 1000);
}

/** Rounded down to one decimal, so an amount never looks larger than it is. */
function bytes(billionths: bigint): string {
    const whole = Number(billionths / billion);
    const power = whole < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(whole) / 10));
    return `${Math.floor((whole / 1024 ** power) * 10) / 10}${units[power]}`;
}
