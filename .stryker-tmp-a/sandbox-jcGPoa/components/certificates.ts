import { namespaceOf } from "./kubernetes/metadata";
import { sqlClientSecretName } from "./kubernetes/sqlClients";
import { clusterSecretName, hasClusterTls, hasDiscoveryTls, hasSqlTls } from "./kubernetes/tls";
import { membersOf } from "./members";
import type { TidbClusterManifest } from "./spec";

/** A certificate that a cluster with TLS needs, in a Secret with the keys `ca.crt`, `tls.crt` and `tls.key`. */
export interface RequiredCertificate {
    /** Name of the Secret, in the cluster's namespace. */
    secretName: string;
    commonName: string;
    /** DNS names that it must cover; none where only clients show it. */
    dnsNames: string[];
    /** Addresses that it must cover: those of the pod itself, which probes and the members' own tools use. */
    ipAddresses: string[];
    /** What it must be allowed for, in the words of cert-manager. */
    usages: ("server auth" | "client auth")[];
}

/** PD and its microservices share one Secret (tidb-operator pkg/manager/member/pd_ms_member_manager.go). */
const sharesSecretOfPd = ["tso", "scheduling"];

/**
 * The certificates that a cluster needs, for `spec.tlsCluster` and `spec.tidb.tlsClient`: one Secret a member, one for
 * clients, by the names that pods mount them by. All of one switch must be of one authority. Names of Services and pods
 * are those of tidb-operator's documentation.
 *
 * @param manifest name, namespace (default: `default`) and spec of the cluster
 * @returns none where the spec asks for no TLS
 */
export function requiredCertificates(manifest: TidbClusterManifest): RequiredCertificate[] {
    const { name } = manifest.metadata;
    const namesOf = (component: string) => {
        const services = ["", "-peer"].map((suffix) => `${name}-${component}${suffix}`);
        return [...services, `*.${name}-${component}-peer`].flatMap((service) => serviceNames(manifest, service));
    };
    const required: RequiredCertificate[] = [];
    if (hasClusterTls(manifest)) {
        const components = membersOf(manifest.spec).map(({ component }) => component as string);
        const served = components.filter((component) => !sharesSecretOfPd.includes(component));
        for (const component of hasDiscoveryTls(manifest) ? [...served, "discovery"] : served) {
            const sharing = component === "pd" ? components.filter((one) => sharesSecretOfPd.includes(one)) : [];
            const dnsNames = [component, ...sharing].flatMap(namesOf);
            required.push(ofServer(clusterSecretName(name, component), `${name}-${component}`, dnsNames));
        }
        required.push(ofClient(`${name}-cluster-client-secret`, `${name}-cluster-client`));
    }
    if (hasSqlTls(manifest)) {
        const { pd, tiproxy } = manifest.spec;
        // TiProxy shows SQL clients the certificate of TiDB.
        const dnsNames = [...namesOf("tidb"), ...(tiproxy ? namesOf("tiproxy") : [])];
        required.push(ofServer(`${name}-tidb-server-secret`, `${name}-tidb-server`, dnsNames));
        const clients = [pd, tiproxy].map((member) => sqlClientSecretName(manifest, member?.tlsClientSecretName));
        required.push(...[...new Set(clients)].map((secret) => ofClient(secret, `${name}-tidb-client`)));
    }
    return required;
}

function serviceNames(manifest: TidbClusterManifest, service: string): string[] {
    const namespace = namespaceOf(manifest);
    const domain = manifest.spec.clusterDomain;
    const full = `${service}.${namespace}.svc`;
    return [service, `${service}.${namespace}`, full, ...(domain ? [`${full}.${domain}`] : [])];
}

function ofServer(secretName: string, commonName: string, dnsNames: string[]): RequiredCertificate {
    const ipAddresses = ["127.0.0.1", "::1"];
    return { secretName, commonName, dnsNames, ipAddresses, usages: ["server auth", "client auth"] };
}

function ofClient(secretName: string, commonName: string): RequiredCertificate {
    return { secretName, commonName, dnsNames: [], ipAddresses: [], usages: ["client auth"] };
}
