/** How a receiving server of the benchmark behaves: how slow it is, and how often it refuses, cuts or hangs at each step of the dialogue. */
import { Random } from '../../harness/random.ts'
import type { Pace, Step } from '../../harness/sink/hooks.ts'

/** Where in the dialogue (RFC 5321 section 3) something may go wrong. */
const STEPS = ['connect', 'ehlo', 'starttls', 'mail', 'rcpt', 'data', 'dot'] as const satisfies Step[]

/** 4xx: refuses for now. 5xx: refuses for good. cut: closes without a reply. hang: says nothing and keeps the connection. */
const FAULTS = ['4xx', '5xx', 'cut', 'hang'] as const
export type SinkFault = (typeof FAULTS)[number]

export interface SinkBehaviour extends Pace {
  /** The probability of each fault at each step, from 0 to 1. */
  faults: Partial<Record<Step, Partial<Record<SinkFault, number>>>>
  starttls: boolean
  /** The most connections: a further one gets a 421; 0: any number. */
  connections: number
  /** Messages taken over one connection before it is closed with 421; 0: any number. */
  messages: number
}

export const OBLIGING: SinkBehaviour = {
  link: 0,
  latency: 0,
  dribble: 0,
  faults: {},
  starttls: false,
  connections: 0,
  messages: 0,
}

const NUMBERS = ['link', 'latency', 'dribble', 'connections', 'messages'] as const

/**
 * Reads `link=20,latency=5,4xx@rcpt=0.02,hang@connect=0.01,starttls,connections=20`. Throws with a sentence that names what was not
 * understood.
 */
export function parseBehaviour(text: string): SinkBehaviour {
  const behaviour: SinkBehaviour = { ...OBLIGING, faults: {} }
  for (const part of text.split(',').filter((each) => each !== '')) {
    const [name = '', value = ''] = part.split('=')
    const number = Number(value)
    const plain = NUMBERS.find((each) => each === name)
    const [faultName, stepName] = name.split('@')
    const fault = FAULTS.find((each) => each === faultName)
    const step = STEPS.find((each) => each === stepName)
    if (name === 'starttls' && value === '') behaviour.starttls = true
    else if (plain && value !== '' && number >= 0) behaviour[plain] = number
    else if (fault && step && value !== '' && number >= 0 && number <= 1) {
      behaviour.faults[step] = { ...behaviour.faults[step], [fault]: number }
    } else {
      throw new Error(
        `sink behaviour "${part}" is not understood: starttls, ${NUMBERS.map((each) => `${each}=N`).join(', ')}, or ` +
          `FAULT@STEP=SHARE with a fault of ${FAULTS.join(', ')}, a step of ${STEPS.join(', ')} and a share from 0 to 1`,
      )
    }
  }
  return behaviour
}

/** Draws the fault at a step; null: none. The same seed draws the same faults. */
export class FaultDice {
  readonly #faults: SinkBehaviour['faults']
  readonly #random: Random

  constructor({ faults }: SinkBehaviour, seed: number) {
    this.#faults = faults
    this.#random = new Random(seed)
  }

  draw(step: Step): SinkFault | null {
    const shares = this.#faults[step]
    if (shares === undefined) return null
    let left = this.#random.next()
    for (const fault of FAULTS) {
      left -= shares[fault] ?? 0
      if (left < 0) return fault
    }
    return null
  }
}
