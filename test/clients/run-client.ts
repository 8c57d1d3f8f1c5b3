/** Runs a client program in a child process, with nothing but its environment to tell it where the service is. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Outcome } from './program.ts'

export interface ClientRun {
  /** File name without `.program.ts`. */
  program: string
  url: string
  token: string
  domain: string
  /** Path of a certificate to trust beside the usual ones. */
  trust?: string
}

export async function runClient({
  program,
  url,
  token,
  domain,
  trust,
}: ClientRun): Promise<Record<string, Outcome>> {
  const path = fileURLToPath(new URL(`./${program}.program.ts`, import.meta.url))
  const env = {
    ...process.env,
    TEST_BASE_URL: url,
    TEST_API_KEY: token,
    TEST_DOMAIN: domain,
    RESEND_BASE_URL: url,
    RESEND_API_KEY: token,
    NODE_OPTIONS: '--no-deprecation',
    ...(trust === undefined ? {} : { NODE_EXTRA_CA_CERTS: trust }),
  }
  const { stdout } = await promisify(execFile)(process.execPath, [path], { env, maxBuffer: 16 * 1024 * 1024 })
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, Outcome>
}

/** What the call answered; throws when it failed. */
export function answerOf<Value>(outcome: Outcome | undefined): Value {
  if (!outcome || 'error' in outcome) throw new Error(`the call failed: ${JSON.stringify(outcome)}`)
  return outcome.value as Value
}

/** What the call threw; throws when it did not. */
export function errorOf(outcome: Outcome | undefined): Record<string, unknown> {
  if (!outcome || 'value' in outcome) throw new Error(`the call did not fail: ${JSON.stringify(outcome)}`)
  return outcome.error
}
