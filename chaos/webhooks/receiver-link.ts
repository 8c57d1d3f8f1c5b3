/** The run's end of the process that is told. */
import type { FaultLog } from '../fault-log.ts'
import { OtherSide } from '../other-side.ts'
import type { FromReceiver, ReceiverAddress, ReceiverRule, ReceivingEndpoint, ToReceiver } from './notice.ts'
import type { Reached } from './reached.ts'

export class ReceiverLink extends OtherSide<ToReceiver, FromReceiver, ReceiverAddress> {
  #reached: Reached | null = null
  #log: FaultLog | null = null

  constructor() {
    super('receiver', './webhooks/receiver-process.ts')
  }

  start(seed: number, endpoints: ReceivingEndpoint[], reached: Reached, log: FaultLog): void {
    this.#reached = reached
    this.#log = log
    this.say({ kind: 'start', seed, endpoints })
  }

  rule(rule: ReceiverRule): void {
    this.say({ kind: 'rule', rule })
  }

  endRule(id: number): void {
    this.say({ kind: 'end-rule', id })
  }

  protected override hear(message: FromReceiver): void {
    switch (message.kind) {
      case 'noticed':
        for (const notice of message.notices) this.#reached?.noticed(notice)
        break
      case 'hit':
        this.#log?.hit(message.id, message.count)
    }
  }
}
