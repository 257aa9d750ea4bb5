import type { BeforeUpgradeProgramInputs, UpgradeJob } from "../../provider/gates/inputs";
import { anyUpgrade, beforeUpgradeName } from "../../topology/backupPods";
import { upgradedMembers, type WantedTags } from "../../provider/lifecycle/backups/beforeUpgrade";
import { instanceLabel } from "../../topology/labels";
import { brClusterOf, brPodsOf } from "../br/brCluster";
import { checkBr } from "../br/checkBr";
import { inFolder } from "../br/inFolder";
import { renderBr } from "../br/renderBr";
import type { BackupManifest } from "../br/spec";
import { problemsAt } from "../br/specAt";
import { defaultBrImage, hasTag } from "../br/versions";
import { defaultJobSeconds } from "../jobRunArgs";
import type { BeforeUpgradeArgs } from "../operations";
import { ManifestError, specError, type SpecProblem } from "../problem";
import type { RenderedCluster } from "../render";

const place = "operations.backup.beforeUpgrade.spec";

/** @returns the errors in the spec of a backup before an upgrade, as far as they do not depend on its cluster. */
export function backupProblems(field: string, spec: object): SpecProblem[] {
    return problemsAt(field, () => checkBr("Backup", manifestOf(spec, "cluster", "default")));
}

/** What the gate of the backup before an upgrade gets. @throws ManifestError if the cluster cannot be backed up so. */
export function beforeUpgradeInputs(
    { manifest, members }: RenderedCluster,
    { spec, attempt = 1, timeoutSeconds = defaultJobSeconds }: BeforeUpgradeArgs,
): Pick<BeforeUpgradeProgramInputs, "tags" | "job" | "untaggedImage" | "url" | "attempt" | "timeoutSeconds"> {
    const cluster = brClusterOf(manifest);
    if (manifest.spec.pd === undefined) {
        throw new ManifestError(
            [specError(place, "a cluster without a PD of its own", "a PD, which BR asks")],
            `TidbCluster ${cluster.name}`,
        );
    }
    const { instance } = brPodsOf(manifest);
    let rendered: ReturnType<typeof renderBr> | undefined;
    const problems = problemsAt(place, () => {
        const given = manifestOf(spec, cluster.name, cluster.namespace, { [instanceLabel]: instance });
        const checked = checkBr("Backup", given) as BackupManifest;
        rendered = renderBr("Backup", inFolder(checked, anyUpgrade), cluster);
    });
    if (rendered === undefined) {
        throw new ManifestError(problems, `TidbCluster ${cluster.name}`);
    }
    const image = spec.toolImage || defaultBrImage;
    const tags: WantedTags = Object.fromEntries(
        upgradedMembers.flatMap((component) => {
            const facts = members[component]?.facts;
            return facts === undefined ? [] : [[component, facts.version]];
        }),
    );
    return {
        tags,
        job: rendered.job as unknown as UpgradeJob,
        ...(hasTag(image) ? {} : { untaggedImage: image }),
        url: rendered.url,
        attempt,
        timeoutSeconds,
    };
}

function manifestOf(spec: object, cluster: string, namespace: string, labels?: Record<string, string>): object {
    const { br } = spec as { br?: object };
    return {
        metadata: { name: beforeUpgradeName, namespace, labels },
        spec: { ...spec, br: { cluster, clusterNamespace: namespace, ...br } },
    };
}
