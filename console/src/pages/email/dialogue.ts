/** Parses the record of an SMTP dialogue as delivery stores it (src/delivery/smtp/dialogue.ts). */

interface DialogueStep {
  /** Milliseconds since the dialogue began; `null` for a line that stands for omitted ones. */
  ms: number | null
  from: 'us' | 'them' | 'note'
  text: string
}

const LINE = /^(\d+) ([><*]) (.*)$/
const FROM = { '>': 'us', '<': 'them', '*': 'note' } as const

export function stepsOf(dialogue: string): DialogueStep[] {
  return dialogue.split('\n').map((line) => {
    const [, ms, mark, text] = LINE.exec(line) ?? []
    if (ms === undefined) return { ms: null, from: 'note', text: line.trim() }
    return { ms: Number(ms), from: FROM[mark as keyof typeof FROM], text: text! }
  })
}

export interface TlsSummary {
  /** For example `TLSv1.3`; `null` if the session was not encrypted. */
  version: string | null
  /** `null` if unknown, as on a connection that was reused. */
  verified: boolean | null
  /** The reason why the certificate was not verified. */
  doubt: string | null
}

const NOTE = /^(TLS\S*), certificate (verified|not verified(?: \((.*)\))?)$/

/**
 * Reads the TLS state from Postroad's own notes, never from text that a server sent. `null` if no server was
 * contacted.
 */
export function tlsOf({ tls, dialogue }: { tls: string | null; dialogue: string }): TlsSummary | null {
  const steps = stepsOf(dialogue)
  const notes = steps.filter(({ from, ms }) => from === 'note' && ms !== null)
  const told = notes.map(({ text }) => NOTE.exec(text)).findLast((match) => match !== null)
  if (told) return { version: told[1]!, verified: told[2] === 'verified', doubt: told[3] ?? null }
  if (tls !== null) return { version: tls, verified: null, doubt: null }
  return steps.some(({ from }) => from === 'them') ? { version: null, verified: null, doubt: null } : null
}
