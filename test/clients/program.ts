/** The child side: a client program reads where to send from its environment, as a user's would, and prints what it was told. */

export type Outcome = { value: unknown } | { error: Record<string, unknown> }

function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

export const BASE_URL = setting('TEST_BASE_URL')
export const API_KEY = setting('TEST_API_KEY')
export const DOMAIN = setting('TEST_DOMAIN')

/** Runs each call in order and prints the outcomes as one line of JSON. */
export async function reportCalls(calls: Record<string, () => Promise<unknown>>): Promise<void> {
  const outcomes: Record<string, Outcome> = {}
  for (const [name, call] of Object.entries(calls)) {
    try {
      outcomes[name] = { value: await call() }
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      outcomes[name] = { error: { ...error, name: error.name, message: error.message } }
    }
  }
  process.stdout.write(`${JSON.stringify(outcomes)}\n`)
}
