import * as fs from "node:fs";

const longestMessage = 2048;
const messageLines = 80;

/** The log of a container in the format of container runtimes, which KWOK serves as kubelet would. */
export interface ContainerLog {
    /** Takes a part of the output, which may end in the middle of a line. */
    write(stream: "stdout" | "stderr", part: Buffer): void;
    /** Writes what is left of the last lines. */
    end(): void;
    /** The last lines, as kubelet takes them for the message of a container that failed. */
    tail(): string;
}

/**
 * @param onLoss receives why lines cannot be written, such as a full disk: once until some can be.
 * @param now returns the time of a line.
 */
export function containerLog(
    file: string,
    onLoss: (line: string) => void,
    now: () => Date = () => new Date(),
): ContainerLog {
    const rests: Record<string, Buffer> = {};
    const last: string[] = [];
    let isLost = false;
    fs.writeFileSync(file, "");
    const append = (text: string): void => {
        try {
            fs.appendFileSync(file, text);
            isLost = false;
        } catch (error) {
            if (!isLost) {
                isLost = true;
                onLoss(`lines of the log ${file} are lost: ${(error as Error).message}`);
            }
        }
    };
    const line = (stream: string, text: string): void => {
        append(`${now().toISOString()} ${stream} F ${text}\n`);
        last.push(text);
        last.splice(0, last.length - messageLines);
    };
    return {
        write: (stream, part) => {
            let rest = Buffer.concat([rests[stream] ?? Buffer.alloc(0), part]);
            for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
                line(stream, rest.subarray(0, end).toString());
                rest = rest.subarray(end + 1);
            }
            rests[stream] = rest;
        },
        end: () => {
            for (const [stream, rest] of Object.entries(rests)) {
                if (rest.length > 0) {
                    line(stream, rest.toString());
                }
                rests[stream] = Buffer.alloc(0);
            }
        },
        tail: () => last.join("\n").slice(-longestMessage),
    };
}
