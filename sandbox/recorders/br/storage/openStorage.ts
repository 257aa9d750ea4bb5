import { openLocal } from "./localStorage";
import { type Environment, openS3 } from "./s3Storage";
import type { Storage } from "./storage";
import type { Place } from "./storageUrl";

/** Opens a storage. */
export function openStorage(place: Place, environment: Environment): Promise<Storage> {
    return place.kind === "local" ? openLocal(place) : openS3(place, environment);
}
