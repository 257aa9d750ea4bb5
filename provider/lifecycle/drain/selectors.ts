import type { Node, NodeTerm, Requirement, Selector } from "../diagnosis/objects";

type Labels = Readonly<Record<string, string>>;

/** @returns whether a label selector selects an object with these labels. Without a selector, none is. */
export function selects(selector: Selector | undefined, labels: Labels = {}): boolean {
    return (
        selector !== undefined &&
        Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
        (selector.matchExpressions ?? []).every((one) => meets(labels, one))
    );
}

/** @returns whether one of the terms fits the node. A term without a requirement fits none (k8s.io/component-helpers nodeaffinity). */
export function fitsTerms(terms: readonly NodeTerm[], { metadata }: Node): boolean {
    return terms.some(({ matchExpressions = [], matchFields = [] }) => {
        const fields = { "metadata.name": metadata?.name ?? "" };
        return (
            matchExpressions.length + matchFields.length > 0 &&
            matchExpressions.every((one) => meets(metadata?.labels ?? {}, one)) &&
            matchFields.every((one) => meets(fields, one))
        );
    });
}

/** An operator that is not known is not met. */
function meets(labels: Labels, { key, operator, values = [] }: Requirement): boolean {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
        case "In":
            return value !== undefined && values.includes(value);
        case "NotIn":
            return value === undefined || !values.includes(value);
        case "Exists":
            return value !== undefined;
        case "DoesNotExist":
            return value === undefined;
        case "Gt":
            return value !== undefined && Number(value) > Number(values[0]);
        case "Lt":
            return value !== undefined && Number(value) < Number(values[0]);
        default:
            return false;
    }
}
