/** The words of a search in an address, in the text of an email or in a server's reply, beside the subject. */
import { UntrustedText } from '../../parts/untrusted-text.tsx'
import classes from './emails.module.css'
import type { EmailWords } from './merge.ts'

const PLACES = { address: 'Address:', text: 'In the text:', reply: 'In the reply:' } as const

export function MatchExcerpt({ found: { place, excerpt } }: { found: EmailWords }) {
  return (
    <span className={classes.excerpt} title={excerpt}>
      <span className={classes.foundIn}>{PLACES[place]}</span>
      <UntrustedText>{excerpt}</UntrustedText>
    </span>
  )
}
