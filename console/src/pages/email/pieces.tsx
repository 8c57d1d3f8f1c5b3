import type { Piece, StatusText } from '../../../../src/operate/status-sentence.ts'
import { Clamped } from '../../parts/clamped.tsx'
import { ClockTime } from '../../parts/clock-time.tsx'
import { UntrustedText } from '../../parts/untrusted-text.tsx'

/** The reply of a server may be long. */
export function Sentence({ of: { statement, reply } }: { of: StatusText }) {
  return (
    <>
      <Pieces of={statement} />{' '}
      {reply.length > 0 && (
        <Clamped>
          <Pieces of={reply} />
        </Clamped>
      )}
    </>
  )
}

/** Renders a sentence that contains text written by others. */
function Pieces({ of }: { of: readonly Piece[] }) {
  return of.map((piece, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the pieces have no ids, and are replaced together
    if (typeof piece === 'string') return <span key={index}>{piece}</span>
    if ('at' in piece) return <ClockTime key={index} at={piece.at} />
    return <UntrustedText key={index}>{piece.untrusted}</UntrustedText>
    // biome-ignore-end lint/suspicious/noArrayIndexKey: end of the pieces
  })
}
