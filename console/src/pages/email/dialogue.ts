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
