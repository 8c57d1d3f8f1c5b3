import { UntrustedText } from '../../parts/untrusted-text.tsx'
import classes from './emails.module.css'

/** A mailbox that a sender wrote (RFC 5322 3.4). A narrow column shows the beginning of its name and of its address. */
export function Mailbox({ children }: { children: string }) {
  const [, name, address] = /^(.*\S) (<[^<>]*>)$/.exec(children) ?? []
  if (name === undefined || address === undefined) return <UntrustedText>{children}</UntrustedText>
  return (
    <span className={classes.mailbox}>
      <UntrustedText>{name}</UntrustedText>
      <UntrustedText>{address}</UntrustedText>
    </span>
  )
}
