import { askEtcd, parseRange } from "./etcd";
import { etcdCalls, keyOf, prefixOf } from "./etcdCalls";
import type { PdLogBackup } from "./model";
import { numberField, protobufFields, type ProtobufFields, textField } from "./protobuf";
import type { PdTransport } from "./transport";
import type { WireRange } from "./wire";
import { BadAnswer } from "./wireFields";

/** Where BR keeps what it says of log backups in PD's etcd (pingcap/tidb br/pkg/streamhelper/models.go). */
const root = "/tidb/br-stream";

/**
 * Lists the tasks of log backups, in one revision of etcd. BR starts one at most. The keys of storages, which BR keeps there too, are
 * left out.
 */
export async function logBackups(transport: PdTransport): Promise<PdLogBackup[]> {
    const read = (range: WireRange) =>
        askEtcd(transport, etcdCalls.range("read BR's log backups from PD's etcd", range), parseRange);
    const { revision, keys } = await read(prefixOf(`${root}/info/`));
    const then = async (range: WireRange) => (await read({ ...range, revision: String(revision) })).keys;
    return Promise.all(
        keys.map(async ({ value }) => {
            const task = parseTask(value);
            const [pause, [global], stores, errors] = await Promise.all([
                then(keyOf(`${root}/pause/${task.name}`)),
                then(keyOf(`${root}/checkpoint/${task.name}/central_global`)),
                then(prefixOf(`${root}/storage-checkpoint/${task.name}/`)),
                then(prefixOf(`${root}/last-error/${task.name}/`)),
            ]);
            // As BR reads it (br/pkg/streamhelper/client.go, GetGlobalCheckPointTS), but without the checkpoints of single stores.
            const reached = [task.startTs, ...stores.map((one) => checkpointOf(one.value))];
            return {
                ...task,
                checkpointTs: global ? checkpointOf(global.value) : reached.reduce((a, b) => (a > b ? a : b)),
                paused: pause.length > 0,
                errors: errors.map((one) => textField(fieldsOf(one.value, "error"), 3)),
            };
        }),
    );
}

/** kvproto proto/brpb.proto: StreamBackupTaskInfo. */
function parseTask(value: Buffer): Pick<PdLogBackup, "name" | "startTs" | "storage" | "endpoint" | "account"> {
    const task = fieldsOf(value, "task");
    const [storage] = task.get(1) ?? [];
    const place = Buffer.isBuffer(storage) ? placeOf(storage) : { storage: "" };
    return { name: textField(task, 4), startTs: numberField(task, 2), ...place };
}

/** Reads a message. A task's bytes hold the keys of its storage, so no error shows them. */
function fieldsOf(bytes: Buffer, of: string): ProtobufFields {
    try {
        return protobufFields(bytes);
    } catch (error) {
        if (error instanceof RangeError) {
            throw new BadAnswer(`the ${of} of a log backup`, `${bytes.length} bytes`, "BR's own form");
        }
        throw error;
    }
}

/** The number of each storage in StorageBackend, its scheme, and the numbers of its fields for the bucket and the folder in it. */
const storages: readonly (readonly [number, string, number, number])[] = [
    [3, "s3", 3, 4],
    [4, "gcs", 2, 3],
    [7, "azure", 2, 3],
];

function placeOf(backend: Buffer): Pick<PdLogBackup, "storage" | "endpoint" | "account"> {
    const fields = fieldsOf(backend, "storage");
    const [local] = fields.get(2) ?? [];
    if (Buffer.isBuffer(local)) {
        return { storage: `local://${textField(fieldsOf(local, "storage"), 1)}` };
    }
    for (const [number, scheme, bucket, prefix] of storages) {
        const [place] = fields.get(number) ?? [];
        if (Buffer.isBuffer(place)) {
            const parts = fieldsOf(place, "storage");
            const account = scheme === "azure" ? textField(parts, 5) : "";
            return {
                storage: `${scheme}://${textField(parts, bucket)}/${textField(parts, prefix)}`,
                ...(textField(parts, 1) === "" ? {} : { endpoint: textField(parts, 1) }),
                ...(account === "" ? {} : { account }),
            };
        }
    }
    return { storage: "" };
}

function checkpointOf(value: Buffer): bigint {
    if (value.length !== 8) {
        throw new BadAnswer("the checkpoint of a log backup", `${value.length} bytes`, "8 bytes");
    }
    return value.readBigUInt64BE();
}
