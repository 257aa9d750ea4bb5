import { hasMajorityOf } from "../../../provider/lifecycle/stages/regionVoters";
import type { ObservedRegion } from "../../../provider/lifecycle/vocabulary/observation";
import { majority } from "../../../provider/lifecycle/stages/pdQuorum";
import { type Machines, minute, type Pod, type Registry, type Volume } from "./machines";

/** What is true of PD's members, stores and regions. */

export const storeDown = 30 * minute;
/** What PD keeps: three replicas of each region, and one more of tables on TiFlash. */
export const copies = { tikv: 3, tiflash: 1 } as const;

export interface Store {
    readonly id: number;
    readonly pod: string;
    readonly engine: "tikv" | "tiflash";
    heardAt: number;
    isOffline: boolean;
    isTombstone: boolean;
}

export interface Member {
    readonly id: string;
    readonly pod: string;
    isHeard: boolean;
}

/** A PD whose members and stores run on these machines. */
export class PlacementDriver implements Registry {
    stores: Store[] = [];
    members: Member[] = [];
    regions: ObservedRegion[] = [];
    electedAt = -10 * minute;
    hasQuorum = true;
    private now = 0;
    private made = 100;

    constructor(private readonly machines: Machines) {}

    addMember(pod: string, volumes: readonly Volume[]): void {
        const id = String((this.made += 1));
        this.members.push({ id, pod, isHeard: true });
        volumes.forEach((volume) => (volume.of = `member-${id}`));
    }

    addStore(pod: string, engine: Store["engine"], volumes: readonly Volume[]): Store {
        const store = { id: (this.made += 1), pod, engine, heardAt: this.now, isOffline: false, isTombstone: false };
        this.stores.push(store);
        volumes.forEach((volume) => (volume.of = `store-${store.id}`));
        return store;
    }

    stateOf({ heardAt, isOffline, isTombstone }: Store): string {
        const silent = this.now - heardAt;
        return isTombstone
            ? "Tombstone"
            : isOffline
              ? "Offline"
              : silent > storeDown
                ? "Down"
                : silent > 20_000
                  ? "Disconnected"
                  : "Up";
    }

    isUp(store: Store): boolean {
        return this.stateOf(store) === "Up";
    }

    upIds(): Set<number> {
        return new Set(this.stores.filter((one) => this.isUp(one)).map(({ id }) => id));
    }

    upOf(engine: Store["engine"]): number {
        return this.stores.filter((one) => one.engine === engine && this.isUp(one)).length;
    }

    regionsOf(ids: readonly number[]): ObservedRegion[] {
        return this.regions.filter(({ peers }) => peers.some(({ storeId }) => ids.includes(storeId)));
    }

    /** Whether PD has what is on a volume, and it is not Tombstone. */
    lives(of: string | undefined): boolean {
        const [kind, id] = of?.split("-") ?? [];
        return kind === "store"
            ? this.stores.some((one) => String(one.id) === id && !one.isTombstone)
            : this.members.some((one) => one.id === id);
    }

    /** PD refuses a store or a member that it has dropped, and a new store at the address of one that it has. */
    admits({ name, component }: Pod, volumes: readonly Volume[]): boolean {
        const { of } = volumes[0];
        if (of !== undefined) {
            const isThere = this.lives(of);
            volumes.forEach((volume) => (volume.of = isThere ? of : volume.of));
            return isThere;
        }
        if (!this.hasQuorum || this.stores.some((one) => one.pod === name && !one.isTombstone)) {
            return false;
        }
        if (component === "pd") {
            if (this.members.some(({ pod }) => pod === name)) {
                return false;
            }
            this.addMember(name, volumes);
        } else {
            this.addStore(name, component as Store["engine"], volumes);
        }
        return true;
    }

    step(now: number): void {
        this.now = now;
        const heard = new Set(
            this.machines.processes
                .filter((one) => this.machines.runs(one) && !this.machines.node(one.node).isCutFromPd)
                .map(({ volumes }) => volumes[0].of),
        );
        for (const member of this.members) {
            member.isHeard = heard.has(`member-${member.id}`);
        }
        const had = this.hasQuorum;
        this.hasQuorum = this.members.filter(({ isHeard }) => isHeard).length >= majority(this.members.length);
        if (!this.hasQuorum) {
            return;
        }
        this.electedAt = had ? this.electedAt : now;
        for (const store of this.stores.filter(({ isTombstone }) => !isTombstone)) {
            store.heardAt = heard.has(`store-${store.id}`) ? now : store.heardAt;
        }
        this.repair();
    }

    /** One peer of each region moves at a time, and only if the region has a majority to agree to it. */
    private repair(): void {
        const up = this.stores.filter((one) => one.engine === "tikv" && this.isUp(one));
        const leaves = new Set(
            this.stores.filter((one) => ["Offline", "Down"].includes(this.stateOf(one))).map(({ id }) => id),
        );
        this.regions = this.regions.map((region) => {
            const from = region.peers.find(({ storeId }) => leaves.has(storeId));
            const to = up.find(({ id }) => region.peers.every(({ storeId }) => storeId !== id));
            const agrees = hasMajorityOf(region, ({ storeId }) => this.isHeard(storeId));
            return from && to && agrees
                ? { ...region, peers: region.peers.map((one) => (one === from ? { ...one, storeId: to.id } : one)) }
                : region;
        });
        for (const store of this.stores.filter(({ isOffline, isTombstone }) => isOffline && !isTombstone)) {
            store.isTombstone =
                this.regionsOf([store.id]).length === 0 && this.upOf(store.engine) >= copies[store.engine];
        }
    }

    private isHeard(id: number): boolean {
        const store = this.stores.find((one) => one.id === id);
        return store !== undefined && this.now - store.heardAt < minute;
    }
}
