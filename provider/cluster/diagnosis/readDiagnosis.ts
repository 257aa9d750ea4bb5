import type { V1Node, V1Pod } from "@kubernetes/client-node" with { "resolution-mode": "import" };
import { memberName } from "../../../topology/names";
import { requestsOf, sumOf } from "../../lifecycle/diagnosis/amounts";
import { hasEnded, startingContainers } from "../../lifecycle/diagnosis/containers";
import { isWrong, refusedByScheduler } from "../../lifecycle/diagnosis/diagnosePod";
import type {
    ClaimFacts,
    DiagnosisFacts,
    DiagnosisRequest,
    NodeFacts,
    PodFacts,
} from "../../lifecycle/diagnosis/facts";
import { shortages } from "../../lifecycle/diagnosis/nodes";
import { isNamed, nodeOfClaims } from "../../lifecycle/diagnosis/ownNode";
import { saysVolumeIsElsewhere } from "../../lifecycle/diagnosis/scheduling";
import type { ContainerStatus } from "../../lifecycle/diagnosis/objects";
import { type Fact, known, notAsked, notKnown } from "../../lifecycle/vocabulary/evidence";
import { KubernetesApiError } from "../apiCall";
import type { ClusterId } from "../clusterId";
import { inGroups } from "../inGroups";
import type { DiagnosisCalls } from "./diagnosisCalls";
import { mountedClaims } from "./mountedClaims";
import { TooMany } from "./pages";
import { readCertificates, type SecretReader } from "./readCertificates";

/** How many logs are read: pods of one template say the same. */
const mostLogs = 3;
const podsAtOnce = 20;

/**
 * Reads what the diagnosis of the pods needs, and no more: of a pod that is Ready, the pod alone. Never rejects because the API
 * server does not answer or refuses: what it does not say is not known.
 */
export async function readDiagnosis(
    calls: DiagnosisCalls,
    secrets: SecretReader,
    { cluster, namespace }: ClusterId,
    request: DiagnosisRequest,
    now: () => number,
): Promise<DiagnosisFacts> {
    const ask = asking(now);
    const shared = sharedReads(calls, ask);
    let logs = 0;
    const unread: string[] = [];
    const pods = await inGroups(
        request.pods,
        podsAtOnce,
        async ({ component, job, name, isMissing }): Promise<PodFacts | undefined> => {
            const pod = await ask(async () => (isMissing ? undefined : calls.pod(name)));
            if (!pod.known) {
                unread.push(`${name}: ${pod.why}`);
                return undefined;
            }
            const facts: PodFacts = {
                name,
                component,
                ...(job === undefined ? {} : { job }),
                pod: pod.value,
                events: notAsked,
                claims: [],
                nodes: notAsked,
                classes: notAsked,
                volumes: notAsked,
                logs: {},
            };
            if (pod.value === undefined) {
                const [kind, owner] =
                    component === undefined ? ["Job", job] : ["StatefulSet", memberName(cluster, component)];
                const of = `involvedObject.kind=${kind},involvedObject.name=${owner}`;
                return { ...facts, events: await ask(() => calls.events(of)) };
            }
            const found = pod.value;
            const stopsBy = found.metadata?.deletionTimestamp;
            if (stopsBy === undefined && !isWrong(found)) {
                return facts;
            }
            const node = found.spec?.nodeName;
            const ownNode = node ? await shared.node(node) : notAsked;
            if (stopsBy !== undefined) {
                return { ...facts, ownNode, stopsInTime: stopsBy.getTime() > now() };
            }
            const ended = startingContainers(found, component).filter(
                (status) => hasEnded(status) && (job !== undefined || logs++ < mostLogs),
            );
            const [events, placing, read] = await Promise.all([
                ask(() => calls.events(`involvedObject.uid=${found.metadata?.uid}`)),
                readPlacing(found, calls, shared, ask),
                Promise.all(ended.map((status) => readLog(name, status, calls, ask))),
            ]);
            return { ...facts, ownNode, events, ...placing, logs: Object.fromEntries(read) };
        },
    );
    const found = pods.filter((pod) => pod !== undefined);
    const certificates = request.certificates
        ? await readCertificates(secrets, { cluster, namespace }, found, now)
        : [];
    const claims = await inGroups(request.growing ?? [], podsAtOnce, (name) => readClaim(name, calls, ask, true));
    return { pods: found, certificates, unread, ...(claims.length > 0 ? { claims } : {}) };
}

/** Asks the API server. An answer that it does not give is not known. */
type Ask = <T>(question: () => Promise<T>) => Promise<Fact<T>>;

function asking(now: () => number): Ask {
    return async (question) => {
        try {
            return known(await question(), "the API server", now());
        } catch (error) {
            if (!(error instanceof KubernetesApiError || error instanceof TooMany)) {
                throw error;
            }
            return notKnown(error.message);
        }
    };
}

/** What is read once for all pods. */
interface SharedReads {
    readonly node: (name: string) => Promise<Fact<V1Node | undefined>>;
    readonly nodes: () => Promise<Fact<V1Node[]>>;
    readonly requested: () => Promise<Fact<Map<string, Record<string, bigint>>>>;
    readonly classes: () => Promise<PodFacts["classes"]>;
    readonly volumes: () => Promise<PodFacts["volumes"]>;
}

function sharedReads(calls: DiagnosisCalls, ask: Ask): SharedReads {
    const byName = new Map<string, Promise<Fact<V1Node | undefined>>>();
    return {
        node: (name) => {
            const answer = byName.get(name) ?? ask(() => calls.node(name));
            byName.set(name, answer);
            return answer;
        },
        nodes: once(() => ask(() => calls.nodes())),
        requested: once(() => ask(async () => requestedByNode(await calls.allPods()))),
        classes: once(() => ask(() => calls.classes())),
        volumes: once(() => ask(() => calls.volumes())),
    };
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
    let answer: Promise<T> | undefined;
    return () => (answer ??= read());
}

function requestedByNode(pods: readonly V1Pod[]): Map<string, Record<string, bigint>> {
    const byNode = new Map<string, V1Pod[]>();
    for (const pod of pods) {
        const node = pod.spec?.nodeName;
        if (node) {
            byNode.set(node, [...(byNode.get(node) ?? []), pod]);
        }
    }
    return new Map([...byNode].map(([node, some]) => [node, sumOf(some.map(requestsOf))]));
}

/** What the scheduler's refusal makes worth knowing. */
async function readPlacing(
    pod: V1Pod,
    calls: DiagnosisCalls,
    shared: SharedReads,
    ask: Ask,
): Promise<Partial<PodFacts>> {
    const refusal = refusedByScheduler(pod);
    if (refusal === undefined) {
        return {};
    }
    const claims = await Promise.all(mountedClaims(pod).map((name) => readClaim(name, calls, ask)));
    const wait = claims.some(({ claim }) => claim.known && claim.value?.status?.phase === "Pending");
    const isElsewhere = saysVolumeIsElsewhere(refusal);
    const [classes, volumes, nodes] = await Promise.all([
        wait ? shared.classes() : notAsked,
        wait || isElsewhere ? shared.volumes() : notAsked,
        refusal.includes("Insufficient") ? readNodes(pod, shared) : notAsked,
    ]);
    const tiedTo = isElsewhere ? nodeOfClaims(claims, volumes) : undefined;
    const ofVolume =
        tiedTo === undefined ? {} : { volumeNode: { name: tiedTo, node: await hostNamed(tiedTo, shared) } };
    return { claims, classes, volumes, nodes, ...ofVolume };
}

/** Asked both ways: the host name of a node need not be its name. */
async function hostNamed(name: string, shared: SharedReads): Promise<Fact<V1Node | undefined>> {
    const named = await shared.node(name);
    const all = named.known && named.value === undefined ? await shared.nodes() : undefined;
    return all?.known ? { ...all, value: all.value.find((node) => isNamed(node, name)) } : (all ?? named);
}

/** @param grows whether the events of one that is bound matter. Default: false. */
async function readClaim(name: string, calls: DiagnosisCalls, ask: Ask, grows = false): Promise<ClaimFacts> {
    const claim = await ask(() => calls.claim(name));
    const isDone = !claim.known || (claim.value?.status?.phase === "Bound" && !grows);
    const of = `involvedObject.kind=PersistentVolumeClaim,involvedObject.name=${name}`;
    return { name, claim, events: isDone ? notAsked : await ask(() => calls.events(of)) };
}

/** The pods of all namespaces are read only if the nodes are large enough. */
async function readNodes(pod: V1Pod, shared: SharedReads): Promise<PodFacts["nodes"]> {
    const nodes = await shared.nodes();
    if (!nodes.known) {
        return nodes;
    }
    const without = (requested: NodeFacts["requested"]) => nodes.value.map((node) => ({ node, requested }));
    const isTooLarge = shortages(pod, without(notAsked)).some((one) => one.isTooLarge);
    const requested = isTooLarge ? notAsked : await shared.requested();
    const value = requested.known
        ? nodes.value.map((node) => ({
              node,
              requested: { ...requested, value: requested.value.get(node.metadata?.name ?? "") ?? {} },
          }))
        : without(requested);
    return { ...nodes, value };
}

async function readLog(
    pod: string,
    { name, state }: ContainerStatus,
    calls: DiagnosisCalls,
    ask: Ask,
): Promise<[string, Fact<readonly string[]>]> {
    const log = await ask(() => calls.log(pod, name, state?.terminated === undefined));
    return [name, log.known ? { ...log, value: log.value.split("\n") } : log];
}
