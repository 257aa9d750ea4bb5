import type { GatePorts, Progress } from "../provider/cluster/gatePorts";
import { ClusterSession } from "../provider/cluster/session";
import { lookForRollout } from "../provider/gates/looks";
import type { Figure } from "./figure";
import { type PlayedCluster, startPlayedCluster } from "./largeCluster/playedCluster";
import { playedId } from "./largeCluster/playedObjects";
import type { LoggedRequest } from "./largeCluster/requestLog";
import { median, sum } from "./statistics";

const stores = 1_000;
const timeTarget = 100;
const pdTarget = 1;

const silent: Progress = {
    info: () => undefined,
    warn: () => undefined,
    note: () => undefined,
    status: () => undefined,
};

/** One observation: how long it took, and what the servers sent for it. */
interface Look {
    readonly milliseconds: number;
    readonly requests: readonly LoggedRequest[];
}

/**
 * Times observations of 1,000 stores as a rollout of TiKV makes them, through the API server and through the watch, and
 * counts the bytes that PD and the API server send. The servers run in another process. PD repeats its answers, because
 * the simulator's own time does not count.
 */
export async function observationTime(repetitions: number): Promise<Figure[]> {
    const played = await startPlayedCluster({ stores, timings: {} });
    try {
        const session = await ClusterSession.open({ kubeconfig: played.kubeconfig }, playedId, {
            ...playedId,
            tls: false,
        });
        const ports = session.ports(silent);
        await played.wish({ do: "repeat", isOn: true });
        const direct = await looks(repetitions, played, ports, false);
        const watched = await looks(repetitions, played, ports, true);
        const fromPd = bytesFrom("pd", direct);
        return [
            { ...timeFigure("through the API server", direct), target: timeTarget },
            { ...timeFigure("through the watch", watched), target: timeTarget },
            {
                name: "read from PD for one, with real TiKVs' fields",
                measured: fromPd / 1e6,
                unit: "MB",
                target: pdTarget,
                detail: `${questions(direct)} questions; ${largest(direct, "pd")}`,
            },
            {
                name: "read from the API server for one",
                measured: bytesFrom("api", direct) / 1e6,
                unit: "MB",
                detail: `compressed by it; through the watch ${(bytesFrom("api", watched) / 1e6).toFixed(1)} MB; ${largest(direct, "api")}`,
            },
        ];
    } finally {
        played.stop();
    }
}

/** The first observations open connections, compile the code and begin the watch: they are left out. */
const warmUps = 5;

async function looks(repetitions: number, played: PlayedCluster, ports: GatePorts, mayLag: boolean): Promise<Look[]> {
    const all: Look[] = [];
    for (let round = 0; round < warmUps + repetitions; round++) {
        const { requests } = await played.report();
        const began = performance.now();
        const seen = await ports.look(lookForRollout("tikv"), mayLag ? {} : undefined);
        const milliseconds = performance.now() - began;
        if (
            !seen.pd.stores.known ||
            seen.pd.stores.value.length !== stores ||
            seen.members.tikv?.pods.length !== stores
        ) {
            throw new Error(
                `an observation of ${stores} stores and pods is not complete: ${JSON.stringify(seen.pd.stores).slice(0, 300)}`,
            );
        }
        if (round >= warmUps && (seen.mayLag === true) !== mayLag) {
            throw new Error(
                `the observation came from ${mayLag ? "the API server" : "the watch"}, expected the other one`,
            );
        }
        const after = await played.report();
        all.push({ milliseconds, requests: after.requests.slice(requests.length) });
    }
    return all.slice(warmUps);
}

function timeFigure(how: string, all: readonly Look[]): Figure {
    const times = all.map(({ milliseconds }) => milliseconds);
    return {
        name: `observation of 1,000 stores ${how}`,
        measured: median(times),
        unit: "ms",
        detail: `median of ${times.length}; the slowest took ${Math.max(...times).toFixed(0)} ms`,
    };
}

function bytesFrom(server: LoggedRequest["server"], all: readonly Look[]): number {
    return median(
        all.map(({ requests }) => sum(requests.filter((one) => one.server === server).map(({ bytes }) => bytes))),
    );
}

function questions(all: readonly Look[]): number {
    return median(all.map(({ requests }) => requests.filter(({ server }) => server === "pd").length));
}

function largest(all: readonly Look[], from: LoggedRequest["server"]): string {
    const [most] = all[0].requests.filter(({ server }) => server === from).sort((a, b) => b.bytes - a.bytes);
    return `${most.question} has ${(most.bytes / 1e6).toFixed(2)} MB`;
}
