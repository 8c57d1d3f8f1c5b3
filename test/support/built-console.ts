import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const BUILD = fileURLToPath(new URL('../../scripts/build-console.ts', import.meta.url))

/** The page of the console is built from what its sources say now. Of all files of tests one builds it. */
export async function builtConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, [BUILD])
}
