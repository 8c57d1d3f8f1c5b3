import type { Piece } from '../../../../src/operate/status-sentence.ts'
import { ClockTime } from '../../parts/clock-time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

/** Renders a sentence that contains text written by others. */
export function Pieces({ of }: { of: readonly Piece[] }) {
  return of.map((piece, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the pieces have no ids, and are replaced together
    if (typeof piece === 'string') return <span key={index}>{piece}</span>
    if ('at' in piece) return <ClockTime key={index} at={piece.at} />
    return <UntrustedText key={index}>{piece.untrusted}</UntrustedText>
    // biome-ignore-end lint/suspicious/noArrayIndexKey: end of the pieces
  })
}
