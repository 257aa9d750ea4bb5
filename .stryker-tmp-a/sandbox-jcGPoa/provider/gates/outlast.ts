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
import { KubernetesApiError } from "../cluster/apiCall";
import { LookAgain } from "../cluster/lookAgain";
import { PdError, type PdErrorCode } from "../pd/pdError";
import type { GatePorts } from "./ports";

/** For how long a run that is under way goes on trying: an API server that restarts, a PD that elects a leader. */
const PATIENCE_MILLISECONDS = 300_000;
const PAUSE_MILLISECONDS = 1_000;
/** Trouble that was not seen for so long has passed. */
const PASSED_AFTER_MILLISECONDS = 60_000;

/** Asks on behalf of a run. @returns what was answered; `undefined` where it may be better answered the next time. */
export type Ask = <T>(call: () => Promise<T>) => Promise<T | undefined>;

/**
 * @returns a way to ask that outlasts trouble that may pass by itself, for five minutes, and says so meanwhile. Where
 * `firstMustSucceed`, it does so only once something was answered: a cluster that cannot be reached at all is told at once.
 */
export function outlastTrouble(ports: GatePorts, firstMustSucceed: boolean): Ask {
  if (stryMutAct_9fa48("305")) {
    {}
  } else {
    stryCov_9fa48("305");
    let answered = stryMutAct_9fa48("306") ? firstMustSucceed : (stryCov_9fa48("306"), !firstMustSucceed);
    let since: number | undefined;
    let lastAt = stryMutAct_9fa48("307") ? +Infinity : (stryCov_9fa48("307"), -Infinity);
    return async call => {
      if (stryMutAct_9fa48("308")) {
        {}
      } else {
        stryCov_9fa48("308");
        try {
          if (stryMutAct_9fa48("309")) {
            {}
          } else {
            stryCov_9fa48("309");
            const answer = await call();
            answered = stryMutAct_9fa48("310") ? false : (stryCov_9fa48("310"), true);
            since = undefined;
            return answer;
          }
        } catch (error) {
          if (stryMutAct_9fa48("311")) {
            {}
          } else {
            stryCov_9fa48("311");
            // What went wrong once, minutes ago, is not what goes wrong now: between two actions nothing is asked here.
            since = (stryMutAct_9fa48("314") ? since === undefined && ports.now() - lastAt > PASSED_AFTER_MILLISECONDS : stryMutAct_9fa48("313") ? false : stryMutAct_9fa48("312") ? true : (stryCov_9fa48("312", "313", "314"), (stryMutAct_9fa48("316") ? since !== undefined : stryMutAct_9fa48("315") ? false : (stryCov_9fa48("315", "316"), since === undefined)) || (stryMutAct_9fa48("319") ? ports.now() - lastAt <= PASSED_AFTER_MILLISECONDS : stryMutAct_9fa48("318") ? ports.now() - lastAt >= PASSED_AFTER_MILLISECONDS : stryMutAct_9fa48("317") ? false : (stryCov_9fa48("317", "318", "319"), (stryMutAct_9fa48("320") ? ports.now() + lastAt : (stryCov_9fa48("320"), ports.now() - lastAt)) > PASSED_AFTER_MILLISECONDS)))) ? ports.now() : since;
            lastAt = ports.now();
            const waited = stryMutAct_9fa48("321") ? ports.now() + since : (stryCov_9fa48("321"), ports.now() - since);
            if (stryMutAct_9fa48("324") ? (!answered || !mayPass(error)) && waited >= PATIENCE_MILLISECONDS : stryMutAct_9fa48("323") ? false : stryMutAct_9fa48("322") ? true : (stryCov_9fa48("322", "323", "324"), (stryMutAct_9fa48("326") ? !answered && !mayPass(error) : stryMutAct_9fa48("325") ? false : (stryCov_9fa48("325", "326"), (stryMutAct_9fa48("327") ? answered : (stryCov_9fa48("327"), !answered)) || (stryMutAct_9fa48("328") ? mayPass(error) : (stryCov_9fa48("328"), !mayPass(error))))) || (stryMutAct_9fa48("331") ? waited < PATIENCE_MILLISECONDS : stryMutAct_9fa48("330") ? waited > PATIENCE_MILLISECONDS : stryMutAct_9fa48("329") ? false : (stryCov_9fa48("329", "330", "331"), waited >= PATIENCE_MILLISECONDS)))) {
              if (stryMutAct_9fa48("332")) {
                {}
              } else {
                stryCov_9fa48("332");
                throw error;
              }
            }
            const until = stryMutAct_9fa48("333") ? new Date(since + PATIENCE_MILLISECONDS).toTimeString() : (stryCov_9fa48("333"), new Date(stryMutAct_9fa48("334") ? since - PATIENCE_MILLISECONDS : (stryCov_9fa48("334"), since + PATIENCE_MILLISECONDS)).toTimeString().slice(0, 8));
            ports.progress.status(stryMutAct_9fa48("335") ? `` : (stryCov_9fa48("335"), `waiting: ${(error as Error).message} (${Math.round(stryMutAct_9fa48("336") ? waited * 1000 : (stryCov_9fa48("336"), waited / 1000))} s, until ${until} at most)`));
            await ports.sleep(PAUSE_MILLISECONDS);
            return undefined;
          }
        }
      }
    };
  }
}
const PASSING = new Set<PdErrorCode>(stryMutAct_9fa48("337") ? [] : (stryCov_9fa48("337"), [stryMutAct_9fa48("338") ? "" : (stryCov_9fa48("338"), "PD_UNREACHABLE"), stryMutAct_9fa48("339") ? "" : (stryCov_9fa48("339"), "PD_NO_LEADER"), stryMutAct_9fa48("340") ? "" : (stryCov_9fa48("340"), "PD_NOT_READY")]));

/** Whether the same may succeed a moment later: nobody answered, or there is no leader right now. */
function mayPass(error: unknown): boolean {
  if (stryMutAct_9fa48("341")) {
    {}
  } else {
    stryCov_9fa48("341");
    if (stryMutAct_9fa48("344") ? error instanceof KubernetesApiError && error instanceof LookAgain : stryMutAct_9fa48("343") ? false : stryMutAct_9fa48("342") ? true : (stryCov_9fa48("342", "343", "344"), error instanceof KubernetesApiError || error instanceof LookAgain)) {
      if (stryMutAct_9fa48("345")) {
        {}
      } else {
        stryCov_9fa48("345");
        return error.mayPass;
      }
    }
    if (stryMutAct_9fa48("347") ? false : stryMutAct_9fa48("346") ? true : (stryCov_9fa48("346", "347"), error instanceof PdError)) {
      if (stryMutAct_9fa48("348")) {
        {}
      } else {
        stryCov_9fa48("348");
        return PASSING.has(error.code);
      }
    }
    return stryMutAct_9fa48("351") ? error instanceof Error && error.cause !== undefined || mayPass(error.cause) : stryMutAct_9fa48("350") ? false : stryMutAct_9fa48("349") ? true : (stryCov_9fa48("349", "350", "351"), (stryMutAct_9fa48("353") ? error instanceof Error || error.cause !== undefined : stryMutAct_9fa48("352") ? true : (stryCov_9fa48("352", "353"), error instanceof Error && (stryMutAct_9fa48("355") ? error.cause === undefined : stryMutAct_9fa48("354") ? true : (stryCov_9fa48("354", "355"), error.cause !== undefined)))) && mayPass(error.cause));
  }
}