import * as assert from "node:assert/strict";
import type { V1Job, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { KubernetesApiError } from "../../../../provider/cluster/apiCall";
import type { DiagnosisCalls } from "../../../../provider/cluster/diagnosis/diagnosisCalls";
import { TooMany } from "../../../../provider/cluster/diagnosis/pages";
import { readDiagnosis } from "../../../../provider/cluster/diagnosis/readDiagnosis";
import { diagnosePod } from "../../../../provider/lifecycle/diagnosis/diagnosePod";
import { notAsked } from "../../../../provider/lifecycle/vocabulary/evidence";
import { createAuthority, issue, secretData } from "../../../support/certificates/certificates";
import { podOf, statusOf, unscheduled } from "../../lifecycle/diagnosis/podFacts";

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
    jobs = false,
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
        jobs: none,
        podsOfJob: none,
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
    const request = { pods: [{ component: "tikv", name: "basic-tikv-0" }] as const, certificates, jobs };
    return { facts: await readDiagnosis(calls, secrets, id, request, () => 7), asked };
}

describe("what a diagnosis reads", () => {
    it("of a pod that is Ready: the pod", async () => {
        const { asked } = await read(podOf({ conditions: [{ type: "Ready", status: "True" }] }));
        assert.deepEqual(asked, ["pod basic-tikv-0"]);
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

    describe("of the cluster's Jobs", () => {
        const job = (name: string, more: V1Job = {}): V1Job => ({
            spec: { template: { spec: { containers: [{ name: "backup", args: ["--pd=basic-pd.tidb:2379"] }] } } },
            ...more,
            metadata: { name, uid: `uid of ${name}`, ...more.metadata },
        });
        const podOfJob = (
            of: string,
            name: string,
            at: string,
            status: V1Pod["status"],
            uid = `uid of ${of}`,
        ): V1Pod => ({
            metadata: {
                name,
                namespace: "tidb",
                uid: `uid of ${name}`,
                creationTimestamp: new Date(at),
                ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: of, uid }],
            },
            spec: { containers: [{ name: "backup" }] },
            status,
        });
        const ready = podOf({ conditions: [{ type: "Ready", status: "True" }] });
        const crashed = {
            phase: "Failed",
            containerStatuses: [statusOf({ name: "backup", state: { terminated: { exitCode: 1 } } })],
        };

        it("nothing unless that is asked for", async () => {
            assert.deepEqual((await read(ready, { jobs: () => Promise.resolve([job("backup-a")]) })).asked, [
                "pod basic-tikv-0",
            ]);
        });

        it("the newest pod of each, by its owner, with its events and its log, and nothing of one that has succeeded", async () => {
            const pods: Record<string, V1Pod[]> = {
                "backup-a": [
                    podOfJob("backup-a", "backup-a-old", "2026-01-01", crashed),
                    podOfJob("backup-a", "backup-a-new", "2026-01-02", crashed),
                    podOfJob("backup-a", "stranger", "2026-01-03", crashed, "another uid"),
                ],
                "backup-b": [podOfJob("backup-b", "backup-b-x", "2026-01-01", { phase: "Succeeded" })],
            };
            const { facts, asked } = await read(
                ready,
                {
                    jobs: () => Promise.resolve([job("backup-a"), job("backup-b")]),
                    podsOfJob: (name) => Promise.resolve(pods[name]),
                },
                false,
                undefined,
                true,
            );
            assert.deepEqual(
                facts.pods.map(({ name, job: of, component }) => [name, of, component]),
                [
                    ["basic-tikv-0", undefined, "tikv"],
                    ["backup-a-new", "backup-a", undefined],
                ],
            );
            assert.deepEqual(asked, [
                "jobs",
                "podsOfJob backup-a",
                "podsOfJob backup-b",
                "pod basic-tikv-0",
                "events involvedObject.uid=uid of backup-a-new",
                "log backup-a-new backup false",
            ]);
            const [cause] = diagnosePod(facts.pods[1]);
            assert.deepEqual(
                [cause.reason, cause.evidence, cause.fix],
                ["ContainerCrashes", "two", "see its log: kubectl logs backup-a-new -n tidb -c backup"],
            );
        });

        it("the events of a Job without a pod, which is refused", async () => {
            const refusal =
                'Error creating: pods "backup-a-x7k2p" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true';
            const { facts, asked } = await read(
                ready,
                {
                    jobs: () => Promise.resolve([job("backup-a")]),
                    events: () =>
                        Promise.resolve([
                            { metadata: {}, involvedObject: {}, reason: "FailedCreate", message: refusal },
                        ]),
                },
                false,
                undefined,
                true,
            );
            assert.ok(asked.includes("events involvedObject.kind=Job,involvedObject.name=backup-a"));
            const [cause] = diagnosePod(facts.pods[1]);
            assert.equal(cause.of, "a pod of Job backup-a");
            assert.match(cause.what, /pod security level restricted:latest does not allow it/);
            assert.match(
                cause.fix,
                /^set the securityContext of Job backup-a, .*; a Job cannot be changed: the next one/,
            );
        });

        it("that they are not known, where the API server refuses", async () => {
            const { facts } = await read(ready, { jobs: forbidden }, false, undefined, true);
            assert.deepEqual(facts.unread, ["the pods of Jobs: answered 403"]);
            const { facts: others } = await read(
                ready,
                { jobs: () => Promise.resolve([job("backup-a")]), podsOfJob: forbidden },
                false,
                undefined,
                true,
            );
            assert.deepEqual(others.unread, ["a pod of Job backup-a: answered 403"]);
        });
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

    it("of a pod for which other pods have taken the room: what they request", async () => {
        const spec = { nodeName: "node-1", containers: [{ name: "x", resources: { requests: { cpu: "14" } } }] };
        const allPods = () => Promise.resolve([{ spec }, { spec: { containers: [] } }]);
        const { facts } = await read(unscheduled(insufficient, { cpu: "4" }), { allPods });
        assert.match(diagnosePod(facts.pods[0])[0].what, /at most 2, on node-1 \(2 short\)$/);
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
