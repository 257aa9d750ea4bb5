import * as assert from "node:assert/strict";
import { display } from "../../../sandbox/engine/display";
import type { Diagnostic } from "../../../sandbox/engine/events";

const urn = (type: string, name: string): string => `urn:pulumi:dev::my-cluster::${type}::${name}`;
const cluster = urn("tidb:index:TidbCluster", "mine");
const gate = urn("pulumi-nodejs:tidb:RolloutGate", "mine-tikv-rollout");
const service = urn("kubernetes:core/v1:Service", "mine-pd");
const plan: Diagnostic = { severity: "info", urn: gate, message: "mine-tikv: 1 step\n  1. restart mine-tikv-0" };
const summary = { outputs: {}, changes: {}, seconds: 1 };

/** What a run with these messages shows of them. */
function shown(preview: boolean, diagnostics: Diagnostic[], diff = false): string[] {
    const lines: string[] = [];
    const reporter = display({ stack: "dev", operation: "up", diff, print: (line) => lines.push(line) });
    reporter.started(preview);
    diagnostics.forEach((one) => reporter.diagnostic(one));
    lines.push("-- end");
    reporter.finished({ ...summary, preview } as never);
    return lines.slice(1, lines.indexOf("Resources:"));
}

describe("The messages that the sandbox's engine shows", () => {
    it("are shown once, at the end of a preview, by resource", () => {
        assert.deepEqual(shown(true, [plan]), [
            "-- end",
            "Diagnostics:",
            "  pulumi-nodejs:tidb:RolloutGate (mine-tikv-rollout):",
            "    mine-tikv: 1 step",
            "      1. restart mine-tikv-0",
            "",
        ]);
    });

    it("are shown once, at once and in full, in an update, and in a preview with --diff", () => {
        const expected = ["    mine-tikv: 1 step", "      1. restart mine-tikv-0", "-- end"];
        assert.deepEqual(shown(false, [plan]), expected);
        assert.deepEqual(shown(true, [plan], true), expected);
    });

    it("name their resource, unless they begin with its name", () => {
        const messages: Diagnostic[] = [
            { severity: "info", urn: cluster, message: "mine: nothing to do" },
            { severity: "info", urn: service, message: "waiting: no endpoints" },
            { severity: "warning", urn: cluster, message: "spec.pd.replica: unknown" },
            { severity: "info", message: "of the program" },
        ];
        assert.deepEqual(shown(false, messages), [
            "    mine: nothing to do",
            "    mine-pd: waiting: no endpoints",
            "    mine: warning: spec.pd.replica: unknown",
            "    of the program",
            "-- end",
        ]);
    });

    it("are repeated at the end of an update if they are errors", () => {
        assert.deepEqual(shown(false, [{ severity: "error", urn: gate, message: "mine-tikv: refused" }]), [
            "    error: mine-tikv: refused",
            "-- end",
            "Diagnostics:",
            "  pulumi-nodejs:tidb:RolloutGate (mine-tikv-rollout):",
            "    error: mine-tikv: refused",
            "",
        ]);
    });

    it("are shown at once if they tell of a wait, and not at the end", () => {
        const wait: Diagnostic = { severity: "info", urn: gate, message: "mine-tikv: waiting", ephemeral: true };
        assert.deepEqual(shown(true, [wait]), ["    mine-tikv: waiting", "-- end"]);
    });

    it("are followed by no empty line when a gate takes its last message off its line", () => {
        const empty: Diagnostic = { severity: "info", urn: gate, message: "", ephemeral: true };
        assert.deepEqual(shown(false, [plan, empty]), shown(false, [plan]));
    });
});

describe("A resource that the sandbox's engine shows as changed", () => {
    it("names the inputs that differ, without those that its program hides", () => {
        const lines: string[] = [];
        const reporter = display({ stack: "dev", operation: "up", diff: false, print: (line) => lines.push(line) });
        const state = { urn: gate, type: "pulumi-nodejs:tidb:RolloutGate", hideDiffs: ["plan"] };
        const step = {
            operation: "update",
            urn: gate,
            type: state.type,
            old: { ...state, inputs: { plan: ["a"], planNumber: 1, tag: "v8.5.2" } },
            new: { ...state, inputs: { plan: ["b"], planNumber: 2, tag: "v8.5.2" } },
        };
        reporter.stepStarted(step as never);
        assert.deepEqual(lines, [" ~  pulumi-nodejs:tidb:RolloutGate mine-tikv-rollout updating [diff: ~planNumber]"]);
    });
});
