import { canonicalQuantity } from "./quantity";

/** The classes of a volume. */
export interface StorageClasses {
    storageClassName?: string;
    volumeAttributesClassName?: string;
}

/** Renders a claim template: every pod of the StatefulSet gets such a claim. */
export function claimTemplate(name: string, size: string | number, classes: StorageClasses) {
    const { storageClassName, volumeAttributesClassName } = classes;
    return {
        metadata: { name },
        spec: {
            accessModes: ["ReadWriteOnce"],
            resources: { requests: { storage: canonicalQuantity(size) } },
            ...(storageClassName === undefined ? {} : { storageClassName }),
            ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
        },
    };
}
