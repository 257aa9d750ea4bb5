import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { discoveryServerFiles } from "../../../components/discovery/serverFiles";
import { pinned } from "../../support/pinned";
import { renderedScripts, variants } from "./renderedScripts";

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);
const digests = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, digest(text)]));

/**
 * A changed script or file of discovery changes a ConfigMap of every user's cluster, and what its pods do at their next
 * start. So it is never made unintentionally. After a change that is wanted, and stated in CHANGELOG.md, run the tests
 * once with PULUMI_TIDB_PIN=1.
 */
describe("texts that are pinned by their digest", () => {
    const now: Record<string, Record<string, string>> = {
        ...Object.fromEntries(Object.keys(variants).map((variant) => [variant, digests(renderedScripts(variant))])),
        discovery: digests(discoveryServerFiles()),
    };
    const file = join(__dirname, "pinned.json");
    const before = JSON.parse(pinned(file, `${JSON.stringify(now, null, 2)}\n`)) as typeof now;

    for (const variant of new Set([...Object.keys(now), ...Object.keys(before)])) {
        const what = variant === "discovery" ? "the files of discovery" : `start scripts, ${variant}`;
        it(`${what}: unchanged since the last version`, () => assert.deepEqual(now[variant], before[variant]));
    }
});
