/** Groups blocks into batches of at most `limit` octets, cutting blocks that are larger. */
export function inBatches(blocks: readonly Uint8Array[], limit: number): Uint8Array[][] {
  const batches: Uint8Array[][] = []
  let batch: Uint8Array[] = []
  let room = limit
  for (const block of blocks) {
    for (let at = 0; at < block.length; ) {
      if (room === 0) {
        batches.push(batch)
        batch = []
        room = limit
      }
      const piece = at === 0 && block.length <= room ? block : block.subarray(at, at + room)
      batch.push(piece)
      at += piece.length
      room -= piece.length
    }
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
