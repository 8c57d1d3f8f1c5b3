/** The record of an SMTP conversation, as delivery keeps it (src/delivery/smtp/dialogue.ts). */

export interface DialogueStep {
  /** Since it began; null: of what is left out. */
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

export interface TlsUsed {
  /** `TLSv1.3`; null: in clear. */
  version: string | null
  /** Null: nobody has said, as on a connection that was open already. */
  verified: boolean | null
  /** Why it is not verified. */
  doubt: string | null
}

const NOTE = /^(TLS\S*), certificate (verified|not verified(?: \((.*)\))?)$/

/** What our own notes say of it; nothing that a server wrote counts. Null: no server was spoken to. */
export function tlsOf({ tls, dialogue }: { tls: string | null; dialogue: string }): TlsUsed | null {
  const steps = stepsOf(dialogue)
  const notes = steps.filter(({ from, ms }) => from === 'note' && ms !== null)
  const told = notes.map(({ text }) => NOTE.exec(text)).findLast((match) => match !== null)
  if (told) return { version: told[1]!, verified: told[2] === 'verified', doubt: told[3] ?? null }
  if (tls !== null) return { version: tls, verified: null, doubt: null }
  return steps.some(({ from }) => from === 'them') ? { version: null, verified: null, doubt: null } : null
}
