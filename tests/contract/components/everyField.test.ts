import assert from "node:assert/strict";
import { checkManifest } from "../../../components/checkManifest";
import { failoverPolicy } from "../../../components/failoverPolicy";
import { readyInputs } from "../../../components/gateInputs/clusterGates";
import { gatePolicy } from "../../../components/gatePolicy";
import { membersOf } from "../../../components/members";
import { ManifestError, type SpecProblem } from "../../../components/problem";
import { clusterObjects, renderMembers } from "../../../components/render";
import { createsPassword } from "../../../components/tidb/rootPassword";
import { fields } from "../../support/v1alpha1";
import { sampleCluster, sampleOf, withValue } from "../../support/sampleFields";

interface Outcome {
    /** Everything that becomes of a manifest: objects, and what its gates are told. */
    readonly text: string;
    readonly problems: readonly SpecProblem[];
}

function outcomeOf(manifest: unknown): Outcome {
    try {
        const { manifest: checked, warnings } = checkManifest(manifest);
        const policies = membersOf(checked.spec).map(({ component }) => [
            gatePolicy(checked, component),
            failoverPolicy(checked, component),
        ]);
        const rendered = renderMembers(checked);
        const { members } = readyInputs(rendered, undefined);
        return {
            text: JSON.stringify([clusterObjects(rendered), policies, createsPassword(checked.spec), members]),
            problems: warnings,
        };
    } catch (error) {
        if (error instanceof ManifestError) {
            return { text: "", problems: error.problems };
        }
        throw error;
    }
}

/** Whether a problem's field is the one, or within it, or around it in the same member. */
function isAbout(field: string, known: string): boolean {
    const isAround = field.split(".").length > 2 && known.startsWith(`${field}.`);
    return field === known || field.startsWith(`${known}.`) || field.startsWith(`${known}[`) || isAround;
}

describe("every field of v1alpha1", () => {
    for (const path of fields) {
        const { value, required } = sampleOf(path);
        it(`${path} is rendered, refused, or named in a warning`, () => {
            const base = Object.entries(required).reduce(
                (manifest, [field, needed]) => withValue(manifest, field, needed),
                sampleCluster(),
            );
            const before = outcomeOf(base);
            assert.deepEqual(
                before.problems.filter(({ severity }) => severity === "error"),
                [],
                "the cluster without the field is none",
            );
            const after = outcomeOf(withValue(base, path, value));
            const known = path.replaceAll("[]", "[0]");
            const told = after.problems.filter(
                ({ field, message }) =>
                    isAbout(field, known) &&
                    !/is not a known field/.test(message) &&
                    // What is said of the field around it may be said already, where that has to be there.
                    (field !== known || !before.problems.some((problem) => problem.message === message)),
            );
            const errors = after.problems.filter(({ severity }) => severity === "error");
            assert.ok(
                told.length > 0 || (errors.length === 0 && after.text !== before.text),
                errors.length === 0
                    ? `${path}: ${JSON.stringify(value)} changes nothing, and nobody is told`
                    : `${path}: ${JSON.stringify(value)} is refused for another field: ${errors.map(({ message }) => message).join("; ")}`,
            );
        });
    }
});
