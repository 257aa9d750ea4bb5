import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";

/** The channels of one forwarded port: bytes, and errors. */
const channels = [0, 1];
const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, section 1.3
const opcodes = { binary: 2, close: 8, ping: 9, pong: 10 };

/**
 * Answers a port-forward as the API server does: a WebSocket whose messages begin with the number of a channel.
 * @param answersPing called at each ping. @returns whether a pong is sent.
 */
export function playPortForward(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    toPort: number,
    answersPing = () => true,
): void {
    const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}${acceptSuffix}`).digest("base64");
    socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n`,
    );
    const port = Buffer.alloc(2);
    port.writeUInt16LE(Number(new URL(request.url ?? "", "http://localhost").searchParams.get("ports")));
    channels.forEach((channel) => socket.write(frame(opcodes.binary, Buffer.from([channel]), port)));
    const pod = connect(toPort, "127.0.0.1");
    let received = head;
    const read = (chunk: Buffer): void => {
        received = Buffer.concat([received, chunk]);
        for (let next = nextFrame(received); next; next = nextFrame(received)) {
            received = received.subarray(next.length);
            if (next.opcode === opcodes.close) {
                socket.end();
            } else if (next.opcode === opcodes.ping && answersPing()) {
                socket.write(frame(opcodes.pong, next.payload));
            } else if (next.opcode === opcodes.binary && next.payload[0] === 0) {
                pod.write(next.payload.subarray(1));
            }
        }
    };
    socket.on("data", read);
    pod.on("data", (chunk) => socket.write(frame(opcodes.binary, Buffer.from([0]), chunk)));
    pod.on("error", () => socket.destroy());
    pod.on("close", () => socket.destroy());
    socket.on("end", () => socket.destroy());
    socket.on("error", () => pod.destroy());
    socket.on("close", () => pod.destroy());
}

function frame(opcode: number, ...parts: Buffer[]): Buffer {
    const payload = Buffer.concat(parts);
    const { length } = payload;
    const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
    header[0] = 0x80 | opcode;
    header[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
    if (header.length === 4) {
        header.writeUInt16BE(length, 2);
    } else if (header.length === 10) {
        header.writeBigUInt64BE(BigInt(length), 2);
    }
    return Buffer.concat([header, payload]);
}

/** A client's frames are masked. */
function nextFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
    if (bytes.length < 2) {
        return undefined;
    }
    const short = bytes[1] & 0x7f;
    const start = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < start + 4) {
        return undefined;
    }
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    const end = start + 4 + length;
    if (bytes.length < end) {
        return undefined;
    }
    const mask = bytes.subarray(start, start + 4);
    const payload = Buffer.from(bytes.subarray(start + 4, end));
    payload.forEach((byte, index) => (payload[index] = byte ^ mask[index % 4]));
    return { opcode: bytes[0] & 0x0f, payload, length: end };
}
