import { type LookOptions, membersToRead } from "../../lifecycle/vocabulary/look";
import type { ObservedMember } from "../../lifecycle/vocabulary/observation";
import type { ObservedApi } from "../observedApi";
import type { ClusterWatch } from "./clusterWatch";

/** What the API server said last about a question, and how many changes the watch had heard of before it was asked. */
interface LastAnswer {
    readonly question: string;
    readonly changes: number;
    readonly members: ObservedMember[];
}

/** Saves questions to the API server: its last answer holds as long as the watch has heard of no change since. */
export class UnchangedReads {
    private last: LastAnswer | undefined;

    constructor(
        private readonly api: ObservedApi,
        private readonly watch: Pick<ClusterWatch, "changes" | "known">,
    ) {}

    /** @param mayLag whether the last answer may be used again. The watch may be behind, so it may be out of date. */
    for(look: LookOptions, mayLag: boolean): ObservedApi {
        const asked = [
            membersToRead(look),
            look.claimTemplates,
            look.zones,
            look.deaths,
            look.drains,
            look.rooms,
            look.roomsUnder,
            look.volumePlaces,
            look.claimStates,
            look.expansions,
            look.volumesOf,
            look.manifests,
        ];
        const question = JSON.stringify(asked);
        // Counted before the question: of a change that comes in between, it is not known whether the answer has it.
        const { changes } = this.watch;
        const watched = mayLag ? this.watch.known() : undefined;
        const { last } = this;
        const serverNow = () => this.api.serverNow?.();
        if (watched && last?.question === question && last.changes === changes) {
            return {
                mayLag: true,
                changes,
                serverNow,
                readMembers: () => Promise.resolve(last.members),
                readLease: () => Promise.resolve(watched.lease),
            };
        }
        return {
            changes,
            serverNow,
            readLease: (...which) => this.api.readLease(...which),
            readMembers: async (...what) => {
                const members = await this.api.readMembers(...what);
                this.last = dependsOnNode(members) ? undefined : { question, changes, members };
                return members;
            },
        };
    }
}

/** Nodes, volumes and classes are not watched. What a pod's container does may become known without a change of the pod, once its node is Ready. */
function dependsOnNode(members: readonly ObservedMember[]): boolean {
    return members.some(
        ({ pods, claims }) =>
            pods.some(
                ({ container, death, readyAtLeast, drain, nodeLabels }) =>
                    !container.known || [death, readyAtLeast, drain, nodeLabels].some((fact) => fact !== undefined),
            ) ||
            claims.some(({ place, expands, volume }) => [place, expands, volume].some((fact) => fact !== undefined)),
    );
}
