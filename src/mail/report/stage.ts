/** The command that a server refused, as reports name it. Up to MAIL a server can only refuse the sender. */

export type ReportedStage = 'mail' | 'rcpt' | 'data'

/** The first that matches counts. */
const STAGES: readonly (readonly [ReportedStage, RegExp])[] = [
  // Exim "after MAIL FROM:<...>", Postfix "in reply to MAIL FROM command", DragonFly "did not like our MAIL FROM".
  [
    'mail',
    /\b(?:after|in reply to|like our|during|in response to)\s+(?:the\s+)?(?:mail(?: from)?|e?helo|helo\/ehlo|initial connection|sending helo)\b/i,
  ],
  // qmail, Postfix; `[MAIL_FROM]` of Yahoo.
  ['mail', /\bmy name was rejected\b|\bsender was rejected\b|\brefused to talk to me\b|\[MAIL_FROM\]/i],
  [
    'rcpt',
    /\b(?:after|in reply to|like our|during|in response to)\s+(?:the\s+)?rcpt\b|\bdoes not like recipient\b|\[RCPT_TO\]/i,
  ],
  [
    'data',
    /\b(?:after|in reply to|like our|during|in response to)\s+(?:the\s+|our\s+|final\s+)*(?:end of )?data\b|\bafter i sent the message\b|\[DATA\]/i,
  ],
]

export function stageIn(text: string): ReportedStage | null {
  const short = text.slice(0, 4_000)
  return STAGES.find(([, pattern]) => pattern.test(short))?.[0] ?? null
}

/** @param command as a transcript has it: `MAIL From:<...>` */
export function stageOfCommand(command: string): ReportedStage | null {
  const verb = /^[a-z]+/i.exec(command)?.[0].toLowerCase()
  if (verb === 'mail' || verb === 'ehlo' || verb === 'helo') return 'mail'
  return verb === 'rcpt' ? 'rcpt' : null
}
