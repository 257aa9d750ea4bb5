import * as assert from "node:assert/strict";
import { readEventLog } from "../../../sandbox/pulumi/eventLog";

const stack = "urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev";
const gate = "urn:pulumi:dev::p::pulumi-nodejs:tidb:ScaleGate::pd";

/** Lines as the Pulumi CLI 3.259 wrote them, cut to what is read. */
function line(event: object): string {
    return JSON.stringify({ sequence: 0, timestamp: 0, ...event });
}

function step(
    op: string,
    urn: string,
    type: string,
    before: object | null,
    after: object | null,
    logical = true,
): string {
    const metadata = { op, urn, type, old: before && { inputs: before }, new: after && { inputs: after }, logical };
    return line({ resourcePreEvent: { metadata } });
}

describe("driver: event log", () => {
    it("gives steps with their differences, counts, outputs and diagnostics", () => {
        const run = readEventLog(
            [
                line({ preludeEvent: { config: {} } }),
                step("update", gate, "pulumi-nodejs:tidb:ScaleGate", { replicas: 3 }, { replicas: 5 }),
                line({ diagnosticEvent: { severity: "debug", message: "noise" } }),
                line({ diagnosticEvent: { severity: "info", urn: gate, message: "status", ephemeral: true } }),
                line({ diagnosticEvent: { severity: "warning", urn: gate, message: "<{%reset%}>slow<{%reset%}>\n" } }),
                line({ diagnosticEvent: { severity: "error", message: "update failed" } }),
                line({
                    resOutputsEvent: {
                        metadata: {
                            op: "same",
                            urn: stack,
                            type: "pulumi:pulumi:Stack",
                            new: {
                                outputs: {
                                    host: "h",
                                    password: {
                                        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
                                        ciphertext: "[secret]",
                                    },
                                },
                            },
                        },
                    },
                }),
                line({ summaryEvent: { resourceChanges: { update: 1, same: 2 }, isPreview: false } }),
            ].join("\n"),
        );
        assert.deepEqual(run, {
            changes: { create: 0, update: 1, replace: 0, delete: 0, same: 2, read: 0 },
            outputs: { host: "h", password: "[secret]" },
            steps: [
                {
                    op: "update",
                    urn: gate,
                    type: "pulumi-nodejs:tidb:ScaleGate",
                    name: "pd",
                    diff: { replicas: { before: 3, after: 5 } },
                },
            ],
            diagnostics: [{ severity: "warning", urn: gate, message: "slow" }],
        });
    });

    it("leaves out the halves of a replacement and the providers that Pulumi creates itself", () => {
        const provider = "urn:pulumi:dev::p::pulumi:providers:kubernetes::default_4_32_0";
        const run = readEventLog(
            [
                step("create", provider, "pulumi:providers:kubernetes", null, {}),
                step("create-replacement", gate, "t", {}, {}, false),
                step("replace", gate, "t", {}, {}),
                step("delete-replaced", gate, "t", {}, null, false),
            ].join("\n"),
        );
        assert.deepEqual(
            run.steps.map(({ op }) => op),
            ["replace"],
        );
    });

    it("describes the update if a preview came before it", () => {
        const run = readEventLog(
            [
                line({ preludeEvent: {} }),
                step("create", gate, "t", null, {}),
                line({ summaryEvent: { resourceChanges: { create: 1 }, isPreview: true } }),
                line({ preludeEvent: {} }),
                line({ summaryEvent: { resourceChanges: { same: 1 }, isPreview: false } }),
            ].join("\n"),
        );
        assert.equal(run.steps.length, 0);
        assert.equal(run.changes.same, 1);
    });

    it("may end in a line that a kill cut off, but contain no other broken line", () => {
        const whole = step("create", gate, "t", null, {});
        assert.equal(readEventLog(`${whole}\n{"resourcePre`).steps.length, 1);
        assert.throws(() => readEventLog(`{"resourcePre\n${whole}\n`));
        assert.equal(readEventLog("").steps.length, 0);
    });
});
