import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const BUILD = fileURLToPath(new URL('../../scripts/build-console.ts', import.meta.url))

let built: Promise<unknown> | null = null

/** The page of the console is built from what its sources say now. Of all files of tests one builds it, and each process asks once. */
export async function builtConsole(): Promise<void> {
  built ??= promisify(execFile)(process.execPath, [BUILD])
  await built
}
