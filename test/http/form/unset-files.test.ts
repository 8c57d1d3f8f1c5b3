/** File fields without a chosen file, which clients and browsers send all the same, are no error. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Service, startService } from '../../support/service.ts'
import { Api } from '../requests.ts'

let service: Service
let api: Api

before(async () => {
  service = await startService()
  const { key } = await service.tenant('acme.example')
  api = new Api(service.url, key.token)
})
after(() => service.close())

const text: [string, string][] = [
  ['from', 'ann@acme.example'],
  ['to', 'bob@x.test'],
  ['text', 'hello'],
]

for (const field of ['attachment', 'inline', 'attachment[0]']) {
  test(`an empty ${field} in an urlencoded form`, async () => {
    const { status, text: answer } = await api.form('acme.example', [...text, [field, '']])
    assert.equal(status, 200, answer)
  })

  test(`an empty ${field} without a name in a multipart form`, async () => {
    const parts = text.map(([name, value]) => ({ name, value }))
    for (const unset of [
      { name: field, value: '' },
      { name: field, value: '', filename: '' },
    ]) {
      const { status, text: answer } = await api.multipart('acme.example', [...parts, unset])
      assert.equal(status, 200, answer)
    }
  })
}
