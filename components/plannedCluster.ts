import * as pulumi from "@pulumi/pulumi";
import { checkManifest, refuseErrors } from "./checkManifest";
import type { Planned } from "./objects";
import type { OperationsArgs } from "./operations";
import { isPlain, outlineOf } from "./outline";
import type { SpecProblem } from "./problem";
import { type RenderedCluster, renderMembers } from "./render";
import { shownWarnings } from "./shownWarnings";
import type { TidbClusterManifest } from "./spec";
import { warningsBesideErrors } from "./warningsBesideErrors";

/**
 * Reads and renders a program's cluster twice: as an outline, which is plain, and with its content, which may contain
 * Outputs. If all values are plain, the two are the same.
 *
 * @param problems The errors in the program's other arguments, which are reported together with the manifest's.
 * @param warn is called with each warning, and once for all warnings after the 20th.
 * @param operations the operations of the program: the names of ConfigMaps depend on `rollout.online`.
 * @throws ManifestError that lists every error with its field.
 */
export function plannedCluster(
    given: object,
    problems: readonly SpecProblem[],
    warn: (message: string) => void,
    operations?: OperationsArgs,
): Planned<RenderedCluster> {
    const check = (manifest: unknown): RenderedCluster => {
        const { warnings, ...checked } = warningsBesideErrors(
            () => checkManifest(manifest, problems, operations),
            warn,
        );
        shownWarnings(warnings.map(({ message }) => message)).forEach(warn);
        return checked;
    };
    if (isPlain(given)) {
        const cluster = check(given);
        // `pulumi.output(cluster)` would copy and unwrap every part, but none of them is an Output.
        return { outline: cluster, content: pulumi.output(undefined).apply(() => cluster) };
    }
    // The values of Outputs are checked later, when the first objects may exist already.
    refuseErrors(problems, given);
    const { metadata, spec } = given as { metadata: object; spec: object }; // A file's manifest is plain.
    const outline = { metadata: outlineOf(metadata, "metadata"), spec: outlineOf(spec) } as TidbClusterManifest;
    const rendered = renderMembers(outline, operations);
    return { outline: { ...rendered, manifest: withTikvVersion(outline) }, content: pulumi.output(given).apply(check) };
}

/** The backups that gates take are rendered of an outline too, and need a version of TiKV. Which inputs a gate has does not depend on it. */
function withTikvVersion({ spec, ...manifest }: TidbClusterManifest): TidbClusterManifest {
    const tikv = spec.tikv && { ...spec.tikv, baseImage: "pingcap/tikv", version: "v8.5.3" };
    return { ...manifest, spec: { ...spec, ...(tikv ? { tikv } : {}) } };
}
