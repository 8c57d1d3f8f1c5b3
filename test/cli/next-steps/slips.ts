/** Mistakes of a newcomer, and the next step that the program names: one row each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newWorkplace, type Workplace } from '../postroad.ts'

export interface Slip {
  /** Like `the port is in use`. */
  slip: string
  /** Resolves with the text that the newcomer sees. */
  tried(): Promise<string>
  /** The next step: a command to paste, or a setting to set. */
  names: RegExp
}

export function testEach(slips: readonly Slip[]): void {
  for (const { slip, tried, names } of slips) {
    test(slip, async () => {
      assert.match(await tried(), names)
    })
  }
}

/** The text of a failing command on stderr. With --json it is the same, and stdout stays empty: see commands.test.ts. */
export async function refused(place: Workplace, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await place.run(...args, '--json')
  assert.notEqual(code, 0, `postroad ${args.join(' ')} did what it was asked: ${stdout}`)
  assert.equal(stdout, '')
  assert.match(stderr, /^postroad: [^\n]+\n/)
  return stderr
}

/** What `serve` ends with under these settings. */
export async function refusedStart(settings: Record<string, string>): Promise<string> {
  const place = newWorkplace({ POSTROAD_LISTEN: '127.0.0.1:0', ...settings })
  try {
    return await refused(place, 'serve')
  } finally {
    place.remove()
  }
}
