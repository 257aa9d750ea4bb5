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
import { nextReadyMove, planReady } from "../lifecycle/ready";
import type { MemberTarget } from "../lifecycle/target";
import { destroyCluster } from "./destroy";
import { createGate, type Gate, type GateDefinition, Unreadable } from "./gate";
import type { ReadyProgramInputs } from "./inputs";
import { lookForReady, lookForState } from "./looks";
import { runOperation } from "./loop";
function targetsOf(inputs: ReadyProgramInputs): MemberTarget[] {
  if (stryMutAct_9fa48("356")) {
    {}
  } else {
    stryCov_9fa48("356");
    return inputs.members.map(stryMutAct_9fa48("357") ? () => undefined : (stryCov_9fa48("357"), ({
      component,
      replicas,
      policy
    }) => stryMutAct_9fa48("358") ? {} : (stryCov_9fa48("358"), {
      component,
      replicas,
      policy
    })));
  }
}

/** The last gate of a cluster: an update ends when every pod, member and store is as it was asked for. */
export const readyGateDefinition: GateDefinition<ReadyProgramInputs> = stryMutAct_9fa48("359") ? {} : (stryCov_9fa48("359"), {
  replicasOf: stryMutAct_9fa48("360") ? () => undefined : (stryCov_9fa48("360"), inputs => inputs.members.reduce(stryMutAct_9fa48("361") ? () => undefined : (stryCov_9fa48("361"), (sum, member) => stryMutAct_9fa48("362") ? sum - member.replicas : (stryCov_9fa48("362"), sum + member.replicas)), 0)),
  plan: async (inputs, ports) => {
    if (stryMutAct_9fa48("363")) {
      {}
    } else {
      stryCov_9fa48("363");
      const components = inputs.members.map(stryMutAct_9fa48("364") ? () => undefined : (stryCov_9fa48("364"), member => member.component));
      const observation = await ports.look(lookForState(components));
      if (stryMutAct_9fa48("367") ? observation.pdTrouble === undefined : stryMutAct_9fa48("366") ? false : stryMutAct_9fa48("365") ? true : (stryCov_9fa48("365", "366", "367"), observation.pdTrouble !== undefined)) {
        if (stryMutAct_9fa48("368")) {
          {}
        } else {
          stryCov_9fa48("368");
          throw new Unreadable(observation.pdTrouble.why);
        }
      }
      return stryMutAct_9fa48("369") ? {} : (stryCov_9fa48("369"), {
        plan: planReady(observation, targetsOf(inputs))
      });
    }
  },
  effect: async (inputs, ports) => {
    if (stryMutAct_9fa48("370")) {
      {}
    } else {
      stryCov_9fa48("370");
      const targets = targetsOf(inputs);
      await runOperation(stryMutAct_9fa48("371") ? {} : (stryCov_9fa48("371"), {
        description: stryMutAct_9fa48("372") ? `` : (stryCov_9fa48("372"), `wait for ${inputs.cluster}`),
        look: lookForReady(inputs.members.map(stryMutAct_9fa48("373") ? () => undefined : (stryCov_9fa48("373"), member => member.component))),
        next: stryMutAct_9fa48("374") ? () => undefined : (stryCov_9fa48("374"), (observation, memory) => nextReadyMove(observation, targets, memory))
      }), ports);
    }
  }
});

/** Deleted before everything else of its cluster, because it comes after everything: `pulumi destroy` begins here. */
export const readyGate: Gate = stryMutAct_9fa48("375") ? {} : (stryCov_9fa48("375"), {
  ...createGate(readyGateDefinition),
  delete: destroyCluster
});