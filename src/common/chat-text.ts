/** Text that contains words of strangers, for programs of chats. */

const ZERO_WIDTH_SPACE = '\u200b'
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Chat programs make links of `<https://x.test|text>` and `[text](https://x.test)`, and call everybody for `<!here>`
 * and `@here`: here such text stays text. The `@` of an address is left alone.
 */
export function chatText(text: string): string {
  return text
    .replace(/[&<>]/g, (character) => ESCAPED[character]!)
    .replace(/(?<![\w.+-])@/g, `@${ZERO_WIDTH_SPACE}`)
    .replaceAll('](', `]${ZERO_WIDTH_SPACE}(`)
}
