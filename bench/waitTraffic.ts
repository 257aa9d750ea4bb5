import { systemClock } from "pulumi-tidb-sandbox";
import type { GatePorts, Progress } from "../provider/cluster/gatePorts";
import { ClusterSession } from "../provider/cluster/session";
import { lookForRollout } from "../provider/gates/looks";
import { runOperation } from "../provider/gates/loop";
import type { Action } from "../provider/lifecycle/vocabulary/move";
import { defaultPolicy, type MemberTarget } from "../provider/lifecycle/vocabulary/target";
import { nextRolloutMove } from "../provider/lifecycle/walks/rollout";
import type { Figure } from "./figure";
import { type ServersReport, startPlayedCluster } from "./largeCluster/playedCluster";
import { playedId } from "./largeCluster/playedObjects";
import type { LoggedRequest } from "./largeCluster/requestLog";
import { sum } from "./statistics";

const stores = 1_000;
/** One question every two seconds. */
const pdTarget = 30;
/** The lock is renewed, and nothing is asked. */
const apiTarget = 0;
/** How long a store takes to be Up after its pod is Ready, as a real one with much data does. */
const upAfterMilliseconds = 80_000;

interface Span {
    readonly from: number;
    readonly to: number;
}

/** A restart of one of 1,000 stores by the real loop: what the servers were asked, and when it waited for the store. */
interface Restart {
    readonly requests: readonly LoggedRequest[];
    /** Of the wait for the store, by the servers' clock: from the decision to wait until the store is Up. */
    readonly wait: Span;
    /** From the end of the pod until the decision to wait for its store. */
    readonly before: Span;
    readonly seconds: number;
    readonly looks: number;
}

/**
 * Restarts one of 1,000 stores by the real loop and session, with the watch and without it, and counts what PD and the
 * API server were asked: in all, and while it waited for the store to be Up.
 */
export async function waitTraffic(quick: boolean, log: (line: string) => void): Promise<Figure[]> {
    // Side by side: questions are counted, not timed.
    const [watched, plain] = await Promise.all([restartOne(true), quick ? undefined : restartOne(false)]);
    log(`with the watch: ${byQuestion(watched.requests)}`);
    log(`with the watch, until it waits for the store: ${byQuestion(during(watched, watched.before))}`);
    log(`with the watch, while it waits, a minute: ${byQuestion(during(watched, watched.wait), minutes(watched))}`);
    if (plain) {
        log(`without the watch: ${byQuestion(plain.requests)}`);
    }
    const waiting = during(watched, watched.wait);
    const fromPd = ofPd(waiting);
    const fromApi = ofApi(waiting);
    const first = during(watched, watched.before);
    return [
        {
            name: "questions to PD while a store restarts",
            measured: fromPd.length / minutes(watched),
            unit: "/min",
            target: pdTarget,
            detail: `${observations(waiting)} observations of everything in ${(minutes(watched) * 60).toFixed(0)} s; ${megabytes(fromPd)} read; before, until the pod is Ready: ${ofPd(first).length} questions in ${observations(first)}, ${megabytes(ofPd(first))}`,
        },
        {
            name: "questions to the API server meanwhile",
            measured: fromApi.length / minutes(watched),
            unit: "/min",
            target: apiTarget,
            detail: `${count(fromApi, isForward)} of them open a port-forward; besides ${count(waiting, isRenewal)} renewals of the lock, and ${count(waiting, isWatch)} requests for watches, which end after a minute each; before, until the pod is Ready: ${ofApi(first).length} questions`,
        },
        {
            name: "read from the servers for a TiKV restart",
            measured: sum(watched.requests.map(({ bytes }) => bytes)) / 1e6,
            unit: "MB",
            detail: [shown("with the watch", watched), ...(plain ? [shown("without", plain)] : [])].join("; "),
        },
    ];
}

function shown(how: string, { requests, seconds }: Restart): string {
    const of = (server: LoggedRequest["server"]) => requests.filter((one) => one.server === server);
    return `${how}, in ${seconds.toFixed(0)} s: API server ${of("api").length} questions, ${megabytes(of("api"))}, PD ${of("pd").length}, ${megabytes(of("pd"))}`;
}

async function restartOne(withWatch: boolean): Promise<Restart> {
    const played = await startPlayedCluster({
        stores,
        timings: { storeUpAfterReadyMilliseconds: upAfterMilliseconds },
    });
    try {
        await played.wish({ do: "outdate", ordinals: [0] });
        const session = await ClusterSession.open({ kubeconfig: played.kubeconfig }, playedId, {
            ...playedId,
            tls: false,
        });
        const ports = session.ports(silent);
        const began = performance.now();
        const from = (await played.report()).requests.length;
        let waitsSince: number | undefined;
        await runOperation(
            {
                description: "roll out basic-tikv",
                look: lookForRollout("tikv"),
                next: (observation, memory) => {
                    const move = nextRolloutMove(observation, target, memory);
                    waitsSince ??= move.kind === "wait" && move.step === "store-up" ? systemClock() : undefined;
                    return move;
                },
            },
            withWatch ? ports : withoutWatch(ports),
        );
        const report = await played.report();
        const requests = report.requests.slice(from);
        return {
            requests,
            ...spansOf(report, waitsSince),
            seconds: (performance.now() - began) / 1000,
            looks: observations(requests),
        };
    } finally {
        played.stop();
    }
}

const silent: Progress = {
    info: () => undefined,
    warn: () => undefined,
    note: () => undefined,
    status: () => undefined,
};

const target: MemberTarget = {
    component: "tikv",
    replicas: stores,
    policy: { ...defaultPolicy, leadersBackTimeoutSeconds: 60 },
};

function withoutWatch(ports: GatePorts): GatePorts {
    return {
        ...ports,
        look: (options) => ports.look(options),
        sleep: (milliseconds) => ports.sleep(milliseconds),
        perform: (action: Action) => ports.perform(action),
    };
}

function spansOf({ events }: ServersReport, waitsSince: number | undefined): Pick<Restart, "before" | "wait"> {
    const stopped = events.find(({ kind }) => kind === "pod-stopped");
    const up = events.find(({ kind, at }) => kind === "store-up" && at > (stopped?.at ?? Infinity));
    if (stopped === undefined || up === undefined || waitsSince === undefined) {
        throw new Error(`no store was restarted and waited for: ${events.map(({ kind }) => kind).join(", ")}`);
    }
    return { before: { from: stopped.at, to: waitsSince }, wait: { from: waitsSince, to: up.at } };
}

function during({ requests }: Restart, { from, to }: Span): LoggedRequest[] {
    return requests.filter(({ at }) => at >= from && at < to);
}

function minutes({ wait }: Restart): number {
    return (wait.to - wait.from) / 60_000;
}

function ofPd(requests: readonly LoggedRequest[]): LoggedRequest[] {
    return requests.filter(({ server, question }) => server === "pd" && !isRenewal(question));
}

/** Without the events of watches, which nobody asks for again. */
function ofApi(requests: readonly LoggedRequest[]): LoggedRequest[] {
    return requests.filter(
        ({ server, question }) => server === "api" && !isRenewal(question) && !/^watch /.test(question),
    );
}

/** Each observation lists the stores once. */
function observations(requests: readonly LoggedRequest[]): number {
    return requests.filter(({ question }) => question === "GET /pd/api/v1/stores").length;
}

function isRenewal(question: string): boolean {
    return ["PATCH leases", "watch leases: event", "POST /v3/lease/keepalive"].includes(question);
}

function isWatch(question: string): boolean {
    return /^watch \w+$/.test(question);
}

function isForward(question: string): boolean {
    return question.startsWith("open a port-forward");
}

function count(requests: readonly LoggedRequest[], is: (question: string) => boolean): number {
    return requests.filter(({ question }) => is(question)).length;
}

function byQuestion(requests: readonly LoggedRequest[], per = 1): string {
    const counts = new Map<string, number>();
    requests.forEach(({ question }) => counts.set(question, (counts.get(question) ?? 0) + 1));
    return [...counts].map(([question, count]) => `${question} ${Math.round(count / per)}`).join(", ");
}

function megabytes(requests: readonly LoggedRequest[]): string {
    return `${(sum(requests.map(({ bytes }) => bytes)) / 1e6).toFixed(1)} MB`;
}
