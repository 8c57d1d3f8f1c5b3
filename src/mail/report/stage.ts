/** The command that a server refused, as reports name it. Up to MAIL a server can only refuse the sender. */

export type ReportedStage = 'greeting' | 'mail' | 'rcpt' | 'data'

/** The first that matches counts. */
const STAGES: readonly (readonly [ReportedStage, RegExp])[] = [
  // Exim "after MAIL FROM:<...>", Postfix "in reply to MAIL FROM command", DragonFly "did not like our MAIL FROM".
  [
    'mail',
    /\b(?:after|in reply to|like our|during|in response to)\s+(?:the\s+)?(?:mail(?: from)?|e?helo|helo\/ehlo|sending helo)\b/i,
  ],
  // qmail; `[MAIL_FROM]` of Yahoo.
  ['mail', /\bmy name was rejected\b|\bsender was rejected\b|\[MAIL_FROM\]/i],
  // 1&1, in English and German.
  ['mail', /\b(?:for|bei) (?:mail from|[eh]hlo)(?: command)?,/i],
  // Postfix, Exim, GMX.
  ['greeting', /\brefused to talk to me\b|\bafter initial connection\b|\bserver in greeting\b/i],
  [
    'rcpt',
    /\b(?:after|in reply to|like our|during|in response to)\s+(?:the\s+)?rcpt\b|\bdoes not like recipient\b|\[RCPT_TO\]/i,
  ],
  ['rcpt', /\b(?:for|bei) rcpt to(?: command)?,/i],
  // GMX: "after transfer of mail text".
  ['data', /\b(?:for|bei) (?:text|data)(?: command)?,|\bafter transfer of mail text\b/i],
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
