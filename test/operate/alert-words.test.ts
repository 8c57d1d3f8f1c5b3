/** The words of an alert lead on also those operators who have no console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alertJson, alertLine, alertMail } from '../../src/operate/alerts/alert-words.ts'

const ALERT = {
  id: 'held-mail',
  title: 'Closed paths',
  found: 'mx.x.test refuses mail: no.',
  advice: '“Sites” on the page Installation lists them all.',
  memberAdvice: 'Ask the operator.',
  since: Date.UTC(2026, 10, 20, 12),
  endedAt: null,
}
const ORIGIN = { hostname: 'mail.test', console: null }

test('an alert names the command that the doctor prints, in JSON, in mail and in the log', () => {
  assert.equal(alertJson(ALERT, false, 'mail.test').code, 'bin/postroad site list')
  const mail = (isOperator: boolean) => alertMail(ALERT, isOperator, false, ORIGIN, 'installation').text
  assert.match(mail(true), /lists them all\.\n {2}bin\/postroad site list\n\nSince 2026/)
  assert.match(mail(false), /Ask the operator\.\n\nSince 2026/)
  assert.deepEqual(alertLine(ALERT, false), {
    fields: { alert: 'held-mail', found: ALERT.found, code: 'bin/postroad site list' },
    message: 'Problem: Closed paths',
  })
  assert.equal(alertLine(ALERT, true).message, 'Over: Closed paths')
})

test('the command is about the subject of the problem', () => {
  const code = (id: string) => alertJson({ ...ALERT, id }, false, 'mail.test').code
  assert.equal(code('domain:acme.test'), 'bin/postroad domain show acme.test')
  assert.equal(code('pools:news'), 'bin/postroad pool show news')
  assert.equal(code('webhook:019a'), 'bin/postroad webhook attempts 019a --failed')
  assert.equal(code('clock'), 'bin/postroad doctor')
})
