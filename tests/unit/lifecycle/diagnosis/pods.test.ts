import * as assert from "node:assert/strict";
import { expiringCertificates, unknownCertificates } from "../../../../provider/lifecycle/diagnosis/certificates";
import { diagnosePod, unknownOf } from "../../../../provider/lifecycle/diagnosis/diagnosePod";
import type { PodFacts } from "../../../../provider/lifecycle/diagnosis/facts";
import { notGuaranteed } from "../../../../provider/lifecycle/diagnosis/guaranteed";
import { eventOf, factsOf, forbidden, podOf, seen, statusOf, unscheduled } from "./podFacts";
import { repeats } from "../../../support/repeats";

const refused = (why: string, more: object = {}) =>
    eventOf("FailedCreate", `create Pod basic-tikv-0 in StatefulSet basic-tikv failed error: ${why}`, more);
const over = (requested: string, used: string, limited: string) =>
    `pods "basic-tikv-0" is forbidden: exceeded quota: compute, requested: ${requested}, used: ${used}, limited: ${limited}`;

describe("why a pod is not created", () => {
    const onceMore = { afterSeconds: 20, occurrence: "event-FailedCreate 1 0" };
    for (const [name, why, what, final] of [
        [
            "a quota is used up",
            over(
                "requests.cpu=4,requests.memory=8Gi",
                "requests.cpu=2,requests.memory=20Gi",
                "requests.cpu=5,requests.memory=64Gi",
            ),
            "quota compute does not allow it: requests.cpu: it needs 4, and 2 of 5 are used (1 short)",
            undefined,
        ],
        [
            "a quota is smaller than one pod",
            over("limits.memory=8Gi", "limits.memory=0", "limits.memory=4Gi"),
            "quota compute does not allow it: limits.memory: it needs 8Gi, and 0 of 4Gi are used (4Gi short)",
            onceMore,
        ],
        [
            "a quota asks for limits",
            'pods "basic-tikv-0" is forbidden: failed quota: compute: must specify limits.cpu for: tikv; requests.cpu for: tikv',
            "quota compute allows only pods that specify limits.cpu for: tikv; requests.cpu for: tikv",
            onceMore,
        ],
        [
            "a LimitRange",
            'pods "basic-tikv-0" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
            "a LimitRange does not allow it: the maximum cpu for each Container is 1, and its limit is 2",
            onceMore,
        ],
        [
            "pod security",
            'pods "basic-tikv-0" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
            "the namespace's pod security level restricted:latest does not allow it",
            onceMore,
        ],
        [
            "a webhook",
            'admission webhook "policy.example" denied the request: no',
            "the API server refuses to create it",
            undefined,
        ],
    ] as const) {
        it(name, () => {
            const causes = diagnosePod(factsOf(undefined, { events: seen([refused(why)]) }));
            assert.deepEqual(
                causes.map((cause) => [cause.what, cause.evidence]),
                [[what, why]],
            );
            assert.deepEqual(causes[0].final, final);
        });
    }

    it("the newest event counts, of this pod only", () => {
        const older = refused("older", { lastTimestamp: new Date(1_000) });
        const newer = refused("newer", { lastTimestamp: new Date(2_000) });
        const other = eventOf(
            "FailedCreate",
            "create Pod basic-tikv-00 in StatefulSet basic-tikv failed error: other",
            {
                lastTimestamp: new Date(3_000),
            },
        );
        const [cause] = diagnosePod(factsOf(undefined, { events: seen([newer, older, other]) }));
        assert.equal(cause.evidence, "newer");
    });

    it("its claim is refused", () => {
        const message =
            'create Claim tikv-basic-tikv-0 for Pod basic-tikv-0 in StatefulSet basic-tikv failed error: persistentvolumeclaims "tikv-basic-tikv-0" is forbidden: exceeded quota: disks, requested: requests.storage=100Gi, used: requests.storage=0, limited: requests.storage=10Gi';
        const [cause] = diagnosePod(factsOf(undefined, { events: seen([eventOf("FailedCreate", message)]) }));
        repeats(cause.what, "quota disks", "requests.storage", "100Gi");
    });

    it("nothing is said without events", () => {
        assert.deepEqual(diagnosePod(factsOf(undefined)), []);
        assert.deepEqual(diagnosePod(factsOf(undefined, { events: forbidden })), []);
    });
});

describe("why a pod that has a node is not Ready", () => {
    const creating = podOf({ containerStatuses: [statusOf({ state: { waiting: { reason: "ContainerCreating" } } })] });
    const running = podOf({ phase: "Running", containerStatuses: [statusOf({ state: { running: {} } })] });
    for (const [name, pod, event, what] of [
        [
            "it mounts a Secret that does not exist",
            creating,
            eventOf(
                "FailedMount",
                'MountVolume.SetUp failed for volume "tls" : secret "basic-tikv-cluster-secret" not found',
            ),
            "it mounts Secret basic-tikv-cluster-secret, which does not exist",
        ],
        [
            "its volume is on another node",
            creating,
            eventOf(
                "FailedAttachVolume",
                'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
            ),
            "its volume is still attached to another node",
        ],
        [
            "its volume cannot be attached",
            creating,
            eventOf("FailedAttachVolume", 'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal'),
            "its volume cannot be mounted",
        ],
        [
            "its probe fails",
            running,
            eventOf("Unhealthy", "Readiness probe failed: dial tcp 10.0.0.4:20160: connect: connection refused"),
            "it runs, but its probe fails",
        ],
        [
            "it was evicted",
            podOf({ phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." }),
            eventOf("Evicted", ""),
            "it has failed: Evicted",
        ],
    ] as const) {
        it(name, () =>
            assert.deepEqual(
                diagnosePod(factsOf(pod, { events: seen([event]) })).map((cause) => cause.what),
                [what],
            ),
        );
    }

    it("nothing is said of a pod that is Ready, or is stopping", () => {
        const conditions = [{ type: "Ready", status: "True" }];
        const failing = { containerStatuses: [statusOf({ state: { waiting: { reason: "ErrImagePull" } } })] };
        const stopping = podOf(failing);
        stopping.metadata = { ...stopping.metadata, deletionTimestamp: new Date() };
        assert.deepEqual(diagnosePod(factsOf(podOf({ ...failing, conditions }))), []);
        assert.deepEqual(diagnosePod(factsOf(stopping)), []);
    });
});

describe("a pod on a node that is not there", () => {
    const on = (node: Partial<PodFacts>, more: Partial<PodFacts> = {}) =>
        diagnosePod(factsOf(podOf({ phase: "Running" }, {}, { nodeName: "node-1" }), { ...node, ...more }));
    const reporting = (...conditions: { type: string; status: string; reason?: string; message?: string }[]) => ({
        ownNode: seen({ status: { conditions } }),
    });

    it("has that as its cause, before what the node reported last", () => {
        const probe = { events: seen([eventOf("Unhealthy", "Readiness probe failed")]) };
        const [{ reason, what, fix }, ...others] = on({ ownNode: seen(undefined) }, probe);
        assert.deepEqual([reason, what, others], ["NodeGone", "its node node-1 is gone", []]);
        repeats(fix, "`operations.lostNodes`");
    });

    it("has the node's own words if it is not Ready", () => {
        const [{ reason, what, evidence, fix }] = on(
            reporting({ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown", message: "stopped posting" }),
        );
        assert.deepEqual(
            [reason, what, evidence],
            ["NodeNotReady", "its node node-1 is not Ready", "NodeStatusUnknown: stopped posting"],
        );
        repeats(fix, "kubectl describe node node-1");
    });

    it("is not suspected if the node is Ready, says nothing of it, or could not be read", () => {
        assert.deepEqual(on(reporting({ type: "Ready", status: "True" })), []);
        assert.deepEqual(on(reporting()), []);
        assert.deepEqual(on({ ownNode: forbidden }), []);
        assert.deepEqual(unknownOf([factsOf(podOf({}, {}, { nodeName: "node-1" }), { ownNode: forbidden })]), [
            { what: "node node-1", why: "the API server answered 403" },
        ]);
    });

    it("says why a pod that is stopping does not end", () => {
        const pod = podOf({}, {}, { nodeName: "node-1" });
        const stopping = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: new Date(0) } };
        assert.deepEqual(
            diagnosePod(factsOf(stopping, { ownNode: seen(undefined) })).map(({ reason }) => reason),
            ["NodeGone"],
        );
        assert.deepEqual(diagnosePod(factsOf(stopping)), []);
    });

    it("has what is not known of its node said only once its time to stop is over", () => {
        const pod = podOf({}, {}, { nodeName: "node-1" });
        const stopping = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: new Date(0) } };
        const unknown = (stopsInTime: boolean) =>
            unknownOf([factsOf(stopping, { ownNode: forbidden, stopsInTime })]).map(({ what }) => what);
        assert.deepEqual([unknown(true), unknown(false)], [[], ["node node-1"]]);
        const gone = diagnosePod(factsOf(stopping, { ownNode: seen(undefined), stopsInTime: true }));
        assert.deepEqual(
            gone.map(({ reason }) => reason),
            ["NodeGone"],
        );
    });
});

describe("a pod that was made anew, and whose volume is on a node that is not there", () => {
    const refusal = "0/3 nodes are available: 3 node(s) didn't match PersistentVolume's node affinity.";
    const on = (node: PodFacts["ownNode"] & object) =>
        diagnosePod(factsOf(unscheduled(refusal), { volumeNode: { name: "node-1", node } }));
    const reporting = (status: string) =>
        seen({ status: { conditions: [{ type: "Ready", status, reason: "NodeStatusUnknown", message: "stopped" }] } });

    it("has that node as its first cause, with the way out", () => {
        const [gone, ...others] = on(seen(undefined));
        assert.deepEqual(
            [gone.reason, gone.what, gone.fix],
            [
                "NodeGone",
                "its volume is on node node-1, which is gone",
                "bring the node back; if the volume is lost for good, name the node in `operations.lostNodes`",
            ],
        );
        assert.deepEqual(
            others.map(({ reason }) => reason),
            ["Unschedulable"],
            "the scheduler's words come after it",
        );
        const [silent] = on(reporting("Unknown"));
        assert.deepEqual(
            [silent.reason, silent.what, silent.evidence],
            ["NodeNotReady", "its volume is on node node-1, which is not Ready", "NodeStatusUnknown: stopped"],
        );
        repeats(silent.fix, "describe node node-1", "`operations.lostNodes`");
    });

    it("has the scheduler's words as its cause if the node is Ready, or could not be read", () => {
        for (const node of [reporting("True"), forbidden]) {
            assert.deepEqual(
                on(node).map(({ reason }) => reason),
                ["Unschedulable"],
            );
        }
        const volumeNode = { name: "node-1", node: forbidden };
        assert.deepEqual(unknownOf([factsOf(unscheduled(refusal), { volumeNode })]), [
            { what: "node node-1", why: "the API server answered 403" },
        ]);
    });
});

describe("certificates", () => {
    const now = Date.UTC(2026, 10, 22);
    const day = 86_400_000;
    const valid = (from: number, to: number) => ({
        secret: "basic-tikv-cluster-secret",
        pods: ["basic-tikv-0", "basic-tikv-1"],
        certificate: seen({ subject: "O=PingCAP\nCN=TiKV", from: now + from * day, to: now + to * day }),
    });
    for (const [name, one, ...names] of [
        ["has expired", valid(-365, 0), "2026-11-22T00:00:00.000Z", "basic-tikv-0 and 1 more"],
        ["expires in 29 days", valid(-365, 29.5), "2026-12-21T12:00:00.000Z", "29 days"],
        ["expires in a day", valid(-365, 1), "1 day;"],
        ["is not valid yet", valid(1, 365), "2026-11-23"],
        ["is missing", { ...valid(0, 0), certificate: seen("absent" as const) }],
    ] as const) {
        it(name, () => repeats(expiringCertificates([one], now)[0].what, one.secret, ...names));
    }

    it("is not named 30 days before, or if it is not known", () => {
        const unknown = { ...valid(0, 0), certificate: forbidden };
        assert.deepEqual(expiringCertificates([valid(-1, 30), unknown], now), []);
        assert.deepEqual(unknownCertificates([valid(-1, 30), unknown]), [
            "the certificate in Secret basic-tikv-cluster-secret: the API server answered 403",
        ]);
    });
});

describe("members that are not Guaranteed", () => {
    const same = { requests: { cpu: "2", memory: "4Gi" }, limits: { cpu: "2000m", memory: "4Gi" } };
    const found = (isWanted: boolean, own: object, ...more: object[]) =>
        notGuaranteed(
            [
                factsOf(
                    podOf(
                        {},
                        {},
                        {
                            containers: [
                                { name: "tikv", resources: own },
                                ...more.map((resources) => ({ name: "log", resources })),
                            ],
                        },
                    ),
                ),
            ],
            isWanted,
        ).map(({ what }) => what);

    it("are named with what differs, if the user wants it", () =>
        assert.deepEqual(found(true, { ...same, requests: { cpu: "1", memory: "4Gi" } }), [
            "the pods of TiKV are not Guaranteed: container tikv requests 1 cpu with a limit of 2000m",
        ]));
    it("are not named otherwise: the difference may be meant", () =>
        assert.deepEqual(found(false, { ...same, requests: { cpu: "1", memory: "4Gi" } }), []));
    it("are named in any case if only another container prevents it", () =>
        assert.deepEqual(found(false, same, { requests: { cpu: "1" }, limits: { memory: "1Gi" } }), [
            "the pods of TiKV are not Guaranteed: container log requests 1 cpu with no limit",
        ]));
    it("without requests, the limits are the requests", () =>
        assert.deepEqual(found(true, { limits: same.limits }), []));
    it("are those that Kubernetes does not call Guaranteed", () => {
        const pod = podOf({ qosClass: "Guaranteed" });
        assert.deepEqual(notGuaranteed([factsOf(pod)], true), []);
    });
});
