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
import { endedEviction } from "../lifecycle/evictionRecord";
import { openEvictions } from "../lifecycle/openEvictions";
import type { LookOptions } from "../lifecycle/look";
import type { Observation } from "../lifecycle/observation";
import type { GatePorts, HeldLock } from "./ports";
import { needsOf, type StepAction, takeAction } from "./takeAction";

/** What ending our evictions is decided from. */
export const lookForEvictions: LookOptions = stryMutAct_9fa48("0") ? {} : (stryCov_9fa48("0"), {
  components: stryMutAct_9fa48("1") ? [] : (stryCov_9fa48("1"), [stryMutAct_9fa48("2") ? "" : (stryCov_9fa48("2"), "tikv")]),
  pd: stryMutAct_9fa48("3") ? [] : (stryCov_9fa48("3"), [stryMutAct_9fa48("4") ? "" : (stryCov_9fa48("4"), "leadership"), stryMutAct_9fa48("5") ? "" : (stryCov_9fa48("5"), "stores"), stryMutAct_9fa48("6") ? "" : (stryCov_9fa48("6"), "tombstones"), stryMutAct_9fa48("7") ? "" : (stryCov_9fa48("7"), "evicted-stores"), stryMutAct_9fa48("8") ? "" : (stryCov_9fa48("8"), "persisted-evictions"), stryMutAct_9fa48("9") ? "" : (stryCov_9fa48("9"), "cluster-id")]),
  status: stryMutAct_9fa48("10") ? ["Stryker was here"] : (stryCov_9fa48("10"), [])
});

/**
 * Ends our evictions before a run that failed or was stopped ends. One of a store that is not well stays on record, and
 * is ended by the next run once the store is Up. Never throws: the reason why the run ends is what its user must see.
 */
export async function endEvictions(why: string, ports: GatePorts, lock: HeldLock | undefined): Promise<void> {
  if (stryMutAct_9fa48("11")) {
    {}
  } else {
    stryCov_9fa48("11");
    let own: HeldLock | undefined;
    try {
      if (stryMutAct_9fa48("12")) {
        {}
      } else {
        stryCov_9fa48("12");
        let observation = await ports.look(lookForEvictions);
        for (let next = nextEnd(observation); stryMutAct_9fa48("13") ? false : (stryCov_9fa48("13"), next); next = nextEnd(observation)) {
          if (stryMutAct_9fa48("14")) {
            {}
          } else {
            stryCov_9fa48("14");
            const held: HeldLock = stryMutAct_9fa48("15") ? lock && (own ??= await lockOnce(why, ports)) : (stryCov_9fa48("15"), lock ?? (stryMutAct_9fa48("16") ? own &&= await lockOnce(why, ports) : (stryCov_9fa48("16"), own ??= await lockOnce(why, ports))));
            const needs = needsOf(observation, next);
            await takeAction(stryMutAct_9fa48("17") ? {} : (stryCov_9fa48("17"), {
              ...next,
              needs
            }), observation.records, ports, held);
            // No step rests on what was seen before the one before it.
            observation = await ports.look(lookForEvictions);
          }
        }
        const {
          toKeep
        } = openEvictions(observation);
        for (const {
          pod,
          why: trouble
        } of toKeep) {
          if (stryMutAct_9fa48("18")) {
            {}
          } else {
            stryCov_9fa48("18");
            ports.progress.warn(stryMutAct_9fa48("19") ? `` : (stryCov_9fa48("19"), `leaders are kept away from ${pod} (${trouble}): the next \`pulumi up\` ends that`));
          }
        }
      }
    } catch (error) {
      if (stryMutAct_9fa48("20")) {
        {}
      } else {
        stryCov_9fa48("20");
        ports.progress.warn(stryMutAct_9fa48("21") ? `` : (stryCov_9fa48("21"), `leaders may still be kept away from a store, which the next \`pulumi up\` ends: ${(error as Error).message}`));
      }
    } finally {
      if (stryMutAct_9fa48("22")) {
        {}
      } else {
        stryCov_9fa48("22");
        await releaseLock(own, ports);
      }
    }
  }
}

/** The next eviction of ours to end, or to forget once PD has let go of it; others stay on record, and are looked at again. */
function nextEnd(observation: Observation): Omit<StepAction, "needs"> | undefined {
  if (stryMutAct_9fa48("23")) {
    {}
  } else {
    stryCov_9fa48("23");
    const [action] = openEvictions(observation).toEnd;
    if (stryMutAct_9fa48("25") ? false : stryMutAct_9fa48("24") ? true : (stryCov_9fa48("24", "25"), action)) {
      if (stryMutAct_9fa48("26")) {
        {}
      } else {
        stryCov_9fa48("26");
        return stryMutAct_9fa48("27") ? {} : (stryCov_9fa48("27"), {
          action,
          step: stryMutAct_9fa48("28") ? "" : (stryCov_9fa48("28"), "eviction-ended"),
          target: action.pod
        });
      }
    }
    const [id, record] = stryMutAct_9fa48("29") ? Object.entries(observation.records.evictions).find(([storeId, one]) => one.endedAt !== undefined && endedEviction(observation, Number(storeId), one) === "gone") && [] : (stryCov_9fa48("29"), Object.entries(observation.records.evictions).find(stryMutAct_9fa48("30") ? () => undefined : (stryCov_9fa48("30"), ([storeId, one]) => stryMutAct_9fa48("33") ? one.endedAt !== undefined || endedEviction(observation, Number(storeId), one) === "gone" : stryMutAct_9fa48("32") ? false : stryMutAct_9fa48("31") ? true : (stryCov_9fa48("31", "32", "33"), (stryMutAct_9fa48("35") ? one.endedAt === undefined : stryMutAct_9fa48("34") ? true : (stryCov_9fa48("34", "35"), one.endedAt !== undefined)) && (stryMutAct_9fa48("37") ? endedEviction(observation, Number(storeId), one) !== "gone" : stryMutAct_9fa48("36") ? true : (stryCov_9fa48("36", "37"), endedEviction(observation, Number(storeId), one) === (stryMutAct_9fa48("38") ? "" : (stryCov_9fa48("38"), "gone"))))))) ?? (stryMutAct_9fa48("39") ? ["Stryker was here"] : (stryCov_9fa48("39"), [])));
    return stryMutAct_9fa48("42") ? record || {
      action: {
        do: "forget-eviction",
        storeId: Number(id)
      },
      step: "eviction-forgotten",
      target: record.pod
    } : stryMutAct_9fa48("41") ? false : stryMutAct_9fa48("40") ? true : (stryCov_9fa48("40", "41", "42"), record && (stryMutAct_9fa48("43") ? {} : (stryCov_9fa48("43"), {
      action: stryMutAct_9fa48("44") ? {} : (stryCov_9fa48("44"), {
        do: stryMutAct_9fa48("45") ? "" : (stryCov_9fa48("45"), "forget-eviction"),
        storeId: Number(id)
      }),
      step: stryMutAct_9fa48("46") ? "" : (stryCov_9fa48("46"), "eviction-forgotten"),
      target: record.pod
    })));
  }
}
async function lockOnce(why: string, ports: GatePorts): Promise<HeldLock> {
  if (stryMutAct_9fa48("47")) {
    {}
  } else {
    stryCov_9fa48("47");
    const lease = await ports.lease();
    const taken = stryMutAct_9fa48("50") ? lease || (await ports.tryLock(lease, why)) : stryMutAct_9fa48("49") ? false : stryMutAct_9fa48("48") ? true : (stryCov_9fa48("48", "49", "50"), lease && (await ports.tryLock(lease, why)));
    if (stryMutAct_9fa48("53") ? !taken && !("lock" in taken) : stryMutAct_9fa48("52") ? false : stryMutAct_9fa48("51") ? true : (stryCov_9fa48("51", "52", "53"), (stryMutAct_9fa48("54") ? taken : (stryCov_9fa48("54"), !taken)) || (stryMutAct_9fa48("55") ? "lock" in taken : (stryCov_9fa48("55"), !((stryMutAct_9fa48("56") ? "" : (stryCov_9fa48("56"), "lock")) in taken))))) {
      if (stryMutAct_9fa48("57")) {
        {}
      } else {
        stryCov_9fa48("57");
        throw new Error(taken ? stryMutAct_9fa48("58") ? `` : (stryCov_9fa48("58"), `${taken.heldBy} has the lock (${taken.operation})`) : stryMutAct_9fa48("59") ? "" : (stryCov_9fa48("59"), "the cluster's Lease is gone"));
      }
    }
    return taken.lock;
  }
}

/** Gives the lock back. Where that fails it ends by itself, so that it is told and hides no other error. */
export async function releaseLock(lock: HeldLock | undefined, ports: GatePorts): Promise<void> {
  if (stryMutAct_9fa48("60")) {
    {}
  } else {
    stryCov_9fa48("60");
    try {
      if (stryMutAct_9fa48("61")) {
        {}
      } else {
        stryCov_9fa48("61");
        await (stryMutAct_9fa48("62") ? lock.release() : (stryCov_9fa48("62"), lock?.release()));
      }
    } catch (error) {
      if (stryMutAct_9fa48("63")) {
        {}
      } else {
        stryCov_9fa48("63");
        ports.progress.warn(stryMutAct_9fa48("64") ? `` : (stryCov_9fa48("64"), `the lock ends by itself in a few seconds: ${(error as Error).message}`));
      }
    }
  }
}