import * as assert from "node:assert/strict";
import { steadyNow } from "../../../provider/cluster/clock";
import { ClusterJournal } from "../../../provider/cluster/journal/clusterJournal";
import type { JournalPort } from "../../../provider/cluster/journal/journalPort";
import { createKubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { loadKubeConfig } from "../../../provider/cluster/kubeConfig";
import type { JournalOperation } from "../../../provider/lifecycle/journal/journalOperation";
import { operationText, readOperation } from "../../../provider/lifecycle/journal/journalText";
import type { ObjectEvent } from "../../../provider/lifecycle/journal/objectEvents";
import { type JournaledApiServer, startJournaledApiServer } from "./journaledApiServer";
import { repeats } from "../../support/repeats";

const holder = `${"ana".repeat(50)}@laptop, process 4711 (3f9a1c)`;
const operation = (id: string, more: Partial<JournalOperation> = {}): JournalOperation => ({
    id,
    what: "roll out basic-tikv",
    holder,
    began: 1_700_000_000_000,
    pods: ["basic-tikv-0"],
    entries: [],
    ...more,
});
const event: ObjectEvent = {
    object: { kind: "Pod", name: "basic-tikv-0", uid: "uid-0" },
    reason: "DeletePod",
    note: "restart basic-tikv-0",
    isWarning: false,
};
const labels = {
    "app.kubernetes.io/component": "journal",
    "app.kubernetes.io/instance": "basic",
    "app.kubernetes.io/managed-by": "pulumi-tidb",
    "app.kubernetes.io/name": "tidb-cluster",
};

describe("the journal in the cluster", function () {
    this.timeout(30_000);
    let server: JournaledApiServer;
    let journal: JournalPort;
    let warnings: string[];

    beforeEach(async () => {
        server = await startJournaledApiServer();
        warnings = [];
        const api = await createKubernetesApi(await loadKubeConfig({ kubeconfig: server.kubeconfig }));
        const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
        journal = new ClusterJournal(api, id, holder, steadyNow).port({
            warn: ({ message }) => warnings.push(message),
        });
    });
    afterEach(() => server.close());

    const stored = () =>
        Object.values(server.journal?.binaryData ?? {})
            .map(readOperation)
            .map(({ id, outcome }) => `${id} ${outcome ?? "open"}`);
    const writes = () => server.requests.filter((one) => one.startsWith("PATCH") || one === "POST configmaps");

    it("is a ConfigMap with the cluster's labels that goes with the cluster's Lease", async () => {
        journal.keep(operation("1"));
        await journal.written();
        assert.deepEqual(server.journal?.metadata, {
            name: "basic-journal",
            labels,
            ownerReferences: [
                {
                    apiVersion: "coordination.k8s.io/v1",
                    kind: "Lease",
                    name: "basic-pulumi-tidb",
                    uid: "lease-1",
                },
            ],
        });
        assert.deepEqual([stored(), warnings], [["1 open"], []]);
    });

    it("keeps the operations of other processes, and drops the oldest beyond its bounds", async () => {
        const others = Array.from({ length: 50 }, (_, index) => `a${String(index).padStart(2, "0")}`);
        const binaryData = Object.fromEntries(others.map((id) => [id, operationText(operation(id))]));
        server.journal = { metadata: { name: "basic-journal", labels }, binaryData };
        journal.keep(operation("a99", { outcome: "done" }));
        await journal.written();
        assert.deepEqual([stored().length, stored()[0], stored().at(-1)], [50, "a01 open", "a99 done"]);
    });

    it("writes many changes at once: the first, and then at most one every two seconds", async () => {
        server.delay = 100;
        for (let change = 0; change < 40; change += 1) {
            journal.keep(operation("1", { why: String(change) }));
            await new Promise((resolve) => setTimeout(resolve, 20));
        }
        // The first write is a patch, which finds nothing, and a creation.
        assert.deepEqual(writes(), ["PATCH configmaps", "POST configmaps"]);
        await journal.written();
        assert.equal(readOperation(server.journal?.binaryData?.["1"] ?? "").why, "39");
        assert.equal(writes().length, 3);
    });

    it("is written again if somebody has deleted it", async () => {
        journal.keep(operation("1"));
        await journal.written();
        server.journal = undefined;
        journal.keep(operation("1", { outcome: "done" }));
        await journal.written();
        assert.deepEqual([stored(), warnings], [["1 done"], []]);
    });

    it("is not left behind by a cluster that is destroyed", async () => {
        server.hasLease = false;
        journal.keep(operation("1"));
        await journal.written();
        assert.deepEqual([server.journal, warnings], [undefined, []]);
    });

    it("warns once if the user may not write it, names the right, and does not try again", async () => {
        server.refused.set("GET configmaps", 403);
        for (const id of ["1", "2"]) {
            journal.keep(operation(id));
            await journal.written();
        }
        assert.equal(warnings.length, 1);
        repeats(warnings, "ConfigMap basic-journal", "403", "grant");
        assert.deepEqual(server.requests, ["GET configmaps"]);
    });

    it("leaves a ConfigMap of that name alone that is somebody else's", async () => {
        server.journal = { metadata: { name: "basic-journal", labels: {} }, binaryData: { mine: "aaaa" } };
        journal.keep(operation("1"));
        await journal.written();
        assert.deepEqual(server.journal.binaryData, { mine: "aaaa" });
        repeats(warnings, "ConfigMap basic-journal");
    });

    it("catches up after a failure of the API server, without a warning", async () => {
        server.refused.set("PATCH configmaps", 500);
        journal.keep(operation("1"));
        await new Promise((resolve) => setTimeout(resolve, 300));
        server.refused.clear();
        await journal.written();
        assert.deepEqual([stored(), warnings], [["1 open"], []]);
    });

    it("delays the end of an operation by three seconds at most", async () => {
        server.refused.set("GET configmaps", "silence");
        journal.keep(operation("1"));
        const began = Date.now();
        await journal.written();
        assert.ok(Date.now() - began < 4_000);
        repeats(warnings, "3 s");
    });

    it("has Events beside it, on the object, that kubectl describe shows", async () => {
        journal.tell([event]);
        await journal.written();
        const [{ metadata, eventTime, ...written }] = server.events;
        // A real API server refuses `generateName`, and a name that ends with a period.
        const { name, namespace } = metadata as Record<string, string>;
        assert.match(name, /^basic-tikv-0\.[0-9a-f]{16}$/);
        assert.equal(namespace, "tidb");
        assert.match(String(eventTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        assert.deepEqual(written, {
            reportingController: "pulumi-tidb.io/gates",
            reportingInstance: holder.slice(0, 128),
            type: "Normal",
            action: "DeletePod",
            reason: "DeletePod",
            note: "restart basic-tikv-0",
            regarding: { apiVersion: "v1", kind: "Pod", name: "basic-tikv-0", namespace: "tidb", uid: "uid-0" },
        });
    });

    it("has Events of the type Warning for what fails", async () => {
        journal.tell([{ ...event, isWarning: true }]);
        await journal.written();
        assert.equal(server.events[0].type, "Warning");
    });

    it("does not let Events pile up, and warns once if the user may not create them", async () => {
        /** `written` waits for three seconds at most, and a slow machine may need longer. */
        const writtenUntil = async (isDone: () => boolean) => {
            for (await journal.written(); !isDone(); await journal.written()) {
                await new Promise((resolve) => setTimeout(resolve, 20));
            }
        };
        journal.tell(Array.from({ length: 1_000 }, () => event));
        await writtenUntil(() => server.events.length >= 100);
        journal.tell([{ ...event, reason: "Last" }]);
        await writtenUntil(() => server.events.length >= 101);
        assert.deepEqual(
            server.events.slice(99).map(({ reason }) => reason),
            ["DeletePod", "Last"],
        );
        server.refused.set("POST events", 403);
        journal.tell([event, event]);
        const ofEvents = () => warnings.filter((warning) => warning.includes("Events"));
        await writtenUntil(() => ofEvents().length > 0);
        const asked = server.requests.length;
        journal.tell([event]);
        await journal.written();
        assert.equal(server.requests.length, asked);
        assert.equal(ofEvents().length, 1);
        repeats(ofEvents(), "{ apiGroups: [events.k8s.io], resources: [events], verbs: [create] }");
    });
});
