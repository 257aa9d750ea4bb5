import * as assert from "node:assert/strict";
import { diagnosePod, unknownOf } from "../../../../provider/lifecycle/diagnosis/diagnosePod";
import { claimOf, eventOf, factsOf, forbidden, seen, unscheduled } from "./podFacts";

const unbound =
    "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
const classOf = (name: string, more: object = {}) => ({ metadata: { name }, provisioner: "disk.csi", ...more });
const isDefault = {
    provisioner: "disk.csi",
    metadata: { name: "gp3", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
};
const volumeOf = (storageClassName: string, storage: string, phase = "Available") => ({
    spec: { storageClassName, capacity: { storage } },
    status: { phase },
});
const notFound = eventOf("ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found');
const none = eventOf("FailedBinding", "no persistent volumes available for this claim and no storage class is set");

describe("why a pod waits for its claim", () => {
    for (const [name, claim, facts, what, final] of [
        [
            "its class does not exist",
            claimOf({ storageClassName: "fast" }, [notFound]),
            { classes: seen([classOf("gp3")]), volumes: seen([]) },
            "its claim tikv-basic-tikv-0 names StorageClass fast, which does not exist; there is only gp3",
            60,
        ],
        [
            "its class does not exist, but a volume has that class",
            claimOf({ storageClassName: "fast" }, [notFound]),
            { classes: seen([]), volumes: seen([volumeOf("fast", "100Gi", "Bound")]) },
            "its claim tikv-basic-tikv-0 names StorageClass fast, which does not exist; there is none at all",
            undefined,
        ],
        [
            "its class does not exist, and volumes may not be read",
            claimOf({ storageClassName: "fast" }),
            { classes: seen([classOf("gp3"), classOf("slow")]), volumes: forbidden },
            "its claim tikv-basic-tikv-0 names StorageClass fast, which does not exist; there are gp3, slow",
            undefined,
        ],
        [
            "its class does not exist, as only the event shows",
            claimOf({ storageClassName: "fast" }, [notFound]),
            { classes: forbidden, volumes: forbidden },
            "its claim tikv-basic-tikv-0 names StorageClass fast, which does not exist",
            undefined,
        ],
        [
            "no class is the default",
            claimOf({}, [none]),
            { classes: seen([classOf("gp3")]), volumes: seen([]) },
            "its claim tikv-basic-tikv-0 names no StorageClass, and no class is the default",
            60,
        ],
        [
            "no class is the default, as only the event shows",
            claimOf({}, [none]),
            { classes: forbidden, volumes: forbidden },
            "its claim tikv-basic-tikv-0 names no StorageClass, and no class is the default",
            undefined,
        ],
        [
            "its volume is lost",
            claimOf({ storageClassName: "gp3", volumeName: "pv-1" }, [], "Lost"),
            { classes: seen([classOf("gp3")]) },
            "its claim tikv-basic-tikv-0 has lost its volume pv-1, which no longer exists",
            30,
        ],
        [
            "the provisioner fails",
            claimOf({ storageClassName: "gp3" }, [eventOf("ProvisioningFailed", "quota of disks exceeded")]),
            { classes: seen([classOf("gp3", { volumeBindingMode: "WaitForFirstConsumer" })]) },
            "its claim tikv-basic-tikv-0 has no volume yet, although provisioner disk.csi should make one",
            undefined,
        ],
        [
            "local volumes are too small",
            claimOf({ storageClassName: "local" }),
            {
                classes: seen([classOf("local", { provisioner: "kubernetes.io/no-provisioner" })]),
                volumes: seen([volumeOf("local", "50Gi"), volumeOf("local", "200Gi", "Bound"), volumeOf("gp3", "1Ti")]),
            },
            "its claim tikv-basic-tikv-0 requests 100Gi of storage, and no free volume of class local has as much: the largest of 1 has 50Gi (50Gi short)",
            undefined,
        ],
        [
            "it wants a volume without a class",
            claimOf({ storageClassName: "" }),
            { classes: seen([isDefault]), volumes: seen([]) },
            "its claim tikv-basic-tikv-0 requests 100Gi of storage, and no free volume without a class has as much: there is none",
            undefined,
        ],
    ] as const) {
        it(name, () => {
            const causes = diagnosePod(factsOf(unscheduled(unbound), { claims: [claim], ...facts }));
            assert.deepEqual(
                causes.map((cause) => cause.what),
                [what],
            );
            assert.equal(causes[0].final?.afterSeconds, final);
        });
    }

    it("which does not exist", () => {
        const claims = [{ name: "tikv-basic-tikv-0", claim: seen(undefined), events: seen([]) }];
        const [cause] = diagnosePod(
            factsOf(unscheduled('persistentvolumeclaim "tikv-basic-tikv-0" not found'), { claims }),
        );
        assert.equal(cause.what, "its claim tikv-basic-tikv-0 does not exist");
        assert.equal(cause.final, undefined);
    });

    it("not while a claim waits for the pod's node, as it should: the scheduler's own reason counts", () => {
        const claims = [claimOf({ storageClassName: "gp3" })];
        const classes = seen([classOf("gp3", { volumeBindingMode: "WaitForFirstConsumer" })]);
        const pod = unscheduled("0/3 nodes are available: 3 node(s) were unschedulable.");
        assert.deepEqual(
            diagnosePod(factsOf(pod, { claims, classes })).map(({ what }) => what),
            ["3 nodes are cordoned"],
        );
    });

    it("and not if the default class came later: Kubernetes gives it to the claim", () => {
        const claims = [claimOf({})];
        const causes = diagnosePod(factsOf(unscheduled(unbound), { claims, classes: seen([isDefault]) }));
        assert.equal(causes[0].final, undefined);
    });

    it("says what may not be read", () => {
        const facts = factsOf(unscheduled(unbound), { claims: [claimOf({})], classes: forbidden, volumes: forbidden });
        const { why } = forbidden;
        assert.deepEqual(unknownOf([facts, facts]), [
            { what: "StorageClasses", why },
            { what: "volumes", why },
        ]);
    });
});
