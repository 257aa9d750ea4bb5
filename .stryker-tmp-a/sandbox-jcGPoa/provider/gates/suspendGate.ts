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
import { describeStep } from "../lifecycle/plan";
import { nextSuspendMove, planSuspend, type SuspendTarget } from "../lifecycle/suspend";
import { createGate, type Gate, type GateDefinition } from "./gate";
import type { SuspendProgramInputs } from "./inputs";
import { glance } from "./looks";
import { runOperation } from "./loop";
function targetOf({
  component,
  policy
}: SuspendProgramInputs): SuspendTarget {
  if (stryMutAct_9fa48("376")) {
    {}
  } else {
    stryCov_9fa48("376");
    return stryMutAct_9fa48("377") ? {} : (stryCov_9fa48("377"), {
      component,
      policy
    });
  }
}

/** Stands in place of a suspended member's StatefulSet: takes its pods down, all at once, and waits until they have ended. */
export const suspendGateDefinition: GateDefinition<SuspendProgramInputs> = stryMutAct_9fa48("378") ? {} : (stryCov_9fa48("378"), {
  replicasOf: stryMutAct_9fa48("379") ? () => undefined : (stryCov_9fa48("379"), () => 0),
  plan: async (inputs, ports) => {
    if (stryMutAct_9fa48("380")) {
      {}
    } else {
      stryCov_9fa48("380");
      const observation = await ports.look(glance(inputs.component));
      return stryMutAct_9fa48("381") ? {} : (stryCov_9fa48("381"), {
        plan: planSuspend(observation, targetOf(inputs)).map(describeStep)
      });
    }
  },
  effect: async (inputs, ports) => {
    if (stryMutAct_9fa48("382")) {
      {}
    } else {
      stryCov_9fa48("382");
      const target = targetOf(inputs);
      await runOperation(stryMutAct_9fa48("383") ? {} : (stryCov_9fa48("383"), {
        description: stryMutAct_9fa48("384") ? `` : (stryCov_9fa48("384"), `suspend ${inputs.cluster}-${inputs.component}`),
        look: glance(inputs.component),
        next: stryMutAct_9fa48("385") ? () => undefined : (stryCov_9fa48("385"), (observation, memory) => nextSuspendMove(observation, target, memory))
      }), ports);
    }
  }
});
export const suspendGate: Gate = createGate(suspendGateDefinition);