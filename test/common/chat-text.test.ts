import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatText } from '../../src/common/chat-text.ts'
import { problemPayload } from '../../src/events/notices/json-problem.ts'
import { alertJson } from '../../src/operate/alerts/alert-words.ts'

const FOUND =
  '550 <!channel> @here <https://evil.test|Sign in> [Sign in](https://evil.test) & mail a.b+c@x.test'
const SAFE =
  '550 &lt;!channel&gt; @\u200bhere &lt;https://evil.test|Sign in&gt; [Sign in]\u200b(https://evil.test) &amp; mail a.b+c@x.test'

test('the text for a chat mentions nobody and hides no link; the data keeps the original words', () => {
  assert.equal(chatText(FOUND), SAFE)
  const problem = { id: 'waiting:c', title: 'Waiting mail', found: FOUND, advice: null, since: 1 }
  const { text, data } = problemPayload({ type: 'problem.started', at: 1 }, problem)
  assert.deepEqual([text, data.found], [`Problem: Waiting mail: ${SAFE}`, FOUND])
  const alert = { ...problem, companyId: null, memberAdvice: null, endedAt: null }
  const json = alertJson(alert, false, 'mail.test')
  assert.deepEqual([json.text, json.found], [`Problem on mail.test: Waiting mail: ${SAFE}`, FOUND])
})
