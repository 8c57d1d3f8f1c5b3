/** The body of a delivery thread: composes, signs and speaks SMTP for the deliveries it is posted. */
import { parentPort, workerData } from 'node:worker_threads'
import { Resolver } from '../../dns/resolver.ts'
import type { SigningKey } from '../delivery.ts'
import { RouteCourier } from '../route-courier.ts'
import type { FromThread, ThreadOptions, ToThread } from './message.ts'

const port = parentPort!
const { dnsServers, ...options } = workerData as ThreadOptions
const keys = new Map<string, SigningKey>()
const courier = new RouteCourier({
  ...options,
  resolver: new Resolver({ servers: dnsServers }),
  log: (level, message, detail) => say({ kind: 'log', level, message, detail }),
})

function say(message: FromThread): void {
  port.postMessage(message)
}

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'key':
      keys.set(message.key.id, message.key)
      return
    case 'deliver': {
      const { number, delivery } = message
      const signing = delivery.signing.map((id) => keys.get(id)!)
      void courier.deliver({ ...delivery, signing }).then((result) => say({ kind: 'result', number, result }))
      return
    }
    case 'close':
      void courier.close(message.ms).then(() => {
        say({ kind: 'closed' })
        port.close()
      })
  }
})
