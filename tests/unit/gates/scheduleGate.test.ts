import * as assert from "node:assert/strict";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import { unknownValue } from "../../../provider/gates/inputs";
import type { JobPorts } from "../../../provider/gates/jobWorld";
import { createScheduleGate } from "../../../provider/gates/scheduleGate";
import { repeats } from "../../support/repeats";

const keys = { name: "keys", from: ["--from-literal=access_key=…"] };
const program = {
    ...{ gate: "schedule", access: {}, namespace: "db", job: "backup-nightly-…", statusUrn: "a::b" },
    secrets: [keys, { name: "there", from: [] }],
};

/** A played namespace in which these Secrets do not exist. */
function lacking(absent: string[] | Error, more: Partial<JobPorts> = {}) {
    const told: string[] = [];
    const asked: (readonly string[])[] = [];
    const tell = (message: string) => void told.push(message);
    const absentSecrets: JobPorts["absentSecrets"] = (names) => {
        asked.push(names);
        return absent instanceof Error ? Promise.reject(absent) : Promise.resolve(absent);
    };
    const gate = createScheduleGate({
        progress: () => ({ info: tell, warn: ({ message }) => tell(message), status: tell, note: tell }),
        open: () => Promise.resolve({ absentSecrets, ...more } as JobPorts),
    });
    return { gate, told, asked };
}

describe("the gate of a BackupSchedule", () => {
    it("says in each preview, and only there, which Secret does not exist, with the command that makes it", async () => {
        const { gate, told, asked } = lacking(["keys"]);
        await gate.check({}, program);
        assert.deepEqual([told, asked], [[], []]);
        const { inputs, failures } = await gate.check({}, program, true);
        assert.equal(failures, undefined);
        await gate.check(inputs, program, true);
        assert.deepEqual(asked, [
            ["keys", "there"],
            ["keys", "there"],
        ]);
        assert.equal(told.length, 2);
        repeats(told[1], "Job db/backup-nightly-…");
        repeats(told[1], "kubectl create secret generic keys --namespace db --from-literal=access_key=…");
    });

    it("says nothing if all are there, or nothing is known of them", async () => {
        const unread = new KubernetesApiError("could not read Secret keys: no answer", undefined);
        for (const { gate, told } of [lacking([]), lacking(unread)]) {
            await gate.check({}, program, true);
            assert.deepEqual(told, []);
        }
        const elsewhere = lacking(["keys"], { namespaceState: () => Promise.resolve("missing") });
        await elsewhere.gate.check({}, program, true);
        assert.deepEqual(
            elsewhere.told,
            [],
            "the update creates the namespace, or it is in another Kubernetes cluster",
        );
        for (const state of ["active", { notKnown: "forbidden" }] as const) {
            const there = lacking(["keys"], { namespaceState: () => Promise.resolve(state) });
            await there.gate.check({}, program, true);
            assert.equal(there.told.length, 1);
        }
        const { gate, told, asked } = lacking(["keys"]);
        for (const unknown of ["namespace", "job", "access", "secrets"]) {
            await gate.check({}, { ...program, [unknown]: unknownValue }, true);
        }
        assert.deepEqual([told, asked], [[], []]);
    });

    it("has no step, and changes only with what it looks for", async () => {
        const { gate } = lacking(["keys"]);
        const { plan, warnings } = await gate.planOf({}, program);
        assert.deepEqual([plan, warnings.length], [[], 1]);
        const { inputs } = await gate.check({}, program);
        const { id, outs } = await gate.create(inputs);
        assert.deepEqual([id, outs.secrets], ["db/backup-nightly-…", program.secrets]);
        const diff = (more: object) => gate.diff(id, outs, { ...inputs, ...more });
        assert.deepEqual(await diff({ access: { context: "other" } }), { changes: false });
        assert.deepEqual(await diff({ secrets: [keys] }), { changes: true });
        assert.deepEqual(await diff({ namespace: "other" }), { changes: true });
        assert.deepEqual((await gate.update(id, outs, { ...inputs, secrets: [keys] })).outs.secrets, [keys]);
    });
});
