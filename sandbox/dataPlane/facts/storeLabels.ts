type Labels = Readonly<Record<string, string>>;

const keyFormat = "^[$]?[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$";
const valueFormat = "^[-A-Za-z0-9_./]*$";

/** @returns PD's message for labels that it refuses; undefined if it takes them (tikv/pd pkg/schedule/config/util.go, ValidateLabels). */
export function formatProblem(labels: Labels): string | undefined {
    for (const [key, value] of Object.entries(labels)) {
        if (!new RegExp(keyFormat).test(key)) {
            return `${key} does not match format "${keyFormat}"`;
        }
        if (!new RegExp(valueFormat).test(value)) {
            return `${value} does not match format "${valueFormat}"`;
        }
    }
    return undefined;
}

/** @returns a store's labels with others set: a key is found in any case, and an empty value deletes it (tikv/pd pkg/core/store.go, MergeLabels). */
export function mergedLabels(origin: Labels, given: Labels): Record<string, string> {
    const merged: Record<string, string> = { ...origin };
    for (const [key, value] of Object.entries(given)) {
        const known = Object.keys(merged).find((one) => one.toLowerCase() === key.toLowerCase());
        merged[known ?? key] = value;
    }
    return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== ""));
}

/** @returns PD's message for a store that `strictly-match-label` refuses (tikv/pd server/cluster/cluster.go, checkStoreLabels). */
export function strictProblem(labels: Labels, locationLabels: readonly string[]): string | undefined {
    const lacking = locationLabels.find((key) => !labels[key]);
    const odd = Object.keys(labels).find((key) => key !== "engine" && !locationLabels.includes(key));
    return lacking !== undefined
        ? `label configuration is incorrect, need to specify the key: ${lacking} `
        : odd !== undefined
          ? `key matching the label was not found in the PD, store label key: ${odd} `
          : undefined;
}
