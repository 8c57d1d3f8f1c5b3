/** A stream of server-sent events (WHATWG HTML 9.2) as a client without a browser reads it. */
import assert from 'node:assert/strict'
import type { Static } from 'typebox'
import type { CHANGES } from '../../../src/http/console/contract/emails.ts'
import type { Visitor } from './visitor.ts'

export type Changes = Static<typeof CHANGES>

export class EventStream {
  readonly response: Response
  readonly #reader: ReadableStreamDefaultReader<string>
  #text = ''
  /** Of the last event, as a browser repeats it. */
  lastId = ''

  constructor(response: Response) {
    this.response = response
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  }

  static async open(
    visitor: Pick<Visitor, 'cookie'>,
    url: string,
    headers: Record<string, string> = {},
  ): Promise<EventStream> {
    const response = await fetch(url, { headers: { cookie: visitor.cookie, ...headers } })
    assert.equal(response.status, 200, response.status === 200 ? '' : await response.text())
    return new EventStream(response)
  }

  /** The next event; null: the stream has ended. Comments are passed over. */
  async next(): Promise<Changes | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end < 0) {
        const { value, done } = await this.#reader.read()
        if (done) return null
        this.#text += value
        continue
      }
      const lines = this.#text.slice(0, end).split('\n')
      this.#text = this.#text.slice(end + 2)
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const data = field('data')
      if (data === undefined) continue
      assert.equal(field('event'), 'changes')
      this.lastId = field('id')!
      return JSON.parse(data)
    }
  }

  /** Reads on until the received changes are enough. */
  async until(enough: (told: Changes[]) => boolean): Promise<Changes[]> {
    const told: Changes[] = []
    while (!enough(told)) {
      const changes = await this.next()
      assert.ok(changes, 'the stream has ended')
      told.push(changes)
    }
    return told
  }

  /** As a client does that goes away. */
  async cut(): Promise<void> {
    await this.#reader.cancel()
  }
}
