import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { parseSetCookie } from 'cookie'
import { deviceCookie, deviceTicket } from '../../../src/http/console/session/device-cookies.ts'
import { PublicUrl } from '../../../src/http/public-url.ts'
import { ClientAddress } from '../../../src/ingress/client-address.ts'
import { type Clock, deviceOf } from '../../../src/operate/sign-in.ts'
import { Tickets } from '../../../src/people/tickets.ts'

const key = randomBytes(32)
const clock: Clock = { now: () => 1_000, wait: async () => {} }
const parts = { tickets: new Tickets(() => key), clock }
const publicUrl = new PublicUrl('https://mail.example', new ClientAddress([]))

test('a device is recognised for the eight people who signed in there last', () => {
  const headers: IncomingMessage['headers'] = {}
  const request = { headers } as IncomingMessage
  const signIn = (person: string) => {
    const { name, value } = parseSetCookie(deviceCookie({ publicUrl }, parts, request, person))!
    headers.cookie = `${name}=${value}`
  }
  const deviceFor = (person: string) => deviceOf(parts, person, deviceTicket({ publicUrl }, request))
  signIn('ada')
  const device = deviceFor('ada')
  assert.ok(device)
  signIn('bob')
  assert.deepEqual(['ada', 'bob', 'eve'].map(deviceFor), [device, device, null])
  assert.equal(deviceOf(parts, null, deviceTicket({ publicUrl }, request)), null)
  for (let count = 0; count < 7; count++) signIn(`other ${count}`)
  assert.deepEqual(['ada', 'bob', 'other 6'].map(deviceFor), [null, device, device])
  signIn('bob')
  signIn('eve')
  assert.deepEqual(['bob', 'other 0', 'eve'].map(deviceFor), [device, null, device])
})
