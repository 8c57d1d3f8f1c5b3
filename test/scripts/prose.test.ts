/** Which text is wrapped and which is left alone, in pages and in comments. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longPassages, wrappedComments, wrappedPage } from '../../scripts/prose.ts'

const WORDS = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ')
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length))

test('paragraphs and list items of a page are wrapped, and say the same', () => {
  const page = `# A heading\n\n${WORDS}\n${WORDS}\n\n- ${WORDS}\n  more\n  1. ${WORDS}\n`
  const wrapped = wrappedPage(page)
  assert.ok(widest(wrapped) <= 120)
  assert.equal(wrapped.replace(/\s+/g, ' '), page.replace(/\s+/g, ' '))
  assert.match(wrapped, /\n- word0 [^\n]+\n {2}word\d+/)
  assert.match(wrapped, /\n {2}1\. word0 [^\n]+\n {5}word\d+/)
  assert.equal(wrappedPage(wrapped), wrapped)
})

test('tables, code, headings and generated sections stay unchanged', () => {
  const made = `<!-- begin results: made by a program -->\n${WORDS}\n<!-- end results -->`
  for (const text of [`| ${WORDS} |`, `\`\`\`sh\n${WORDS}\n\`\`\``, `# ${WORDS}`, made]) {
    assert.equal(wrappedPage(text), text)
  }
})

test('text behind a generated section is wrapped again', () => {
  const made = `<!-- begin results: made by a program -->\n${WORDS}\n<!-- end results -->\n\n`
  const wrapped = wrappedPage(made + WORDS)
  assert.ok(wrapped.startsWith(made))
  assert.ok(widest(wrapped.slice(made.length)) <= 120)
})

test('no line of a page begins with a word that would make it a list', () => {
  const page = `${'x'.repeat(117)} - and 1. or # of it`
  assert.ok(!/\n(?:-|1\.|#) /.test(wrappedPage(page)))
})

test('paragraphs of more than five lines are named', () => {
  assert.deepEqual(longPassages(`short\n\n- ${WORDS} ${WORDS} ${WORDS}\n`), [3])
  assert.deepEqual(longPassages(`${WORDS}\n`), [])
})

test('comments are wrapped by their paragraphs, and code is not', () => {
  const code = `  const long = '${WORDS}'`
  const block = `  /**\n   * ${WORDS}\n   *\n   * - ${WORDS}\n   * @param x ${WORDS}\n   */`
  const wrapped = wrappedComments(`/** ${WORDS} */\n${code}\n  // ${WORDS}\n  // ${WORDS}\n${block}\n`)
  const lines = wrapped.split('\n')
  assert.ok(lines.includes(code))
  assert.ok(widest(wrapped.replace(code, '')) <= 120)
  assert.match(wrapped, /^\/\*\*\n \* word0 [^\n]+\n(?: \* [^\n]+\n)+ \*\/\n/)
  assert.match(wrapped, /\n {3}\*\n {3}\* - word0 [^\n]+\n {3}\* {3}word\d+/)
  assert.match(wrapped, /\n {3}\* @param x word0/)
  assert.equal(wrappedComments(wrapped), wrapped)
})
