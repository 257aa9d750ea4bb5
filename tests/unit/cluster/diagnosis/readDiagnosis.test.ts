import * as assert from "node:assert/strict";
import type { V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { KubernetesApiError } from "../../../../provider/cluster/apiCall";
import type { DiagnosisCalls } from "../../../../provider/cluster/diagnosis/diagnosisCalls";
import { TooMany } from "../../../../provider/cluster/diagnosis/pages";
import { readDiagnosis } from "../../../../provider/cluster/diagnosis/readDiagnosis";
import type { AskedPod } from "../../../../provider/lifecycle/diagnosis/facts";
import { diagnosePod } from "../../../../provider/lifecycle/diagnosis/diagnosePod";
import { notAsked } from "../../../../provider/lifecycle/vocabulary/evidence";
import { createAuthority, issue, secretData } from "../../../support/certificates/certificates";
import { podOf, statusOf, unscheduled } from "../../lifecycle/diagnosis/podFacts";
import { repeats } from "../../../support/repeats";

const id = { namespace: "tidb", cluster: "basic", instance: "basic" };
const insufficient = "0/1 nodes are available: 1 Insufficient cpu.";
const forbidden = () => Promise.reject(new KubernetesApiError("answered 403", 403));
const claims = { volumes: [{ name: "tikv", persistentVolumeClaim: { claimName: "tikv-basic-tikv-0" } }] };

/** Reads pods through calls of which each notes that it was made. */
async function read(
    pod: V1Pod | undefined,
    answers: Partial<DiagnosisCalls> = {},
    certificates = false,
    secret?: object,
    more: readonly AskedPod[] = [],
) {
    const asked: string[] = [];
    const notes = <A extends unknown[], T>(what: string, answer: (...args: A) => Promise<T>) => {
        return (...args: A) => {
            asked.push([what, ...args].join(" "));
            return answer(...args);
        };
    };
    const none = () => Promise.resolve([]);
    const all: DiagnosisCalls = {
        pod: () => Promise.resolve(pod),
        node: () => Promise.resolve(undefined),
        events: none,
        claim: () => Promise.resolve({ status: { phase: "Bound" } }),
        nodes: () => Promise.resolve([{ metadata: { name: "node-1" }, status: { allocatable: { cpu: "16" } } }]),
        allPods: none,
        classes: none,
        volumes: none,
        log: () => Promise.resolve("one\ntwo"),
        ...answers,
    };
    const calls = Object.fromEntries(
        Object.entries(all).map(([name, answer]) => [name, notes(name, answer as () => Promise<unknown>)]),
    ) as unknown as DiagnosisCalls;
    const secrets = {
        readSecret: notes("secret", () => Promise.resolve(secret as Record<string, string> | undefined)),
    };
    const request = { pods: [{ component: "tikv", name: "basic-tikv-0" } as const, ...more], certificates };
    return { facts: await readDiagnosis(calls, secrets, id, request, () => 7), asked };
}

describe("what a diagnosis reads", () => {
    it("of a pod that is Ready: the pod", async () => {
        const { asked } = await read(podOf({ conditions: [{ type: "Ready", status: "True" }] }));
        assert.deepEqual(asked, ["pod basic-tikv-0"]);
    });

    it("of a claim that grows: its events, although it is bound", async () => {
        const asked: string[] = [];
        const calls = {
            claim: (name: string) => {
                asked.push(`claim ${name}`);
                return Promise.resolve({ status: { phase: "Bound" } });
            },
            events: (of: string) => {
                asked.push(`events ${of}`);
                return Promise.resolve([]);
            },
        } as unknown as DiagnosisCalls;
        const request = { pods: [], certificates: false, growing: ["tikv-basic-tikv-0"] };
        const { claims: found } = await readDiagnosis(calls, { readSecret: () => assert.fail() }, id, request, () => 7);
        const events = "events involvedObject.kind=PersistentVolumeClaim,involvedObject.name=tikv-basic-tikv-0";
        assert.deepEqual(asked, ["claim tikv-basic-tikv-0", events]);
        assert.deepEqual(
            found?.map((one) => [one.name, one.claim.known, one.events.known]),
            [["tikv-basic-tikv-0", true, true]],
        );
    });

    it("of a pod that is bound to a node, and is not Ready: the node too, once for all of its pods", async () => {
        const { asked, facts } = await read(podOf({}, {}, { nodeName: "node-9" }), {}, false, undefined, [
            { component: "tikv", name: "basic-tikv-1" },
        ]);
        assert.deepEqual(
            asked.filter((one) => one.startsWith("node")),
            ["node node-9"],
        );
        assert.deepEqual(
            facts.pods.flatMap(diagnosePod).map(({ what }) => what),
            ["its node node-9 is gone", "its node node-9 is gone"],
        );
    });

    it("of a pod that is stopping: its node, and nothing else", async () => {
        const pod = podOf({}, {}, { nodeName: "node-9" });
        const stopping = (at: number) => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: new Date(at) } });
        assert.deepEqual((await read(stopping(0))).asked, ["pod basic-tikv-0", "node node-9"]);
        const inTime = async (at: number) => (await read(stopping(at))).facts.pods[0].stopsInTime;
        assert.deepEqual([await inTime(7), await inTime(8)], [false, true]);
    });

    it("of a pod that does not exist: the events of its StatefulSet", async () => {
        const { asked } = await read(undefined);
        assert.deepEqual(asked, [
            "pod basic-tikv-0",
            "events involvedObject.kind=StatefulSet,involvedObject.name=basic-tikv",
        ]);
    });

    it("of a pod with a container that crashes: its own events, not those of an earlier pod, and the log of the process before", async () => {
        const status = statusOf({
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 1 } },
            restartCount: 2,
        });
        const { asked, facts } = await read(podOf({ containerStatuses: [status] }));
        assert.deepEqual(asked, ["pod basic-tikv-0", "events involvedObject.uid=pod-0", "log basic-tikv-0 tikv true"]);
        assert.equal(diagnosePod(facts.pods[0])[0].evidence, "two");
    });

    it("of a container that has ended and was not restarted: its own log", async () => {
        const status = statusOf({ state: { terminated: { exitCode: 1 } } });
        assert.ok((await read(podOf({ containerStatuses: [status] }))).asked.includes("log basic-tikv-0 tikv false"));
    });

    it("of a Job's pod: the same as of a member's; of a Job without a pod: the events of the Job", async () => {
        const refusal =
            'Error creating: pods "backup-b-x7k2p" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true';
        const ended = statusOf({ name: "backup", state: { terminated: { exitCode: 1 } } });
        const event = { metadata: {}, involvedObject: {}, reason: "FailedCreate", message: refusal };
        const { asked, facts } = await read(
            podOf({ phase: "Failed", containerStatuses: [ended] }),
            { events: () => Promise.resolve([event]) },
            false,
            undefined,
            [
                { job: "backup-a", name: "backup-a-1" },
                { job: "backup-b", name: "a pod of Job backup-b", isMissing: true },
            ],
        );
        assert.deepEqual(
            asked.filter((one) => one.startsWith("pod ")),
            ["pod basic-tikv-0", "pod backup-a-1"],
        );
        assert.ok(asked.includes("log backup-a-1 backup false"));
        assert.ok(asked.includes("events involvedObject.kind=Job,involvedObject.name=backup-b"));
        const [, failed, refused] = facts.pods.map((pod) => [pod.job, pod.component, diagnosePod(pod)[0]] as const);
        assert.deepEqual(failed.slice(0, 2), ["backup-a", undefined]);
        assert.deepEqual(
            [failed[2].reason, failed[2].evidence, failed[2].fix],
            ["ContainerCrashes", "two", "see its log: kubectl logs backup-a-1 -n tidb -c backup"],
        );
        assert.equal(refused[2].of, "a pod of Job backup-b");
        repeats(refused[2].what, "restricted:latest");
        repeats(refused[2].fix, "securityContext", "Job backup-b");
    });

    it("of a pod that waits for its claim: the claim, its events, classes and volumes, and no nodes", async () => {
        const pod = unscheduled(
            "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
            {},
            claims,
        );
        const { asked } = await read(pod, { claim: () => Promise.resolve({ status: { phase: "Pending" } }) });
        assert.deepEqual(asked.slice(1).sort(), [
            "claim tikv-basic-tikv-0",
            "classes",
            "events involvedObject.kind=PersistentVolumeClaim,involvedObject.name=tikv-basic-tikv-0",
            "events involvedObject.uid=pod-0",
            "volumes",
        ]);
    });

    it("of a pod that fits on no node: the nodes, and not the pods of all namespaces", async () => {
        const { asked } = await read(unscheduled(insufficient, { cpu: "20" }, claims));
        assert.deepEqual(asked.slice(1).sort(), [
            "claim tikv-basic-tikv-0",
            "events involvedObject.uid=pod-0",
            "nodes",
        ]);
    });

    describe("of a pod whose volume no node reaches: the volume's node", () => {
        const pod = unscheduled(
            "0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity.",
            {},
            claims,
        );
        const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-9"] }];
        const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
        const bound = {
            claim: () => Promise.resolve({ spec: { volumeName: "pv-1" }, status: { phase: "Bound" } }),
            volumes: () =>
                Promise.resolve([
                    { metadata: { name: "pv-0" } },
                    { metadata: { name: "pv-1" }, spec: { nodeAffinity } },
                ]),
        };

        it("by its name, and as a host name", async () => {
            const { asked, facts } = await read(pod, bound);
            assert.deepEqual(asked.slice(3), ["volumes", "node node-9", "nodes"]);
            assert.equal(diagnosePod(facts.pods[0])[0].what, "its volume is on node node-9, which is gone");
            const labels = { "kubernetes.io/hostname": "node-9" };
            const conditions = [{ type: "Ready", status: "True" }];
            const nodes = () => Promise.resolve([{ metadata: { name: "ip-9", labels }, status: { conditions } }]);
            const other = await read(pod, { ...bound, nodes });
            assert.equal(diagnosePod(other.facts.pods[0])[0].reason, "Unschedulable");
        });

        it("which is not known if the nodes cannot be listed", async () => {
            const { facts } = await read(pod, { ...bound, nodes: forbidden });
            assert.equal(diagnosePod(facts.pods[0])[0].reason, "Unschedulable");
            assert.equal(facts.pods[0].volumeNode?.node.known, false);
        });

        it("unless the volume is tied to none", async () => {
            const volumes = () => Promise.resolve([{ metadata: { name: "pv-1" } }]);
            assert.deepEqual((await read(pod, { ...bound, volumes })).asked.slice(3), ["volumes"]);
        });
    });

    it("of a pod for which other pods have taken the room: what they request", async () => {
        const spec = { nodeName: "node-1", containers: [{ name: "x", resources: { requests: { cpu: "14" } } }] };
        const allPods = () => Promise.resolve([{ spec }, { spec: { containers: [] } }]);
        const { facts } = await read(unscheduled(insufficient, { cpu: "4" }), { allPods });
        repeats(diagnosePod(facts.pods[0])[0].what, "at most 2, on node-1 (2 short)");
    });

    it("nothing that is refused or does not answer is known, and nothing else fails", async () => {
        const refuses = { events: forbidden, nodes: forbidden, claim: forbidden };
        const { facts } = await read(unscheduled(insufficient, { cpu: "4" }, claims), refuses);
        const [{ events, nodes, claims: found }] = facts.pods;
        assert.deepEqual(
            [events, nodes, found[0].claim, found[0].events],
            [...Array.from({ length: 3 }, () => ({ known: false, why: "answered 403" })), notAsked],
        );
        const tooMany = () => Promise.reject(new TooMany("there are more than 10000, which are not read"));
        const many = await read(unscheduled(insufficient, { cpu: "4" }), { allPods: tooMany });
        assert.equal(diagnosePod(many.facts.pods[0])[0].what, "not enough CPU on 1 node");
    });

    it("a pod that cannot be read is not taken for one that does not exist", async () => {
        const { facts, asked } = await read(undefined, { pod: forbidden });
        assert.deepEqual([facts.pods, facts.unread, asked.length], [[], ["basic-tikv-0: answered 403"], 1]);
    });

    it("an error of this package is not hidden", async () => {
        await assert.rejects(read(undefined, { pod: () => Promise.reject(new TypeError("bug")) }), TypeError);
    });

    describe("certificates", () => {
        const volumes = ["basic-tikv-cluster-secret", "somebody-elses-secret"].map((secretName) => ({
            name: secretName,
            secret: { secretName },
        }));
        const pod = podOf({ conditions: [{ type: "Ready", status: "True" }] }, {}, { volumes });

        it("are read from Secrets of this package that pods mount, if they are asked for", async () => {
            const { asked, facts } = await read(pod, {}, true);
            assert.deepEqual(asked, ["pod basic-tikv-0", "secret tidb basic-tikv-cluster-secret"]);
            assert.deepEqual(facts.certificates[0].certificate, {
                known: true,
                value: "absent",
                from: "the API server",
                at: 7,
            });
            assert.deepEqual((await read(pod)).asked, ["pod basic-tikv-0"]);
        });

        it("end when the first of them ends: the member's own, or that of its CA", async () => {
            const [soon, late] = [new Date("2027-01-01T00:00:00Z"), new Date("2030-01-01T00:00:00Z")];
            for (const [ofCa, ofMember] of [
                [soon, late],
                [late, soon],
            ]) {
                const authority = await createAuthority("ca", ofCa);
                const issued = await issue(authority, ["basic-tikv"], { notAfter: ofMember });
                const { facts } = await read(pod, {}, true, secretData(authority, issued));
                const { certificate } = facts.certificates[0];
                assert.ok(certificate.known && certificate.value !== "absent");
                assert.equal(certificate.value.to, soon.getTime());
            }
        });

        it("without a certificate, or with an invalid one, are not known", async () => {
            const invalid = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
            for (const secret of [{}, { "tls.crt": invalid }]) {
                assert.equal((await read(pod, {}, true, secret)).facts.certificates[0].certificate.known, false);
            }
        });
    });
});
