/** The limits of this machine on one CPU: the yardstick for every other figure of the run. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { now } from '../../harness/clock.ts'
import { serveOrders } from './part.ts'

export interface LimitsOrder {
  /** Where the service keeps its database: the same disk is measured. */
  directory: string
  milliseconds: number
}

export interface Limits {
  /** RSA-2048 SHA-256 signatures a second with a parsed key. */
  signatures: number
  /** Appends of 4 KB, each followed by fdatasync, a second. */
  syncs: number
}

function rate(milliseconds: number, once: () => void): number {
  for (let i = 0; i < 50; i++) once()
  const startedAt = now()
  let done = 0
  while (now() - startedAt < milliseconds) {
    once()
    done++
  }
  return (done * 1000) / (now() - startedAt)
}

function measure({ directory, milliseconds }: LimitsOrder): Limits {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const data = randomBytes(600)
  const signatures = rate(milliseconds, () => sign('sha256', data, privateKey))
  const path = join(directory, 'fsync-probe')
  const file = openSync(path, 'w')
  const block = randomBytes(4096)
  const syncs = rate(milliseconds, () => {
    writeSync(file, block)
    fdatasyncSync(file)
  })
  closeSync(file)
  rmSync(path)
  return { signatures, syncs }
}

serveOrders(measure)
