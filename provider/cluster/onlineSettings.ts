import type { Component } from "../../topology/members";
import { memberName } from "../../topology/names";
import { type Fact, known, notKnown } from "../lifecycle/vocabulary/evidence";
import type { SettingsLook } from "../lifecycle/vocabulary/look";
import type { ObservedMember, ObservedPod, OperationRecords } from "../lifecycle/vocabulary/observation";
import type { ObservedSettings, ServerSettings, Settings } from "../lifecycle/vocabulary/settings";
import { settingsInFiles } from "./configFiles";
import type { ClusterId } from "./clusterId";
import { throwJoined } from "./joinedFailures";
import type { KubernetesApi } from "./kubernetesApi";

/** What a member's running servers say. */
export type LiveSettings = Pick<ObservedSettings, "live" | "unasked" | "barred">;

/** How the settings of one member's running servers are read and set. */
export interface SettingsServers {
    /** @returns what each server says, by its name. Never rejects: a server that does not answer is not known. */
    read(name: string, pods: readonly ObservedPod[], keys: readonly string[]): Promise<LiveSettings>;
    /** Sets the settings of one server, and reads them back. @throws Error with the server's answer if it does not have them. */
    set(settings: ServerSettings, assertAllowed: () => void): Promise<void>;
}

/** The settings of running servers, and those of the ConfigMap that they read when they start. */
export class OnlineSettings {
    /** @param servers how to reach them, for the members whose settings can be set online. */
    constructor(
        private readonly api: Pick<KubernetesApi, "readLiveMember">,
        private readonly id: Pick<ClusterId, "namespace" | "cluster">,
        private readonly servers: Readonly<Partial<Record<Component, SettingsServers>>>,
        private readonly now: () => number,
    ) {}

    async observe(
        { component, keys, files }: SettingsLook,
        member: ObservedMember | undefined,
        records: OperationRecords | undefined,
    ): Promise<ObservedSettings> {
        const name = memberName(this.id.cluster, component);
        const all = [...new Set([...keys, ...Object.keys(records?.settings?.[component]?.keys ?? {})])];
        const [file, answers] = await Promise.all([
            this.file(name, files, all),
            this.serversOf(component).read(name, member?.pods ?? [], all),
        ]);
        return { component, file, ...answers };
    }

    /** Sets the settings of several servers side by side. Ends when each has answered: nothing is under way after a failure. */
    async set(component: Component, sets: readonly ServerSettings[], assertAllowed: () => void): Promise<void> {
        const servers = this.serversOf(component);
        const answers = await Promise.allSettled(sets.map((one) => servers.set(one, assertAllowed)));
        const failures = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason as Error] : []));
        throwJoined(failures);
    }

    private async file(
        name: string,
        files: SettingsLook["files"],
        keys: readonly string[],
    ): Promise<Fact<Settings | undefined>> {
        const at = this.now();
        const live = await this.api.readLiveMember(this.id.namespace, name);
        if (live === undefined) {
            return known(undefined, "the API server", at);
        }
        if (live.config === undefined) {
            return notKnown(`the ConfigMap of StatefulSet ${name} is gone: what its pods read is not known`);
        }
        return known(settingsInFiles(files, live.config, keys), "the API server", at);
    }

    private serversOf(component: Component): SettingsServers {
        const servers = this.servers[component];
        if (servers === undefined) {
            throw new Error(`the settings of ${component} cannot be set online: this is a bug in pulumi-tidb`);
        }
        return servers;
    }
}
