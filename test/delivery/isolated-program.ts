/** A service with only a suspect message, whose composing never ends. See isolated-courier.test.ts. */

import { generateKeyPairSync } from 'node:crypto'
import { SendingRight } from '../../src/cluster/sending-right.ts'
import { IsolatedCourier } from '../../src/delivery/isolation/isolated-courier.ts'
import { createLogger } from '../../src/log.ts'
import { content, deliveryTo } from './route/rig.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const courier = new IsolatedCourier({
  process: {
    dnsServers: [],
    dnsValidating: [],
    smtpPort: 25,
    allowPrivateNetworks: true,
    sourceAddresses: [],
    retrySchedule: [120_000],
    boundarySecret: Buffer.alloc(32),
    returnPathSecret: Buffer.alloc(32),
  },
  right: new SendingRight(),
  log: createLogger('silent'),
  onDeath: () => {},
})
await courier.deliver({
  ...deliveryTo(['to@x.test']),
  message: { kind: 'parts', content: { ...content, subject: 'poison-hang' } },
  signing: [{ id: 'k', domain: 'acme.test', selector: 's', algorithm: 'rsa-sha256', privateKey }],
  suspicion: 1,
})
