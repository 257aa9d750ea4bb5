import * as assert from "node:assert/strict";
import type { KubeConfig } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { type ClientCertificate } from "../../../provider/cluster/clientCertificate";
import type { KubernetesApi } from "../../../provider/cluster/kubernetesApi";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { LiveMember } from "../../../provider/cluster/liveMember";
import { podsToAsk, PdConnection } from "../../../provider/cluster/pdConnection";
import { peerNames } from "../../../provider/cluster/peerNames";
import { known, notKnown } from "../../../provider/lifecycle/vocabulary/evidence";
import type { ContainerState, ObservedPod } from "../../../provider/lifecycle/vocabulary/observation";

const noForwards = {} as KubeConfig;

describe("the names of a PD pod in a certificate", () => {
    it("are all the names in tidb-operator's documentation", () => {
        const names = peerNames("basic-pd-0", "basic-pd-peer", "tidb", "one.example");
        for (const name of ["", ".tidb", ".tidb.svc", ".tidb.svc.one.example", ".tidb.svc.cluster.local"]) {
            assert.ok(names.includes(`basic-pd-0.basic-pd-peer${name}`), name);
        }
        assert.equal(names[0], "basic-pd-0.basic-pd-peer.tidb.svc.one.example", "as it is told to other members");
        assert.equal(peerNames("basic-pd-0", "basic-pd-peer", "tidb")[0], "basic-pd-0.basic-pd-peer.tidb.svc");
    });
});

describe("the PD pods to ask", () => {
    const pod = (name: string, more: Partial<ObservedPod>): ObservedPod => ({
        name,
        ordinal: 0,
        uid: name,
        resourceVersion: "1",
        ready: false,
        container: notKnown("its node is not Ready"),
        createdAt: 0,
        terminating: false,
        ...more,
    });
    const container = (state: ContainerState) => ({ container: known(state, "node", 0) });
    const running = container({ is: "running", startedAt: 0 });
    const namesOf = (pods: ObservedPod[]) => podsToAsk(pods).map(({ name }) => name);

    it("include one that serves beside a sidecar in trouble", () => {
        assert.deepEqual(namesOf([pod("a", running)]), ["a"]);
    });
    it("are first the Ready ones, then those whose container runs, then those whose state is unknown", () => {
        const pods = [pod("c", {}), pod("b", running), pod("a", { ready: true, ...running })];
        assert.deepEqual(namesOf(pods), ["a", "b", "c"]);
    });
    it("start with those that have run longest, because a young one may not serve yet", () => {
        const pods = [pod("young", { ready: true, createdAt: 9 }), pod("old", { ready: true, createdAt: 1 })];
        assert.deepEqual(namesOf(pods), ["old", "young"]);
    });
    it("leave out pods that are being deleted or whose container does not run", () => {
        const idle = [pod("b", container({ is: "stopped" })), pod("c", container({ is: "not-started" }))];
        assert.deepEqual(namesOf([pod("a", { terminating: true, ready: true }), ...idle]), []);
    });
    it("are named with what keeps each from being asked", async () => {
        const stopped = pod("basic-pd-0", {
            ...container({ is: "stopped" }),
            trouble: "container pd is in CrashLoopBackOff",
        });
        const api = { readPods: () => Promise.resolve([stopped]) } as unknown as KubernetesApi;
        const access = { namespace: "tidb", cluster: "basic", instance: "basic", tls: false };
        const connection = new PdConnection(api, noForwards, access, {} as ClientCertificate);
        await assert.rejects(
            connection.ask((client) => client.health()),
            /no PD pod of tidb\/basic can be asked \(basic-pd-0 does not run its container pd: container pd is in Crash/,
        );
    });

    const forbidden = new KubernetesApiError("could not read StatefulSet basic-pd: forbidden", 403);
    const without: [title: string, readLiveMember: () => Promise<LiveMember | undefined>, words: string][] = [
        [
            "without a StatefulSet: PD is suspended, and pd.address would not help",
            () => Promise.resolve(undefined),
            "(PD has no StatefulSet: it is suspended, or not deployed yet); PD starts with the update that is to run it",
        ],
        [
            "with a StatefulSet: a pod is to be expected",
            () => Promise.resolve({} as LiveMember),
            "(there is none); set `pd.address` if PD is elsewhere",
        ],
        [
            "and the StatefulSet cannot be read",
            () => Promise.reject(forbidden),
            `(there is none, and whether PD is suspended is not known: ${forbidden.message}); set \`pd.address\` if PD is elsewhere`,
        ],
    ];
    for (const [title, readLiveMember, words] of without) {
        it(`are none, ${title}`, async () => {
            const api = { readPods: () => Promise.resolve([]), readLiveMember } as unknown as KubernetesApi;
            const access = { namespace: "tidb", cluster: "basic", instance: "basic", tls: false };
            const connection = new PdConnection(api, noForwards, access, {} as ClientCertificate);
            await assert.rejects(
                connection.ask((client) => client.health()),
                { message: `no PD pod of tidb/basic can be asked ${words}` },
            );
        });
    }
});
