import * as assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { decodeWire, encodeWire } from "../../../provider/pd/json";
import { serve, type Answer, type Received, type TestServer } from "./server";

/** A line of a recording: what a real PD answered. */
export interface Line {
    readonly note: string;
    readonly method: string;
    readonly path: string;
    readonly request?: unknown;
    readonly status: number;
    readonly contentType: string | null;
    readonly response: unknown;
}

/** A server that answers as recorded, along the recording's time. */
export interface Recording extends TestServer {
    /** Goes to the first line with this note. */
    goTo(note: string): void;
}

/** The versions of PD that were recorded. */
export const recordedVersions = ["8.5.4", "8.5.8", "26.3.4"] as const;

/** The file with the recording of a version. */
export function recordingFile(version: string): string {
    return path.join(__dirname, `../../fixtures/pd-${version}.json`);
}

/** The lines of the recording of a version. */
export function readRecording(version: string): readonly Line[] {
    return decodeWire(readFileSync(recordingFile(version), "utf8")) as Line[];
}

/**
 * Serves the recording. A request is answered by the next line that made the same, or else by the last one that did. A
 * change moves the recording's time on, a question does not.
 */
export async function serveRecording(version: (typeof recordedVersions)[number]): Promise<Recording> {
    const lines = readRecording(version);
    let now = 0;
    const server = await serve((request) => {
        const same = (line: Line) => isSame(line, request);
        const ahead = lines.findIndex((line, index) => index >= now && same(line));
        const line = lines[ahead] ?? lines.filter(same).at(-1);
        if (request.method !== "GET" && ahead >= 0) {
            now = ahead + 1;
        }
        if (request.path.startsWith("/v3/")) {
            // Nothing of etcd was recorded: as PD answers where its gateway is off.
            return { status: 404, body: "404 page not found\n", contentType: "text/plain; charset=utf-8" };
        }
        const unknown = `not recorded: ${request.method} ${request.path} ${request.body}`;
        return line ? toAnswer(line) : { status: 501, body: unknown };
    });
    return Object.assign(server, {
        goTo(note: string) {
            now = lines.findIndex((line) => line.note === note);
            assert.ok(now >= 0, `no line of the recording has the note "${note}"`);
        },
    });
}

function isSame(line: Line, { method, path, body }: Received): boolean {
    const sent = body === "" ? undefined : decodeWire(body);
    return line.method === method && line.path === path && encodeWire(line.request) === encodeWire(sent);
}

function toAnswer({ status, contentType, response }: Line): Answer {
    const isJson = contentType?.startsWith("application/") ?? false;
    const body = isJson ? encodeWire(withoutCuts(response)) : String(response);
    return { status, body, contentType: contentType ?? "text/plain" };
}

/** Long lists were cut when they were recorded: "..." stands for the rest. */
function withoutCuts(response: unknown): unknown {
    const { stores } = (response ?? {}) as { stores?: unknown[] };
    return stores ? { ...(response as object), stores: stores.filter((store) => store !== "...") } : response;
}
