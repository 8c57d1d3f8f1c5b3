/**
 * How slow the machine is at present. Machines that share theirs with others become several times slower for a while,
 * so a limit in processor time holds at the usual speed, and grows in proportion below it.
 */

/** Ms of processor time that one pass of the work takes at the usual speed. */
const USUAL_MS = 5
/** The kernel counts processor time in ticks of up to 4 ms. */
const PASSES = 40

/** Shaped like the work of the service: JSON, strings and octets. */
const TEXT = JSON.stringify(
  Array.from({ length: 6_000 }, (_, n) => ({
    id: `r${n}@sink.example`,
    value: n * 7_919,
    tags: ['a', 'b', `${n}`],
  })),
)

/** 1 at the usual speed and above it, 2 at half of it. Takes some 200 ms. */
export function slowness(): number {
  const before = process.threadCpuUsage()
  let sum = 0
  for (let pass = 0; pass < PASSES; pass++) {
    for (const { id, tags } of JSON.parse(TEXT)) sum += id.length + tags.length
    sum += Buffer.from(TEXT).indexOf('not in it')
  }
  const { user, system } = process.threadCpuUsage(before)
  // Without a use of the sum, the engine may leave the work out.
  if (sum === 0) throw new Error('nothing was read')
  return Math.max(1, (user + system) / 1_000 / PASSES / USUAL_MS)
}

/** Ms of processor time that it usually takes to write to a MiB of memory for the first time. */
const USUAL_FRESH_MS = 0.5
/** MiB: a block of this size always comes from the kernel (the GNU C library keeps smaller ones for later). */
const FRESH_BLOCK = 40
/** Memory that other programs have just released is not fresh: this many blocks are more than that. */
const FRESH_BLOCKS = 16

let slowestFresh = 0

/**
 * Ms that this machine takes longer than usual to write to `octets` of memory for the first time; 0 at the usual
 * speed. A virtual machine whose host takes unused memory back needs ten times as long, at any speed of its processor.
 */
export function freshMemoryDelay(octets: number): number {
  const blocks: Buffer[] = []
  while (blocks.length < FRESH_BLOCKS && slowestFresh < 3 * USUAL_FRESH_MS) {
    const before = process.threadCpuUsage()
    blocks.push(Buffer.alloc(FRESH_BLOCK * 1_048_576, 1))
    const { user, system } = process.threadCpuUsage(before)
    slowestFresh = Math.max(slowestFresh, (user + system) / 1_000 / FRESH_BLOCK)
  }
  return (Math.max(0, slowestFresh - USUAL_FRESH_MS) * octets) / 1_048_576
}
