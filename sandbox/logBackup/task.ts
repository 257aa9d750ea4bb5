import type { Place } from "../recorders/storage";
import { decode, encode } from "./protobuf";

/** Where BR and TiKV keep log backups in PD's etcd (pingcap/tidb br/pkg/streamhelper/models.go, v8.5). */
export const logKeys = {
    tasks: "/tidb/br-stream/info/",
    task: (name: string) => `/tidb/br-stream/info/${name}`,
    pause: (name: string) => `/tidb/br-stream/pause/${name}`,
    /** Ends in a slash, as all keys of it do. */
    checkpoints: (name: string) => `/tidb/br-stream/checkpoint/${name}/`,
    checkpoint: (name: string) => `/tidb/br-stream/checkpoint/${name}/central_global`,
    ranges: (name: string) => `/tidb/br-stream/ranges/${name}/`,
    lastErrors: (name: string) => `/tidb/br-stream/last-error/${name}/`,
} as const;

/** A log backup's task. */
export interface LogTask {
    readonly name: string;
    readonly startTs: bigint;
    readonly place: Place;
}

const latest = 999_999_999_999_999_999n;

/** Writes where a storage is in BR's form (kvproto proto/brpb.proto, StorageBackend), with its keys if it has some. */
export function encodeBackend(place: Place): Buffer {
    return encode(
        place.kind === "local"
            ? { 2: encode({ 1: place.folder }) }
            : {
                  3: encode({
                      1: place.endpoint,
                      2: place.region,
                      3: place.bucket,
                      4: place.prefix,
                      8: place.accessKey,
                      9: place.secretAccessKey,
                      10: 1n,
                  }),
              },
    );
}

/** Reads where a storage is. @throws if it is none that the recorder has. */
export function decodeBackend(bytes: Buffer): Place {
    const [[kind, storage] = []] = [...decode(bytes)];
    if (kind !== 2 && kind !== 3) {
        throw new Error(`the recorder has no storage of kind ${kind}`);
    }
    const fields = decode(storage as Buffer);
    const text = (number: number): string | undefined => (fields.get(number) as Buffer | undefined)?.toString();
    const s3 = { endpoint: text(1), region: text(2), accessKey: text(8), secretAccessKey: text(9) };
    return kind === 2
        ? { kind: "local", folder: text(1) ?? "" }
        : { kind: "s3", bucket: text(3) ?? "", prefix: text(4) ?? "", ...s3 };
}

/** Writes a task in BR's form (StreamBackupTaskInfo), with the keys that TiKV needs. */
export function encodeTask({ name, startTs, place }: LogTask): Buffer {
    return encode({ 1: encodeBackend(place), 2: startTs, 3: latest, 4: name, 5: ["*.*"] });
}
