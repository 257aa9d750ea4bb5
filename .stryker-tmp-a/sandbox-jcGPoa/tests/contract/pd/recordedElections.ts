import { existsSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import type { ElectionSample, Seen } from "./electionSample";

/** One election of a real PD, and what was read in the two minutes after it. */
export interface RecordedElection {
    readonly election: ElectionKind;
    /** What stores did: see `RealStoresOptions.reconnect`. */
    readonly reconnect: "resends" | "waits";
    /** The store whose eviction had begun a moment before. */
    readonly evict: number;
    /** Regions with a pending peer, in truth. */
    readonly pending: number;
    /** Leaders that moved to that store while PD had no leader, its eviction being done already. */
    readonly moved?: number;
    readonly from: string;
    readonly samples: readonly ElectionSample[];
}

export type ElectionKind =
    "a follower that has run takes over" | "the leader is killed" | "a restarted member takes over";

const file = path.join(__dirname, "elections-8.5.4.jsonl");

/** Reads the recording of plain elections: each kind, with stores of each kind. */
export function readElections(): RecordedElection[] {
    return readAll().filter(({ moved }) => !moved);
}

/** Reads the recording of elections while leaders moved: the worst that can happen to PD's word. */
export function readElectionsWithMoves(): RecordedElection[] {
    return readAll().filter(({ moved }) => moved);
}

function readAll(): RecordedElection[] {
    const elections: (Omit<RecordedElection, "samples"> & { samples: ElectionSample[] })[] = [];
    for (const line of readFileSync(file, "utf8").trim().split("\n")) {
        const value = JSON.parse(line) as unknown;
        if (Array.isArray(value)) {
            elections.at(-1)!.samples.push(fromRow(value as Row));
        } else {
            elections.push({ ...(value as Omit<RecordedElection, "samples">), samples: [] });
        }
    }
    return elections;
}

/** Adds an election to the recording. */
export function keepElection({ samples, ...about }: RecordedElection): void {
    const before = existsSync(file) ? readFileSync(file, "utf8") : "";
    const lines = [about, ...samples.map(toRow)].map((line) => JSON.stringify(line) + "\n");
    writeFileSync(file, before + lines.join(""));
}

/** A sample as a line has it: short, and in this order. Leaders are those of store 1, 2 and so on. */
type Row =
    | [at: number, truth: number[], error: string]
    | [
          at: number,
          truth: number[],
          leader: string,
          term: string,
          isSteady: boolean,
          heldForMilliseconds: number | null,
          allReported: boolean,
          hasSchedulers: boolean,
          regionCount: number,
          leaders: number[],
          states: string,
          pendingInCheck: number,
          pendingInGauge: number | null,
          evicted: readonly number[] | null,
          persisted: readonly number[],
      ];

function toRow({ at, truth, error, seen }: ElectionSample): Row {
    if (!seen) {
        return [at, Object.values(truth), error ?? ""];
    }
    return [
        at,
        Object.values(truth),
        seen.leader,
        seen.term,
        seen.isSteady,
        seen.heldForMilliseconds,
        seen.allReported,
        seen.hasSchedulers,
        seen.regionCount,
        Object.values(seen.leaders),
        seen.states.join(" "),
        seen.pendingInCheck,
        seen.pendingInGauge,
        seen.evicted,
        seen.persisted,
    ];
}

function fromRow(row: Row): ElectionSample {
    const byStore = (counts: number[]) => Object.fromEntries(counts.map((count, index) => [index + 1, count]));
    if (row.length === 3) {
        return { at: row[0], truth: byStore(row[1]), error: row[2] };
    }
    const [at, truth, leader, term, isSteady, heldForMilliseconds, allReported, hasSchedulers, regionCount] = row;
    const [leaders, states, pendingInCheck, pendingInGauge, evicted, persisted] = row.slice(9) as [
        number[],
        string,
        number,
        number | null,
        number[] | null,
        number[],
    ];
    const seen: Seen = {
        leader,
        term,
        isSteady,
        heldForMilliseconds,
        allReported,
        hasSchedulers,
        regionCount,
        leaders: byStore(leaders),
        states: states.split(" "),
        pendingInCheck,
        pendingInGauge,
        evicted,
        persisted,
    };
    return { at, truth: byStore(truth), seen };
}
