import * as assert from "node:assert/strict";
import { growAction } from "../../../controller/growAction";
import { KubernetesApiError } from "../../../provider/cluster/apiCall";
import type { ClusterAccess } from "../../../provider/cluster/access";
import { growVolumes } from "../../../provider/gates/growVolumes";
import type { LeaseView } from "../../../provider/cluster/leaseView";
import type { MemberNote } from "../../../provider/lifecycle/vocabulary/ownership";
import { defaultPolicy } from "../../../provider/lifecycle/vocabulary/target";
import type { ClusterStatus } from "../../../status/clusterStatus";
import type { StatusSources } from "../../../status/statusSources";
import { policy as failover } from "../../support/lifecycle/deaths";
import { codesOf, repeats } from "../../support/repeats";
import { failsWith } from "../../support/failsWith";
import { leaseOf } from "../gates/clusterWorld";
import { fillingWorld, type FillingWorld, growth } from "../gates/fillingWorld";
import { healthy, statusOf } from "../status/seenCluster";

const note = { replicas: 3, unattended: { failover, policy: defaultPolicy, growth } };
const noted = (members: LeaseView["members"] = { tikv: note }, more: Partial<LeaseView> = {}) => ({
    lease: leaseOf({ members, ...more }),
});

async function grow(of: FillingWorld, isInterrupted = () => false) {
    return growVolumes({ component: "tikv", note }, await of.open({} as never, "effect"), isInterrupted);
}

const did = ({ done }: FillingWorld) => done.filter((one) => /^[a-z-]+$/.test(one) && one !== "records");

describe("a disk that fills up without pulumi up", () => {
    it("gets a larger volume, one pod's at a time, under the lock; the log has the reason first", async () => {
        const of = fillingWorld({ used: [83, 40, 95], ...noted() });
        const { done, remarks } = await grow(of);
        assert.deepEqual(of.sizes, ["120Gi", "100Gi", "120Gi"]);
        assert.deepEqual(did(of), ["lock", "grow-claims", "grow-claims", "release"]);
        assert.deepEqual(done, [
            "grow tikv-basic-tikv-0 from 100Gi to 120Gi",
            "grow tikv-basic-tikv-2 from 100Gi to 120Gi",
        ]);
        assert.deepEqual(remarks, []);
        const told = of.done.filter((one) => one.includes("basic-tikv-0")).slice(0, 2);
        assert.deepEqual(told, [
            "basic-tikv-0: 100Gi to 120Gi: used 83% of 100.0 GiB, growAt 80%",
            "grow tikv-basic-tikv-0 from 100Gi to 120Gi",
        ]);
    });

    it("gets it once: until PD reports the new size, nothing more is done", async () => {
        const of = fillingWorld({ used: [83, 40, 40], ...noted() });
        await grow(of);
        of.done.length = 0;
        const { done, remarks } = await grow(of);
        assert.deepEqual([done, did(of), codesOf(remarks)], [[], [], ["volume-not-grown"]]);
    });

    it("does not keep the lock for a slow driver, and does not take it again to wait for it", async () => {
        const of = fillingWorld({ used: [83, 95, 40], lazy: true, ...noted() });
        const { done, remarks } = await grow(of);
        assert.equal(done.length, 1);
        assert.deepEqual(codesOf(remarks), ["volume-not-grown"]);
        assert.deepEqual(did(of), ["lock", "grow-claims", "release"]);
        of.done.length = 0;
        const before = of.time;
        assert.deepEqual((await grow(of)).done, []);
        assert.deepEqual([did(of), of.time - before], [[], 0]);
        assert.deepEqual(of.sizes, ["120Gi", "100Gi", "100Gi"]);
    });

    it("is a failure of the controller's work, tried again later, where the API server refuses the size", async () => {
        const of = fillingWorld({ used: [83, 40, 40], ...noted() });
        of.changes = () => {
            throw new KubernetesApiError("403 exceeded quota", 403);
        };
        await failsWith(grow(of), "action-failed", { target: "basic-tikv-0" });
    });

    it("is remarked where its volume has the largest size", async () => {
        const of = fillingWorld({ used: [83, 40, 40], ...noted() });
        const small = { ...note, unattended: { ...note.unattended, growth: { ...growth, max: "100Gi" } } };
        of.lease = leaseOf({ members: { tikv: small } });
        const ports = await of.open({} as never, "effect");
        const { done, remarks } = await growVolumes({ component: "tikv", note: small }, ports, () => false);
        assert.deepEqual([done, codesOf(remarks)], [[], ["volume-at-max"]]);
        repeats(remarks, "tikv-basic-tikv-0");
    });

    it("gets no larger volume where the program changes its mind while the lock is waited for", async () => {
        const of = fillingWorld({ used: [83, 40, 40], ...noted() });
        const ports = await of.open({} as never, "effect");
        const changed = { ...note, replicas: 2 };
        const opened = {
            ...ports,
            tryLock: (...how: Parameters<typeof ports.tryLock>) => {
                of.lease = leaseOf({ members: { tikv: changed } });
                return ports.tryLock(...how);
            },
        };
        assert.deepEqual((await growVolumes({ component: "tikv", note }, opened, () => false)).done, []);
        assert.deepEqual(of.sizes, ["100Gi", "100Gi", "100Gi"]);
    });

    it("is left as it is by a controller that ends", async () => {
        const of = fillingWorld({ used: [83, 40, 40], ...noted() });
        let looks = 0;
        await failsWith(
            grow(of, () => looks++ > 0),
            "interrupted",
            { step: "grow", target: "basic-tikv" },
        );
        assert.deepEqual(of.sizes, ["100Gi", "100Gi", "100Gi"]);
    });

    const without: MemberNote = { ...note, unattended: { failover, policy: defaultPolicy } };
    const idle: [string, Parameters<typeof fillingWorld>[0]][] = [
        ["unless the program asks for it", { used: [95, 95, 95], ...noted({ tikv: without }) }],
        ["in a paused cluster", { used: [95, 95, 95], ...noted(undefined, { isPaused: true }) }],
        ["of a suspended member", { used: [95, 95, 95], ...noted({ tikv: { ...note, suspended: true } }) }],
        ["where PD does not answer", { used: [95, 95, 95], pdSilent: true, ...noted() }],
        ["of disks with room", { used: [40, 40, 79], ...noted() }],
    ];
    const actionOf = (world: FillingWorld, now = () => 0) => {
        const sources = {
            world,
            deployed: () =>
                Promise.resolve({ id: { namespace: "tidb", cluster: "basic", instance: "basic" }, tls: false }),
        } as unknown as StatusSources;
        const progress = {
            info: () => undefined,
            warn: () => undefined,
            status: () => undefined,
            note: () => undefined,
        };
        const action = growAction({} as ClusterAccess, sources, { progressOf: () => progress, now });
        return (status: ClusterStatus = statusOf(healthy())) =>
            action.act(
                { namespace: "tidb", cluster: "basic" },
                status,
                () => false,
                () => undefined,
            );
    };
    for (const [name, world] of idle) {
        it(`has nothing to do ${name}`, async () => {
            const of = fillingWorld(world);
            assert.deepEqual(await actionOf(of)(), []);
            assert.deepEqual(did(of), []);
        });
    }

    it("is not looked for in a member whose volumes are not to grow", async () => {
        const of = fillingWorld({ used: [95, 95, 95], ...noted({ tikv: without }) });
        await actionOf(of)();
        assert.equal(of.looks.length, 0);
    });

    it("is looked for twice a minute, and not while PD's stores are unknown or a run works on the cluster", async () => {
        const of = fillingWorld({ used: [83, 40, 40], ...noted() });
        let time = 0;
        const act = actionOf(of, () => time);
        const silent = { ...statusOf(healthy()), stores: { known: false, why: "PD does not answer" } } as ClusterStatus;
        assert.deepEqual(await act(silent), []);
        assert.equal((await act()).length, 1);
        const looks = of.looks.length;
        time = 29_000;
        await act();
        assert.equal(of.looks.length, looks);
        time = 30_000;
        await act();
        assert.ok(of.looks.length > looks);
    });
});
