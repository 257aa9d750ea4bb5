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
import { lookCloser, type LookOptions } from "../lifecycle/look";
import { emptyMemory, type Memory, rememberAction, rememberWait } from "../lifecycle/memory";
import { isBookkeeping, type Move } from "../lifecycle/move";
import { noRecords, type Observation, type OperationRecords } from "../lifecycle/observation";
import { isSafePoint } from "../lifecycle/openEvictions";
import { endEvictions, releaseLock } from "./endEvictions";
import { GateError } from "./gateError";
import { outlastTrouble } from "./outlast";
import type { GatePorts, HeldLock } from "./ports";
import { needsOf, type StepAction, takeAction } from "./takeAction";
export { GateError };

/** One operation of a gate: what it looks at, and how it decides. */
export interface Operation {
  /** In words, for the Lease and for whoever waits for it. */
  description: string;
  look: LookOptions;
  next(observation: Observation, memory: Memory): Move;
}
const SHORTEST_PAUSE_MILLISECONDS = 150;
const LONGEST_PAUSE_MILLISECONDS = 2_000;
/** A wait is looked at every twentieth of the time it has lasted: 5 % of it is the most that is lost. */
const PAUSE_SHARE = 20;
/** Lists of regions are long, and change with every heartbeat at most: PD is asked for them no more often. */
const REGIONS_PAUSE_MILLISECONDS = 3_000;
/** A wait that lasts is said again in a line that stays this often. */
const REMIND_EVERY_MILLISECONDS = 30_000;
/** How long to leave PD's lock alone, which does not say when it ends. */
const PD_LOCK_PAUSE_MILLISECONDS = 5_000;
/** How long to wait for another run to end. */
const LOCK_PATIENCE_MILLISECONDS = 3_600_000;

/**
 * Observes, decides, does one thing, and observes again, until nothing is left to do. Takes the cluster's lock before
 * the first thing it does, and decides anew once it has it.
 * @throws GateError where the end cannot be reached.
 */
export async function runOperation(operation: Operation, ports: GatePorts): Promise<void> {
  if (stryMutAct_9fa48("132")) {
    {}
  } else {
    stryCov_9fa48("132");
    let memory: Memory = emptyMemory;
    let lock: HeldLock | undefined;
    let look = operation.look;
    let reminded = ports.now();
    let records = noRecords();
    let mayHaveBegun = stryMutAct_9fa48("133") ? true : (stryCov_9fa48("133"), false);
    // A request that was there before this run is not meant for it.
    let earlierRequest: {
      by: string | undefined;
    } | undefined;
    const asking = outlastTrouble(ports, stryMutAct_9fa48("134") ? false : (stryCov_9fa48("134"), true));
    const acting = outlastTrouble(ports, stryMutAct_9fa48("135") ? true : (stryCov_9fa48("135"), false));
    const take = async (step: StepAction, held: HeldLock): Promise<true> => {
      if (stryMutAct_9fa48("136")) {
        {}
      } else {
        stryCov_9fa48("136");
        records = await takeAction(step, records, ports, held);
        return stryMutAct_9fa48("137") ? false : (stryCov_9fa48("137"), true);
      }
    };
    try {
      if (stryMutAct_9fa48("138")) {
        {}
      } else {
        stryCov_9fa48("138");
        if (stryMutAct_9fa48("139")) {
          for (; false;) {
            const observation = await asking(() => ports.look(look));
            if (!observation) {
              continue;
            }
            records = observation.records;
            const move = operation.next(observation, memory);
            earlierRequest ??= {
              by: observation.stopRequest
            };
            const stoppedBy = ports.progress.abandoned ? "the end of Pulumi" : observation.stopRequest !== earlierRequest.by && observation.stopRequest;
            if (stoppedBy && move.kind !== "done" && isSafePoint(observation)) {
              throw new GateError({
                step: "stop",
                target: operation.description,
                seen: `${stoppedBy} asked for it to end at a safe point`,
                next: "run `pulumi up` to go on from here"
              });
            }
            switch (move.kind) {
              case "done":
                return;
              case "fail":
                throw new GateError(move.problem);
              case "look":
                look = lookCloser(look, move.at);
                break;
              case "act":
                {
                  if (!lock) {
                    lock = await takeLock(operation, ports);
                    // Whoever had the lock may have changed everything: nothing has been waited for yet.
                    memory = emptyMemory;
                    break;
                  }
                  mayHaveBegun ||= move.action.do === "begin-eviction";
                  memory = rememberWait(memory, move, observation.now);
                  const needs = needsOf(observation, move);
                  if (await acting(() => take({
                    ...move,
                    needs
                  }, lock as HeldLock))) {
                    memory = rememberAction(memory, move, ports.now());
                    look = isBookkeeping(move.action) ? look : operation.look;
                  }
                  break;
                }
              case "wait":
                {
                  memory = rememberWait(memory, move, observation.now);
                  const waited = observation.now - move.since;
                  ports.progress.status(describeWait(move, observation));
                  if (waited >= REMIND_EVERY_MILLISECONDS && observation.now - reminded >= REMIND_EVERY_MILLISECONDS) {
                    reminded = observation.now;
                    ports.progress.info(describeWait(move, observation));
                  }
                  await ports.sleep(Math.max(pauseFor(waited), look.regions ? REGIONS_PAUSE_MILLISECONDS : 0));
                  break;
                }
            }
          }
        } else {
          stryCov_9fa48("139");
          for (;;) {
            if (stryMutAct_9fa48("140")) {
              {}
            } else {
              stryCov_9fa48("140");
              const observation = await asking(stryMutAct_9fa48("141") ? () => undefined : (stryCov_9fa48("141"), () => ports.look(look)));
              if (stryMutAct_9fa48("144") ? false : stryMutAct_9fa48("143") ? true : stryMutAct_9fa48("142") ? observation : (stryCov_9fa48("142", "143", "144"), !observation)) {
                if (stryMutAct_9fa48("145")) {
                  {}
                } else {
                  stryCov_9fa48("145");
                  continue;
                }
              }
              records = observation.records;
              const move = operation.next(observation, memory);
              stryMutAct_9fa48("146") ? earlierRequest &&= {
                by: observation.stopRequest
              } : (stryCov_9fa48("146"), earlierRequest ??= stryMutAct_9fa48("147") ? {} : (stryCov_9fa48("147"), {
                by: observation.stopRequest
              }));
              const stoppedBy = ports.progress.abandoned ? stryMutAct_9fa48("148") ? "" : (stryCov_9fa48("148"), "the end of Pulumi") : stryMutAct_9fa48("151") ? observation.stopRequest !== earlierRequest.by || observation.stopRequest : stryMutAct_9fa48("150") ? false : stryMutAct_9fa48("149") ? true : (stryCov_9fa48("149", "150", "151"), (stryMutAct_9fa48("153") ? observation.stopRequest === earlierRequest.by : stryMutAct_9fa48("152") ? true : (stryCov_9fa48("152", "153"), observation.stopRequest !== earlierRequest.by)) && observation.stopRequest);
              if (stryMutAct_9fa48("156") ? stoppedBy && move.kind !== "done" || isSafePoint(observation) : stryMutAct_9fa48("155") ? false : stryMutAct_9fa48("154") ? true : (stryCov_9fa48("154", "155", "156"), (stryMutAct_9fa48("158") ? stoppedBy || move.kind !== "done" : stryMutAct_9fa48("157") ? true : (stryCov_9fa48("157", "158"), stoppedBy && (stryMutAct_9fa48("160") ? move.kind === "done" : stryMutAct_9fa48("159") ? true : (stryCov_9fa48("159", "160"), move.kind !== (stryMutAct_9fa48("161") ? "" : (stryCov_9fa48("161"), "done")))))) && isSafePoint(observation))) {
                if (stryMutAct_9fa48("162")) {
                  {}
                } else {
                  stryCov_9fa48("162");
                  throw new GateError(stryMutAct_9fa48("163") ? {} : (stryCov_9fa48("163"), {
                    step: stryMutAct_9fa48("164") ? "" : (stryCov_9fa48("164"), "stop"),
                    target: operation.description,
                    seen: stryMutAct_9fa48("165") ? `` : (stryCov_9fa48("165"), `${stoppedBy} asked for it to end at a safe point`),
                    next: stryMutAct_9fa48("166") ? "" : (stryCov_9fa48("166"), "run `pulumi up` to go on from here")
                  }));
                }
              }
              switch (move.kind) {
                case stryMutAct_9fa48("168") ? "" : (stryCov_9fa48("168"), "done"):
                  if (stryMutAct_9fa48("167")) {} else {
                    stryCov_9fa48("167");
                    return;
                  }
                case stryMutAct_9fa48("170") ? "" : (stryCov_9fa48("170"), "fail"):
                  if (stryMutAct_9fa48("169")) {} else {
                    stryCov_9fa48("169");
                    throw new GateError(move.problem);
                  }
                case stryMutAct_9fa48("172") ? "" : (stryCov_9fa48("172"), "look"):
                  if (stryMutAct_9fa48("171")) {} else {
                    stryCov_9fa48("171");
                    look = lookCloser(look, move.at);
                    break;
                  }
                case stryMutAct_9fa48("174") ? "" : (stryCov_9fa48("174"), "act"):
                  if (stryMutAct_9fa48("173")) {} else {
                    stryCov_9fa48("173");
                    {
                      if (stryMutAct_9fa48("175")) {
                        {}
                      } else {
                        stryCov_9fa48("175");
                        if (stryMutAct_9fa48("178") ? false : stryMutAct_9fa48("177") ? true : stryMutAct_9fa48("176") ? lock : (stryCov_9fa48("176", "177", "178"), !lock)) {
                          if (stryMutAct_9fa48("179")) {
                            {}
                          } else {
                            stryCov_9fa48("179");
                            lock = await takeLock(operation, ports);
                            // Whoever had the lock may have changed everything: nothing has been waited for yet.
                            memory = emptyMemory;
                            break;
                          }
                        }
                        stryMutAct_9fa48("180") ? mayHaveBegun &&= move.action.do === "begin-eviction" : (stryCov_9fa48("180"), mayHaveBegun ||= stryMutAct_9fa48("183") ? move.action.do !== "begin-eviction" : stryMutAct_9fa48("182") ? false : stryMutAct_9fa48("181") ? true : (stryCov_9fa48("181", "182", "183"), move.action.do === (stryMutAct_9fa48("184") ? "" : (stryCov_9fa48("184"), "begin-eviction"))));
                        memory = rememberWait(memory, move, observation.now);
                        const needs = needsOf(observation, move);
                        if (stryMutAct_9fa48("186") ? false : stryMutAct_9fa48("185") ? true : (stryCov_9fa48("185", "186"), await acting(stryMutAct_9fa48("187") ? () => undefined : (stryCov_9fa48("187"), () => take(stryMutAct_9fa48("188") ? {} : (stryCov_9fa48("188"), {
                          ...move,
                          needs
                        }), lock as HeldLock))))) {
                          if (stryMutAct_9fa48("189")) {
                            {}
                          } else {
                            stryCov_9fa48("189");
                            memory = rememberAction(memory, move, ports.now());
                            look = isBookkeeping(move.action) ? look : operation.look;
                          }
                        }
                        break;
                      }
                    }
                  }
                case stryMutAct_9fa48("191") ? "" : (stryCov_9fa48("191"), "wait"):
                  if (stryMutAct_9fa48("190")) {} else {
                    stryCov_9fa48("190");
                    {
                      if (stryMutAct_9fa48("192")) {
                        {}
                      } else {
                        stryCov_9fa48("192");
                        memory = rememberWait(memory, move, observation.now);
                        const waited = stryMutAct_9fa48("193") ? observation.now + move.since : (stryCov_9fa48("193"), observation.now - move.since);
                        ports.progress.status(describeWait(move, observation));
                        if (stryMutAct_9fa48("196") ? waited >= REMIND_EVERY_MILLISECONDS || observation.now - reminded >= REMIND_EVERY_MILLISECONDS : stryMutAct_9fa48("195") ? false : stryMutAct_9fa48("194") ? true : (stryCov_9fa48("194", "195", "196"), (stryMutAct_9fa48("199") ? waited < REMIND_EVERY_MILLISECONDS : stryMutAct_9fa48("198") ? waited > REMIND_EVERY_MILLISECONDS : stryMutAct_9fa48("197") ? true : (stryCov_9fa48("197", "198", "199"), waited >= REMIND_EVERY_MILLISECONDS)) && (stryMutAct_9fa48("202") ? observation.now - reminded < REMIND_EVERY_MILLISECONDS : stryMutAct_9fa48("201") ? observation.now - reminded > REMIND_EVERY_MILLISECONDS : stryMutAct_9fa48("200") ? true : (stryCov_9fa48("200", "201", "202"), (stryMutAct_9fa48("203") ? observation.now + reminded : (stryCov_9fa48("203"), observation.now - reminded)) >= REMIND_EVERY_MILLISECONDS)))) {
                          if (stryMutAct_9fa48("204")) {
                            {}
                          } else {
                            stryCov_9fa48("204");
                            reminded = observation.now;
                            ports.progress.info(describeWait(move, observation));
                          }
                        }
                        await ports.sleep(stryMutAct_9fa48("205") ? Math.min(pauseFor(waited), look.regions ? REGIONS_PAUSE_MILLISECONDS : 0) : (stryCov_9fa48("205"), Math.max(pauseFor(waited), look.regions ? REGIONS_PAUSE_MILLISECONDS : 0)));
                        break;
                      }
                    }
                  }
              }
            }
          }
        }
      }
    } catch (error) {
      if (stryMutAct_9fa48("206")) {
        {}
      } else {
        stryCov_9fa48("206");
        if (stryMutAct_9fa48("209") ? mayHaveBegun && hasOpenEviction(records) : stryMutAct_9fa48("208") ? false : stryMutAct_9fa48("207") ? true : (stryCov_9fa48("207", "208", "209"), mayHaveBegun || hasOpenEviction(records))) {
          if (stryMutAct_9fa48("210")) {
            {}
          } else {
            stryCov_9fa48("210");
            await endEvictions(operation.description, ports, lock);
          }
        }
        throw error;
      }
    } finally {
      if (stryMutAct_9fa48("211")) {
        {}
      } else {
        stryCov_9fa48("211");
        await releaseLock(lock, ports);
      }
    }
  }
}

/** @returns for how long to leave the cluster alone, having waited for `waited` milliseconds. */
export function pauseFor(waited: number): number {
  if (stryMutAct_9fa48("212")) {
    {}
  } else {
    stryCov_9fa48("212");
    return stryMutAct_9fa48("213") ? Math.max(LONGEST_PAUSE_MILLISECONDS, Math.max(SHORTEST_PAUSE_MILLISECONDS, waited / PAUSE_SHARE)) : (stryCov_9fa48("213"), Math.min(LONGEST_PAUSE_MILLISECONDS, stryMutAct_9fa48("214") ? Math.min(SHORTEST_PAUSE_MILLISECONDS, waited / PAUSE_SHARE) : (stryCov_9fa48("214"), Math.max(SHORTEST_PAUSE_MILLISECONDS, stryMutAct_9fa48("215") ? waited * PAUSE_SHARE : (stryCov_9fa48("215"), waited / PAUSE_SHARE)))));
  }
}
function hasOpenEviction(records: OperationRecords): boolean {
  if (stryMutAct_9fa48("216")) {
    {}
  } else {
    stryCov_9fa48("216");
    return stryMutAct_9fa48("217") ? Object.values(records.evictions).every(record => record.endedAt === undefined) : (stryCov_9fa48("217"), Object.values(records.evictions).some(stryMutAct_9fa48("218") ? () => undefined : (stryCov_9fa48("218"), record => stryMutAct_9fa48("221") ? record.endedAt !== undefined : stryMutAct_9fa48("220") ? false : stryMutAct_9fa48("219") ? true : (stryCov_9fa48("219", "220", "221"), record.endedAt === undefined))));
  }
}

/** @returns the lock of the cluster, once whoever has it has let go. */
export async function takeLock(operation: Pick<Operation, "description">, ports: GatePorts): Promise<HeldLock> {
  if (stryMutAct_9fa48("222")) {
    {}
  } else {
    stryCov_9fa48("222");
    const began = ports.now();
    let said: string | undefined;
    const asking = outlastTrouble(ports, stryMutAct_9fa48("223") ? false : (stryCov_9fa48("223"), true));
    if (stryMutAct_9fa48("224")) {
      for (; false;) {
        const found = await asking(async () => ({
          lease: await ports.lease()
        }));
        if (!found) {
          continue;
        }
        const {
          lease
        } = found;
        if (!lease) {
          throw missingLease(operation);
        }
        const taken = await asking(() => ports.tryLock(lease, operation.description));
        if (!taken) {
          continue;
        }
        if ("lock" in taken) {
          return taken.lock;
        }
        if (said !== taken.heldBy) {
          said = taken.heldBy;
          ports.progress.warn(`waiting for ${taken.heldBy}: ${taken.operation}`);
        }
        const left = taken.expiresAt === undefined ? undefined : taken.expiresAt - ports.now();
        const ending = left === undefined ? "" : `; without a sign of life its lock ends in ${Math.ceil(left / 1000)} s`;
        ports.progress.status(`waiting for ${taken.heldBy} (${taken.operation})${ending}`);
        if (ports.now() - began > LOCK_PATIENCE_MILLISECONDS) {
          throw new GateError({
            step: "lock",
            target: operation.description,
            seen: `${taken.heldBy} has held the lock for an hour (${taken.operation})`,
            next: "wait until that run has ended, or end it"
          });
        }
        await ports.sleep(left === undefined ? PD_LOCK_PAUSE_MILLISECONDS : Math.min(1_000, Math.max(100, left)));
      }
    } else {
      stryCov_9fa48("224");
      for (;;) {
        if (stryMutAct_9fa48("225")) {
          {}
        } else {
          stryCov_9fa48("225");
          const found = await asking(stryMutAct_9fa48("226") ? () => undefined : (stryCov_9fa48("226"), async () => stryMutAct_9fa48("227") ? {} : (stryCov_9fa48("227"), {
            lease: await ports.lease()
          })));
          if (stryMutAct_9fa48("230") ? false : stryMutAct_9fa48("229") ? true : stryMutAct_9fa48("228") ? found : (stryCov_9fa48("228", "229", "230"), !found)) {
            if (stryMutAct_9fa48("231")) {
              {}
            } else {
              stryCov_9fa48("231");
              continue;
            }
          }
          const {
            lease
          } = found;
          if (stryMutAct_9fa48("234") ? false : stryMutAct_9fa48("233") ? true : stryMutAct_9fa48("232") ? lease : (stryCov_9fa48("232", "233", "234"), !lease)) {
            if (stryMutAct_9fa48("235")) {
              {}
            } else {
              stryCov_9fa48("235");
              throw missingLease(operation);
            }
          }
          const taken = await asking(stryMutAct_9fa48("236") ? () => undefined : (stryCov_9fa48("236"), () => ports.tryLock(lease, operation.description)));
          if (stryMutAct_9fa48("239") ? false : stryMutAct_9fa48("238") ? true : stryMutAct_9fa48("237") ? taken : (stryCov_9fa48("237", "238", "239"), !taken)) {
            if (stryMutAct_9fa48("240")) {
              {}
            } else {
              stryCov_9fa48("240");
              continue;
            }
          }
          if (stryMutAct_9fa48("242") ? false : stryMutAct_9fa48("241") ? true : (stryCov_9fa48("241", "242"), (stryMutAct_9fa48("243") ? "" : (stryCov_9fa48("243"), "lock")) in taken)) {
            if (stryMutAct_9fa48("244")) {
              {}
            } else {
              stryCov_9fa48("244");
              return taken.lock;
            }
          }
          if (stryMutAct_9fa48("247") ? said === taken.heldBy : stryMutAct_9fa48("246") ? false : stryMutAct_9fa48("245") ? true : (stryCov_9fa48("245", "246", "247"), said !== taken.heldBy)) {
            if (stryMutAct_9fa48("248")) {
              {}
            } else {
              stryCov_9fa48("248");
              said = taken.heldBy;
              ports.progress.warn(stryMutAct_9fa48("249") ? `` : (stryCov_9fa48("249"), `waiting for ${taken.heldBy}: ${taken.operation}`));
            }
          }
          const left = (stryMutAct_9fa48("252") ? taken.expiresAt !== undefined : stryMutAct_9fa48("251") ? false : stryMutAct_9fa48("250") ? true : (stryCov_9fa48("250", "251", "252"), taken.expiresAt === undefined)) ? undefined : stryMutAct_9fa48("253") ? taken.expiresAt + ports.now() : (stryCov_9fa48("253"), taken.expiresAt - ports.now());
          const ending = (stryMutAct_9fa48("256") ? left !== undefined : stryMutAct_9fa48("255") ? false : stryMutAct_9fa48("254") ? true : (stryCov_9fa48("254", "255", "256"), left === undefined)) ? stryMutAct_9fa48("257") ? "Stryker was here!" : (stryCov_9fa48("257"), "") : stryMutAct_9fa48("258") ? `` : (stryCov_9fa48("258"), `; without a sign of life its lock ends in ${Math.ceil(stryMutAct_9fa48("259") ? left * 1000 : (stryCov_9fa48("259"), left / 1000))} s`);
          ports.progress.status(stryMutAct_9fa48("260") ? `` : (stryCov_9fa48("260"), `waiting for ${taken.heldBy} (${taken.operation})${ending}`));
          if (stryMutAct_9fa48("264") ? ports.now() - began <= LOCK_PATIENCE_MILLISECONDS : stryMutAct_9fa48("263") ? ports.now() - began >= LOCK_PATIENCE_MILLISECONDS : stryMutAct_9fa48("262") ? false : stryMutAct_9fa48("261") ? true : (stryCov_9fa48("261", "262", "263", "264"), (stryMutAct_9fa48("265") ? ports.now() + began : (stryCov_9fa48("265"), ports.now() - began)) > LOCK_PATIENCE_MILLISECONDS)) {
            if (stryMutAct_9fa48("266")) {
              {}
            } else {
              stryCov_9fa48("266");
              throw new GateError(stryMutAct_9fa48("267") ? {} : (stryCov_9fa48("267"), {
                step: stryMutAct_9fa48("268") ? "" : (stryCov_9fa48("268"), "lock"),
                target: operation.description,
                seen: stryMutAct_9fa48("269") ? `` : (stryCov_9fa48("269"), `${taken.heldBy} has held the lock for an hour (${taken.operation})`),
                next: stryMutAct_9fa48("270") ? "" : (stryCov_9fa48("270"), "wait until that run has ended, or end it")
              }));
            }
          }
          await ports.sleep((stryMutAct_9fa48("273") ? left !== undefined : stryMutAct_9fa48("272") ? false : stryMutAct_9fa48("271") ? true : (stryCov_9fa48("271", "272", "273"), left === undefined)) ? PD_LOCK_PAUSE_MILLISECONDS : stryMutAct_9fa48("274") ? Math.max(1_000, Math.max(100, left)) : (stryCov_9fa48("274"), Math.min(1_000, stryMutAct_9fa48("275") ? Math.min(100, left) : (stryCov_9fa48("275"), Math.max(100, left)))));
        }
      }
    }
  }
}
function missingLease(operation: Pick<Operation, "description">): GateError {
  if (stryMutAct_9fa48("276")) {
    {}
  } else {
    stryCov_9fa48("276");
    return new GateError(stryMutAct_9fa48("277") ? {} : (stryCov_9fa48("277"), {
      step: stryMutAct_9fa48("278") ? "" : (stryCov_9fa48("278"), "lock"),
      target: operation.description,
      seen: stryMutAct_9fa48("279") ? "" : (stryCov_9fa48("279"), "the cluster's Lease is gone"),
      next: stryMutAct_9fa48("280") ? "" : (stryCov_9fa48("280"), "run `pulumi refresh`, then `pulumi up`: the Lease is made again")
    }));
  }
}
function describeWait(move: Extract<Move, {
  kind: "wait";
}>, {
  now,
  operatedBy
}: Observation): string {
  if (stryMutAct_9fa48("281")) {
    {}
  } else {
    stryCov_9fa48("281");
    const waited = Math.round(stryMutAct_9fa48("282") ? (now - move.since) * 1000 : (stryCov_9fa48("282"), (stryMutAct_9fa48("283") ? now + move.since : (stryCov_9fa48("283"), now - move.since)) / 1000));
    const clock = (stryMutAct_9fa48("286") ? move.until !== undefined : stryMutAct_9fa48("285") ? false : stryMutAct_9fa48("284") ? true : (stryCov_9fa48("284", "285", "286"), move.until === undefined)) ? stryMutAct_9fa48("287") ? "Stryker was here!" : (stryCov_9fa48("287"), "") : stryMutAct_9fa48("288") ? new Date(move.until).toTimeString() : (stryCov_9fa48("288"), new Date(move.until).toTimeString().slice(0, 8));
    // Whoever makes progress is waited for on.
    const limit = (stryMutAct_9fa48("291") ? move.left !== undefined : stryMutAct_9fa48("290") ? false : stryMutAct_9fa48("289") ? true : (stryCov_9fa48("289", "290", "291"), move.left === undefined)) ? stryMutAct_9fa48("292") ? `` : (stryCov_9fa48("292"), `, until ${clock} at most`) : stryMutAct_9fa48("293") ? `` : (stryCov_9fa48("293"), ` without progress, fails at ${clock} without any`);
    const until = (stryMutAct_9fa48("296") ? clock !== "" : stryMutAct_9fa48("295") ? false : stryMutAct_9fa48("294") ? true : (stryCov_9fa48("294", "295", "296"), clock === (stryMutAct_9fa48("297") ? "Stryker was here!" : (stryCov_9fa48("297"), "")))) ? stryMutAct_9fa48("298") ? "Stryker was here!" : (stryCov_9fa48("298"), "") : limit;
    const other = (stryMutAct_9fa48("301") ? operatedBy !== undefined : stryMutAct_9fa48("300") ? false : stryMutAct_9fa48("299") ? true : (stryCov_9fa48("299", "300", "301"), operatedBy === undefined)) ? stryMutAct_9fa48("302") ? "Stryker was here!" : (stryCov_9fa48("302"), "") : stryMutAct_9fa48("303") ? `` : (stryCov_9fa48("303"), `; meanwhile ${operatedBy}`);
    return stryMutAct_9fa48("304") ? `` : (stryCov_9fa48("304"), `waiting: ${move.waitingFor} (${waited} s${until})${other}`);
  }
}