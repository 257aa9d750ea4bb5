import type { Member } from "./cluster";

/** What PD's leader writes about itself to etcd: kvproto's `pdpb.Member`. */
export function memberMessage({ name, id, peerUrl, clientUrl }: Member): Buffer {
    const text = (field: number, value: string) => {
        const bytes = Buffer.from(value);
        return [varint(BigInt(field * 8 + 2)), varint(BigInt(bytes.length)), bytes];
    };
    return Buffer.concat([...text(1, name), varint(16n), varint(id), ...text(3, peerUrl), ...text(4, clientUrl)]);
}

function varint(value: bigint): Buffer {
    const bytes: number[] = [];
    for (let rest = value; ; rest >>= 7n) {
        if (rest < 0x80n) {
            return Buffer.from([...bytes, Number(rest)]);
        }
        bytes.push(Number(rest & 0x7fn) | 0x80);
    }
}
