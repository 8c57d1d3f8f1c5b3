import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../../harness/random.ts'
import {
  filedPart,
  filedReplyWords,
  filedWords,
  offsetOfWord,
  phraseAt,
  phraseStart,
  wordsIn,
} from '../../src/store/searched-words.ts'
import { measureWork } from '../support/work-meter.ts'

test('words are found in any script, regardless of case and accents', () => {
  for (const [subject, words] of [
    ['Re: Your order #10-2045 has shipped!', ['re', 'your', 'order', '10', '2045', 'has', 'shipped']],
    ['', []],
    ['?!', []],
    ['CAFÉ Ångström İstanbul', ['cafe', 'angstrom', 'istanbul']],
    ['Заказ №5 готов', ['заказ', 'no5', 'готов']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['東京の天気 10月', ['東京', '京の', 'の天', '天気', '10', '月']],
    ['ＡＢＣ１２', ['abc12']],
  ] as const) {
    assert.deepEqual(wordsIn(subject), words, subject)
  }
})

test('a subject contains the searched words as a phrase', () => {
  const has = (subject: string, text: string) => phraseStart(filedPart(subject), wordsIn(text)) >= 0
  assert.ok(has('Welcome aboard, Ada', 'WELCOME aboard'))
  assert.ok(has('Welcome aboard, Ada', 'ada'))
  assert.ok(!has('Welcome aboard, Ada', 'aboard welcome'))
  assert.ok(!has('Welcome aboard, Ada', 'welc'))
  assert.ok(!has('Welcome', 'welcome aboard'))
  assert.ok(has('今日の東京の天気', '東京の天気'))
  assert.ok(!has('今日の京都の天気', '東京'))
})

test('a subject is filed under a bounded number of words, each once', () => {
  const long = Array.from({ length: 5_000 }, (_, n) => `w${n}`).join(' ')
  assert.equal(filedWords(long).size, 24)
  assert.deepEqual([...filedWords('a b a B')], ['a', 'b'])
})

test('an answer is filed without URLs and long ids', () => {
  const answer = `550-5.1.1 No such user https://mail.test/?p=NoSuchUser ${'a1'.repeat(17)} - gsmtp`
  assert.deepEqual([...filedReplyWords(answer)], ['550', '5', '1', 'no', 'such', 'user', 'gsmtp'])
  assert.ok(filedReplyWords('x https://'.repeat(100_000)).size <= 24)
})

test('the text keeps the places where words begin', () => {
  assert.equal(offsetOfWord('Hello, ZOË Order 4711', 1), 7)
  assert.equal(offsetOfWord('Hello, ZOË Order 4711', 3), 17)
  assert.equal(offsetOfWord('Hi 今日の東京の天気', 4), 3, 'the run of characters that has them')
  assert.equal(offsetOfWord('Hello', 1), 5)
  assert.deepEqual(wordsIn('℡ № ㎏ order ½'), ['tel', 'no', 'kg', 'order', '1', '2'])
  assert.equal(offsetOfWord('℡ № ㎏ order ½', 1), 2, 'a symbol that stands for a word')
  assert.equal(offsetOfWord('℡ № ㎏ order ½', 3), 6)
  assert.equal(offsetOfWord('℡ № ㎏ order ½', 5), 12)
})

test('a phrase is found where it begins for the first time', () => {
  const seed = Math.floor(Math.random() * 2 ** 32)
  const random = new Random(seed)
  const words = (most: number) =>
    Array.from({ length: random.int(1, most) }, () => random.pick(['a', 'b', 'c']))
  for (let nth = 0; nth < 3_000; nth++) {
    const [text, phrase] = [words(14), words(6)]
    const starts = text.map((_, from) => phrase.every((word, at) => text[from + at] === word))
    assert.equal(phraseStart(text, phrase), starts.indexOf(true), `seed ${seed}: ${text} / ${phrase}`)
    const longer = text.map((word) => word + random.pick(['', 'd']))
    const begun = longer.map((_, from) =>
      phrase.every((word, at) => {
        const found = longer[from + at]
        return at === phrase.length - 1 ? found?.startsWith(word) : found === word
      }),
    )
    const at = phraseAt(longer, { words: phrase, open: true })
    assert.equal(at, begun.indexOf(true), `seed ${seed}: ${longer} / ${phrase}, open`)
    assert.equal(phraseAt(text, { words: phrase, open: false }), starts.indexOf(true))
  }
})

test('the search for a phrase costs as much as its words and those of the text, however often it nearly matches', () => {
  const cost = (times: number) => {
    const text = Array<string>(1_000 * times).fill('a')
    const phrase = [...Array<string>(500 * times).fill('a'), 'b']
    return measureWork('/src/store/searched-words', () => {
      assert.equal(phraseStart(text, phrase), -1)
      assert.equal(phraseAt(text, { words: phrase, open: true }), -1)
    }).steps
  }
  cost(1)
  const [once, twice] = [cost(1), cost(2)]
  assert.ok(twice < 2.3 * once + 100, `${once} steps, then ${twice}`)
})
