import { type Component, components } from "../../../topology/members";
import { claimsInWords } from "./downgrade";
import { type DeployedMembers, isLeftOver, type SeenMembers, startedClaims } from "./seenVersions";
import { type Notice, noticesOf } from "../vocabulary/notices";

/** What an update finds of an earlier cluster of the same name. */
interface LeftClaims {
    warnings: Notice[];
    /** In short, for the summary of the plan. */
    risks: string[];
}

/** Of these keys PD reads the file only at its first start: see `pdEffects`. */
const keptSettings =
    "PD starts on the volumes of an earlier cluster, and keeps the settings of that cluster (schedule, replication, pd-server, replication-mode), whatever spec.pd.config says: once PD runs, change them with SET CONFIG pd or pd-ctl";

const noPd =
    "there are claims of TiKV, but none of PD: a PD that starts empty makes a new cluster, and TiKV does not start in another cluster than that of its data. Delete the claims of TiKV, or bring back those of PD";
const noTikv =
    "there are claims of PD, but none of TiKV: PD knows stores and regions whose data are gone, and the cluster does not serve them. Delete the claims of PD, or bring back those of TiKV";

/**
 * Finds the claims on whose data members start that nothing else of is there. Those of which no record shows a version are named where versions are
 * compared.
 *
 * @param wanted the members of the program, with their numbers of pods, as far as those are known.
 * @param isRestore whether TiKV is to take over the cluster id of a new PD (`spec.recoveryMode`). Default: false.
 */
export function leftClaims(
    wanted: Partial<Record<Component, { replicas?: number }>>,
    live: SeenMembers,
    before: DeployedMembers,
    isRestore = false,
): LeftClaims {
    const claims = (component: Component) => {
        const member = live.members[component];
        return wanted[component] && isLeftOver(member, before[component])
            ? startedClaims(member, before[component], wanted[component].replicas)
            : [];
    };
    const isEmpty = (component: Component) =>
        wanted[component] !== undefined &&
        isLeftOver(live.members[component], before[component]) &&
        claims(component).length === 0;
    const recorded = components.flatMap(claims).filter(({ version }) => version !== undefined);
    const warnings = [
        ...noticesOf(
            "claims-left",
            recorded.length > 0
                ? `${claimsInWords(recorded.map(({ name }) => name))} of an earlier cluster: the new pods take them, with their data. To start empty, delete them before the update`
                : undefined,
        ),
        ...noticesOf("pd-settings-kept", claims("pd").length > 0 && !isEmpty("tikv") ? keptSettings : undefined),
        // TiKV keeps the id of its cluster, and refuses a PD that has another one (tikv/tikv src/server/node.rs).
        ...noticesOf("claims-without-pd", !isRestore && claims("tikv").length > 0 && isEmpty("pd") ? noPd : undefined),
        ...noticesOf("claims-without-tikv", claims("pd").length > 0 && isEmpty("tikv") ? noTikv : undefined),
    ];
    const released = components.flatMap((component) => {
        const member = live.members[component];
        const replicas = wanted[component]?.replicas ?? 0;
        return member && isLeftOver(member, before[component])
            ? member.claims.filter((claim) => claim.released && !claim.terminating && claim.ordinal < replicas)
            : [];
    });
    const emptied = noticesOf(
        "claims-released-before",
        released.length === 0
            ? undefined
            : `an earlier scale-in has released ${claimsInWords(released.map(({ name }) => name))}: the update deletes such claims with their data, and the pods start empty`,
    );
    return {
        warnings: [...warnings, ...emptied],
        risks: warnings.length > 0 ? ["pods start on the data of an earlier cluster"] : [],
    };
}
