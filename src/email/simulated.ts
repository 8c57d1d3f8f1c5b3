/** Domains whose mail ends in the simulator, and so never leaves. */

/** It lies under `.test`, which no mail can leave for (RFC 6761 6.2). */
const SIMULATOR_DOMAIN = 'simulator.test'
/**
 * The domain of the test addresses that Resend documents. Tests of applications have them built in, and such a test
 * must not send mail to a stranger's server. Subdomains are not simulated.
 */
const RESEND_TEST_DOMAIN = 'resend.dev'

const SIMULATED: ReadonlySet<string> = new Set([SIMULATOR_DOMAIN, RESEND_TEST_DOMAIN])

/**
 * Whether mail for the domain ends in the simulator instead of being sent, as all mail in test mode does. The simulator
 * plays suppression itself, so suppression lists do not hold for its addresses.
 */
export function isSimulated(domain: string, testMode: boolean): boolean {
  return testMode || SIMULATED.has(domain.toLowerCase())
}
