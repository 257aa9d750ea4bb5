function stryNS_9fa48() {
  var g = typeof globalThis === 'object' && globalThis && globalThis.Math === Math && globalThis || new Function("return this")();
  var ns = g.__stryker__ || (g.__stryker__ = {});
  if (ns.activeMutant === undefined && g.process && g.process.env && g.process.env.__STRYKER_ACTIVE_MUTANT__) {
    ns.activeMutant = g.process.env.__STRYKER_ACTIVE_MUTANT__;
  }
  function retrieveNS() {
    return ns;
  }
  stryNS_9fa48 = retrieveNS;
  return retrieveNS();
}
stryNS_9fa48();
function stryCov_9fa48() {
  var ns = stryNS_9fa48();
  var cov = ns.mutantCoverage || (ns.mutantCoverage = {
    static: {},
    perTest: {}
  });
  function cover() {
    var c = cov.static;
    if (ns.currentTestId) {
      c = cov.perTest[ns.currentTestId] = cov.perTest[ns.currentTestId] || {};
    }
    var a = arguments;
    for (var i = 0; i < a.length; i++) {
      c[a[i]] = (c[a[i]] || 0) + 1;
    }
  }
  stryCov_9fa48 = cover;
  cover.apply(null, arguments);
}
function stryMutAct_9fa48(id) {
  var ns = stryNS_9fa48();
  function isActive(id) {
    if (ns.activeMutant === id) {
      if (ns.hitCount !== void 0 && ++ns.hitCount > ns.hitLimit) {
        throw new Error('Stryker: Hit count limit reached (' + ns.hitCount + ')');
      }
      return true;
    }
    return false;
  }
  stryMutAct_9fa48 = isActive;
  return isActive(id);
}
import { clusterGate } from "./clusterGate";
import type { CheckResult, Gate } from "./gate";
import { passwordGate } from "./passwordGate";
import { readyGate } from "./readyGate";
import { rolloutGate } from "./rolloutGate";
import { scaleGate } from "./scaleGate";
import { suspendGate } from "./suspendGate";

/** The gates, by the input `gate` that each resource carries. */
const gates: Record<string, Gate> = stryMutAct_9fa48("65") ? {} : (stryCov_9fa48("65"), {
  cluster: clusterGate,
  scale: scaleGate,
  rollout: rolloutGate,
  suspend: suspendGate,
  password: passwordGate,
  ready: readyGate
});
type Values = Record<string, unknown>;
function gateOf(values: Values): Gate {
  if (stryMutAct_9fa48("66")) {
    {}
  } else {
    stryCov_9fa48("66");
    const gate = gates[String(values.gate)];
    if (stryMutAct_9fa48("69") ? false : stryMutAct_9fa48("68") ? true : stryMutAct_9fa48("67") ? gate : (stryCov_9fa48("67", "68", "69"), !gate)) {
      if (stryMutAct_9fa48("70")) {
        {}
      } else {
        stryCov_9fa48("70");
        throw new Error(stryMutAct_9fa48("71") ? `` : (stryCov_9fa48("71"), `unknown gate ${JSON.stringify(values.gate)}: expected one of ${Object.keys(gates).join(stryMutAct_9fa48("72") ? "" : (stryCov_9fa48("72"), ", "))}. The stack was written by another version of pulumi-tidb than the one installed`));
      }
    }
    return gate;
  }
}

/** Reads the live cluster and puts the plan into the inputs. Called by the shim in `components/gates.ts`. */
export function check(olds: Values, news: Values): Promise<CheckResult> {
  if (stryMutAct_9fa48("73")) {
    {}
  } else {
    stryCov_9fa48("73");
    return gateOf(news).check(olds, news);
  }
}

/** Tells whether there is a step to take or another aim than before. */
export function diff(id: string, olds: Values, news: Values): Promise<{
  changes: boolean;
}> {
  if (stryMutAct_9fa48("74")) {
    {}
  } else {
    stryCov_9fa48("74");
    return gateOf(news).diff(id, olds, news);
  }
}

/** Carries out the steps of a first deployment. */
export function create(inputs: Values): Promise<{
  id: string;
  outs: Values;
}> {
  if (stryMutAct_9fa48("75")) {
    {}
  } else {
    stryCov_9fa48("75");
    return gateOf(inputs).create(inputs);
  }
}

/** Carries out the steps of an update. */
export function update(id: string, olds: Values, news: Values): Promise<{
  outs: Values;
}> {
  if (stryMutAct_9fa48("76")) {
    {}
  } else {
    stryCov_9fa48("76");
    return gateOf(news).update(id, olds, news);
  }
}

/** What comes before a gate's cluster is deleted. Gates of single members have nothing to do: the cluster's gate did it. */
export async function delete_(id: string, props: Values): Promise<void> {
  if (stryMutAct_9fa48("77")) {
    {}
  } else {
    stryCov_9fa48("77");
    await (stryMutAct_9fa48("78") ? gateOf(props).delete(id, props) : (stryCov_9fa48("78"), gateOf(props).delete?.(id, props)));
  }
}