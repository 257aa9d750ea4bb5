import type { DiffAnswer, Provider } from "../../../sandbox/engine/provider";
import { containsUnknowns, deepEqual, type PropertyMap, unknownValue } from "../../../sandbox/engine/values";
import { certRequest } from "./certRequest";
import { locallySignedCert } from "./locallySignedCert";
import { privateKey } from "./privateKey";
import { type ResourceKind, withDefaults } from "./resourceKind";
import { selfSignedCert } from "./selfSignedCert";

const kinds: Readonly<Record<string, ResourceKind>> = {
    "tls:index/certRequest:CertRequest": certRequest,
    "tls:index/locallySignedCert:LocallySignedCert": locallySignedCert,
    "tls:index/privateKey:PrivateKey": privateKey,
    "tls:index/selfSignedCert:SelfSignedCert": selfSignedCert,
};

/**
 * Simulates the provider of `@pulumi/tls` (https://www.pulumi.com/registry/packages/tls/). Keys and certificates are
 * real, and are recreated when the real provider would recreate them. An unknown input is an error.
 */
export function tlsProvider(clock: () => Date): Provider {
    return {
        check: async ({ type, news }) => ({ inputs: news, failures: problemsOf(kindOf(type), news) }),
        diff: async ({ type, oldOutputs, news }) => diffOf(kindOf(type), oldOutputs, news, clock()),
        async create({ type, inputs, preview }) {
            const kind = kindOf(type);
            const given = withDefaults(kind, inputs);
            if (preview) {
                return { outputs: { ...given, ...unknown(kind.computed) } };
            }
            const { id, outputs } = await kind.create(given, clock());
            return { id, outputs: { ...given, ...outputs } };
        },
        update: async ({ type, oldOutputs, news }) => ({
            outputs: { ...oldOutputs, ...withDefaults(kindOf(type), news) },
        }),
        delete: async () => {},
        read: async ({ type, id, inputs, outputs }) => {
            const outlived = kindOf(type).outlived?.(outputs, clock());
            return { id, inputs, outputs: { ...outputs, ...(outlived ? { [outlived]: true } : {}) } };
        },
    };
}

function kindOf(type: string): ResourceKind {
    const kind = kinds[type];
    if (kind === undefined) {
        throw new Error(`${type} is not supported by the stand-in for Pulumi's TLS provider`);
    }
    return kind;
}

function problemsOf(kind: ResourceKind, news: PropertyMap): { property: string; reason: string }[] {
    const missing = Object.entries(kind.inputs)
        .filter(([name, { required }]) => required && news[name] === undefined)
        .map(([property]) => ({ property, reason: "is required" }));
    const wrong = Object.entries(news).flatMap(([property, value]) => {
        const rule = kind.inputs[property];
        if (rule === undefined) {
            return { property, reason: "is not supported by the stand-in for Pulumi's TLS provider" };
        }
        const reason = containsUnknowns(value) ? undefined : rule.problem?.(value);
        return reason === undefined ? [] : { property, reason };
    });
    return [...missing, ...wrong];
}

/** Compares the outputs, so setting a default explicitly changes nothing. */
function diffOf(kind: ResourceKind, old: PropertyMap, news: PropertyMap, now: Date): DiffAnswer {
    const wanted = withDefaults(kind, news);
    const changed = Object.keys(kind.inputs).filter((name) => !deepEqual(old[name], wanted[name]));
    const outlived = kind.outlived?.({ ...old, ...wanted }, now);
    const replaces = [...changed.filter((name) => !kind.inputs[name].inPlace), ...(outlived ? [outlived] : [])];
    const changes = changed.length + replaces.length > 0 ? "some" : "none";
    return { changes, replaces, deleteBeforeReplace: false };
}

function unknown(names: string[]): PropertyMap {
    return Object.fromEntries(names.map((name) => [name, unknownValue]));
}
