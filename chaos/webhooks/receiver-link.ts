/** The run's end of the process that is told. */
import type { FaultLog } from '../fault-log.ts'
import { OtherSide } from '../other-side.ts'
import type { FromReceiver, ReceiverAddress, ReceiverRule, ReceivingEndpoint, ToReceiver } from './notice.ts'
import type { Reached } from './reached.ts'

export class ReceiverLink extends OtherSide<ToReceiver, FromReceiver, ReceiverRule, ReceiverAddress> {
  #reached: Reached | null = null

  constructor() {
    super('receiver', './webhooks/receiver-process.ts')
  }

  start(seed: number, endpoints: ReceivingEndpoint[], reached: Reached, log: FaultLog): void {
    this.#reached = reached
    this.log = log
    this.say({ kind: 'start', seed, endpoints })
  }

  protected override hear(message: FromReceiver): void {
    for (const notice of message.notices) this.#reached?.noticed(notice)
  }
}
