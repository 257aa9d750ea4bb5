import * as assert from "node:assert/strict";
import { assertNodeRuns } from "../../../components/gates";

describe("the runtime of a program", () => {
    it("may be Node.js", () => assertNodeRuns({}));

    it("is not Bun, which has no dynamic resources: one error says so, and what to do", () => {
        assert.throws(() => assertNodeRuns({ bun: "1.4.5" }), {
            message:
                /^pulumi-tidb runs on Node\.js, and Bun 1\.4\.5 runs this program: set `runtime: nodejs` in Pulumi\.yaml;/,
        });
    });
});
