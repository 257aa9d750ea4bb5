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
        const access = { kubeconfig: played.kubeconfig };
        const session = await ClusterSession.open(access, playedId, { ...playedId, tls: false });
        const ports = session.ports(silent);
        await played.wish({ do: "repeat", isOn: true });
        const direct = await looks(repetitions, played, ports, false);
        const watched = await looks(repetitions, played, ports, true);
        return [
            { ...timeFigure("through the API server", direct), target: timeTarget },
            { ...timeFigure("through the watch", watched), target: timeTarget },
            { ...bytesFigure("PD", "pd", direct), target: pdTarget },
            bytesFigure("the API server", "api", direct),
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
        const { stores: ofPd } = seen.pd;
        if (!ofPd.known || ofPd.value.length !== stores || seen.members.tikv?.pods.length !== stores) {
            throw new Error(`an observation is not complete: ${JSON.stringify(ofPd).slice(0, 300)}`);
        }
        if (round >= warmUps && (seen.mayLag === true) !== mayLag) {
            throw new Error(`expected an observation from ${mayLag ? "the watch" : "the API server"}, found the other`);
        }
        all.push({ milliseconds, requests: (await played.report()).requests.slice(requests.length) });
    }
    return all.slice(warmUps);
}

function timeFigure(how: string, all: readonly Look[]): Figure {
    const times = all.map(({ milliseconds }) => milliseconds);
    const detail = `median of ${times.length}; the slowest took ${Math.max(...times).toFixed(0)} ms`;
    return { name: `observation of 1,000 stores ${how}`, measured: median(times), unit: "ms", detail };
}

function bytesFigure(from: string, server: LoggedRequest["server"], all: readonly Look[]): Figure {
    const answers = all.map(({ requests }) => requests.filter((one) => one.server === server));
    const [largest] = [...answers[0]].sort((one, other) => other.bytes - one.bytes);
    return {
        name: `read from ${from} for one`,
        measured: median(answers.map((each) => sum(each.map(({ bytes }) => bytes)))) / 1e6,
        unit: "MB",
        detail: `${answers[0].length} questions; ${largest.question} has ${(largest.bytes / 1e6).toFixed(2)} MB`,
    };
}
