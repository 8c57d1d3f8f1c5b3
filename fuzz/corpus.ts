/** Inputs that once showed a defect, one file each: every run begins with them, and `npm test` replays them. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('./corpus', import.meta.url))

export function corpusOf(target: string): Buffer[] {
  return corpusFiles(target).map((path) => readFileSync(path))
}

/** Paths, in no order that means anything. */
export function corpusFiles(target: string): string[] {
  const place = join(folder, target)
  try {
    return readdirSync(place).map((name) => join(place, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Keeps the input; its path. */
export function keepInput(target: string, input: Buffer): string {
  const place = join(folder, target)
  mkdirSync(place, { recursive: true })
  const path = join(place, createHash('sha256').update(input).digest('hex').slice(0, 16))
  writeFileSync(path, input)
  return path
}
