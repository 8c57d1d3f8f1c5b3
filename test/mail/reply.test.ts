/** The category of a refusal: by the words of the servers, the enhanced code, and the code, in this order of trust. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BOUNCE_CATEGORIES } from '../../src/mail/reply/category.ts'
import { classifyReply } from '../../src/mail/reply/classify.ts'
import * as reasons from '../../src/mail/reply/reason-phrases.ts'
import { ANSWERS, partsOf } from './reply-examples.ts'

const classified = (reply: string) => classifyReply(partsOf(reply))

for (const category of BOUNCE_CATEGORIES) {
  test(`${category}: in the words of servers`, () => {
    const { dead = [], alive = [] } = ANSWERS[category]
    for (const reply of dead) assert.deepEqual(classified(reply), { category, permanent: true }, reply)
    for (const reply of alive) assert.deepEqual(classified(reply), { category, permanent: false }, reply)
  })
}

test('an address that is being tried is not dead yet, and nothing after MAIL is about the recipient', () => {
  const reply = { code: 450, status: '4.1.1', words: 'User unknown in local recipient table' }
  assert.deepEqual(classifyReply({ ...reply, delayed: true }), {
    category: 'address_unknown',
    permanent: false,
  })
  assert.deepEqual(classifyReply({ ...reply, stage: 'mail' }), { category: 'policy', permanent: false })
})

test('a temporary code alone proves no address dead, its words may', () => {
  for (const status of ['4.1.1', '4.1.2', '4.1.3', '4.1.6', '4.1.10']) {
    const words = 'Not now, please'
    assert.equal(classifyReply({ code: 450, status, words }).permanent, false, status)
    assert.equal(classifyReply({ code: null, status, words }).permanent, false, status)
    assert.equal(classifyReply({ code: 450, status: `5${status.slice(1)}`, words }).permanent, false, status)
    assert.equal(classifyReply({ code: 550, status: `5${status.slice(1)}`, words }).permanent, true, status)
  }
  const unknown = { code: 450, status: '4.1.1', words: 'User unknown in local recipient table' }
  assert.deepEqual(classifyReply(unknown), { category: 'address_unknown', permanent: true })
})

test('the address of a server is no mail address, in any language', () => {
  const refusals = [
    'Ihre IP-Adresse ist ungültig',
    'Adresse IP invalide',
    'Dirección IP no válida',
    'Indirizzo IP non valido',
    'Endereço IP não encontrado',
    'Nieprawidłowy adres IP',
    'Uw IP-adres is onbekend',
    'IP adresi geçersiz',
    'Ваш IP-адрес не найден',
    '您的IP地址无效',
    'IPアドレスが見つかりません',
    'IP 주소를 찾을 수 없습니다',
  ]
  for (const words of refusals) assert.equal(classified(`554 5.7.1 ${words}`).permanent, false, words)
})

test('an address in a reply does not count as its words', () => {
  assert.deepEqual(classified('550 5.1.1 <mailbox.full@spam.test>: User unknown'), {
    category: 'address_unknown',
    permanent: true,
  })
})

test('no pattern of the reasons is slow over the longest reply', () => {
  const pieces = [
    'message contains a ',
    'адрес ',
    '用户',
    'ip-',
    'https://a',
    'a ',
    'message ',
    'mailbox ',
    'user is ',
    'no ',
    'connect to ',
    'spf ',
    'x@',
    '\t',
    '宛先',
  ]
  for (const piece of pieces) {
    const words = piece.repeat(Math.ceil((64 * 1024) / piece.length))
    classifyReply({ code: 550, words })
    for (const topic of Object.values(reasons)) {
      for (const pattern of topic) {
        assert.ok(!pattern.global && !pattern.sticky, `${pattern} has a memory`)
        assert.doesNotMatch(pattern.source, /\([^()]*[+*][^()]*\)[+*]/, `${pattern} repeats a repetition`)
        pattern.test(words.slice(0, 1_000))
      }
    }
  }
})
