import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const BUILD = fileURLToPath(new URL('../../scripts/build-console.ts', import.meta.url))

let built: Promise<unknown> | null = null

/** The page of the console is built from its current sources. One of all test files builds it, and each process checks once. */
export async function builtConsole(): Promise<void> {
  built ??= promisify(execFile)(process.execPath, [BUILD])
  await built
}
