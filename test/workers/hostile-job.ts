/** Work that goes wrong in every way there is. */
import { createServer } from 'node:http'

export type Order =
  | { kind: 'echo'; value: unknown }
  | { kind: 'octets'; length: number }
  | { kind: 'throw'; message: string }
  | { kind: 'memory' }
  | { kind: 'loop' }
  | { kind: 'exit' }
  | { kind: 'uncloneable' }
  | { kind: 'busy'; ms: number }
  /** Sets `flag[1]`, and waits until another thread sets `flag[0]`. */
  | { kind: 'wait'; flag: Int32Array; value: unknown }

export default function perform(order: Order): unknown {
  switch (order.kind) {
    case 'echo':
      return order.value
    case 'octets':
      return new Uint8Array(order.length).fill(7)
    case 'throw':
      throw new TypeError(order.message)
    case 'memory': {
      const kept: object[] = []
      for (;;) kept.push({ kept: kept.length })
    }
    case 'loop':
      for (;;);
    case 'busy': {
      const until = performance.now() + order.ms
      while (performance.now() < until);
      return order.ms
    }
    case 'exit':
      process.exit(3)
      break
    case 'uncloneable':
      return createServer
    case 'wait':
      Atomics.store(order.flag, 1, 1)
      Atomics.wait(order.flag, 0, 0)
      return order.value
  }
}

export function buffersOf(output: unknown): ArrayBuffer[] {
  return output instanceof Uint8Array ? [output.buffer as ArrayBuffer] : []
}
