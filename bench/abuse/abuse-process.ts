/** The attacking process: makes one or several attacks at once, over a number of connections and for a given time. */
import { setMaxListeners } from 'node:events'
import net, { type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { TlsRecords } from '../../harness/tls-records.ts'
import { serveOrders } from '../service/part.ts'
import { AbuseConnection, type AbusePlace } from './abuse-connection.ts'
import { ATTACKS, ATTACKS_ON_TLS, type Attack } from './attacks.ts'
import type { AbuseOrder, AbuseReport, Statuses, Target } from './order.ts'

async function abuse({ target, attacks, connections, milliseconds }: AbuseOrder): Promise<AbuseReport> {
  const known = [...ATTACKS, ...ATTACKS_ON_TLS]
  const chosen = attacks.map((name) => known.find((attack) => attack.name === name)!)
  // Composed before the time begins to run: only the service's work should count.
  const octets = new Map(chosen.map((attack) => [attack, (attack.request ?? attack.hold)?.(target) ?? []]))
  const end = AbortSignal.timeout(milliseconds)
  // Every connection listens to this signal, which Node.js would report as a leak.
  setMaxListeners(0, end)
  const statuses: Record<string, Statuses> = {}
  const all: AbuseConnection[] = []
  const work: Promise<void>[] = []
  for (const attack of chosen) {
    const counted: Statuses = {}
    statuses[attack.name] = counted
    const share = Math.max(1, Math.floor((attack.connections ?? connections) / chosen.length))
    for (let index = 0; index < share; index++) {
      if (attack.records) {
        work.push(flood(attack, target, counted, end))
        continue
      }
      const connection = new AbuseConnection(placeOf(attack, target), counted, end)
      all.push(connection)
      work.push(run(attack, connection, octets.get(attack)!, end))
    }
  }
  await Promise.all(work)
  for (const connection of all) connection.close()
  return { statuses, octets: all.reduce((sum, connection) => sum + connection.octets, 0) }
}

function placeOf({ smtp, bounces }: Attack, { port, submissionPort, bouncePort }: Target): AbusePlace {
  return smtp || bounces
    ? { port: bounces ? bouncePort : submissionPort, answer: /^([2-5]\d\d) /gm, endsAtAnswer: false }
    : { port, answer: /HTTP\/1\.1 ([2-5]\d\d) /g, endsAtAnswer: true }
}

/** Attacks over one connection after the other, each until the service ends it. */
async function flood(attack: Attack, target: Target, counted: Statuses, end: AbortSignal): Promise<void> {
  const { port } = placeOf(attack, target)
  while (!end.aborted) {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true })
    const stop = () => socket.destroy()
    end.addEventListener('abort', stop)
    const records = await TlsRecords.connect(port, socket).catch(() => null)
    while (records !== null && !socket.destroyed) {
      const octets = attack.records!(target, records)
      if (octets.length === 0) socket.destroy()
      else if (!socket.write(octets)) await drainOrClose(socket)
      else await rest(0, end)
    }
    end.removeEventListener('abort', stop)
    const ending = records === null ? 'no handshake' : 'cut'
    if (!end.aborted) counted[ending] = (counted[ending] ?? 0) + 1
    await rest(RECONNECT_AFTER, end)
  }
}

function drainOrClose(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}

/** Milliseconds before a connection that was cut is opened again, because an attacker's machine has limits, too. */
const RECONNECT_AFTER = 20

async function run(
  attack: Attack,
  connection: AbuseConnection,
  octets: Uint8Array[],
  end: AbortSignal,
): Promise<void> {
  while (!end.aborted) {
    if (attack.request) await connection.ask(octets)
    else {
      const { drip } = attack
      let open = await connection.write(octets)
      while (open && !end.aborted) {
        if (drip) {
          await rest(drip.every, end)
          open = await connection.write([Buffer.from(drip.octets)])
        } else {
          await connection.answer()
          open = false
        }
      }
      connection.close()
    }
    if (!attack.request || octets.length > 1) await rest(RECONNECT_AFTER, end)
  }
}

async function rest(ms: number, end: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal: end }).catch(() => {})
}

serveOrders(abuse)
