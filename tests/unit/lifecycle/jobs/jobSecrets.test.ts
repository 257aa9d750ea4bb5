import * as assert from "node:assert/strict";
import { judgeJob } from "../../../../provider/lifecycle/jobs/judgeJob";
import { secretsOf } from "../../../../provider/lifecycle/jobs/jobSecrets";
import { mountSeconds, nextJobMove } from "../../../../provider/lifecycle/jobs/nextJobMove";
import { planSeen } from "../../../../provider/lifecycle/jobs/planJob";
import { pod, seen, started, target } from "./observed";
import { repeats } from "../../../support/repeats";

const variable = (name: string, key: string, optional?: boolean) => ({
    name: key,
    valueFrom: { secretKeyRef: { name, key, optional } },
});
const keys = { name: "s3-keys", from: ["--from-literal=access_key=…"] };
const waiting = pod("basic-init-a", {
    phase: "Pending",
    containers: [{ name: "br", state: { is: "waiting", reason: "ContainerCreating", message: "" } }],
});
const lacking = { ...seen({ ...started, secrets: [keys] }, [waiting]), absentSecrets: ["s3-keys"] };

describe("the Secrets of a Job", () => {
    it("are those of its variables and volumes, with the keys that it reads", () => {
        const env = [
            variable("s3-keys", "access_key"),
            variable("s3-keys", "secret_key"),
            { name: "PLAIN", valueFrom: undefined },
        ];
        const volumes = [
            {
                name: "gcs-credentials",
                secret: { secretName: "google", items: [{ key: "credentials", path: "c.json" }] },
            },
            { name: "cluster-client-tls", secret: { secretName: "basic-cluster-client-secret" } },
            { name: "password", secret: { secretName: "tidb-passwords" } },
            { name: "more", projected: { sources: [{ secret: { name: "projected" } }, {}] } },
            { name: "run", emptyDir: {} },
        ];
        assert.deepEqual(secretsOf({ initContainers: [{ env }], containers: [{ args: [] }], volumes }), [
            { name: "s3-keys", from: ["--from-literal=access_key=…", "--from-literal=secret_key=…"] },
            { name: "google", from: ["--from-file=credentials=…"] },
            {
                name: "basic-cluster-client-secret",
                from: ["--from-file=ca.crt", "--from-file=tls.crt", "--from-file=tls.key"],
            },
            { name: "tidb-passwords", from: ["--from-literal=…=…"] },
            { name: "projected", from: ["--from-literal=…=…"] },
        ]);
    });

    it("are not those without which its pod starts; a key that may be missing is in brackets", () => {
        const env = [variable("azure", "ACCOUNT"), variable("azure", "KEY", true), variable("other", "KEY", true)];
        const volumes = [{ name: "a", secret: { secretName: "maybe", optional: true } }];
        assert.deepEqual(secretsOf({ containers: [{ env }], volumes }), [
            { name: "azure", from: ["--from-literal=ACCOUNT=…", "[--from-literal=KEY=…]"] },
        ]);
    });

    it("end the wait soon where one does not exist, also where the pod only says that it is being created", () => {
        const verdict = judgeJob(lacking, target);
        assert.ok(verdict.is === "at work");
        assert.equal(
            verdict.lacks,
            "container br of pod basic-init-a has not begun (ContainerCreating); it needs Secret tidb/s3-keys, which does not exist",
        );
        const hour = { ...target, timeoutSeconds: 3600 };
        const wait = { began: 0, stuckSince: 0 };
        assert.equal(nextJobMove(verdict, hour, wait, mountSeconds * 1000 - 1).kind, "wait", "kubelet tries again");
        const move = nextJobMove(verdict, hour, wait, mountSeconds * 1000);
        assert.ok(move.kind === "fail");
        const command = "kubectl create secret generic s3-keys --namespace tidb --from-literal=access_key=…";
        repeats(move.problem.next, command);
        repeats(planSeen(verdict, hour, true, []).warnings, "Secret tidb/s3-keys", command);
    });

    it("are none that the wait is for where they are there", () => {
        const verdict = judgeJob({ ...lacking, absentSecrets: ["another"] }, target);
        assert.ok(verdict.is === "at work");
        assert.equal(verdict.isStuck, undefined);
        assert.deepEqual(planSeen(verdict, target, true, []).warnings, []);
    });
});
