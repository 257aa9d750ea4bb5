import { type ActionKinds, namesOf, podObject, uidsOf } from "./actionKind";
import { storesInWords } from "./records";

/** The actions that only update this package's own records. */
export const bookkeeping = {
    "note-eviction-gone": {
        describe: ({ storeId }) => `record that PD has dropped the eviction of store ${storeId}`,
        on: ({ storeId }) => storeId,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "forget-eviction": {
        describe: ({ storeId }) => `delete the record of the finished eviction of store ${storeId}`,
        on: ({ storeId }) => storeId,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "forget-removal": {
        describe: ({ of }) => `delete the record of the finished removal of ${of}`,
        on: ({ of }) => of,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "note-pd": {
        describe: ({ clusterId }) => `record PD's cluster id ${clusterId}`,
        on: ({ clusterId }) => clusterId,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "note-version": {
        describe: ({ version, claims }) => `record ${version} on ${namesOf(claims)}`,
        on: ({ version, tls, claims }) => `${version}${tls ? " with TLS" : ""} ${uidsOf(claims)}`,
        isBookkeeping: true,
        isNote: true,
        needsNoConsent: () => true,
    },
    "begin-shutdown": {
        describe: ({ pod }) => `record that the shutdown of ${pod} has begun`,
        on: ({ uid }) => uid,
        isBookkeeping: true,
    },
    "forget-shutdown": {
        describe: ({ pod }) => `delete the record that the shutdown of ${pod} has begun`,
        on: ({ uid }) => uid,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "give-replicas-back": {
        describe: ({ from: { name } }) =>
            `give the number of replicas of StatefulSet ${name} back to Pulumi's field manager`,
        on: ({ from: { uid } }) => uid,
        objects: () => [],
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "note-password": {
        describe: ({ secret, how }) =>
            `record on Secret ${secret} that root has ${how === "set" ? "this password" : "a different password"}`,
        on: ({ secret }) => secret,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "forget-settings": {
        describe: ({ component }) => `delete the record of the settings of ${component} that were changed`,
        on: ({ component }) => component,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "forget-limits": {
        describe: () => `delete the record of raised limits of PD`,
        on: () => "",
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "forget-upgrade": {
        describe: () => "delete the record of TiDB's smooth upgrade, which is finished",
        on: () => "",
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "begin-batch": {
        describe: ({ stores }) => `begin a batch: restart ${Object.keys(stores).join(", ")} side by side`,
        on: ({ stores }) => Object.keys(stores).join(" "),
        objects: ({ stores }) => Object.keys(stores).map(podObject),
        isBookkeeping: true,
        isTold: true,
        needsNoConsent: () => true,
    },
    "forget-batch": {
        describe: ({ pods }) => `delete the record of the batch of ${pods.join(", ")}`,
        on: ({ pods }) => pods.join(" "),
        objects: () => [],
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "count-replacement": {
        describe: ({ pod }) => `record that the replacement of ${pod} may start`,
        on: ({ pod }) => pod,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "forget-failures": {
        describe: ({ pods }) => `delete the record of the failure of ${pods.join(", ")}`,
        on: ({ pods }) => pods.join(" "),
        objects: () => [],
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "forget-lost-volumes": {
        describe: ({ pod }) => `delete the record that volumes of ${pod} are given up`,
        on: ({ pod }) => pod,
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "forget-recovery": {
        describe: ({ stores }) =>
            `delete the record that an unsafe recovery from the loss of ${storesInWords(stores)} was begun: PD has given it up`,
        on: ({ stores }) => stores.join(" "),
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
    "note-recovery-finished": {
        describe: ({ stores, report }) =>
            `record that PD's unsafe recovery from the loss of ${storesInWords(stores)} has finished (${report})`,
        on: ({ stores }) => stores.join(" "),
        isBookkeeping: true,
        needsNoConsent: () => true,
    },
} satisfies Partial<ActionKinds>;
