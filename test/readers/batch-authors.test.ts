/**
 * Values of recipient variables stand in display names of From and its kind: with any of them filled in, no reader may find an author
 * outside the domain that signs, and what would mislead is refused before it is accepted.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Api, type Reply } from '../http/requests.ts'
import { startService } from '../support/service.ts'
import { isOutside, type ReadTask, readHere, readWithPython, whyNoPython } from './readers.ts'

const OURS = 'ours.test'
const FIELDS = ['From', 'Sender', 'Resent-From'] as const

/** Each with a placeholder that some reader of the template may not see: encoded, beside an encoded word, cut in two. */
const TEMPLATES = [
  '%recipient.v% <me@ours.test>',
  '"%recipient.v%" <me@ours.test>',
  'me@ours.test (%recipient.v%)',
  '%recipient% <me@ours.test>',
  '"%recipient_name%" <me@ours.test>',
  '=? %recipient.v% <me@ours.test>',
  '"=?" %recipient.v% <me@ours.test>',
  '=?utf-8?q?=25recipient=2Ev=25?= <me@ours.test>',
  '=?utf-8?q?=3D=3F_=25recipient.v=25?= <me@ours.test>',
  '=?utf-8?q?=25recip?= =?utf-8?q?ient.v=25?= <me@ours.test>',
  '=?utf-8?q?=C3=BC_=25recipient=2Ev=25?= <me@ours.test>',
]
const MISLEADING = [
  'ceo@victim.test',
  '<ceo@victim.test>',
  '"ceo@victim.test"',
  'x, ceo@victim.test',
  'Jörg <ceo@victim.test>,',
  'ü<ceo@victim.test>',
  '山<ceo@victim.test>,',
  'ceo＠victim.test',
  'ceo@vic\u200btim.test',
  '=?utf-8?q?ceo=40victim.test?=',
  '\u202etset.mitciv@oec',
]
const HARMLESS = ['Ann', 'Jörg', 'Doe, Jane', 'I <3 you', '=?', '(', '"', 'me@ours.test']

function send(api: Api, way: string, field: string, template: string, value: string): Promise<Reply> {
  const variables = JSON.stringify({ 'b@x.test': { v: value } })
  const to = `${JSON.stringify(value)} <b@x.test>`
  const from = field === 'From' ? template : 'me@ours.test'
  if (way === 'form') {
    const other: [string, string][] = field === 'From' ? [] : [[`h:${field}`, template]]
    return api.form(OURS, [
      ['from', from],
      ['to', to],
      ['text', 't'],
      ['recipient-variables', variables],
      ...other,
    ])
  }
  const other = field === 'From' ? '' : `${field}: ${template}\r\n`
  return api.multipart(
    OURS,
    [
      { name: 'to', value: to },
      { name: 'recipient-variables', value: variables },
      {
        name: 'message',
        value: `From: ${from}\r\n${other}To: %recipient%\r\nSubject: s\r\n\r\nt\r\n`,
        filename: 'm',
      },
    ],
    'messages.mime',
  )
}

describe('recipient variables do not make another person the author', () => {
  const noPython = whyNoPython()
  for (const way of ['form', 'ready message']) {
    test(way, async () => {
      await using service = await startService()
      const { key } = await service.tenant(OURS)
      const api = new Api(service.url, key.token)
      const accepted: { id: string; field: string; what: string }[] = []
      const combinations = FIELDS.flatMap((field) =>
        TEMPLATES.flatMap((template) =>
          [...HARMLESS, ...MISLEADING].map((value) => ({ field, template, value })),
        ),
      )
      const client = async () => {
        for (let next = combinations.pop(); next !== undefined; next = combinations.pop()) {
          const { field, template, value } = next
          const what = `${field}: ${template} with ${JSON.stringify(value)}`
          const reply = await send(api, way, field, template, value)
          assert.ok(reply.status === 200 || reply.status === 400, `${what}: ${reply.text}`)
          if (reply.status === 200)
            accepted.push({ id: String(reply.body.id).replace(/^<|@.*$/g, ''), field, what })
        }
      }
      await Promise.all(Array.from({ length: 8 }, client))
      const tasks: (ReadTask & { what: string })[] = []
      for (const { id, field, what } of accepted) {
        let captured = await service.store.readCaptured(id)
        while (captured.length === 0) {
          await pause(5)
          captured = await service.store.readCaptured(id)
        }
        tasks.push({ raw: Buffer.from(captured[0]!.raw), field, what })
      }
      // Else this would be a test of refusals.
      assert.ok(tasks.length > FIELDS.length * TEMPLATES.length, `${tasks.length} were accepted`)
      const found = await Promise.all(tasks.map(readHere))
      const python = noPython === null ? readWithPython(tasks) : []
      for (const [index, { raw, field, what }] of tasks.entries()) {
        const header = raw.toString().split('\r\n\r\n')[0]!
        for (const [reader, addresses] of [...found[index]!, ...(python[index] ?? [])]) {
          const outside = addresses.filter((address) => isOutside(reader, address, OURS))
          assert.deepEqual(outside, [], `${reader} in ${what}:\n${header}`)
        }
        // Nor is another's address shown as a name, where it would have been refused without variables.
        const line = header
          .replace(/\r\n[ \t]/g, ' ')
          .split('\r\n')
          .find((line) => line.startsWith(`${field}:`))!
        assert.doesNotMatch(line, /victim/, what)
      }
    })
  }
})
