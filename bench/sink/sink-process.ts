/** The process of the receiving servers: records when, and how often, the message of each numbered recipient arrives. */
import type { SinkOrder } from './order.ts'
import { Peer } from './peer.ts'
import { Tally } from './tally.ts'

const peers: Peer[] = []
let tally = new Tally(0, 0)

async function listen(order: Extract<SinkOrder, { listen: unknown }>): Promise<number> {
  let port = 0
  for (const [index, { host, behaviour }] of order.listen.entries()) {
    const peer = new Peer({ host, port, behaviour, seed: order.seed + index }, (recipients, octets) =>
      tally.take(recipients, octets),
    )
    await peer.listen()
    peers.push(peer)
    port = peer.port
  }
  return port
}

process.on('message', (order: SinkOrder) => {
  if ('listen' in order) {
    listen(order).then(
      (port) => process.send?.({ port }),
      (error: unknown) => process.send?.({ error: String(error) }),
    )
  } else if ('report' in order) {
    process.send?.({ report: tally.report() })
  } else if ('heal' in order || 'spoil' in order) {
    for (const peer of peers) {
      if ('heal' in order) peer.heal()
      else peer.spoil()
    }
    process.send?.({ ready: true })
  } else if ('keepNext' in order) {
    for (const peer of peers) peer.keepNext = true
    process.send?.({ ready: true })
  } else if ('kept' in order) {
    process.send?.({ report: peers.find(({ kept }) => kept !== null)?.kept ?? new Uint8Array() })
    for (const peer of peers) peer.kept = null
  } else {
    const counting = new Tally(order.first, order.count)
    tally = counting
    process.send?.({ ready: true })
    if (order.patience !== undefined) {
      counting.complete(order.patience).then(() => process.send?.({ report: counting.report() }))
    }
  }
})
process.on('disconnect', () => process.exit(0))
