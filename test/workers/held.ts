import type { Order } from './hostile-job.ts'

/** A task that keeps its worker until it is let go. */
export function held(value: unknown): { order: Order; release(): void; begun(): boolean } {
  const flag = new Int32Array(new SharedArrayBuffer(8))
  const begun = () => Atomics.load(flag, 1) === 1
  const release = () => {
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  }
  return { order: { kind: 'wait', flag, value }, release, begun }
}
