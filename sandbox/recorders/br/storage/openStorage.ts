import type { Values } from "../arguments/values";
import { openLocal } from "./localStorage";
import { type Environment, openS3 } from "./s3Storage";
import type { Storage } from "./storage";
import { parseStorageUrl } from "./storageUrl";

/** Opens the storage that `--storage` names. */
export function openStorage(values: Values, environment: Environment): Promise<Storage> {
    const place = parseStorageUrl(values.text("storage"), values);
    return place.kind === "local" ? openLocal(place) : openS3(place, environment);
}
