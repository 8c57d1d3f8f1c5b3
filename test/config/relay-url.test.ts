/** The URLs of relays as they are stored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRelay } from '../../src/config/parse/delivery.ts'
import { relayFrom, relayUrl } from '../../src/config/relay-url.ts'

const CREDENTIALS = { user: 'a@b', password: 'c:d/é%' }
const LOGIN = `${encodeURIComponent(CREDENTIALS.user)}:${encodeURIComponent(CREDENTIALS.password)}@`

for (const place of [
  'smtp://LOGINmail.example.com',
  'smtp://LOGIN[2001:db8::1]:587?tls=required',
  'smtps://LOGINmail.example.com?auth=xoauth2',
]) {
  test(`a stored relay is read with and without its credentials: ${place}`, () => {
    const relay = parseRelay(place.replace('LOGIN', LOGIN))
    const stored = relayUrl(relay)
    assert.deepEqual(relayFrom(stored, CREDENTIALS), relay)
    assert.deepEqual(relayFrom(stored, null), { ...relay, user: null, password: null, auth: null })
  })
}
