/** Domains whose mail ends in the simulator, and so is never sent. */

/** A name under `.test`, where no mail can be sent (RFC 6761 6.2). */
const SIMULATOR_DOMAIN = 'simulator.test'
/**
 * The domain of the test addresses that Resend documents. Tests of applications have them built in, and such a test
 * must not send mail to a stranger's server. Subdomains are not simulated.
 */
const RESEND_TEST_DOMAIN = 'resend.dev'

const SIMULATED: ReadonlySet<string> = new Set([SIMULATOR_DOMAIN, RESEND_TEST_DOMAIN])

/**
 * True when mail for the domain ends in the simulator instead of being sent, as all mail in test mode does. The
 * simulator imitates suppression itself, so suppression lists do not apply to its addresses.
 */
export function isSimulated(domain: string, testMode: boolean): boolean {
  return testMode || SIMULATED.has(domain.toLowerCase())
}
