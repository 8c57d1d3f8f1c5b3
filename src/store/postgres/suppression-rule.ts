/** Mail for this domain ends in the simulator, which plays suppression itself. */
const SIMULATOR_DOMAIN = 'simulator.test'

/** Test mail goes anywhere: it never leaves. */
export function exemptFromSuppression(testMode: boolean, domain: string): boolean {
  return testMode || domain === SIMULATOR_DOMAIN
}
