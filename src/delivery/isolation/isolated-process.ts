/** The body of the isolated process: composes, signs and sends suspect mail, and may die of it. */

import { createPrivateKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { SendingRight } from '../../cluster/sending-right.ts'
import { postedLog } from '../../common/logging.ts'
import { configuredResolver } from '../../dns/resolver.ts'
import { Boundaries } from '../../mail/compose/boundary.ts'
import { signHere } from '../../mail/dkim/signature.ts'
import { ReturnPathKey } from '../../mail/return-path/return-path.ts'
import type { Delivery, SigningKey } from '../delivery.ts'
import { sourcePolicyId } from '../path/path.ts'
import { type PreparedMessage, prepareMessage } from '../prepare.ts'
import { RouteCourier } from '../route-courier.ts'
import { deliveryOf } from '../thread/flat.ts'
import type { CourierOptions } from '../thread/message.ts'
import type { FromProcess, IsolatedDelivery, KeyOctets, ToProcess } from './message.ts'

/**
 * The servers that variants of a message are made for, all before it is sent: the time for that is limited, and a
 * message that takes longer or crashes the process is known by it.
 */
const VARIANTS = [
  { eightBitMime: true, smtpUtf8: true },
  { eightBitMime: false, smtpUtf8: true },
]

const right = new SendingRight()
const keys = new Map<string, SigningKey>()
const prepared = new WeakMap<Delivery, PreparedMessage>()
let courier: RouteCourier
let boundaries: Boundaries

function say(message: FromProcess): void {
  // The service may have ended: without a callback, the failure would be this process's last words in the log.
  process.send!(message, () => {})
}

function start(
  { dnsServers, dnsValidating, boundarySecret, returnPathSecret, ...options }: CourierOptions,
  parent: number,
): void {
  new Worker(new URL('./orphan-watch.ts', import.meta.url), { name: 'orphan-watch', workerData: { parent } })
  boundaries = new Boundaries(boundarySecret)
  courier = new RouteCourier({
    ...options,
    resolver: configuredResolver({ dnsServers, dnsValidating }),
    boundaries,
    returnPaths: new ReturnPathKey(returnPathSecret),
    // A service that takes the place of one that was killed takes its work over at once: nothing may leave here then.
    right: { holds: (token) => process.ppid === parent && right.holds(token) },
    signer: signHere,
    elsewhere: (delivery) => prepared.get(delivery) ?? null,
    log: postedLog((line) => say({ kind: 'log', line })),
  })
  say({ kind: 'started' })
}

async function deliver({ delivery: flat, keys: sent, policy, source }: IsolatedDelivery): Promise<void> {
  for (const key of sent) if (!keys.has(key.id)) keys.set(key.id, keyOf(key))
  const policies = new Map([[sourcePolicyId({ policy, source }), { policy, source }]])
  const [number] = flat
  const [delivery] = deliveryOf(flat, { keys, policies })
  const message = prepareMessage(delivery, { boundaries, signer: signHere })
  prepared.set(delivery, message)
  // The courier will find the same error, and report the outcome for the recipients.
  await Promise.all(VARIANTS.map((capabilities) => message(capabilities))).catch(() => {})
  say({ kind: 'prepared', number })
  say({ kind: 'result', number, result: await courier.deliver(delivery) })
}

function keyOf({ privateKey, ...key }: KeyOctets): SigningKey {
  const octets = Buffer.from(privateKey)
  return { ...key, privateKey: createPrivateKey({ key: octets, format: 'der', type: 'pkcs8' }) }
}

/**
 * When the machine runs out of memory, the kernel ends this process first (proc(5); elsewhere there is no such file).
 */
function volunteer(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // This is a courtesy: the process works without it.
  }
}

volunteer()
process.on('message', (message: ToProcess) => {
  switch (message.kind) {
    case 'start':
      return start(message.options, message.parent)
    case 'right':
      return void new BigInt64Array(right.shared).set(message.values)
    case 'deliver':
      return void deliver(message)
    case 'close':
      void courier.close(message.ms).then(() => {
        process.send!({ kind: 'closed' } satisfies FromProcess, () => process.exit(0))
      })
  }
})
// Without the service nothing would record the outcome of the mail.
process.on('disconnect', () => process.exit(0))
// A terminal signals its whole process group; the service decides when this process ends.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
