import type { Layout } from "./layout";

/** Loopback ports of one sandbox. */
export interface Ports {
    etcd: number;
    etcdPeer: number;
    apiServer: number;
    /** KWOK's server: the port at which the API server finds every node's kubelet. */
    kubelet: number;
}

/** The address that everything of a sandbox listens on. */
export const loopback = "127.0.0.1";

/** Seconds that a node's lease lasts. KWOK renews leases only when it is told this; without, nodes go NotReady. */
const nodeLeaseSeconds = 40;

/** etcd: one member, on disk without fsync, since a sandbox that loses power is gone anyway. */
export function etcdArguments(layout: Layout, ports: Ports): string[] {
    const client = `http://${loopback}:${ports.etcd}`;
    const peer = `http://${loopback}:${ports.etcdPeer}`;
    return [
        "--name=sandbox",
        `--data-dir=${layout.etcdData}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=sandbox=${peer}`,
        "--unsafe-no-fsync=true",
        "--snapshot-count=10000",
        "--auto-compaction-mode=periodic",
        "--auto-compaction-retention=5m",
        "--log-level=warn",
    ];
}

/**
 * The API server: TLS with a certificate that it signs itself, tokens from a file, RBAC. Requests are not rationed by
 * priority and fairness: the sandbox has one user.
 */
export function apiServerArguments(layout: Layout, ports: Ports): string[] {
    return [
        `--etcd-servers=http://${loopback}:${ports.etcd}`,
        `--bind-address=${loopback}`,
        `--advertise-address=${loopback}`,
        `--secure-port=${ports.apiServer}`,
        `--cert-dir=${layout.certificates}`,
        `--token-auth-file=${layout.tokens}`,
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--service-account-issuer=https://kubernetes.default.svc",
        `--service-account-key-file=${layout.serviceAccountKey}`,
        `--service-account-signing-key-file=${layout.serviceAccountKey}`,
        "--kubelet-preferred-address-types=InternalIP",
        "--allow-privileged=true",
        "--enable-priority-and-fairness=false",
        // Nodes are Ready when they are made; the plugin would taint them until a controller has noticed.
        "--disable-admission-plugins=TaintNodesByCondition",
        "--endpoint-reconciler-type=none",
        "--watch-cache-sizes=",
        "--shutdown-delay-duration=0s",
        "--v=0",
    ];
}

/** What the sandbox has no use for: cloud, certificate signing, autoscaling, attaching of real disks. */
const controllersLeftOut = [
    "certificatesigningrequest-approving-controller",
    "certificatesigningrequest-cleaner-controller",
    "certificatesigningrequest-signing-controller",
    "cloud-node-lifecycle-controller",
    "device-taint-eviction-controller",
    "ephemeral-volume-controller",
    "horizontal-pod-autoscaler-controller",
    "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    "legacy-serviceaccount-token-cleaner-controller",
    "node-ipam-controller",
    "node-route-controller",
    "persistentvolume-attach-detach-controller",
    "persistentvolume-expander-controller",
    "podcertificaterequest-cleaner-controller",
    "podgroup-protection-controller",
    "resourceclaim-controller",
    "resourcepoolstatusrequest-controller",
    "service-cidr-controller",
    "service-lb-controller",
    "storage-version-migrator-controller",
    "storageversion-garbage-collector-controller",
    "ttl-controller",
    "validatingadmissionpolicy-status-controller",
];

/** The controllers, with enough workers and request rate that a cluster's pods come up in seconds. */
export function controllerManagerArguments(layout: Layout): string[] {
    return [
        `--kubeconfig=${layout.kubeconfig}`,
        "--leader-elect=false",
        "--secure-port=0",
        "--allocate-node-cidrs=false",
        "--use-service-account-credentials=false",
        `--service-account-private-key-file=${layout.serviceAccountKey}`,
        `--root-ca-file=${layout.servingCertificate}`,
        `--controllers=${["*", ...controllersLeftOut.map((name) => `-${name}`)].join(",")}`,
        "--concurrent-statefulset-syncs=20",
        "--concurrent-deployment-syncs=20",
        "--concurrent-replicaset-syncs=20",
        "--concurrent-gc-syncs=20",
        "--kube-api-qps=1000",
        "--kube-api-burst=2000",
        "--min-resync-period=1h",
        "--pvclaimbinder-sync-period=5s",
        "--v=0",
    ];
}

/** The scheduler. */
export function schedulerArguments(layout: Layout): string[] {
    return [
        `--kubeconfig=${layout.kubeconfig}`,
        "--leader-elect=false",
        "--secure-port=0",
        "--kube-api-qps=1000",
        "--kube-api-burst=2000",
        "--v=0",
    ];
}

/** KWOK: plays every node and its pods, and is the kubelet that port-forwards reach. */
export function kwokArguments(layout: Layout, ports: Ports): string[] {
    return [
        `--kubeconfig=${layout.kubeconfig}`,
        `--config=${layout.kwokConfiguration}`,
        "--manage-all-nodes=true",
        `--node-lease-duration-seconds=${nodeLeaseSeconds}`,
        `--node-ip=${loopback}`,
        `--node-port=${ports.kubelet}`,
        `--server-address=${loopback}:${ports.kubelet}`,
        `--tls-cert-file=${layout.servingCertificate}`,
        `--tls-private-key-file=${layout.servingKey}`,
        "--cidr=10.244.0.0/16",
        "--enable-crds=PortForward,ClusterPortForward",
    ];
}
