import type { InboundFinding } from '../email/inbound-mail.ts'

/** The finding of a report about a recipient, in one line. */
export function findingSummary({
  action,
  category,
  permanent,
  status,
  reply,
}: Omit<InboundFinding, 'address' | 'message'>): string {
  const codes = [reply, status].filter((code) => code !== null).join(' ')
  const words = [
    action ?? 'complained',
    ...(category === null ? [] : [category]),
    ...(permanent ? ['the address is dead'] : []),
  ].join(', ')
  return codes === '' ? words : `${words} (${codes})`
}
