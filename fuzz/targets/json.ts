import { readSubmission } from '../../src/http/json/submission.ts'
import { Fault } from '../../src/ingress/fault.ts'
import { Refusal } from '../../src/intake/refusal.ts'
import { assert, assertSame, type FuzzTarget, unlessRefused, words } from '../target.ts'

/** Bodies of POST /emails: what is taken means what JSON.parse takes it to mean. */
export const json: FuzzTarget = {
  name: 'json',
  about: 'bodies of POST /emails, and the limits on JSON',
  seeds: [
    '{"from":"a@x.test","to":["b@y.test"],"subject":"s","html":"<p>x</p>","text":"x"}',
    '{"from":"a@x.test","to":"b@y.test","text":"\\u00e4\\n","headers":{"X-A":"b"},"tags":[{"name":"a","value":"b"}]}',
    '{"attachments":[{"filename":"a.txt","content":"aGVsbG8=","content_type":"text/plain"},{"filename":"b","content":[1,2,255]},{"filename":"c","content":{"type":"Buffer","data":[0]}}]}',
    '{"unknown":{"deep":[[[{"a":null}]]]},"text":"x","scheduled_at":"2026-12-01T00:00:00Z"}',
    '\ufeff{"text":"x","text":"y","__proto__":{"text":"z"}}',
  ],
  tokens: words(
    '{ } [ ] " : , \\ \\u \\ud83d \\" null true false 0 -1 1e5 255 256 "text": "html": "to":',
    '"attachments": "content": "data": "type":"Buffer", "headers": "__proto__": [[[[[[[[ {"a": \n \t',
    '\0 \xff ä \ufeff',
  ),
  run(input) {
    const read = unlessRefused(() => readSubmission(Buffer.from(input)), Fault, Refusal)
    if (read === undefined) return
    const meant = JSON.parse(input.toString('utf8').replace(/^\ufeff/, ''))
    for (const field of ['text', 'html'] as const) {
      if (typeof meant[field] === 'string')
        assertSame(`${field} is not what was sent`, read[field], meant[field])
      else assert(read[field] === undefined, `${field} was made up`)
    }
    for (const { content } of read.attachments) {
      assert(content.length <= input.length, 'a file is larger than the body it came in')
    }
  },
}
