import { headlessServiceName, memberName } from "../../topology/names";
import { namespaceOf } from "../kubernetes/metadata";
import type { TidbClusterManifest } from "../spec";
import { ordinalPlaceholder, pdPlaceholder } from "../tiflash/addresses";

/** An address of a configuration: `0.0.0.0:6000`, `[::]:6000`, `http://basic-pd:2379`. */
interface Address {
    /** Without brackets. Empty: all interfaces. */
    readonly host: string;
    /** Undefined: none is given. */
    readonly port: number | undefined;
}

function parseAddress(text: string): Address {
    const [, host, port] = /^(?:\w+:\/\/)?(.*?)(?::(\d+))?\/?$/.exec(text.trim()) ?? ["", text, undefined];
    return { host: host.replace(/^\[(.*)\]$/, "$1"), port: port === undefined ? undefined : Number(port) };
}

/** Whether a server that listens on a host is reached from other pods. Other hosts than these are not the same in each pod. */
export function isEveryInterface(host: string): boolean {
    return /^(0\.0\.0\.0|[0:]*)$/.test(host.replace(/^\[(.*)\]$/, "$1")) || host.includes(ordinalPlaceholder);
}

/** Whether one of the addresses, which commas separate, is reached from other pods at a port. */
export function listensOn(port: number, addresses: string): boolean {
    return addresses
        .split(",")
        .map(parseAddress)
        .some((address) => address.port === port && isEveryInterface(address.host));
}

/** Whether other pods can connect to an address that a server advertises. */
export function isReachedAt(port: number, address: string): boolean {
    const { host, port: given } = parseAddress(address);
    const isNoHost = !host.includes(ordinalPlaceholder) && isEveryInterface(host);
    return given === port && !isNoHost && !/^(localhost|127\..*|::1)$/.test(host);
}

/** Whether all addresses, which commas separate, are those of a member in the cluster, or in the one that it joins. */
export function isMemberAt(
    { member, port }: { member: "pd" | "tidb"; port: number },
    addresses: string,
    manifest: TidbClusterManifest,
): boolean {
    const { cluster: joined, pdAddresses = [], [member]: own } = manifest.spec;
    const namespace = namespaceOf(manifest);
    const clusters = [
        { name: manifest.metadata.name, namespace },
        ...(joined?.name ? [{ name: joined.name, namespace: joined.namespace ?? namespace }] : []),
    ];
    // Of a cluster outside of the program nothing is known.
    const isElsewhere = own === undefined && !joined?.name;
    const external = member === "pd" ? pdAddresses.map(parseAddress) : [];
    return addresses.split(",").every((text) => {
        const address = parseAddress(text);
        return (
            isElsewhere ||
            address.host === pdPlaceholder ||
            external.some(({ host }) => host === address.host) ||
            (address.port === port && clusters.some((cluster) => isNameOf(cluster, member, address.host)))
        );
    });
}

/** Whether a host is a Service of the member, or one of its pods in the headless Service, with or without the rest of its name in DNS. */
function isNameOf(
    { name, namespace }: { name: string; namespace: string },
    member: "pd" | "tidb",
    host: string,
): boolean {
    const [service, ...rest] =
        host.startsWith(`${memberName(name, member)}-`) && host.includes(`.${headlessServiceName(name, member)}`)
            ? host.split(".").slice(1)
            : host.split(".");
    const isService = [memberName(name, member), headlessServiceName(name, member)].includes(service);
    return isService && (rest.length === 0 || rest[0] === namespace);
}
