import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { check, delete_ } from "../../../provider/gates/gates";
import { GateError } from "../../../provider/gates/gateError";
import { OtherClusterError } from "../../../provider/gates/sameCluster";
import { toldOnce } from "../../../provider/gates/toldOnce";
import { repeats } from "../../support/repeats";

/** What Pulumi's SDK prints of an error of `check` or `delete`, besides the message that it passes to the engine. */
const printed = (error: unknown): string => `${String(error)}: ${(error as Error).stack}`;

describe("an error of a gate's check or delete", () => {
    it("reaches the user once: the engine gets the message, and the SDK prints neither it nor a stack", () => {
        const problem = {
            code: "api-call-failed",
            step: "destroy",
            target: "tidb/mine",
            seen: "no answer",
            next: "make it reachable",
        } as const;
        for (const error of [
            new GateError(problem),
            new OtherClusterError("these are two clusters"),
            new KubernetesApiError("no answer", undefined),
        ]) {
            const told = toldOnce(error, "mine-ready was not deleted") as Error;
            assert.equal(told.message, error.message);
            assert.equal(told.cause, error);
            assert.equal(printed(told), "mine-ready was not deleted: the error of this resource says why");
        }
    });

    it("keeps its stack if it is a bug", () => {
        const bug = new TypeError("x is not a function");
        assert.equal(toldOnce(bug, "mine-ready was not deleted"), bug);
        assert.equal(toldOnce("a text", "mine-ready was not deleted"), "a text");
    });

    it("is told so in the methods that Pulumi calls, with the name of the gate", async () => {
        const kubeconfig = "apiVersion: v1\nkind: Config\nclusters: []\n";
        const statusUrn = "urn:pulumi:dev::shop::tidb:index:TidbCluster$pulumi-nodejs:tidb:ReadyGate::mine-ready";
        const owner = {
            stack: "dev",
            urn: "urn:pulumi:dev::shop::tidb:index:TidbCluster::mine",
            name: "mine",
            namespace: "tidb",
        };
        const props = {
            gate: "ready",
            cluster: "mine",
            namespace: "tidb",
            leaseUid: "1",
            access: { kubeconfig },
            pd: {},
            statusUrn,
            owner,
        };
        await assert.rejects(delete_("", props), (error: Error) => {
            repeats(error.message, "tidb/mine", owner.urn, "[api-call-failed]");
            assert.equal(printed(error), "mine-ready was not deleted: the error of this resource says why");
            return true;
        });
        await assert.rejects(check({}, { gate: "unknown" }), /unknown gate "unknown"/);
    });
});
