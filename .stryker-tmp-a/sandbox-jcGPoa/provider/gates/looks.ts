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
import type { FixedFields } from "../lifecycle/fixedFields";
import { type LookOptions, noLook, type OwnPart, type PdPart } from "../lifecycle/look";
import { memberLifecycles } from "../lifecycle/members";
import type { Component } from "../lifecycle/observation";

/** What Kubernetes alone can say of a member; enough to see that nothing is to be done. */
export function glance(component: Component): LookOptions {
  if (stryMutAct_9fa48("79")) {
    {}
  } else {
    stryCov_9fa48("79");
    return stryMutAct_9fa48("80") ? {} : (stryCov_9fa48("80"), {
      ...noLook,
      components: stryMutAct_9fa48("81") ? [] : (stryCov_9fa48("81"), [component])
    });
  }
}

/** What a rollout of the member is decided from. */
export function lookForRollout(component: Component): LookOptions {
  if (stryMutAct_9fa48("82")) {
    {}
  } else {
    stryCov_9fa48("82");
    return lookForReady(stryMutAct_9fa48("83") ? [] : (stryCov_9fa48("83"), [component]));
  }
}

/** What scaling the member is decided from. */
export function lookForScale(component: Component): LookOptions {
  if (stryMutAct_9fa48("84")) {
    {}
  } else {
    stryCov_9fa48("84");
    const {
      looks
    } = memberLifecycles[component];
    return stryMutAct_9fa48("85") ? {} : (stryCov_9fa48("85"), {
      ...noLook,
      components: stryMutAct_9fa48("86") ? [] : (stryCov_9fa48("86"), [component, ...(stryMutAct_9fa48("87") ? looks.dependants && [] : (stryCov_9fa48("87"), looks.dependants ?? (stryMutAct_9fa48("88") ? ["Stryker was here"] : (stryCov_9fa48("88"), []))))]),
      pd: withId(looks.scale),
      ...asksOf(stryMutAct_9fa48("89") ? [] : (stryCov_9fa48("89"), [component]))
    });
  }
}

/** @returns the look, with claims found by the names of these templates too, whatever labels they have. */
export function withClaims(look: LookOptions, component: Component, {
  claims
}: FixedFields): LookOptions {
  if (stryMutAct_9fa48("90")) {
    {}
  } else {
    stryCov_9fa48("90");
    return stryMutAct_9fa48("91") ? {} : (stryCov_9fa48("91"), {
      ...look,
      claimTemplates: stryMutAct_9fa48("92") ? {} : (stryCov_9fa48("92"), {
        [component]: claims.map(stryMutAct_9fa48("93") ? () => undefined : (stryCov_9fa48("93"), ({
          name
        }) => name))
      })
    });
  }
}

/** What the state of the whole cluster is told from: few calls to PD. */
export function lookForState(components: readonly Component[]): LookOptions {
  if (stryMutAct_9fa48("94")) {
    {}
  } else {
    stryCov_9fa48("94");
    return stryMutAct_9fa48("95") ? {} : (stryCov_9fa48("95"), {
      ...noLook,
      components,
      pd: together(components, stryMutAct_9fa48("96") ? () => undefined : (stryCov_9fa48("96"), component => memberLifecycles[component].looks.state))
    });
  }
}

/** What waiting for the whole cluster is decided from. */
export function lookForReady(components: readonly Component[]): LookOptions {
  if (stryMutAct_9fa48("97")) {
    {}
  } else {
    stryCov_9fa48("97");
    return stryMutAct_9fa48("98") ? {} : (stryCov_9fa48("98"), {
      components,
      pd: withId(together(components, stryMutAct_9fa48("99") ? () => undefined : (stryCov_9fa48("99"), component => memberLifecycles[component].looks.rollout))),
      status: stryMutAct_9fa48("100") ? components : (stryCov_9fa48("100"), components.filter(stryMutAct_9fa48("101") ? () => undefined : (stryCov_9fa48("101"), component => stryMutAct_9fa48("104") ? memberLifecycles[component].statusPage === undefined : stryMutAct_9fa48("103") ? false : stryMutAct_9fa48("102") ? true : (stryCov_9fa48("102", "103", "104"), memberLifecycles[component].statusPage !== undefined)))),
      ...asksOf(components)
    });
  }
}

/** Whether root was given a password: one call of Kubernetes. */
export const lookAtPasswordSecret: LookOptions = stryMutAct_9fa48("105") ? {} : (stryCov_9fa48("105"), {
  ...noLook,
  asks: stryMutAct_9fa48("106") ? [] : (stryCov_9fa48("106"), [stryMutAct_9fa48("107") ? "" : (stryCov_9fa48("107"), "password-secret")])
});

/** What giving root a password is decided from. */
export const lookForPassword: LookOptions = stryMutAct_9fa48("108") ? {} : (stryCov_9fa48("108"), {
  ...glance(stryMutAct_9fa48("109") ? "" : (stryCov_9fa48("109"), "tidb")),
  asks: stryMutAct_9fa48("110") ? [] : (stryCov_9fa48("110"), [stryMutAct_9fa48("111") ? "" : (stryCov_9fa48("111"), "password-secret"), stryMutAct_9fa48("112") ? "" : (stryCov_9fa48("112"), "root-login")])
});
function asksOf(components: readonly Component[]): {
  asks?: readonly OwnPart[];
} {
  if (stryMutAct_9fa48("113")) {
    {}
  } else {
    stryCov_9fa48("113");
    const asks = components.flatMap(stryMutAct_9fa48("114") ? () => undefined : (stryCov_9fa48("114"), component => stryMutAct_9fa48("115") ? memberLifecycles[component].asks && [] : (stryCov_9fa48("115"), memberLifecycles[component].asks ?? (stryMutAct_9fa48("116") ? ["Stryker was here"] : (stryCov_9fa48("116"), [])))));
    return (stryMutAct_9fa48("119") ? asks.length !== 0 : stryMutAct_9fa48("118") ? false : stryMutAct_9fa48("117") ? true : (stryCov_9fa48("117", "118", "119"), asks.length === 0)) ? {} : stryMutAct_9fa48("120") ? {} : (stryCov_9fa48("120"), {
      asks
    });
  }
}

/**
 * Nothing is done with another PD than the cluster's, and whose stores and members it lists says whether it must be locked
 * against others. That nothing is to be done may be seen of any.
 */
function withId(parts: readonly PdPart[]): readonly PdPart[] {
  if (stryMutAct_9fa48("121")) {
    {}
  } else {
    stryCov_9fa48("121");
    return (stryMutAct_9fa48("124") ? parts.length !== 0 : stryMutAct_9fa48("123") ? false : stryMutAct_9fa48("122") ? true : (stryCov_9fa48("122", "123", "124"), parts.length === 0)) ? parts : stryMutAct_9fa48("125") ? [] : (stryCov_9fa48("125"), [...new Set<PdPart>(stryMutAct_9fa48("126") ? [] : (stryCov_9fa48("126"), [...parts, stryMutAct_9fa48("127") ? "" : (stryCov_9fa48("127"), "stores"), stryMutAct_9fa48("128") ? "" : (stryCov_9fa48("128"), "health"), stryMutAct_9fa48("129") ? "" : (stryCov_9fa48("129"), "cluster-id")]))]);
  }
}
function together(components: readonly Component[], partsOf: (component: Component) => readonly PdPart[]): PdPart[] {
  if (stryMutAct_9fa48("130")) {
    {}
  } else {
    stryCov_9fa48("130");
    return stryMutAct_9fa48("131") ? [] : (stryCov_9fa48("131"), [...new Set(components.flatMap(partsOf))]);
  }
}