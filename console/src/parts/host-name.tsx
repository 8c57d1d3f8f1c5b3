/**
 * The name of a host, a site or a domain. Too long for its place, as on a phone, it breaks between its labels rather
 * than inside a word. Not for lines that never break.
 */
import { createElement } from 'react'
import { visible } from './untrusted-text.tsx'

const BREAK = <wbr />
/** Before the dot of a label; the octets of an address stay together. */
const LABELS = /(?<=[\p{L}\p{N}])(?=\.\p{L})/u

export function HostName({ children }: { children: string }) {
  const labels = visible(children).split(LABELS)
  return createElement(
    'bdi',
    null,
    ...labels.flatMap((label, index) => (index === 0 ? label : [BREAK, label])),
  )
}
