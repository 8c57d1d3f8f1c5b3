/** The database content of a service that has run for some weeks, for measurements with history. */
export interface HistoryShape {
  /** Finished emails of one recipient each: most delivered, some bounced. */
  emails: number
  /** Recipients that wait: half until a time that their sender chose, half for another attempt after a temporary refusal. */
  waiting: number
  /** Recipient domains; companies spread their mail over all of them. */
  domains: number
  /** Octets of text of each email. */
  octets: number
  /** Whether emails have something in common: tags (`TAGS`), and one address that gets many of them (`WATCHER`). */
  related: boolean
  /** Milliseconds from now until the first waiting recipient is due, and the milliseconds over which the others become due. */
  dueAfter: number
  dueOver: number
}

export const WEEKS_OF_HISTORY: HistoryShape = {
  emails: 2_000_000,
  waiting: 500_000,
  domains: 2_000,
  octets: 1_000,
  related: false,
  // Nothing becomes due while something is measured.
  dueAfter: 6 * 3_600_000,
  dueOver: 20 * 86_400_000,
}

/** History lies within the days that retention leaves alone by default, or it would be removed while something is measured. */
const HISTORY_MS = 25 * 86_400_000

/** Rows made in one statement. */
export const CHUNK = 100_000

/** One finished email in this many has bounced. */
export const BOUNCED = 50

/** The tags of related emails: all emails have the first one, and this many share a value of the second. */
export const TAGS = { all: 'bulk-email', campaign: 'campaign', together: 1_000 }
/** One related email in `of` goes to this address. */
export const WATCHER = { local: 'watcher', domain: 'd0.history.test', of: 50 }

/** SQL for the tags of related emails; `n` counts emails. */
export function relatedTags(): string {
  const begin = `[{"name":"tag","value":"${TAGS.all}"},{"name":"${TAGS.campaign}","value":"c`
  return `'${begin}' || (n / ${TAGS.together}) || '"}]'`
}

/** SQL: what became of a finished email, and the first event of one that waits; `n` counts emails. */
export const FINISHED = `CASE WHEN n % ${BOUNCED} = 0 THEN 'bounced' ELSE 'delivered' END`
export const FINISHED_CODE = `CASE WHEN n % ${BOUNCED} = 0 THEN 550 ELSE 250 END`
export const WAITING = `CASE WHEN n % 2 = 0 THEN 'scheduled' ELSE 'sent' END`

/** Emails by their numbers, and their times (Unix ms): the number times a step is added to each. */
export interface Span {
  from: number
  to: number
  start: number
  step: number
  due: number
  dueStep: number
}

/** The finished emails, and after them the waiting ones. */
export function spansOf(shape: HistoryShape): { finished: Span; waiting: Span; all: number } {
  const now = Date.now()
  const { emails } = shape
  const all = emails + shape.waiting
  const dueStep = shape.dueOver / Math.max(1, shape.waiting)
  // Numbers continue those of the finished emails.
  const due = Math.round(now + shape.dueAfter - emails * dueStep)
  const finished = { start: now - HISTORY_MS - 60_000, step: HISTORY_MS / Math.max(1, emails) }
  const waiting = { start: now - 60_000, step: 60_000 / Math.max(1, all) }
  return {
    finished: { from: 0, to: emails, ...finished, due, dueStep },
    waiting: { from: emails, to: all, ...waiting, due, dueStep },
    all,
  }
}

/** The dialogue kept with an attempt, as long as that of a real one. */
export const DIALOGUE = [
  '+0 ms connected to 192.0.2.25:25 (mx.example.test)',
  '+4 ms S: 220 mx.example.test ESMTP',
  '+4 ms C: EHLO mail.example.test',
  '+8 ms S: 250-mx.example.test 250-PIPELINING 250-SIZE 52428800 250-8BITMIME 250 SMTPUTF8',
  '+8 ms C: MAIL FROM:<orders@bench.test> SIZE=10240',
  '+8 ms C: RCPT TO:<somebody@example.test>',
  '+8 ms C: DATA',
  '+12 ms S: 250 2.1.0 ok',
  '+12 ms S: 250 2.1.5 ok',
  '+12 ms S: 354 go ahead',
  '+13 ms C: 10240 octets, final dot',
  '+17 ms S: 250 2.0.0 kept',
].join('\n')

/** Whose emails they are. */
export interface Owner {
  companyId: string
}
