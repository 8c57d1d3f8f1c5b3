import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { textFromHtml } from '../../src/mail/text/text-from-html.ts'

/** The effect of a style on the elements inside: on all, or on text alone. */
type Effect = 'none' | 'gone' | 'invisible' | 'visible' | 'sizeless' | 'sized'

/** Each way to hide something in mail, to show it again, and what only looks like one. */
const STYLES: readonly [attribute: string, effect: Effect][] = [
  ['', 'none'],
  [' style="color:red;padding:0"', 'none'],
  [' style="mso-hide:all"', 'none'],
  [' style="max-height:0"', 'none'],
  [' style="overflow:hidden;max-width:600px"', 'none'],
  [' hidden style="display:block"', 'none'],
  [' hidden', 'gone'],
  [' style="display:none"', 'gone'],
  [" STYLE='DISPLAY:none!important'", 'gone'],
  [' style="display:none !important;display:block"', 'gone'],
  [' style="max-height:0px;overflow:hidden;mso-hide:all"', 'gone'],
  [' style="display:block;opacity:0"', 'gone'],
  [' style="visibility:hidden"', 'invisible'],
  [' style="visibility: visible"', 'visible'],
  [' style="font-size:0"', 'sizeless'],
  [' style="font:0/0 a"', 'sizeless'],
  [' style="font-size:13px"', 'sized'],
]

type Node =
  | { kind: 'word' | 'picture' }
  | { kind: 'comment' }
  | { kind: 'element'; tags: readonly [string, string]; style: readonly [string, Effect]; inside: Node[] }

const TAGS: readonly (readonly [string, string])[] = [
  ...['div', 'span', 'b', 'section', 'center', 'font', 'blockquote', 'x-y'].map(
    (name) => [`<${name}*>`, `</${name}>`] as const,
  ),
  ['<ul><li*>', '</li></ul>'],
  ['<ul*><li>', '</ul>'],
  ['<table><tr><td*>', '</td></tr></table>'],
  ['<table role="presentation"*><tr><td>', '</table>'],
  ['<table><tr*><th>', '</th></tr></table>'],
  ['<dl><dd*>', '</dd></dl>'],
]

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    { weight: 3, arbitrary: fc.constant<Node>({ kind: 'word' }) },
    { weight: 1, arbitrary: fc.constant<Node>({ kind: 'picture' }) },
    { weight: 1, arbitrary: fc.constant<Node>({ kind: 'comment' }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('element' as const),
        tags: fc.constantFrom(...TAGS),
        style: fc.constantFrom(...STYLES),
        inside: fc.array(tie('node'), { maxLength: 4 }),
      }),
    },
  ),
}))

interface Seen {
  pictures: boolean
  visible: boolean
  sized: boolean
}

/** Writes the nodes as HTML, with a word of its own at each place, and lists the words that a browser shows. */
function written(nodes: readonly Node[]): { html: string; shown: string[] } {
  const shown: string[] = []
  let words = 0
  let html = ''
  const write = (of: readonly Node[], seen: Seen) => {
    for (const one of of) {
      if (one.kind === 'element') {
        const [attribute, effect] = one.style
        html += one.tags[0].replace('*', attribute)
        write(one.inside, {
          pictures: seen.pictures && effect !== 'gone',
          visible: effect === 'invisible' ? false : effect === 'visible' ? true : seen.visible,
          sized: effect === 'sizeless' ? false : effect === 'sized' ? true : seen.sized,
        })
        html += one.tags[1]
        continue
      }
      const word = `w${words++}w`
      if (one.kind === 'comment') html += `<!--[if mso]>${word}<![endif]--><style>${word}</style>`
      else if (one.kind === 'picture') html += `<img alt="${word}">`
      else html += ` ${word} `
      const seesIt = seen.pictures && seen.visible && (one.kind === 'picture' || seen.sized)
      if (one.kind !== 'comment' && seesIt) shown.push(word)
    }
  }
  write(nodes, { pictures: true, visible: true, sized: true })
  return { html, shown }
}

test('the text contains exactly the text that a browser shows, once and in order', () => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`seed ${seed}`)
  let hidden = 0
  fc.assert(
    fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
      const { html, shown } = written(nodes)
      hidden += (html.match(/w\d+w/g)?.length ?? 0) - shown.length
      assert.deepEqual(textFromHtml(html).match(/w\d+w/g) ?? [], shown, html)
    }),
    { seed, numRuns: 2000 },
  )
  assert.ok(hidden > 1000, 'too little was hidden to show anything')
})
