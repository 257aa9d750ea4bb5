import type { Permission, Trait } from "../../../topology/permissions";

/** What an update does, as far as it determines which permissions it needs. */
export interface UpdateKind {
    /** Whether the cluster is not deployed yet: nothing is deleted. */
    isFirst: boolean;
    /** Whether pods stop: a template changes, or a member has fewer pods or leaves. */
    stopsPods: boolean;
    /** Whether the number of pods of a member changes, so volumes may be released or deleted. */
    changesReplicas: boolean;
    /** Whether a member is suspended: a gate deletes its StatefulSet. */
    suspends: boolean;
    traits: readonly Trait[];
}

/** @returns the permissions that the update needs. */
export function permissionsNeeded(all: readonly Permission[], update: UpdateKind): Permission[] {
    const needs = {
        always: true,
        update: !update.isFirst,
        restart: update.stopsPods,
        volumes: update.changesReplicas,
        suspend: update.suspends,
    };
    return all.filter(({ need, trait }) => needs[need] && (trait === undefined || update.traits.includes(trait)));
}

/** A rule of Kubernetes' RBAC, as a SelfSubjectRulesReview lists it. */
export interface GrantedRule {
    verbs: readonly string[];
    apiGroups?: readonly string[];
    resources?: readonly string[];
    resourceNames?: readonly string[];
}

/** @returns whether one of the rules grants the permission (k8s.io/kubernetes pkg/apis/rbac/v1/evaluation_helpers.go). */
export function isGranted({ apiGroup, resource, verb, name }: Permission, rules: readonly GrantedRule[]): boolean {
    const subresource = resource.split("/")[1];
    const wanted = [resource, "*", ...(subresource === undefined ? [] : [`*/${subresource}`])];
    return rules.some(
        ({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
            verbs.some((one) => one === verb || one === "*") &&
            apiGroups.some((one) => one === apiGroup || one === "*") &&
            resources.some((one) => wanted.includes(one)) &&
            (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))),
    );
}

/** @returns the permissions as rules for a Role, one line each. */
export function asRules(permissions: readonly Permission[]): string[] {
    const byKind = new Map<string, { kind: string; verbs: string[] }>();
    for (const { apiGroup, resource, name, verb } of permissions) {
        const kind = [
            `apiGroups: ["${apiGroup}"]`,
            `resources: [${resource}]`,
            ...(name === undefined ? [] : [`resourceNames: [${name}]`]),
        ].join(", ");
        byKind.set(kind, { kind, verbs: [...new Set([...(byKind.get(kind)?.verbs ?? []), verb])] });
    }
    return [...byKind.values()].map(({ kind, verbs }) => `- { ${kind}, verbs: [${verbs.join(", ")}] }`);
}
