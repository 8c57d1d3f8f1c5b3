/** `/openapi.json` and `/docs`: the description of the API, for programs and for people. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Answer, JSON_TYPE } from '../answer.ts'
import { pageHeaders } from './home.ts'
import { type Document, readerPage, STYLE } from './reader.ts'

/** Generated from the schemas of the routes (scripts/openapi.ts). */
const FILE = new URL('../../../docs/openapi.json', import.meta.url)

/** Both are made at the first request: most nodes never get one. */
export class OpenApiPages {
  #document: Promise<Answer> | null = null
  #reader: Promise<Answer> | null = null

  document(): Promise<Answer> {
    this.#document ??= read().then((body) => ({ status: 200, type: JSON_TYPE, body }))
    return this.#document
  }

  reader(): Promise<Answer> {
    this.#reader ??= read().then((text) => ({
      status: 200,
      type: 'text/html; charset=utf-8',
      body: readerPage(JSON.parse(text) as Document),
      headers: pageHeaders(createHash('sha256').update(STYLE).digest('base64')),
    }))
    return this.#reader
  }
}

const read = () => readFile(FILE, 'utf8')
