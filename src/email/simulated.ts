/**
 * Addresses under this domain end in the simulator. It lies under `.test`, which no mail can leave for (RFC 6761 6.2).
 */
export const SIMULATOR_DOMAIN = 'simulator.test'

/**
 * True when mail for the domain ends in the simulator instead of being sent, as all mail in test mode does. The
 * simulator plays suppression itself, so suppression lists do not apply.
 */
export function isSimulated(domain: string, testMode: boolean): boolean {
  return testMode || domain.toLowerCase() === SIMULATOR_DOMAIN
}
