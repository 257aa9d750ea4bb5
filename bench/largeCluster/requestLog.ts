import type { IncomingMessage, ServerResponse } from "node:http";

/** A request that a played server answered. */
export interface LoggedRequest {
    readonly server: "api" | "pd";
    /** Method and path, without names. For a watch: each batch of events. */
    readonly question: string;
    /** Bytes that the server wrote to the socket. */
    readonly bytes: number;
}

/** What the played servers were asked. */
export class RequestLog {
    readonly requests: LoggedRequest[] = [];

    /** Adds a request once it is answered. */
    follow(
        server: LoggedRequest["server"],
        question: string,
        { socket }: IncomingMessage,
        response: ServerResponse,
    ): void {
        const before = socket.bytesWritten;
        response.on("finish", () => this.add(server, question, socket.bytesWritten - before));
    }

    add(server: LoggedRequest["server"], question: string, bytes: number): void {
        this.requests.push({ server, question, bytes });
    }
}
