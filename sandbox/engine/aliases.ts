import { type AliasSpec, type Deployment, type Goal } from "./deployment";
import { type ResourceState } from "./state";
import { makeUrn, nameOf } from "./urn";

/**
 * Finds the old resource that the program now registers under another name, type or parent, and moves it to its new
 * URN. This includes a resource that has no alias itself but whose parent was renamed.
 */
export function adoptAlias(deployment: Deployment, urn: string, goal: Goal): ResourceState | undefined {
    const urns = [
        ...goal.aliases.flatMap((alias) => aliasUrns(deployment, alias, goal)),
        ...inheritedUrns(deployment, goal),
    ];
    const old = urns.map((alias) => deployment.olds.get(alias)).find((each) => each !== undefined);
    if (old === undefined || deployment.news.has(old.urn)) {
        return undefined;
    }
    deployment.aliased.set(old.urn, urn);
    deployment.olds.delete(old.urn);
    const moved: ResourceState = { ...old, urn, type: goal.type };
    deployment.olds.set(urn, moved);
    if (!deployment.preview) {
        deployment.state.resources.splice(deployment.state.resources.indexOf(old), 1, moved);
    }
    return moved;
}

function aliasUrns(deployment: Deployment, alias: AliasSpec, goal: Goal): string[] {
    if ("urn" in alias) {
        return [alias.urn];
    }
    const parent = alias.noParent ? undefined : (alias.parent ?? goal.parent);
    const parents = [parent, ...oldNamesOf(deployment, parent)];
    return parents.map((each) =>
        makeUrn(deployment.stack, deployment.project, each, alias.type ?? goal.type, alias.name ?? goal.name),
    );
}

/** A parent's new name changes its children's URNs, and often also the names built from it. */
function inheritedUrns(deployment: Deployment, goal: Goal): string[] {
    const { parent } = goal;
    return oldNamesOf(deployment, parent).flatMap((oldParent) => {
        const names = [goal.name];
        if (parent !== undefined && goal.name.startsWith(nameOf(parent))) {
            names.push(nameOf(oldParent) + goal.name.slice(nameOf(parent).length));
        }
        return names.map((name) => makeUrn(deployment.stack, deployment.project, oldParent, goal.type, name));
    });
}

function oldNamesOf(deployment: Deployment, urn: string | undefined): string[] {
    return [...deployment.aliased].filter(([, now]) => now === urn).map(([before]) => before);
}
