/** A mail system under comparison: accepts the messages, signs them, stores them on disk, and delivers them to the sink. */
import { generateKeyPairSync } from 'node:crypto'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { PublishedKeys } from '../../harness/verify-dkim.ts'
import type { LoadTarget } from '../load/order.ts'
import type { Child } from './child.ts'

export interface RunningSystem {
  name: string
  /** Product and version. */
  version: string
  /** How it was set up, for the report. */
  setup: string
  port: number
  target: LoadTarget
  /** The TXT records of its DKIM keys, for the verifier. */
  keys: PublishedKeys
  /** CPU-ms of all its processes so far, those that ended included. */
  cpu(): number
  /** Ends all its processes and removes its files. */
  stop(): Promise<void>
}

export interface SystemPlace {
  /** Parent of its directory. */
  parent: string
  cpus: string
  sinkPort: number
}

/** The sending domain of every system. */
export const SENDING_DOMAIN = 'bench.test'
export const SELECTOR = 'bench'

export interface DkimKey {
  /** PEM, PKCS #1, which all of them read. */
  privateKey: string
  keys: PublishedKeys
}

export function rsaKey(): DkimKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  return {
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    keys: new Map([[`${SELECTOR}._domainkey.${SENDING_DOMAIN}`, `v=DKIM1; k=rsa; p=${published}`]]),
  }
}

/** Resolves when the program listens at this port, or at the path of a local socket; throws when it has ended, or after half a minute. */
export async function listening(where: number | string, child: Child, log = () => ''): Promise<void> {
  for (let tries = 0; ; tries++) {
    const socket = typeof where === 'string' ? net.connect(where) : net.connect(where, '127.0.0.1')
    const up = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (up) return
    if (!child.alive || tries > 300) throw new Error(`nothing listens at ${where}: ${child.output}\n${log()}`)
    await pause(100)
  }
}

/** The `stop` of a system that has started: it disposes everything that the start deferred. */
export function stopping(started: AsyncDisposableStack): () => Promise<void> {
  const running = started.move()
  return () => running.disposeAsync()
}
