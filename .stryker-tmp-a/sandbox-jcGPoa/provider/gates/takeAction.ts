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
import type { StepNeeds } from "../lifecycle/lock";
import { type Action, type ActMove, describeAction, isBookkeeping } from "../lifecycle/move";
import type { Observation, OperationRecords } from "../lifecycle/observation";
import { recordsAfter, recordsBefore } from "../lifecycle/records";
import { GateError } from "./gateError";
import type { GatePorts, HeldLock } from "./ports";

/** An action on its way: which step takes it, on what, and which locks it needs. */
export interface StepAction {
  action: Action;
  step: string;
  target: string;
  needs: StepNeeds;
}

/** @returns which locks a step needs that was decided from the observation. */
export function needsOf({
  pd
}: Observation, {
  action,
  withoutPd
}: Pick<ActMove, "action" | "withoutPd">): StepNeeds {
  if (stryMutAct_9fa48("386")) {
    {}
  } else {
    stryCov_9fa48("386");
    const {
      stores,
      members,
      leader,
      leadership,
      evictedStores,
      pumps,
      microservices
    } = pd;
    const asked = stryMutAct_9fa48("387") ? [] : (stryCov_9fa48("387"), [stores, members, leader, leadership, evictedStores, pumps, ...Object.values(microservices)]);
    const ownStores = stryMutAct_9fa48("390") ? stores.known || stores.value.every(({
      own
    }) => own) : stryMutAct_9fa48("389") ? false : stryMutAct_9fa48("388") ? true : (stryCov_9fa48("388", "389", "390"), stores.known && (stryMutAct_9fa48("391") ? stores.value.some(({
      own
    }) => own) : (stryCov_9fa48("391"), stores.value.every(stryMutAct_9fa48("392") ? () => undefined : (stryCov_9fa48("392"), ({
      own
    }) => own)))));
    const ownMembers = stryMutAct_9fa48("395") ? members.known || members.value.every(({
      podName
    }) => podName !== undefined) : stryMutAct_9fa48("394") ? false : stryMutAct_9fa48("393") ? true : (stryCov_9fa48("393", "394", "395"), members.known && (stryMutAct_9fa48("396") ? members.value.some(({
      podName
    }) => podName !== undefined) : (stryCov_9fa48("396"), members.value.every(stryMutAct_9fa48("397") ? () => undefined : (stryCov_9fa48("397"), ({
      podName
    }) => stryMutAct_9fa48("400") ? podName === undefined : stryMutAct_9fa48("399") ? false : stryMutAct_9fa48("398") ? true : (stryCov_9fa48("398", "399", "400"), podName !== undefined))))));
    return stryMutAct_9fa48("401") ? {} : (stryCov_9fa48("401"), {
      pdsWord: stryMutAct_9fa48("404") ? !isBookkeeping(action) && !withoutPd || asked.some(({
        known
      }) => known) : stryMutAct_9fa48("403") ? false : stryMutAct_9fa48("402") ? true : (stryCov_9fa48("402", "403", "404"), (stryMutAct_9fa48("406") ? !isBookkeeping(action) || !withoutPd : stryMutAct_9fa48("405") ? true : (stryCov_9fa48("405", "406"), (stryMutAct_9fa48("407") ? isBookkeeping(action) : (stryCov_9fa48("407"), !isBookkeeping(action))) && (stryMutAct_9fa48("408") ? withoutPd : (stryCov_9fa48("408"), !withoutPd)))) && (stryMutAct_9fa48("409") ? asked.every(({
        known
      }) => known) : (stryCov_9fa48("409"), asked.some(stryMutAct_9fa48("410") ? () => undefined : (stryCov_9fa48("410"), ({
        known
      }) => known))))),
      isAlone: stryMutAct_9fa48("413") ? ownStores || ownMembers || !members.known : stryMutAct_9fa48("412") ? false : stryMutAct_9fa48("411") ? true : (stryCov_9fa48("411", "412", "413"), ownStores && (stryMutAct_9fa48("415") ? ownMembers && !members.known : stryMutAct_9fa48("414") ? true : (stryCov_9fa48("414", "415"), ownMembers || (stryMutAct_9fa48("416") ? members.known : (stryCov_9fa48("416"), !members.known)))))
    });
  }
}

/**
 * Takes one action, and keeps on record, before and after it, what must not be forgotten.
 * @returns the records as they are then.
 * @throws GateError where the action is refused or unanswered; Error where the lock is lost.
 */
export async function takeAction({
  action,
  step,
  target,
  needs
}: StepAction, records: OperationRecords, ports: GatePorts, lock: HeldLock): Promise<OperationRecords> {
  if (stryMutAct_9fa48("417")) {
    {}
  } else {
    stryCov_9fa48("417");
    await lock.confirmHeld(needs);
    ports.progress[isBookkeeping(action) ? stryMutAct_9fa48("418") ? "" : (stryCov_9fa48("418"), "status") : stryMutAct_9fa48("419") ? "" : (stryCov_9fa48("419"), "info")](describeAction(action));
    try {
      if (stryMutAct_9fa48("420")) {
        {}
      } else {
        stryCov_9fa48("420");
        const before = recordsBefore(records, action, ports.now());
        if (stryMutAct_9fa48("423") ? before === records : stryMutAct_9fa48("422") ? false : stryMutAct_9fa48("421") ? true : (stryCov_9fa48("421", "422", "423"), before !== records)) {
          if (stryMutAct_9fa48("424")) {
            {}
          } else {
            stryCov_9fa48("424");
            await lock.keepRecords(before);
          }
        }
        await ports.perform(action);
        const after = recordsAfter(before, action, ports.now());
        if (stryMutAct_9fa48("427") ? after === before : stryMutAct_9fa48("426") ? false : stryMutAct_9fa48("425") ? true : (stryCov_9fa48("425", "426", "427"), after !== before)) {
          if (stryMutAct_9fa48("428")) {
            {}
          } else {
            stryCov_9fa48("428");
            await lock.keepRecords(after);
          }
        }
        return after;
      }
    } catch (error) {
      if (stryMutAct_9fa48("429")) {
        {}
      } else {
        stryCov_9fa48("429");
        const seen = stryMutAct_9fa48("430") ? `` : (stryCov_9fa48("430"), `could not ${describeAction(action)}: ${(error as Error).message}`);
        const next = stryMutAct_9fa48("431") ? "" : (stryCov_9fa48("431"), "run `pulumi up` again: it goes on from what it finds");
        throw new GateError(stryMutAct_9fa48("432") ? {} : (stryCov_9fa48("432"), {
          step,
          target,
          seen,
          next
        }), stryMutAct_9fa48("433") ? {} : (stryCov_9fa48("433"), {
          cause: error
        }));
      }
    }
  }
}