import type { BeforeUpgradeProgramInputs } from "../../provider/gates/inputs";
import { jobRevisionAnnotation } from "../../topology/annotations";
import { beforeUpgradeName } from "../../topology/backupPods";
import { upgradedMembers, type WantedTags } from "../../provider/lifecycle/backups/beforeUpgrade";
import { stableDigest } from "../kubernetes/templateRevision";
import type { OperationsArgs } from "../operations";
import type { RenderedCluster } from "../render";
import { gateBackup } from "./gateBackup";

/** What the gate of the backup before an upgrade gets. There is none without `operations.backup.beforeUpgrade`. @throws ManifestError if the cluster cannot be backed up so. */
export function beforeUpgradeInputs(
    { manifest, members }: RenderedCluster,
    operations: OperationsArgs | undefined,
):
    | Pick<BeforeUpgradeProgramInputs, "tags" | "job" | "untaggedImage" | "url" | "attempt" | "timeoutSeconds">
    | undefined {
    if (!operations?.backup?.beforeUpgrade) {
        return undefined;
    }
    const { attempt = 1, ...backup } = operations.backup.beforeUpgrade;
    const tags: WantedTags = Object.fromEntries(
        upgradedMembers.flatMap((component) => {
            const facts = members[component]?.facts;
            return facts === undefined ? [] : [[component, facts.version]];
        }),
    );
    const inputs = gateBackup(beforeUpgradeName, "operations.backup.beforeUpgrade.spec", manifest, backup);
    const { metadata, spec } = inputs.job;
    // Its image has the version of TiKV, or says nothing of where the backup is.
    const text = JSON.stringify(spec, (key, value: unknown) => (key === "image" ? undefined : value));
    metadata.annotations = { ...metadata.annotations, [jobRevisionAnnotation]: stableDigest(JSON.parse(text)) };
    return { tags, ...inputs, attempt };
}
