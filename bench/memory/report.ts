/** The results of a measurement of memory, as they are printed and stored. */
import type { Provenance } from '../../harness/results.ts'
import type { MemoryOfThread } from './threads.ts'

/** Octets. */
export interface MemoryFigures {
  resident: number
  /** The part of the resident memory that no file backs: heaps, buffers, stacks. */
  anonymous: number
}

/** The states in which a service is measured. `peak` is the most of each figure during the work. */
export const STATES = ['idle', 'peak', 'after'] as const
export type State = (typeof STATES)[number]

export type MemoryRound = Record<State, MemoryFigures>

export interface MeasuredRound extends MemoryRound {
  /** Ms of processor time that the service takes for each message of the work. */
  cpu: number
}

export interface MemorySubject {
  name: string
  /** Medians of the rounds. */
  memory: MemoryRound
  cpu: number
  rounds: MeasuredRound[]
  /** The threads of another service in the same states, inspected: an inspector takes some memory itself. */
  threads: Record<State, MemoryOfThread[]>
}

export interface MemoryRun extends Provenance {
  cpus: string
  database: string
  settings: Record<string, string>
  messages: number
  connections: number
  subjects: MemorySubject[]
}

const WORDS: Record<State, string> = { idle: 'idle', peak: 'at the peak', after: 'idle again' }

export function printMemory({ subjects }: MemoryRun): void {
  for (const { name, memory, cpu, threads } of subjects) {
    console.log(`\n${name}, MB         resident   anonymous`)
    for (const state of STATES) {
      const { resident, anonymous } = memory[state]
      console.log(`  ${WORDS[state].padEnd(18)} ${megabytes(resident)} ${megabytes(anonymous)}`)
    }
    console.log(`  a message takes ${cpu.toFixed(2)} ms of processor time`)
    for (const state of STATES) {
      console.log(
        `\n  ${`threads ${WORDS[state]}, MB`.padEnd(30)}      used       young        old      beside`,
      )
      for (const { name, used, young, old, beside } of threads[state])
        console.log(`  ${name.padEnd(30)} ${[used, young, old, beside].map(megabytes).join(' ')}`)
    }
  }
}

function megabytes(octets: number): string {
  return (octets / 1_000_000).toFixed(1).padStart(11)
}
