import type { GatePorts, Progress } from "../provider/cluster/gatePorts";
import { ClusterSession } from "../provider/cluster/session";
import { lookForRollout } from "../provider/gates/looks";
import { type Figure, medianTime } from "./figure";
import { type LoggedRequest, type PlayedCluster, startPlayedCluster } from "./largeCluster/playedCluster";
import { playedId } from "./largeCluster/playedObjects";
import { median, sum } from "./statistics";

const stores = 1_000;
const timeTarget = 100;
const pdTarget = 1;
/** The first observations open connections, compile the code and begin the watch: they are left out. */
const warmUps = 5;

const nothing = (): void => undefined;
const silent: Progress = { info: nothing, warn: nothing, note: nothing, status: nothing };

/** One observation: how long it took, and what PD sent for it. */
interface Look {
    readonly milliseconds: number;
    readonly requests: readonly LoggedRequest[];
}

/**
 * Times observations of 1,000 stores as a rollout of TiKV makes them, through the API server and through the watch, and
 * counts the bytes that PD sends. The servers run in another process. PD repeats its answers, because
 * the simulator's own time does not count.
 */
export async function observationTime(repetitions: number): Promise<Figure[]> {
    const played = await startPlayedCluster({ stores, repeats: true });
    try {
        const access = { kubeconfig: played.kubeconfig };
        const session = await ClusterSession.open(access, playedId, { ...playedId, tls: false });
        const ports = session.ports(silent);
        const direct = await looks(repetitions, played, ports, false);
        const watched = await looks(repetitions, played, ports, true);
        return [
            timeFigure("through the API server", direct),
            timeFigure("through the watch", watched),
            bytesFigure(direct),
        ];
    } finally {
        played.stop();
    }
}

async function looks(repetitions: number, played: PlayedCluster, ports: GatePorts, mayLag: boolean): Promise<Look[]> {
    const all: Look[] = [];
    for (let round = 0; round < warmUps + repetitions; round++) {
        const { length } = await played.ask("report");
        const began = performance.now();
        const seen = await ports.look(lookForRollout("tikv"), mayLag ? {} : undefined);
        const milliseconds = performance.now() - began;
        const { stores: ofPd } = seen.pd;
        if (!ofPd.known || ofPd.value.length !== stores || seen.members.tikv?.pods.length !== stores) {
            throw new Error(`an observation is not complete: ${JSON.stringify(ofPd).slice(0, 300)}`);
        }
        if (round >= warmUps && (seen.mayLag === true) !== mayLag) {
            throw new Error(`expected an observation from ${mayLag ? "the watch" : "the API server"}, found the other`);
        }
        all.push({ milliseconds, requests: (await played.ask("report")).slice(length) });
    }
    return all.slice(warmUps);
}

function timeFigure(how: string, all: readonly Look[]): Figure {
    const times = all.map(({ milliseconds }) => milliseconds);
    return medianTime(`observation of 1,000 stores ${how}`, timeTarget, times);
}

function bytesFigure(all: readonly Look[]): Figure {
    const [largest] = [...all[0].requests].sort((one, other) => other.bytes - one.bytes);
    const detail = `${all[0].requests.length} questions; ${largest.question} has ${(largest.bytes / 1e6).toFixed(2)} MB`;
    const measured = median(all.map(({ requests }) => sum(requests.map(({ bytes }) => bytes)))) / 1e6;
    return { name: "read from PD for one", measured, unit: "MB", target: pdTarget, detail };
}
